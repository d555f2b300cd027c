"""A plan of validation, as written in `prereg/*.toml`: what people will see and what will be computed, said before.

Only what a sample and a split rest on is here yet; what is computed of them follows.
"""

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


class Plan(Value, frozen=True):
    """One validation.

    `run` is the name of the sealed run whose pairs people get, `condition` the one of its conditions that they come
    from, which must be said only if there are several.
    """

    id: Name
    title: Text
    run: Name
    sample: SampleRule
    condition: str = ""
