"""Where an environment shops: which site, and where its pages come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import ValidationError

from windowshop.adapters import Site, load_site
from windowshop.errors import ConfigError
from windowshop.frozen import Frozen
from windowshop.runs.stack import SourceName, TransportName
from windowshop.safety.policy import Policy, own_policy, policy_for


class Place(Frozen):
    """One shop.

    `source` says where pages come from: the demo shop, a recording, one's own server, the live site.
    `transport` auto is plain HTTP, but for the live site, where it is the browser if there is one.
    """

    site: str = "amazon"
    locale: str = "us"
    source: SourceName = "demo"
    base_url: str | None = None
    recording: Path | None = None
    transport: TransportName | Literal["auto"] = "auto"
    contact: str | None = None

    @classmethod
    def choose(cls, place: Self | None, where: dict[str, Any]) -> Self:
        """Return the place that was given, or the one that options make; raise `ConfigError` for a slip."""
        if place is not None and where:
            raise ConfigError(f"give place, or {', '.join(where)}, not both")
        try:
            return place or cls(**where)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"]))
            if first["type"] == "extra_forbidden":
                raise ConfigError(
                    f"there is no option {name!r}; where to shop: {', '.join(cls.model_fields)}"
                ) from None
            raise ConfigError(f"{name}={first['input']!r}: {first['msg']}") from None

    def load(self) -> Site:
        """Return the site's adapter; raise `ConfigError` for a place that does not hang together."""
        if (self.recording is not None) != (self.source == "recording"):
            raise ConfigError("source='recording' goes with recording=PATH, and neither without the other")
        if (self.base_url is not None) != (self.source == "own"):
            raise ConfigError("source='own' goes with base_url=URL, and neither without the other")
        return load_site(self.site, self.locale, self.base_url)

    def policy(self, site: Site) -> Policy:
        """Return the policy that every guard at this place holds."""
        readable = tuple(site.readable)
        if self.base_url is not None:
            return own_policy(self.site, self.base_url, readable)
        return policy_for(self.site, self.locale, readable)

    def carrier(self) -> TransportName:
        """Return the transport that is meant."""
        if self.transport != "auto":
            return self.transport
        if self.source != "live":
            return "http"
        from windowshop.transports.browser import is_usable

        return "browser" if is_usable() else "http"

    def settings(self) -> dict[str, Any]:
        """Return what `run.json` keeps."""
        policy = self.policy(self.load())
        described: dict[str, Any] = self.model_dump(mode="json", exclude={"site", "transport"})
        return {
            **described,
            "sites": [self.site],
            "transport": self.carrier(),
            "policies": {self.site: policy.digest},
        }
