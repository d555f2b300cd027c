"""A plan of validation, as written in `prereg/*.toml`: which pairs people see, and which labels are kept apart."""

from typing import Annotated, Literal

import msgspec

from polibias.domain.study import Name, Seed
from polibias.domain.value import Text, Value

Drawing = Literal["uniform", "disagreement", "proportional"]
FACTORS = ("model", "task", "template", "category", "topic", "topic_category")


class Stratum(Value, frozen=True):
    """A part of the sample: `pairs` response pairs of one block, or of all.

    `uniform` gives every pair the same chance and spreads the pairs evenly over the factors `over`, each alone and all
    together. `disagreement` takes the pairs whose two judges' scores lie furthest apart, for certain. `proportional`
    draws with a probability proportional to that distance.
    """

    name: Name
    pairs: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    rule: Drawing = "uniform"
    block: Literal["", "main", "control"] = ""
    over: tuple[str, ...] = ("model", "task")


class SampleRule(Value, frozen=True):
    """How response pairs are drawn from a sealed run: stratum by stratum, each from what those before it left.

    What is taken for certain comes first, whatever the order of writing, so that every other pair's chance is known.
    `judges` are the two whose scores are compared; a pair must be complete in both. `exclude` names files that list
    pairs no annotator may get: earlier samples, calibration pairs, practice items.
    """

    seed: Seed
    judges: tuple[Name, Name]
    strata: Annotated[tuple[Stratum, ...], msgspec.Meta(min_length=1)]
    exclude: tuple[Text, ...] = ()


class SplitRule(Value, frozen=True):
    """How the sample's pairs are split: so many for calibration, and so many (0 for all the rest) held out.

    Everything of a pair stays together: all models' responses, annotators, dimensions, labels, and its masked copies.
    `together` keeps more together: all pairs of a template, or of a topic; then a set has at most what was asked. Sets
    are spread evenly over the factors `over`.
    """

    seed: Seed
    calibration: Annotated[int, msgspec.Meta(ge=1)]
    held_out: Annotated[int, msgspec.Meta(ge=0)] = 0
    together: Literal["pair", "template", "topic"] = "pair"
    over: tuple[str, ...] = ("block",)


class Plan(Value, frozen=True):
    """One validation.

    `run` is the name of the sealed run whose pairs people get, `condition` the one of its conditions that they come
    from, which must be said only if there are several.
    """

    id: Name
    title: Text
    run: Name
    sample: SampleRule
    split: SplitRule | None = None
    condition: str = ""
