"""A study's declaration, as written in `studies/*.toml`."""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from polibias.domain.masked import Level
from polibias.domain.value import EntryId, Text, Value

Name = Annotated[
    str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}\Z", description="lower-case letters, digits, . _ -")
]
Tokens = Annotated[int, msgspec.Meta(ge=0, le=10_000_000)]
Parallel = Annotated[int, msgspec.Meta(ge=1, le=1000)]
PerMinute = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
Seed = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
Temperature = Annotated[float, msgspec.Meta(ge=0, le=2)] | Literal["unsupported"]
Reasoning = Literal["default", "off", "minimal", "low"]


class Rate(Value, frozen=True):
    """US dollars per million tokens, for a model that no price list knows."""

    input: Annotated[float, msgspec.Meta(ge=0, le=1e6)]
    output: Annotated[float, msgspec.Meta(ge=0, le=1e6)]


class ModelSpec(Value, frozen=True, tag_field="adapter", kw_only=True):
    """What every model has, wherever it runs. `max_tokens` 0 lets a judge derive its cap from the schema.

    A model that refuses a temperature says ``temperature = "unsupported"``: none is sent, and every record says so.
    `constrained` makes a judge's reply keep to the schema while it is decoded. `price` replaces that of the lists.
    """

    name: Name
    max_tokens: Tokens = 0
    temperature: Temperature = 0.0
    seed: Seed = 0
    constrained: bool = True
    price: Rate | None = None


class Served(ModelSpec, frozen=True, kw_only=True):
    """What every model behind a network has. The key is read from the environment variable `api_key_env`.

    `concurrency` is the most that one address is asked at a time; `requests_per_minute` and `tokens_per_minute` are
    what the account may send to it, 0 for as much as it takes. `reasoning` is how little the model is made to reason;
    ``default`` leaves it to the model.
    """

    url: str | tuple[str, ...]
    model: str
    api_key_env: str = ""
    concurrency: Parallel = 8
    requests_per_minute: PerMinute = 0
    tokens_per_minute: PerMinute = 0
    timeout: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 600.0
    reasoning: Reasoning = "default"
    extra: dict[str, Any] = {}

    @property
    def urls(self) -> tuple[str, ...]:
        """Every address."""
        return (self.url,) if isinstance(self.url, str) else self.url

    @property
    def billed_by(self) -> str:
        """The provider under which price lists know the model; empty for a server of one's own."""
        return ""


class AnthropicAPI(Served, frozen=True, tag="anthropic_api", kw_only=True):
    """Claude through Anthropic's Messages interface. `version` is the interface version that every request names."""

    url: str = "https://api.anthropic.com"
    version: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\d\Z")] = "2023-06-01"
    revision: str = "unpinned"
    api_key_env: str = "ANTHROPIC_API_KEY"
    reasoning: Reasoning = "off"

    @property
    def billed_by(self) -> str:
        return "anthropic" if urlsplit(self.url).hostname == "api.anthropic.com" else ""


class OpenAIHTTP(Served, frozen=True, tag="openai_http", kw_only=True):
    """Any server that speaks the OpenAI chat-completions protocol; `server` says which dialect of it.

    Several addresses in `url` serve the same model and share the work. `hosts` and `quantizations` pin who answers
    behind OpenRouter.
    """

    server: Literal["openai", "vllm", "llama_cpp", "openrouter"] = "openai"
    hosts: tuple[str, ...] = ()
    quantizations: tuple[str, ...] = ()
    revision: str = "unpinned"
    provider: str = ""

    @property
    def billed_by(self) -> str:
        there = all(urlsplit(url).hostname == "openrouter.ai" for url in self.urls)
        return self.provider or ("openrouter" if self.server == "openrouter" and there else "")


class LlamaLocal(ModelSpec, frozen=True, tag="llama_local", kw_only=True):
    """A GGUF file run in this process. Without `gguf`, the small model that ships as a Python package."""

    gguf: str = ""
    context: Annotated[int, msgspec.Meta(ge=64, le=1_000_000)] = 4096
    slots: Annotated[int, msgspec.Meta(ge=1, le=64)] = 1
    threads: Annotated[int, msgspec.Meta(ge=0, le=512)] = 0


class Scripted(ModelSpec, frozen=True, tag="scripted", kw_only=True):
    """The shipped fake: answers at once from a hash of the request. Its rows prove nothing about any model.

    `faults` is the share of requests that fail on their first attempts, or end in one of the ways in which real
    replies end; which ones follows from the request.
    """

    script: Annotated[str, msgspec.Meta(pattern=r"^(plain|hostile)\Z")] = "plain"
    faults: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    concurrency: Parallel = 8


class Imported(ModelSpec, frozen=True, tag="imported", kw_only=True):
    """Replies that were made elsewhere: a JSONL or CSV file with a `prompt` and the `text` that answered it."""

    file: str


class VLLMOffline(ModelSpec, frozen=True, tag="vllm_offline", kw_only=True):
    """A model run in this process by vLLM, `chunk` requests at a time. `engine` holds vLLM's own settings by name.

    `model` is a folder or a hub name; without a `revision` a folder is known by the hash of its files.
    """

    model: str
    revision: str = "unpinned"
    chunk: Parallel = 256
    reasoning: Reasoning = "default"
    engine: dict[str, Any] = {}
    chat_template_kwargs: dict[str, Any] = {}


AnyModel = AnthropicAPI | Imported | LlamaLocal | OpenAIHTTP | Scripted | VLLMOffline


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


class Copy(Value, frozen=True):
    """The study's pairs once more, as a condition called `name`: nothing is generated for it.

    With `mask`, prompts and responses are those of the study with its two countries hidden; a copy at the level of
    names is the baseline of re-identification and is not judged. `replicate` above 0 has equal requests judged anew.
    Only some of the items are copied if `items` or `each` says how many, drawn as a `Part` with the copy's name.
    """

    name: Name
    title: Text
    mask: Level | Literal[""] = ""
    replicate: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    items: Annotated[int, msgspec.Meta(ge=0)] = 0
    each: Annotated[int, msgspec.Meta(ge=0)] = 0
    over: tuple[str, ...] = ()

    @property
    def judged(self) -> bool:
        """Whether judges score it."""
        return self.mask != "names"

    @property
    def part(self) -> Part | None:
        """The part of the items that is copied, None for all."""
        return Part(self.name, self.items, self.each, self.over) if self.items or self.each else None


class Reidentify(Value, frozen=True):
    """Judges name the two countries of every masked pair: by which task, and with which seed candidates are ordered."""

    task: EntryId
    seed: Seed


class LoopPolicy(Value, frozen=True):
    """What happens to a pair of which a response loops: both sides are asked again at `temperature`.

    At most `attempts` times, each with a seed of its own; a pair that loops in all of them stays a loop.
    Source: paper section 4.2, which gives the temperature; the number of attempts is this project's choice.
    """

    temperature: Annotated[float, msgspec.Meta(gt=0, le=2)] = 1.0
    attempts: Annotated[int, msgspec.Meta(ge=0, le=20)] = 3


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
    requests are taken over, `beside` runs that the report compares with, which need not be there. `replicate` above 0
    judges equal requests anew. `copies` are read beside the pairs, and with `reidentify` judges say of which countries
    the masked ones are.
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
    beside: tuple[Name, ...] = ()
    replicate: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    copies: tuple[Copy, ...] = ()
    reidentify: Reidentify | None = None
    loops: LoopPolicy = LoopPolicy()
    analysis: AnalysisSpec = AnalysisSpec()
