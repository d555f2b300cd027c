"""Where terms stand in a folded text: the leftmost and, of those, the longest that begins and ends with a word.

All spellings of all terms are looked for at once by an Aho-Corasick automaton, so the time depends on the text and
hardly on how many terms there are. There are two: one for what counts in any case, over the text in lower case, and
one for the rest.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, MatchKind

from polibias.domain.lexicon import When
from polibias.masking.conditions import CONDITIONS, before_hyphen, in_address
from polibias.masking.folding import OTHER_SCRIPTS, Folded, plain
from polibias.masking.terms import COMBINING, FOREIGN_NAME, LABEL, LABELS, REDACTED, Term

LONG = 4
"""A term of so many letters may touch a digit, and begin or end with a change of case: #StandWithUkraine."""

ONE_WORD_AS_WELL = frozenset({"name", "adjective", "people", "misspelling", FOREIGN_NAME})
OURS = (REDACTED, *LABELS, *map(str.upper, LABELS))
"""These count as the words that they took the place of, so that masking again finds nothing new."""

BLANKS = " ,'"
"""What nearly every word stands between. The empty text, before the first and after the last, is in it too."""

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


Found = tuple[int, int, Term]
"""`text[start:end]` of a folded text is this term."""


class Automaton:
    """The terms of a pair, ready to be looked for."""

    def __init__(self, terms: Iterable[Term]) -> None:
        """`terms` by rank: of two with one spelling, the first is found."""
        cased: dict[str, Term] = {}
        lowered: dict[str, Term] = {}
        for term in terms:
            for spelling, any_case in spellings(term):
                if spelling.lower() not in lowered:
                    (lowered if any_case else cased).setdefault(spelling, term)
        self.words = frozenset(word for spelling in (*cased, *lowered) for word in spelling.lower().split())
        self._patterns = [_pattern(term, spelling) for one in (cased, lowered) for spelling, term in one.items()]
        self._of_cased = len(cased)
        self._cased, self._lowered = (AhoCorasick(list(one), matchkind=MatchKind.Standard) for one in (cased, lowered))

    def find(self, folded: Folded) -> list[Found]:
        """The terms in order; none overlaps another."""
        text, patterns, of_cased = folded.text, self._patterns, self._of_cased
        places = [(at, -end, n) for n, at, end in self._cased.find_matches_as_indexes(text, overlapping=True)]
        in_lower = self._lowered.find_matches_as_indexes(text.lower(), overlapping=True)
        places += [(at, -end, n + of_cased) for n, at, end in in_lower]
        places.sort()
        found: list[Found] = []
        done = 0
        for start, minus_end, number in places:
            if start >= done:
                end = -minus_end
                term, left, right, loose, check = patterns[number]
                if (
                    (not left or text[start - 1 : start] in BLANKS or _begins(text, start, loose))
                    and (not right or text[end : end + 1] in BLANKS or _ends(text, end, loose))
                    and (check is None or check(folded, start, end))
                ):
                    done = end
                    found.append((start, end, term))
        return found


def _pattern(term: Term, spelling: str) -> Pattern:
    if not all(letter.isascii() for letter in spelling if letter.isalpha()) or not any(map(str.isalnum, spelling)):
        # Other scripts join words to what is around them, and flags are no words at all.
        return Pattern(term, False, False, False, None)
    loose = len(spelling) >= LONG and not (spelling.isupper() and term.when == "exact")
    check = before_hyphen if term.kind == COMBINING else CONDITIONS.get(term.when)
    if term.when == "capital" and spelling.islower() and not term.form.islower():
        check = in_address
    return Pattern(term, spelling[0].isalnum(), spelling[-1].isalnum() or spelling[-1] == ".", loose, check)


def _begins(text: str, start: int, loose: bool) -> bool:
    """Whether a word begins there, where no blank is before it."""
    before = text[start - 1 : start]
    if before in "]XY" and text.endswith(OURS, 0, start):
        return loose
    if before.isalnum() and before < OTHER_SCRIPTS:
        first = text[start]
        return loose and (before.isdigit() or first.isdigit() or (before.islower() and first.isupper()))
    return before != "." or text[start + 1 : start + 2] != "." or not text[start - 2 : start - 1].isalpha()


def _ends(text: str, end: int, loose: bool) -> bool:
    """Whether a word ends there, where no blank follows."""
    after = text[end : end + 1]
    redacted = after == "[" and text.startswith(REDACTED, end)
    if redacted or (after.isalnum() and after < OTHER_SCRIPTS):
        last = text[end - 1]
        return loose and (after.isdigit() or last.isdigit() or ((redacted or after.isupper()) and last.islower()))
    return after != "." or text[end - 2 : end - 1] != "." or not text[end + 1 : end + 2].isalnum()


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
        if base.isalpha():
            yield base.lower()
        yield " ".join(word[:1].upper() + word[1:] for word in base.split(" "))
