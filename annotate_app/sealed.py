"""The sealed file: what each opaque code stands for. `create` writes it, `export` reads it, nothing else may.

It lies outside the project's folder with mode 0600. The annotators' process runs without it.
"""

import hashlib
import hmac
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from polibias.domain.ids import canonical
from polibias.domain.rows import Design
from polibias.domain.sides import Both
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import read_document, storage_error, storing, write_document

CODE_DIGITS = 16


class SealedItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where one blind item comes from."""

    pair: str
    model: str
    responses: Both[str]
    design: Design


class Sealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A project's origin. `manifest` is the hash that names the sealed run, `key` (hex) made every code."""

    project: str
    run: str
    manifest: str
    rubric: str
    seed: int
    key: str
    items: dict[str, SealedItem]


def item_code(key: bytes, pair: str, model: str) -> str:
    """The opaque code of one pair as answered by one model."""
    return _keyed(key, ["item", pair, model])


def stratum_code(key: bytes, block: str) -> str:
    """The opaque code under which first sides are balanced."""
    return _keyed(key, ["stratum", block])


def _keyed(key: bytes, value: list[str]) -> str:
    return hmac.new(key, canonical(value), hashlib.sha256).hexdigest()[:CODE_DIGITS]


def sealed_path(name: str, folder: Path) -> Path:
    return folder / f"{name}.json"


def reserve(path: Path) -> None:
    """Claim the place of a sealed file. Raises InputError if it is taken, by another `create` at work too."""
    try:
        with storing(path.parent):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise InputError(f"{path}: there already; choose another name with --project") from None
    except OSError as error:
        raise storage_error(path, error) from None


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
