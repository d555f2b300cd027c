"""What holds for every model, whatever is behind it: one suite, run over all adapters."""

import asyncio
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polibias.calls.budget import size
from polibias.domain.ids import canonical, plain
from polibias.domain.rows import Finish, Request, Usage
from polibias.domain.study import AnyModel
from polibias.models.base import UNSUPPORTED, Call, Model, Reply
from polibias.models.registry import open_model
from polibias.records.lines import request_key
from tests.models.adapters import (
    ALL,
    CHEAP,
    DIALECTS,
    HOSTILE,
    NETWORK,
    PROMPT,
    SCHEMA,
    Place,
    adapters,
    changing,
    fields_of,
    free,
    gguf,
    opened,
    place,
    spec_of,
)
from tests.wire_server import chat, message

__all__ = ["place"]
CALL = Call(PROMPT, 9, SCHEMA)
FINISHES = Finish.__args__  # type: ignore[attr-defined]


def keyed(name: str, place: Place, /, **fields: Any) -> AnyModel:
    """As `spec_of`; the embedded model is a file that nobody loads, because its key needs no more."""
    here = {"gguf": gguf(place.folder / "m.gguf")} if name == "llama_local" else {}
    return spec_of(name, place, **here | fields)


def key(spec: AnyModel, call: Call = CALL) -> str:
    return request_key(opened(spec).request(call._replace(max_tokens=spec.max_tokens)))


def ask(model: Model, call: Call) -> tuple[Request, Reply]:
    async def once() -> tuple[Request, Reply]:
        request = model.request(call)
        try:
            return request, await model.send(request)
        finally:
            await model.close()
            await model.close()

    return asyncio.run(once())


def names_in(value: Any) -> Iterator[str]:
    """The name of every member at any depth."""
    if isinstance(value, dict):
        yield from value
        for part in value.values():
            yield from names_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from names_in(part)


def test_every_adapter_is_in_this_suite(place: Place) -> None:
    """A new adapter cannot be left out, nor one that is gone be kept."""
    assert {opened(keyed(name, place)).adapter for name in (*CHEAP, "llama_local")} == adapters()


@pytest.mark.parametrize("name", ALL)
def test_a_request_is_pure(name: str, place: Place) -> None:
    """Equal calls make equal requests, whatever was asked before and by whichever instance; the call stays as it is."""
    spec = keyed(name, place)
    call, before = copy.deepcopy(CALL), copy.deepcopy(CALL)
    model = opened(spec)
    first = model.request(call)
    model.request(Call("something else", 3, {"type": "object", "properties": {}}, 2, 1.5))
    assert first == model.request(copy.deepcopy(call)) == opened(spec).request(call)
    assert call == before
    assert spec == keyed(name, place)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("prompt", [PROMPT, HOSTILE])
def test_a_request_is_json_with_one_user_message(name: str, prompt: str, place: Place) -> None:
    """What is stored is what is sent: plain JSON, one message, no system prompt, the longest reply named."""
    request = opened(keyed(name, place)).request(Call(prompt, 9, SCHEMA))
    ((one,), longest) = request.body["messages"], request.body["max_tokens"]
    assert (one["role"], longest, sorted(one)) == ("user", 9, ["content", "role"])
    assert one["content"] in (prompt, prompt.replace("\ud800", "\ufffd"))
    assert "system" not in set(names_in(request.body))
    assert json.loads(canonical(plain(request))) == plain(request)
    assert size(request).reply == 9


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("prompt", [PROMPT, HOSTILE])
def test_a_prompt_is_answered(name: str, prompt: str, place: Place) -> None:
    """Every text gets a reply with a text, an end and a count, even NUL and what no UTF-8 can carry."""
    _, reply = ask(opened(spec_of(name, place)), Call(prompt, 9))
    assert isinstance(reply.text, str)
    assert reply.finish in FINISHES
    assert isinstance(reply.usage, Usage)
    assert reply.pause == 0.0


@pytest.mark.parametrize("name", NETWORK)
@pytest.mark.parametrize("call", [Call(HOSTILE, 9), CALL, Call(PROMPT, 64_000), Call(PROMPT, 9, None, 2, 1.5)])
def test_the_stored_body_is_what_goes_over_the_wire(name: str, call: Call, place: Place) -> None:
    """Nothing is added below the adapter, nothing lost, and a long reply needs no streaming."""
    request, _ = ask(opened(spec_of(name, place)), call)
    (wire,) = place.server.seen
    assert canonical(wire.json) == canonical(request.body)
    assert request.headers.items() <= wire.headers.items()


@pytest.mark.parametrize("name", NETWORK)
def test_a_reply_is_what_the_model_wrote(name: str, place: Place) -> None:
    text = f"  {HOSTILE}\n\n"
    place.server.answers(message(text) if name == "anthropic_api" else chat(text))
    _, reply = ask(opened(spec_of(name, place)), CALL)
    assert (reply.text, reply.finish, reply.usage) == (text, "stop", Usage(11, 7))


@pytest.mark.parametrize("name", NETWORK)
@pytest.mark.parametrize("channel", ["reasoning", "reasoning_content"])
def test_the_reasoning_channel_is_no_answer(name: str, channel: str, place: Place) -> None:
    """A verdict that a model only thought is no verdict."""
    thought = '{"marker":"heron","why":"x"}'
    blocks = [{"type": "thinking", "thinking": thought, "signature": "s"}, {"type": "redacted_thinking", "data": "x"}]
    place.server.answers(message(blocks=blocks) if name == "anthropic_api" else chat(None, **{channel: thought}))
    _, reply = ask(opened(spec_of(name, place)), CALL)
    assert (reply.text, reply.reasoning) == ("", thought)
    assert thought not in reply.remarks


