"""What the planning commands say: what a validation study can show, and what simulated raters recovered."""

import csv
import io
import shlex
from collections.abc import Iterator, Sequence
from math import ceil, inf
from pathlib import Path
from typing import Any, NamedTuple

from polibias.errors import InputError
from polibias.simulate import Recovered, SimulatedRating, Simulation
from polibias.stats.power import (
    DESIGN_FACTOR,
    MOST_PAIRS,
    Panel,
    Precision,
    Quantity,
    clusters_for_sign_flip,
    pairs_needed,
    planned,
    planned_by_simulation,
    precision,
    sign_flip_floor,
)

SIZES = (25, 50, 100, 200, 400, 800)
MOST_DRAWS = 400_000_000
LEVEL = 0.05
SCALE = "0,1,2,3"
TITLES: dict[Quantity, str] = {
    "gap": "the gap (the judge's kappa with annotators minus the annotators' own)",
    "judge": "the judge's kappa with annotators",
    "human": "the annotators' kappa with each other",
}
ABOUT: dict[Quantity, str] = {
    "gap": "A true gap of {:.3f} or more, either way, would be told from zero in 80% of such studies",
    "judge": "A judge's kappa {:.3f} or more away from a fixed mark would be told from it in 80% of such studies",
    "human": "An annotators' kappa {:.3f} or more away from a fixed mark would be told from it in 80% of such studies",
}


class Wanted(NamedTuple):
    """What a plan is asked for: a number of pairs, or the targets that it has to reach; and what it rests on.

    `clusters` are those that the pairs fall into, None if every pair is its own. `simulations` 0 is the formula alone.
    """

    quantity: Quantity = "gap"
    pairs: int | None = None
    half_width: float = inf
    detectable: float = inf
    design_factor: float = DESIGN_FACTOR
    clusters: int | None = None
    tests: int = 1
    simulations: int = 0
    seed: int = 0


class Plan(NamedTuple):
    """What the asked number of pairs shows, what others show, and the same by simulated studies if asked for."""

    panel: Panel
    wanted: Wanted
    asked: Precision
    table: list[Precision]
    simulated: Precision | None

    def as_json(self) -> dict[str, Any]:
        """Everything that is printed, and everything that it rests on."""
        floor = None if self.wanted.clusters is None else sign_flip_floor(self.wanted.clusters)
        return {
            "asked": self.asked.as_json(),
            "simulated": None if self.simulated is None else self.simulated.as_json(),
            "table": [
                {"n": row.n, "error": row.error, "half_width": row.half_width, "detectable": row.detectable}
                for row in self.table
            ],
            "sign_flip": {
                "clusters": self.wanted.clusters,
                "floor": floor,
                "tests": self.wanted.tests,
                "clusters_needed": clusters_for_sign_flip(LEVEL, self.wanted.tests),
            },
        }


def plan(panel: Panel, wanted: Wanted) -> Plan:
    """The plan. Raises InputError for what no study can be."""
    _check(wanted)
    try:
        n = wanted.pairs or _needed(panel, wanted)
        asked = planned(panel, n, wanted.seed, wanted.quantity, wanted.design_factor, wanted.clusters)
    except ValueError as error:
        raise InputError(str(error)) from None
    sizes = sorted({n, *(size for size in SIZES if size >= (wanted.clusters or 2))})
    table = [
        precision(asked.pair_error, size, wanted.quantity, wanted.design_factor, wanted.clusters) for size in sizes
    ]
    return Plan(panel, wanted, asked, table, _by_simulation(panel, wanted, n) if wanted.simulations else None)


def _check(wanted: Wanted) -> None:
    if wanted.pairs is not None and wanted.pairs < (wanted.clusters or 2):
        raise InputError(f"--pairs {wanted.pairs}: at least 2 pairs, and at least one per cluster, are needed")
    if wanted.clusters is not None and wanted.clusters < 2:
        raise InputError(f"--clusters {wanted.clusters}: at least 2 are needed for any interval")


def _needed(panel: Panel, wanted: Wanted) -> int:
    """The smallest number of pairs that reaches the targets. In a given number of clusters errors fall with √n."""
    if wanted.clusters is None:
        return pairs_needed(
            panel, wanted.seed, wanted.quantity, wanted.half_width, wanted.detectable, wanted.design_factor
        ).n
    least = planned(panel, wanted.clusters, wanted.seed, wanted.quantity, wanted.design_factor, wanted.clusters)
    short = max(1.0, least.half_width / wanted.half_width, least.detectable / wanted.detectable)
    n = ceil(wanted.clusters * short**2 - 1e-9)
    if n > MOST_PAIRS:
        raise ValueError(f"more than {MOST_PAIRS:,} pairs would be needed")
    return n


def _by_simulation(panel: Panel, wanted: Wanted, n: int) -> Precision:
    if n * wanted.simulations * panel.dimensions * (panel.annotators + 2) > MOST_DRAWS:
        raise InputError(f"{wanted.simulations:,} simulated studies of {n:,} pairs take too long; ask for fewer")
    parts = (wanted.seed, wanted.quantity, wanted.design_factor, wanted.clusters, wanted.simulations)
    try:
        return planned_by_simulation(panel, n, *parts)
    except ValueError:
        raise InputError(f"in some simulated studies of {n} pairs all ratings are the same; plan more pairs") from None


def as_text(found: Plan) -> str:
    """The answer in words, the table, what a sign-flip test can reach, and what all of it rests on."""
    return "\n".join([*_words(found), "", *_table(found), "", _sign_flip(found.wanted), *_assumed(found)])


