"""Claude through Anthropic's Messages interface and the official client.

The client's own argument for temperature is gone, and newer interface versions refuse sampling parameters on every
model, so the request names an interface version and carries temperature in the raw body. Claude models that refuse it
under any version must be declared with ``temperature = "unsupported"``; nothing is sent then and every record says so.
"""

import asyncio
import json
import os
import re
import warnings
from collections.abc import Mapping
from typing import Any

from polibias.domain.rows import Finish, Request, Usage
from polibias.domain.study import AnthropicAPI
from polibias.errors import InputError, ProviderError, Transient
from polibias.models.base import UNSUPPORTED, Call, Capacity, Reply, as_count, chosen, wire_text
from polibias.models.credentials import Credential
from polibias.models.failures import Refused, accepted, never_sent, pause, withheld
from polibias.models.openai_http import origin

# From these versions on a family answers 400 to a temperature, whatever the interface version.
REFUSES_TEMPERATURE = {"opus": (4, 7), "sonnet": (5, 0), "haiku": (5, 0), "fable": (0, 0), "mythos": (0, 0)}
VERSION_IN_NAME = re.compile(r"claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?:-|\Z)")
ADAPTIVE = (4, 6)  # before it, thinking needs a budget of tokens
LEAST_THINKING = 1024
FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
HEADERS_OF_NO_RECORD = "ANTHROPIC_CUSTOM_HEADERS"


class AnthropicModel:
    """A Claude model. The key stays in the environment and in the request's header."""

    adapter = "anthropic_api"

    def __init__(self, spec: AnthropicAPI, keyless: bool = False) -> None:
        self.spec = spec
        self.name = spec.name
        self.revision = spec.revision
        self.provider = spec.billed_by or f"anthropic's interface at {origin(spec.url)}"
        self.capacity = Capacity(spec.concurrency, 1, spec.requests_per_minute, spec.tokens_per_minute)
        self.settings = {
            "interface": spec.version,
            "temperature": str(spec.temperature),
            "reasoning": spec.reasoning,
            "constrained": "yes" if spec.constrained else "no",
            "seed": UNSUPPORTED,
        }
        _check(spec)
        self.credential = Credential(spec, keyless)
        self._client: Any = None

    def request(self, call: Call) -> Request:
        spec, heat = self.spec, chosen(call, self.spec.temperature)
        body: dict[str, Any] = {
            "model": spec.model,
            "max_tokens": call.max_tokens,
            "messages": [{"role": "user", "content": wire_text(call.prompt)}],
        }
        output: dict[str, Any] = {}
        if heat is not None:
            body["temperature"] = heat
        if spec.reasoning == "off":
            body["thinking"] = {"type": "disabled"}
        elif spec.reasoning != "default" and _version(spec.model) < ADAPTIVE:
            body["thinking"] = {"type": "enabled", "budget_tokens": LEAST_THINKING}
        elif spec.reasoning != "default":
            body["thinking"], output["effort"] = {"type": "adaptive"}, "low"
        if call.schema is not None and spec.constrained:
            output["format"] = {"type": "json_schema", "schema": _bounded_by_enums(call.schema)}
        if output:
            body["output_config"] = output
        headers = {"anthropic-version": spec.version}
        return Request(self.adapter, self.revision, body | spec.extra, headers, replicate=call.replicate)

    async def send(self, request: Request, _address: int = 0) -> Reply:
        client = self._client or self._connect()
        import anthropic  # only now: `_connect` says what to install where it is missing

        named = {name: value for name, value in request.body.items() if name in NAMED}
        raw = {name: value for name, value in request.body.items() if name not in NAMED}
        try:
            async with asyncio.timeout(self.spec.timeout):
                answer = await client.messages.with_raw_response.create(
                    **named, extra_body=raw, extra_headers=request.headers
                )
            return self._reply(answer.http_response.content, answer.headers)
        except ProviderError:
            raise
        except anthropic.APIStatusError as error:
            return self._refused(error)
        except Exception as error:  # noqa: BLE001 - whatever a server's bytes do to the client can heal
            said = self.credential.clean(str(error.__cause__ or error) or type(error).__name__)
            raise Transient(f"{self.name}: {said}", unpaid=never_sent(error)) from None

    def _refused(self, error: Any) -> Reply:
        body = error.response.content.decode("utf-8", "replace")
        answer = Refused(error.status_code, error.response.headers, body)
        return withheld(self.name, self.provider, self.credential, answer)

    def _reply(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        try:
            reply = read_message(json.loads(body))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise Transient(f"{self.name}: the server's answer is no message", unpaid=False) from None
        return accepted(self.name, self.provider, self.credential, reply)._replace(pause=pause(headers))

    def _connect(self) -> Any:
        import httpx2
        from httpx_aiohttp.httpx2 import AiohttpTransport

        anthropic = _anthropic()
        if os.environ.get(HEADERS_OF_NO_RECORD):
            raise InputError(f"{HEADERS_OF_NO_RECORD} is set: it would add headers that no record names; unset it")
        # The client warns of models that will be retired; which model is asked is the study's choice.
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=__name__)
        limits = httpx2.Limits(max_connections=self.capacity.concurrency)
        transport = AiohttpTransport(limits=limits)
        self._client = anthropic.AsyncAnthropic(
            api_key=self.credential.secret,
            base_url=self.spec.url,
            max_retries=0,
            timeout=self.spec.timeout,
            open_telemetry=False,
            http_client=httpx2.AsyncClient(transport=transport, timeout=self.spec.timeout, follow_redirects=False),
        )
        return self._client

    async def about(self) -> dict[str, str]:
        return {}

    async def close(self) -> None:
        if self._client:
            await self._client.close()
            self._client = None


