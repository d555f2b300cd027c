"""The sealed file: what each opaque code stands for. `create` writes it, `export` reads it, nothing else may.

It lies outside the project's folder with mode 0600, beside the key that makes one code of one pair in every project.
The annotators' process runs without either.
"""

import contextlib
import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from annotate_app.questions import StudyKind
from polibias.domain.ids import canonical
from polibias.domain.rows import Design
from polibias.domain.sides import Both
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import read_document, reading, storing, write_document, write_file

CODE_DIGITS = 16
KEY_BYTES = 32
PAIR_KEY = "pairs.key"


class PairOrigin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="pair"):
    """A pair as answered by one model. `names_itself` holds the words with which responses give their model away."""

    pair: str
    model: str
    responses: Both[str]
    design: Design
    names_itself: tuple[str, ...] = ()


class MaskedOrigin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="masked"):
    """A masked pair: which countries stand behind X and Y, and the category it is counted under."""

    pair: str
    model: str
    x: str
    y: str
    category: str


AnyOrigin = PairOrigin | MaskedOrigin


class PlanTie(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The locked plan that a project belongs to: its id, the lock's hash, who can open held-out labels, and the pairs
    whose labels are held out, with all copies of them.
    """

    plan: str
    lock: str
    holder: str
    held_out: tuple[str, ...]


class Sealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A project's origin. `manifest` is the hash that names the sealed run or the file the items come from.

    `key` (hex) made every code of this project. `strata` names the stratum of each item of a drawn sample; the block is
    that of every other.
    """

    project: str
    kind: StudyKind
    run: str
    manifest: str
    rubric: str
    seed: int
    key: str
    items: dict[str, AnyOrigin]
    strata: dict[str, str] = {}
    plan: PlanTie | None = None


def item_code(key: bytes, pair: str, model: str) -> str:
    """The opaque code of one pair as answered by one model."""
    return _keyed(key, ["item", pair, model])


def stratum_code(key: bytes, block: str) -> str:
    """The opaque code under which first sides are balanced."""
    return _keyed(key, ["stratum", block])


def pair_code(pair_key: bytes, pair: str) -> str:
    """The opaque code of a pair, the same in every project made with this key."""
    return _keyed(pair_key, ["pair", pair])


def key_name(pair_key: bytes) -> str:
    """What tells keys apart without giving them away."""
    return _keyed(pair_key, ["name"])


def _keyed(key: bytes, value: list[str]) -> str:
    return hmac.new(key, canonical(value), hashlib.sha256).hexdigest()[:CODE_DIGITS]


def pair_key(folder: Path) -> bytes:
    """The folder's key for pairs, made at the first call; two at work at once get the same one.

    Raises DamagedRecord for a file that holds no key.
    """
    path = folder / PAIR_KEY
    if not path.exists():
        _make_key(path)
    with reading(path):
        text = path.read_text("ascii", "replace")
    if not re.fullmatch(rf"[0-9a-f]{{{2 * KEY_BYTES}}}", text):
        raise DamagedRecord(f"{path}: not a key for pairs; restore it from a copy")
    return bytes.fromhex(text)


def _make_key(path: Path) -> None:
    """Write a key beside its place and link it there, unless another one got there first."""
    mine = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with _private(), storing(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            write_file(mine, secrets.token_hex(KEY_BYTES).encode("ascii"))
            with contextlib.suppress(FileExistsError):
                os.link(mine, path)
        finally:
            mine.unlink(missing_ok=True)


def sealed_path(name: str, folder: Path) -> Path:
    return folder / f"{name}.json"


def write_sealed(path: Path, sealed: Sealed) -> None:
    """Store the file so that only its owner can read it, from the first byte on."""
    with _private():
        write_document(path, sealed)
    path.chmod(0o600)


@contextmanager
def _private() -> Iterator[None]:
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def read_sealed(path: Path) -> Sealed:
    """The sealed file. Raises InputError if it is missing, DamagedRecord if a code does not follow from its key."""
    if not path.is_file():
        raise InputError(f"{path}: no such sealed file; name its folder with --sealed")
    try:
        sealed = msgspec.convert(read_document(path), type=Sealed)
        key = bytes.fromhex(sealed.key)
    except (msgspec.ValidationError, ValueError):
        raise DamagedRecord(f"{path}: not a sealed project file; restore it from a copy") from None
    for code, item in sealed.items.items():
        if code != item_code(key, item.pair, item.model):
            raise DamagedRecord(f"{path}: the code {code} was not made with this file's key; restore it from a copy")
    return sealed
