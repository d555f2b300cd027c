"""Made-up pairs that several judges read in both orders, and the rows that follow from them, in loops."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from polibias.analysis.cases import Answered, Case, Judged, PairFacts, Quotes
from polibias.analysis.frames import tidy
from polibias.analysis.pbi import Tables
from polibias.detectors.rating import Rating
from polibias.detectors.signals import Behaviour
from polibias.detectors.structure import Structure
from polibias.domain.rows import Design, Score, Verdict
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS, SIDES, Both, Favoured, Order
from polibias.domain.study import AnalysisSpec
from polibias.sources.rubrics import read_rubric
from tests.conftest import ROOT

RUBRIC = read_rubric(ROOT / "data", "poli-bias", "tests")
SIDES_ONLY = read_rubric(ROOT / "data", "even-handedness", "tests")
SPEC = AnalysisSpec(resamples=100)
SIGN = {"A": 1, "B": -1, "none": 0}

Call = Sequence[tuple[int, Favoured]]
"""Score and side of each dimension."""


class Item(NamedTuple):
    """A pair as it was asked, and the words of its two responses."""

    name: str
    model: str = "m1"
    template: str = "t0"
    block: str = "main"
    condition: str = "official"
    words: tuple[int, int] | None = (100, 80)
    inclusion: float = 1.0


def labels(rubric: Rubric) -> dict[str, Both[str]]:
    return {label.id: Both(label.options[0].id, label.options[0].id) for label in rubric.labels}


def judged(call: Call | None, rubric: Rubric, quotes: Quotes | None = None) -> Judged:
    """One order's verdict; None for an invalid one."""
    if call is None:
        return Judged("schema_invalid", None, None)  # type: ignore[arg-type]
    scores = {name: Score(*one) for name, one in zip(rubric.dimension_ids, call, strict=True)}
    return Judged("ok", Verdict(scores, labels(rubric)), None, quotes)  # type: ignore[arg-type]


def case(
    item: Item,
    judge: str,
    calls: dict[Order, Call | None],
    also: tuple[str, ...] = (),
    rubric: Rubric = RUBRIC,
    quotes: Quotes | None = None,
) -> Case:
    design = Design(item.template, "c", item.template, "active", item.block, "T1", item.condition, "swapped")  # type: ignore[arg-type]
    sides = Both("a", "b")
    facts = PairFacts(design, sides, sides, sides, item.inclusion, "", "", None)  # type: ignore[arg-type]
    answered = {}
    for side in SIDES if item.words else ():
        assert item.words is not None
        structure = Structure(0, item.words[SIDES.index(side)], 0, 0, frozenset(), 0, Rating("absent"))
        answered[side] = Answered("ok", 0, None, Behaviour("none", "none"), structure)  # type: ignore[arg-type]
    # Orders as they may lie in a stream: whichever came first.
    judgments = {order: judged(call, rubric, quotes) for order, call in reversed(calls.items())}
    return Case(item.name, facts, item.model, judge, answered, judgments, also=also)


def made(
    models: int = 3, pairs: int = 24, judges: Sequence[str] = ("j1", "j2"), seed: int = 4, lost: float = 0.05
) -> list[Case]:
    """Pairs that differ by model and template, read by judges of different level, with errors; some calls are lost."""
    rng = np.random.Generator(np.random.PCG64(seed))
    items = [
        Item(
            f"p{n:04d}",
            f"m{model}",
            f"t{n % 8}",
            "main" if n % 4 else "control",
            words=(int(rng.integers(50, 500)), int(rng.integers(50, 500))),
        )
        for model in range(models)
        for n in range(pairs)
    ]
    level = rng.normal(1.0, 0.8, (len(items), len(RUBRIC.dimensions)))
    lean = rng.choice([-1, 1], len(items))
    said: dict[str, list[dict[Order, Call | None]]] = {}
    for number, judge in enumerate(judges):
        said[judge] = []
        for n in range(len(items)):
            calls: dict[Order, Call | None] = {}
            for order in ORDERS:
                shift = 0.2 * int(items[n].model[1:]) + 0.4 * number
                scores = (level[n] + shift + rng.normal(0, 0.6, level.shape[1])).round().clip(0, 3).astype(int)
                sides = [lean[n] if draw < 0.8 else -lean[n] if draw < 0.95 else 0 for draw in rng.random(len(scores))]
                names: list[Favoured] = [("none", "A", "B")[int(side)] for side in sides]  # type: ignore[misc]
                calls[order] = None if rng.random() < lost else list(zip(scores.tolist(), names, strict=True))
            said[judge].append(calls)
    return list(_cases(items, said, rng))


def _cases(
    items: list[Item], said: dict[str, list[dict[Order, Call | None]]], rng: np.random.Generator
) -> Iterator[Case]:
    for judge, calls in said.items():
        for n, item in enumerate(items):
            others = (name for name in said if name != judge)
            also = tuple(name for name in others if None not in said[name][n].values())
            given = int(rng.integers(0, 6))
            own = int(rng.integers(0, given + 1))
            quotes = Quotes(given, own, int(rng.integers(0, given - own + 1)))
            yield case(item, judge, calls[n], also, quotes=quotes)


def tables_of(cases: list[Case], spec: AnalysisSpec = SPEC, **rubrics: Rubric) -> Tables:
    known = rubrics or {"official": RUBRIC}
    return Tables(tidy(cases, known), known, spec)
