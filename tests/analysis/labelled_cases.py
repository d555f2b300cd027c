"""Made-up labels beside made-up calls, and the definitions of what is computed from them, written out in loops."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from polibias.analysis.labelled import Calls, Floats, Labelled, LabelUnit
from polibias.domain.plan import AnalysisRules, Comparison

DIMENSIONS = ("tone", "depth", "law")
POINTS = (0.0, 1.0, 2.0, 3.0)
NAN = float("nan")

Row = tuple[float, float, float]
"""Two ratings that are compared, and the weight of their unit."""


def units_of(
    pairs: int, models: Sequence[str] = ("m1",), dimensions: Sequence[str] = DIMENSIONS
) -> tuple[LabelUnit, ...]:
    """Pairs spread over two strata, blocks, three topics and a template for each two pairs."""
    return tuple(
        LabelUnit(
            f"p{n:02d}",
            model,
            dimension,
            "even" if n % 2 else "hard",
            "main" if n % 3 else "control",
            f"t{n // 2:02d}",
            f"topic{n % 3}",
            0.25 if n % 2 else 1.0,
        )
        for n in range(pairs)
        for model in models
        for dimension in dimensions
    )


def made(pairs: int = 12, raters: int = 2, missing: float = 0.1, seed: int = 5, models: int = 2) -> Labelled:
    """Readers of one truth with errors of their own; a share of labels and of calls is missing."""
    rng = np.random.Generator(np.random.PCG64(seed))
    units = units_of(pairs, [f"m{n}" for n in range(models)])
    level = rng.normal(1.2, 1, len(units))
    lean = np.repeat(rng.choice([-1.0, 1.0], pairs * models), len(DIMENSIONS))

    def read(columns: int, error: float, shift: float = 0.0) -> tuple[Floats, Floats]:
        scores = (level[:, None] + shift + rng.normal(0, error, (len(units), columns))).round().clip(0, 3)
        sides = np.where(rng.random(scores.shape) < 0.85, lean[:, None], -lean[:, None]) * (scores > 0)
        lost = rng.random(scores.shape) < missing
        return np.where(lost, NAN, scores), np.where(lost, NAN, sides)

    names = tuple(f"ann{n}" for n in range(raters))
    scores, sides = read(raters, 0.5)
    judges = {"j1": Calls(*read(2, 0.8, -0.3)), "j2": Calls(*read(2, 1.2, 0.5))}
    return Labelled(units, names, scores, sides, judges, POINTS, DIMENSIONS)


def table_of(
    scores: Sequence[Sequence[float]],
    calls: Sequence[tuple[float, float]],
    sides: Sequence[Sequence[float]] | None = None,
    call_sides: Sequence[tuple[float, float]] | None = None,
    dimensions: Sequence[str] = ("tone",),
) -> Labelled:
    """One judge, `j`, and as many annotators as there are columns; the pairs' dimensions follow each other."""
    raters = tuple(f"ann{n}" for n in range(len(scores[0]) if scores else 0))
    human, judge = np.array(scores, dtype=float).reshape(len(calls), len(raters)), np.array(calls, dtype=float)
    judge = judge.reshape(-1, 2)
    own = np.where(np.isnan(human), NAN, 0.0) if sides is None else np.array(sides, dtype=float).reshape(human.shape)
    its = np.where(np.isnan(judge), NAN, 0.0) if call_sides is None else np.array(call_sides, float).reshape(-1, 2)
    units = units_of(len(calls) // len(dimensions), dimensions=dimensions)
    return Labelled(units, raters, human, own, {"j": Calls(judge, its)}, POINTS, tuple(dimensions))


def planned(statistic: str, id: str = "c1", **more: object) -> Comparison:
    return Comparison(id=id, title=id, role="primary", statistic=statistic, **more)  # type: ignore[arg-type]


def ruled(**more: object) -> AnalysisRules:
    return AnalysisRules(seed=3, **({"resamples": 100} | more))  # type: ignore[arg-type]


def weight(unit: LabelUnit, weighted: bool) -> float:
    return 1 / unit.inclusion if weighted else 1.0


def given(*values: float) -> bool:
    return all(value == value for value in values)


def judge_rows(labelled: Labelled, judge: str, rater: int, weighted: bool = False, mean: bool = False) -> list[Row]:
    """Each call beside the label of its unit, or their mean."""
    rows: list[Row] = []
    for unit, calls, labels in zip(labelled.units, labelled.judges[judge].scores, labelled.scores, strict=True):
        if given(*calls, labels[rater]):
            compared = [sum(calls) / len(calls)] if mean else list(calls)
            rows += [(float(call), float(labels[rater]), weight(unit, weighted)) for call in compared]
    return rows


def label_rows(labelled: Labelled, first: int, second: int, weighted: bool = False) -> list[Row]:
    return [
        (float(labels[first]), float(labels[second]), weight(unit, weighted))
        for unit, labels in zip(labelled.units, labelled.scores, strict=True)
        if given(labels[first], labels[second])
    ]


def couples_of(labelled: Labelled) -> Iterator[tuple[int, int]]:
    yield from combinations(range(len(labelled.raters)), 2)


def kappa_of(rows: Sequence[Row], power: int | None = 2) -> float | None:
    """One minus observed over expected disagreement, both as sums over rows."""

    def apart(x: float, y: float) -> float:
        return float(x != y) if power is None else abs(x - y) ** power

    total = sum(w for _, _, w in rows)
    observed = sum(w * apart(x, y) for x, y, w in rows) * total
    expected = sum(v * w * apart(x, y) for x, _, v in rows for _, y, w in rows)
    return 1 - observed / expected if expected else None


def mean_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def weighted_mean(rows: Sequence[tuple[float, float]]) -> float:
    return sum(value * w for value, w in rows) / sum(w for _, w in rows)


def totals(labelled: Labelled, values: Floats, weighted: bool = False) -> dict[tuple[str, str], tuple[float, float]]:
    """Sum over dimensions of the mean over columns, and the weight, of each pair that misses nothing."""
    found: dict[tuple[str, str], list[float]] = {}
    weights = {}
    for unit, row in zip(labelled.units, values, strict=True):
        found.setdefault((unit.pair, unit.model), []).append(sum(row) / len(row))
        weights[unit.pair, unit.model] = weight(unit, weighted)
    whole = {key: parts for key, parts in found.items() if len(parts) == len(labelled.dimensions) and given(*parts)}
    return {key: (sum(parts), weights[key]) for key, parts in whole.items()}


def icc_of(rows: Sequence[Row], form: str) -> float:
    """From sums of squares around weighted means; degrees of freedom count rows."""
    n, total = len(rows), sum(w for _, _, w in rows)
    shares = [w * n / total for _, _, w in rows]
    raters = [sum(s * row[place] for s, row in zip(shares, rows, strict=True)) / n for place in (0, 1)]
    grand = sum(raters) / 2
    by_unit = sum(2 * s * ((x + y) / 2 - grand) ** 2 for s, (x, y, _) in zip(shares, rows, strict=True))
    by_rater = n * sum((mean - grand) ** 2 for mean in raters)
    whole = sum(s * ((x - grand) ** 2 + (y - grand) ** 2) for s, (x, y, _) in zip(shares, rows, strict=True))
    unit, rater, error = by_unit / (n - 1), by_rater, (whole - by_unit - by_rater) / (n - 1)
    return (unit - error) / (unit + error + (2 / n * (rater - error) if form == "icc_a_1" else 0))


def direction_of(
    labelled: Labelled, scores: Floats, sides: Floats, threshold: float = 1.0
) -> dict[tuple[str, str], str]:
    """A, B or none of each pair that misses nothing: the mean over columns of the sum of score times side."""
    net = totals(labelled, scores * sides)
    return {key: "A" if value > threshold else "B" if value < -threshold else "none" for key, (value, _) in net.items()}


def direction_rows_of(first: Mapping[tuple[str, str], str], second: Mapping[tuple[str, str], str]) -> list[Row]:
    place = {"A": 1.0, "none": 0.0, "B": -1.0}
    return [(place[first[key]], place[second[key]], 1.0) for key in sorted(first) if key in second]
