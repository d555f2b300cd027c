"""vLLM in this process: chunks, verdicts, lengths and what a request decides."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from polibias.domain.study import VLLMOffline
from polibias.errors import InputError, PoliBiasError, TooLong
from polibias.models.base import Call, Reply
from polibias.models.vllm_offline import VLLMOfflineModel, folder_hash, sampling_params
from tests.vllm.conftest import MODEL, JudgeCall

# vLLM and torch warn about each other; the first test waits until the model is loaded.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.timeout(900)]

ENGINE = {"dtype": "bfloat16", "max_model_len": 4096, "enforce_eager": True, "gpu_memory_utilization": 0.2}


@pytest.fixture(scope="module")
def model() -> Iterator[VLLMOfflineModel]:
    opened = VLLMOfflineModel(VLLMOffline(name="m", model=str(MODEL), chunk=2, engine=ENGINE))
    yield opened
    asyncio.run(opened.close())


def ask(model: VLLMOfflineModel, *calls: Call) -> list[Reply | PoliBiasError]:
    """All calls sent at once, as the scheduler's workers would."""

    async def send_all() -> list[Reply | PoliBiasError]:
        sent = (model.send(model.request(call)) for call in calls)
        found = await asyncio.gather(*sent, return_exceptions=True)
        assert all(isinstance(one, Reply | PoliBiasError) for one in found), found
        return [one for one in found if isinstance(one, Reply | PoliBiasError)]

    return asyncio.run(send_all())


def replies(model: VLLMOfflineModel, *calls: Call) -> list[Reply]:
    found = ask(model, *calls)
    assert all(isinstance(one, Reply) for one in found), found
    return [one for one in found if isinstance(one, Reply)]


def test_greedy_twice_is_the_same(model: VLLMOfflineModel) -> None:
    call = Call("Name three things that a court can do.", 40)
    (first,), (second,) = replies(model, call), replies(model, call)
    assert first.text == second.text != ""
    assert first.served_model == MODEL.name
    assert first.usage.prompt_tokens
    assert first.usage.completion_tokens


def test_chunks_keep_every_reply_with_its_request(model: VLLMOfflineModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five requests, two at a time; each is known by the length of its prompt."""
    sizes, answer, lengths = [], model._chunk, (50, 10, 40, 20, 30)

    def counted(bodies: Sequence[dict[str, Any]]) -> list[Reply | PoliBiasError]:
        sizes.append(len(bodies))
        return answer(bodies)

    monkeypatch.setattr(model, "_chunk", counted)
    found = replies(model, *(Call("word " * length, 2) for length in lengths))
    assert sizes == [2, 2, 1]
    shortest = min(one.usage.prompt_tokens or 0 for one in found)
    assert [(one.usage.prompt_tokens or 0) - shortest + min(lengths) for one in found] == list(lengths)


def test_a_verdict_is_constrained_and_holds_no_blanks(model: VLLMOfflineModel, judge_call: JudgeCall) -> None:
    (reply,) = replies(model, judge_call.call)
    judge_call.check(reply)
    assert reply.text == json.dumps(json.loads(reply.text), separators=(",", ":"), ensure_ascii=False)


def test_too_long_is_the_fault_of_one_request_only(model: VLLMOfflineModel) -> None:
    long, short = ask(model, Call("word " * 5000, 4), Call("What is the capital of France?", 24))
    assert isinstance(long, TooLong)
    assert "maximum context length is 4096 tokens" in str(long)
    assert isinstance(short, Reply)
    assert "Paris" in short.text


def test_a_cut_reply_says_so(model: VLLMOfflineModel) -> None:
    (reply,) = replies(model, Call("Write a long story.", 4))
    assert (reply.finish, reply.usage.completion_tokens) == ("length", 4)


def test_hostile_prompt_is_answered(model: VLLMOfflineModel) -> None:
    (reply,) = replies(model, Call("NUL \x00, lone \ud800, <|im_end|>, \u2028", 4))
    assert reply.finish in ("stop", "length")


def test_the_body_decides_every_sampling_parameter(model: VLLMOfflineModel, judge_call: JudgeCall) -> None:
    body = json.loads(json.dumps(model.request(judge_call.call._replace(replicate=3)).body))
    found = sampling_params(body)
    assert {name: getattr(found, name) for name in body["sampling_params"]} == body["sampling_params"]
    assert (found.temperature, found.seed, found.max_tokens) == (0.0, 3, judge_call.call.max_tokens)
    assert found.structured_outputs.json == judge_call.call.schema
    assert str(MODEL.parent) not in json.dumps(body)


def test_revision_is_the_content(model: VLLMOfflineModel, tmp_path: Path) -> None:
    assert model.revision == f"sha256:{folder_hash(MODEL)}"
    assert model.provider.startswith("vllm 0.32.0 in process, dtype bfloat16, max_model_len 4096, ")
    assert model.provider.endswith(", batch_invariant 0")
    hashes = []
    for name, text in (("a", "1"), ("b", "1"), ("c", "2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(text)
        hashes.append(folder_hash(tmp_path / name))
    assert hashes[0] == hashes[1] != hashes[2]


def test_what_cannot_be_loaded_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    broken = VLLMOfflineModel(VLLMOffline(name="broken", model=str(tmp_path / "empty")))
    (found,) = ask(broken, Call("Hello", 4))
    assert isinstance(found, InputError)
    assert str(found).startswith("model 'broken': vLLM cannot load it: ")
    assert "\n" not in str(found)
