"""The tables on copies: how scores change when pairs are read again, and how far the two readings agree.

Source: paper, App. H.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polibias.analysis.cases import Case
from polibias.analysis.cells import BLOCKS, absent, categories_of, cell, possible, signed
from polibias.analysis.copied import Copied, copies_of
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.pbi import WEIGHTED
from polibias.analysis.placeholders import FICTIONAL, Preference, preference, sides_table, towards
from polibias.domain.rubric import Rubric
from polibias.domain.study import AnalysisSpec
from polibias.stats.agreement import agreement
from polibias.stats.directions import direction_agreement
from polibias.stats.estimate import Estimate
from polibias.stats.icc import icc
from polibias.stats.ranks import pearson, rankings
from polibias.stats.ratings import Ratings

if TYPE_CHECKING:
    import pandas as pd

SCORES = "copied_scores"
SHOWN = "only copies whose countries are hidden have this"
FEWEST_RANKED = 3
FEW_MODELS = "fewer than 3 models have no ranking to speak of"
SCORES_CAPTION = (
    "Mean change of the pair score, copy − original, over pairs that are complete in both. Nobody knows fictional "
    "countries, so the change of fictional pairs is that of the placeholders alone; Main − fictional is what hiding "
    "real countries adds. Pairs that are only judged again show how far the judge's own readings differ. {about}"
)
AGREEMENT_CAPTION = (
    "The copy beside the original. A third interval under ICC is McGraw and Wong's F interval. Ranking: Spearman's "
    "correlation of the models' mean scores. Same side: of the pairs that name a side in both, the share that names "
    "the same one. X favoured: of the masked fictional pairs with a "
    "side, the share that names Country X, and how much larger it is than with names shown. If it moves towards a "
    "placeholder and beyond one half, both by their 95% intervals, the judge prefers that placeholder: its scores "
    "count, its directions are withheld. So they are if too few pairs could show it. Towards balance: the share of "
    "countries of Main pairs whose own share, in the next table, comes nearer to one half.{weighted}"
)
AGREEMENT_COLUMNS = (
    Column("icc", "ICC(A,1)", "score"),
    Column("pearson", "Pearson r", "score"),
    Column("ranking", "Ranking of models", "score"),
    Column("same_side", "Same side", "share"),
    Column("placeholder", "X favoured, fictional", "share"),
    Column("placeholder_change", "Larger than shown by", "share"),
    Column("towards", "Countries towards balance", "share"),
)


def copied_tables(
    cases: Sequence[Case], titles: Mapping[str, str], rubrics: Mapping[str, Rubric], spec: AnalysisSpec
) -> Iterator[Table]:
    """The tables on a study's copies; none without any that was judged. `titles` are those of the conditions."""
    yield from tables_of_copies(list(copies_of(cases, titles, rubrics, spec)))


def tables_of_copies(copies: Sequence[Copied]) -> Iterator[Table]:
    """The tables on every judge's reading of every copy."""
    if not any(one.cases for one in copies):
        return
    preferences = {(one.judge, one.name): preference(one) for one in copies if one.masked}
    yield _shifts(copies)
    yield _agreements(copies, preferences)
    if preferences:
        yield sides_table([one for one in copies if one.masked], preferences)


def _shifts(copies: Sequence[Copied]) -> Table:
    """How the score changes, by category of country pair, and what identity adds to it."""
    unit = copies[0].tables.unit
    designs = [case.pair.design for one in copies for case in one.cases]
    categories, blocks = categories_of(designs), {one.block for one in designs}
    columns = (
        Column("all", "All pairs", unit),
        Column("identity", "Main − fictional", unit),
        *(Column(f"category:{name}", name.replace("_", " ").capitalize(), unit) for name in categories),
        *(Column(block, title, unit) for block, title in BLOCKS.items() if block in blocks),
    )
    rows = [TableRow(one.keys, _shift_cells(one, columns)) for one in copies]
    about = next((one.tables.about for one in copies if one.tables.weighted), copies[0].tables.about)
    caption = SCORES_CAPTION.format(about=about)
    return Table(SCORES, "Scores when pairs are read again", caption, ("judge", "copy"), columns, tuple(rows))


def changes_in_words(table: Table) -> Iterator[str]:
    """The table of scores as sentences: what reading again changes, and what hiding identities shows."""
    for row in table.rows:
        change, who = row.cells["all"], f"{row.keys['copy']}, judged by {row.keys['judge']}"
        if change.value is None:
            yield f"{who}: no change of score can be told ({change.reason})."
            continue
        said = f"{who}: scores change by {signed(change.value)} on average (n = {change.n})"
        yield f"{said}{_identity_in_words(row.cells['identity'])}."


def _identity_in_words(effect: Cell) -> str:
    if "level" not in effect.where:
        return ""
    if effect.value is None:
        return f"; what hiding real countries adds cannot be told ({effect.reason})"
    said = f"; hiding real countries adds {signed(effect.value)} to what hiding fictional ones does"
    if effect.low is None or effect.high is None:
        return f"{said}, and nothing follows from it: {effect.reason}"
    bounds = f"95% interval {signed(effect.low)} to {signed(effect.high)}"
    shown = "no effect of identity was shown" if effect.low <= 0 <= effect.high else "scores rest on identity"
    return f"{said}, {bounds}: {shown}"


