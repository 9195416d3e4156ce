"""Every way known to us in which a page can make a browser ask for something, each as a page of its own.

In a page's text `@T` stands for the forbidden address, `@HOP` for one that is allowed and sends on to it,
`@IMG` for a picture that does, `@WORKER` for a service worker's script, `@ELSEWHERE` for a host that is not
listed, `@PLAIN`, `@UDP` and `@TCP` for ports of this machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from pydantic import Field

from windowshop.frozen import Frozen

Act = Literal["click", "enter"]


class Vector(Frozen):
    """One page; `threat` is its row in the list of threats, `act` what a careless agent does there.

    `scripted` ones need scripts to run; `short` ones are tried before every live session.
    """

    name: str
    threat: str
    body: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    status: int = 200
    act: Act | None = None
    scripted: bool = False
    short: bool = False


def _rows() -> Iterator[Vector]:
    for name, threat, body in _PLAIN:
        yield Vector(name=name, threat=threat, body=body)
    for name, threat, body in _CLICKED:
        yield Vector(name=name, threat=threat, body=body, act="click", short=name in _SHORT)
    yield Vector(
        name="enter in a field",
        threat="D4",
        body="<form method=post action=@T><input id=go name=q><button>buy</button></form>",
        act="enter",
    )
    yield Vector(name="redirected page", threat="D1", status=302, headers={"location": "@T"}, short=True)
    yield Vector(name="refresh header", threat="D3", headers={"refresh": "0;url=@T"})
    yield Vector(name="link header", threat="D14", headers={"link": "<@T>; rel=preload; as=image"})
    yield Vector(
        name="content policy report",
        threat="D15",
        headers={"content-security-policy": "img-src 'none'; report-uri @T"},
        body="<img src=/favicon.ico>",
    )
    yield Vector(
        name="reporting api",
        threat="D15",
        headers={
            "reporting-endpoints": 'default="https://www.amazon.com@T"',
            "content-security-policy": "img-src 'none'; report-to default",
        },
        body="<img src=/favicon.ico>",
    )
    yield Vector(
        name="network error log",
        threat="D15",
        headers={
            "report-to": '{"group":"g","max_age":99,"endpoints":[{"url":"https://www.amazon.com@T"}]}',
            "nel": '{"report_to":"g","max_age":99,"success_fraction":1.0}',
        },
    )
    for name, threat, script in _SCRIPTED:
        yield Vector(
            name=name, threat=threat, body=f"<script>{script}</script>", scripted=True, short=name in _SHORT
        )


_SHORT: Final = frozenset(
    {
        "link",
        "form",
        "307 of a form",
        "fetch post",
        "beacon on leaving",
        "shared worker",
        "websocket",
        "webrtc stun",
    }
)
_PLAIN: Final = (
    ("meta refresh", "D3", "<meta http-equiv=refresh content='0;url=@T'>"),
    ("image", "D15", "<img src=@T>"),
    ("image from elsewhere", "D15", "<img src=https://@ELSEWHERE@T>"),
    ("image, second hop", "D1", "<img src=@IMG>"),
    ("image set", "D15", "<img srcset='@T 1x'>"),
    ("frame", "D9", "<iframe src=@T></iframe>"),
    ("frame, second hop", "D1", "<iframe src=@HOP></iframe>"),
    ("frame from elsewhere", "D9", "<iframe src=https://@ELSEWHERE@T></iframe>"),
    ("frame in the page", "D9", "<iframe srcdoc='<img src=@T>'></iframe>"),
    ("frame of data", "D17", "<iframe src='data:text/html,<img src=https://www.amazon.com@T>'></iframe>"),
    ("object", "D9", "<object data=@T></object>"),
    ("embed", "D9", "<embed src=@T>"),
    ("stylesheet", "D15", "<link rel=stylesheet href=@T>"),
    ("stylesheet import", "D15", "<style>@import '@T';</style>"),
    ("stylesheet picture", "D15", "<style>body{background:url(@T)}</style>"),
    ("font", "D15", "<style>@font-face{font-family:f;src:url(@T)}p{font-family:f}</style><p>text"),
    ("video", "D15", "<video src=@T autoplay></video>"),
    ("poster", "D15", "<video poster=@T></video>"),
    ("icon", "D15", "<link rel=icon href=@T>"),
    ("svg", "D15", "<svg><image href=@T /></svg>"),
    ("prefetch", "D14", "<link rel=prefetch href=@T>"),
    ("preload", "D14", "<link rel=preload as=image href=@T>"),
    ("module preload", "D14", "<link rel=modulepreload href=@T>"),
    ("script source", "D6", "<script src=@T></script>"),
)
_CLICKED: Final = (
    ("link", "A2", "<a id=go href=@T>buy</a>"),
    ("link to a new window", "D8", "<a id=go target=_blank href=@T>buy</a>"),
    ("link, second hop", "D1", "<a id=go href=@HOP>look</a>"),
    ("link elsewhere", "B1", "<a id=go href=https://@ELSEWHERE@T>buy</a>"),
    ("form", "A8", "<form method=post action=@T><button id=go>buy</button></form>"),
    (
        "form to a new window",
        "D8",
        "<form method=post target=_blank action=@T><button id=go>buy</button></form>",
    ),
    ("form action of a button", "D5", "<form method=post><button id=go formaction=@T>buy</button></form>"),
    ("get form", "A7", "<form action=@T><input name=q value=1><button id=go>buy</button></form>"),
    ("307 of a form", "D2", "<form method=post action=@HOP><button id=go>look</button></form>"),
    ("ping", "D15", "<a id=go href='#' ping=@T>look</a>"),
    ("download", "D16", "<a id=go download href=@T>buy</a>"),
)
_SCRIPTED: Final = (
    ("fetch", "D6", "fetch('@T')"),
    ("fetch post", "D6", "fetch('@T',{method:'POST'})"),
    ("fetch elsewhere", "A10", "fetch('https://@ELSEWHERE@T',{method:'POST',mode:'no-cors'})"),
    ("fetch, second hop", "D1", "fetch('@HOP')"),
    ("307 of a fetch", "D2", "fetch('@HOP',{method:'POST'})"),
    ("fetch on this machine", "E10", "fetch('http://127.0.0.1:@PLAIN@T',{mode:'no-cors'})"),
    ("request", "D6", "x=new XMLHttpRequest();x.open('POST','@T');x.send()"),
    ("new image", "D15", "new Image().src='@T'"),
    ("location", "D3", "location='@T'"),
    ("script address", "D17", "location='javascript:fetch(\"@T\")'"),
    (
        "submit",
        "D5",
        "f=document.createElement('form');f.method='post';f.action='@T';document.head.append(f);f.submit()",
    ),
    (
        "submit to a new window",
        "D8",
        "f=document.createElement('form');f.method='post';f.action='@T';f.target='_blank';"
        "document.head.append(f);f.submit()",
    ),
    ("window", "D8", "open('@T')"),
    (
        "window without opener",
        "D8",
        'open(URL.createObjectURL(new Blob([\'<script>fetch("https://www.amazon.com@T",{mode:"no-cors"})'
        "<\\/script>'],{type:'text/html'})),'_blank','noopener')",
    ),
    ("beacon", "D7", "navigator.sendBeacon('@T')"),
    ("beacon on leaving", "D7", "addEventListener('pagehide',()=>navigator.sendBeacon('@T'))"),
    (
        "kept alive on leaving",
        "D7",
        "addEventListener('pagehide',()=>fetch('@T',{method:'POST',keepalive:true}))",
    ),
    ("fetch later", "D7", "fetchLater('@T',{method:'POST',activateAfter:0})"),
    (
        "frame with a script",
        "D9",
        "f=document.createElement('iframe');f.srcdoc='<script>fetch(\"@T\")<\\/script>';"
        "document.documentElement.append(f)",
    ),
    ("event source", "D12", "new EventSource('@T')"),
    ("websocket", "D12", "new WebSocket('wss://www.amazon.com@T')"),
    ("websocket elsewhere", "D12", "new WebSocket('wss://@ELSEWHERE@T')"),
    ("websocket on this machine", "D12", "new WebSocket('ws://127.0.0.1:@TCP@T')"),
    (
        "websocket of a worker",
        "D12",
        "new Worker(URL.createObjectURL(new Blob(['new WebSocket(\"wss://www.amazon.com@T\")'])))",
    ),
    (
        "worker",
        "D11",
        'new Worker(URL.createObjectURL(new Blob([\'fetch("https://www.amazon.com@T",{mode:"no-cors"})\'])))',
    ),
    ("worker script", "D11", "new Worker('@T')"),
    (
        "imported script of a worker",
        "D11",
        "new Worker(URL.createObjectURL(new Blob(['importScripts(\"https://www.amazon.com@T\")'])))",
    ),
    (
        "shared worker",
        "D11",
        "new SharedWorker(URL.createObjectURL(new Blob([\"fetch('https://www.amazon.com@T',"
        "{method:'POST',mode:'no-cors'})\"])))",
    ),
    ("service worker", "D10", "navigator.serviceWorker.register('@WORKER',{scope:'/dp/'})"),
    ("service worker script", "D10", "navigator.serviceWorker.register('@T')"),
    (
        "rules to prefetch",
        "D14",
        "s=document.createElement('script');s.type='speculationrules';"
        's.text=\'{"prefetch":[{"urls":["@T"],"eagerness":"immediate"}]}\';document.head.append(s)',
    ),
    (
        "rules to prerender",
        "D14",
        "s=document.createElement('script');s.type='speculationrules';"
        's.text=\'{"prerender":[{"urls":["@T"],"eagerness":"immediate"}]}\';document.head.append(s)',
    ),
    (
        "webrtc stun",
        "D13",
        "p=new RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.1:@UDP'}]});p.createDataChannel('x');"
        "p.createOffer().then(o=>p.setLocalDescription(o))",
    ),
    (
        "webrtc turn",
        "D13",
        "p=new RTCPeerConnection({iceServers:[{urls:'turn:127.0.0.1:@TCP?transport=tcp',username:'u',"
        "credential:'c'}]});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))",
    ),
    ("webtransport", "D12", "new WebTransport('https://127.0.0.1:@UDP@T')"),
    (
        "payment request",
        "C2",
        "new PaymentRequest([{supportedMethods:'https://@ELSEWHERE@T'}],"
        "{total:{label:'x',amount:{currency:'USD',value:'1'}}}).canMakePayment()",
    ),
    (
        "federated sign-in",
        "C6",
        "navigator.credentials.get({identity:{providers:[{configURL:'https://@ELSEWHERE@T',clientId:'1'}]}})",
    ),
)

VECTORS: Final = tuple(_rows())
