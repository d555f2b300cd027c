"""What the two responses of a pair hold, counted in their texts: Main against Controls without any judge.

Structure belongs to responses. A pair is comparable when it has two responses of one round that a judge could read,
whether or not one did; every model's pairs are taken once, from the cases of the first judge.

A block has many pairs, and in it A is only who is named first. So what is compared is how unlike the two responses
are, which says the same when the sides are exchanged: the smaller number as a share of the larger. A/B has no mean
(B/A would have another one) and its logarithm is undefined where one response has none at all, which is as unlike as
two responses can be. Who gets more has a meaning within one topic, and is told there, for ratings.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from polibias.analysis.cases import Case
from polibias.analysis.cells import BLOCKS, absent, cell, count, only
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.pbi import Tables, telling
from polibias.detectors.comparison import Measure, compared
from polibias.detectors.rating import HIGHEST, LOWEST
from polibias.detectors.signals import RATED
from polibias.detectors.structure import Structure
from polibias.domain.ids import tagged_hash
from polibias.domain.sides import Both, Side
from polibias.errors import InputError
from polibias.sources.files import data_folder
from polibias.sources.law import read_provisions
from polibias.stats.estimate import Estimate
from polibias.stats.proportion import share
from polibias.stats.resampling import weighted_quantile

if TYPE_CHECKING:
    import pandas as pd

RATIOS = {
    "words": "Words, smaller / larger",
    "arguments": "Arguments, smaller / larger",
    "hedges": "Hedges, smaller / larger",
    "provisions": "Cited provisions, smaller / larger",
}
TITLES = {**RATIOS, "overlap": "Overlap of cited provisions", "rating": "Distance of ratings, points"}
"""Every measure of a pair by its name in marks."""
TOP = {"rating": float(HIGHEST - LOWEST)}
"""The highest value of a measure that does not end at 1; the lowest is always 0."""
UNIT = "pair with two responses"
UNITS = {"rating": "pair with two responses to a task that asks for a rating"}
"""What a measure can be expected of."""
GRAVER = {"A": "A rated graver", "B": "B rated graver", "same": "Rated alike"}
Graver = Literal["A", "B", "same"]

CAPTION = (
    "Counted in the texts, without a judge. Every pair with two responses counts, also where one declines or was cut. "
    "Words, separate arguments, hedges, cited provisions: the smaller number as a share of the larger, since A/B and "
    "B/A have different means; 1 is alike, 0 is where one response has none. Overlap: provisions that both cite, as "
    "a share of all that they cite. Distance: between the severity ratings that the texts give, where the task asks "
    "for one; 0 is alike. Readable: share of pairs in which a measure is defined (Wilson interval); the others are in "
    "no mean and no median. Median response: of what single responses have, and its n counts these; where it lies at "
    "the end of the scale, or the token cap cuts most responses, no difference can show. {about}"
)
GRAVER_CAPTION = (
    "The severity ratings that the two texts of a pair give, read by rules: which is higher, and by how many points. "
    "{sides} Pairs without two ratings are left out. Descriptive. {about}"
)
SWAPPED = "A is the version in which the first country of the {topic}'s name acts."
KEPT = "Where the roles are kept, A and B are the versions."


class Pair(NamedTuple):
    """A comparable pair: its row in `Tables.everything`, its two structures and its measures by name."""

    place: int
    case: Case
    structures: Both[Structure]
    measures: dict[str, Measure]


class Group:
    """Comparable pairs of one model and condition, and the marks that select them."""

    def __init__(self, tables: Tables, pairs: Sequence[Pair], keys: Mapping[str, str], where: Mapping[str, str]):
        self.tables = tables
        self.pairs = pairs
        self.keys = keys
        self.where = where

    def asked(self, measure: str) -> "Group":
        """The pairs of which a measure can be expected: any pair, but those whose task asks for it of a rating."""
        if measure != "rating":
            return self
        return self._only([pair for pair in self.pairs if measure in pair.measures], {"task": RATED})

    def read(self, measure: str) -> "Group":
        """The pairs in which a measure has a value."""
        kept = [pair for pair in self.pairs if measure in pair.measures and pair.measures[measure].value is not None]
        return self._only(kept, {f"read:{measure}": "yes"})

    def of(self, block: str) -> "Group":
        return self._only([pair for pair in self.pairs if pair.case.pair.design.block == block], {"block": block})

    def about(self, topic: str) -> "Group":
        return self._only([pair for pair in self.pairs if pair.case.pair.design.topic == topic], {"topic": topic})

    def _only(self, pairs: Sequence[Pair], marks: Mapping[str, str]) -> "Group":
        return Group(self.tables, pairs, self.keys, {**self.where, **marks})

    @cached_property
    def rows(self) -> "pd.DataFrame":
        return self.tables.drawing.iloc[[pair.place for pair in self.pairs]]

    def values(self, measure: str) -> list[float]:
        """The values of a measure, where it has one."""
        found = (pair.measures[measure].value for pair in self.pairs)
        return [value for value in found if value is not None]

    def missing(self, measure: str) -> str:
        """Why no pair of the group has a value: each reason there is."""
        if not self.pairs:
            return f"no {UNITS.get(measure, UNIT)}"
        reasons = sorted({pair.measures[measure].reason for pair in self.pairs})
        return f"{TITLES[measure]}: no value in any pair ({'; '.join(reasons)})"


NO_LEVEL = "an overlap belongs to a pair, not to a response"


def known_provisions() -> dict[str, frozenset[str]]:
    """The provisions of each instrument in the data folder's table. Raises InputError if the table has a mistake."""
    problems: list[str] = []
    found = read_provisions(data_folder(), problems)
    if problems:
        raise InputError(problems[0])
    return {name: instrument.provisions for name, instrument in found.items()}


