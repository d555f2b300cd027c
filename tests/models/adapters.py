"""Every adapter, ready to be asked: what the contract and the wire tests go through."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, get_args

import msgspec
import pytest

from polibias.domain.study import (
    AnthropicAPI,
    AnyModel,
    Imported,
    LlamaLocal,
    OpenAIHTTP,
    Rate,
    Scripted,
    VLLMOffline,
)
from polibias.models import vllm_offline
from polibias.models.base import Model
from polibias.models.registry import open_model
from tests.models.test_vllm_offline import FakeEngine
from tests.wire_server import WireServer

PROMPT = "Name one thing that a court can do."
HOSTILE = "NUL \x00, a lone surrogate \ud800, U+2028 \u2028, </script> and {prompt_1}"
# `marker` is found again wherever a schema is sent.
SCHEMA = {
    "type": "object",
    "properties": {
        "marker": {"type": "string", "enum": ["heron"]},
        "why": {"type": "string", "maxLength": 40},
    },
    "required": ["marker", "why"],
    "additionalProperties": False,
}
DIALECTS = ("openai", "vllm", "llama_cpp", "openrouter")
NETWORK = (*DIALECTS, "anthropic_api")
CHEAP = ("scripted", "imported", "vllm_offline", *NETWORK)
ALL = [*CHEAP, pytest.param("llama_local", marks=pytest.mark.model)]
CLAUDE = "claude-opus-4-5-20251101"


class Place(NamedTuple):
    """Where a test's adapters find what they need."""

    server: WireServer
    folder: Path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A server, a folder, keys in the environment, and an engine in the place of vLLM's."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key-anthropic")
    monkeypatch.setenv("OTHER_KEY", "test-key-other")
    engine = FakeEngine()
    engine.model_config = SimpleNamespace(max_model_len=4096)  # type: ignore[attr-defined]
    monkeypatch.setattr(vllm_offline, "load", lambda spec: engine)
    monkeypatch.setattr(vllm_offline, "sampling_params", lambda body: body)
    with WireServer() as server:
        yield Place(server, tmp_path)


def spec_of(name: str, place: Place, /, **fields: Any) -> AnyModel:
    """An adapter's smallest sensible declaration, with some fields replaced."""
    base = {"name": "m", "max_tokens": 9}
    if name in DIALECTS:
        hosts = {"hosts": ("deepinfra", "together"), "quantizations": ("bf16", "fp8")} if name == "openrouter" else {}
        return OpenAIHTTP(**base | {"url": place.server.url, "model": "served", "server": name, **hosts} | fields)
    if name == "anthropic_api":
        return AnthropicAPI(**base | {"url": place.server.origin, "model": CLAUDE} | fields)
    if name == "vllm_offline":
        return VLLMOffline(**base | {"model": "org/m", "revision": "abc"} | fields)
    if name == "imported":
        return Imported(**base | {"file": str(replies_file(place.folder / "replies.jsonl"))} | fields)
    if name == "llama_local":
        return LlamaLocal(**base | {"context": 256, "threads": 1} | fields)
    return Scripted(**base | fields)


def replies_file(path: Path, text: str = "made elsewhere") -> Path:
    lines = [{"prompt": prompt, "text": text, "prompt_tokens": 3} for prompt in (PROMPT, HOSTILE)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "ascii")
    return path


def opened(spec: AnyModel) -> Model:
    return open_model(spec, keyless=isinstance(spec, VLLMOffline))


def gguf(path: Path, more: bytes = b"") -> str:
    """A file that looks like a model until somebody loads it."""
    path.write_bytes(b"GGUF" + more)
    return str(path)


def changing(name: str, place: Place) -> dict[str, Any]:
    """Another value for every field of the declaration that decides what a model answers: each changes the key."""
    common = {"max_tokens": 10, "temperature": 0.5, "seed": 1, "constrained": False}
    text = {"model": "other", "reasoning": "low", "revision": "def"}
    if name in DIALECTS:
        pinned = {"hosts": ("deepinfra",), "quantizations": ("bf16",)} if name == "openrouter" else {}
        other = "vllm" if name == "openai" else "openai"
        return common | text | pinned | {"extra": {"top_k": 5}, "server": other}
    if name == "anthropic_api":
        del common["seed"]  # this interface knows none
        text["reasoning"] = "default"
        return common | text | {"model": "claude-haiku-4-5", "extra": {"service_tier": "auto"}, "version": "2026-10-21"}
    if name == "vllm_offline":
        return common | text | {"chat_template_kwargs": {"enable_thinking": False}}
    if name == "imported":
        return {"max_tokens": 10}
    if name == "llama_local":
        return common | {"gguf": gguf(place.folder / "other.gguf", b"2")}
    return common | {"name": "n", "script": "hostile", "faults": 0.2}


def free(name: str, place: Place) -> dict[str, Any]:
    """Another value for every field that may not change a key: who pays, how fast, by which way.

    `engine` of vLLM is here because a run may go on on another machine; the run's `provider` names it.
    """
    served = {
        "api_key_env": "OTHER_KEY",
        "concurrency": 3,
        "requests_per_minute": 7,
        "tokens_per_minute": 9,
        "timeout": 1.5,
    }
    common = {"name": "n", "price": Rate(1.0, 2.0)}
    if name in DIALECTS:
        unread = {} if name == "openrouter" else {"hosts": ("x",), "quantizations": ("fp8",)}
        return common | served | unread | {"url": ("http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"), "provider": "p"}
    if name == "anthropic_api":
        return common | served | {"url": "http://127.0.0.1:1", "seed": 1}
    if name == "vllm_offline":
        return common | {"chunk": 2, "engine": {"dtype": "float32"}}
    if name == "imported":
        moved = replies_file(place.folder / "moved.jsonl")
        return common | {"temperature": 0.5, "seed": 1, "constrained": False} | {"file": str(moved)}
    if name == "llama_local":
        return common | {"context": 512, "slots": 2, "threads": 2}
    return {"price": Rate(1.0, 2.0), "concurrency": 3}


def fields_of(spec: AnyModel) -> set[str]:
    return {field.name for field in msgspec.structs.fields(type(spec))}


def adapters() -> set[str]:
    """The names of all adapters that a study may declare."""
    return {str(kind.__struct_config__.tag) for kind in get_args(AnyModel)}
