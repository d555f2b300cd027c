"""How much responses change with the user, whatever the direction: beside the index of swapped countries, and counted
in the texts without a judge. Source: paper, App. J.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

import msgspec
import numpy as np

from polibias.analysis.cases import Case
from polibias.analysis.cells import BLOCKS, absent, cell, possible
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.frames import tidy
from polibias.analysis.gathered import Gathered
from polibias.analysis.pbi import Tables, telling
from polibias.analysis.structured import level_of, structures
from polibias.analysis.users import KEYS, Compared, Row
from polibias.detectors.rating import HIGHEST, LOWEST
from polibias.detectors.signals import RATED
from polibias.domain.rubric import Rubric
from polibias.stats.bias_index import drawn, mean_of, sample_estimates
from polibias.stats.contrasts import paired
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import Defined
from polibias.stats.resampling import Resampling, stream_seed

NO_SWAPPED = "no condition with swapped countries to compare with was given"
NO_MODEL = "the judge read no pair with swapped countries of this model"
OTHER_SCALE = "pairs with swapped countries are not scored on the same dimensions"
Item = tuple[str, str, str, str, str]
"""Judge, model, template, topic and task."""
NO_PAIR = "no pair in which both responses have it"
MEASURES = {"rating": "Severity rating", "words": "Words", "arguments": "Arguments"}
CHANGE_CAPTION = (
    "Mean pair score whatever its direction, {lowest} to {highest}. Any change of a prompt changes responses, so this "
    "is no sycophancy by itself. Beside it the mean score of pairs with swapped countries{against}: of all pairs of "
    "the block, and of the same items (template, {topic}, task and model), over the pairs whose item is complete in "
    "both. {about}"
)
PERSONA_CAPTION = (
    "Counted in the texts, without a judge, of every pair with two responses; A and B are the versions, each with its "
    "user. Severity rating: where the task asks for one and both responses give it. A − B of a rating below zero means "
    "that the response of version A rates the aggressor's deed as less grave. Words and arguments are of all tasks "
    "together, and whom more of them serves depends on the task. Distance: the mean of the difference without its "
    "sign. {about}"
)
CHANGE_COLUMNS = (
    ("change", "Change with the user"),
    ("swapped", "Countries swapped, all pairs"),
    ("same", "Countries swapped, same items"),
    ("difference", "Change − same items"),
)
PERSONA_COLUMNS = (
    Column("A", "Version A", "score"),
    Column("B", "Version B", "score"),
    Column("difference", "A − B", "score"),
    Column("distance", "Distance", "score"),
)


class Beside(NamedTuple):
    """Pairs with swapped countries: their condition's title and rubric, each item's complete pair, and the cells of
    their table of scores by judge and model."""

    title: str
    rubric: Rubric
    items: dict[Item, Case]
    cells: dict[tuple[str, str], dict[str, Cell]]


def change_table(compared: Compared, official: Gathered, run: str) -> Table:
    """The size of the change by comparison, beside the scores of `official`'s condition with swapped countries.

    `run` is what marks call that run.
    """
    beside = _beside(official, compared, run)
    rows = [TableRow(row.keys, _change(compared, row, beside)) for row in compared.rows]
    rubric, unit = compared.tables.rubric, compared.tables.unit
    caption = CHANGE_CAPTION.format(
        lowest=rubric.lowest_total,
        highest=rubric.highest_total,
        against=f" ('{beside.title}')" if beside else "",
        topic=rubric.report.topic.lower(),
        about=compared.tables.about,
    )
    columns = tuple(Column(name, title, unit) for name, title in CHANGE_COLUMNS)
    return Table("sycophancy_change", "Change whatever its direction", caption, KEYS, columns, tuple(rows))


def swapped_items(run: Gathered) -> tuple[str, dict[Item, Case]]:
    """The run's first condition with swapped countries, "" if it has none, and each item's complete pair in it."""
    swapped = {case.pair.design.condition for case in run.cases if case.pair.design.roles == "swapped"}
    condition = next((one for one in run.originals if one in swapped), "")
    own = (case for case in run.cases if case.pair.design.condition == condition and case.complete)
    return condition, {item_of(case): case for case in own}


def item_of(case: Case) -> Item:
    """What a judge read of a model under whatever condition."""
    design = case.pair.design
    return case.judge, case.model, design.template, design.topic, design.task


def _beside(run: Gathered, compared: Compared, name: str) -> Beside | None:
    """What the judges of the comparisons read of their models."""
    condition, items = swapped_items(run)
    if not condition:
        return None
    rubrics = {one: run.rubrics[one] for one in run.originals}
    wanted = {(row.where["judge"], row.where["model"]) for row in compared.rows}
    cases = [
        case for case in run.cases if case.pair.design.condition == condition and (case.judge, case.model) in wanted
    ]
    if not cases:
        return Beside(run.titles[condition], run.rubrics[condition], {}, {})
    tables = Tables(tidy(cases, rubrics), rubrics, compared.tables.spec)
    named = {"condition": condition} | ({"run": name} if name else {})
    cells = {
        (keys["judge"], keys["model"]): {
            block: msgspec.structs.replace(found, where=found.where | named)
            for block, found in tables.blocks(frame, "total", keys).items()
        }
        for keys, frame in tables.groups()
    }
    return Beside(run.titles[condition], run.rubrics[condition], items, cells)


def _change(compared: Compared, row: Row, beside: Beside | None) -> dict[str, Cell]:
    rubric = compared.tables.rubrics[row.where["condition"]]
    ends = rubric.lowest_total, rubric.highest_total
    found = {"change": cell(telling(row.found.change, *ends), row.where)}
    if beside is None or beside.rubric.dimension_ids != rubric.dimension_ids:
        missing = OTHER_SCALE if beside else NO_SWAPPED
        return found | {name: absent(missing) for name, _ in CHANGE_COLUMNS[1:]}
    cells = beside.cells.get((row.where["judge"], row.where["model"]))
    found["swapped"] = cells[row.where["block"]] if cells else absent(NO_MODEL)
    own, other, clusters = {}, {}, {}
    for case in row.cases:
        if partner := beside.items.get(item_of(case)):
            own[case.pair_id], other[case.pair_id] = case.total(rubric), partner.total(beside.rubric)
            clusters[case.pair_id] = str(getattr(case.pair.design, compared.tables.spec.cluster))
    weights = {case.pair_id: 1 / case.pair.inclusion for case in row.cases} if compared.tables.weighted else None
    spec = compared.tables.spec
    drawn = spec.resamples, spec.seed, "\n".join(("change", *row.keys.values()))
    both, where = paired(own, other, clusters, *drawn, weights), row.where | {"beside": "yes"}
    found["same"] = cell(telling(both.second, *ends), where)
    found["difference"] = cell(telling(both.difference, ends[0] - ends[1], ends[1] - ends[0]), where)
    return found


def persona_table(compared: Compared) -> Table:
    """Rating, length and arguments of the two users' responses, by model, comparison and block.

    Texts are the same for every judge, so the first judge's cases serve.
    """
    judge = compared.cases[0].judge
    groups: dict[tuple[str, str, str], list[Case]] = {}
    for case in compared.cases:
        if case.judge == judge:
            design = case.pair.design
            groups.setdefault((design.condition, design.block, case.model), []).append(case)
    rows = [
        TableRow(
            {"model": model, "condition": condition, "block": BLOCKS[block], "measure": title},
            _persona(compared, own, measure, {"judge": judge, "model": model, "condition": condition, "block": block}),
        )
        for condition in compared.kinds
        for (name, block, model), own in groups.items()
        if name == condition
        for measure, title in MEASURES.items()
    ]
    caption = PERSONA_CAPTION.format(about=compared.tables.about)
    keys = ("model", "condition", "block", "measure")
    return Table("sycophancy_texts", "What the texts hold, by user", caption, keys, PERSONA_COLUMNS, tuple(rows))


def _persona(compared: Compared, cases: list[Case], measure: str, keys: Mapping[str, str]) -> dict[str, Cell]:
    rated = measure == "rating"
    held, columns = [], []
    for case in cases:
        both = structures(case) if not rated or case.pair.design.task == RATED else None
        a, b = (None, None) if both is None else (level_of(one, measure) for one in (both.A, both.B))
        if a is not None and b is not None:
            held.append(case)
            columns.append((a, b, a - b, abs(a - b), 1.0))
    where = {**keys, "comparable": "yes", **compared.named}
    where |= {"task": RATED, "read:rating": "yes"} if rated else {}
    found = _means(compared, held, columns, "\n".join(("texts", *keys.values(), measure)))
    lowest, highest = (float(LOWEST), float(HIGHEST)) if rated else (0.0, inf)
    ends = dict.fromkeys(("A", "B"), (lowest, highest))
    ends |= {"difference": (lowest - highest, highest - lowest), "distance": (0.0, highest - lowest)}
    return {name: cell(possible(telling(one, *ends[name]), *ends[name]), where) for name, one in found.items()}


def _means(
    compared: Compared, cases: list[Case], columns: Sequence[tuple[float, ...]], name: str
) -> dict[str, Estimate]:
    """The mean of each column but the last, which counts, from one draw of clusters."""
    spec = compared.tables.spec
    weights = [1 / case.pair.inclusion for case in cases] if compared.tables.weighted else None
    sample = drawn([getattr(case.pair.design, spec.cluster) for case in cases], weights, None)
    defined = {
        column.id: Defined(mean_of(place, len(PERSONA_COLUMNS)), NO_PAIR, contrast=column.id == "difference")
        for place, column in enumerate(PERSONA_COLUMNS)
    }
    numbers = np.array(columns, dtype=np.float64).reshape(-1, len(PERSONA_COLUMNS) + 1)
    return sample_estimates(defined, numbers, sample, Resampling(spec.resamples, stream_seed(spec.seed, name)))
