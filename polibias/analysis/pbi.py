"""The tables of the first report: validity, mean pair score by block, dimension, task and topic, labels.

Source: paper sections 3.3 and 5.1.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, get_args

from polibias.analysis.findings import Beside, Cell, Column, Table, TableRow
from polibias.analysis.frames import Case, one_sided_column, rating_column, score_column
from polibias.domain.rows import JudgmentOutcome, ResponseOutcome
from polibias.domain.rubric import Label, Rubric
from polibias.domain.sides import SIDES
from polibias.domain.study import AnalysisSpec
from polibias.stats.bias_index import bias_index
from polibias.stats.estimate import Estimate
from polibias.stats.proportion import share

if TYPE_CHECKING:
    import pandas as pd

BLOCKS = {"main": "Main", "control": "Controls"}
DIFFERENCE = Column("difference", "Main − Controls", "score")


def cell(estimate: Estimate, **where: str) -> Cell:
    fields = asdict(estimate) | {"beside": tuple(Beside(**asdict(interval)) for interval in estimate.beside)}
    return Cell(**fields, where=where)


def count(n: int, **where: str) -> Cell:
    """A plain number of cases."""
    return cell(Estimate(float(n), n, n, "count"), **where)


def responses_table(cases: list[Case], models: list[str], judge: str) -> Table:
    """How every response ended, per model. Responses are the same for every judge, so one judge's cases serve."""
    outcomes = get_args(ResponseOutcome)
    rows = []
    for model in models:
        ended = Counter(
            case.responses[side].outcome if side in case.responses else "missing"
            for case in cases
            if (case.model, case.judge) == (model, judge)
            for side in ("A", "B")
        )
        cells = {name: count(ended[name], model=model, judge=judge, response=name) for name in (*outcomes, "missing")}
        rows.append(
            TableRow({"model": model}, {"responses": count(sum(ended.values()), model=model, judge=judge), **cells})
        )
    used = [name for name in (*outcomes, "missing") if any(row.cells[name].n for row in rows)]
    columns = (Column("responses", "Responses", "count"), *(Column(n, n.replace("_", " "), "count") for n in used))
    return Table("responses", "How the responses ended", RESPONSES_CAPTION, ("model",), columns, _only(rows, columns))


RESPONSES_CAPTION = (
    "Two responses per pair. A truncated reply reached the study's token cap; it is kept and judged as it is."
)


def _only(rows: list[TableRow], columns: tuple[Column, ...]) -> tuple[TableRow, ...]:
    return tuple(TableRow(row.keys, {column.id: row.cells[column.id] for column in columns}) for row in rows)


def validity_table(cases: list[Case], models: list[str], judges: list[str]) -> Table:
    """Valid judge calls among all that were due, complete pairs, and what the invalid calls were."""
    outcomes = [name for name in get_args(JudgmentOutcome) if name != "ok"]
    rows = []
    for judge in judges:
        for model in models:
            own = [case for case in cases if (case.judge, case.model) == (judge, model)]
            made = Counter(row.outcome for case in own for row in case.judgments.values())
            where = {"judge": judge, "model": model}
            cells = {
                "valid": cell(share(made["ok"], 2 * len(own), "judge call was due"), **where),
                "complete": cell(share(sum(case.complete for case in own), len(own), "pair"), **where),
                **{name: count(made[name], **where, judgment=name) for name in outcomes},
                "missing": count(2 * len(own) - made.total(), **where, judgment="missing"),
            }
            rows.append(TableRow(where, cells))
    used = [name for name in (*outcomes, "missing") if any(row.cells[name].value for row in rows)]
    columns = (
        Column("valid", "Valid judge calls", "share"),
        Column("complete", "Pairs with both orders valid", "share"),
        *(Column(name, name.replace("_", " "), "count") for name in used),
    )
    return Table("validity", "Judge validity", VALIDITY_CAPTION, ("judge", "model"), columns, _only(rows, columns))


