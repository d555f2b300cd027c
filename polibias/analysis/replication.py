"""Do two judges come to the same conclusion? Every contrast of a study under each judge, on the pairs valid for all.

Same conclusion: the intervals of all judges exclude zero on the same side, or all include it. Source: paper, Table 13.
Two intervals that agree do not show that the judges' values are equal, and one that includes zero beside one that does
not need not differ from it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from polibias.analysis.call_scores import Groups, where
from polibias.analysis.cells import BLOCKS, absent, cell, count
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.pbi import telling
from polibias.stats.estimate import Estimate

MAIN_CONTRAST = "Main − Controls"
EVERY_CONTRAST = "all contrasts"
TOTALS = "replication_totals"
NO_VALUE = "not estimable under every judge"
NO_INTERVAL = "no interval under every judge"
UNREAD = Estimate(None, 0, 0, "", reason="not read by this judge")
CAPTION = (
    "Every contrast under each judge, on the pairs that are complete for all of them, with intervals as in the tables "
    "of scores. Same sign and same conclusion: 1 for yes, 0 for no. Same conclusion: all intervals exclude zero on the "
    "same side, or all include it. Contrasts share items and templates, so their number says how often judges agree, "
    "not how sure that is."
)
TOTALS_CAPTION = (
    "How many contrasts of the table above have the same sign, and lead to the same conclusion, under every judge. "
    "Without a conclusion: contrasts that have no interval under one of the judges; they count in neither."
)


class Contrast(NamedTuple):
    """One contrast of one model (in one condition, if the study has several): each judge's estimate from the pairs
    that are complete for all judges, and the marks that select each judge's pairs; none for what no marks select.
    """

    name: str
    model: str
    estimates: Mapping[str, Estimate]
    where: Mapping[str, Mapping[str, str]] = {}
    condition: str = ""


def same_sign(estimates: Sequence[Estimate]) -> bool | None:
    """Whether all values lie on the same side of zero, or all are zero; None if one is not estimable."""
    signs = {None if one.value is None else (one.value > 0) - (one.value < 0) for one in estimates}
    return None if None in signs or not signs else len(signs) == 1


def same_conclusion(estimates: Sequence[Estimate]) -> bool | None:
    """Whether all intervals say the same about zero: above, below, or including it; None if one has no interval."""
    said = {None if one.low is None or one.high is None else (one.low > 0) - (one.high < 0) for one in estimates}
    return None if None in said or not said else len(said) == 1


def main_contrasts(groups: Groups) -> list[Contrast]:
    """Main − Controls of each model (and condition) under every judge, on the pairs that are complete for all.

    None without both blocks.
    """
    found: list[Contrast] = []
    if groups.tables.blocks_asked != set(BLOCKS):
        return found
    for model, condition in groups.rows():
        if model in groups.models:
            judged = {judge: _main(groups, judge, model, condition) for judge in groups.judges}
            estimates = {judge: one for judge, (one, _) in judged.items()}
            marks = {judge: own for judge, (_, own) in judged.items()}
            found.append(Contrast(MAIN_CONTRAST, model, estimates, marks, condition))
    return found


def _main(groups: Groups, judge: str, model: str, condition: str) -> tuple[Estimate, dict[str, str]]:
    others = {name for name in groups.judges if name != judge}
    calls = groups.calls(judge, model, condition)
    own = calls.among([n for n, case in enumerate(calls.cases) if others <= set(case.also)])
    tables, rubric = groups.tables, own.rubric
    rows, main = tables.drawing.iloc[own.places], groups.main[own.places].tolist()
    keys = {"judge": judge, "model": model} | ({"condition": condition} if condition else {})
    # One stream for all judges: they are compared on the same pairs.
    found = tables.index(rows, own.totals.tolist(), main, f"replication {model} {condition}")["difference"]
    reach = float(rubric.highest_total - rubric.lowest_total)
    return telling(found, -reach, reach), where(keys, **{f"also:{name}": "yes" for name in sorted(others)})


def replication_tables(contrasts: Sequence[Contrast], judges: Sequence[str], unit: str = "score") -> Iterator[Table]:
    """Every contrast with its two answers, and how many there are of each; none with a single judge, or no contrast.

    `unit` is how a contrast is printed.
    """
    if len(judges) > 1 and contrasts:
        yield replication_table(contrasts, judges, unit)
        yield replication_totals_table(contrasts, judges)


def replication_table(contrasts: Sequence[Contrast], judges: Sequence[str], unit: str = "score") -> Table:
    """A row for each contrast: every judge's estimate, same sign, same conclusion."""
    conditions = any(one.condition for one in contrasts)
    columns = (
        *(Column(f"judge:{judge}", judge, unit) for judge in judges),
        Column("sign", "Same sign", "count"),
        Column("conclusion", "Same conclusion", "count"),
    )
    rows = [
        TableRow(
            {"contrast": one.name, "model": one.model} | ({"condition": one.condition} if conditions else {}),
            _cells(one, judges),
        )
        for one in contrasts
    ]
    keys = ("contrast", "model", "condition") if conditions else ("contrast", "model")
    return Table("replication", "Every contrast under each judge", CAPTION, keys, columns, tuple(rows))


