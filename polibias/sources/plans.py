"""Plans of validation, `prereg/*.toml` by name or path, and the samples that were drawn by them."""

import hashlib
import json
from pathlib import Path

import msgspec

from polibias.domain.plan import Plan
from polibias.domain.sample import SAMPLE_TAG, Sample
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import read_named, reading
from polibias.sources.files import no_such, read_toml

FOLDER = Path("prereg")
SAMPLE_ENDING = ".sample.json"


def find_plan(name: str) -> Path:
    """The file that `name` means: a path, or the name of a file in `prereg/`."""
    path = Path(name)
    if path.suffix == ".toml" or "/" in name:
        return path
    known = {file.stem: file for file in sorted(FOLDER.glob("*.toml"))}
    if name not in known:
        raise no_such("plan", name, known, f"{FOLDER}/")
    return known[name]


def read_plan(path: Path) -> Plan:
    """The declared plan. Raises InputError, naming file and place, for what cannot be read."""
    plan = read_toml(path, Plan)
    if plan.id != path.stem:
        raise InputError(f"{path}: its id is '{plan.id}'; name the file {plan.id}.toml or correct the id")
    if len(set(plan.sample.judges)) < len(plan.sample.judges):
        raise InputError(f"{path}: it compares judge '{plan.sample.judges[0]}' with itself; name two")
    return plan


def sample_path(plan: Path) -> Path:
    """Where the sample of a plan lies: beside it."""
    return plan.with_name(plan.stem + SAMPLE_ENDING)


def read_sample(path: Path) -> tuple[Sample, str]:
    """A drawn sample and the hash that names it. Raises DamagedRecord unless it is exactly what was written."""
    body = read_named(path, SAMPLE_TAG)
    name = body.pop("hash")
    try:
        return msgspec.convert(body, type=Sample), name
    except msgspec.ValidationError as error:
        raise DamagedRecord(f"{path}: no sample of this version ({error})") from None


def read_excluded(paths: tuple[str, ...], folder: Path) -> tuple[set[str], dict[str, str]]:
    """The ids of pairs that these files name, and the SHA-256 of each file; paths count from `folder`.

    A file is a sample (`.json`), or a text with one pair id a line. A pair is excluded as answered by every model.
    """
    ids: set[str] = set()
    hashes: dict[str, str] = {}
    for name in paths:
        path = folder / name
        with reading(path):
            data = path.read_bytes()
        hashes[name] = hashlib.sha256(data).hexdigest()
        ids |= {one.pair for one in read_sample(path)[0].pairs} if path.suffix == ".json" else _lines(path, data)
    return ids, hashes


def _lines(path: Path, data: bytes) -> set[str]:
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start + 1} is not UTF-8; save the file as UTF-8") from None
    ids = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    for one in ids:
        if len(one) != 64 or not set(one) <= set("0123456789abcdef"):
            raise InputError(f"{path}: {json.dumps(one[:70])} is no pair id, which has 64 hex digits; write one a line")
    return ids
