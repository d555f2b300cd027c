"""Any server that speaks the OpenAI chat-completions protocol: vLLM, llama.cpp, OpenRouter and others."""

import asyncio
import json
import math
import os
import re
from typing import Any
from urllib.parse import quote, quote_plus

from polibias.domain.rows import Request
from polibias.domain.study import OpenAIHTTP
from polibias.errors import Fatal, InputError, ProviderError, TooLong, Transient
from polibias.models.base import Call, Reply, chat_body, read_chat

RETRY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|exceeds? .{0,40}context", re.IGNORECASE
)
LARGEST_ANSWER = 64 << 20
LONGEST_WAIT = 600.0


class OpenAIModel:
    """A model behind a URL. The API key stays in the environment and in the request's header, nowhere else."""

    adapter = "openai_http"

    def __init__(self, spec: OpenAIHTTP, keyless: bool = False) -> None:
        self.spec = spec
        self.name = spec.name
        self.revision = spec.revision
        self.provider = spec.provider or spec.url
        self.concurrency = spec.concurrency
        self._secret = "" if keyless else _secret(spec)
        self._secrets = _spellings(self._secret)
        self._client: Any = None

    def request(self, call: Call) -> Request:
        body = {**chat_body(call, self.spec.temperature, self.spec.seed), "model": self.spec.model, **self.spec.extra}
        return Request(self.adapter, self.revision, body, replicate=call.replicate)

    async def send(self, request: Request) -> Reply:
        try:
            async with asyncio.timeout(self.spec.timeout):
                status, retry_after, body = await self._exchange(json.dumps(request.body))
        except ProviderError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a server's bytes do to the libraries below can heal
            raise Transient(f"{self.name}: {self._clean(str(error) or type(error).__name__)}") from None
        if status != 200:
            raise self._failure(status, retry_after, body.decode("utf-8", "replace"))
        return self._reply(body)

    async def _exchange(self, content: str) -> tuple[int, str | None, bytes]:
        client = self._client or self._connect()
        async with client.stream("POST", "chat/completions", content=content) as answer:
            body = bytearray()
            async for part in answer.aiter_bytes():
                body += part
                if len(body) > LARGEST_ANSWER:
                    raise Transient(f"{self.name}: the server's answer is larger than {LARGEST_ANSWER >> 20} MiB")
            return answer.status_code, answer.headers.get("retry-after"), bytes(body)

    def _reply(self, body: bytes) -> Reply:
        try:
            reply = read_chat(json.loads(body))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise Transient(f"{self.name}: the server's answer is no chat completion") from None
        if any(secret in reply.text for secret in self._secrets):
            raise Fatal(f"{self.name}: the reply of {self.provider} contains the API key; nothing of it was kept")
        if reply.finish == "error":
            raise Transient(f"{self.name}: the server broke off the answer")
        return reply._replace(served_model=self._clean(reply.served_model))

    def _connect(self) -> Any:
        import httpx2
        from httpx_aiohttp.httpx2 import AiohttpTransport

        headers = {"content-type": "application/json"}
        if self._secret:
            headers["authorization"] = f"Bearer {self._secret}"
        limits = httpx2.Limits(max_connections=self.concurrency)
        self._client = httpx2.AsyncClient(
            base_url=self.spec.url.rstrip("/") + "/",
            headers=headers,
            timeout=self.spec.timeout,
            transport=AiohttpTransport(limits=limits),
        )
        return self._client

    def _failure(self, status: int, retry_after: str | None, body: str) -> ProviderError:
        said = self._clean(_message(body))
        if status in RETRY:
            return Transient(f"{self.name}: HTTP {status} {said}", _seconds(retry_after))
        if status in (400, 413, 422) and CONTEXT.search(f"{said} {_kind(body)}"):
            return TooLong(f"{self.name}: {said}")
        return Fatal(f"{self.name}: HTTP {status} from {self.provider}: {said}")

    def _clean(self, text: str) -> str:
        """A server's words on one printable line, without the key it may have echoed."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:200]

    async def close(self) -> None:
        if self._client:
            await self._client.aclose()
            self._client = None


def _secret(spec: OpenAIHTTP) -> str:
    if not spec.api_key_env:
        return ""
    secret = os.environ.get(spec.api_key_env, "")
    if not secret:
        raise InputError(f"model '{spec.name}': the environment variable {spec.api_key_env} is not set")
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise InputError(f"model '{spec.name}': the key in {spec.api_key_env} has a space, line end or odd character")
    return secret


def _spellings(secret: str) -> tuple[str, ...]:
    """The secret as it may come back: plain, in JSON, in a URL. The longest first, so that no part is left."""
    if not secret:
        return ()
    forms = {secret, json.dumps(secret)[1:-1], quote(secret), quote(secret, safe=""), quote_plus(secret)}
    return tuple(sorted(forms, key=len, reverse=True))


def _kind(body: str) -> str:
    """The machine-readable kind of an error, where the server gives one."""
    try:
        error = json.loads(body)["error"]
        return f"{error.get('code')} {error.get('type')}"
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""


def _message(body: str) -> str:
    try:
        error = json.loads(body)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, LookupError, TypeError, RecursionError):
        return body


def _seconds(retry_after: str | None) -> float | None:
    """The server's waiting time, within ten minutes: a run never sleeps for good because a server said so."""
    try:
        seconds = float(retry_after) if retry_after else math.nan
    except ValueError:
        return None
    return None if math.isnan(seconds) else min(max(0.0, seconds), LONGEST_WAIT)