def _words(found: Plan) -> Iterator[str]:
    asked, wanted, panel = found.asked, found.wanted, found.panel
    grouped = "" if wanted.clusters is None else f" in {wanted.clusters:,} clusters"
    answer = f"{asked.n:,} pairs{grouped}"
    verb = "give" if wanted.pairs else "are enough: they give"
    yield f"{answer} {verb} a 95% interval of ±{asked.half_width:.3f} for {TITLES[wanted.quantity]}."
    told = ABOUT[wanted.quantity].format(asked.detectable)
    if wanted.quantity != "gap":
        yield f"{told}."
        return
    gap = panel.kappa_judge - panel.kappa_human
    shows = "would show" if abs(gap) >= asked.detectable else "would not show reliably"
    yield f"{told}; the gap declared here, {gap:+.3f}, {shows}."


def _table(found: Plan) -> Iterator[str]:
    yield f"{'pairs':>10}{'SE':>10}{'half-width':>13}{'detectable, 80%':>18}"
    for row in found.table:
        yield _row(row, "  ← asked" if row.n == found.asked.n else "")
        if found.simulated is not None and row.n == found.asked.n:
            yield _row(found.simulated, f"  ← {found.simulated.method}")


def _row(row: Precision, mark: str) -> str:
    return f"{row.n:>10,}{row.error:>10.3f}{row.half_width:>13.3f}{row.detectable:>18.3f}{mark}"


def _sign_flip(wanted: Wanted) -> str:
    needed = clusters_for_sign_flip(LEVEL, wanted.tests)
    holm = f", with Holm's correction over {wanted.tests} models," if wanted.tests > 1 else ""
    rule = f"A sign-flip test by cluster{holm} needs at least {needed} clusters to fall below p = {LEVEL:g}"
    if wanted.clusters is None:
        return f"{rule}."
    return f"{rule}; with {wanted.clusters} the smallest p before correction is {sign_flip_floor(wanted.clusters):.2g}."


def _assumed(found: Plan) -> Iterator[str]:
    panel = found.panel
    shares = ", ".join(f"{share:g}" for share in panel.marginals)
    yield f"Assumed: kappa {panel.kappa_judge:g} of judge and annotator, {panel.kappa_human:g} of two annotators;"
    yield (
        f"  annotators {panel.annotators}, dimensions per pair {panel.dimensions} (latent correlation "
        f"{panel.dimension_correlation:g}), shares of the scale's points {shares};"
    )
    yield f"  design factor {found.asked.design_factor:g} on the SE, which is 1 for a plain random sample of pairs."
    freedom = f"{found.asked.clusters - 1:,} degrees of freedom" if found.wanted.clusters else "pairs as clusters"
    yield f"Method: {found.asked.method}, seed {found.asked.seed}; t quantiles, {freedom}."


def ratings_csv(rows: Sequence[SimulatedRating]) -> bytes:
    """The simulated ratings as a CSV file; an unsure rater's value is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(SimulatedRating._fields)
    for row in rows:
        value = "" if row.value is None else _number(row.value)
        writer.writerow(row._replace(value=value, simulated=str(row.simulated).lower()))  # type: ignore[arg-type]
    return text.getvalue().encode("utf-8")


def _categories(scale: Sequence[float]) -> str:
    """The scale as `--categories` takes it."""
    return ",".join(map(_number, scale))


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def simulated_text(simulation: Simulation, rows: Sequence[SimulatedRating], found: list[Recovered], path: Path) -> str:
    """What was written, what was declared beside what shows, and how to go on."""
    width = max(len(one.what) for one in found) + 2
    counts = f"units {simulation.units:,}, clusters {simulation.clusters:,}, raters {len(simulation.raters)}"
    head = f"{path}: {len(rows):,} ratings by simulated raters ({counts}). Every row says so; nothing is measured here."
    table = f"{'':<{width}}{'declared':>10}{'recovered':>11}  chance allows"
    lines = [head, "", table]
    lines += [_recovered(one, width) for one in found]
    return "\n".join([*lines, "", _verdict(found), *_next(simulation, path)])


def _recovered(one: Recovered, width: int) -> str:
    shown = "–" if one.found is None else f"{one.found:.3f}"
    allowed = "too little to tell" if one.allowed is None else f"±{one.allowed:.3f}"
    mark = "" if one.holds else "  beyond chance"
    return f"{one.what:<{width}}{one.expected:>10.3f}{shown:>11}  {allowed}{mark}"


def _verdict(found: Sequence[Recovered]) -> str:
    told = [one for one in found if one.found is not None and one.allowed is not None]
    beyond = sum(not one.holds for one in told)
    rest = f" For {len(found) - len(told)} there is too little to tell." if len(told) < len(found) else ""
    if beyond:
        return f"{beyond} of {len(told)} lie further from what was declared than chance does once in 10,000.{rest}"
    return f"All {len(told)} lie as near to what was declared as chance allows.{rest}"


def _next(simulation: Simulation, path: Path) -> list[str]:
    if len(simulation.raters) < 2:
        return ["Agreement needs a second rater."]
    points = _categories(simulation.scale)
    scale = "" if points == SCALE else f" --categories={points}"
    columns = "--unit unit --rater rater --value value --cluster cluster"
    return ["Next:", f"  polibias agreement {shlex.quote(str(path))} {columns}{scale}"]
