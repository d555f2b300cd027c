"""What every answer of the app's servers is sent with, and which requests never reach Streamlit.

Streamlit accepts pages of any program on this machine as its own, and asks a machine outside for this server's address
when it is unsure about a page. Here a request that a page of another address makes is turned away before that.
"""

from collections.abc import Callable, Mapping

from anyio.to_thread import run_sync
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

# Streamlit's front end evaluates code and styles of its own; everything else must come from this server.
APP_POLICY = (
    "default-src 'self'; script-src 'self' blob: 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; object-src 'none'; "
    "form-action 'self'; base-uri 'self'; frame-ancestors 'none'"
)
USUAL_PORTS = {"http": ":80", "https": ":443"}
FILES = "media/"
NOT_YOURS = "This file belongs to somebody's visit. Please open the link you were given.\n"
KEPT_APART = "This page was opened at another address than the one it asks. Please open the link you were given.\n"


class PrivateHeaders:
    """Middleware: no foreign source, no framing, no other window's hold, no referrer elsewhere, no page in a cache."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", APP_POLICY)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["X-Frame-Options"] = "DENY"
                headers["Cross-Origin-Opener-Policy"] = "same-origin"
                headers["Referrer-Policy"] = "same-origin"
                if headers.get("Content-Type", "").startswith("text/html"):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self._app(scope, receive, send_with_headers)


class OwnPagesOnly:
    """Middleware: what a browser says to send for a page of another address is refused, sockets included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or not from_elsewhere(Headers(scope=scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await PlainTextResponse(KEPT_APART, 403)(scope, receive, send)
        else:
            await WebSocketClose(1008)(scope, receive, send)


class VisitorsOnly:
    """Middleware: files that a page offers for download go to nobody but `welcome` visitors."""

    def __init__(self, app: ASGIApp, welcome: Callable[[Mapping[str, str]], bool]) -> None:
        self._app = app
        self._welcome = welcome

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        files = scope["type"] == "http" and scope["path"].lstrip("/").startswith(FILES)
        if files and not await run_sync(self._welcome, Request(scope).cookies):
            await PlainTextResponse(NOT_YOURS, 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def from_elsewhere(headers: Headers) -> bool:
    """Whether a page of another address sent this. What no page sent has no `Origin`.

    The port counts: to a cookie, and so to `SameSite`, two ports of one host are one place.
    """
    origin = headers.get("origin")
    if origin is None:
        return False
    scheme, _, asking = origin.casefold().partition("://")
    return asking != headers.get("host", "").casefold().removesuffix(USUAL_PORTS.get(scheme, " "))