VALIDITY_CAPTION = (
    "Two calls per pair, one for each order of showing the responses. Invalid verdicts are never repaired; a pair "
    "counts below only if both of its orders are valid. Wilson intervals."
)


class Tables:
    """The score tables over one tidy frame. Draws are named by table row, so rows never disturb each other.

    Groups are told apart by judge and model, and by condition where the study has several. A block without any pair
    gets no column.
    """

    def __init__(self, frame: "pd.DataFrame", rubrics: Mapping[str, Rubric], spec: AnalysisSpec) -> None:
        self.frame = frame[frame["complete"]]
        self.everything = frame
        self.rubric = next(iter(rubrics.values()))
        self.labels = {label.id: label for rubric in rubrics.values() for label in rubric.labels}
        self.spec = spec
        self.keys = ("judge", "model", "condition") if len(rubrics) > 1 else ("judge", "model")
        asked = set(frame["block"])
        self.columns = tuple(Column(block, title, "score") for block, title in BLOCKS.items() if block in asked)
        if len(self.columns) == len(BLOCKS):
            self.columns += (DIFFERENCE,)
        self.about = (
            f"95% intervals: jackknife-t over {CLUSTERS[spec.cluster]}, then the percentile bootstrap over them; "
            "n is the number of pairs."
        )

    def groups(self) -> Iterator[tuple[dict[str, str], "pd.DataFrame"]]:
        """The complete pairs of each group; a group may be empty."""
        for values in self.everything[list(self.keys)].drop_duplicates().itertuples(index=False):
            rows = self.frame
            for key, value in zip(self.keys, values, strict=True):
                rows = rows[rows[key] == value]
            yield dict(zip(self.keys, values, strict=True)), rows

    def blocks(self, rows: "pd.DataFrame", score: str, **where: str) -> dict[str, Cell]:
        """Main, Controls and their difference from one draw of clusters."""
        main = (rows["block"] == "main").to_list()
        clusters = rows[self.spec.cluster].to_list()
        name = "\n".join([*(f"{key}={where[key]}" for key in sorted(where)), score])
        found = bias_index(rows[score].to_list(), main, clusters, self.spec.resamples, self.spec.seed, name)
        return {
            column: cell(value, **where, complete="yes", **({"block": column} if column in BLOCKS else {}))
            for column, value in found.items()
        }

    def main_table(self) -> Table:
        rows = [TableRow(keys, self.blocks(rows, "total", **keys)) for keys, rows in self.groups()]
        scale = f"Mean pair score, 0 to {self.rubric.highest_total}; a pair's score is the mean of its two orders."
        return self._table("pbi", self.rubric.report.index, f"{scale} {self.about}", self.keys, rows)

    def dimension_table(self) -> Table:
        rows = [
            TableRow({**keys, "dimension": dimension}, self.blocks(group, score_column(dimension), **keys))
            for keys, group in self.groups()
            for dimension in self.rubric.dimension_ids
        ]
        caption = f"Mean score per dimension, at most {self.rubric.highest}. {self.about}"
        return self._table("dimensions", "By dimension", caption, (*self.keys, "dimension"), rows)

    def factor_table(self, factor: str, title: str) -> Table:
        """Mean total by one factor of the design."""
        rows = [
            TableRow(
                {**keys, factor: level}, self.blocks(group[group[factor] == level], "total", **keys, **{factor: level})
            )
            for keys, group in self.groups()
            for level in sorted(self.everything[factor].unique())
        ]
        caption = f"Mean pair score, 0 to {self.rubric.highest_total}. {self.about}"
        if factor != "topic":
            return self._table(f"by_{factor}", title, caption, (*self.keys, factor), rows)
        rows = [TableRow(row.keys, {"mean": _one_block(row.cells)}) for row in rows]
        columns = (Column("mean", "Mean", "score"),)
        return Table(f"by_{factor}", title, caption, (*self.keys, factor), columns, tuple(rows))

    def _table(self, id: str, title: str, caption: str, keys: tuple[str, ...], rows: list[TableRow]) -> Table:
        return Table(id, title, caption, keys, self.columns, _only(rows, self.columns))

    def one_sided_table(self) -> Table | None:
        """Pairs in which exactly one response has a counting label, by block; None if no label counts."""
        labels = [label for label in self.labels.values() if label.one_sided]
        columns = tuple(
            column
            for label in labels
            for column in (
                Column(f"one_sided_{label.id}", f"{label.title}, one-sided", "share"),
                Column(f"unclear_{label.id}", f"{label.title}, orders disagree", "count"),
            )
        )
        rows = [
            TableRow(
                {**keys, "block": title}, self._one_sided(group[group["block"] == block], labels, **keys, block=block)
            )
            for keys, group in self.groups()
            for block, title in BLOCKS.items()
            if block in set(self.everything["block"])
        ]
        caption = ONE_SIDED_CAPTION.format(
            labels="; ".join(f"{label.title}: {' or '.join(label.one_sided)}" for label in labels)
        )
        found = Table("one_sided", "One-sided behaviour", caption, (*self.keys, "block"), columns, tuple(rows))
        return found if labels else None

    def _one_sided(self, rows: "pd.DataFrame", labels: Sequence[Label], **where: str) -> dict[str, Cell]:
        cells: dict[str, Cell] = {}
        for label in labels:
            values: Any = rows[one_sided_column(label.id)]
            clear = values[values.notna()]
            shared = share(int(clear.sum()), len(clear), "pair with clear labels")
            cells[f"one_sided_{label.id}"] = cell(shared, **where, **{label.id: "clear"})
            cells[f"unclear_{label.id}"] = count(len(values) - len(clear), **where, **{label.id: "unclear"})
        return cells

    def ratings_table(self) -> Table | None:
        """The mean rating of each version on every ordinal label, and how far the two lie apart; None without any."""
        labels = [label for label in self.labels.values() if label.ordinal]
        rows = [
            TableRow({**keys, "label": label.title}, self._ratings(group, label.id, **keys))
            for keys, group in self.groups()
            for label in labels
        ]
        columns = tuple(Column(name, title, "score") for name, title in RATED.items())
        caption = f"{RATINGS_CAPTION} {self.about}"
        found = Table("ratings", "Ratings of single responses", caption, (*self.keys, "label"), columns, tuple(rows))
        return found if labels else None

    def _ratings(self, rows: "pd.DataFrame", label: str, **where: str) -> dict[str, Cell]:
        a, b = (rows[rating_column(label, side)].astype(float) for side in SIDES)
        values = {"A": a, "B": b, "apart": (a - b).abs()}
        clusters, everywhere = rows[self.spec.cluster].to_list(), [True] * len(rows)
        return {
            name: cell(
                bias_index(
                    value.to_list(),
                    everywhere,
                    clusters,
                    self.spec.resamples,
                    self.spec.seed,
                    f"{where} {label} {name}",
                )["main"],
                **where,
                complete="yes",
            )
            for name, value in values.items()
        }


CLUSTERS = {"template": "scenario templates", "topic": "topics"}
RATED = {"A": "Version A", "B": "Version B", "apart": "Mean distance"}
RATINGS_CAPTION = "The judge's rating of each response, from 1; a pair's rating is the mean of its two orders."
ONE_SIDED_CAPTION = (
    "Share of pairs in which exactly one response has a counting label, by the judge ({labels}); pairs whose two "
    "orders label a response differently are left out of the share and counted. Wilson intervals, which treat pairs "
    "as independent."
)


def _one_block(cells: dict[str, Cell]) -> Cell:
    """A topic lies in one block: the cell of the block that has pairs, or an empty one."""
    return cells["main"] if cells["main"].n >= cells["control"].n else cells["control"]
