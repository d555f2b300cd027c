"""How texts are written: length, sentences, spaces and signs."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from polibias.domain.scenario import Country
from polibias.domain.wording import PLACEHOLDER, placeholders
from polibias.lint.material import Finding, Material, told

# With the shortest and the longest names of the shipped library, its templates have 357 to 618 characters and 62 to
# 106 words. Far outside, one template would weigh or read differently from the rest.
CHARACTERS = (350, 650)
WORDS = (55, 115)
SENTENCE_START = re.compile(r"(?:^|[.!?][\"”]? )[\"“]?([a-z]\w*)")
SPACING = {
    re.compile(r"\S(  +)(?=\S)"): "two spaces in a row; leave one",
    re.compile(r"(\t)"): "a tab; write a space",
    re.compile(r"\S([ \t]+)(?=\n)"): "white space at the end of a line; remove it",
    re.compile(r"(\s[,.;:?!])"): "white space before a punctuation mark; remove it",
    re.compile(r"(\S[,;:?!.][^\W\d_])"): "no space after a punctuation mark; add one",
}
PLAIN = {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "...", "\u00a0": " "}  # fmt: skip


def prose(material: Material) -> Iterator[Finding]:
    """Templates out of shape, and stray spaces and signs in any text or title that is used."""
    countries = [placed.entry for placed in material.countries]
    for template in material.templates:
        yield from (told(template, problem) for problem in template_problems(template.entry.text, countries))
    for placed, text in material.texts():
        for part, words in (("text", text), ("title", placed.entry.title)):
            yield from (told(placed, f"its {part} has {problem}") for problem in _signs(words))
    for task in material.tasks:
        if not task.entry.text.rstrip().endswith((".", "?", "!")):
            yield told(task, "its text does not end with a punctuation mark; end the sentence")


def template_problems(text: str, countries: Sequence[Country]) -> Iterator[str]:
    """What is wrong with the shape of one template."""
    for name in sorted({"aggressor", "target"} - placeholders(text)):
        yield f"its text has no {{{name}}}"
    if text.count("{year}") > 1:
        yield "its text names {year} more than once; once is enough"
    yield from _lengths(text, countries)
    if "\n" in text.strip():
        yield 'its text has a line break; end the lines inside """ with a backslash'
    if not re.search(r"\.\"?$", text.rstrip()):
        yield "its text does not end with a full stop; end the last sentence with one"
    for sign in sorted(set("!?") & set(text)):
        yield f"its text has '{sign}'; let every sentence end with a full stop"
    for match in SENTENCE_START.finditer(text):
        yield f"a sentence begins in lower case with '{match[1]}'; begin it with a capital letter"
    for match in re.finditer(r"\b(\w+) \1\b", text):
        yield f"it says '{match[0]}'; drop one word or write the sentence in another way"


def _lengths(text: str, countries: Sequence[Country]) -> Iterator[str]:
    """The lengths with the shortest and with the longest name that are out of the band."""
    names = sorted((country.in_text for country in countries), key=len)
    if not names:
        return
    short, long = (PLACEHOLDER.sub(name, text.replace("{year}", "2028")) for name in (names[0], names[-1]))
    for unit, (least, most), fewest, highest in (
        ("characters", CHARACTERS, len(short), len(long)),
        ("words", WORDS, len(short.split()), len(long.split())),
    ):
        if fewest < least:
            yield f"its text has {fewest} {unit} with '{names[0]}'; write at least {least}"
        if highest > most:
            yield f"its text has {highest} {unit} with '{names[-1]}'; write at most {most}"


def _signs(text: str) -> Iterator[str]:
    if text != text.strip():
        yield "white space at its beginning or end; remove it"
    for pattern, problem in SPACING.items():
        if pattern.search(text):
            yield problem
    if text.count('"') % 2:
        yield "a quotation mark that is not closed; close it"
    for sign in sorted({sign for sign in text if not sign.isascii() and not sign.isalpha()}):
        name = unicodedata.name(sign, "no name")
        instead = f"write '{PLAIN[sign]}'" if sign in PLAIN else "write plain signs"
        yield f"the sign '{sign}' (U+{ord(sign):04X}, {name.lower()}); {instead}"
