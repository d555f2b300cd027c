"""Names made from content: canonical JSON and tagged SHA-256.

One serialisation serves every hash and every stored line, so that a line can be compared with itself:
keys sorted, no spaces, ASCII only, no NaN. ASCII escapes carry any Python string, lone surrogates
included, through UTF-8 files unchanged.
"""

import hashlib
import json
from typing import Any

import msgspec

ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def plain(value: Any) -> Any:
    """Structs, tuples and enums as the JSON types that canonical form knows; fields left unset are dropped."""
    return msgspec.to_builtins(value, str_keys=True)


def canonical(value: Any) -> bytes:
    """The one serialisation of `value`. Raises ValueError for NaN or infinity."""
    return ENCODER.encode(value).encode("ascii")


def tagged_hash(tag: str, value: Any) -> str:
    """SHA-256 (64 hex digits) over a tag and the canonical form of `value`.

    The tag names kind and version, so equal content of two kinds never shares a name.
    """
    return hashlib.sha256(tag.encode("ascii") + b"\n" + canonical(plain(value))).hexdigest()
