"""A chat-completions server on loopback that fails in every way real ones do, and counts every request by body.

Which fault meets a request follows from its body and from how often that body has come: a run is repeatable, and a
request that was met by a fault may be answered the next time.
"""

import asyncio
import contextlib
import hashlib
import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from polibias.probing import NO_JSON, SENTENCE
from tests.chat_server import Answer, completion, error

# Retry-After in seconds: as short as a test needs it.
AFTER = "0.01"
LATENCY = 0.002
CAP = 4000
REASONS = {400: "Bad Request", 429: "Too Many Requests", 500: "Internal Server Error", 529: "Overloaded"}
# A linger of no seconds makes the kernel answer with a reset instead of an orderly end.
RESET = struct.pack("ii", 1, 0)

Body = dict[str, Any]


class Said(dict[str, Any]):
    """A chat completion before it is written: message, finish reason and what else a test wants to change."""

    def __init__(self, body: Body, content: str | None, finish: str = "stop", **message: Any) -> None:
        choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
        super().__init__(model=body["model"], choices=[choice])

    @property
    def answer(self) -> Answer:
        return 200, {}, json.dumps(self).encode()


def good(body: Body) -> str:
    """What the server would have said without any fault."""
    content = json.loads(completion(body)[2])["choices"][0]["message"]["content"]
    assert isinstance(content, str)
    return content


def looping(body: Body) -> str:
    return f"{good(body)[:40]} " + "The measure was lawful and it was proportionate. " * 80


