"""Whether a text can be masked at all: it must be text, and in the script and language of the lexicon.

The lexicon has every country's names in some other languages, for words put in between. Whole texts in them would be
masked in part, and a part presented as the whole is worse than none.
"""

import re
from collections.abc import Sequence

from polibias.masking.folding import Folded
from polibias.masking.terms import LABELS, REDACTED

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
WORD = re.compile(r"[^\W\d_]{2,}")
"""Two letters or more: masking leaves a full stop or an s where it takes a word away."""

ENGLISH = (" the ", " of ", " and ", " to ")
OURS = re.compile(
    rf"(?:(?<![^\W_])[Tt]he )?(?:(?i:{'|'.join(LABELS)})(?: nationals| NATIONALS)?|{re.escape(REDACTED)})",
)
"""What masking writes, with the article before it."""

ARTICLE_LAST = re.compile(r"(?<![^\W_])[Tt]he $")


def illegible(folded: Folded, rest: str, units: Sequence[tuple[int, int, object]]) -> str:
    """Why the text cannot be masked; nothing if it can. `rest` is what is left without the units where terms stand."""
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
    if words < FEWEST_WORDS - 1:
        return ""
    most_articles = len(units) + rest.count("Country ") + rest.count("COUNTRY ") + rest.count(REDACTED)
    if sum(map(rest.count, ENGLISH)) - most_articles >= FEWEST_OF_ENGLISH * (words + 1):
        return ""
    return _no_english(OURS.sub(" ", _bare(folded.text, units)))


def _bare(text: str, units: Sequence[tuple[int, int, object]]) -> str:
    """What is left without the units and without "the" before them, which masking takes away from some.

    A text is judged by this, so that it is judged the same when it is masked again.
    """
    pieces: list[str] = []
    done = 0
    for start, end, _ in units:
        pieces.append(ARTICLE_LAST.sub(" ", text[done:start]))
        done = end
    return " ".join((*pieces, text[done:]))


def _no_english(rest: str) -> str:
    """Why a text is taken for none in English; nothing if it is not."""
    words = len(WORD.findall(rest))
    english = sum(map(rest.count, ENGLISH))
    if words < FEWEST_WORDS or english >= FEWEST_OF_ENGLISH * words:
        return ""
    return f"it is not in English, or no prose: {english} of about {words} words are ones that English has most of"
