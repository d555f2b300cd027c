"""The seam to every model: one request in, one reply out. `scripted` ships as the fake."""

from typing import Any, NamedTuple, Protocol

from polibias.domain.rows import Finish, Request, Usage
from polibias.domain.study import Temperature

UNSUPPORTED = "unsupported"


class Call(NamedTuple):
    """What is asked: one user message, no system prompt (paper section 4.2), and a JSON schema if wanted.

    `temperature` replaces the declared one. `replicate` tells deliberate repeats apart; it moves the seed.
    """

    prompt: str
    max_tokens: int
    schema: dict[str, Any] | None = None
    replicate: int = 0
    temperature: float | None = None


class Reply(NamedTuple):
    """What came back. `text` is exactly what the model wrote as its answer; `finish` says why it stopped.

    `reasoning` is what it wrote beside the answer, never part of it. `served_by` is the host that answered, where a
    broker names it, and `detail` what the server said about an answer that it withheld. `pause` asks for so many
    seconds before the next request to the same address, because nothing is left of its allowance.
    """

    text: str
    finish: Finish
    usage: Usage
    served_model: str = ""
    served_by: str = ""
    reasoning: str = ""
    detail: str = ""
    pause: float = 0.0

    @property
    def remarks(self) -> str:
        """What a row's note says about the reply."""
        beside = f"{len(self.reasoning)} characters of reasoning beside the answer" if self.reasoning else ""
        return "; ".join(part for part in (self.detail, beside) if part)


class Capacity(NamedTuple):
    """What a model takes: how many addresses it has, and what each may be sent; 0 per minute means no known limit.

    `own`: it runs in this process, where nobody has to be approached step by step.
    """

    concurrency: int
    addresses: int = 1
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    own: bool = False

    @property
    def at_once(self) -> int:
        """How many requests may be under way at all addresses together."""
        return self.concurrency * self.addresses


class Model(Protocol):
    """A model that can be asked.

    `request` is pure: the same call gives the same request and so the same key. `send` raises Transient, TooLong or
    Fatal; anything else it returns is a reply. `settings` says in words how the model is made to answer, for records
    and reports; `about` asks the server what it says of itself.
    """

    name: str
    adapter: str
    revision: str
    provider: str
    capacity: Capacity
    settings: dict[str, str]

    def request(self, call: Call) -> Request: ...

    async def send(self, request: Request, address: int = 0, /) -> Reply: ...

    async def about(self) -> dict[str, str]: ...

    async def close(self) -> None: ...


def wire_text(text: str) -> str:
    """`text` as it can travel in UTF-8: a lone surrogate becomes U+FFFD in the request, never in a record."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def chosen(call: Call, declared: Temperature) -> float | None:
    """The temperature of a call; None for a model that takes none."""
    if isinstance(declared, str):
        return None
    return declared if call.temperature is None else call.temperature


def chat_body(call: Call, temperature: Temperature, seed: int) -> dict[str, Any]:
    """The part of a chat-completions body that all OpenAI-like models share, every parameter explicit."""
    heat = chosen(call, temperature)
    body: dict[str, Any] = {
        "messages": [{"role": "user", "content": wire_text(call.prompt)}],
        "max_tokens": call.max_tokens,
        "seed": seed + call.replicate,
        "stream": False,
    }
    if heat is not None:
        body |= {"temperature": heat, "top_p": 1.0}
    if call.schema is not None:
        body["response_format"] = json_schema(call.schema)
    return body


def json_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema as the `response_format` of a chat completion."""
    return {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}


FINISH: dict[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "filter",
    "repetition": "repetition",
}


def read_chat(answer: dict[str, Any]) -> Reply:
    """A chat-completions answer as a reply. Raises LookupError, TypeError or AttributeError where it is none.

    The answer is the content and nothing else: a verdict in the reasoning channel is no verdict.
    """
    choice = answer["choices"][0]
    message = choice["message"]
    finish = FINISH.get(choice.get("finish_reason"), "error")
    refused = message.get("refusal")
    text = message.get("content")
    reasoning = message.get("reasoning") or message.get("reasoning_content")
    if not isinstance(text, str | None):
        raise TypeError("content is neither text nor null")
    return Reply(
        text=text or (refused if isinstance(refused, str) else ""),
        finish="refusal" if refused else finish,
        usage=read_usage(answer.get("usage") or {}),
        served_model=str(answer.get("model") or ""),
        served_by=str(answer.get("provider") or ""),
        reasoning=reasoning if isinstance(reasoning, str) else "",
    )


def read_usage(usage: dict[str, Any]) -> Usage:
    """What a chat-completions server counted and, if it says so, charged."""
    details = usage.get("completion_tokens_details") or {}
    return Usage(
        prompt_tokens=as_count(usage.get("prompt_tokens")),
        completion_tokens=as_count(usage.get("completion_tokens")),
        reasoning_tokens=as_count(details.get("reasoning_tokens")),
        cost=as_dollars(usage.get("cost")),
    )


def as_count(value: Any) -> int | None:
    """A count as a server gave it, or None where it is none."""
    return value if type(value) is int and 0 <= value < 2**53 else None


def as_dollars(value: Any) -> float | None:
    """A sum of money as a server gave it, or None where it is none."""
    return float(value) if type(value) in (int, float) and 0 <= value < 1e9 else None
