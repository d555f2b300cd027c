"""Whether a text can be masked at all: it must be text, and in the script and language of the lexicon.

The lexicon has every country's names in some other languages, for words put in between. Whole texts in them would be
masked in part, and a part presented as the whole is worse than none.
"""

import re

from polibias.masking.folding import Folded

FOREIGN = re.compile(
    r"[\u0250-\u02af\u0370-\u1dff\u2c00-\u2fef\u3005-\ud7ff\uf900-\ufdff\ufe70-\ufefc\U00010000-\U0001efff\U00020000-\U0003ffff]+"
)
"""Letters of other scripts than the Latin one, in folded text."""

JUNK = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ud800-\udfff]")
MOST_JUNK, MOST_FOREIGN = 0.02, 0.1
FEWEST_JUNK = 8
"""Fewer may be stray signs in a short text."""

FEWEST_WORDS = 60
"""Fewer words may be a heading, a table or a list; more have to have words such as "the"."""

FEWEST_OF_ENGLISH = 0.015
ENGLISH = (" the ", " of ", " and ", " to ")


def illegible(folded: Folded, rest: str) -> str:
    """Why the text cannot be masked; nothing if it can. `rest` is what no term was found in."""
    length = len(folded.source)
    if len(folded.ends) + folded.text.count("\ufffd") > MOST_JUNK * length:
        junk = len(JUNK.findall(folded.source))
        if junk >= FEWEST_JUNK and junk > MOST_JUNK * length:
            return f"it is no text: {junk} of its {length} characters are none that people write"
    if not rest.isascii():
        foreign = sum(map(len, FOREIGN.findall(rest)))
        if foreign > 1 and foreign > MOST_FOREIGN * length:
            return f"{foreign} of its {length} characters are of scripts that the lexicon has single words in"
    words = rest.count(" ")
    if words >= FEWEST_WORDS:
        english = sum(map(rest.count, ENGLISH))
        if english < FEWEST_OF_ENGLISH * words:
            return (
                f"it is not in English, or no prose: {english} of about {words} words are ones that English has most of"
            )
    return ""
