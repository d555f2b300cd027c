"""Any server that speaks the OpenAI chat-completions protocol: vLLM, llama.cpp, OpenRouter and others."""

import asyncio
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from polibias.domain.rows import Request
from polibias.domain.study import OpenAIHTTP
from polibias.errors import Fatal, ProviderError, Transient
from polibias.models.base import Call, Capacity, Reply, chat_body, read_chat
from polibias.models.credentials import Credential
from polibias.models.failures import Refused, accepted, never_sent, pause, withheld

LARGEST_ANSWER = 16 << 20
LOOK = 15.0
CONNECT = 30.0
# What vLLM would otherwise take from the model's own generation settings.
VLLM_NEUTRAL: dict[str, Any] = {
    "top_k": 0,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
NO_THINKING = {"chat_template_kwargs": {"enable_thinking": False}}


class OpenAIModel:
    """A model behind one or several URLs. The key stays in the environment and in the request's header."""

    adapter = "openai_http"

    def __init__(self, spec: OpenAIHTTP, keyless: bool = False) -> None:
        self.spec = spec
        self.name = spec.name
        self.revision = spec.revision
        self.provider = spec.billed_by or ", ".join(dict.fromkeys(origin(url) for url in spec.urls))
        self.capacity = Capacity(spec.concurrency, len(spec.urls), spec.requests_per_minute, spec.tokens_per_minute)
        self.settings = settings(spec)
        self.credential = Credential(spec, keyless)
        self._transport: Any = None
        self._targets: dict[str, tuple[Any, Any]] = {}

    def request(self, call: Call) -> Request:
        spec = self.spec
        body = chat_body(call if spec.constrained else call._replace(schema=None), spec.temperature, spec.seed)
        body = {**DIALECTS[spec.server](spec, body), "model": spec.model, **spec.extra}
        return Request(self.adapter, self.revision, body, replicate=call.replicate)

    async def send(self, request: Request, address: int = 0) -> Reply:
        url = self.spec.urls[address].rstrip("/") + "/chat/completions"
        status, headers, body = await self._exchange("POST", url, json.dumps(request.body))
        if status != 200:
            return self._refused(Refused(status, headers, body.decode("utf-8", "replace")))
        return self._reply(body, headers)

    async def about(self) -> dict[str, str]:
        """What the server says of the model and of itself, as far as it does."""
        base = self.spec.urls[0].rstrip("/")
        listed = await self._look(f"{base}/models")
        version = await self._look(f"{base.removesuffix('/v1')}/version")
        models = listed.get("data") if isinstance(listed.get("data"), list) else []
        own = next((one for one in models or [] if isinstance(one, dict) and one.get("id") == self.spec.model), {})
        found = {"max_model_len": own.get("max_model_len"), "version": version.get("version")}
        return {name: self.credential.clean(str(value)) for name, value in found.items() if value is not None}

    async def _look(self, url: str) -> dict[str, Any]:
        try:
            async with asyncio.timeout(LOOK):
                status, _, body = await self._exchange("GET", url, "")
            value = json.loads(body) if status == 200 else {}
        except (ProviderError, TimeoutError, ValueError, RecursionError):
            value = {}
        return value if isinstance(value, dict) else {}

    async def _exchange(self, method: str, url: str, content: str) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body. Raises Transient for whatever a server's bytes do to the libraries below."""
        transport = self._transport or self._connect()
        try:
            async with asyncio.timeout(self.spec.timeout):
                answer = await transport.handle_async_request(self._prepared(method, url, content))
                try:
                    headers = {
                        name.decode("ascii").lower(): value.decode("latin-1") for name, value in answer.headers.raw
                    }
                    return answer.status_code, headers, await self._read(answer)
                finally:
                    await answer.aclose()
        except ProviderError:
            raise
        except Exception as error:  # noqa: BLE001 - all of it can heal
            said = self.credential.clean(str(error) or type(error).__name__)
            raise Transient(f"{self.name}: {said}", unpaid=never_sent(error)) from None

    async def _read(self, answer: Any) -> bytes:
        """The body, unpacked if the server packed it although it was not asked to; never more than is sensible."""
        coding = answer.headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("identity", "gzip"):
            raise Transient(
                f"{self.name}: the server packed its answer in a way that it was not asked to", unpaid=False
            )
        unpack = zlib.decompressobj(zlib.MAX_WBITS | 16) if coding == "gzip" else None
        body = bytearray()
        async for part in answer.stream:
            body += unpack.decompress(part, LARGEST_ANSWER + 1) if unpack else part
            if len(body) > LARGEST_ANSWER:
                said = f"{self.name}: the server's answer is larger than {LARGEST_ANSWER >> 20} MiB"
                raise Transient(said, unpaid=False)
        return bytes(body)

    def _reply(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        try:
            answer = json.loads(body)
            embedded = answer.get("error") or answer["choices"][0].get("error")
            if embedded:
                return self._refused(_embedded(embedded, headers))
            reply = read_chat(answer)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise Transient(f"{self.name}: the server's answer is no chat completion", unpaid=False) from None
        reply = accepted(self.name, self.provider, self.credential, reply)
        if self.spec.hosts and not is_host(reply.served_by, self.spec.hosts):
            raise Fatal(
                f"{self.name}: {reply.served_by or 'a host without a name'} answered, and the study pins "
                f"{', '.join(self.spec.hosts)}; correct hosts. The reply was not kept"
            )
        return reply._replace(pause=pause(headers))

    def _refused(self, answer: Refused) -> Reply:
        return withheld(self.name, self.provider, self.credential, answer)

    def _connect(self) -> Any:
        """The transport alone: a client above it would follow redirects, keep cookies and take twice the time."""
        import httpx2
        from httpx_aiohttp.httpx2 import AiohttpTransport

        self._transport = AiohttpTransport(limits=httpx2.Limits(max_connections=self.capacity.at_once))
        return self._transport

    def _prepared(self, method: str, url: str, content: str) -> Any:
        """The request as httpx2 knows it. What is the same for all is made once."""
        import httpx2

        if url not in self._targets:
            headers = {"host": urlsplit(url).netloc, "content-type": "application/json", "accept": "application/json"}
            headers["accept-encoding"] = "identity"
            if self.credential.secret:
                headers["authorization"] = f"Bearer {self.credential.secret}"
            self._targets[url] = httpx2.URL(url), httpx2.Headers(headers)
        target, headers = self._targets[url]
        seconds = self.spec.timeout
        limits = {"connect": min(seconds, CONNECT), "read": seconds, "write": seconds, "pool": seconds}
        data = httpx2.ByteStream(content.encode("utf-8"))  # a tenth of the time that `content` takes
        request = httpx2.Request(method, target, headers=headers, stream=data, extensions={"timeout": limits})
        request.read()
        return request

    async def close(self) -> None:
        if self._transport:
            await self._transport.aclose()
            self._transport = None


def is_host(named: str, pinned: Sequence[str]) -> bool:
    """Whether a host's display name (`Z.AI`, `Google`) can be one of the pinned slugs (`z-ai`, `google-vertex`)."""
    name = _letters(named)
    slugs = [_letters(slug.split("/")[0]) for slug in pinned]
    return bool(name) and any(name.startswith(slug) or slug.startswith(name) for slug in slugs)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def origin(url: str) -> str:
    """Where a URL leads, without its path: a path can hold what is nobody's business."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")


def _embedded(error: Any, headers: Mapping[str, str]) -> Refused:
    """An error inside an answer whose status says that all is well."""
    code = error.get("code") if isinstance(error, dict) else None
    return Refused(code if type(code) is int and 400 <= code < 600 else 502, headers, json.dumps({"error": error}))


def _openai(spec: OpenAIHTTP, body: dict[str, Any]) -> dict[str, Any]:
    effort = "none" if spec.reasoning == "off" else spec.reasoning
    return body if spec.reasoning == "default" else body | {"reasoning_effort": effort}


def _vllm(spec: OpenAIHTTP, body: dict[str, Any]) -> dict[str, Any]:
    """Everything explicit; white space between JSON tokens is off, because models loop in it up to the cap."""
    schema = body.pop("response_format", None)
    if schema:
        wanted = schema["json_schema"]["schema"]
        body = body | {"structured_outputs": {"json": wanted, "disable_any_whitespace": True}}
    effort = {} if spec.reasoning == "default" else {"reasoning_effort": spec.reasoning}
    return body | VLLM_NEUTRAL | (NO_THINKING if spec.reasoning == "off" else effort)


def _llama_cpp(spec: OpenAIHTTP, body: dict[str, Any]) -> dict[str, Any]:
    """A reused prompt cache changes greedy replies, so none is used."""
    effort = (
        {} if spec.reasoning in ("default", "off") else {"chat_template_kwargs": {"reasoning_effort": spec.reasoning}}
    )
    return body | {"cache_prompt": False} | (NO_THINKING if spec.reasoning == "off" else effort)


def _openrouter(spec: OpenAIHTTP, body: dict[str, Any]) -> dict[str, Any]:
    """The named hosts, in whatever order, at the named precision or nobody; only hosts that honour every parameter."""
    provider: dict[str, Any] = {"only": sorted(spec.hosts), "allow_fallbacks": False, "require_parameters": True}
    if spec.quantizations:
        provider["quantizations"] = sorted(spec.quantizations)
    effort = "none" if spec.reasoning == "off" else spec.reasoning
    reasoning = {} if spec.reasoning == "default" else {"reasoning": {"effort": effort}}
    return body | {"provider": provider} | reasoning


DIALECTS = {"openai": _openai, "vllm": _vllm, "llama_cpp": _llama_cpp, "openrouter": _openrouter}


def settings(spec: OpenAIHTTP) -> dict[str, str]:
    """How the model is made to answer, in words."""
    pinned = {"hosts": ", ".join(spec.hosts), "quantizations": ", ".join(spec.quantizations)}
    return {
        "server": spec.server,
        "temperature": str(spec.temperature),
        "reasoning": spec.reasoning,
        "constrained": "yes" if spec.constrained else "no",
        **{name: value for name, value in pinned.items() if value},
    }
