"""A passage that somebody marked on the screen, found again in the response as it is stored."""

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate

from annotate_app.blind import WORD_JOINER
from polibias.domain.display import visible

LONGEST_PASSAGE = 5000
# What may stand between two words of a response where the screen shows nothing or white space: marks around words,
# and what opens an item of a list or rules off the head of a table.
BETWEEN = r"(?:[\s*_`#>|~\\]|(?<![^\s>|])(?:[-+]|:?-{2,}:?|\d{1,9}[.)])(?=[\s|]))*"


def passage(response: str, marked: str) -> str:
    """The part of `response` that was marked, byte for byte as it is stored; '' if it is not there.

    White space counts as one however the browser shows it; a formatted response does not show its marks. What the
    screen shows as a sign (a control character) is found as what it stands for.
    """
    said = marked.strip().strip(WORD_JOINER).strip()
    if not said or len(marked) > LONGEST_PASSAGE:
        return ""
    if said in response:
        return said
    pieces = re.findall(r"\r\n|[\s\S]", response)
    shown = [visible(piece) for piece in pieces]
    found = re.search(_as_shown(said), "".join(shown))
    if found is None:
        return ""
    ends = [*accumulate(map(len, shown))]
    return "".join(pieces[bisect_right(ends, found.start()) : bisect_left(ends, found.end()) + 1])


def _as_shown(said: str) -> str:
    """A pattern for these words with anything between them that a screen does not show."""
    return BETWEEN.join(BETWEEN.join(map(re.escape, re.findall(r"\w+|[^\w\s]", word))) for word in said.split())
