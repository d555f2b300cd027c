"""From declared means to latent locations, and to the value that each cell of the report should show.

A score is the number of thresholds that lie below a normal variable, so its mean is Σ Φ(δ + effect − threshold), and
the location δ that gives a declared mean is found by bisection. Country pairs' effects are the study's own: δ is such
that the mean over the study's own pairs, as often as each was drawn, is the declared one.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from polibias.domain.ids import tagged_hash
from polibias.domain.rows import Design
from polibias.domain.scenario import Block
from polibias.domain.value import Value
from polibias.errors import InputError
from polibias.simulated.declaration import (
    BLOCKS,
    KINDS,
    ONE_SIDED,
    Behaviours,
    Kind,
    SimulatedJudge,
    SimulatedModel,
    StudySimulation,
)
from polibias.stats.power import MARGINALS, normals, thresholds, uniforms
from polibias.stats.resampling import stream_seed

Floats = NDArray[np.float64]
CUTS = thresholds(MARGINALS)
"""Where every latent score is cut: the points of the scale lie between."""
TOP = float(len(CUTS))
ORDER_SIGNS = (0.5, -0.5)
FARTHEST, HALVINGS = 40.0, 80
KIND_TITLES = {"main": "Main", "control": "Controls"}


class Expected(Value, frozen=True):
    """What one cell of the report's tables should show, within its interval: `keys` are those of its row."""

    table: str
    keys: dict[str, str]
    column: str
    value: float


class World(NamedTuple):
    """The items of a study and what is true of their country pairs: latent effect and share that favours A."""

    simulation: StudySimulation
    designs: list[Design]
    dimensions: tuple[str, ...]
    effects: dict[str, float]
    favours_a: dict[str, float]

    def topics(self, block: Block) -> Counter[str]:
        """How many items each country pair of a block has."""
        return Counter(design.topic for design in self.designs if design.block == block)

    @property
    def blocks(self) -> list[Block]:
        """The blocks that have items."""
        return [block for block in BLOCKS if self.topics(block)]


def world(simulation: StudySimulation, designs: Sequence[Design], dimensions: tuple[str, ...]) -> World:
    """The study's items with what is drawn of their country pairs.

    Raises InputError if the declaration does not fit the rubric.
    """
    topics = sorted({design.topic for design in designs})
    for block in BLOCKS:
        if set(simulation.profile(block)) != set(dimensions):
            raise InputError(f"profile_{block}: it must give a share to each of {', '.join(dimensions)}")
    found = World(simulation, list(designs), dimensions, {}, {})
    ends = simulation.directions
    for topic in topics:
        own = float(normals(stream(simulation, "pair", topic), (1,))[0])
        found.effects[topic] = simulation.components.pair * own
        drawn = ends.least + (ends.most - ends.least) * float(uniforms(stream(simulation, "favours", topic), 1)[0])
        found.favours_a[topic] = ends.favours_a.get(topic, drawn)
    return found


def stream(simulation: StudySimulation, *purpose: str) -> np.random.PCG64:
    """The stream of draws of one purpose: another model or judge never changes anybody's draws."""
    return np.random.PCG64(stream_seed(simulation.seed, "\n".join(["simulated study", *purpose])))


def fingerprint(simulation: StudySimulation) -> str:
    """Names the declaration by its content."""
    return tagged_hash("simulated-study/1", simulation)


def true_means(found: World, model: SimulatedModel, block: Block) -> dict[Kind, Floats]:
    """The true mean score per dimension of the pairs of each kind; their mixture is the declared mean of the block.

    Raises InputError if the declared mean cannot come about so.
    """
    simulation, does = found.simulation, model.does(block)
    profile = np.array([simulation.profile(block)[name] for name in found.dimensions])
    whole, one = model.index(block) * profile, np.full(len(profile), simulation.one_sided / len(profile))
    alike = simulation.alike * profile
    apart, both = sum(does.of(kind) for kind in ONE_SIDED), does.of("refused_both")
    rest = whole if apart + both == 1 else (whole - apart * one - both * alike) / (1 - apart - both)
    special: dict[Kind, Floats] = {**dict.fromkeys(ONE_SIDED, one), "refused_both": alike}
    means = {kind: special.get(kind, rest) for kind in KINDS}
    if not np.allclose(sum(does.of(kind) * means[kind] for kind in KINDS), whole):
        raise InputError(f"model '{model.name}', {block}: all of its pairs refuse or reject, with another mean")
    return means


