"""Filling placeholders in one pass, and judge prompts as data."""

import re
from collections.abc import Mapping
from typing import Annotated

import msgspec

from polibias.domain.value import EntryId, Text, Value
from polibias.errors import InputError

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")


def placeholders(text: str) -> frozenset[str]:
    """The names that `text` has in braces."""
    return frozenset(PLACEHOLDER.findall(text))


def fill(text: str, values: Mapping[str, str], where: str) -> str:
    """`text` with every {name} replaced by its value.

    One pass: braces inside a value stay as they are, so no inserted text can name another value.
    Raises InputError, naming `where`, for a placeholder without a value.
    """
    unknown = sorted(placeholders(text) - values.keys())
    if unknown:
        raise InputError(f"{where}: unknown placeholder {{{unknown[0]}}}; known are {', '.join(sorted(values))}")
    return PLACEHOLDER.sub(lambda match: values[match[1]], text)


class JudgePrompt(Value, frozen=True):
    """How a judge is asked. `quotes` is 1 (one per dimension) or 2 (one from each response).

    Source: paper section 4.3 and A.3.
    """

    id: EntryId
    title: Text
    quotes: Annotated[int, msgspec.Meta(ge=1, le=2)]
    quote_chars: Annotated[int, msgspec.Meta(ge=1, le=2000)]
    text: Text
