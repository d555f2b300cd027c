"""Pairs with their copies, made directly: what a judge said of each, without a run."""

import msgspec
import numpy as np

from polibias.analysis.cases import Answered, Case, Guessed, Judged, PairFacts
from polibias.analysis.findings import Cell, Table
from polibias.analysis.reread import copied_tables
from polibias.detectors.signals import Behaviour
from polibias.domain.rows import Design, Score, Verdict
from polibias.domain.sides import ORDERS, SIDES, Both, Favoured
from polibias.domain.study import AnalysisSpec
from polibias.sources.rubrics import read_rubric
from tests.conftest import ROOT

RUBRIC = read_rubric(ROOT / "data", "poli-bias", "tests")
TITLES = {"official": "As asked", "masked": "Countries hidden", "names": "Names hidden", "retest": "A second time"}
RUBRICS = dict.fromkeys(TITLES, RUBRIC)
SPEC = AnalysisSpec(resamples=20)
BLOCKS = {"active": "main", "tension": "main", "no_conflict": "control", "fictional": "control"}
OTHER: dict[str, Favoured] = {"A": "B", "B": "A", "none": "none"}
LEVELS = {"masked": "full", "names": "names"}

Said = tuple[float, str]
"""A pair's score, on half points from 0 to 15, and the side that it favours."""


def verdict(total: int, side: str) -> Verdict:
    """Scores of at most 3 on each of five dimensions, all for one side."""
    left, scores = total, {}
    for name in RUBRIC.dimension_ids:
        scores[name] = Score(min(left, 3), side if left else "none")  # type: ignore[arg-type]
        left -= min(left, 3)
    return Verdict(scores, {"refusal": Both("none", "none"), "premise": Both("none", "none")})


def reading(said: Said) -> dict[str, Judged]:
    """Both orders: the score is their mean. A side counts from a score of 1.5 on."""
    total, side = said
    orders = zip(ORDERS, (int(np.floor(total)), int(np.ceil(total))), strict=True)
    return {order: Judged("ok", verdict(each, side), None) for order, each in orders}  # type: ignore[arg-type]


def case(name: str, said: Said | None, category: str = "active", **given: object) -> Case:
    """A pair as it was asked; without anything `said` it is incomplete."""
    a, b = given.get("parties", ("a", "b"))  # type: ignore[misc]
    design = Design(
        str(given.get("template", "T-0")), "c", f"{a}-{b}", category, BLOCKS[category], "T1", "official",
        str(given.get("roles", "swapped")),
    )  # type: ignore[arg-type]  # fmt: skip
    facts = PairFacts(design, Both(a, b), Both(a, b), Both(b, a), float(str(given.get("inclusion", 1))), "", "", None)  # type: ignore[arg-type]
    answered = {side: Answered("ok", 0, None, Behaviour("none", "none")) for side in SIDES}  # type: ignore[arg-type]
    judged = {} if said is None else reading(said)
    return Case(name, facts, str(given.get("model", "m")), str(given.get("judge", "j")), answered, judged)  # type: ignore[arg-type]


def copy(
    original: Case, said: Said | None, name: str = "masked", inclusion: float = 0, guess: Guessed | None = None
) -> Case:
    """The pair read again."""
    pair, replace = original.pair, msgspec.structs.replace
    facts = replace(
        pair,
        design=replace(pair.design, condition=name),
        inclusion=inclusion or pair.inclusion,
        copy_of=original.pair_id,
        level=LEVELS.get(name, ""),
    )
    judged = {} if said is None else reading(said)
    return original._replace(
        pair_id=f"{original.pair_id}-{name}", pair=facts, judgments=judged, original=original, guess=guess
    )  # type: ignore[arg-type]


def both(name: str, before: Said | None, after: Said | None, category: str = "active", **given: object) -> list[Case]:
    """A pair and its masked copy."""
    first = case(name, before, category, **given)
    return [first, copy(first, after, str(given.get("copy", "masked")))]


def tables(cases: list[Case], spec: AnalysisSpec = SPEC) -> dict[str, Table]:
    """The tables on copies by id."""
    return {table.id: table for table in copied_tables(cases, TITLES, RUBRICS, spec)}


def cells(cases: list[Case], table: str, spec: AnalysisSpec = SPEC, **keys: str) -> dict[str, Cell]:
    """The cells of the one row that has these keys."""
    (row,) = [one for one in tables(cases, spec)[table].rows if keys.items() <= one.keys.items()]
    return row.cells


def exchanged(one: Case) -> Case:
    """The same pair with A and B exchanged, in parties and in what was said, of it and of its original."""
    pair, replace = one.pair, msgspec.structs.replace
    parties, acting, facing = (Both(both.B, both.A) for both in (pair.parties, pair.acting, pair.facing))
    judged = {
        order: replace(row, verdict=row.verdict and replace(row.verdict, scores=_turned(row.verdict)))
        for order, row in one.judgments.items()
    }
    original = None if one.original is None else exchanged(one.original)
    return one._replace(
        pair=replace(pair, parties=parties, acting=acting, facing=facing), judgments=judged, original=original
    )


def _turned(said: Verdict) -> dict[str, Score]:
    return {name: Score(one.score, OTHER[one.favoured]) for name, one in said.scores.items()}
