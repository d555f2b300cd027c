"""Claude's adapter: what it sends whatever the client's version likes to send, and what it makes of every answer."""

import asyncio
import contextlib
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from polibias.domain.rows import Usage
from polibias.domain.study import AnthropicAPI
from polibias.errors import Fatal, InputError, ProviderError, TooLong, Transient
from polibias.models.anthropic_api import AnthropicModel
from polibias.models.base import Call, Reply
from tests.models.adapters import CLAUDE, SCHEMA
from tests.wire_server import Answer, WireServer, message, refusal

HELLO = Call("Hello", 9)
SECRET = "sk-ant-planted-secret-1234567890"
LATER = "2099-01-01T00:00:00Z"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as started:
        yield started


def ask(url: str, call: Call = HELLO, **fields: Any) -> Reply:
    async def once() -> Reply:
        model = AnthropicModel(AnthropicAPI(**{"name": "c", "url": url, "model": CLAUDE} | fields))
        model.provider = "anthropic"
        try:
            return await model.send(model.request(call))
        finally:
            await model.close()

    return asyncio.run(once())


def answered(server: WireServer, answer: Answer, **fields: Any) -> Reply:
    server.answers(answer)
    return ask(server.origin, **fields)


def failure(server: WireServer, answer: Answer, **fields: Any) -> ProviderError:
    with pytest.raises(ProviderError) as raised:
        answered(server, answer, **fields)
    return raised.value


# ── what is sent ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_temperature_zero_is_really_sent(server: WireServer) -> None:
    """The client has no argument for it any more, and the client's own version of the interface refuses it."""
    ask(server.origin)
    (wire,) = server.seen
    assert wire.path == "/v1/messages"
    assert wire.json["temperature"] == 0
    assert wire.headers["anthropic-version"] == "2023-06-01"
    assert "anthropic-beta" not in wire.headers


def test_another_version_is_sent_as_declared(server: WireServer) -> None:
    ask(server.origin, version="2026-10-21", temperature="unsupported")
    assert server.seen[0].headers["anthropic-version"] == "2026-10-21"
    assert "temperature" not in server.seen[0].json


def test_thinking_is_off_unless_the_study_wants_it(server: WireServer) -> None:
    for reasoning in ("off", "default", "low"):
        ask(server.origin, reasoning=reasoning, temperature="unsupported")
    ask(server.origin, reasoning="low", temperature="unsupported", model="claude-opus-4-6")
    least = {"type": "enabled", "budget_tokens": 1024}
    asked = [wire.json.get("thinking") for wire in server.seen]
    assert asked == [{"type": "disabled"}, None, least, {"type": "adaptive"}]
    assert [wire.json.get("output_config") for wire in server.seen] == [None, None, None, {"effort": "low"}]


