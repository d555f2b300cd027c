"""A study's declaration, as written in `studies/*.toml`."""

from typing import Annotated, Any, Literal

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


class VLLMOffline(ModelSpec, frozen=True, tag="vllm_offline", kw_only=True):
    """A model run in this process by vLLM, `chunk` requests at a time. `engine` holds vLLM's own settings by name.

    `model` is a folder or a hub name; without a `revision` a folder is known by the hash of its files.
    """

    model: str
    revision: str = "unpinned"
    chunk: Parallel = 256
    engine: dict[str, Any] = {}
    chat_template_kwargs: dict[str, Any] = {}

    @property
    def concurrency(self) -> int:
        """Requests under way at once, as every other model calls it."""
        return self.chunk


class Scripted(ModelSpec, frozen=True, tag="scripted", kw_only=True):
    """The shipped fake: answers at once from a hash of the request. Its rows prove nothing about any model."""

    script: Annotated[str, msgspec.Meta(pattern=r"^(plain|hostile)\Z")] = "plain"
    concurrency: Parallel = 8


AnyModel = LlamaLocal | OpenAIHTTP | VLLMOffline | Scripted


class Panel(Value, frozen=True):
    """Who answers and who judges: a file of `studies/panels/`. The first judge is the primary one."""

    models: tuple[AnyModel, ...]
    judges: tuple[AnyModel, ...]


class Items(Value, frozen=True):
    """A block of items: every combination of the named templates, country pairs and tasks."""

    templates: tuple[str, ...]
    pairs: tuple[str, ...]
    tasks: tuple[str, ...]


class Part(Value, frozen=True):
    """A sample of what a draw chose: `items` in all, or `each` in every cell, spread evenly over the factors `over`.

    Blocks, if they are among the factors, keep their proportion. `block` keeps to one block. `name` tells parts apart:
    two names draw independently.
    """

    name: Name
    items: Annotated[int, msgspec.Meta(ge=0)] = 0
    each: Annotated[int, msgspec.Meta(ge=0)] = 0
    over: tuple[str, ...] = ()
    block: Literal["", "main", "control"] = ""


class Draw(Value, frozen=True):
    """A seeded sample of the items: so many of each block, as even as integers allow.

    Without `main` and `control` every item is in. Each of `parts` then samples what the one before it left.
    """

    seed: Seed
    main: Annotated[int, msgspec.Meta(ge=0)] | None = None
    control: Annotated[int, msgspec.Meta(ge=0)] | None = None
    parts: tuple[Part, ...] = ()


class AnalysisSpec(Value, frozen=True):
    """How intervals are computed, and which factor of the design is resampled."""

    resamples: Annotated[int, msgspec.Meta(ge=100, le=1_000_000)] = 10_000
    seed: Seed = 20280101
    cluster: Literal["template", "topic"] = "template"


class Study(Value, frozen=True):
    """One study: which items, in which conditions, which models and judges, which rubric.

    Items are combinations of this library's entries (`items`), asked in `conditions`, or the pairs of an imported set
    (`pair_set`). Without `conditions` items are asked in `official`. Models and judges stand here or in a `panel`.
    `judge_prompt` replaces the judge task that each condition names. `reuse` names sealed runs whose replies to equal
    requests are taken over. `replicate` above 0 judges equal requests anew.
    """

    id: Name
    title: str
    rubric: str
    items: tuple[Items, ...] = ()
    pair_set: str = ""
    conditions: tuple[str, ...] = ()
    judge_prompt: str = ""
    draw: Draw | None = None
    panel: str = ""
    models: tuple[AnyModel, ...] = ()
    judges: tuple[AnyModel, ...] = ()
    primary_judge_only: bool = False
    reuse: tuple[Name, ...] = ()
    replicate: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    analysis: AnalysisSpec = AnalysisSpec()
