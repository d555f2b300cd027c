"""How the dimensions hang together: their correlations where models just answer, and the scores of one-sided pairs.

If all dimensions measured one thing, they would rank the pairs alike, and a one-sided refusal would bring the highest
score in each. Source: paper, App. C.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from polibias.analysis.cases import Case
from polibias.analysis.cells import cell, possible
from polibias.analysis.conduct import Conducts
from polibias.analysis.consistency import intervals_of
from polibias.analysis.detected import EVERY_MODEL
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.frames import score_column
from polibias.analysis.pbi import Tables, telling
from polibias.analysis.together import Together, groups_and_all, inside, marks_of, shared, stream_of
from polibias.stats.intervals import Defined
from polibias.stats.rank_table import points_of, spearman_of_counts, table_columns

if TYPE_CHECKING:
    import pandas as pd

NO_VARIATION = "no variation, or no pair without refusals and rejected premises"
NO_SUCH = "no such pair"
NEARLY = 13 / 15
"""The paper counts totals of at least 13 of 15; on another scale, the same share of it."""
CORRELATION_CAPTION = (
    "Spearman's correlation of each two dimensions' scores, over Main pairs in which rules find no refusal and no "
    "rejected premise in either response. Over all models together, it also holds what models differ in on the whole. "
    "95% intervals: jackknife-t of Fisher's z over the clusters of the study, ranks taken anew in every replicate, "
    "then the percentile bootstrap."
)
PROFILE_CAPTION = (
    "Scores of Main pairs in which exactly one response refuses fully or exactly one rejects the premise, by rules, "
    "beside those of all other Main pairs: mean total, share with a total of at least {nearly:g} of {highest}, and "
    "mean score per dimension. {about} Shares: {intervals}"
)


def correlation_table(
    tables: Tables, cases: Sequence[Case], conducts: Conducts | None = None, each: bool = False
) -> Table | None:
    """By judge, condition and couple of dimensions, over all models; with `each` also by model. None without two
    dimensions or Main pairs.

    `cases` are those of `tables`, in its order. `each` takes as long again for every model.
    """
    dimensions = tables.rubric.dimension_ids
    if len(dimensions) < 2 or "main" not in tables.blocks_asked:
        return None
    conducts = conducts or Conducts(tables, cases)
    several = tables.everything["model"].nunique() > 1
    rows = []
    for keys, group in groups_and_all(tables):
        if several and not each and keys["model"] != EVERY_MODEL:
            continue
        own = group[inside(group, "main")]
        read = [conducts.column("rules", name, own.index.to_list()) for name in ("refusal", "premise")]
        plain = own[(read[0] == "none") & (read[1] == "none")]
        plain = plain[plain[[score_column(name) for name in dimensions]].notna().all(axis=1)]
        marks = marks_of(keys, block="main", **{"rules:refusal": "none", "rules:premise": "none"})
        found = _correlations(tables, plain, keys, marks)
        rows += [TableRow(keys | {"dimension": a, "other": b}, {"rho": one}) for (a, b), one in found.items()]
    columns = (Column("rho", "Spearman's correlation", "score"),)
    names = (*tables.keys, "dimension", "other")
    return Table("correlations", "Dimensions with each other", CORRELATION_CAPTION, names, columns, tuple(rows))


def _correlations(
    tables: Tables, rows: "pd.DataFrame", keys: Mapping[str, str], marks: Mapping[str, str]
) -> dict[tuple[str, str], Cell]:
    scores = {name: rows[score_column(name)].to_numpy(dtype=np.float64) for name in tables.rubric.dimension_ids}
    points = points_of(*scores.values())
    everything = np.ones(len(rows), dtype=bool)
    together = Together(tables, rows)
    statistic = Defined(spearman_of_counts(len(points)), NO_VARIATION, "fisher")
    couples = list(combinations(scores, 2))
    for a, b in couples:
        columns = table_columns(scores[a], scores[b], points)
        together.statistic(f"{a} {b}", list(columns.T), statistic, everything)
    found = together.estimates(stream_of(keys, "correlations"))
    return {(a, b): cell(possible(found[f"{a} {b}"], -1.0), marks) for a, b in couples}


def profile_table(tables: Tables, cases: Sequence[Case], conducts: Conducts | None = None) -> Table | None:
    """By group, one-sided pairs and all others; None without Main pairs.

    `cases` are those of `tables`, in its order.
    """
    if "main" not in tables.blocks_asked:
        return None
    conducts = conducts or Conducts(tables, cases)
    rows = [
        TableRow(keys | {"pairs": title}, cells)
        for keys, group in groups_and_all(tables)
        for title, cells in _profiles(tables, group[inside(group, "main")], keys, conducts).items()
    ]
    columns = (
        Column("total", "Mean total", tables.unit),
        Column("nearly", f"At {nearly(tables):g} or more", "share"),
        *(Column(score_column(one.id), one.title, tables.unit) for one in tables.rubric.dimensions),
    )
    said = {"about": tables.about, "intervals": intervals_of(tables)}
    caption = PROFILE_CAPTION.format(nearly=nearly(tables), highest=tables.rubric.highest_total, **said)
    title = "Scores of one-sided pairs"
    return Table("one_sided_profile", title, caption, (*tables.keys, "pairs"), columns, tuple(rows))


def nearly(tables: Tables) -> float:
    """The total from which on a pair counts as scored near the maximum."""
    lowest, highest = tables.rubric.lowest_total, tables.rubric.highest_total
    return round(lowest + NEARLY * (highest - lowest), 9)


PAIRS = {"one-sided": "yes", "all others": "no"}


def _profiles(
    tables: Tables, rows: "pd.DataFrame", keys: Mapping[str, str], conducts: Conducts
) -> dict[str, dict[str, Cell]]:
    alone = conducts.column("rules", "alone", rows.index.to_list())
    values = {score_column(name): rows[score_column(name)].to_numpy(float) for name in tables.rubric.dimension_ids}
    values["total"] = rows["total"].to_numpy(dtype=np.float64)
    together = Together(tables, rows)
    for said in PAIRS.values():
        for name, scores in values.items():
            together.mean(f"{said} {name}", scores, alone == said, NO_SUCH)
        together.share(f"{said} nearly", values["total"] >= nearly(tables), alone == said, NO_SUCH)
    found = together.estimates(stream_of(keys, "one-sided profile"))
    own, whole = (
        (tables.rubric.lowest, tables.rubric.highest),
        (tables.rubric.lowest_total, tables.rubric.highest_total),
    )
    profiles = {}
    for title, said in PAIRS.items():
        marks = marks_of(keys, block="main", **{"rules:alone": said})
        profiles[title] = {
            name: cell(telling(found[f"{said} {name}"], *(whole if name == "total" else own)), marks) for name in values
        } | {"nearly": shared(found[f"{said} nearly"], marks)}
    return profiles
