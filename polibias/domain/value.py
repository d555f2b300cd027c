"""The base of every value in this project, and the shapes of its names."""

from typing import Annotated

import msgspec

EntryId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}\Z")]
Text = Annotated[str, msgspec.Meta(min_length=1)]


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen value that refuses fields it does not know."""