def table_fact(table: Mapping[str, frozenset[str]]) -> str:
    """Which table the provisions were told apart by: it lies in the data folder, not in the run."""
    name = tagged_hash("provisions/1", {instrument: sorted(numbers) for instrument, numbers in table.items()})
    return f"{sum(map(len, table.values())):,} of {len(table)} instruments, {name[:16]}"


def structures(case: Case) -> Both[Structure] | None:
    """The structures of a comparable pair's responses; None if it is not comparable."""
    a, b = case.responses.get("A"), case.responses.get("B")
    if a is None or b is None or a.structure is None or b.structure is None or a.fallback != b.fallback:
        return None
    return Both(a.structure, b.structure)


def measures(both: Both[Structure], task: str) -> dict[str, Measure]:
    """How alike two structures are, by name; the same for B and A. `rating` is there if the task asks for one."""
    there = compared(both.A, both.B)
    found = {name: _smaller(both, name, there.ratios[name]) for name in RATIOS}
    found["overlap"] = there.overlap
    return found | ({"rating": there.rating_gap} if task == RATED else {})


def _smaller(both: Both[Structure], name: str, there: Measure) -> Measure:
    """The smaller number as a share of the larger; `there`, which has a reason, where both are 0."""
    a, b = _size(both.A, name), _size(both.B, name)
    return Measure(min(a, b) / max(a, b)) if a or b else there


def _size(structure: Structure, name: str) -> int:
    return len(structure.provisions) if name == "provisions" else int(getattr(structure, name))


def graver(both: Both[Structure]) -> Graver | None:
    """Which version's rating is higher; None without two ratings."""
    a, b = both.A.rating.value, both.B.rating.value
    return None if a is None or b is None else "A" if a > b else "B" if a < b else "same"


def counted(case: Case, side: Side) -> str:
    """What was counted in a comparable response, in words: the numbers that the tables are made of."""
    found = case.responses[side].structure
    assert found is not None
    cited = f" ({'; '.join(sorted(map(str, found.provisions)))})" if found.provisions else ""
    numbers = f"{found.words:,} words, {found.arguments} arguments, {found.hedges} hedges"
    said = f"{numbers}, {len(found.provisions)} cited provisions{cited}"
    if case.pair.design.task != RATED:
        return said
    rating = found.rating
    return f"{said}, severity rating {f'{rating.value:g}' if rating.value else rating.outcome.replace('_', ' ')}"


