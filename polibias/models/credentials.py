"""A key from the environment, and its absence from everything else."""

import json
import os
from base64 import b64encode
from urllib.parse import quote, quote_plus

from polibias.domain.study import Served
from polibias.errors import InputError

LONGEST = 200


class Credential:
    """The key of one model. Empty for a server without keys, or for a look at requests that are never sent."""

    def __init__(self, spec: Served, keyless: bool = False) -> None:
        self.secret = "" if keyless else _secret(spec)
        self._spellings = _spellings(self.secret)

    def is_in(self, text: str) -> bool:
        """Whether the key stands in a text, in any spelling in which it may travel."""
        return any(spelling in text for spelling in self._spellings)

    def clean(self, text: str) -> str:
        """Foreign words on one short printable line, without the key that they may have echoed."""
        for spelling in self._spellings:
            text = text.replace(spelling, "[key]")
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
    coded = b64encode(secret.encode("ascii")).decode("ascii").rstrip("=")
    forms = {secret, json.dumps(secret)[1:-1], quote(secret), quote(secret, safe=""), quote_plus(secret), coded}
    return tuple(sorted(forms, key=len, reverse=True))
