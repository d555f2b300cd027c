"""Boxes: labels that one person packs and another opens.

Whoever exports held-out labels knows the holder's public key alone and can pack a box; only the holder's private key
opens it. Made with libsodium's sealed boxes (X25519, XSalsa20-Poly1305): a box with any byte changed does not open.
"""

import hashlib
import os
import re
import secrets
from pathlib import Path

from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox

from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import reading, storing

PUBLIC = re.compile(r"[0-9a-f]{64}")
KEY_MARK = "polibias-holder-key-1 "
LONGEST = 1024
"""No more of a file is read as a key: it may be any file, of any size."""


def make_key(path: Path) -> str:
    """Write a new private key to a file that only its owner can read, and return the public key (64 hex digits).

    Raises InputError if the file is there.
    """
    key = PrivateKey(secrets.token_bytes(PrivateKey.SIZE))
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise InputError(f"{path}: there already; a key is never overwritten, name another file") from None
        with os.fdopen(fd, "wb") as file:
            file.write(f"{KEY_MARK}{bytes(key).hex()}\n".encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
    return bytes(key.public_key).hex()


def read_key(path: Path) -> PrivateKey:
    """The private key in a file. Raises InputError for a file that holds none; the key is in no message."""
    with reading(path), path.open("rb") as file:
        text = file.read(LONGEST).decode("ascii", "replace").strip()
    if not text.startswith(KEY_MARK) or not PUBLIC.fullmatch(text.removeprefix(KEY_MARK)):
        raise InputError(f"{path}: not the key that polibias prereg key wrote; ask its holder for it")
    return PrivateKey(bytes.fromhex(text.removeprefix(KEY_MARK)))


def public_key(text: str) -> str:
    """A public key as given. Raises InputError for anything else."""
    if not PUBLIC.fullmatch(text):
        raise InputError("--holder: not a public key of 64 hex digits; polibias prereg key printed it")
    try:
        packed(b"", text)
    except (CryptoError, ValueError):
        raise InputError("--holder: nobody can have this key; give the one that polibias prereg key printed") from None
    return text


def packed(data: bytes, holder: str) -> bytes:
    """The data in a box that only the holder of this public key opens."""
    return bytes(SealedBox(PublicKey(bytes.fromhex(holder))).encrypt(data))


def unpacked(path: Path, key: PrivateKey) -> bytes:
    """What a box holds. Raises InputError if this is not its key, or a byte of it was changed."""
    with reading(path):
        data = path.read_bytes()
    try:
        return bytes(SealedBox(key).decrypt(data))
    except (CryptoError, ValueError):
        raise InputError(
            f"{path}: this key does not open it; use the holder's key, or restore the box if it was changed"
        ) from None


def box_hash(path: Path) -> str:
    """The SHA-256 of a box. Raises DamagedRecord if it is gone."""
    if not path.exists():
        raise DamagedRecord(f"{path}: is gone; restore it from a copy")
    with reading(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
