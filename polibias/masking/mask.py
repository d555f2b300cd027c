"""The masker: one pass over the source, in which each term of a pair gives way to its country's label or is redacted.

Labels follow the order in which the pair is named, never who acts. What the text says is looked at once, in the
source: no rule ever sees what another rule wrote.
"""

from polibias.domain.ids import tagged_hash
from polibias.domain.lexicon import Lexicon
from polibias.domain.masked import Level, Masked, Replacement, Status
from polibias.masking.automaton import Automaton, Found
from polibias.masking.folding import Folded, fold, plain
from polibias.masking.grammar import (
    AN,
    THE,
    article_before,
    as_noun,
    before_given,
    before_opening,
    before_titles,
    ends_sentence,
    possessive,
    stands_for_people,
    takes_article,
    whole_word,
    with_markup,
    with_numbers,
    without_article,
)
from polibias.masking.leaks import Traces
from polibias.masking.legible import illegible
from polibias.masking.terms import FOREIGN_NAME, KEPT, LEADER, REDACTED, TITLE, Term, terms_of

ARTICLE, POSSESSIVE = "article", "possessive"
BEFORE_A_LEADER = frozenset({TITLE, LEADER, "adjective", "name", "abbreviation"})
STAND_AS_NOUNS = frozenset(
    {"name", "abbreviation", "code", "capital", "seat of power", LEADER, "force or agency", "place"}
)


class Masker:
    """The terms of one pair, compiled once, for any number of texts. X is the first country of the pair as given."""

    def __init__(self, a: str, b: str, lexicon: Lexicon, level: Level = "full") -> None:
        """`a` and `b` are ids of countries of the lexicon that have a pair's file in one order or the other."""
        terms = terms_of(a, b, lexicon, level)
        self.level = level
        self.lexicon = tagged_hash("lexicon/1", [list(term) for term in terms])
        self.automaton = Automaton(terms)
        self.given = _given_names(terms)
        self.traces = Traces([lexicon.countries[a], lexicon.countries[b]], lexicon.kept, terms)

    def mask(self, source: str) -> Masked:
        """The text without its countries. Never raises for what the text holds; what went wrong is its `status`."""
        folded = fold(source, self.automaton.words)
        units = _units(folded, self.automaton.find(folded), self.given)
        rest = _rest(folded.text, units)
        if reason := illegible(folded, rest, units):
            return Masked("", "unreadable", self.level, self.lexicon, reason=reason)
        replacements = tuple(_replacements(folded, units))
        leaks = self.traces.leaks(rest) if self.level == "full" else ()
        status: Status = "leaking" if leaks else "masked" if replacements else "unchanged"
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


def _rest(text: str, units: list[Found]) -> str:
    """What is neither replaced nor kept, with a space for each that is."""
    pieces: list[str] = []
    done = 0
    for start, end, _ in units:
        pieces.append(text[done:start])
        done = end
    return " ".join((*pieces, text[done:])) if units else text


def _given_names(terms: list[Term]) -> dict[str, set[str]]:
    """The first words of leaders' names, by the last."""
    given: dict[str, set[str]] = {}
    for term in terms:
        if term.kind == LEADER and " " in term.form:
            first, *_, last = plain(term.form).split()
            given.setdefault(last.lower(), set()).add(first)
    return given


def _units(folded: Folded, found: list[Found], given: dict[str, set[str]]) -> list[Found]:
    """What is replaced, or kept, as one: a leader with titles and adjective before, a citation with its numbers."""
    units: list[Found] = []
    done = 0
    for one in found:
        start, end, term = one
        if start < done:
            continue
        if term.kind == FOREIGN_NAME:
            one = (*whole_word(folded.text, start, end, done), term)
        elif term.kind == LEADER:
            names = given.get(folded.text[start:end].rpartition(" ")[2].lower(), ())
            start = before_titles(folded.text, before_given(folded.text, start, done, names), done)
            while units and _belongs(units[-1], folded.text, start, term):
                start = units.pop()[0]
            one = (start, end, term)
        elif term.when == "citation":
            one = (*with_numbers(folded.text, start, end, done), term)
        units.append(one)
        done = one[1]
    return units


def _belongs(before: Found, text: str, start: int, leader: Term) -> bool:
    """Whether the term before a leader's name is a part of it: "the Russian President Putin"."""
    _, end, term = before
    return (
        end + 1 == start and text[end] == " " and term.kind in BEFORE_A_LEADER and term.text in (leader.text, REDACTED)
    )


def _replacements(folded: Folded, units: list[Found]) -> list[Replacement]:
    text = folded.text
    made: list[Replacement] = []
    for start, end, term in units:
        if term.kind == KEPT:
            continue
        new, written = term.text, text[start:end]
        begin, stop = folded.span(start, end)
        outer = before_opening(text, start)
        article = article_before(text, outer)
        if article in AN or (article and outer == start and _goes(folded, start, end, term)):
            made += (
                Replacement(*edit, ARTICLE, f"article before a {term.kind}")
                for edit in without_article(folded, outer, article)
            )
        if article in THE and term.kind == "adjective" and stands_for_people(text, end):
            new += " nationals"
        if written.isupper() and not term.form.isupper():
            new = new.upper()
        if stop - begin != end - start:
            new = with_markup(folded.source, begin, stop, new)
        if written[-1] == "." and ends_sentence(text, end):
            stop = folded.start(end - 1)
        made.append(Replacement(begin, stop, new, term.kind, term.rule))
        if text[end : end + 1] == "'" and written.rstrip(".")[-1:] in ("s", "S") and term.kind != "people":
            made += (
                Replacement(*edit, POSSESSIVE, "a lone apostrophe after s")
                for edit in possessive(folded, start, end, "S" if new.isupper() else "s")
            )
    return made


def _goes(folded: Folded, start: int, end: int, term: Term) -> bool:
    """Whether "the" before the term is its own and goes with it."""
    if term.kind not in STAND_AS_NOUNS or term.text == REDACTED:
        return False
    articled = takes_article(term.form, term.kind) or (term.kind == LEADER and end - start > len(term.form))
    return as_noun(folded, end, articled)
