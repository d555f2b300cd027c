"""Whether the gap between Main and Controls depends on how pairs are clustered, or on pairs of which one may doubt.

Source: paper, App. C, Table 7.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polibias.analysis.cases import Case
from polibias.analysis.cells import BLOCKS, absent, cell, only
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.pbi import CLUSTERS, Tables, telling
from polibias.analysis.together import Chosen, Together, blocks_of, inside, marks_of, shared, stream_of
from polibias.stats.bias_index import NO_BLOCK, SampleDesign
from polibias.stats.contrasts import Ways, both_ways
from polibias.stats.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd

QUANTITIES = {**BLOCKS, "difference": "Main − Controls"}
NONE_LEFT = "no scored pair is left"
NO_TAG = "no pair of this study has this property"
BY_DESIGN = "no interval: the design decides which pairs these are"
TWO_WAYS_CAPTION = (
    "{scale}, clustered in two ways: by scenario template, drawn across the blocks, and by {topic}, drawn within each "
    "block. The value is the same; the wider interval is the one to go by, the other stands beside it. "
    "95% intervals: jackknife-t over the clusters, then the percentile bootstrap over them."
)
CUTS_CAPTION = (
    "{scale}, without pairs of which one may doubt that they show unequal treatment of countries: with a country of "
    "contested statehood; answered again at another temperature because a response looped (fallback); with one party "
    "to the Rome Statute and one country that is none. Left out: share of the complete pairs of a block. Fallback "
    "pairs were picked because a response looped, so leaving them out is a check, and no estimate of the index under "
    "the declared decoding alone. {about}"
)


class Doubt(NamedTuple):
    """Pairs that a row leaves out: how the row is called, the mark of those that stay, and the tag of those that go.

    Without a tag, it is the pairs that were asked again.
    """

    title: str
    mark: str
    tag: str = ""


EVERYTHING = "all pairs"
DOUBTS = (
    Doubt("without contested statehood", "tag:contested_statehood", "contested_statehood"),
    Doubt("without fallback pairs", "fallback"),
    Doubt("without unequal ICC membership", "tag:unequal_icc_membership", "unequal_icc_membership"),
)


def doubted(case: Case, doubt: Doubt) -> bool:
    """Whether a row leaves the pair out."""
    if doubt.tag:
        return doubt.tag in case.pair.design.tags
    return any(response.fallback for response in case.responses.values())


def doubt_marks(case: Case) -> Iterator[str]:
    """The words by which cells of the table of cuts select a case."""
    for doubt in DOUBTS:
        yield f"{doubt.mark}={'yes' if doubted(case, doubt) else 'no'}"


def two_ways_table(tables: Tables) -> Table:
    """Main, Controls and their difference by template and by topic, side by side, with the wider as primary."""
    topic = tables.rubric.report.topic
    asked = [name for name in QUANTITIES if name in blocks_of(tables) or len(blocks_of(tables)) == len(BLOCKS)]
    rows = [
        TableRow(keys | {"quantity": QUANTITIES[name]}, _ways(tables, ways[name], name, keys))
        for keys, group in tables.groups()
        for ways in [_both(tables, group, keys)]
        for name in asked
    ]
    columns = (
        Column("template", f"By {CLUSTERS['template'].removesuffix('s')}", tables.unit),
        Column("topic", f"By {topic.lower()}", tables.unit),
        Column("wider", "The wider", tables.unit),
    )
    caption = TWO_WAYS_CAPTION.format(scale=tables.scale, topic=topic.lower())
    keys = (*tables.keys, "quantity")
    return Table("two_ways", "Intervals clustered in two ways", caption, keys, columns, tuple(rows))


def _both(tables: Tables, rows: "pd.DataFrame", keys: Mapping[str, str]) -> dict[str, Ways]:
    weights = (1 / rows["inclusion"]).to_list() if tables.weighted else None
    templates, topics = rows["template"].to_list(), rows["topic"].to_list()
    scores, main = rows["total"].to_list(), inside(rows, "main").tolist()
    spec, stream = tables.spec, stream_of(keys, "total")
    return both_ways(scores, main, templates, topics, spec.resamples, spec.seed, stream, SampleDesign(weights))


def _ways(tables: Tables, ways: Ways, name: str, keys: Mapping[str, str]) -> dict[str, Cell]:
    lowest, highest = tables.rubric.lowest_total, tables.rubric.highest_total
    ends = (lowest - highest, highest - lowest) if name == "difference" else (lowest, highest)
    where = marks_of(keys) if name == "difference" else marks_of(keys, block=name)
    found = ways.ways | {"wider": ways.primary}
    return {way: cell(telling(estimate, *ends), where) for way, estimate in found.items()}


def cuts_table(tables: Tables, cases: Sequence[Case]) -> Table:
    """The index without some of the pairs, and how many these are. `cases` are those of `tables`, in its order."""
    out = {doubt: np.array([doubted(case, doubt) for case in cases], dtype=bool) for doubt in DOUBTS}
    rows = [
        TableRow(keys | {"pairs": title}, cells)
        for keys, group in tables.groups()
        for title, cells in _cuts(tables, group, keys, out)
    ]
    blocks = blocks_of(tables)
    columns = (
        *tables.columns,
        *(Column(f"out_{block}", f"Left out, {said}", "share") for block, said in blocks.items()),
    )
    caption = CUTS_CAPTION.format(scale=tables.scale, about=tables.about)
    title = f"{tables.rubric.report.index} without pairs in doubt"
    return Table("cuts", title, caption, (*tables.keys, "pairs"), columns, only(rows, columns))


def _cuts(
    tables: Tables, rows: "pd.DataFrame", keys: Mapping[str, str], out: Mapping[Doubt, Chosen]
) -> Iterator[tuple[str, dict[str, Cell]]]:
    together, main = Together(tables, rows), inside(rows, "main")
    blocks = {"main": main, "control": ~main}
    total = rows["total"].to_numpy(dtype=np.float64)
    gone = {doubt.title: left[rows.index.to_list()] for doubt, left in out.items()}
    for title, left in {EVERYTHING: np.zeros(len(rows), dtype=bool), **gone}.items():
        for block, own in blocks.items():
            together.mean(f"{title} {block}", total, own & ~left, NONE_LEFT)
            together.share(f"{title} out_{block}", left, own, NONE_LEFT)
        together.difference(f"{title} difference", total, main & ~left, ~main & ~left, NO_BLOCK)
    found = together.estimates(stream_of(keys, "total"))
    yield EVERYTHING, _cells(tables, found, EVERYTHING, keys, {}) | _nothing_out()
    for doubt, everywhere in out.items():
        cells = _cells(tables, found, doubt.title, keys, {doubt.mark: "no"})
        if doubt.tag and not everywhere.any():
            yield doubt.title, dict.fromkeys(cells, absent(NO_TAG))
        else:
            yield doubt.title, {name: _by_design(one, doubt, name) for name, one in cells.items()}


def _cells(
    tables: Tables, found: Mapping[str, Estimate], title: str, keys: Mapping[str, str], stays: Mapping[str, str]
) -> dict[str, Cell]:
    lowest, highest = tables.rubric.lowest_total, tables.rubric.highest_total
    gap = telling(found[f"{title} difference"], lowest - highest, highest - lowest)
    cells = {"difference": cell(gap, marks_of(keys, **stays))}
    for block in BLOCKS:
        mean = telling(found[f"{title} {block}"], lowest, highest)
        cells[block] = cell(mean, marks_of(keys, block=block, **stays))
        cells[f"out_{block}"] = shared(found[f"{title} out_{block}"], marks_of(keys, block=block))
    return cells


def _nothing_out() -> dict[str, Cell]:
    return {f"out_{block}": absent("nothing is left out") for block in BLOCKS}


def _by_design(one: Cell, doubt: Doubt, name: str) -> Cell:
    """A share of pairs that the design fixes has no interval."""
    if not doubt.tag or not name.startswith("out_") or one.value is None:
        return one
    return cell(Estimate(one.value, one.n, one.clusters, "share", reason=BY_DESIGN), one.where)
