"""The door: `/invite#TOKEN`, a page with one button.

What follows `#` never leaves the browser by itself, so the token is in no log, and a mail scanner that opens
the link uses nothing up. The button posts the token; the answer sets the cookie and leads to the first pair.
"""

import base64
import hashlib
import time
from collections import deque
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from anyio.to_thread import run_sync
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotate_app.access import VISIT_DAYS, cookie_name, redeem
from annotate_app.store import Store

LONGEST_BODY = 1024
TRIES = 30
TRIES_SECONDS = 60.0

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

START = """<p>You have been invited to compare pairs of texts. This link is yours alone: please do not pass it on.</p>
<p>Your answers are saved as you give them. You can stop at any time and come back through this link.</p>
<form id="start" method="post" action="/invite" hidden><input type="hidden" name="token">
<button name="go" type="submit">Start</button></form>
<p id="incomplete" role="alert" hidden>The link is incomplete. Please open the whole link from your invitation.</p>
<noscript><p role="alert">This page needs JavaScript. Please allow it for this site.</p></noscript>
<script>{script}</script>"""

UNKNOWN = "<p>This link is not valid, or a newer one has replaced it. Please ask your coordinator for a new link.</p>"
WAIT = "<p>There were too many attempts with links that are not valid. Please wait a minute and try again.</p>"


def _source(text: str) -> str:
    """An inline block's hash as a content-security-policy source."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


DOOR_POLICY = (
    f"default-src 'none'; script-src {_source(SCRIPT)}; style-src {_source(STYLE)}; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Streamlit's front end evaluates code and styles of its own; everything else must come from this server.
APP_POLICY = (
    "default-src 'self'; script-src 'self' blob: 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; object-src 'none'; "
    "form-action 'self'; base-uri 'self'; frame-ancestors 'none'"
)


class Attempts:
    """How many invalid tokens each address has tried lately. A guess is hopeless; this keeps it cheap as well."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: dict[str, deque[float]] = {}

    def exhausted(self, address: str) -> bool:
        """Whether this address has to wait."""
        failed = self._failed.get(address, deque())
        while failed and failed[0] <= self._clock() - TRIES_SECONDS:
            failed.popleft()
        if not failed:
            self._failed.pop(address, None)
        return len(failed) >= TRIES

    def failed(self, address: str) -> None:
        self._failed.setdefault(address, deque(maxlen=TRIES)).append(self._clock())


class Door:
    """The handlers behind `/invite`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._attempts = Attempts()

    def routes(self) -> list[Route]:
        return [Route("/invite", self.show, methods=["GET"]), Route("/invite", self.enter, methods=["POST"])]

    async def show(self, _: Request) -> Response:
        """The page with the Start button; it knows nothing about the link."""
        return _page("Annotation", START.format(script=SCRIPT))

    async def enter(self, request: Request) -> Response:
        """Redeem a posted token: a cookie and the first page, or a calm refusal."""
        address = request.client.host if request.client else ""
        if _from_elsewhere(request):
            return _page("This link is not valid", UNKNOWN, 403)
        if self._attempts.exhausted(address):
            return _page("Please wait a minute", WAIT, 429)
        token = await _token(request)
        cookie = await run_sync(redeem, self._store, token)
        if cookie is None:
            self._attempts.failed(address)
            return _page("This link is not valid", UNKNOWN, 403)
        return self._welcome(cookie, secure=request.url.scheme == "https")

    def _welcome(self, cookie: str, secure: bool) -> Response:
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(
            cookie_name(self._store, secure),
            cookie,
            max_age=VISIT_DAYS * 24 * 3600,
            path="/",
            secure=secure,
            httponly=True,
            samesite="strict",
        )
        return answer


def _from_elsewhere(request: Request) -> bool:
    """Whether another site's page sent this: it could sign somebody in under a name that is not theirs."""
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host", "")


async def _token(request: Request) -> str:
    """The posted token, or '' for a body that is none of ours."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            return ""
    fields = parse_qs(body.decode("ascii", "replace"))
    return fields.get("token", [""])[0]


def _page(title: str, body: str, status: int = 200) -> Response:
    html = PAGE.format(title=title, style=STYLE, body=body)
    return HTMLResponse(html, status, headers={"Content-Security-Policy": DOOR_POLICY})


class PrivateHeaders:
    """Middleware: no foreign source, no framing, no referrer to another site, nothing kept in a cache."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", APP_POLICY)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["X-Frame-Options"] = "DENY"
                headers["Referrer-Policy"] = "same-origin"
                if scope["path"] in ("/", "/invite"):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self._app(scope, receive, send_with_headers)
