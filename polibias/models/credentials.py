"""A key from the environment, and its absence from everything else."""

import json
import os
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from urllib.parse import quote, quote_plus, unquote

from polibias.domain.study import Served
from polibias.errors import InputError

LONGEST = 200
# A shorter one is no secret but a placeholder, such as EMPTY; it may well stand in a reply.
SHORTEST_SECRET = 8
ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


class Credential:
    """The key of one model. Empty for a server without keys, or for a look at requests that are never sent."""

    def __init__(self, spec: Served, keyless: bool = False) -> None:
        self.secret = "" if keyless else _secret(spec)
        self._spellings = _spellings(self.secret)

    def is_in(self, text: str) -> bool:
        """Whether the key stands in a text, in any spelling in which it may travel."""
        return len(self.secret) >= SHORTEST_SECRET and self._stands_in(text)

    def _stands_in(self, text: str) -> bool:
        return any(spelling in form for form in _readings(text) for spelling in self._spellings)

    def clean(self, text: str) -> str:
        """Foreign words on one short printable line, without the key that they may have echoed."""
        for spelling in self._spellings:
            text = text.replace(spelling, "[key]")
        if self._stands_in(text):
            text = "[what it said holds the key in disguise]"
        return " ".join("".join(c if c.isprintable() else " " for c in text[: 8 * LONGEST]).split())[:LONGEST]


def _secret(spec: Served) -> str:
    if not spec.api_key_env:
        return ""
    secret = os.environ.get(spec.api_key_env, "")
    if not secret:
        raise InputError(f"model '{spec.name}': the environment variable {spec.api_key_env} is not set")
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise InputError(f"model '{spec.name}': the key in {spec.api_key_env} has a space, line end or odd character")
    return secret


def _spellings(secret: str) -> tuple[str, ...]:
    """The secret as it may come back: plain, in JSON, in a URL, in base 64. Longest first, so that no part is left."""
    if not secret:
        return ()
    forms = {secret, json.dumps(secret)[1:-1], quote(secret), quote(secret, safe=""), quote_plus(secret)}
    forms |= set(_coded(secret.encode("ascii"))) if len(secret) >= SHORTEST_SECRET else set()
    return tuple(sorted(forms, key=len, reverse=True))


def _coded(secret: bytes) -> Iterator[str]:
    """The secret in base 64, wherever it begins in what was encoded, less the ends that its neighbours decide."""
    for before in range(3):
        length = before + len(secret)
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(bytes(before) + secret).decode("ascii")[-(-before * 8 // 6) : length * 8 // 6]


def _readings(text: str) -> Iterator[str]:
    """The text, and what it says once escapes are resolved, if it has any."""
    yield text
    if "%" in text:
        yield unquote(text)
    if "\\u" in text:
        yield ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
