"""What is left of a pair after masking: terms in other letters, beginnings of words, near-spellings, other scripts."""

import re
from collections.abc import Iterable, Iterator

from polibias.domain.lexicon import CountryTerms, Kept
from polibias.domain.masked import Leak
from polibias.masking.folding import plain
from polibias.masking.legible import FOREIGN
from polibias.masking.terms import COMBINING, LABEL, LEADER, Term

WORD = re.compile(r"[^\W\d_]+")
SHORTEST, SHORTEST_NEAR, SHORTEST_SWAPPED, SHORTEST_NAME = 4, 7, 5, 5
LONGEST = 40
"""Longer words are not compared with what they might misspell."""

KNOWN_AT_MOST = 200_000
"""So many harmless words are remembered, so that a word is looked at once and not in every text."""

MADE_FROM = "made from '{}'"
ENDINGS = (
    *("ism", "isms", "ist", "ists", "ite", "ites", "ian", "ians", "esque", "ness", "dom", "gate", "mania", "philia"),
    *(
        "phile",
        "philes",
        "phobe",
        "phobia",
        "phobic",
        "ology",
        "ologist",
        "ologists",
        "fication",
        "ification",
        "ization",
    ),
    *("isation", "ize", "izes", "ized", "izing", "ise", "ises", "ised", "ising", "ify", "ified", "ifies"),
)
"""What makes another word of a name: Trumpism, Wagnerites, Erdoganist."""

IN_ANY_CASE, AS_PRINTED = "its country's term in other letters", "spelt nearly like '{}'"
NAME_KINDS = frozenset({"name", "adjective", "capital", "place", "disputed place", "group", LEADER})
NEAR_KINDS = frozenset({"name", "adjective", "people", "capital", LEADER})


class Traces:
    """What must not be left over of two countries."""

    def __init__(self, countries: Iterable[CountryTerms], kept: Kept, terms: Iterable[Term]) -> None:
        countries = list(countries)
        innocent = (*kept.innocent, *(word for country in countries for word in country.innocent))
        self.innocent = set(map(str.lower, innocent))
        self.stems = {plain(stem).lower() for country in countries for stem in country.stems}
        self.lengths = sorted({len(stem) for stem in self.stems})
        self.words: set[str] = set()
        self.near: dict[str, set[str]] = {}
        self.swapped: dict[str, str] = {}
        self.names: set[str] = set()
        for term in terms:
            if term.kind in NAME_KINDS and len(term.form) >= SHORTEST_NAME and term.when in ("any", "capital", "exact"):
                self.names.add(plain(term.form).lower())
            if term.rank == LABEL and term.form.isalpha():
                self._add(plain(term.form).lower(), term)
        self._known: set[str] = set()

    def _add(self, word: str, term: Term) -> None:
        """Remember a term of one word, and what it may be misspelt as."""
        if term.when == "any" and len(word) >= SHORTEST and term.kind != COMBINING:
            self.words.add(word)
        if term.kind in NEAR_KINDS and term.when in ("any", "capital") and word.isascii():
            if len(word) >= SHORTEST_NEAR + (term.kind == LEADER):
                for shorter in _one_left_out(word):
                    self.near.setdefault(shorter, set()).add(word)
            elif len(word) >= SHORTEST_SWAPPED and term.kind != LEADER:
                self.swapped.update((other, word) for other in _swapped(word) if other != word)

    def leaks(self, rest: str) -> tuple[Leak, ...]:
        """Each word of what is left that gives the pair away, once, in order of first appearance."""
        tokens = rest.split()
        told: dict[str, list[Leak]] = {}
        for token in set(tokens) - self._known:
            if leaks := [Leak(word, why) for word in WORD.findall(token) if (why := self._why(word))]:
                told[token] = leaks
            elif len(self._known) < KNOWN_AT_MOST and len(token) <= LONGEST:
                self._known.add(token)
        return tuple(dict.fromkeys(leak for token in tokens for leak in told.get(token, ()))) if told else ()

    def _why(self, word: str) -> str:
        """Why a word gives the pair away; nothing if it does not."""
        lower = word.lower()
        if lower in self.innocent:
            return ""
        if lower in self.words:
            return IN_ANY_CASE
        for length in self.lengths:
            if lower[:length] in self.stems:
                return f"begins with '{lower[:length]}'"
        if word != lower and (name := self._name_in(lower)):
            return MADE_FROM.format(name)
        if FOREIGN.search(word) and (len(word) > 1 or word > "\u2e80"):
            return "in a script that is not read"
        if word != lower and SHORTEST_SWAPPED <= len(word) <= LONGEST and (near := self._near(lower)):
            return AS_PRINTED.format(near)
        return ""

    def _name_in(self, word: str) -> str:
        """The name that this word is made from with one of the endings; nothing if there is none."""
        if not word.endswith(ENDINGS):
            return ""
        made = (word[: -len(ending)] for ending in ENDINGS if word.endswith(ending))
        return next((name for name in made if name in self.names), "")

    def _near(self, word: str) -> str:
        """The term that this word misspells by one letter, with the same first letter; nothing if there is none."""
        if word in self.swapped:
            return self.swapped[word]
        if len(word) < SHORTEST_NEAR - 1:
            return ""
        candidates = set[str]().union(*(self.near.get(shorter, ()) for shorter in _one_left_out(word)))
        return next((near for near in sorted(candidates) if near[0] == word[0] and _one_edit(near, word)), "")


def _one_left_out(word: str) -> Iterator[str]:
    yield word
    yield from (word[:place] + word[place + 1 :] for place in range(len(word)))


def _swapped(word: str) -> Iterator[str]:
    """The word with two neighbours swapped, or a letter doubled or no longer doubled, after the first letter."""
    for place in range(1, len(word)):
        if place + 1 < len(word):
            yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        yield word[:place] + word[place] + word[place:]
        if word[place] == word[place - 1]:
            yield word[:place] + word[place + 1 :]


def _one_edit(one: str, other: str) -> bool:
    """Whether one letter left out, put in or changed, or two neighbours swapped, make one word the other."""
    if len(one) > len(other):
        one, other = other, one
    start = 0
    while start < len(one) and one[start] == other[start]:
        start += 1
    if len(one) < len(other):
        return one[start:] == other[start + 1 :]
    rest, other_rest = one[start:], other[start:]
    return rest[1:] == other_rest[1:] or (rest[:2] == other_rest[1::-1] and rest[2:] == other_rest[2:])
