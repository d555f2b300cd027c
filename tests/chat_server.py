"""A chat-completions server on loopback that answers like the scripted model and counts every body."""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from polibias.domain.rows import Request
from polibias.models.scripted import Draw
from polibias.probing import NO_JSON, SENTENCE

Answer = tuple[int, dict[str, str], bytes]


class JSONHandler(BaseHTTPRequestHandler):
    """Says an answer as JSON, and nothing to the terminal."""

    protocol_version = "HTTP/1.1"

    def say(self, answer: Answer) -> None:
        status, headers, data = answer
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Loopback:
    """A server on a free port of this machine, as long as its block lasts."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def url(self) -> str:
        """What a chat-completions client takes as its base."""
        return f"{self.origin}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


class ChatServer(Loopback):
    """`seen` counts bodies by hash. `behave` may replace an answer: it gets the body and how often it was seen.

    The short questions of a probe are answered well and counted apart, in `probes`; `behave_probed` may replace that.
    """

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.probes = 0
        self.behave_probed: Callable[[dict[str, Any]], Answer | None] = lambda body: None
        self.headers: list[dict[str, str]] = []
        self.behave: Callable[[dict[str, Any], int], Answer | None] = lambda body, times: None
        self._changed = threading.Condition()
        super().__init__(self._handler())

    def wait_for(self, requests: int) -> None:
        """Return once so many requests have arrived."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.seen.total() >= requests, timeout=60)

    def _count(self, raw: bytes) -> int:
        with self._changed:
            name = hashlib.sha256(raw).hexdigest()
            self.seen[name] += 1
            self._changed.notify_all()
            return self.seen[name]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(JSONHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                server.headers.append(dict(self.headers.items()))
                body = json.loads(raw)
                if body["messages"][0]["content"] in (SENTENCE, NO_JSON):
                    server.probes += 1
                    answer = server.behave_probed(body)
                else:
                    answer = server.behave(body, server._count(raw))
                self.say(answer or completion(body))

        return Handler


def completion(body: dict[str, Any], content: str | None = None, finish: str = "stop") -> Answer:
    """A well-formed answer; without `content`, the scripted model's."""
    if content is None:
        draw = Draw(Request("openai_http", "", body))
        wanted = body.get("response_format")
        content = json.dumps(draw.instance(wanted["json_schema"]["schema"])) if wanted else f"Reply {draw.below(10**9)}"
    message = {"role": "assistant", "content": content}
    pinned = body.get("provider", {}).get("only", [""])
    answer = {
        "model": body["model"],
        "provider": pinned[0],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    return 200, {}, json.dumps(answer).encode()


def error(status: int, message: str, **headers: str) -> Answer:
    return status, headers, json.dumps({"error": {"message": message}}).encode()
