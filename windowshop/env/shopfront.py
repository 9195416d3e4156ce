"""A shop held open: its run folder, where its pages come from, and the transport behind the guard."""

from __future__ import annotations

import os
import tempfile
import threading
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from windowshop.env.place import Place
from windowshop.env.shelf import Shelf
from windowshop.episodes import EpisodeResult, Task
from windowshop.errors import ConfigError, Leak, StorageError
from windowshop.runs.episode import Episode
from windowshop.runs.folder import RunFolder
from windowshop.runs.memo import Memo
from windowshop.runs.stack import open_origin, open_transport
from windowshop.runs.visit import Visitor
from windowshop.safety.guard import Guard
from windowshop.views import Mode, View

_MOST = 1000


class Shopfront:
    """Open one place for any number of sessions; what they see and do is kept in one run folder.

    `out` is that folder. One that is there already is left alone: `-2`, `-3` and so on is appended, so that
    each process of many has its own. Without `out` the record is thrown away on closing, which a live
    place does not allow. `mode` is that of every observation. May be shared by threads. Raises
    `ConfigError`, `StorageError`, `Leak` and what the site's opening page raises.
    """

    def __init__(
        self, place: Place, out: Path | None = None, agent: str = "env", mode: Mode = "text_rich"
    ) -> None:
        self.place = place
        self.agent = agent
        self.mode: Mode = mode
        self.process = os.getpid()
        self.site = place.load()
        self._policy = place.policy(self.site)
        self._begun: Counter[str] = Counter()
        self._memo = Memo()
        self._lock = threading.Lock()
        if place.source == "live":
            _demand_record_and_guard(place, out)
        with ExitStack() as stack:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory())) if out is None else _claim(out)
            self.folder = RunFolder(path, {**place.settings(), "agents": [agent], "mode": mode, "seed": None})
            stack.callback(self.folder.close)
            self._shelf = stack.enter_context(closing(Shelf(path)))
            origin = stack.enter_context(open_origin(place.source, place.recording, path))
            self._guard = Guard(self._policy, self.folder.audit)
            self._transport = stack.enter_context(
                open_transport(
                    place.carrier(), origin, self.site, self._guard, path, place.contact, self._shelf
                )
            )
            if self.site.opening is not None:
                self._guard.fetch(self.site.opening, self._transport)
            self._stack = stack.pop_all()
        _close_at_the_end(self)

    def counter(self) -> tuple[Visitor, Guard]:
        """Return a visitor with a guard of its own, for one session; what others read is known."""
        guard = Guard(self._policy, self.folder.audit)
        return Visitor(self.site, guard, self._transport, self.folder.path, self._shelf, self._memo), guard

    def episode(
        self, task: Task, session: str, visitor: Visitor, guard: Guard, show_attributes: bool
    ) -> Episode:
        """Return a new episode; `session` is what the simulator's addresses call it.

        In the folder it has a name of its own: a task that is begun again is another episode.
        """
        name = f"{self.site.name}-{task.id}"
        with self._lock:
            self._begun[name] += 1
            times = self._begun[name]
        name = name if times == 1 else f"{name}.{times}"
        folder = self.folder
        episode = Episode(task, name, visitor, guard, folder.steps, folder.purchases, self.mode)
        episode.view = View(instruction=task.instruction, session=session, show_attributes=show_attributes)
        return episode

    def conclude(self, result: EpisodeResult) -> None:
        """Write down how an episode ended."""
        self.folder.episodes.append(result)

    def close(self) -> None:
        """Close the transport, the demo shop and the record, in that order."""
        _open.discard(self)
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_open: set[Shopfront] = set()
_watched: set[int] = set()
_shared: dict[tuple[Any, ...], tuple[Shopfront, int]] = {}
_sharing = threading.RLock()


def borrow(place: Place, out: Path | None, agent: str, mode: Mode) -> Shopfront:
    """Return the shopfront that this process has open there, or open it; every borrower gives it back."""
    key = _key(place, out, agent, mode)
    with _sharing:
        front, borrowers = _shared.get(key) or (Shopfront(place, out, agent, mode), 0)
        _shared[key] = (front, borrowers + 1)
    return front


def give_back(front: Shopfront, out: Path | None) -> None:
    """Give back what was borrowed; the last one closes it."""
    key = _key(front.place, out, front.agent, front.mode)
    with _sharing:
        held, borrowers = _shared.get(key, (None, 0))
        if held is not front:
            return
        if borrowers > 1:
            _shared[key] = (front, borrowers - 1)
            return
        del _shared[key]
    front.close()


def _close_at_the_end(front: Shopfront) -> None:
    """Close a shopfront that nobody closes: its connections' threads would keep the process for ever.

    Python waits for threads before it calls what `atexit` holds, so it is a thread that waits for the end.
    """
    with _sharing:
        _open.add(front)
        if os.getpid() in _watched:
            return
        _watched.add(os.getpid())
    process = os.getpid()

    def wait() -> None:
        threading.main_thread().join()
        for left in tuple(_open):
            if left.process == process:
                left.close()

    threading.Thread(target=wait, name="windowshop-closing").start()


def _key(place: Place, out: Path | None, agent: str, mode: Mode) -> tuple[Any, ...]:
    """Name a shopfront; a forked process has none of its parent's."""
    return os.getpid(), place, out, agent, mode


def _claim(out: Path) -> Path:
    """Make the first folder that is not there yet, of `out`, `out-2`, `out-3` ..."""
    names = (out, *(out.with_name(f"{out.name}-{number}") for number in range(2, _MOST)))
    for path in names:
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise StorageError(f"cannot write the run folder {path}: {error.strerror}") from error
        return path
    raise ConfigError(f"{out} and {_MOST - 2} more beside it are there already; choose another out")


def _demand_record_and_guard(place: Place, out: Path | None) -> None:
    """See, before a live site is visited, that a record is kept and that no purchase gets out."""
    from windowshop.runs.selftest import selftest

    if out is None:
        raise ConfigError("a live shop is not visited without a record: say where with out=FOLDER")
    holds, says = selftest(place.carrier())
    if not holds:
        raise Leak(f"the guard's own test failed, so the live site is not visited: {says}")
