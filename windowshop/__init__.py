"""Shop on the real web with agents trained in WebShop, and never buy."""
