"""Words that give a country away: its name, its demonyms, and no others.

What English does not form from the name with a suffix, such as French, comes from the lexicon.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from polibias.domain.scenario import Country
from polibias.domain.wording import PLACEHOLDER
from polibias.lint.material import Finding, Material, told

WORD = re.compile(r"[^\W_]+")
SUFFIXES = ("", "an", "ian", "ean", "ese", "i", "ic", "ish", "ite", "er", "ar", "n")
SHORT_STEM = 4
# "Ind" and "Syr" take these two; with more, "Per" of Peru would make "Perish" and "Per" itself.
SUFFIXES_OF_SHORT_STEMS = ("an", "ian")
# Written in lower case these are ordinary words; other names are found in any case.
ORDINARY = frozenset({"chad", "chile", "china", "ferrum", "jordan", "lumina", "mali", "obsidian", "oman", "turkey"})


def foreign_words(material: Material) -> Iterator[Finding]:
    """A country or its people named in a template, a task or a frame, in the text or in the title."""
    forms = known_forms([placed.entry for placed in material.countries], material.terms)
    longest = max((form.count(" ") + 1 for form in forms), default=0)
    for placed, text in material.texts():
        for part, words in (("text", text), ("title", placed.entry.title)):
            for term in sorted(set(_found(words, forms, longest))):
                yield told(
                    placed,
                    f"its {part} says '{term}', which stands for {forms[term]}; "
                    "name countries through placeholders only",
                )


def known_forms(countries: Sequence[Country], further: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Every form to look for, as words with one space between, and the name of the country it stands for."""
    forms: dict[str, str] = {}
    for country in countries:
        capital = {*_derived(country.name), *further.get(country.id, ())}
        lower = set() if country.name.lower() in ORDINARY else {country.name.lower()}
        plural = {f"{form}s" for form in capital}
        for form in capital | plural | {form.upper() for form in capital} | lower:
            forms.setdefault(" ".join(WORD.findall(form)), country.name)
    return forms


def _derived(name: str) -> Iterator[str]:
    """The name and what English makes of it with a suffix, e.g. Turkey, Turk, Turkish, Turkic."""
    stem = name.rstrip("aeiouy")
    yield from (name + suffix for suffix in SUFFIXES)
    yield from (stem + suffix for suffix in (SUFFIXES_OF_SHORT_STEMS if len(stem) < SHORT_STEM else SUFFIXES))


def _found(text: str, forms: Mapping[str, str], longest: int) -> Iterator[str]:
    """The longest forms in the text, from left to right."""
    words = WORD.findall(PLACEHOLDER.sub(" | ", text))
    place = 0
    while place < len(words):
        runs = (" ".join(words[place : place + length]) for length in range(longest, 0, -1))
        form = next((run for run in runs if run in forms), None)
        if form:
            yield form
        place += form.count(" ") + 1 if form else 1
