"""The only code that touches the network: a module for each way to fetch, and one for each thing around it.

Live are `http`, `browser` and `scraperapi`; around them `politeness`, `retry` and `recording`, in this order
from the inside; `replay` stands in for all of them. Nothing is imported here: each brings heavy libraries.
"""