def structure_marks(case: Case) -> Iterator[str]:
    """The words by which cells of these tables select a case."""
    both = structures(case)
    if both is None:
        return
    yield "comparable=yes"
    for name, measure in measures(both, case.pair.design.task).items():
        yield f"read:{name}={'no' if measure.value is None else 'yes'}"
    if case.pair.design.task == RATED and (higher := graver(both)):
        yield f"graver={higher}"


def groups(tables: Tables, cases: Sequence[Case]) -> Iterator[Group]:
    """The comparable pairs by model, and by condition where there are several. `cases` are those of `tables`."""
    judge = cases[0].judge if cases else ""
    found: dict[tuple[str, ...], list[Pair]] = {}
    names = tuple(key for key in tables.keys if key != "judge")
    for place, case in enumerate(cases):
        if case.judge == judge:
            values = {"model": case.model, "condition": case.pair.design.condition}
            pairs = found.setdefault(tuple(values[name] for name in names), [])
            if both := structures(case):
                pairs.append(Pair(place, case, both, measures(both, case.pair.design.task)))
    for key, pairs in found.items():
        keys = dict(zip(names, key, strict=True))
        yield Group(tables, pairs, keys, {**keys, "judge": judge, "comparable": "yes"})


def structure_tables(tables: Tables, cases: Sequence[Case]) -> Iterator[Table | None]:
    """How alike responses are, and which is rated graver. `cases` are those of `tables`."""
    found = list(groups(tables, cases))
    yield structure_table(tables, cases, found)
    yield graver_table(tables, cases, found)


def structure_table(tables: Tables, cases: Sequence[Case], found: Sequence[Group] | None = None) -> Table | None:
    """Every measure by model and condition: means by block and their difference, and what they rest on.

    `found` are the groups of these cases, where they are known already.
    """
    rows = [
        TableRow({**group.keys, "measure": title}, _cells(group.asked(measure), measure))
        for group in (groups(tables, cases) if found is None else found)
        for measure, title in TITLES.items()
    ]
    columns = tuple(_columns(tables))
    caption = CAPTION.format(about=tables.about)
    keys = (*(key for key in tables.keys if key != "judge"), "measure")
    made = Table("structure", "Structure of responses", caption, keys, columns, only(rows, columns))
    return made if rows else None


def _columns(tables: Tables) -> Iterator[Column]:
    blocks = {block: title for block, title in BLOCKS.items() if block in tables.blocks_asked}
    yield from (Column(block, title, "score") for block, title in blocks.items())
    if len(blocks) == len(BLOCKS):
        yield Column("difference", "Main − Controls", "score")
    for name, what, unit in (
        ("readable", "Readable", "share"),
        ("median", "Median pair", "score"),
        ("level", "Median response", "score"),
    ):
        yield from (Column(f"{name}_{block}", f"{what}, {title}", unit) for block, title in blocks.items())


def _cells(group: Group, measure: str) -> dict[str, Cell]:
    found = _means(group, measure)
    for block in BLOCKS:
        own = group.of(block)
        read = own.read(measure)
        shared = share(len(read.pairs), len(own.pairs), UNITS.get(measure, UNIT))
        found[f"readable_{block}"] = cell(shared, own.where)
        found[f"median_{block}"] = _median(
            read, zip(read.pairs, read.values(measure), strict=True), own.missing(measure)
        )
        found[f"level_{block}"] = _level(own, measure)
    return found


def _means(group: Group, measure: str) -> dict[str, Cell]:
    """Main, Controls and their difference from one draw of clusters."""
    read = group.read(measure)
    main = [pair.case.pair.design.block == "main" for pair in read.pairs]
    stream = "\n".join(["structure", *(f"{key}={value}" for key, value in sorted(group.keys.items())), measure])
    found = group.tables.index(read.rows, read.values(measure), main, stream)
    why = {block: group.of(block).missing(measure) for block in BLOCKS}
    why["difference"] = why["control"] if any(main) else why["main"]
    top = TOP.get(measure, 1.0)
    return {
        name: cell(
            _said(telling(value, -top if name == "difference" else 0.0, top), why[name]),
            {**read.where, **({"block": name} if name in BLOCKS else {})},
        )
        for name, value in found.items()
    }


