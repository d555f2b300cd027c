"""A study's declaration, as written in `studies/*.toml`."""

from typing import Annotated, Any

import msgspec

from polibias.domain.value import Value

Name = Annotated[
    str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}\Z", description="lower-case letters, digits, . _ -")
]
Tokens = Annotated[int, msgspec.Meta(ge=0, le=10_000_000)]
Parallel = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Seed = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class ModelSpec(Value, frozen=True, tag_field="adapter", kw_only=True):
    """What every model has, wherever it runs. `max_tokens` 0 lets a judge derive its cap from the schema."""

    name: Name
    max_tokens: Tokens = 0
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.0
    seed: Seed = 0


class LlamaLocal(ModelSpec, frozen=True, tag="llama_local", kw_only=True):
    """A GGUF file run in this process. Without `gguf`, the small model that ships as a Python package."""

    gguf: str = ""
    context: Annotated[int, msgspec.Meta(ge=64, le=1_000_000)] = 4096
    slots: Annotated[int, msgspec.Meta(ge=1, le=64)] = 1
    threads: Annotated[int, msgspec.Meta(ge=0, le=512)] = 0


class OpenAIHTTP(ModelSpec, frozen=True, tag="openai_http", kw_only=True):
    """Any server that speaks the OpenAI chat-completions protocol. The key is read from `api_key_env`."""

    url: str
    model: str
    revision: str = "unpinned"
    provider: str = ""
    api_key_env: str = ""
    concurrency: Parallel = 8
    timeout: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 600.0
    extra: dict[str, Any] = {}


class Scripted(ModelSpec, frozen=True, tag="scripted", kw_only=True):
    """The shipped fake: answers at once from a hash of the request. Its rows prove nothing about any model."""

    script: Annotated[str, msgspec.Meta(pattern=r"^(plain|hostile)\Z")] = "plain"
    concurrency: Parallel = 8


AnyModel = LlamaLocal | OpenAIHTTP | Scripted


class Items(Value, frozen=True):
    """A block of items: every combination of the named templates, country pairs and tasks."""

    templates: tuple[str, ...]
    pairs: tuple[str, ...]
    tasks: tuple[str, ...]


class AnalysisSpec(Value, frozen=True):
    """How intervals are computed."""

    resamples: Annotated[int, msgspec.Meta(ge=100, le=1_000_000)] = 10_000
    seed: Seed = 20280101


class Study(Value, frozen=True):
    """One study: which items, which models, which judges, which rubric."""

    id: Name
    title: str
    rubric: str
    judge_prompt: str
    items: tuple[Items, ...]
    models: tuple[AnyModel, ...]
    judges: tuple[AnyModel, ...]
    condition: str = "official"
    analysis: AnalysisSpec = AnalysisSpec()
