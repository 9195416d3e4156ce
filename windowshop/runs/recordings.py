"""Named recordings: the pages of runs, kept to be replayed, merged and handed on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from windowshop.adapters import Site, load_site
from windowshop.episodes import Task
from windowshop.errors import ConfigError, PageError, StorageError
from windowshop.frozen import Frozen
from windowshop.locales import LOCALES, locale_by_host
from windowshop.pages import Page
from windowshop.runs.folder import read_manifest, read_tasks
from windowshop.runs.scrub import scrub
from windowshop.transports.recording import PAGES, Recorder
from windowshop.transports.replay import canonical
from windowshop.transports.warc import members, read_page, target_of
from windowshop.wire import Request, Response

HOME = Path("recordings")
ABOUT = "recording.json"
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_FAILED = ("challenge", "error")


class Recording(Frozen):
    """What a recording is: `recording.json`. `origins` are the runs and files that its pages came from."""

    format: int = 1
    name: str
    created: datetime
    pages: int = 0
    left_out: int = 0
    origins: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    locale: str = "us"
    tasks: tuple[Task, ...] = ()


Capture = tuple[Request, Response]


def find_recording(given: Path, must_exist: bool = True) -> Path:
    """Return where a recording lies: a path, or a name among `recordings/`."""
    if given.exists():
        return given
    named = HOME / given
    if named.exists() or (not must_exist and len(given.parts) == 1):
        return named
    raise ConfigError(
        f"no recording at {given}, and none of that name in {HOME} (see: windowshop recordings)"
    )


def list_recordings(home: Path = HOME) -> list[Recording]:
    """Return the recordings under a folder, by name."""
    return [read_about(path.parent) for path in sorted(home.glob(f"*/{ABOUT}"))]


def read_about(path: Path) -> Recording:
    """Return what a recording says of itself."""
    try:
        return Recording.model_validate_json((path / ABOUT).read_bytes())
    except (OSError, ValidationError) as error:
        raise ConfigError(f"{path} is not a named recording: {error}") from error


def captures(path: Path) -> Iterator[Capture]:
    """Yield the pages in a WARC file, or in those of a folder, in the order of recording."""
    for file in [path] if path.is_file() else sorted(path.rglob("*.warc.gz")):
        for member in members(file):
            url = target_of(member)
            if url is not None:
                yield Request(url=url), read_page(file, member.start)


def save_run(run: Path, name: str, home: Path = HOME, add: bool = False, replace: bool = False) -> Recording:
    """Keep the pages of a run as a recording, without failures and without secrets.

    With `add` to one that is there already, with `replace` in its place. Raises `ConfigError` for a name
    that is taken or unfit.
    """
    settings = read_manifest(run)["settings"]
    about = Recording(
        name=name,
        created=datetime.now(UTC),
        origins=(str(run),),
        sites=tuple(settings.get("sites", (settings.get("site"),))),
        locale=settings["locale"],
        tasks=read_tasks(run),
    )
    return save(about, lambda: captures(run), home, add, replace, _sites(settings))


def merge(paths: Sequence[Path], name: str, home: Path = HOME) -> Recording:
    """Make one recording of several; of an address that more than one has, the page that was fetched last."""
    known = [read_about(path) for path in paths if (path / ABOUT).exists()]
    about = Recording(
        name=name,
        created=datetime.now(UTC),
        origins=tuple(dict.fromkeys(str(path) for path in paths)),
        sites=tuple(dict.fromkeys(site for about in known for site in about.sites)),
        locale=known[0].locale if known else "us",
        tasks=tuple({task.id: task for about in known for task in about.tasks}.values()),
    )
    return save(about, lambda: (one for path in paths for one in captures(path)), home)


def save(
    about: Recording,
    pages: Callable[[], Iterable[Capture]],
    home: Path = HOME,
    add: bool = False,
    replace: bool = False,
    sites: Mapping[str, Site] | None = None,
) -> Recording:
    """Write a recording: of each address the page that was fetched last, if it is one.

    `pages` is asked twice, to choose and to write, so that not all of them need be held. It is written
    beside its place first, so that what was there is there until the new one is whole.
    """
    if not about.name or Path(about.name).name != about.name or about.name.startswith("."):
        raise ConfigError(f"{about.name!r} cannot be a recording's name: choose a plain word")
    path, partial, before = (home / name for name in (about.name, f".{about.name}.new", f".{about.name}.old"))
    if path.exists() and not (add or replace):
        raise ConfigError(f"{path} is there already: choose another name, or --add to it")
    known = sites or {}

    def every() -> Iterator[Capture]:
        yield from captures(path) if path.exists() and add else ()
        yield from pages()

    chosen, left_out = _choose(every(), known)
    about = about.model_copy(update={"pages": len(chosen), "left_out": left_out})
    try:
        shutil.rmtree(partial, ignore_errors=True)
        with Recorder(partial / PAGES) as recorder:
            for number, (request, response) in enumerate(every()):
                if number in chosen:
                    recorder.append(request, _scrubbed(response, _page(response, known), known))
        (partial / ABOUT).write_text(about.model_dump_json(indent=1) + "\n", encoding="utf-8")
        shutil.rmtree(before, ignore_errors=True)
        if path.exists():
            path.rename(before)
        partial.rename(path)
        shutil.rmtree(before, ignore_errors=True)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
    return about


def _choose(pages: Iterable[Capture], sites: Mapping[str, Site]) -> tuple[set[int], int]:
    """Return the places of the pages to keep, and how many failures there were."""
    latest: dict[str, tuple[datetime, int]] = {}
    failures = 0
    for number, (request, response) in enumerate(pages):
        if _is_failure(response, _page(response, sites)):
            failures += 1
            continue
        key = canonical(request.url)
        if key not in latest or latest[key][0] <= response.at:
            latest[key] = response.at, number
    return {number for _, number in latest.values()}, failures


def _sites(settings: Mapping[str, Any]) -> dict[str, Site]:
    """Return the adapter that reads the pages of each host of a run."""
    names = settings.get("sites") or [settings["site"]]
    loaded = [load_site(name, settings["locale"], settings.get("base_url")) for name in names]
    return {host: site for site in loaded for shape in site.readable for host in shape.hosts}


def _site(response: Response, sites: Mapping[str, Site]) -> Site | None:
    host = urlsplit(response.url).hostname or ""
    if host in sites:
        return sites[host]
    for name in LOCALES:
        locale = locale_by_host(name, host)
        if locale is not None:
            return load_site(name, locale.code)
    return None


def _page(response: Response, sites: Mapping[str, Site]) -> Page | None:
    """Return what the page says; None for one that nobody can read."""
    site = _site(response, sites)
    try:
        return site.parse(response) if site is not None else None
    except PageError:
        return None


def _is_failure(response: Response, page: Page | None) -> bool:
    if response.status >= HTTPStatus.BAD_REQUEST and response.status not in _GONE:
        return True
    return page is not None and page.kind in _FAILED


def _scrubbed(response: Response, page: Page | None, sites: Mapping[str, Site]) -> Response:
    """Return the page without secrets, read as it was before."""

    def same(body: bytes) -> bool:
        return _page(response.model_copy(update={"body": body}), sites) == page

    return response.model_copy(update={"body": scrub(response.body, same)})
