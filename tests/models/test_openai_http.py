"""The HTTP adapter against a server that fails in every way a server can."""

import asyncio
import json
import socket
import threading
from base64 import b64encode
from typing import Any

import pytest

from polibias.domain.rows import Usage
from polibias.domain.study import OpenAIHTTP
from polibias.errors import Fatal, InputError, ProviderError, TooLong, Transient
from polibias.models.base import Call, Reply
from polibias.models.openai_http import OpenAIModel
from tests.chat_server import Answer, ChatServer, completion, error

HELLO = Call("Hello", 9)
SECRET = "sk-planted-secret-1234567890"


def ask(url: str, call: Call = HELLO, **spec: Any) -> Reply:
    async def once() -> Reply:
        model = OpenAIModel(OpenAIHTTP(name="m", url=url, model="served", max_tokens=9, **spec))
        try:
            return await model.send(model.request(call))
        finally:
            await model.close()

    return asyncio.run(once())


def answering(server: ChatServer, answer: Answer) -> str:
    """The server's address, once it gives this answer to everything."""
    server.behave = lambda body, times: answer
    return server.url


def test_reply_is_read(chat_server: ChatServer) -> None:
    reply = ask(answering(chat_server, completion({"model": "served"}, "hi \x00 \ud800", "length")))
    assert reply == Reply("hi \x00 \ud800", "length", reply.usage, "served")


def test_every_sampling_parameter_is_on_the_wire(chat_server: ChatServer) -> None:
    bodies: list[dict[str, Any]] = []
    chat_server.behave = lambda body, times: bodies.append(body)
    ask(chat_server.url, Call("Hello", 9, {"type": "object", "properties": {}}), extra={"top_k": -1})
    named = {"model", "messages", "temperature", "top_p", "top_k", "seed", "max_tokens", "response_format", "stream"}
    assert bodies[0].keys() == named


@pytest.mark.parametrize(
    ("answer", "raised"),
    [
        (error(429, "slow down"), Transient),
        (error(429, "3 requests per min are used; add a payment method to your account to raise the limit"), Transient),
        (error(429, "You exceeded your current quota, please check your plan and billing details."), Fatal),
        (error(500, "oops"), Transient),
        (error(529, "overloaded"), Transient),
        ((200, {}, b'{"choices": [{"mess'), Transient),
        ((200, {}, b"[]"), Transient),
        ((200, {}, b"null"), Transient),
        ((200, {}, b'{"choices": []}'), Transient),
        (completion({"model": "m"}, "partial", "error"), Transient),
        ((200, {}, b'{"choices": [{"message": {"content": [{"type": "text"}]}, "finish_reason": "stop"}]}'), Transient),
        ((429, {"content-type": "text/plain; charset=idna"}, b"\xff"), Transient),
        (error(401, "bad key"), Fatal),
        (error(402, "no credit"), Fatal),
        (error(404, "no such model"), Fatal),
        (error(400, "temperature is not supported"), Fatal),
        (error(400, "This model's maximum context length is 10 tokens"), TooLong),
        ((302, {"location": "http://192.0.2.1/"}, b""), Fatal),
    ],
)
def test_failures_are_sorted(chat_server: ChatServer, answer: Answer, raised: type[ProviderError]) -> None:
    """What can heal is Transient, what cannot is Fatal, what concerns one request is TooLong."""
    with pytest.raises(raised):
        ask(answering(chat_server, answer))


@pytest.mark.parametrize(
    ("said", "kept"), [("7", 7.0), ("1e308", 600.0), ("inf", 600.0), ("nan", None), ("soon", None)]
)
def test_retry_after_is_kept_within_reason(chat_server: ChatServer, said: str, kept: float | None) -> None:
    with pytest.raises(Transient) as raised:
        ask(answering(chat_server, error(429, "slow down", **{"Retry-After": said})))
    assert raised.value.after == kept


def test_garbage_instead_of_http_is_transient() -> None:
    """Bytes that are no HTTP at all reach nobody as a traceback."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            peer, _ = listener.accept()
            with peer:
                peer.recv(65536)
                peer.sendall(b"HTTP/9.9 banana\r\n\x00\xff: \r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(Transient, match="m: "):
            ask(f"http://127.0.0.1:{listener.getsockname()[1]}/v1")
        thread.join()


def test_what_breaks_off_may_have_been_charged_and_no_server_has_not() -> None:
    """A budget counts what was sent; what never got through costs nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            peer, _ = listener.accept()
            with peer:
                peer.recv(65536)

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(Transient) as raised:
            ask(f"http://127.0.0.1:{listener.getsockname()[1]}/v1")
        thread.join()
    assert not raised.value.unpaid
    with pytest.raises(Transient) as raised:
        ask("http://127.0.0.1:9/v1")
    assert raised.value.unpaid


def test_token_counts_that_are_none_are_not_stored(chat_server: ChatServer) -> None:
    answer = b'{"model": "m", "choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}], "usage": %s}'
    for usage in (b'{"prompt_tokens": true, "completion_tokens": -1}', b'{"prompt_tokens": 1e99}', b"null"):
        assert ask(answering(chat_server, (200, {}, answer % usage))).usage == Usage()


@pytest.mark.parametrize(
    "spelling",
    [
        SECRET,
        SECRET.replace("-", "%2D"),
        SECRET.replace("-", "\\u002d"),
        b64encode(SECRET.encode()).decode(),
        b64encode(f"Bearer {SECRET} and more".encode()).decode(),
    ],
)
def test_a_reply_with_the_key_is_refused(
    chat_server: ChatServer, spelling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the text; beside it the key is taken out, however it is spelled."""
    monkeypatch.setenv("PLANTED_KEY", SECRET)
    with pytest.raises(Fatal, match="contains the API key"):
        ask(answering(chat_server, completion({"model": "m"}, f"your key is {spelling}")), api_key_env="PLANTED_KEY")
    reply = ask(answering(chat_server, completion({"model": f"echo {spelling}"}, "hi")), api_key_env="PLANTED_KEY")
    assert spelling not in reply.served_model
    assert "key" in reply.served_model


def test_a_placeholder_is_no_secret(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of one's own may be started with any word for a key, and a model may write that word."""
    monkeypatch.setenv("PLANTED_KEY", "EMPTY")
    answer = completion({"model": "m"}, "the set is EMPTY")
    assert ask(answering(chat_server, answer), api_key_env="PLANTED_KEY").text == "the set is EMPTY"


def test_no_server_is_transient() -> None:
    with pytest.raises(Transient, match="m: "):
        ask("http://127.0.0.1:9/v1")


def test_key_travels_in_the_header_only(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The secret is in no request record and in no error, even if the server echoes it."""
    monkeypatch.setenv("PLANTED_KEY", SECRET)
    with pytest.raises(Fatal) as raised:
        ask(answering(chat_server, error(401, f"Wrong API key: {SECRET}\n\x1b[31m")), api_key_env="PLANTED_KEY")
    assert chat_server.headers[-1]["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in str(raised.value)
    assert str(raised.value).isprintable()
    model = OpenAIModel(OpenAIHTTP(name="m", url=chat_server.url, model="x", max_tokens=9, api_key_env="PLANTED_KEY"))
    assert SECRET not in json.dumps(model.request(Call("Hello", 9)).body)


def test_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLANTED_KEY", raising=False)
    with pytest.raises(InputError, match="PLANTED_KEY is not set"):
        OpenAIModel(OpenAIHTTP(name="m", url="http://127.0.0.1:1", model="x", max_tokens=9, api_key_env="PLANTED_KEY"))
