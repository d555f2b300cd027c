"""The masker: one pass over the source, in which each term of a pair gives way to its country's label or is redacted.

Labels follow the order in which the pair is named, never who acts. What the text says is looked at once, in the source: no
rule ever sees what another rule wrote.
"""

from collections.abc import Iterator
from typing import NamedTuple

from polibias.domain.ids import tagged_hash
from polibias.domain.lexicon import Lexicon
from polibias.domain.masked import Level, Masked, Replacement
from polibias.masking.automaton import Automaton, Found
from polibias.masking.folding import Folded, fold
from polibias.masking.grammar import (
    Edit,
    article_before,
    as_noun,
    before_titles,
    ends_sentence,
    possessive,
    takes_article,
    with_markup,
    without_article,
)
from polibias.masking.leaks import Traces
from polibias.masking.legible import illegible
from polibias.masking.terms import KEPT, LEADER, REDACTED, TITLE, Term, terms_of

ARTICLE, POSSESSIVE = "article", "possessive"
BEFORE_A_LEADER = frozenset({TITLE, "adjective"})
STAND_AS_NOUNS = frozenset(
    {"name", "abbreviation", "code", "capital", "seat of power", LEADER, "force or agency", "place"}
)


class Unit(NamedTuple):
    """`text[start:end]` of a folded text is replaced as one, because of this term."""

    start: int
    end: int
    term: Term


class Masker:
    """The terms of one pair, compiled once, for any number of texts. X is the first country of the pair as given."""

    def __init__(self, a: str, b: str, lexicon: Lexicon, level: Level = "full") -> None:
        """`a` and `b` are ids of countries of the lexicon that have a pair's file in one order or the other."""
        terms = terms_of(a, b, lexicon, level)
        self.level = level
        self.lexicon = tagged_hash("lexicon/1", [list(term) for term in terms])
        self.automaton = Automaton(terms)
        self.traces = Traces([lexicon.countries[a], lexicon.countries[b]], lexicon.kept, terms)

    def mask(self, source: str) -> Masked:
        """The text without its countries. Never raises for what the text holds; what went wrong is its `status`."""
        folded = fold(source, self.automaton.words)
        found = list(self.automaton.find(folded))
        rest = _rest(folded.text, found)
        if reason := illegible(folded, rest):
            return Masked("", "unreadable", self.level, self.lexicon, reason=reason)
        replacements = tuple(_replacements(folded, found))
        leaks = self.traces.leaks(rest) if self.level == "full" else ()
        status = "leaking" if leaks else "masked" if replacements else "unchanged"
        return Masked(applied(source, replacements), status, self.level, self.lexicon, replacements, leaks)


def applied(source: str, replacements: tuple[Replacement, ...]) -> str:
    """The source with its replacements made."""
    if not replacements:
        return source
    pieces: list[str] = []
    done = 0
    for one in replacements:
        pieces += (source[done : one.start], one.text)
        done = one.end
    return "".join((*pieces, source[done:]))


def _rest(text: str, found: list[Found]) -> str:
    """What is neither replaced nor kept, with a space for each that is."""
    pieces: list[str] = []
    done = 0
    for one in found:
        pieces.append(text[done : one.start])
        done = one.end
    return " ".join((*pieces, text[done:])) if found else text


def _units(folded: Folded, found: list[Found]) -> list[Unit]:
    """What is replaced as one: a leader with the titles before, and with the adjective before these."""
    units: list[Unit] = []
    done = 0
    for start, end, term in found:
        if term.kind == LEADER:
            start = before_titles(folded.text, start, done)
            while units and _belongs(units[-1], folded, start, term):
                start = units.pop().start
        if term.kind != KEPT:
            units.append(Unit(start, end, term))
        done = end
    return units


def _belongs(before: Unit, folded: Folded, start: int, leader: Term) -> bool:
    """Whether the term before a leader's name is a part of it: "the Russian President Putin"."""
    if before.end + 1 != start or folded.text[before.end] != " " or before.term.kind not in BEFORE_A_LEADER:
        return False
    return before.term.text in (leader.text, REDACTED)


def _replacements(folded: Folded, found: list[Found]) -> Iterator[Replacement]:
    for unit in _units(folded, found):
        term = unit.term
        text = folded.text
        start, end = folded.start(unit.start), folded.end(unit.end)
        if text[unit.end - 1] == "." and ends_sentence(text, unit.end):
            end = folded.start(unit.end - 1)
        if edit := _article(folded, unit):
            yield Replacement(*edit, kind=ARTICLE, rule=f"{ARTICLE} before {term.kind}")
        written = text[unit.start : unit.end]
        new = term.text.upper() if written.isupper() and not term.form.isupper() else term.text
        if term.kind == "combining form":
            new += "-"
        if end - start != len(written):
            new = with_markup(folded.source, start, end, new)
        yield Replacement(start, end, new, term.kind, term.rule)
        if term.kind != "people" and (edit := possessive(folded, unit.start, unit.end)):
            yield Replacement(*edit, kind=POSSESSIVE, rule="a lone apostrophe after s")


def _article(folded: Folded, unit: Unit) -> Edit | None:
    """What becomes of an article before the term: "an" is "a" before every label, "the" goes with a name's own article."""
    article = article_before(folded, unit.start)
    if not article:
        return None
    if article.lower() == "an":
        place = folded.start(unit.start - 2)
        return Edit(place, place + 1, "")
    term = unit.term
    if term.kind not in STAND_AS_NOUNS or term.text == REDACTED:
        return None
    articled = takes_article(term.form, term.kind) or (term.kind == LEADER and unit.end - unit.start > len(term.form))
    return without_article(folded, unit.start) if as_noun(folded, unit.end, articled) else None
