"""Safety: a pure policy, and the only door out. Default deny; nothing here can be widened to a real shop."""
