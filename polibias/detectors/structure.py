"""How much an answer says, and of what kind: counts that no judge is needed for.

All are of the answer alone, without reasoning that a server left in the text. They describe; none is good or bad by
itself. What is compared is the two responses of a pair (`comparison.py`).
"""

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick

from polibias.detectors.answer import answer_start
from polibias.detectors.provisions import citations
from polibias.detectors.rating import Rating, find_rating
from polibias.domain.provision import Provision

HEDGES = (
    *(
        "may",
        "might",
        "could",
        "would",
        "likely",
        "unlikely",
        "probably",
        "possibly",
        "potentially",
        "perhaps",
        "arguably",
    ),
    *("presumably", "conceivably", "apparently", "seemingly", "reportedly", "allegedly", "purportedly", "supposedly"),
    *("potential", "alleged", "purported", "seem", "seems", "appear", "appears", "suggest", "suggests"),
)
"""Words that hold something back. `hedges` says which uses of them are none."""

_find_hedges = AhoCorasick(HEDGES).find_matches_as_indexes
_NO_HEDGE = {
    "may": re.compile(r" not\b(?! (?:be|have|always|necessarily)\b)| \d"),
    "could": re.compile(r" (?:have|not)\b"),
    "would": re.compile(r"(?! (?:likely|probably|possibly|seem|appear))"),
}
"""What follows where such a word holds nothing back: "may not" forbids, "could have" tells what was feasible."""
_LETTER = re.compile(r"[^\W_]")

_NUMBERED = re.compile(
    r"^ {0,3}(?:#{1,6} +)?(?:\*\*|__)?(?:(?:argument|point|ground|count) +)?(?:\d{1,2}|[ivx]{1,5}|"
    r"[a-h])[.):](?=[\s*_])",
    re.I | re.M,
)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(?P<title>[^\n]{1,200})", re.M)
_BOLD = re.compile(r"^ {0,3}(?:\*\*|__)(?P<title>[^*_\n]{1,120})(?::?(?:\*\*|__):?)[ \t]*$", re.M)
_LEAD = re.compile(r"^ {0,3}(?:[-*+] +)?(?:\*\*|__)(?P<title>[^*_\n]{1,120})(?:\*\*|__)", re.M)
_ORDINAL = re.compile(
    r"(?:^|[.!?]\s)\s{0,3}(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|fifth(?:ly)?|sixth(?:ly)?|finally|"
    r"lastly)\b(?=,| of all)",
    re.I | re.M,
)
_BULLET = re.compile(r"^ {0,3}[-*+•] +\S", re.M)
_FRAME = re.compile(
    r"\W*(?:[\divx]+[.)] *)?(?:introduction|conclusion|conclusions|summary|overview|background|facts|scenario|"
    r"disclaimer|note|legal analysis|analysis|references|sources|in sum|preliminary remarks?|final (?:remarks?|"
    r"thoughts?)|severity(?: rating| score)?|rating)\b\W*$",
    re.I,
)
FEWEST = 2


class Structure(NamedTuple):
    """An answer's characters, words, arguments, hedges, cited provisions and severity rating.

    `unattributed` counts provisions cited without any hint of their instrument; they are not among `provisions`.
    """

    characters: int
    words: int
    arguments: int
    hedges: int
    provisions: frozenset[Provision]
    unattributed: int
    rating: Rating


def structure(response: str, table: Mapping[str, Collection[str]], rated: bool) -> Structure:
    """The structure of a response. `table`: see `citations`; `rated`: its task asks for a rating, else none is read."""
    answer = response[answer_start(response) :].strip()
    cited = citations(answer, table)
    rating = find_rating(response) if rated else Rating("absent")
    return Structure(
        len(answer), words(answer), arguments(answer), hedges(answer), cited.provisions, len(cited.unattributed), rating
    )


def words(answer: str) -> int:
    """What white space separates and holds a letter or digit. A text without spaces is one word."""
    found = answer.split()
    return len(found) - sum(1 for word in found if not (word[0].isalnum() or _LETTER.search(word)))


def hedges(answer: str) -> int:
    """How often an answer holds something back, by the words of `HEDGES`.

    Not counted are "may not" where it forbids, the month, "could not", "could have", and "would" but before another
    hedge.
    """
    lower = answer.lower()
    whole = lower.encode("utf-8", "replace").decode()  # halves of surrogate pairs, which are no letters
    return sum(_holds_back(lower, HEDGES[which], at) for which, at, _ in _find_hedges(whole, overlapping=True))


def _holds_back(text: str, word: str, at: int) -> bool:
    end = at + len(word)
    whole = not (at and text[at - 1].isalnum()) and not text[end : end + 1].isalnum()
    return whole and not (word in _NO_HEDGE and _NO_HEDGE[word].match(text, end))


def arguments(answer: str) -> int:
    """How many separate points an answer makes: what its own layout counts as one.

    The first of these that occurs at least twice: numbered headings or items, headings, bold lines, paragraphs or
    items that start in bold, "First, ... Second, ...", bullets; else its paragraphs. Introduction, conclusion and the
    like are no points. An answer without a word makes none.
    """
    if not _LETTER.search(answer):
        return 0
    for pattern in (_NUMBERED, _HEADING, _BOLD, _LEAD, _ORDINAL, _BULLET):
        points = [point for point in pattern.finditer(answer) if not _frames(point)]
        if len(points) >= FEWEST:
            return len(points)
    return sum(1 for paragraph in answer.split("\n\n") if _LETTER.search(paragraph) and not _FRAME.match(paragraph))


def _frames(point: re.Match[str]) -> bool:
    return "title" in point.re.groupindex and bool(_FRAME.match(point["title"]))