CALLS = {
    "prompt": Call("Another prompt.", 9, SCHEMA),
    "max_tokens": CALL._replace(max_tokens=10),
    "schema": CALL._replace(schema={"type": "object", "properties": {}, "additionalProperties": False}),
    "no schema": CALL._replace(schema=None),
    "replicate": CALL._replace(replicate=1),
    "temperature": CALL._replace(temperature=0.7),
}
# A file of replies holds one text per prompt, however it was asked for.
NOT_ASKED_OF_A_FILE = {"schema", "no schema", "temperature"}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("part", CALLS)
def test_every_part_of_a_call_changes_the_key(name: str, part: str, place: Place) -> None:
    model = opened(keyed(name, place))
    changed = request_key(model.request(CALLS[part])) != request_key(model.request(CALL))
    assert changed is not (name == "imported" and part in NOT_ASKED_OF_A_FILE)


@pytest.mark.parametrize("name", ALL)
def test_what_decides_a_reply_changes_the_key_and_nothing_else_does(name: str, place: Place) -> None:
    """The two lists of `adapters` are all fields of a declaration, so that a new field must be put into one of them."""
    spec = keyed(name, place)
    own = {"gguf": gguf(place.folder / "m.gguf")} if name == "llama_local" else {}
    base = key(spec)
    moved, kept = changing(name, place), free(name, place)
    assert moved.keys().isdisjoint(kept.keys())
    assert moved.keys() | kept.keys() == fields_of(spec)
    keys = {field: key(keyed(name, place, **own | {field: value})) for field, value in moved.items()}
    assert [field for field, found in keys.items() if found == base] == []
    assert len(set(keys.values())) == len(keys)
    assert [f for f, value in kept.items() if key(keyed(name, place, **own | {f: value})) != base] == []


def test_the_order_of_hosts_is_no_difference(place: Place) -> None:
    pinned = {"hosts": ("together", "deepinfra"), "quantizations": ("fp8", "bf16")}
    assert key(spec_of("openrouter", place)) == key(spec_of("openrouter", place, **pinned))


@pytest.mark.parametrize("name", ALL)
def test_a_model_without_temperature_is_sent_none_and_says_so(name: str, place: Place) -> None:
    model = opened(keyed(name, place, temperature=UNSUPPORTED))
    for call in (CALL, CALL._replace(temperature=1.0)):
        body = model.request(call).body
        asked = body.get("sampling_params", body) if name == "vllm_offline" else body
        assert "temperature" not in set(names_in(asked))
    assert name == "imported" or model.settings["temperature"] == UNSUPPORTED


@pytest.mark.parametrize("name", ALL)
def test_an_unconstrained_model_is_sent_no_schema_and_says_so(name: str, place: Place) -> None:
    held, loose = (opened(keyed(name, place, constrained=constrained)) for constrained in (True, False))
    assert b"marker" not in canonical(loose.request(CALL).body)
    assert loose.request(CALL) == loose.request(CALL._replace(schema=None))
    if name != "imported":
        assert b"marker" in canonical(held.request(CALL).body)
        assert (held.settings["constrained"], loose.settings["constrained"]) == ("yes", "no")


@pytest.mark.parametrize("name", ALL)
def test_a_model_may_be_closed_before_and_after(name: str, place: Place) -> None:
    """Closed at once, and closed twice; `about` is a few words whether or not anything was asked."""

    async def unused() -> None:
        model = opened(keyed(name, place))
        assert all(isinstance(text, str) for text in (await model.about()).values())
        await model.close()
        await model.close()

    asyncio.run(unused())


@pytest.mark.parametrize("name", ALL)
def test_a_model_says_who_it_is(name: str, place: Place) -> None:
    """Names for records and reports, and room for at least one request; no path and no address with its path."""
    spec = keyed(name, place)
    model = opened(spec)
    assert model.name == spec.name
    assert model.provider
    assert model.revision
    assert model.capacity.at_once >= 1
    assert all(isinstance(text, str) for text in model.settings.values())
    said = repr((model.provider, model.settings, model.request(CALL)))
    assert str(place.folder) not in said
    assert "/v1" not in said


@pytest.mark.parametrize("name", [name for name in NETWORK if name not in ("openai", "vllm")])
def test_a_look_at_requests_needs_no_key(name: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = spec_of(name, place, api_key_env="NO_SUCH_KEY")
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    assert open_model(spec, keyless=True).request(CALL) == opened(spec_of(name, place)).request(CALL)


@pytest.mark.parametrize("name", DIALECTS)
def test_several_addresses_are_one_model(name: str, place: Place) -> None:
    """A request may go to any of them, and it is the same request."""
    spec = spec_of(name, place, url=("http://127.0.0.1:9/v1", place.server.url))

    async def second() -> Reply:
        model = opened(spec)
        try:
            return await model.send(model.request(CALL), 1)
        finally:
            await model.close()

    assert asyncio.run(second()).finish == "stop"
    assert opened(spec).capacity.at_once == 2 * opened(spec_of(name, place)).capacity.at_once


def test_a_path_to_imported_replies_is_in_no_record(place: Place) -> None:
    model = opened(spec_of("imported", place))
    assert Path(str(place.folder)).name not in repr((model.provider, model.settings, model.request(CALL)))
