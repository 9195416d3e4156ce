"""`python -m windowshop` is the command line."""

from windowshop.cli import main

main()
