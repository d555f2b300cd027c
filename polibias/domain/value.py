"""The base of every value in this project."""

import msgspec


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen value that refuses fields it does not know."""
