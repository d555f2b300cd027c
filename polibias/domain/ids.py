"""Names made from content: canonical JSON and tagged SHA-256.

One serialisation serves every hash and every stored line, so that a line can be compared with itself:
keys sorted, no spaces, ASCII only, no NaN. ASCII escapes carry any Python string, lone surrogates
included, through UTF-8 files unchanged.
"""

import codecs
import hashlib
import json
from json.encoder import encode_basestring_ascii
from typing import Any

import msgspec

ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)

SORTED = msgspec.json.Encoder(order="sorted")
ESCAPED = "polibias-json"
PLAIN_FROM, PLAIN_BELOW = 1e-4, 1e16
"""Between these, a number is written without an exponent, in the fewest digits that tell it."""


def plain(value: Any) -> Any:
    """Structs, tuples and enums as the JSON types that canonical form knows; fields left unset are dropped."""
    return msgspec.to_builtins(value, str_keys=True)


def canonical(value: Any) -> bytes:
    """The one serialisation of `value`. Raises ValueError for NaN or infinity."""
    return ENCODER.encode(value).encode("ascii")


def sorted_form(value: Any) -> bytes:
    """The canonical form of structs whose every fractional number `is_plain`, several times as fast.

    Raises ValueError for a lone surrogate and OverflowError for a number of more than 64 bits.
    """
    form = SORTED.encode(value)
    if b"\x7f" in form:
        return canonical(plain(value))
    return form if form.isascii() else form.decode("utf-8").encode("ascii", ESCAPED)


def is_plain(number: float) -> bool:
    """Whether both serialisations write a number alike: neither very small nor very large."""
    return number == 0 or PLAIN_FROM <= abs(number) < PLAIN_BELOW


def _escape(error: UnicodeError) -> tuple[str, int]:
    """What canonical form has for a stretch of text beyond ASCII."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return encode_basestring_ascii(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error(ESCAPED, _escape)


def tagged_hash(tag: str, value: Any) -> str:
    """SHA-256 (64 hex digits) over a tag and the canonical form of `value`.

    The tag names kind and version, so equal content of two kinds never shares a name.
    """
    return hashlib.sha256(tag.encode("ascii") + b"\n" + canonical(plain(value))).hexdigest()
