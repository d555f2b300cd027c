"""What a planned analysis found: confirmatory results, exploratory ones apart and marked, and deviations."""

from collections.abc import Iterator, Mapping
from html import escape

import streamlit as st

from annotate_app.desk_findings import Beside, Cell, Column, Decided, Deviation, Findings, Result, interval, value
from annotate_app.desk_pages import look
from annotate_app.desk_pages.look import heading, listed, loud, quiet, table, text

EXPLORATORY = "exploratory"
COLUMNS = (
    look.Column("About"),
    look.Column("Measure", wide=True),
    look.Column("Value", number=True),
    look.Column("Interval", wide=True),
    look.Column("n", number=True),
)


def show_findings(findings: Findings) -> None:
    """Every result under the heading that it may stand under."""
    rehearsal = findings.kind != "confirmatory"
    heading(2, "Results of a rehearsal" if rehearsal else "Confirmatory findings")
    if rehearsal:
        loud("This is a rehearsal. Nothing of it is a finding.")
    promised = findings.of_role("primary", "secondary")
    for result in promised:
        _result(result, result.role)
    if not promised:
        text("The plan has no confirmatory comparison.")
    if findings.others:
        heading(2, "Exploratory results")
        text("These were not promised before the labels were there, and confirm nothing.")
    for result in findings.others:
        _result(result, EXPLORATORY)
    heading(2, "Deviations from the plan")
    _deviations(findings.deviations)
    if findings.methods:
        with st.expander("How the numbers were made"):
            text(findings.methods)


def _deviations(deviations: tuple[Deviation, ...]) -> None:
    if deviations:
        listed(_deviation(one) for one in deviations)
    else:
        text("None were recorded.")


def _deviation(one: Deviation) -> str:
    why = f"Why: {escape(one.reason)}" if one.reason else ""
    at = f"({look.when(one.at)} UTC)" if one.at else ""
    return f'<div>{escape(one.what)}</div><div class="quiet">{why} {at}</div>'


def _result(result: Result, mark: str) -> None:
    heading(3, result.title, mark)
    if result.table.caption:
        quiet(result.table.caption)
    table(f"{result.id}: {result.table.title}", COLUMNS, _rows(result))
    if result.decisions:
        listed(_decided(one) for one in result.decisions)


def _decided(one: Decided) -> str:
    whose = f"{escape(about(one.keys))}: " if one.keys else ""
    rule = f' <span class="quiet">Rule: {escape(one.rule)}.</span>' if one.rule else ""
    return f'<span class="mark">{escape(one.outcome)}</span> {whose}{escape(one.said)}{rule}'


def about(keys: Mapping[str, str]) -> str:
    """What a row is about, in one text."""
    return ", ".join(word for word in keys.values() if word) or "all"


def _rows(result: Result) -> Iterator[list[str]]:
    """One line per number, so that a phone shows it whole."""
    for row in result.table.rows:
        for column in result.table.columns:
            cell = row.cells.get(column.id)
            if cell is not None:
                yield [look.person(about(row.keys)), look.person(column.title), *_number(cell, column)]


def _number(cell: Cell, column: Column) -> list[str]:
    return [escape(value(cell, column.unit)), "".join(_intervals(cell, column)) or "–", f"{cell.n:,}"]


def _intervals(cell: Cell, column: Column) -> Iterator[str]:
    """The interval that decides, and those beside it, each with its method; seeds and resamples are in the report."""
    if cell.value is None:
        return
    found: tuple[Cell | Beside, ...] = (cell, *cell.beside)
    for one in found:
        if said := interval(one, column.unit):
            method = f' <span class="quiet">{escape(one.method.partition(",")[0])}</span>' if one.method else ""
            yield f'<div title="{escape(one.method)}">{escape(said)}{method}</div>'
