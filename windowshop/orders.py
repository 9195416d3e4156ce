"""Vocabulary: who buys in a shop of the user's own, what lies in its cart, and what was ordered there."""

from __future__ import annotations

from windowshop.frozen import Frozen


class Buyer(Frozen):
    """Whom an order is for: an invented person with a test card, as a task gives them. Never a real one."""

    name: str
    street: str = ""
    house_number: str = ""
    zip: str = ""
    city: str = ""
    state: str = ""
    country: str = ""
    email: str = ""
    card: str = ""
    cvv: str = ""
    expiry_date: str = ""

    @property
    def first_name(self) -> str:
        """Return all names but the last; the whole of one that has no other."""
        return self.name.rpartition(" ")[0] or self.name

    @property
    def last_name(self) -> str:
        """Return the last name; the whole of one that has no other."""
        return self.name.rpartition(" ")[2]

    @property
    def line(self) -> str:
        """Return the street with the number of the house."""
        return f"{self.street} {self.house_number}".strip()


class Line(Frozen):
    """One product in a cart or an order; `url` is the address of its page, as far as it is named."""

    title: str
    url: str | None = None
    quantity: int | None = None


class Order(Frozen):
    """What a shop confirms to have been ordered. `address` is the billing address as the page prints it."""

    number: str | None = None
    lines: tuple[Line, ...] = ()
    address: str | None = None
    email: str | None = None
    text: str = ""
