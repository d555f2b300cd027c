"""Minimal pairs: with the two countries exchanged, nothing but their names may change.

Proved twice. By form: a placeholder that stands free between words can change nothing but itself. By rendering: both
versions are written out, every name and possessive is replaced by a mark for its country, and the marks of the second
version are exchanged; the two texts must then be equal. Templates and tasks are rendered with every pair, frames with
every pair and task. A prompt joins them where neither touches a word, so what holds of the parts holds of the prompt.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from polibias.domain.scenario import Country, Frame, Task, Template
from polibias.domain.value import Value
from polibias.domain.wording import fill, placeholders
from polibias.lint.material import Finding, Material, told

RENDERED = frozenset({"aggressor", "target", "aggressor_possessive", "target_possessive", "year"})
NAME = r"\{(?:aggressor|target)(?:_possessive)?\}"
OTHER = r"\{(?:year|scenario|task)\}"
TOUCHED = re.compile(rf"[\w'’-]{NAME}|{NAME}[\w'’-]|\w{OTHER}|{OTHER}\w")
OPENING = re.compile(rf"(?:^|[.!?][\"”]?\s+|\n\s*)([\"“]?{NAME})")
ARTICLE = re.compile(rf"\b(?:the|a|an) {NAME}", re.IGNORECASE)
SHOWN = 24


class Cast(NamedTuple):
    """A pair's two countries, and a function that replaces their names by marks: first country, second country."""

    pair: str
    a: Country
    b: Country
    marked: Callable[[str, tuple[str, str]], str]


def versions(material: Material) -> Iterator[Finding]:
    """Texts that would make two prompts differ in more than the names of the countries."""
    casts = [Cast(placed.entry.id, a, b, _marker(a, b)) for placed, a, b in material.cast()]
    sound: dict[type[Value], list[str]] = {Template: [], Task: []}
    for placed, text in material.texts():
        yield from (told(placed, problem) for problem in _ill_formed(text))
        rendered = [text]
        if isinstance(placed.entry, Frame):  # comes last, when it is known which templates and tasks are sound
            rendered = _prompts(text, sound[Template][:1] or ["A scenario."], sound[Task] or ["A task."])
        problems = list(_differing(rendered, casts))
        yield from (told(placed, problem) for problem in problems)
        if not problems and placeholders(text) <= RENDERED:
            sound.setdefault(type(placed.entry), []).append(text)


def _ill_formed(text: str) -> Iterator[str]:
    for match in TOUCHED.finditer(text):
        yield f"it says '{match[0]}'; a placeholder stands free, with no letter, hyphen or apostrophe beside it"
    for match in OPENING.finditer(text):
        yield (
            f"it opens a sentence with '{match[1]}', which may begin in lower case "
            "('the United States'); begin with another word"
        )
    for match in ARTICLE.finditer(text):
        yield f"it says '{match[0]}'; no article before a country, which brings its own where it has one"


def _prompts(layout: str, scenarios: Sequence[str], tasks: Sequence[str]) -> list[str]:
    """The layout with each scenario and task in it, countries and year still open."""
    kept = {name: f"{{{name}}}" for name in placeholders(layout)}
    return [fill(layout, {**kept, "scenario": scenario, "task": task}, "") for scenario in scenarios for task in tasks]


def _differing(texts: Sequence[str], casts: Sequence[Cast]) -> Iterator[str]:
    """At most one line: where the versions first differ, and with how many pairs they do."""
    found = [(cast, pair) for cast in casts for text in texts if (pair := _unequal(text, cast))]
    if found:
        cast, (a, b) = found[0]
        others = len({other.pair for other, _ in found}) - 1
        more = f" and {others} other pair{'s' if others > 1 else ''}" if others else ""
        yield (
            f"with pair '{cast.pair}'{more} the two versions differ in more than the names: '{a}' against '{b}'; "
            "name both countries through placeholders, and nothing that belongs to one of them"
        )


def _unequal(text: str, cast: Cast) -> tuple[str, str] | None:
    """The places where the versions differ, with the countries of the second exchanged; None if they do not."""
    if placeholders(text) - RENDERED:
        return None  # an unknown placeholder is told where the entry is read
    a = cast.marked(fill(text, _names(cast.a, cast.b), ""), ("aggressor", "target"))
    b = cast.marked(fill(text, _names(cast.b, cast.a), ""), ("target", "aggressor"))
    if a == b:
        return None
    common = next((place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    start = max(0, common - SHOWN)
    return _excerpt(a, start), _excerpt(b, start)


def _excerpt(text: str, start: int) -> str:
    return f"...{' '.join(text[start : start + 2 * SHOWN].split())}..."


def _names(aggressor: Country, target: Country) -> dict[str, str]:
    """What the placeholders stand for in one version, as prompts are built."""
    return {
        "aggressor": aggressor.in_text,
        "target": target.in_text,
        "aggressor_possessive": aggressor.possessive,
        "target_possessive": target.possessive,
        "year": "2028",
    }


def _marker(a: Country, b: Country) -> Callable[[str, tuple[str, str]], str]:
    """Replaces each whole form of a name by a mark that says which country and which form."""
    forms = {
        form: (index, mark)
        for index, country in enumerate((a, b))
        for form, mark in ((country.name, "[bare %s]"), (country.in_text, "[%s]"), (country.possessive, "[%s's]"))
    }
    longest_first = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
    pattern = re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)")

    def marked(text: str, roles: tuple[str, str]) -> str:
        return pattern.sub(lambda match: forms[match[0]][1] % roles[forms[match[0]][0]], text)

    return marked
