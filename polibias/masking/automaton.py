"""Where terms stand in a folded text: the leftmost and, of those, the longest that begins and ends with a word.

All spellings of all terms are looked for at once by an Aho-Corasick automaton, so the time depends on the text and hardly on
how many terms there are. There are two: one for what counts in any case, over the text in lower case, and one for the rest.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, MatchKind

from polibias.domain.lexicon import When
from polibias.masking.conditions import CONDITIONS, before_hyphen
from polibias.masking.folding import Folded, plain
from polibias.masking.terms import COMBINING, LABEL, Term

LONG = 4
"""A term of so many letters may touch a digit, and begin or end with a change of case: #StandWithUkraine."""

ONE_WORD_AS_WELL = frozenset({"name", "adjective", "people", "name in another language"})
Check = Callable[[Folded, int, int], bool]


class Pattern(NamedTuple):
    """A term as it is looked for.

    `left`, `right`: whether a word must begin and end there. `loose`: whether a digit or a change of case is enough.
    """

    term: Term
    left: bool
    right: bool
    loose: bool
    check: Check | None


class Found(NamedTuple):
    """`text[start:end]` of a folded text is this term."""

    start: int
    end: int
    term: Term


class Automaton:
    """The terms of a pair, ready to be looked for."""

    def __init__(self, terms: Iterable[Term]) -> None:
        """`terms` by rank: of two with one spelling, the first is found."""
        self.patterns: list[Pattern] = []
        cased: dict[str, int] = {}
        lowered: dict[str, int] = {}
        for term in terms:
            for spelling, any_case in spellings(term):
                known = lowered if any_case else cased
                if spelling not in known:
                    known[spelling] = len(self.patterns)
                    self.patterns.append(_pattern(term, spelling))
        self.words = frozenset(word for one in (cased, lowered) for spelling in one for word in spelling.lower().split())
        self._searches = [_search(cased), _search(lowered)]

    def find(self, folded: Folded) -> Iterator[Found]:
        """The terms in order; none overlaps another."""
        text = folded.text
        places = [
            (start, -end, number)
            for search, looked_in in zip(self._searches, (text, text.lower()), strict=True)
            for number, start, end in search(looked_in)
        ]
        places.sort()
        done = 0
        for start, minus_end, number in places:
            if start >= done:
                pattern = self.patterns[number]
                if _stands(pattern, text, start, -minus_end) and (
                    pattern.check is None or pattern.check(folded, start, -minus_end)
                ):
                    done = -minus_end
                    yield Found(start, done, pattern.term)


def _search(spelt: dict[str, int]) -> Callable[[str], Iterator[tuple[int, int, int]]]:
    numbers = list(spelt.values())
    automaton = AhoCorasick(list(spelt), matchkind=MatchKind.Standard)

    def search(text: str) -> Iterator[tuple[int, int, int]]:
        return ((numbers[n], start, end) for n, start, end in automaton.find_matches_as_indexes(text, overlapping=True))

    return search


def _pattern(term: Term, spelling: str) -> Pattern:
    if not all(letter.isascii() for letter in spelling if letter.isalpha()) or not any(map(str.isalnum, spelling)):
        # Other scripts join words to what is around them, and flags are no words at all.
        return Pattern(term, False, False, False, None)
    loose = len(spelling) >= LONG and not (spelling.isupper() and term.when == "exact")
    check = before_hyphen if term.kind == COMBINING else CONDITIONS.get(term.when)
    return Pattern(term, spelling[0].isalnum(), spelling[-1] != " ", loose, check)


def _stands(pattern: Pattern, text: str, start: int, end: int) -> bool:
    """Whether a word begins and ends there."""
    if pattern.left and start:
        before = text[start - 1]
        if before.isalnum() and not (
            pattern.loose and (before.isdigit() or (before.islower() and text[start].isupper()))
        ):
            return False
        if before == "." and text[start + 1 : start + 2] == "." and text[start - 2 : start - 1].isalpha():
            return False
    if pattern.right and end < len(text):
        after = text[end]
        if after.isalnum() and not (pattern.loose and (after.isdigit() or (after.isupper() and text[end - 1].islower()))):
            return False
        if after == "." and text[end - 2 : end - 1] == "." and text[end + 1 : end + 2].isalnum():
            return False
    return True


def spellings(term: Term) -> Iterator[tuple[str, bool]]:
    """How the term may be spelt in a folded text; in any case, if True stands with it."""
    for base in _bases(term):
        for one in dict.fromkeys((base, base.replace("'", ""))):
            if term.when == "any":
                yield one.lower(), True
            else:
                yield from ((spelt, False) for spelt in dict.fromkeys(_cases(one, term.when)))


def _bases(term: Term) -> Iterator[str]:
    base = plain(term.form)
    if term.kind == COMBINING:
        yield base + " "
        return
    yield base
    if term.rank == LABEL and term.kind in ONE_WORD_AS_WELL and " " in base:
        yield base.replace(" ", "")
    if term.kind == "abbreviation" and base.isalpha() and base.isupper():
        for dots in (".", ". "):
            yield dots.join(base) + "."
            yield dots.join(base)


def _cases(base: str, when: When) -> Iterator[str]:
    yield base
    yield base[0].upper() + base[1:]
    if when == "capital":
        yield base.upper()
        yield " ".join(word[:1].upper() + word[1:] for word in base.split(" "))
