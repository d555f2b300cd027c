"""Replies that were made elsewhere, read from a file: each answers the prompt that stands beside it.

A line of JSONL or CSV has `prompt` (or `prompt_sha256`, over its UTF-8 bytes) and `text`; `finish`, `served_model`,
`prompt_tokens` and `completion_tokens` may follow.
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from polibias.domain.rows import Finish, Request, Usage
from polibias.domain.study import Imported
from polibias.errors import Fatal, InputError
from polibias.models.base import Call, Capacity, Reply, as_count

FINISHES = tuple(name for name in get_args(Finish) if name != "error")
LONGEST_FIELD = 1 << 27


class ImportedModel:
    """A file in the place of a model, read when it is first asked; held in memory, one text per prompt.

    A file may grow while the run goes on, so its hash is no part of a key; `provider` names it in the run's record.
    """

    adapter = "imported"
    capacity = Capacity(64, own=True)
    revision = "as imported"

    def __init__(self, spec: Imported) -> None:
        self.spec = spec
        self.name = spec.name
        self.provider = f"imported from {Path(spec.file).name}, {_hash(Path(spec.file))}"
        self.settings = {"replies": "made elsewhere; how is not known here"}

    @cached_property
    def _replies(self) -> dict[str, Reply]:
        path = Path(self.spec.file)
        return dict(_replies(path, _bytes(path)))

    def request(self, call: Call) -> Request:
        body = {"messages": [{"role": "user", "content": call.prompt}], "max_tokens": call.max_tokens}
        return Request(self.adapter, self.revision, body, replicate=call.replicate)

    async def send(self, request: Request, _address: int = 0) -> Reply:
        prompt = request.body["messages"][0]["content"]
        reply = None if request.replicate else self._replies.get(_name(prompt))
        if reply is None:
            again = " asked again after a loop" if request.replicate else ""
            raise Fatal(
                f"{self.spec.file}: no reply to the prompt{again} that begins {prompt[:60]!r}; "
                "polibias export prompts writes all that are needed, and the same command goes on once they are there"
            )
        return reply

    async def about(self) -> dict[str, str]:
        return {"replies": str(len(self._replies))}

    async def close(self) -> None:
        return None


def _hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return f"SHA-256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
    except (OSError, ValueError):
        return "not there yet"


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!a}: cannot be read ({getattr(error, 'strerror', error)})") from None


def _name(prompt: str) -> str:
    return hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()


def _replies(path: Path, data: bytes) -> Iterator[tuple[str, Reply]]:
    """Every reply under its prompt's hash. Raises InputError, naming the line, for what is none or a second one."""
    seen: dict[str, str] = {}
    for where, record in _records(path, data):
        prompt, text = record.get("prompt"), record.get("text")
        name = _name(prompt) if isinstance(prompt, str) and prompt else str(record.get("prompt_sha256") or "").lower()
        if len(name) != 64 or not isinstance(text, str):
            raise InputError(f"{where}: needs a prompt (or prompt_sha256) and a text")
        if name in seen:
            raise InputError(f"{where}: answers the same prompt as {seen[name]}; keep one")
        seen[name] = where
        yield name, _reply(where, record, text)


def _reply(where: str, record: Mapping[str, Any], text: str) -> Reply:
    finish: Any = record.get("finish") or "stop"
    if finish not in FINISHES:
        raise InputError(f"{where}: finish is '{finish}'; use one of {', '.join(FINISHES)}")
    tokens = (record.get(name) for name in ("prompt_tokens", "completion_tokens"))
    counts = (
        as_count(
            int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16 else value
        )
        for value in tokens
    )
    return Reply(text, finish, Usage(*counts), str(record.get("served_model") or ""))


def _records(path: Path, data: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each line or row with its place."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    if path.suffix.lower() == ".csv":
        csv.field_size_limit(LONGEST_FIELD)
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        try:
            for record in reader:
                yield f"{path}:{reader.line_num}", record
        except csv.Error as error:
            raise InputError(f"{path}:{reader.line_num}: not CSV ({error})") from None
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"{path}:{number}", _object(f"{path}:{number}", line)


def _object(where: str, line: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise InputError(f"{where}: not a JSON object")
    return record
