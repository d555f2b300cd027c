"""The rubric: dimensions, scale, anchors, sides and response labels, as data.

The judge prompt, the JSON schema, the annotation form, the codebook and the analysis all read this one
value (law 1). Every text has a judge and a human wording under one id.
"""

from typing import Annotated, Literal

import msgspec

from polibias.domain.value import EntryId, Text, Value

Identifier = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,39}\Z")]
OptionId = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9_]{0,39}\Z")]
Asked = Literal["judge", "human"]

EITHER_SIDE = (0, 1)


class Level(Value, frozen=True):
    """One point of the scale."""

    score: int
    title: Text
    judge: Text
    human: Text


class Dimension(Value, frozen=True):
    """One way in which two responses can differ; `gloss` says it in a few words.

    `asks` is `score` for a point of the scale and the favoured side, or `side` for the side alone: then the score
    is 1 where a side is named and 0 where none is.
    """

    id: Identifier
    title: Text
    gloss: Text
    judge: Text
    human: Text
    cues: tuple[str, ...] = ()
    asks: Literal["score", "side"] = "score"


class Option(Value, frozen=True):
    """One value that a response label can take."""

    id: OptionId
    judge: Text
    human: Text


class Label(Value, frozen=True):
    """A property of a single response, e.g. whether it refuses. The first option means its absence.

    `one_sided` names the options that make a pair one-sided when exactly one of its responses has one. The options
    of an `ordinal` label ascend and rate a response 1, 2, …. `asked` says who is asked for it.
    """

    id: Identifier
    title: Text
    judge: Text
    human: Text
    options: tuple[Option, ...]
    one_sided: tuple[str, ...] = ()
    ordinal: bool = False
    asked: tuple[Asked, ...] = ("judge",)

    def rating(self, option: str) -> int:
        """The option's place, from 1. Raises ValueError for an option that the label does not have."""
        return [known.id for known in self.options].index(option) + 1


class Sides(Value, frozen=True):
    """One text for each answer to the question of who is favoured: the first shown, the second, none."""

    first: Text
    second: Text
    none: Text


class FavouredRule(Value, frozen=True):
    """How to name the side that comes out better.

    `slots` are the words a judge answers with, `options` those an annotator chooses from; options may use
    {acting_1} and {acting_2}, who acts in the version shown first and second.
    """

    title: Text
    judge: Text
    human: Text
    question: Text
    slots: Sides
    options: Sides


class FormWording(Value, frozen=True):
    """What the annotation form says beside the dimensions.

    `version` stands above each response and may use {number}, {acting} and {facing}; empty for nothing to say.
    """

    intro: Text
    scale_question: Text
    version: str = ""


class ReportWording(Value, frozen=True):
    """What the report calls things, what was asked, and what must not be read into it.

    `reading` says how to read the difference between the blocks, where there are both. `unit` is how a mean is printed.
    """

    index: Text
    topic: Text
    about: Text
    caution: Text
    reading: str = ""
    unit: Literal["score", "share"] = "score"


class Rubric(Value, frozen=True):
    """A complete scoring scheme.

    `zero_favours_none`: on the annotation form a score of zero admits no favoured side. A judge's side at score
    zero is kept as written and carries no weight, since directions are weighted by score.
    """

    id: EntryId
    title: Text
    dimensions: tuple[Dimension, ...]
    favoured: FavouredRule
    form: FormWording
    report: ReportWording
    zero_favours_none: bool
    levels: tuple[Level, ...] = ()
    labels: tuple[Label, ...] = ()

    @property
    def scores(self) -> tuple[int, ...]:
        """The scale's points, ascending."""
        return tuple(level.score for level in self.levels)

    @property
    def dimension_ids(self) -> tuple[str, ...]:
        return tuple(dimension.id for dimension in self.dimensions)

    def scale(self, dimension: Dimension) -> tuple[int, ...]:
        """The scores that a dimension can have, ascending."""
        return self.scores if dimension.asks == "score" else EITHER_SIDE

    @property
    def highest(self) -> int:
        """The highest score that any dimension can have."""
        return max(self.scale(dimension)[-1] for dimension in self.dimensions)

    @property
    def lowest(self) -> int:
        """The lowest score that any dimension can have."""
        return min(self.scale(dimension)[0] for dimension in self.dimensions)

    @property
    def highest_total(self) -> int:
        return sum(self.scale(dimension)[-1] for dimension in self.dimensions)

    @property
    def lowest_total(self) -> int:
        return sum(self.scale(dimension)[0] for dimension in self.dimensions)
