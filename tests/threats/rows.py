"""Every row, in the order of its id."""

from threats.address import E
from threats.browser import D
from threats.content import G
from threats.harness import F
from threats.row import Row
from threats.shops import A, B, C

TITLES = {
    "A": "Amazon: requests that buy, fill a cart or change an account",
    "B": "eBay: requests that buy, bid or change an account",
    "C": "Other parties: payment and identity",
    "D": "What a browser does by itself",
    "E": "Tricks of address, host and parser",
    "F": "Holes in the harness around the guard",
    "G": "What pages say to the agent",
}
ROWS: tuple[Row, ...] = A + B + C + D + E + F + G
COUNTS = {"A": 21, "B": 13, "C": 6, "D": 21, "E": 19, "F": 19, "G": 10}
