"""What is drawn of one model: what each pair does, whom it favours, and how every judge scores both orders of it.

Arrays run over the study's items in their order. Scores are items × orders × dimensions, orders as in `ORDERS`.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.domain.sides import ORDERS
from polibias.simulated.declaration import BLOCKS, KINDS, Components, SimulatedJudge, SimulatedModel
from polibias.simulated.truth import CUTS, FARTHEST, World, locations, shares, stream
from polibias.stats.power import normals, uniforms

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]

LABELS = ("refusal", "premise")


class Pairs(NamedTuple):
    """One model's pairs. `kind` is a place in `KINDS`; `first_does` says whether version A is the one that refuses or
    rejects, where one does; `favours_a` and `neutral` whom a pair favours; `status` whether a rejection disputes a
    country's status; `again` and `lost` what became of loops. `standing` is the latent part that all judges share.
    """

    kind: Numbers
    first_does: Flags
    favours_a: Flags
    neutral: Flags
    status: Flags
    again: Flags
    lost: Flags
    standing: Floats


class Readings(NamedTuple):
    """One judge's reading of one model's pairs. `scores` are items × orders × dimensions, `valid` and `slips` (to the
    side shown first) items × orders. `sees` says whether the judge names the truly favoured side, `unclear` (items ×
    labels) where its second order misreads a response, and `misreads_a` which.
    """

    scores: NDArray[np.int64]
    valid: Flags
    slips: Flags
    sees: Flags
    unclear: Flags
    misreads_a: Flags


def drawn_pairs(found: World, model: SimulatedModel) -> Pairs:
    """What one model's pairs are, whoever judges them."""
    simulation, count = found.simulation, len(found.designs)

    def chance(what: str) -> Floats:
        return uniforms(stream(simulation, what, model.name), count)

    loops, favours = chance("loops"), np.array([found.favours_a[design.topic] for design in found.designs])
    return Pairs(
        kind=_kinds(found, model, chance("kind")),
        first_does=chance("who") < 0.5,
        favours_a=chance("side") < favours,
        neutral=chance("neutral") < simulation.directions.neutral,
        status=(chance("status") < simulation.status)
        & np.array(["contested_statehood" in design.tags for design in found.designs]),
        again=(loops >= model.lost) & (loops < model.lost + model.again),
        lost=loops < model.lost,
        standing=_standing(found, model),
    )


def _kinds(found: World, model: SimulatedModel, chances: Floats) -> Numbers:
    kind = np.zeros(len(chances), dtype=np.intp)
    for block in BLOCKS:
        inside = _inside(found, block)
        kind[inside] = np.searchsorted(shares(model.does(block)), chances[inside], side="right")
    return kind


def _inside(found: World, block: str) -> Flags:
    return np.array([design.block == block for design in found.designs], dtype=np.bool_)


def _standing(found: World, model: SimulatedModel) -> Floats:
    """Template, item and dimension effects, with the country pair's beside them: items × dimensions."""
    simulation, parts = found.simulation, found.simulation.components
    templates = sorted({design.template for design in found.designs})
    drawn = {name: normals(stream(simulation, "template", name, model.name), (1,))[0] for name in templates}
    template = np.array([drawn[design.template] for design in found.designs])
    pair = np.array([found.effects[design.topic] for design in found.designs])
    item = normals(stream(simulation, "item", model.name), (len(pair),))
    own = normals(stream(simulation, "dimension", model.name), (len(pair), len(found.dimensions)))
    shared = sqrt(parts.template) * template + sqrt(parts.item) * item + pair
    standing: Floats = shared[:, None] + sqrt(parts.dimension) * own
    return standing


def drawn_readings(found: World, model: SimulatedModel, pairs: Pairs, judge: SimulatedJudge) -> Readings:
    """How one judge reads one model's pairs, in both orders."""
    simulation, count = found.simulation, len(found.designs)

    def chance(what: str, each: int) -> Floats:
        return uniforms(stream(simulation, what, model.name, judge.name), count * each).reshape(count, each)

    return Readings(
        scores=_scores(found, model, pairs, judge),
        valid=chance("valid", len(ORDERS)) >= judge.invalid,
        slips=chance("slips", len(ORDERS)) < judge.first,
        sees=chance("sees", 1)[:, 0] < judge.sees,
        unclear=chance("unclear", len(LABELS)) < judge.unclear,
        misreads_a=chance("misreads", len(LABELS)) < 0.5,
    )


def _scores(found: World, model: SimulatedModel, pairs: Pairs, judge: SimulatedJudge) -> NDArray[np.int64]:
    seen = pairs.standing[:, None, :] + _noise(found, found.simulation.components, model, judge)
    seen += _places(found, model, pairs, judge)
    scores: NDArray[np.int64] = (seen[..., None] > CUTS).sum(axis=-1)
    return scores


def _noise(found: World, parts: Components, model: SimulatedModel, judge: SimulatedJudge) -> Floats:
    """What a judge sees otherwise in a pair, and in each order of it: items × orders × dimensions."""
    names, size = (model.name, judge.name), (len(found.designs), len(found.dimensions))
    own = normals(stream(found.simulation, "judge", *names), size)
    call = normals(stream(found.simulation, "call", *names), (size[0], len(ORDERS), size[1]))
    noise: Floats = sqrt(parts.judge) * own[:, None, :] + sqrt(parts.call) * call
    return noise


def _places(found: World, model: SimulatedModel, pairs: Pairs, judge: SimulatedJudge) -> Floats:
    places = np.full((len(found.designs), len(ORDERS), len(found.dimensions)), -FARTHEST)
    for block in found.blocks:
        inside = _inside(found, block)
        for kind, place in locations(found, model, block, judge).items():
            places[inside & (pairs.kind == KINDS.index(kind))] = place
    return places
