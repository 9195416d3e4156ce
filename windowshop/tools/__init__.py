"""Tools: a shop as function calls, the way ShoppingBench's agents use one."""