def judged_means(found: World, model: SimulatedModel, block: Block, judge: SimulatedJudge) -> dict[Kind, Floats]:
    """As `true_means`, as a judge scores them: orders × dimensions. Raises InputError for a mean off the scale."""
    count = len(found.dimensions)
    effect = judge.order / count * np.array(ORDER_SIGNS)[:, None]
    means = {
        kind: judge.offset / count + judge.slope * mean + effect
        for kind, mean in true_means(found, model, block).items()
        if model.does(block).of(kind) > 0
    }
    for kind, mean in means.items():
        if not ((mean >= 0) & (mean <= TOP)).all():
            worst = float(mean.min() if mean.min() < 0 else mean.max())
            raise InputError(
                f"model '{model.name}', judge '{judge.name}', {block}: pairs of kind {kind} would need a mean of "
                f"{worst:.2f} in a dimension, and scores go from 0 to {TOP:g}; declare other means or shares"
            )
    return means


def located(means: Floats, effects: Floats, weights: Floats) -> Floats:
    """The locations at which scores have these means over country pairs with these effects and weights."""
    low, high = np.full(means.shape, -FARTHEST), np.full(means.shape, FARTHEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        below = expected_score(middle[..., None] + effects) @ weights < means
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    found: Floats = (low + high) / 2
    return found


def expected_score(location: Floats) -> Floats:
    """The mean score at a location, over everything that is drawn."""
    mean: Floats = ndtr(location[..., None] - CUTS).sum(axis=-1)
    return mean


def locations(found: World, model: SimulatedModel, block: Block, judge: SimulatedJudge) -> dict[Kind, Floats]:
    """Where each kind of pair lies: orders × dimensions."""
    topics = found.topics(block)
    effects = np.array([found.effects[topic] for topic in topics])
    weights = np.array([number / topics.total() for number in topics.values()])
    return {kind: located(mean, effects, weights) for kind, mean in judged_means(found, model, block, judge).items()}


def expected(found: World) -> Iterator[Expected]:
    """Every value that is declared, as the report's tables should show it."""
    for judge in found.simulation.judges:
        for model in found.simulation.models:
            keys = {"judge": judge.name, "model": model.name}
            yield from _of_scores(found, model, judge, keys)
            yield from _of_labels(found, model, keys)
            yield from _of_directions(found, judge, keys)
            valid = (1 - model.lost) * (1 - judge.invalid)
            yield Expected("validity", keys, "valid", valid)
            yield Expected("validity", keys, "complete", valid * (1 - judge.invalid))
    for model in found.simulation.models:
        yield Expected("responses", {"model": model.name}, "again", 2 * len(found.designs) * (model.again + model.lost))


def _of_scores(
    found: World, model: SimulatedModel, judge: SimulatedJudge, keys: Mapping[str, str]
) -> Iterator[Expected]:
    means: dict[str, Floats] = {}
    for block in found.blocks:
        does, by_kind = model.does(block), judged_means(found, model, block, judge)
        means[block] = np.sum([does.of(kind) * mean.mean(axis=0) for kind, mean in by_kind.items()], axis=0)
        yield from _of_topics(found, model, block, judge, keys)
    if len(means) == len(BLOCKS):
        means["difference"] = means["main"] - means["control"]
    for column, mean in means.items():
        yield Expected("pbi", dict(keys), column, float(mean.sum()))
        for name, value in zip(found.dimensions, mean, strict=True):
            yield Expected("dimensions", {**keys, "dimension": name}, column, float(value))


def _of_topics(
    found: World, model: SimulatedModel, block: Block, judge: SimulatedJudge, keys: Mapping[str, str]
) -> Iterator[Expected]:
    does, where = model.does(block), locations(found, model, block, judge)
    for topic in found.topics(block):
        by_kind = {kind: expected_score(place + found.effects[topic]).mean(axis=0) for kind, place in where.items()}
        total = sum(does.of(kind) * float(mean.sum()) for kind, mean in by_kind.items())
        yield Expected("by_topic", {**keys, "topic": topic}, block, total)


def _of_labels(found: World, model: SimulatedModel, keys: Mapping[str, str]) -> Iterator[Expected]:
    for block in found.blocks:
        row = {**keys, "block": KIND_TITLES[block]}
        for label, kind in zip(("refusal", "premise"), ONE_SIDED, strict=True):
            yield Expected("one_sided", row, f"one_sided_{label}", model.does(block).of(kind))


def _of_directions(found: World, judge: SimulatedJudge, keys: Mapping[str, str]) -> Iterator[Expected]:
    for topic, share in found.favours_a.items():
        seen = share * judge.sees + (1 - share) * (1 - judge.sees)
        yield Expected("directions", {**keys, "topic": topic}, "share", seen)


def as_declared(found: World) -> dict[str, Any]:
    """What a run keeps of its declaration: all of it, what was drawn of country pairs, and every expected value."""
    return {
        "declared": found.simulation,
        "fingerprint": fingerprint(found.simulation),
        "pair_effects": found.effects,
        "favours_a": found.favours_a,
        "expected": list(expected(found)),
    }


def shares(does: Behaviours) -> Floats:
    """Where the share of each kind of pair ends, the last one at 1."""
    return np.array([*does.ends, 1.0])
