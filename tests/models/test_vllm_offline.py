"""The vLLM adapter without vLLM: what it asks for, how it forms chunks, whose fault a failure is.

`make test-vllm` runs the same adapter on vLLM itself.
"""

import asyncio
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polibias.domain.study import VLLMOffline
from polibias.errors import Fatal, InputError, PoliBiasError, TooLong, Transient
from polibias.models import vllm_offline
from polibias.models.base import Call, Reply
from polibias.models.registry import open_model
from polibias.models.vllm_offline import VLLMOfflineModel
from polibias.sources.studies import read_study
from tests.conftest import SCRIPTED

SCHEMA = {"type": "object", "properties": {}}
REFUSALS = {"long": "This model's maximum context length is 9 tokens", "odd": "the grammar cannot be compiled"}


class FakeEngine:
    """Queues and answers as vLLM's LLM does; a prompt says what befalls it."""

    def __init__(self) -> None:
        self.chunks: list[list[str]] = []
        self._queue: list[str] = []
        self.llm_engine = SimpleNamespace(engine_core=SimpleNamespace(shutdown=lambda: None))

    def enqueue_chat(self, conversations: Any, params: Any, **_: Any) -> None:
        ((message,),) = conversations
        if message["content"] in REFUSALS:
            raise ValueError(REFUSALS[message["content"]])
        self._queue.append(message["content"])

    def wait_for_completion(self, use_tqdm: bool) -> list[Any]:
        chunk, self._queue = self._queue, []
        self.chunks.append(chunk)
        if "dead" in chunk:
            raise RuntimeError("engine core\ndied")
        ends = {"abort": "abort", "loop": "repetition"}
        made = [
            SimpleNamespace(text=f"<{text}>", token_ids=[1], finish_reason=ends.get(text, "stop")) for text in chunk
        ]
        return [SimpleNamespace(outputs=[one], prompt_token_ids=[1, 2]) for one in made]


def ask(monkeypatch: pytest.MonkeyPatch, *prompts: str) -> tuple[list[Reply | BaseException], list[list[str]]]:
    """All prompts sent at once, two to a chunk: the results and the chunks that the engine saw."""
    engine = FakeEngine()
    monkeypatch.setattr(vllm_offline, "load", lambda spec: engine)
    monkeypatch.setattr(vllm_offline, "sampling_params", lambda body: body)

    async def send_all() -> list[Reply | BaseException]:
        model = VLLMOfflineModel(VLLMOffline(name="m", model="org/m", chunk=2), keyless=True)
        sent = (model.send(model.request(Call(prompt, 9))) for prompt in prompts)
        try:
            return await asyncio.gather(*sent, return_exceptions=True)
        finally:
            await model.close()

    return asyncio.run(send_all()), engine.chunks


def test_requests_that_wait_together_are_a_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    found, chunks = ask(monkeypatch, "a", "b", "c", "d", "e")
    assert chunks == [["a", "b"], ["c", "d"], ["e"]]
    assert [one.text for one in found if isinstance(one, Reply)] == ["<a>", "<b>", "<c>", "<d>", "<e>"]


def test_a_refused_request_leaves_its_chunk_unharmed(monkeypatch: pytest.MonkeyPatch) -> None:
    (long, a, odd, b, abort, loop), _ = ask(monkeypatch, "long", "a", "odd", "b", "abort", "loop")
    assert [type(one) for one in (long, a, odd, b, abort, loop)] == [TooLong, Reply, Fatal, Reply, Transient, Reply]
    assert isinstance(loop, Reply)
    assert loop.finish == "repetition"


def test_an_engine_that_dies_takes_its_chunk_along(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = ask(monkeypatch, "a", "dead")
    assert [str(one) for one in found] == ["m: vLLM failed: engine core died"] * 2
    assert all(isinstance(one, Fatal) for one in found)


def test_a_request_says_everything_that_decides_the_reply() -> None:
    spec = VLLMOffline(name="m", model="org/m", revision="abc", seed=5, chat_template_kwargs={"enable_thinking": False})
    request = open_model(spec, keyless=True).request(Call("Hello \ud800", 9, SCHEMA, replicate=2))
    assert request.revision == "abc"
    assert request.body == {
        "model": "org/m",
        "messages": [{"role": "user", "content": "Hello �"}],
        "sampling_params": {
            "temperature": 0.0,
            "top_p": 1.0,
            "top_k": 0,
            "min_p": 0.0,
            "repetition_penalty": 1.0,
            "presence_penalty": 0.0,
            "frequency_penalty": 0.0,
            "seed": 7,
        },
        "max_tokens": 9,
        "chat_template_kwargs": {"enable_thinking": False},
        "structured_outputs": {"json": SCHEMA, "disable_any_whitespace": True},
    }


def test_a_folder_is_its_content_and_its_path_is_in_no_request(tmp_path: Path) -> None:
    found = []
    for name, text in (("a", "1"), ("b", "1"), ("c", "2")):
        (tmp_path / name / "small").mkdir(parents=True)
        (tmp_path / name / "small" / "config.json").write_text(text)
        spec = VLLMOffline(name="m", model=str(tmp_path / name / "small"))
        found.append(VLLMOfflineModel(spec, keyless=True).request(Call("Hello", 9)))
    assert found[0] == found[1] != found[2]
    assert str(tmp_path) not in repr(found)


def test_no_such_folder_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none: model 'm' is no folder"):
        VLLMOfflineModel(VLLMOffline(name="m", model=str(tmp_path / "none")), keyless=True)


@pytest.mark.skipif(importlib.util.find_spec("vllm") is not None, reason="vLLM is installed here")
def test_without_vllm_the_study_says_what_to_install() -> None:
    with pytest.raises(InputError, match="pip install vllm"):
        open_model(VLLMOffline(name="m", model="org/m"))


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ('engine = { hf_token = "x" }', "engine cannot hold 'hf_token'"),
        ('engine = { model = "x" }', "engine cannot hold 'model'"),
        ("engine = { day = 2026-01-01 }", "engine holds a value that JSON cannot say"),
        ("chat_template_kwargs = { day = 2026-01-01 }", "chat_template_kwargs holds a value that JSON cannot say"),
    ],
)
def test_what_a_study_may_not_set(field: str, said: str, write_study: Callable[..., Path]) -> None:
    model = f'[[models]]\nadapter = "vllm_offline"\nname = "v"\nmodel = "org/m"\nmax_tokens = 5\n{field}\n'
    path = write_study(models=SCRIPTED[SCRIPTED.index("[[judges]]") :] + model)
    with pytest.raises(PoliBiasError, match=said):
        read_study(path)
