"""Tokens of links and values of cookies: made at random, kept as a hash."""

import hashlib
import secrets

BYTES = 32
LONGEST = 128
"""Nothing longer is looked at."""


def new_secret() -> str:
    """256 random bits, as they stand in a link or a cookie."""
    return secrets.token_urlsafe(BYTES)


def digest(secret: str) -> str:
    """What is kept of a token or cookie: its SHA-256."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
