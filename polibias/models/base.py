"""The seam to every model: one request in, one reply out. `scripted` ships as the fake."""

from typing import Any, NamedTuple, Protocol

from polibias.domain.rows import Finish, Request, Usage


class Call(NamedTuple):
    """What is asked: one user message, no system prompt (paper section 4.2), and a JSON schema if wanted."""

    prompt: str
    max_tokens: int
    schema: dict[str, Any] | None = None
    replicate: int = 0


class Reply(NamedTuple):
    """What came back. `text` is exactly what the model wrote; `finish` says why it stopped."""

    text: str
    finish: Finish
    usage: Usage
    served_model: str = ""


class Model(Protocol):
    """A model that can be asked.

    `request` is pure: the same call gives the same request and so the same key. `send` raises Transient,
    TooLong or Fatal; anything else it returns is a reply. At most `concurrency` sends are under way at once.
    """

    name: str
    adapter: str
    revision: str
    provider: str
    concurrency: int

    def request(self, call: Call) -> Request: ...

    async def send(self, request: Request) -> Reply: ...

    async def close(self) -> None: ...


def wire_text(text: str) -> str:
    """`text` as it can travel in UTF-8: a lone surrogate becomes U+FFFD in the request, never in a record."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def chat_body(call: Call, temperature: float, seed: int) -> dict[str, Any]:
    """The part of a chat-completions body that all OpenAI-like models share, every parameter explicit."""
    body: dict[str, Any] = {
        "messages": [{"role": "user", "content": wire_text(call.prompt)}],
        "max_tokens": call.max_tokens,
        "temperature": temperature,
        "top_p": 1.0,
        "seed": seed + call.replicate,
        "stream": False,
    }
    if call.schema is not None:
        schema = {"name": "verdict", "strict": True, "schema": call.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


FINISH: dict[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "repetition": "repetition",
    "content_filter": "filter",
}


def read_chat(answer: dict[str, Any]) -> Reply:
    """A chat-completions answer as a reply. Raises LookupError, TypeError or AttributeError where it is none."""
    choice = answer["choices"][0]
    message = choice["message"]
    finish = FINISH.get(choice.get("finish_reason"), "error")
    if message.get("refusal"):
        finish = "refusal"
    usage = answer.get("usage") or {}
    text = message.get("content")
    if not isinstance(text, str | None):
        raise TypeError("content is neither text nor null")
    return Reply(
        text=text or "",
        finish=finish,
        usage=Usage(_count(usage, "prompt_tokens"), _count(usage, "completion_tokens")),
        served_model=str(answer.get("model") or ""),
    )


def _count(usage: dict[str, Any], name: str) -> int | None:
    value = usage.get(name)
    return value if type(value) is int and 0 <= value < 2**53 else None
