"""Legal bases: each provision is written in one way and stands in the table of provisions."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping

from polibias.domain.provision import NUMBER
from polibias.lint.material import Finding, Instrument, Material, told

CITED = re.compile(r"(?P<name>[^,;]+), (?P<word>\S+) (?P<provisions>\d.*)")
ARTICLE_WORD = ("Art.", "Arts.")
HOW = "write it like 'Rome Statute, Art. 8(2)(b)(iv); UNCLOS, Arts. 17, 24(1)'"


def citations(material: Material) -> Iterator[Finding]:
    """Every legal basis that is not written as it should be or cites what is not in the table."""
    for placed in material.templates:
        basis = placed.entry.legal_basis
        yield from (told(placed, f"legal_basis: {what}") for what in citation_problems(basis, material.provisions))


def citation_problems(basis: str, table: Mapping[str, Instrument]) -> Iterator[str]:
    """What is wrong with one legal basis. With an empty table only the form is checked."""
    seen: set[str] = set()
    for cited in basis.split("; "):
        match = CITED.fullmatch(cited)
        if not match:
            yield f"'{cited}' is no citation; {HOW}"
            continue
        name = match["name"]
        if name in seen:
            yield f"'{name}' stands twice; list all its provisions in one place"
        seen.add(name)
        if table and name not in table:
            yield f"'{name}' is not in the table of provisions{_near(name, table)}"
        else:
            yield from _provisions(name, match["word"], match["provisions"].split(", "), table.get(name))


def _provisions(name: str, word: str, cited: list[str], instrument: Instrument | None) -> Iterator[str]:
    words = instrument.article_word if instrument else ARTICLE_WORD
    right = words[0] if len(cited) == 1 else words[1]
    if word != right and all(map(NUMBER.fullmatch, cited)):
        yield f"'{name}, {word}' before {len(cited)} provision{'s' if len(cited) > 1 else ''}; write '{right}'"
    for index, provision in enumerate(cited):
        if not NUMBER.fullmatch(provision):
            yield f"'{provision}' is no provision; name each one in full, with ', ' between them; {HOW}"
        elif provision in cited[:index]:
            yield f"'{name}' {provision} is cited twice; drop one"
        elif instrument and provision not in instrument.provisions:
            yield (
                f"'{name}' {provision} is not in the table of provisions{_near(provision, instrument.provisions)}"
                "; check the treaty, then the citation or the table"
            )


def _near(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, sorted(known), n=2)
    return f"; did you mean {' or '.join(near)}?" if near else ""
