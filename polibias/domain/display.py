"""Foreign text as a reader may see it: nothing hidden, nothing that moves other text."""

import re

# C0 and C1 controls but for tab and newline, lone surrogates, separators, directional overrides, non-characters.
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

MARKUP = re.compile(r"[|<\[`]")


def visible(text: str) -> str:
    """`text` with every hidden character as a sign such as ⟨U+0000⟩ that any font can show.

    Tabs and line ends stay, a carriage return before a newline is part of the line end. For the eye only: what
    is stored is never changed.
    """
    if text.isprintable():  # Most texts are, and to ask is far cheaper than to look for what is hidden.
        return text
    return HIDDEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text.replace("\r\n", "\n"))


def in_line(text: str) -> str:
    """As `visible`, on one line, so that foreign text cannot pass for a line of ours."""
    return " ".join(visible(text).split())


def numbered(n: int, what: str) -> str:
    """So many of something, in the right number: ``1 pair``, ``2 pairs``."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def in_cell(text: str) -> str:
    """As `in_line`, for a cell of a Markdown table: no markup, no link and no code comes from it."""
    return MARKUP.sub(r"\\\g<0>", in_line(text))