def test_a_missing_client_is_named(server: WireServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(InputError, match=r"run: pip install 'polibias\[anthropic\]'"):
        ask(server.origin)


def test_claude_takes_no_temperature_while_it_thinks() -> None:
    with pytest.raises(InputError, match='takes no temperature while it thinks; write reasoning = "off"'):
        AnthropicModel(AnthropicAPI(name="c", model=CLAUDE, reasoning="low"))


def test_a_schema_has_no_keyword_that_the_interface_refuses(server: WireServer) -> None:
    """Bounds on lengths become words, at any depth; the rest is sent as it is."""
    nested = {"type": "object", "properties": {"inner": SCHEMA}, "required": ["inner"], "additionalProperties": False}
    ask(server.origin, Call("Hello", 9, nested), reasoning="low", temperature="unsupported", model="claude-opus-4-6")
    config = server.seen[0].json["output_config"]
    assert config["effort"] == "low"
    assert config["format"]["type"] == "json_schema"
    assert b"maxLength" not in server.seen[0].body
    inner = config["format"]["schema"]["properties"]["inner"]
    assert inner["properties"]["marker"] == {"type": "string", "enum": ["heron"]}
    assert inner["properties"]["why"] == {"type": "string", "description": "at most 40 characters"}


def test_a_schema_with_lists_loses_its_bounds_too(server: WireServer) -> None:
    listed = {"type": "array", "items": {"type": "string", "maxLength": 5}}
    ask(server.origin, Call("Hello", 9, {"type": "object", "properties": {"quotes": listed}}))
    assert b"maxLength" not in server.seen[0].body


def test_a_request_is_sent_once(server: WireServer) -> None:
    """The client's own retries would hide what was paid."""
    assert isinstance(failure(server, refusal(500, "api_error", "oops")), Transient)
    assert len(server.seen) == 1


@pytest.mark.parametrize("model", ["claude-opus-4-7", "claude-sonnet-5", "claude-opus-5-5", "claude-fable-5"])
@pytest.mark.parametrize("prefix", ["", "anthropic/", "eu.anthropic."])
def test_a_model_that_refuses_a_temperature_is_refused_before_it_is_asked(model: str, prefix: str) -> None:
    with pytest.raises(InputError, match='takes no temperature; write temperature = "unsupported"'):
        AnthropicModel(AnthropicAPI(name="c", model=prefix + model))
    assert AnthropicModel(AnthropicAPI(name="c", model=prefix + model, temperature="unsupported"))


@pytest.mark.parametrize(
    "model",
    [
        *(CLAUDE, "claude-opus-4-6", "claude-haiku-4-5-20251001", "claude-sonnet-4-5", "claude-sonnet-4-20250514"),
        *("claude-3-7-sonnet-20250219", "claude-opus-4-20250514", "my-proxy-name"),
    ],
)
def test_a_model_that_takes_a_temperature_passes(model: str) -> None:
    assert AnthropicModel(AnthropicAPI(name="c", model=model)).request(HELLO).body["temperature"] == 0


# ── the environment ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9"),
        ("ANTHROPIC_AUTH_TOKEN", "token-from-elsewhere"),
        ("ANTHROPIC_PROFILE", "none-of-that-name"),
        ("HTTP_PROXY", "http://127.0.0.1:9"),
        ("http_proxy", "http://127.0.0.1:9"),
        ("ALL_PROXY", "http://127.0.0.1:9"),
    ],
)
@pytest.mark.parametrize("own", ["OWN_KEY", ""])
def test_the_environment_redirects_nothing(
    name: str, value: str, own: str, server: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The study alone says who is asked and with which key, even where it says that there is none."""
    monkeypatch.setenv(name, value)
    monkeypatch.setenv("OWN_KEY", "own-key-own-key")
    ask(server.origin, api_key_env=own)
    (wire,) = server.seen
    assert value not in str(wire.headers)
    assert SECRET not in str(wire.headers)
    assert ("own-key-own-key" in str(wire.headers)) is bool(own)


def test_headers_of_no_record_are_refused(server: WireServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "anthropic-beta: something")
    with pytest.raises(InputError, match=r"ANTHROPIC_CUSTOM_HEADERS is set: .*; unset it"):
        ask(server.origin)
    assert server.seen == []


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY is not set"):
        AnthropicModel(AnthropicAPI(name="c", model=CLAUDE))


# ── what comes back ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
    ],
)
def test_why_it_stopped(server: WireServer, stop: str, finish: str) -> None:
    reply = answered(server, message("partial", stop=stop))
    assert reply == Reply("partial", finish, Usage(11, 7), "claude-served")  # type: ignore[arg-type]


@pytest.mark.parametrize("details", [{"category": "cyber"}, {"category": None}, None, {}])
def test_a_refusal_says_of_what(server: WireServer, details: dict[str, Any] | None) -> None:
    reply = answered(server, message(stop="refusal", stop_details=details))
    category = (details or {}).get("category")
    assert (reply.text, reply.finish) == ("", "refusal")
    assert reply.remarks == (f"refused: {category}" if category else "")


@pytest.mark.parametrize("stop", ["pause_turn", "tool_use", "something_new", None])
def test_an_answer_that_is_not_finished_is_none(server: WireServer, stop: str | None) -> None:
    """It was paid for all the same."""
    found = failure(server, message("partial", stop=stop))
    assert isinstance(found, Transient)
    assert not found.unpaid


def test_text_and_thinking_are_kept_apart(server: WireServer) -> None:
    blocks = [
        {"type": "thinking", "thinking": "first ", "signature": "s"},
        {"type": "text", "text": "Hello"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "thinking", "thinking": "second", "signature": "s"},
        {"type": "text", "text": ", world"},
        {"type": "something_new", "text": "not read"},
    ]
    reply = answered(server, message(blocks=blocks))
    assert (reply.text, reply.reasoning) == ("Hello, world", "first second")
    assert reply.remarks == "12 characters of reasoning beside the answer"


def test_an_empty_answer_is_empty(server: WireServer) -> None:
    assert answered(server, message()).text == ""


def test_usage_counts_the_whole_prompt(server: WireServer) -> None:
    """Whether or not a part of it came from a cache; thinking is a part of what was written."""
    usage = {
        "input_tokens": 1,
        "cache_creation_input_tokens": 10,
        "cache_read_input_tokens": 100,
        "output_tokens": 7,
        "output_tokens_details": {"thinking_tokens": 3},
    }
    assert answered(server, message("x", usage=usage)).usage == Usage(111, 7, 3)
    assert answered(server, message("x", usage=None)).usage == Usage()
    odd = {"input_tokens": True, "output_tokens": -1, "output_tokens_details": None}
    assert answered(server, message("x", usage=odd)).usage == Usage()


@pytest.mark.parametrize(
    ("name", "left", "pause"),
    [("requests", "0", 600.0), ("input-tokens", "0", 600.0), ("output-tokens", "0", 600.0), ("requests", "1", 0.0)],
)
def test_an_allowance_that_is_used_up_pauses(server: WireServer, name: str, left: str, pause: float) -> None:
    status, _, body = message("x")
    headers = {f"anthropic-ratelimit-{name}-remaining": left, f"anthropic-ratelimit-{name}-reset": LATER}
    assert answered(server, (status, headers, body)).pause == pause


# ── refusals and failures ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            refusal(400, "invalid_request_error", "`temperature` is deprecated for this model."),
            'change this model\'s temperature = "unsupported" in the study',
        ),
        (refusal(400, "invalid_request_error", "output_config.format: not supported"), "constrained = false"),
        (
            refusal(400, "invalid_request_error", "thinking.type: disabled is not supported"),
            "change this model's reasoning",
        ),
        (
            refusal(401, "authentication_error", "invalid x-api-key"),
            "HTTP 401 from anthropic: invalid x-api-key; check",
        ),
        (refusal(402, "billing_error", "Pay your bill."), "anthropic wants money before it goes on: Pay your bill."),
        (refusal(403, "permission_error", "No."), "check its key"),
        (refusal(404, "not_found_error", "model: claude-none"), "HTTP 404 from anthropic: model: claude-none"),
        (refusal(400, "invalid_request_error", "Your credit balance is too low to access it."), "wants money"),
        (
            refusal(400, "invalid_request_error", "You have reached your specified API usage limits. Wait until May."),
            "wants money before it goes on: You have reached",
        ),
        (
            refusal(429, "rate_limit_error", "Stop.", details={"error_code": "enforced_spend_limit_reached"}),
            "wants money before it goes on: Stop.",
        ),
        ((302, {"location": "http://127.0.0.1:9/"}, b""), "HTTP 302"),
        ((307, {"location": "/v1/elsewhere"}, b""), "HTTP 307"),
    ],
)
def test_what_cannot_heal_ends_the_run(server: WireServer, answer: Answer, words: str) -> None:
    found = failure(server, answer)
    assert isinstance(found, Fatal)
    assert words in str(found)
    assert len(server.seen) == 1


def test_a_rate_limit_is_waited_for(server: WireServer) -> None:
    found = failure(server, refusal(429, "rate_limit_error", "50 requests per minute", {"retry-after": "13"}))
    assert isinstance(found, Transient)
    assert (found.throttled, found.after, found.unpaid) == (True, 13.0, True)


@pytest.mark.parametrize(("status", "throttled"), [(529, True), (500, False), (502, False), (504, False)])
def test_an_overload_is_waited_for(server: WireServer, status: int, throttled: bool) -> None:
    found = failure(server, refusal(status, "overloaded_error", "Overloaded"))
    assert isinstance(found, Transient)
    assert (found.throttled, found.after) == (throttled, None)


@pytest.mark.parametrize(
    "answer",
    [
        refusal(413, "request_too_large", "Request exceeds the maximum size"),
        (413, {"content-type": "text/html"}, b"<html>413</html>"),
        refusal(400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
        refusal(400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 2"),
    ],
)
def test_too_long_concerns_this_request_only(server: WireServer, answer: Answer) -> None:
    assert isinstance(failure(server, answer), TooLong)


BLOCKS = ('[{"type": "text", "text": 5}]', '[{"type": "text"}]', '["text"]', "null", "5", '[{"text": "x"}]')


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"null", b"[]", b"5", b'"text"', b"{}", b"\xff\xfe", b"<html>Bad gateway</html>", b"[" * 100_000),
        message("Hello")[2][:-20],
        *(f'{{"stop_reason": "end_turn", "content": {blocks}}}'.encode() for blocks in BLOCKS),
        b'{"stop_reason": ["end_turn"], "content": []}',
        b'{"stop_reason": "end_turn", "content": [], "usage": 5}',
        b'{"stop_reason": "refusal", "content": [], "stop_details": "none"}',
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "text/html", "text/plain; charset=idna"])
def test_garbage_is_transient_and_may_have_been_charged(server: WireServer, body: bytes, kind: str) -> None:
    found = failure(server, (200, {"content-type": kind}, body))
    assert isinstance(found, Transient)
    assert not found.unpaid
    assert str(found).isprintable()


@contextlib.contextmanager
def raw_server(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """A listener that does with its one connection whatever the test wants."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            peer, _ = listener.accept()
            with peer:
                serve(peer)

        thread = threading.Thread(target=accept)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n"


@pytest.mark.parametrize("said", [b"", HEAD, HEAD + b'{"content": [', b"HTTP/9.9 banana\r\n\x00\xff: \r\n\r\n"])
def test_a_connection_that_breaks_off_is_transient(said: bytes) -> None:
    def serve(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(said)

    with raw_server(serve) as url, pytest.raises(Transient, match="c: ") as raised:
        ask(url)
    assert not raised.value.unpaid
    assert not raised.value.throttled


def test_a_connection_that_is_reset_is_transient() -> None:
    def serve(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")

    with raw_server(serve) as url, pytest.raises(Transient) as raised:
        ask(url)
    assert not raised.value.unpaid


def test_a_server_that_never_answers_is_given_up() -> None:
    """It may have written, and charged, what nobody waited for."""
    done = threading.Event()

    def serve(peer: socket.socket) -> None:
        peer.recv(65536)
        done.wait(60)

    with raw_server(serve) as url:
        with pytest.raises(Transient) as raised:
            ask(url, timeout=0.2)
        done.set()
    assert not raised.value.unpaid
    assert str(raised.value).isprintable()


def test_no_server_has_charged_nothing() -> None:
    with pytest.raises(Transient) as raised:
        ask("http://127.0.0.1:9")
    assert raised.value.unpaid


# ── the key ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", [302, 400, 401, 403, 413, 429, 500, 529])
def test_the_key_is_in_no_error(server: WireServer, status: int) -> None:
    headers = {"x-echo": SECRET, "location": f"http://127.0.0.1:9/{SECRET}", "retry-after": SECRET}
    found = failure(server, refusal(status, SECRET, f"wrong key {SECRET}: Bearer {SECRET}", headers))
    assert SECRET not in str(found)
    assert SECRET in str(server.seen[0].headers)


@pytest.mark.parametrize("where", ["text", "thinking"])
def test_a_reply_with_the_key_is_refused(server: WireServer, where: str) -> None:
    block = {"type": where, where: f"the key is {SECRET}"}
    found = failure(server, message(blocks=[block]))
    assert isinstance(found, Fatal)
    assert SECRET not in str(found)


def test_the_key_is_taken_out_of_what_stands_beside_the_text(server: WireServer) -> None:
    reply = answered(server, message(stop="refusal", model=SECRET, stop_details={"category": f"{SECRET}\n"}))
    assert SECRET not in repr(reply)
    assert (reply.served_model, reply.detail) == ("[key]", "refused: [key]")


def test_the_key_is_in_no_request() -> None:
    model = AnthropicModel(AnthropicAPI(name="c", model=CLAUDE))
    assert SECRET not in json.dumps([model.request(HELLO).body, model.request(HELLO).headers, model.settings])
