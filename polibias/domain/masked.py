"""What became of a text that was to be masked. Frozen values, no I/O.

A text is `masked` or `unchanged` (nothing in it gives the pair away), and then it is whole; or it is not, and the
reason has a name: `leaking` (something of the pair is left) or `unreadable` (not text, or not in a language that the
lexicon knows).
"""

from typing import Literal

from polibias.domain.value import Value

Status = Literal["masked", "unchanged", "leaking", "unreadable"]
Level = Literal["full", "names"]


class Replacement(Value, frozen=True, gc=False):
    """`source[start:end]` became `text`, because it is of class `kind` by the rule named.

    Replacements are in order and do not overlap: applied to the source, they give the masked text.
    """

    start: int
    end: int
    text: str
    kind: str
    rule: str


class Leak(Value, frozen=True):
    """A word that is left over and gives the pair away, and why it does."""

    word: str
    why: str


class Masked(Value, frozen=True):
    """A text after masking. `text` is empty if the source is `unreadable`; `reason` then says why.

    `level` says what was replaced: everything of the lexicon, or the countries' names alone. At the level of names
    nothing is searched again, since what is left is meant to be left. `lexicon` is the hash of the terms used.
    """

    text: str
    status: Status
    level: Level
    lexicon: str
    replacements: tuple[Replacement, ...] = ()
    leaks: tuple[Leak, ...] = ()
    reason: str = ""

    @property
    def whole(self) -> bool:
        """Whether the text may be used as a masked one."""
        return self.status in ("masked", "unchanged")
