"""Comparisons of users: conditions whose two versions are written for two users, with countries and roles the same.

Version A is the one that sycophancy would make kinder to the aggressor, so a pair that favours A moves toward the user.
Which comparison a condition is says the last word of its name: `net` (user from the aggressor, user from the target),
`softening` (user from the aggressor, a user who names no country) or `hardening` (a user who names none, user from the
target). Source: paper, App. J.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from polibias.analysis.cases import SIGNS, Case
from polibias.analysis.cells import BLOCKS
from polibias.analysis.frames import tidy
from polibias.analysis.gathered import Gathered
from polibias.analysis.pbi import CLUSTERS, Tables
from polibias.domain.rubric import Rubric
from polibias.domain.study import AnalysisSpec
from polibias.stats.sycophancy import Shifts, outcome, shifts

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["net", "softening", "hardening"]
KINDS: tuple[Kind, ...] = get_args(Kind)
KEYS = ("judge", "model", "condition", "block")


class Row(NamedTuple):
    """One judge's reading of one model in one comparison and block: its complete pairs and what they show.

    `where` selects these pairs; `cases` and the lines of `frame` are in the same order.
    """

    keys: dict[str, str]
    where: dict[str, str]
    frame: "pd.DataFrame"
    cases: list[Case]
    found: Shifts


class Compared(NamedTuple):
    """A run's comparisons of users, with all their pairs in the order of the tables' lines.

    `run` is what marks call the run; "" for the one that the report is about.
    """

    kinds: dict[str, Kind]
    tables: Tables
    cases: list[Case]
    rows: list[Row]
    run: str

    @property
    def named(self) -> dict[str, str]:
        """The mark of the run."""
        return {"run": self.run} if self.run else {}

    @property
    def clusters(self) -> str:
        """What is drawn, and what the test flips."""
        return CLUSTERS[self.tables.spec.cluster]

    def weights(self, frame: "pd.DataFrame") -> list[float] | None:
        """Each line's design weight, None where all are alike."""
        return (1 / frame["inclusion"]).to_list() if self.tables.weighted else None


def compare_users(run: Gathered, spec: AnalysisSpec, name: str = "") -> Compared | None:
    """The run's comparisons of users, by judge, comparison, block and model; None without any."""
    kinds = comparisons(run)
    chosen = [case for case in run.cases if case.pair.design.condition in kinds]
    if not chosen:
        return None
    rubrics = {condition: run.rubrics[condition] for condition in kinds}
    tables = Tables(tidy(chosen, rubrics), rubrics, spec)
    compared = Compared(kinds, tables, chosen, [], name)
    compared.rows.extend(_rows(compared))
    return compared


def comparisons(run: Gathered) -> dict[str, Kind]:
    """Which condition of the run is which comparison: those that belong together in the order of `KINDS`."""
    kept = {case.pair.design.condition for case in run.cases if case.pair.design.roles != "swapped"}
    found = {name: kind for name in run.originals if name in kept and (kind := kind_of(name))}
    return dict(sorted(found.items(), key=lambda one: (family_of(one[0]), KINDS.index(one[1]))))


def kind_of(condition: str) -> Kind | None:
    """Which comparison a condition is by its name; None if it is none."""
    last = condition.rsplit("-", 1)[-1]
    return next((kind for kind in KINDS if kind == last), None)


def family_of(condition: str) -> str:
    """What the names of comparisons that belong together begin with."""
    return condition.rsplit("-", 1)[0]


def shift_of(favoured: str, total: float, rubric: Rubric) -> str:
    """Which outcome a complete pair is, from the version that it favours and its score."""
    return outcome(SIGNS[favoured], total > rubric.lowest_total)


def _rows(compared: Compared) -> Iterator[Row]:
    """By judge, comparison, block and model, so that the tests of one family stand together."""
    cases = compared.cases
    places: dict[tuple[str, ...], list[int]] = {}
    for place, case in enumerate(cases):
        design = case.pair.design
        own = places.setdefault((case.judge, case.model, design.condition, design.block), [])
        own += [place] if case.complete else []
    firsts: Mapping[str, list[str]] = {
        "judge": list(dict.fromkeys(case.judge for case in cases)),
        "model": list(dict.fromkeys(case.model for case in cases)),
        "condition": list(compared.kinds),
        "block": list(BLOCKS),
    }
    for key in sorted(places, key=lambda one: [firsts[KEYS[at]].index(one[at]) for at in (0, 2, 3, 1)]):
        keys = dict(zip(KEYS, key, strict=True))
        frame = compared.tables.everything.iloc[places[key]]
        where = {**keys, "complete": "yes", **compared.named}
        chosen = [cases[place] for place in places[key]]
        yield Row(keys | {"block": BLOCKS[key[3]]}, where, frame, chosen, _shifts(compared, frame, keys))


def _shifts(compared: Compared, frame: "pd.DataFrame", keys: Mapping[str, str]) -> Shifts:
    spec, rubric = compared.tables.spec, compared.tables.rubrics[keys["condition"]]
    return shifts(
        [SIGNS[side] for side in frame["direction"]],
        frame["total"].to_list(),
        frame[spec.cluster].to_list(),
        spec.resamples,
        spec.seed,
        "\n".join(["sycophancy", *(f"{name}={value}" for name, value in sorted(keys.items()))]),
        compared.weights(frame),
        float(rubric.lowest_total),
    )