NAMED = frozenset({"model", "max_tokens", "messages", "thinking", "output_config"})


def read_message(answer: dict[str, Any]) -> Reply:
    """A message as a reply; why it stopped is read before what it says.

    Raises LookupError, TypeError or AttributeError where it is no message.
    """
    finish = FINISH.get(answer["stop_reason"], "error")
    blocks = answer["content"]
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    thinking = "".join(block.get("thinking", "") for block in blocks if block["type"] == "thinking")
    why = (answer.get("stop_details") or {}).get("category")
    return Reply(
        text=text,
        finish=finish,
        usage=read_usage(answer.get("usage") or {}),
        served_model=str(answer.get("model") or ""),
        reasoning=thinking,
        detail=f"refused: {why}" if finish == "refusal" and why else "",
    )


def read_usage(usage: dict[str, Any]) -> Usage:
    """What Anthropic counted: a prompt's tokens lie in three fields, cached or not."""
    fields = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    read = [count for name in fields if (count := as_count(usage.get(name))) is not None]
    details = usage.get("output_tokens_details") or {}
    return Usage(
        prompt_tokens=sum(read) if read else None,
        completion_tokens=as_count(usage.get("output_tokens")),
        reasoning_tokens=as_count(details.get("thinking_tokens")),
    )


def _check(spec: AnthropicAPI) -> None:
    """Raise InputError for a temperature that this model is known to refuse."""
    if spec.reasoning in ("minimal", "low") and spec.temperature not in (UNSUPPORTED, 1):
        raise InputError(
            f"model '{spec.name}': Claude takes no temperature while it thinks; write reasoning = \"off\", "
            f'or temperature = "{UNSUPPORTED}"'
        )
    found = VERSION_IN_NAME.search(spec.model)
    refuses = found is not None and _version(spec.model) >= REFUSES_TEMPERATURE.get(found[1], (99, 0))
    if refuses and spec.temperature != UNSUPPORTED:
        raise InputError(
            f"model '{spec.name}': {spec.model} takes no temperature; "
            f'write temperature = "{UNSUPPORTED}", and every record will say so'
        )


def _version(model: str) -> tuple[int, int]:
    """The version in a model's name; the newest for a name that holds none."""
    found = VERSION_IN_NAME.search(model)
    return (int(found[2]), int(found[3] or 0)) if found else (99, 0)


def _bounded_by_enums(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with bounds on lengths as words; this interface refuses the keyword, our own reading checks it."""
    kept = {name: value for name, value in schema.items() if name != "maxLength"}
    if "maxLength" in schema:
        kept["description"] = f"at most {schema['maxLength']} characters"
    if isinstance(kept.get("items"), dict):
        kept["items"] = _bounded_by_enums(kept["items"])
    if "properties" in kept:
        kept["properties"] = {name: _bounded_by_enums(part) for name, part in kept["properties"].items()}
    return kept


def _anthropic() -> Any:
    try:
        import anthropic
    except ImportError:
        raise InputError("Claude needs Anthropic's client; run: pip install 'polibias[anthropic]'") from None
    return anthropic