def _shift_cells(one: Copied, columns: Sequence[Column]) -> dict[str, Cell]:
    contrasted = {"contrasted": "yes"} | ({"level": "full"} if one.masked else {})
    marks = {column.id: contrasted if column.id == "identity" else _factor(column.id) for column in columns}
    return {name: cell(change(one, name), one.where | where) for name, where in marks.items()}


def change(one: Copied, name: str) -> Estimate:
    """The mean change of the score: of `all` pairs, of a block, of `category:…`; or `identity`, Main − fictional."""
    span = one.tables.rubric.highest_total - one.tables.rubric.lowest_total
    if name == "identity":
        return possible(_identity(one), -2 * span, 2 * span)
    rows = one.frame
    for factor, value in _factor(name).items():
        rows = rows[rows[factor] == value]
    return possible(_mean_change(one, rows, name), -span, span)


def _factor(name: str) -> dict[str, str]:
    """The factor of the design, with its level, that a column keeps to."""
    kind, _, level = name.partition(":")
    return {"all": {}, "category": {"topic_category": level}}.get(kind, {"block": kind})


def _mean_change(one: Copied, rows: "pd.DataFrame", name: str) -> Estimate:
    changes = (rows["total"] - rows["before"]).to_list()
    return one.tables.index(rows, changes, [True] * len(rows), f"{one.keys} {name}")["main"]


def _identity(one: Copied) -> Estimate:
    """The change of Main pairs minus the change of fictional pairs."""
    main = one.frame["block"] == "main"
    rows = one.frame[main | (one.frame["topic_category"] == FICTIONAL)]
    changes = (rows["total"] - rows["before"]).to_list()
    found = one.tables.index(rows, changes, (rows["block"] == "main").to_list(), f"{one.keys} identity")["difference"]
    missing = "no Main pair" if not main.any() else "no fictional pair"
    return replace(found, reason=missing) if found.value is None else found


def _agreements(copies: Sequence[Copied], preferences: Mapping[tuple[str, str], Preference]) -> Table:
    """How far the copy's scores and sides are those of the original."""
    rows = []
    for one in copies:
        found = preferences.get((one.judge, one.name))
        cells = {name: cell(estimate, one.where) for name, estimate in score_agreement(one).items()}
        cells |= _placeholder_cells(one, found)
        if found and found.withheld:
            cells |= dict.fromkeys(("same_side", "towards"), absent(found.withheld))
        else:
            cells["same_side"] = cell(same_side(one), one.where | {"directed": "yes", "directed_before": "yes"})
            cells["towards"] = towards(one) if one.masked else absent(SHOWN)
        rows.append(TableRow(one.keys, cells))
    title = "Agreement when pairs are read again"
    caption = AGREEMENT_CAPTION.format(weighted=WEIGHTED if any(one.tables.weighted for one in copies) else "")
    return Table("copied_agreement", title, caption, ("judge", "copy"), AGREEMENT_COLUMNS, tuple(rows))


def score_agreement(one: Copied) -> dict[str, Estimate]:
    """How far the copy's scores are those of the original: `icc`, `pearson`, and the `ranking` of the models."""
    frame, tables = one.frame, one.tables
    before, after = frame["before"].to_list(), frame["total"].to_list()
    clusters, models = frame[tables.spec.cluster].to_list(), frame["model"].to_list()
    scale = (float(tables.rubric.lowest_total), float(tables.rubric.highest_total))
    ratings = Ratings(np.column_stack([before, after]), scale, clusters, one.weights)
    resamples, seed, name = one.draws("icc")
    found = {
        "icc": agreement(ratings, resamples, seed, (icc,), name)["icc_a_1"],
        "pearson": pearson(before, after, clusters, *one.draws("pearson"), one.weights),
        "ranking": rankings(before, after, models, clusters, *one.draws("ranking"), one.weights)["spearman"],
    }
    if len(set(models)) < FEWEST_RANKED:
        found["ranking"] = Estimate(None, len(models), found["ranking"].clusters, "", reason=FEW_MODELS)
    return {name: possible(estimate, -1.0) for name, estimate in found.items()}


def _placeholder_cells(one: Copied, found: Preference | None) -> dict[str, Cell]:
    if found is None:
        return dict.fromkeys(("placeholder", "placeholder_change"), absent(SHOWN))
    where = one.where | {"topic_category": FICTIONAL, "placed": "yes"}
    return {
        "placeholder": cell(found.share, where | {"directed": "yes"}),
        "placeholder_change": cell(found.change, where),
    }


def same_side(one: Copied) -> Estimate:
    """Of the pairs that name a side in both, the share that names the same one; whether it may be said or not."""
    hidden, shown, clusters, weights = one.sides(np.ones(len(one.cases), dtype=bool))
    found = direction_agreement(hidden, shown, clusters, *one.draws("same side"), weights)["same_side"]
    return possible(found)
