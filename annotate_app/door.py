"""The door of a server: a page with one button, which posts the token that follows `#` in a personal link.

What follows `#` never leaves the browser by itself, so the token is in no log, and a mail scanner that opens the link
uses nothing up. The button posts the token; the answer sets a cookie and leads to the first page. The cookie is
`SameSite=Strict`: the post comes from this server's own page, so that a link followed in a mail works all the same.
"""

import base64
import hashlib
import ipaddress
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import parse_qs

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from annotate_app.shield import from_elsewhere

LONGEST_BODY = 1024
TRIES = 30
TRIES_SECONDS = 60.0
MOST_ADDRESSES = 10_000

SCRIPT = """
const token = location.hash.slice(1);
const form = document.getElementById("start");
if (token) {
  form.elements.token.value = token;
  form.hidden = false;
  form.elements.go.focus();
} else {
  document.getElementById("incomplete").hidden = false;
}
"""

STYLE = """
:root { color-scheme: light dark; }
body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 12vh auto 0; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.3; }
button { font: inherit; padding: .6rem 1.6rem; border: 1px solid #35507a; border-radius: .5rem;
  background: #35507a; color: #fff; cursor: pointer; }
button:focus-visible { outline: 3px solid #7fa3dc; outline-offset: 2px; }
"""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>{title}</title><style>{style}</style></head>
<body><main><h1>{title}</h1>{body}</main></body></html>"""

START = """{welcome}
<form id="start" method="post" action="{path}" hidden><input type="hidden" name="token">
<button name="go" type="submit">Start</button></form>
<p id="incomplete" role="alert" hidden>{incomplete}</p>
<noscript><p role="alert">This page needs JavaScript. Please allow it for this site.</p></noscript>
<script>{script}</script>"""

REFUSED = "This link is not valid"
WAIT = "<p>There were too many attempts with links that are not valid. Please wait a minute and try again.</p>"


def _source(text: str) -> str:
    """An inline block's hash as a content-security-policy source."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


POLICY = (
    f"default-src 'none'; script-src {_source(SCRIPT)}; style-src {_source(STYLE)}; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class Attempts:
    """How many invalid tokens each address has tried lately.

    Tokens are 256 random bits, which no number of attempts finds; the limit keeps a noisy address from taking the
    server's time. There is none for all addresses together: with it, one of them could lock everybody out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: OrderedDict[str, deque[float]] = OrderedDict()

    def exhausted(self, address: str) -> bool:
        """Whether this address has to wait."""
        failed = self._failed.get(place(address), deque())
        while failed and failed[0] <= self._clock() - TRIES_SECONDS:
            failed.popleft()
        if not failed:
            self._failed.pop(place(address), None)
        return len(failed) >= TRIES

    def failed(self, address: str) -> None:
        """Count an invalid token. Of very many addresses, those that failed last are remembered."""
        self._failed.setdefault(place(address), deque(maxlen=TRIES)).append(self._clock())
        self._failed.move_to_end(place(address))
        if len(self._failed) > MOST_ADDRESSES:
            self._failed.popitem(last=False)


def place(address: str) -> str:
    """What is counted as one address: an IPv4 address, or the network of an IPv6 one, of which everybody has many."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if found.version == 4:
        return str(found)
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped or ipaddress.ip_network((found, 64), strict=False))


class Words(NamedTuple):
    """What a door says, as HTML: the title, who is welcome, what is wrong with half a link and with an unknown one."""

    title: str
    welcome: str
    incomplete: str
    unknown: str


class Pass(NamedTuple):
    """The cookie a door hands out: its name without TLS and with it, and how many seconds it lasts.

    Over TLS the name begins with `__Host-`, which browsers take from this very host only: no neighbour can set it.
    """

    plain: str
    bound: str
    seconds: int


class Door:
    """The handlers behind `path`. `redeem` turns a token into a cookie's value, or into None if it opens nothing.

    Only with `proxied` is an address that a proxy names believed; else all that comes through one counts as one.
    """

    def __init__(
        self, path: str, words: Words, card: Pass, redeem: Callable[[str], str | None], proxied: bool = False
    ) -> None:
        self._path, self._words, self._card, self._redeem, self._proxied = path, words, card, redeem, proxied
        self._attempts = Attempts()

    def routes(self) -> list[Route]:
        """GET shows the page, POST redeems a token."""
        return [Route(self._path, self.show, methods=["GET"]), Route(self._path, self.enter, methods=["POST"])]

    async def show(self, _: Request) -> Response:
        """The page with the Start button; it knows nothing about the link."""
        words = self._words
        body = START.format(welcome=words.welcome, incomplete=words.incomplete, path=self._path, script=SCRIPT)
        return page(words.title, body)

    async def enter(self, request: Request) -> Response:
        """Redeem a posted token: a cookie and the first page, or a calm refusal."""
        address = self._address(request)
        if from_elsewhere(request.headers):
            return page(REFUSED, self._words.unknown, 403)
        if self._attempts.exhausted(address):
            return page("Please wait a minute", WAIT, 429)
        cookie = await run_sync(self._redeem, await _token(request))
        if cookie is None:
            self._attempts.failed(address)
            return page(REFUSED, self._words.unknown, 403)
        return self._welcome(cookie, secure=request.url.scheme == "https")

    def _address(self, request: Request) -> str:
        """Whom attempts are counted for: the server under us has put there whom `X-Forwarded-For` names, if it did."""
        if request.client is None or (not self._proxied and "x-forwarded-for" in request.headers):
            return ""
        return request.client.host

    def _welcome(self, cookie: str, secure: bool) -> Response:
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(
            self._card.bound if secure else self._card.plain,
            cookie,
            max_age=self._card.seconds,
            path="/",
            secure=secure,
            httponly=True,
            samesite="strict",
        )
        return answer


async def _token(request: Request) -> str:
    """The posted token, or '' for a body that is none of ours."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            return ""
    fields = parse_qs(body.decode("ascii", "replace"))
    return fields.get("token", [""])[0]


def page(title: str, body: str, status: int = 200) -> Response:
    """A page of the door, which loads nothing and runs only its own script."""
    html = PAGE.format(title=title, style=STYLE, body=body)
    return HTMLResponse(html, status, headers={"Content-Security-Policy": POLICY})
