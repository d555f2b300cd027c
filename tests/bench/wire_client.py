"""A browser window without a browser: what Streamlit's page does on its websocket, and nothing that draws.

It opens a session, sends the state of every widget with each click, keeps the elements of the page by their place,
drops what a finished run left behind, and caches large elements as the page does, so that the server has the same
work as with a real window. Times are seconds of `time.time()`, which the server's clock shares.

Written against the protocol of Streamlit 1.67 (`streamlit.proto`: BackMsg up, ForwardMsg down).
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode, urlsplit

import httpx2
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

PATIENCE = 60.0
LARGEST_MESSAGE = 200_000_000
FULL_RUN, FRAGMENT_RUN = ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
STATEFUL = ("radio", "text_area")
"""Elements whose state a window sends from the moment it shows them; a button is only ever sent when pressed."""


class Shown(NamedTuple):
    """An element of the page, the run that drew it, and the fragment that it belongs to ('' for none)."""

    element: Element
    run: str
    fragment: str


async def cookie_for(link: str) -> str:
    """What the Start button of a personal link gives: the cookie header of the session. Raises if it gives none."""
    address = urlsplit(link)
    async with httpx2.AsyncClient(timeout=PATIENCE) as client:
        answer = await client.post(
            f"{address.scheme}://{address.netloc}/invite",
            content=urlencode({"token": address.fragment}),
            headers={"content-type": "application/x-www-form-urlencoded"},
        )
    assert answer.status_code == 303, (answer.status_code, answer.text)
    return "; ".join(f"{name}={value}" for name, value in answer.cookies.items())


class Window:
    """One open page. `async with Window(url, cookie) as window` has seen its first run end.

    `runs` counts the runs whose end was heard; a run that a later click cut off is never heard to end. While `idle`, no
    run has begun since, so that the page is whole.
    """

    def __init__(self, url: str, cookie: str) -> None:
        self.url, self.cookie = url.rstrip("/"), cookie
        self.runs, self.idle = 0, False
        self.trouble = ""
        self._shown: dict[tuple[int, ...], Shown] = {}
        self._states: dict[str, WidgetState] = {}
        self._cached: dict[str, tuple[int, Delta]] = {}
        self._oldest_cached = 2
        self._page = self._run = ""
        self._fragments: frozenset[str] = frozenset()
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Self:
        address = self.url.replace("http", "ws", 1) + "/_stcore/stream"
        self._socket: ClientConnection = await connect(
            address,
            origin=self.url,  # type: ignore[arg-type]
            additional_headers={"Cookie": self.cookie},
            subprotocols=["streamlit"],  # type: ignore[list-item]
            max_size=LARGEST_MESSAGE,
            open_timeout=PATIENCE,
        )
        self._listening = asyncio.create_task(self._listen())
        await self._send("")
        await self.until(lambda window: window.runs > 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening

    def elements(self, kind: str) -> Iterator[Any]:
        """The page's elements of one kind (`radio`, `button`, `heading`, `text`, …), from top to bottom."""
        for _, shown in sorted(self._shown.items()):
            if shown.element.WhichOneof("type") == kind:
                yield getattr(shown.element, kind)

    @property
    def heading(self) -> str:
        """The newest h1 of the page, or ''. For a moment of a run the one before may still be there too."""
        headings = [one.body for one in self.elements("heading") if one.tag == "h1"]
        return headings[0] if headings else ""

    def radio(self, label: str) -> Any:
        """The one question of that label. Raises LookupError unless there is exactly one."""
        return self._only("radio", label, lambda one: bool(one.label == label))

    def button(self, begins: str) -> Any:
        """The one button whose label begins like this. Raises LookupError unless there is exactly one."""
        return self._only("button", begins, lambda one: bool(one.label.startswith(begins)))

    def _only(self, kind: str, wanted: str, fits: Callable[[Any], bool]) -> Any:
        found = [one for one in self.elements(kind) if fits(one)]
        if len(found) != 1:
            raise LookupError(f"{len(found)} elements of kind {kind} for {wanted!r} under {self.heading!r}")
        return found[0]

    async def choose(self, label: str, option: int) -> float:
        """Click an option (from 0) of a question; the time at which the click was sent."""
        radio = self.radio(label)
        assert not radio.disabled, label
        self._states[radio.id] = WidgetState(id=radio.id, string_value=radio.options[option])
        return await self._send(self._fragment_of(radio.id))

    async def press(self, begins: str) -> float:
        """Press a button; the time at which the click was sent."""
        button = self.button(begins)
        assert not button.disabled, begins
        return await self._send(self._fragment_of(button.id), WidgetState(id=button.id, trigger_value=True))

    async def until(self, holds: Callable[["Window"], bool], patience: float = PATIENCE) -> float:
        """Wait until something holds of this window; the time at which it was seen. Raises TimeoutError."""
        async with asyncio.timeout(patience), self._news:
            await self._news.wait_for(lambda: self.trouble or holds(self))
        if self.trouble:
            raise ConnectionError(self.trouble)
        return time.time()

    def _fragment_of(self, widget: str) -> str:
        kinds = ((shown, shown.element.WhichOneof("type")) for shown in self._shown.values())
        return next(s.fragment for s, kind in kinds if kind and getattr(getattr(s.element, kind), "id", "") == widget)

    async def _send(self, fragment: str, *pressed: WidgetState) -> float:
        message = BackMsg()
        rerun = message.rerun_script
        rerun.page_script_hash, rerun.fragment_id = self._page, fragment
        rerun.cached_message_hashes.extend(self._cached)
        rerun.context_info.url, rerun.context_info.timezone, rerun.context_info.locale = self.url, "UTC", "en"
        rerun.widget_states.widgets.extend([*self._states.values(), *pressed])
        data = message.SerializeToString()
        sent = time.time()
        await self._socket.send(data)
        return sent

    async def _listen(self) -> None:
        try:
            async for data in self._socket:
                assert isinstance(data, bytes)
                await self._hear(ForwardMsg.FromString(data))
        except (ConnectionClosed, ValueError, AssertionError, LookupError) as error:
            await self._tell(f"{type(error).__name__}: {error}")
        else:
            await self._tell("the server closed the connection")

    async def _tell(self, trouble: str) -> None:
        async with self._news:
            self.trouble = trouble
            self._news.notify_all()

    async def _hear(self, message: ForwardMsg) -> None:
        async with self._news:
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self._begin(message)
            elif kind in ("delta", "ref_hash"):
                self._apply(message)
            elif kind == "script_finished":
                self._finish(message.script_finished)
            self._news.notify_all()

    def _begin(self, message: ForwardMsg) -> None:
        self.idle = False
        self._page = message.new_session.page_script_hash
        self._oldest_cached = message.new_session.config.max_cached_message_age or self._oldest_cached
        self._run = message.metadata.run.script_run_id
        self._fragments = frozenset(message.metadata.run.fragment_ids)

    def _apply(self, message: ForwardMsg) -> None:
        """Put an element at its place; a block keeps what is in it until the run has ended."""
        delta = self._cached[message.ref_hash][1] if message.HasField("ref_hash") else message.delta
        name = message.ref_hash or message.hash
        if message.metadata.cacheable or message.HasField("ref_hash"):
            self._cached[name] = (self.runs, delta)
        path = tuple(message.metadata.delta_path)
        if delta.WhichOneof("type") == "new_element":
            for inner in [place for place in self._shown if place[: len(path)] == path]:
                del self._shown[inner]
            self._show(path, delta)
        elif delta.WhichOneof("type") == "add_block":
            self._shown.pop(path, None)

    def _show(self, path: tuple[int, ...], delta: Delta) -> None:
        element = delta.new_element
        self._shown[path] = Shown(element, self._run, delta.fragment_id)
        kind = element.WhichOneof("type")
        if kind in STATEFUL:
            self._remember(kind, getattr(element, kind))

    def _remember(self, kind: str, widget: Any) -> None:
        """The state that a widget has as soon as it is shown, or that the server has set."""
        if widget.set_value:
            self._states[widget.id] = WidgetState(id=widget.id, string_value=_set_value(kind, widget))
        elif widget.id not in self._states and widget.HasField("default"):
            start = widget.options[widget.default] if kind == "radio" else widget.default
            self._states[widget.id] = WidgetState(id=widget.id, string_value=start)

    def _finish(self, status: int) -> None:
        """A whole run leaves only what it drew; a fragment's run does so within its fragments."""
        if status not in (FULL_RUN, FRAGMENT_RUN):
            return
        self.runs, self.idle = self.runs + 1, True
        for path, shown in list(self._shown.items()):
            drawn_again = status == FULL_RUN or shown.fragment in self._fragments
            if drawn_again and shown.run != self._run:
                del self._shown[path]
        if status == FULL_RUN:
            here = {getattr(getattr(s.element, s.element.WhichOneof("type") or ""), "id", "") for s in self._here()}
            self._states = {name: state for name, state in self._states.items() if name in here}
            self._cached = {n: c for n, c in self._cached.items() if self.runs - c[0] <= self._oldest_cached}

    def _here(self) -> Iterator[Shown]:
        return (shown for shown in self._shown.values() if shown.element.WhichOneof("type"))


def _set_value(kind: str, widget: Any) -> str:
    return str(widget.raw_value if kind == "radio" else widget.value)
