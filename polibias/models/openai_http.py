"""Any server that speaks the OpenAI chat-completions protocol: vLLM, llama.cpp, OpenRouter and others."""

import json
import os
import re
from typing import Any

from polibias.domain.rows import Request
from polibias.domain.study import OpenAIHTTP
from polibias.errors import Fatal, InputError, ProviderError, TooLong, Transient
from polibias.models.base import Call, Reply, chat_body, read_chat

RETRY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
CONTEXT = re.compile(r"context (length|size|window)|too many tokens|maximum .{0,20}tokens", re.IGNORECASE)


class OpenAIModel:
    """A model behind a URL. The API key stays in the environment and in the request's header, nowhere else."""

    adapter = "openai_http"

    def __init__(self, spec: OpenAIHTTP) -> None:
        self.spec = spec
        self.name = spec.name
        self.revision = spec.revision
        self.provider = spec.provider or spec.url
        self.concurrency = spec.concurrency
        self._secret = _secret(spec)
        self._client: Any = None

    def request(self, call: Call) -> Request:
        body = {**chat_body(call, self.spec.temperature, self.spec.seed), "model": self.spec.model, **self.spec.extra}
        return Request(self.adapter, self.revision, body, replicate=call.replicate)

    async def send(self, request: Request) -> Reply:
        import httpx2

        client = self._client or self._connect()
        try:
            answer = await client.post("chat/completions", content=json.dumps(request.body))
        except httpx2.HTTPError as error:
            raise Transient(f"{self.name}: {self._clean(str(error) or type(error).__name__)}") from None
        if answer.status_code != 200:
            raise self._failure(answer.status_code, answer.headers.get("retry-after"), answer.text)
        try:
            reply = read_chat(answer.json())
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise Transient(f"{self.name}: the server's answer is no chat completion") from None
        if reply.finish == "error":
            raise Transient(f"{self.name}: the server broke off the answer")
        return reply

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
        if status in (400, 413, 422) and CONTEXT.search(said):
            return TooLong(f"{self.name}: {said}")
        return Fatal(f"{self.name}: HTTP {status} from {self.provider}: {said}")

    def _clean(self, text: str) -> str:
        """A server's words on one printable line, without the key it may have echoed."""
        if self._secret:
            text = text.replace(self._secret, "[key]")
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
    return secret


def _message(body: str) -> str:
    try:
        error = json.loads(body)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, LookupError, TypeError, RecursionError):
        return body


def _seconds(retry_after: str | None) -> float | None:
    try:
        return max(0.0, float(retry_after)) if retry_after else None
    except ValueError:
        return None