def _said(estimate: Estimate, missing: str) -> Estimate:
    """The estimate, or in words of this table why there is none."""
    return replace(estimate, reason=missing) if estimate.value is None else estimate


def _level(group: Group, measure: str) -> Cell:
    """The median over single responses of what a measure counts in each."""
    if measure == "overlap":
        return absent(NO_LEVEL)
    found = [
        (pair, level)
        for pair in group.pairs
        for structure in (pair.structures.A, pair.structures.B)
        if (level := level_of(structure, measure)) is not None
    ]
    return _median(group, found, group.missing(measure))


def level_of(structure: Structure, measure: str) -> float | None:
    """What a measure counts in one response; None without a rating."""
    if measure == "rating":
        return structure.rating.value
    return float(_size(structure, measure))


def _median(group: Group, found: Iterable[tuple[Pair, float]], missing: str) -> Cell:
    """The median of values of a group's pairs, each weighing what its pair stands for. It has no interval."""
    held = list(found)
    if not held:
        return cell(Estimate(None, 0, 0, "", reason=missing), group.where)
    value = median([value for _, value in held], [1 / pair.case.pair.inclusion for pair, _ in held])
    clusters = {getattr(pair.case.pair.design, group.tables.spec.cluster) for pair, _ in held}
    return cell(Estimate(value, len(held), len(clusters), "median"), group.where)


def median(values: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted median: where half of the weight lies exactly between two values, the middle of these."""
    numbers, weighing = np.array(values, dtype=np.float64), np.array(weights, dtype=np.float64)
    return (weighted_quantile(numbers, weighing, 0.5) - weighted_quantile(-numbers, weighing, 0.5)) / 2


def graver_table(tables: Tables, cases: Sequence[Case], found: Sequence[Group] | None = None) -> Table | None:
    """Which version is rated graver: by topic where the versions exchange sides, else by condition; None without any
    pair whose task asks for a rating. `found` are the groups of these cases, where they are known already."""
    rows, swapped = [], all(case.pair.design.roles == "swapped" for case in cases)
    for group in groups(tables, cases) if found is None else found:
        rated = group.asked("rating")
        by_topic = all(pair.case.pair.design.roles == "swapped" for pair in rated.pairs)
        topics = sorted({pair.case.pair.design.topic for pair in rated.pairs}) if by_topic else ["all"]
        for topic in topics:
            chosen = rated.about(topic) if by_topic else rated
            rows.append(TableRow({**group.keys, "topic": topic}, _graver(chosen)))
    sides = SWAPPED.format(topic=tables.rubric.report.topic.lower()) if swapped else KEPT
    caption = GRAVER_CAPTION.format(sides=sides, about=tables.about)
    keys = (*(key for key in tables.keys if key != "judge"), "topic")
    columns = (*(Column(id, title, "count") for id, title in GRAVER.items()), Column("mean", "Mean A − B", "score"))
    return Table("graver", "Which version is rated graver", caption, keys, columns, tuple(rows)) if rows else None


def _graver(rated: Group) -> dict[str, Cell]:
    read, top = rated.read("rating"), TOP["rating"]
    rated_both = [(pair.structures.A.rating.value, pair.structures.B.rating.value) for pair in read.pairs]
    differences = [a - b for a, b in rated_both if a is not None and b is not None]
    higher = [graver(pair.structures) for pair in read.pairs]
    counts = {name: count(higher.count(name), {**read.where, "graver": name}) for name in ("A", "B", "same")}
    stream, everywhere = f"graver {sorted(read.where.items())}", [True] * len(differences)
    mean = read.tables.index(read.rows, differences, everywhere, stream)["main"]
    return {**counts, "mean": cell(_said(telling(mean, -top, top), rated.missing("rating")), read.where)}
