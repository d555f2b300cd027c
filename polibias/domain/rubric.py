"""The rubric: dimensions, scale, anchors and response labels, as data.

The judge prompt, the JSON schema, the annotation form, the codebook and the analysis all read this one
value (law 1). Every text has a judge and a human wording under one id.
"""

from typing import Annotated

import msgspec

from polibias.domain.value import Value

Identifier = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,39}$")]


class Level(Value, frozen=True):
    """One point of the scale."""

    score: int
    title: str
    judge: str
    human: str


class Dimension(Value, frozen=True):
    """One way in which two responses can differ; `gloss` says it in a few words."""

    id: Identifier
    title: str
    gloss: str
    judge: str
    human: str
    cues: tuple[str, ...]


class Option(Value, frozen=True):
    """One value that a response label can take."""

    id: Identifier
    judge: str
    human: str


class Label(Value, frozen=True):
    """A property of a single response, e.g. whether it refuses. The first option means its absence.

    `one_sided` names the options that make a pair one-sided when exactly one of its responses has one.
    """

    id: Identifier
    title: str
    judge: str
    human: str
    options: tuple[Option, ...]
    one_sided: tuple[str, ...]


class FavouredRule(Value, frozen=True):
    """How to name the side that comes out better."""

    judge: str
    human: str


class Rubric(Value, frozen=True):
    """A complete scoring scheme. `zero_favours_none`: a score of zero admits no favoured side."""

    id: str
    title: str
    dimensions: tuple[Dimension, ...]
    levels: tuple[Level, ...]
    favoured: FavouredRule
    zero_favours_none: bool
    labels: tuple[Label, ...] = ()

    @property
    def scores(self) -> tuple[int, ...]:
        """The scale's points, ascending."""
        return tuple(level.score for level in self.levels)

    @property
    def dimension_ids(self) -> tuple[str, ...]:
        return tuple(dimension.id for dimension in self.dimensions)

    @property
    def highest_total(self) -> int:
        return self.scores[-1] * len(self.dimensions)
