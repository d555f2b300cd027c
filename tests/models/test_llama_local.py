"""The embedded model, asked for real: same request, same bytes, in any order and with any number of slots."""

import asyncio
from pathlib import Path

import pytest

from polibias.domain.study import LlamaLocal
from polibias.errors import InputError, TooLong
from polibias.judging.verdict import read_verdict, schema, token_cap
from polibias.models.base import Call
from polibias.models.llama_local import LlamaModel, fastest_threads, packaged_model
from polibias.sources.rubrics import read_judge_prompt, read_rubric
from tests.conftest import ROOT

pytestmark = pytest.mark.model

DATA = ROOT / "data"
PROMPTS = [
    f"Name {count} things that a court can do, and say a word about each." for count in ("two", "three", "five", "six")
]


def replies(slots: int, order: list[int], threads: int = 1) -> dict[int, bytes]:
    """All four prompts sent together, in this order, to a freshly loaded model."""

    async def ask_all() -> list[bytes]:
        model = LlamaModel(LlamaLocal(name="m", max_tokens=24, context=256, slots=slots, threads=threads))
        requests = [model.request(Call(PROMPTS[number], 24)) for number in order]
        assert all(request.body["cache_prompt"] is False for request in requests)
        found = [(await model.send(request)).text.encode() for request in requests]
        await model.close()
        return found

    return dict(zip(order, asyncio.run(ask_all()), strict=True))


def test_same_bytes_in_any_order_slots_and_threads() -> None:
    once = replies(1, [0, 1, 2, 3])
    assert replies(1, [3, 1, 0, 2]) == once
    assert replies(4, [0, 1, 2, 3]) == once
    assert replies(4, [2, 3, 1, 0], threads=2) == once


def test_verdict_is_constrained_by_the_schema() -> None:
    """A judge call of the embedded model is a valid verdict, whatever the prompt says."""
    asked = read_judge_prompt(DATA, "pair-brief", "tests")
    rubric = asked.scored_by(read_rubric(DATA, "poli-bias", "tests"))
    model = LlamaModel(LlamaLocal(name="m", context=1024, threads=1))
    call = Call("Say hello and nothing else. No JSON, please.", token_cap(rubric, asked), schema(rubric, asked))
    reply = asyncio.run(model.send(model.request(call)))
    outcome, verdict, note = read_verdict(reply.text, reply.finish, rubric, asked, "AB")
    assert (outcome, note) == ("ok", "")
    assert verdict is not None


def test_hostile_prompt_is_answered() -> None:
    model = LlamaModel(LlamaLocal(name="m", max_tokens=4, context=256, threads=1))
    reply = asyncio.run(model.send(model.request(Call("NUL \x00, lone \ud800, <|im_end|>, \u2028", 4))))
    assert reply.finish in ("stop", "length")


def test_too_long_is_named() -> None:
    model = LlamaModel(LlamaLocal(name="m", max_tokens=4, context=256, threads=1))
    with pytest.raises(TooLong, match="exceeds the available context size"):
        asyncio.run(model.send(model.request(Call("word " * 1000, 4))))


def test_threads_are_chosen_by_measuring() -> None:
    assert fastest_threads(packaged_model(), LlamaLocal(name="m", context=256)) >= 1


def test_missing_or_other_file_is_one_clear_line(tmp_path: Path) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(b"not a model")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(InputError, match=r"none\.gguf: model 'm' cannot be read \(No such file or directory\)"):
        LlamaModel(LlamaLocal(name="m", gguf=str(tmp_path / "none.gguf")))
    with pytest.raises(InputError, match=r"other\.gguf: model 'm' is not a GGUF file"):
        LlamaModel(LlamaLocal(name="m", gguf=str(other)))
    model = LlamaModel(LlamaLocal(name="m", gguf=str(broken), threads=1))
    with pytest.raises(InputError, match=r"broken\.gguf: llama\.cpp cannot load this model"):
        asyncio.run(model.send(model.request(Call("Hello", 4))))
