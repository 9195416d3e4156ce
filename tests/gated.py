"""A demo shop for the tests of runs: it can hold its answers back, and be the origin of any run."""

from __future__ import annotations

import threading
from collections import Counter

from windowshop.demo import Shop
from windowshop.demo.answer import Answer, Visit
from windowshop.runs.stack import Origin
from windowshop.transports.last_hop import LastHop


class GatedShop(Shop):
    """Count the visits by address; those whose address holds `word` are answered after `open`."""

    def __init__(self, word: str | None = None, **more: bool | str) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.visits: Counter[str] = Counter()
        self._word = word
        self._opened = threading.Event()
        self._waiting = threading.Condition()
        self._count = 0

    @property
    def origin(self) -> Origin:
        host, port = self.address
        return Origin(last_hop=LastHop(host=host, port=port, ca_pem=self.ca_pem))

    def open(self) -> None:
        self._opened.set()

    def await_waiting(self, number: int, timeout: float = 60.0) -> bool:
        """Wait until so many visits are held back."""
        with self._waiting:
            return self._waiting.wait_for(lambda: self._count >= number, timeout)

    def answer(self, visit: Visit) -> Answer:
        address = f"{visit.host}{visit.path}?{sorted(visit.params.items())}"
        with self._waiting:
            self.visits[address] += 1
        if self._word is not None and self._word in address and not self._opened.is_set():
            with self._waiting:
                self._count += 1
                self._waiting.notify_all()
            self._opened.wait(60)
        return super().answer(visit)
