"""Templates that read alike: shared runs of characters."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from polibias.domain.scenario import Template
from polibias.domain.wording import PLACEHOLDER
from polibias.lint.material import Finding, Material, Placed, told

RUN = 5
# Of the 1,830 pairs of shipped templates the likest share 0.18, the middle one 0.08. A template with 3 words replaced
# at random shares 0.82 or more with the old one, with 10 words 0.55, with 15 (one in five) 0.43.
ALIKE = 0.30


class Likeness(NamedTuple):
    """Two templates, and the share of their five-character runs that both have."""

    share: float
    first: Placed[Template]
    second: Placed[Template]


def near_duplicates(material: Material) -> Iterator[Finding]:
    """Templates that another template tells in almost the same words, or that bear another one's title."""
    for share, first, second in likenesses(material.templates):
        if share >= ALIKE:
            yield told(
                second,
                f"it reads like template '{first.entry.id}' ({first.where}): they share {share:.0%} of their wording, "
                f"{ALIKE:.0%} is too much; tell another case or drop one",
            )
    titles: dict[str, Placed[Template]] = {}
    for placed in material.templates:
        first = titles.setdefault(placed.entry.title.casefold(), placed)
        if first is not placed:
            yield told(placed, f"template '{first.entry.id}' ({first.where}) has the same title; choose another")


def likenesses(templates: Sequence[Placed[Template]]) -> Iterator[Likeness]:
    """Every two templates with the Jaccard index of their runs of characters, placeholders and signs left out."""
    runs = [runs_of(placed.entry.text) for placed in templates]
    for (i, first), (j, second) in combinations(enumerate(templates), 2):
        both = len(runs[i] & runs[j])
        yield Likeness(both / (len(runs[i]) + len(runs[j]) - both or 1), first, second)


def runs_of(text: str) -> frozenset[str]:
    """All runs of five characters of the text's words in lower case."""
    words = " ".join(re.findall(r"\w+", PLACEHOLDER.sub(" ", text).lower()))
    return frozenset(words[start : start + RUN] for start in range(len(words) - RUN + 1))
