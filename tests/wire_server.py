"""A server on loopback that speaks chat completions and Anthropic's messages, and keeps every request as it came."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from polibias.domain.rows import Request
from polibias.models.scripted import Draw
from tests.chat_server import Answer, JSONHandler, Loopback


class Wire(NamedTuple):
    """A request as it arrived. Names of headers are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class WireServer(Loopback):
    """`seen` holds every POST in order. `behave` may replace an answer; None leaves it as it is."""

    def __init__(self) -> None:
        self.seen: list[Wire] = []
        self.behave: Callable[[Wire], Answer | None] = lambda wire: None
        super().__init__(self._handler())

    def answers(self, answer: Answer) -> None:
        """Give this answer to everything."""
        self.behave = lambda wire: answer

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(JSONHandler):
            def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
                headers = {name.lower(): value for name, value in self.headers.items()}
                wire = Wire("POST", self.path, headers, self.rfile.read(int(headers["content-length"])))
                server.seen.append(wire)
                self.say(server.behave(wire) or usual(wire))

            def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
                self.say((200, {}, b'{"data":[]}'))

        return Handler


def usual(wire: Wire) -> Answer:
    """What a server that does all it is asked would answer."""
    body = wire.json
    schema = wanted_schema(body)
    draw = Draw(Request("", "", body))
    text = json.dumps(draw.instance(schema), separators=(",", ":")) if schema else f"Reply {draw.below(10**9)}"
    return message(text) if wire.path.endswith("/messages") else chat(text)


def wanted_schema(body: dict[str, Any]) -> dict[str, Any] | None:
    """The schema to which a body of any dialect asks to be held."""
    found = body.get("response_format", {}).get("json_schema", {}).get("schema")
    found = found or body.get("structured_outputs", {}).get("json")
    schema: dict[str, Any] | None = found or body.get("output_config", {}).get("format", {}).get("schema")
    return schema


def chat(text: str | None, finish: str = "stop", **parts: Any) -> Answer:
    """A chat completion; `parts` go into its message."""
    said = {"role": "assistant", "content": text, **parts}
    choice = {"index": 0, "message": said, "finish_reason": finish}
    usage = {"prompt_tokens": 11, "completion_tokens": 7}
    return (
        200,
        {},
        json.dumps({"model": "served", "provider": "DeepInfra", "choices": [choice], "usage": usage}).encode(),
    )


def message(*texts: str, stop: str | None = "end_turn", blocks: list[Any] | None = None, **parts: Any) -> Answer:
    """A message of Anthropic's; `parts` stand beside its content."""
    answer = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-served",
        "content": [{"type": "text", "text": text} for text in texts] if blocks is None else blocks,
        "stop_reason": stop,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }
    return 200, {}, json.dumps(answer | parts).encode()


def refusal(status: int, kind: str, words: str, /, headers: dict[str, str] | None = None, **parts: Any) -> Answer:
    """An error as Anthropic puts it."""
    error = {"type": "error", "error": {"type": kind, "message": words, **parts}, "request_id": "req_1"}
    return status, headers or {}, json.dumps(error).encode()
