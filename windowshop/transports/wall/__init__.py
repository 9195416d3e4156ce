"""The wall: an intercepting proxy on this machine that lets out nothing but what was judged, default deny.

    client -> CONNECT to a listed host -> TLS with our throw-away key -> each request judged -> the shop

`asked` reads a request, `answers` are the two pages that are given here, `checkpoint` decides, `keys` holds
the throw-away authority, `connection` speaks the protocols (with mitmproxy's core), `proxy` runs it all.
"""

from windowshop.transports.wall.asked import Asked
from windowshop.transports.wall.checkpoint import Permits
from windowshop.transports.wall.proxy import HOST, Wall
from windowshop.transports.wall.witness import Witness

__all__ = ["HOST", "Asked", "Permits", "Wall", "Witness"]
