"""Every error of windowshop: one class per way of handling it.

WindowshopError                                                                        exit
  FetchError            the site did not deliver      retried, in transports/retry only   3
    Timeout, RateLimited, ServerError
  Challenged            captcha, robot check          stop; never bypassed or hammered    3
  Refused               the guard said no             the episode stops, audited          4
  Leak                  a change reached a shop       everything stops; a defect of ours  4
  BudgetSpent           a limit was reached           an outcome, never a crash           5
  AnswerGiven           the agent handed in its answer  the episode ends well             0
  ReplayMiss            not in the recording          lists the nearest entries           6
  PageError             bytes not understood          the page is kept, the field named   7
    UnknownPage, MissingField, HostilePage
  ActionError           the agent's slip              a no-op step, as in the simulator   -
    MalformedAction, UnavailableAction
  Gone                  an item that is sold or ended a no-op step; the agent goes on     -
  ModelError            a model did not deliver       the episode ends, and is run again  3
  AgentError            the agent itself failed       the episode ends, the run goes on   1
  StorageError          the run cannot be written     the run stops, nothing finished lost 8
  ConfigError           the user's slip               a usage error                       2
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import ClassVar, Final

from windowshop.wire import Decision


class WindowshopError(Exception):
    """Any failure that windowshop can name."""

    exit_code: ClassVar[int] = 1
    outcome: ClassVar[str] = "error"


class FetchError(WindowshopError):
    """The site did not deliver a page."""

    exit_code = 3
    outcome = "site_error"


class Timeout(FetchError):
    """The site did not answer in time."""


class RateLimited(FetchError):
    """The site asked us to slow down; `retry_after` is in seconds where it said for how long."""

    outcome = "blocked:rate_limit"

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ServerError(FetchError):
    """The site failed on its side."""


class Challenged(WindowshopError):
    """The site wants proof that we are a person; `reason` is the challenge page's own."""

    exit_code = 3
    outcome = "blocked"

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class Refused(WindowshopError):
    """The guard refused a request; `decision` says by which rule."""

    exit_code = 4
    outcome = "refused"

    def __init__(self, decision: Decision, url: str) -> None:
        super().__init__(f"refused by {decision.rule}: {decision.reason} ({url})")
        self.decision = decision
        self.url = url


class Leak(WindowshopError):
    """A request that could change something reached a shop. It must not happen; nothing goes on after it."""

    exit_code = 4
    outcome = "leak"


class BudgetSpent(WindowshopError):
    """A limit that the user set was reached; `limit` names it: `requests`, or `run:requests` of the run."""

    exit_code = 5
    outcome = "budget"

    def __init__(self, message: str, limit: str | None = None) -> None:
        super().__init__(message)
        self.limit = limit


class AnswerGiven(WindowshopError):
    """The agent has handed in its answer, in a benchmark that asks for one: how such an episode ends well."""

    exit_code = 0
    outcome = "answered"


class ReplayMiss(WindowshopError):
    """The recording does not hold the page; `nearest` are the most similar addresses it holds."""

    exit_code = 6
    outcome = "replay_miss"

    def __init__(self, url: str, nearest: Sequence[str]) -> None:
        near = "; nearest: " + ", ".join(nearest) if nearest else "; the recording is empty"
        super().__init__(f"not in the recording: {url}{near}")
        self.url = url
        self.nearest = tuple(nearest)


class PageError(WindowshopError):
    """The bytes of a page could not be understood."""

    exit_code = 7
    outcome = "page_error"


class UnknownPage(PageError):
    """The bytes are not a page of this site."""


class MissingField(PageError):
    """A page lacks what it cannot exist without."""

    def __init__(self, field: str, selector: str) -> None:
        super().__init__(f"no {field}: nothing at {selector}")
        self.field = field
        self.selector = selector


class HostilePage(PageError):
    """The bytes are too large, too deep or too slow to parse safely."""


class ActionError(WindowshopError):
    """The agent's action changes nothing, as in the simulator."""

    outcome = "invalid_action"


class MalformedAction(ActionError):
    """The string is not an action."""


class UnavailableAction(ActionError):
    """The action is not available on this page."""


class Gone(WindowshopError):
    """The item is not there any more: the step changes nothing and the agent goes on."""

    outcome = "gone"


class ModelError(WindowshopError):
    """A language model's endpoint did not deliver an answer, after its retries."""

    exit_code = 3
    outcome = "model_error"


class AgentError(WindowshopError):
    """The agent raised, or gave something that is not a string."""

    outcome = "agent_error"


class StorageError(WindowshopError):
    """The run folder cannot be written: a full disk, a read-only folder, another runner's lock."""

    exit_code = 8
    outcome = "storage_error"


class ConfigError(WindowshopError):
    """Something that the user gave is wrong; the message says what, where and how to mend it."""

    exit_code = 2
    outcome = "config_error"


def _codes(kind: type[WindowshopError]) -> dict[str, int]:
    codes = {kind.outcome.partition(":")[0]: kind.exit_code}
    for child in kind.__subclasses__():
        codes = {**_codes(child), **codes}
    return codes


EXIT_CODES: Final = MappingProxyType(_codes(WindowshopError))
"""The exit code of each outcome (what stands before a colon), from the tree above."""
