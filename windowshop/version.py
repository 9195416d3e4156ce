"""The version of windowshop, said in one place."""

__version__ = "0.1.0"
