"""Every rule of a scenario library that can be checked without asking a model."""

import re
from collections.abc import Iterator

from polibias.domain.scenario import Condition, Country, Frame
from polibias.lint.citations import citations
from polibias.lint.duplicates import near_duplicates
from polibias.lint.material import TOTAL, Finding, Material, counted, told
from polibias.lint.prose import prose
from polibias.lint.terms import foreign_words
from polibias.lint.versions import versions

# Real countries that English names with an article: common nouns and plurals, and one river.
WITH_ARTICLE = re.compile(
    r"\b(?:Bahamas|Comoros|Emirates|Federation|Gambia|Islands|Kingdom|Maldives|Netherlands|Philippines|Republic"
    r"|Seychelles|States|Union)\b"
)


def lint(material: Material) -> list[str]:
    """Every finding as one line, `FILE:LINE: what, what to do`, in the order of the entries."""
    checks = (countries, pairs, versions, foreign_words, citations, prose, near_duplicates, conditions, counts)
    order = {placed.where: place for place, placed in enumerate(material.entries())}
    found = [finding for check in checks for finding in check(material)]
    found.sort(key=lambda finding: order.get(finding.where, len(order)))
    return list(dict.fromkeys(f"{where}: {what}" for where, what in found))


def summary(material: Material) -> list[str]:
    """One line per kind: how many there are, and how many in each category."""
    return [
        ", ".join([f"{kind}: {found[TOTAL]}", *(f"{name} {n}" for name, n in found.items() if name != TOTAL)])
        for kind, found in counted(material).items()
    ]


def countries(material: Material) -> Iterator[Finding]:
    """Forms of a name that English would write in another way, and names that are used twice."""
    names: dict[str, str] = {}
    for placed in material.countries:
        first = names.setdefault(placed.entry.name.casefold(), placed.where)
        if first != placed.where:
            yield told(placed, f"the name '{placed.entry.name}' is taken by the country at {first}; choose another")
        yield from (told(placed, problem) for problem in _forms(placed.entry))


def _forms(country: Country) -> Iterator[str]:
    possessive = country.in_text + ("'" if country.in_text.endswith("s") else "'s")
    if country.possessive != possessive:
        yield f'possessive "{country.possessive}"; write "{possessive}", with a lone straight apostrophe after an s'
    if country.in_text not in (country.name, f"the {country.name}"):
        yield f"in_text '{country.in_text}'; write the name, with 'the ' before it if it takes an article"
    elif not country.fictional and country.in_text.startswith("the ") != bool(WITH_ARTICLE.search(country.name)):
        right = f"the {country.name}" if country.in_text == country.name else country.name
        yield f"in_text '{country.in_text}'; write '{right}', as English names this country"


def pairs(material: Material) -> Iterator[Finding]:
    """Pairs whose two names cannot be told apart in a text, and pairs of the same two countries."""
    seen: dict[frozenset[str], str] = {}
    for placed, a, b in material.cast():
        first = seen.setdefault(frozenset({a.id, b.id}), placed.where)
        if first != placed.where:
            yield told(placed, f"the pair at {first} has the same two countries; drop one")
        if placed.entry.id != f"{a.id}-{b.id}":
            yield told(placed, f"its id is not that of its countries; write '{a.id}-{b.id}'")
        for part, whole in ((a.name, b.name), (b.name, a.name)):
            if re.search(rf"(?<!\w){re.escape(part)}(?!\w)", whole):
                yield told(placed, f"the name '{part}' is a part of '{whole}'; choose names that share no whole name")


def conditions(material: Material) -> Iterator[Finding]:
    """Conditions whose two prompts would differ in more than one respect, or in none."""
    frames = {placed.entry.id: placed.entry for placed in material.frames}
    for placed in material.conditions:
        condition = placed.entry
        if {condition.first, condition.second} <= frames.keys():
            yield from (told(placed, problem) for problem in _confounds(condition, frames))


def _confounds(condition: Condition, frames: dict[str, Frame]) -> Iterator[str]:
    first, second = frames[condition.first], frames[condition.second]
    if "swapped" in condition.roles and first.layout != second.layout:
        yield "it exchanges the countries and changes the frame; name one frame for both versions"
    if set(condition.roles) - {"swapped"} and (first.layout, first.year) == (second.layout, second.year):
        yield "with the roles kept, both versions are the same prompt; name two frames that differ"
    if first.year != second.year:
        yield f"its frames '{first.id}' and '{second.id}' have different years; name frames of one year"


def counts(material: Material) -> Iterator[Finding]:
    """Kinds and categories that have more or fewer entries than expected."""
    found = counted(material.among(material.files))
    for kind, numbers in material.expected.items():
        for category, expected in numbers.items():
            where, number = expected.where, expected.number
            if kind not in found:
                yield Finding(where, f"counts: unknown kind '{kind}'; known are {', '.join(found)}")
            elif found[kind][category] != number:
                yield Finding(
                    where,
                    f"counts: {number} entries of kind {kind} expected in '{category}', {found[kind][category]} found; "
                    "mend the data, or the number if the change is meant",
                )
        if numbers.keys() - {TOTAL}:
            where = next(iter(numbers.values())).where
            for category in sorted(found.get(kind, {}).keys() - numbers.keys() - {TOTAL}):
                yield Finding(where, f"counts: no number for kind {kind} in '{category}'; add it or mend the category")