def _as_text_in_parts(body: Body) -> Answer:
    parts = [{"type": "text", "text": good(body)}]
    return 200, {}, json.dumps({"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]}).encode()


# Answers after which the request is worth asking again. "reset" and "reset in the body" cut the connection.
HEALING: dict[str, Callable[[Body], Answer]] = {
    "429 with Retry-After": lambda body: error(429, "slow down", **{"retry-after": AFTER}),
    "429": lambda body: error(429, "Rate limit reached for requests"),
    "500": lambda body: error(500, "internal error"),
    "529": lambda body: error(529, "overloaded"),
    "reset": completion,
    "reset in the body": completion,
    "cut JSON": lambda body: (200, {}, completion(body)[2][:-30]),
    "no chat completion": _as_text_in_parts,
    "error in a 200": lambda body: (200, {}, b'{"error": {"code": 502, "message": "upstream"}}'),
    "broken off": lambda body: Said(body, good(body)[:5], "error").answer,
}
# Answers that stand, whatever they are worth. "slow body" comes in pieces and is as good as any.
STANDING: dict[str, Callable[[Body], Answer]] = {
    "slow body": completion,
    "off schema": lambda body: Said(body, good(body).replace('"score":', '"points":') + "}").answer,
    "empty": lambda body: Said(body, "").answer,
    "cut at the cap": lambda body: Said(body, good(body)[: len(good(body)) // 2], "length").answer,
    "white space": lambda body: Said(body, good(body)[:12] + " \n" * (CAP // 2), "length").answer,
    "loop": lambda body: Said(body, looping(body), "length").answer,
    "beside the answer": lambda body: Said(body, None, reasoning=good(body)).answer,
    "refusal": lambda body: Said(body, None, refusal="I will not do this.").answer,
    "filter": lambda body: Said(body, "", "content_filter").answer,
}
FAULTS = {**HEALING, **STANDING}
SPENT = b'{"error": {"type": "insufficient_quota", "message": "You exceeded your current quota"}}'
ANSWERS: dict[str, Callable[[Body], Answer]] = {
    **FAULTS,
    "": completion,
    "spent": lambda body: (429, {}, SPENT),
    "silence": completion,
}


class FaultServer:
    """`share` of all requests meets one of `kinds`; `met` counts them. `seen` counts bodies by hash, probes apart.

    Requests for which `only` is not true meet none. From request `spent_after` on, the account is out of money.
    """

    def __init__(
        self, share: float = 0.0, kinds: tuple[str, ...] = tuple(FAULTS), seed: int = 0, spent_after: int | None = None
    ) -> None:
        self.share = share
        self.kinds = kinds
        self.seed = seed
        self.spent_after = spent_after
        self.only: Callable[[Body], bool] = lambda body: True
        self.seen: Counter[str] = Counter()
        self.met: Counter[str] = Counter()
        self.probes = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._changed = threading.Condition()
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> "FaultServer":
        self._thread.start()
        assert self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    def wait_for(self, requests: int) -> None:
        """Return once so many requests have arrived."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.seen.total() >= requests, timeout=60)

    def _serve(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._listen())

    async def _listen(self) -> None:
        self._end = asyncio.Event()
        self._talks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0, backlog=512)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, request after request, until either side ends it."""
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while await self._exchange(reader, writer):
                    pass
        except asyncio.CancelledError:
            pass
        finally:
            self._talks.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and answer it. False once the connection is gone."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        if not head.startswith("post"):
            await _write(writer, error(404, "nothing here"))
            return True
        raw = await reader.readexactly(int(head.partition("content-length:")[2].split("\r\n", 1)[0]))
        body = json.loads(raw)
        if body["messages"][0]["content"] in (SENTENCE, NO_JSON):
            self.probes += 1
            await _write(writer, completion(body))
            return True
        kind = self._drawn(raw, body)
        await asyncio.sleep(LATENCY)
        return await SENT.get(kind, _write)(writer, ANSWERS[kind](body)) is None

    def _drawn(self, raw: bytes, body: Body) -> str:
        """Count the request and say what happens to it; nothing, if empty."""
        name = hashlib.sha256(raw).hexdigest()
        with self._changed:
            self.seen[name] += 1
            times, total = self.seen[name], self.seen.total()
            self._changed.notify_all()
        if self.spent_after is not None and total >= self.spent_after:
            return "spent"
        digest = hashlib.sha256(f"{self.seed} {name} {times}".encode("ascii")).digest()
        if int.from_bytes(digest[:8], "big") / 2**64 >= self.share or not self.only(body):
            return ""
        kind = self.kinds[int.from_bytes(digest[8:16], "big") % len(self.kinds)]
        self.met[kind] += 1
        return kind


def _bytes(answer: Answer) -> bytes:
    status, headers, data = answer
    fields = {"content-type": "application/json", "content-length": str(len(data)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} {REASONS.get(status, 'OK')}\r\n{head}\r\n".encode("latin-1") + data


async def _write(writer: asyncio.StreamWriter, answer: Answer) -> None:
    writer.write(_bytes(answer))
    await writer.drain()


async def _in_pieces(writer: asyncio.StreamWriter, answer: Answer) -> None:
    whole = _bytes(answer)
    step = len(whole) // 4 + 1
    for at in range(0, len(whole), step):
        writer.write(whole[at : at + step])
        await writer.drain()
        await asyncio.sleep(LATENCY)


async def _reset(writer: asyncio.StreamWriter, answer: Answer) -> bool:
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    writer.transport.abort()
    return False


async def _reset_in_the_body(writer: asyncio.StreamWriter, answer: Answer) -> bool:
    whole = _bytes(answer)
    writer.write(whole[: len(whole) - len(answer[2]) // 2])
    await writer.drain()
    await asyncio.sleep(LATENCY)  # so that what was written is read before the connection is gone
    return await _reset(writer, answer)


async def _silence(writer: asyncio.StreamWriter, answer: Answer) -> None:
    """No answer as long as the server lives."""
    await asyncio.Event().wait()


Sending = Callable[[asyncio.StreamWriter, Answer], Awaitable[bool | None]]
SENT: dict[str, Sending] = {
    "reset": _reset,
    "reset in the body": _reset_in_the_body,
    "slow body": _in_pieces,
    "silence": _silence,
}
