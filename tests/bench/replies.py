"""A chat-completions server for benches, in a process of its own: `python -m tests.bench.replies` prints its URL.

It speaks just enough HTTP/1.1 by hand, so that it is never what a bench measures. Every POST gets the same 7.3 KB
completion. Any GET tells what was asked since the last GET: requests, distinct bodies, and the seconds from the first
request to the last reply.
"""

import asyncio
import json
import re
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPLY_BYTES = 7300
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


def completion() -> bytes:
    """The body of every reply: a completion of some 7.3 KB."""

    def body(text: str) -> bytes:
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 250, "completion_tokens": 1600, "total_tokens": 1850}
        named = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "served"}
        return json.dumps({**named, "choices": [choice], "usage": usage}, ensure_ascii=False).encode()

    prose = (ROOT / "docs" / "data-card.md").read_text("utf-8") + (ROOT / "docs" / "sampling.md").read_text("utf-8")
    return body(prose[: REPLY_BYTES - len(body(""))])


def answer(body: bytes) -> bytes:
    """A whole HTTP answer."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode("ascii") + body


class Asked:
    """What was asked since it was last told."""

    def __init__(self) -> None:
        self.bodies: set[int] = set()
        self.requests = 0
        self.first = self.last = 0.0

    def tell(self) -> bytes:
        told = {"requests": self.requests, "distinct": len(self.bodies), "seconds": self.last - self.first}
        self.__init__()  # type: ignore[misc]
        return json.dumps(told).encode("ascii")


class Connection(asyncio.Protocol):
    """One client's connection: whole requests in, prebuilt answers out."""

    def __init__(self, asked: Asked, reply: bytes) -> None:
        self.asked, self.reply = asked, reply
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            length = LENGTH.search(self.buffer, 0, end)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self.buffer) < whole:
                return
            request, self.buffer = self.buffer[:whole], self.buffer[whole:]
            self.transport.write(self.answered(request, end + 4))

    def answered(self, request: bytes, start: int) -> bytes:
        """The answer to one whole request whose body begins at `start`."""
        asked = self.asked
        if request.startswith(b"GET"):
            return answer(asked.tell())
        asked.last = time.monotonic()
        asked.first = asked.first or asked.last
        asked.requests += 1
        asked.bodies.add(hash(request[start:]))
        return self.reply


async def serve() -> None:
    """Serve until the process is ended."""
    asked, reply = Asked(), answer(completion())
    server = await asyncio.get_running_loop().create_server(lambda: Connection(asked, reply), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
