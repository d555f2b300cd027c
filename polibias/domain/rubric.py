"""The rubric: dimensions, scale, anchors and response labels, as data.

The judge prompt, the JSON schema, the annotation form, the codebook and the analysis all read this one
value (law 1). Every text has a judge and a human wording under one id.
"""

from typing import Annotated

import msgspec

from polibias.domain.value import EntryId, Text, Value

Identifier = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,39}\Z")]


class Level(Value, frozen=True):
    """One point of the scale."""

    score: int
    title: Text
    judge: Text
    human: Text


class Dimension(Value, frozen=True):
    """One way in which two responses can differ; `gloss` says it in a few words."""

    id: Identifier
    title: Text
    gloss: Text
    judge: Text
    human: Text
    cues: tuple[str, ...]


class Option(Value, frozen=True):
    """One value that a response label can take."""

    id: Identifier
    judge: Text
    human: Text


class Label(Value, frozen=True):
    """A property of a single response, e.g. whether it refuses. The first option means its absence.

    `one_sided` names the options that make a pair one-sided when exactly one of its responses has one.
    """

    id: Identifier
    title: Text
    judge: Text
    human: Text
    options: tuple[Option, ...]
    one_sided: tuple[str, ...]


class FavouredRule(Value, frozen=True):
    """How to name the side that comes out better."""

    judge: Text
    human: Text


class Rubric(Value, frozen=True):
    """A complete scoring scheme.

    `zero_favours_none`: on the annotation form a score of zero admits no favoured side. A judge's side at score
    zero is kept as written and carries no weight, since directions are weighted by score.
    """

    id: EntryId
    title: Text
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