def _of_all(one: Contrast, judges: Sequence[str]) -> list[Estimate]:
    return [one.estimates.get(judge, UNREAD) for judge in judges]


def _cells(one: Contrast, judges: Sequence[str]) -> dict[str, Cell]:
    estimates = _of_all(one, judges)
    cells = {
        f"judge:{judge}": cell(estimate, one.where.get(judge, {}))
        for judge, estimate in zip(judges, estimates, strict=True)
    }
    first, marks = estimates[0], one.where.get(judges[0], {})
    answers = {"sign": (same_sign(estimates), NO_VALUE), "conclusion": (same_conclusion(estimates), NO_INTERVAL)}
    for name, (answer, reason) in answers.items():
        said = Estimate(float(answer or 0), first.n, first.clusters, "count")
        cells[name] = absent(reason) if answer is None else cell(said, marks)
    return cells


def replication_totals_table(contrasts: Sequence[Contrast], judges: Sequence[str]) -> Table:
    """How many contrasts agree: of each name, and of all."""
    columns = (
        Column("contrasts", "Contrasts", "count"),
        Column("sign", "Same sign", "count"),
        Column("conclusion", "Same conclusion", "count"),
        Column("untold", "Without a conclusion", "count"),
    )
    names = list(dict.fromkeys(one.name for one in contrasts))
    groups = {name: [one for one in contrasts if one.name == name] for name in names}
    if len(names) > 1:
        groups[EVERY_CONTRAST] = list(contrasts)
    rows = [TableRow({"contrast": name}, _totals(own, judges)) for name, own in groups.items()]
    return Table(TOTALS, "Judges that agree", TOTALS_CAPTION, ("contrast",), columns, tuple(rows))


def replication_in_words(tables: Sequence[Table]) -> Iterator[str]:
    """How many contrasts the judges agree on, as a sentence: of each model's Main − Controls, and of all.

    Nothing where no contrast has a value to compare.
    """
    rows = [row for table in tables if table.id == TOTALS for row in table.rows]
    for row in (one for one in rows if one.keys["contrast"] in (MAIN_CONTRAST, EVERY_CONTRAST)):
        number, sign, conclusion, untold = (int(one.value or 0) for one in row.cells.values())
        if untold == number and not sign:
            continue
        said = f"Judges beside each other, {row.keys['contrast']}: of {number}, {sign} have the same sign under all"
        left = f"; {untold} have no interval under one" if untold else ""
        yield f"{said}, and {conclusion} lead to the same conclusion{left}."


def _totals(contrasts: Sequence[Contrast], judges: Sequence[str]) -> dict[str, Cell]:
    estimates = [_of_all(one, judges) for one in contrasts]
    conclusions = [same_conclusion(each) for each in estimates]
    found = {
        "contrasts": len(contrasts),
        "sign": sum(same_sign(each) is True for each in estimates),
        "conclusion": conclusions.count(True),
        "untold": conclusions.count(None),
    }
    return {name: count(number, {}) for name, number in found.items()}
