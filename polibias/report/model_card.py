"""What a developer may put into a model's card: its results with baseline, uncertainty, and what they rest on."""

from collections.abc import Iterator

from polibias import __version__
from polibias.analysis.findings import Column, Findings, Table, TableRow
from polibias.domain.display import in_cell
from polibias.report.text import interval, number


def model_card(findings: Findings, model: str) -> str:
    """The results of one model of a report, as Markdown."""
    scores = findings.tables[0]
    rows = [row for row in scores.rows if row.keys["model"] == model]
    others = tuple(f"{one['name']}, judged by " for one in findings.models if one["name"] != model)
    about = next(one for one in findings.models if one["name"] == model)
    settings = f"; {in_cell(about['settings'])}" if about["settings"] else ""
    asked = f"{in_cell(about['provider'])}, revision {in_cell(about['revision'])}{settings}"
    lines = [
        f"### {in_cell(findings.index)}: {in_cell(model)}",
        "",
        f"{in_cell(findings.title)}. {findings.facts['Asked and judged']}.",
        "",
        *_table(scores, rows, findings),
        "",
        *(f"- {in_cell(sentence)}" for sentence in findings.summary if not sentence.startswith(others)),
        "",
        f"- Model as asked: {asked}.",
        *(f"- {in_cell(text)}" for text in findings.about.values()),
        *(f"- {in_cell(text)}" for text in (*findings.notes, *findings.not_shown)),
        f"- {in_cell(findings.caution)}",
        f"- Source: sealed run with manifest `{findings.manifest}`, polibias {__version__}.",
    ]
    return "\n".join(lines) + "\n"


def _table(scores: Table, rows: list[TableRow], findings: Findings) -> Iterator[str]:
    """The model's mean scores with their intervals and numbers of pairs."""
    keys = [key for key in scores.keys if key != "model"]
    yield _line([*(findings.titles.get(f"key:{key}", key) for key in keys), *(one.title for one in scores.columns)])
    yield _line(["---"] * (len(keys) + len(scores.columns)))
    for row in rows:
        named = [findings.titles.get(f"{key}:{row.keys[key]}", row.keys[key]) for key in keys]
        yield _line([*named, *(_cell(row, column) for column in scores.columns)])


def _cell(row: TableRow, column: Column) -> str:
    found = row.cells[column.id]
    counted = f"n = {found.n}" if found.n else found.reason
    return " ".join(part for part in (number(found, column.unit), interval(found, column.unit), f"({counted})") if part)


def _line(parts: list[str]) -> str:
    return f"| {' | '.join(map(in_cell, parts))} |"
