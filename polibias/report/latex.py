"""Tables as LaTeX, for a paper that uses the booktabs package."""

import re
from collections.abc import Iterator, Mapping

from polibias.analysis.findings import Cell, Table
from polibias.domain.display import visible
from polibias.report.text import interval, number

HERE = "Here: each value with the first of its intervals; n, the other one, and what is missing stand in the CSV."
SPECIAL = re.compile(r"([\\{}$&#%_^~])")
MEANT = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}
PRINTED = {"−": "$-$", "†": r"\dag{}"}


def tex(text: str) -> str:
    """Foreign text as LaTeX prints it, sign by sign."""
    escaped = SPECIAL.sub(lambda match: MEANT.get(match[0], rf"\{match[0]}"), " ".join(visible(text).split()))
    return "".join(PRINTED.get(sign, sign) for sign in escaped)


def table_tex(table: Table, titles: Mapping[str, str] = {}, note: str = "") -> str:
    """The table with its caption; `titles` are those of keys and their values, `note` stands before the caption."""
    head = [*(titles.get(f"key:{key}", key.replace("_", " ")) for key in table.keys), *(c.title for c in table.columns)]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{tex(f'{note} {table.title}. {table.caption} {HERE}'.strip())}}}",
        rf"\label{{tab:{re.sub('[^A-Za-z0-9-]', '-', table.id)}}}",
        rf"\begin{{tabular}}{{{'l' * len(table.keys)}{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(map(tex, head)) + r" \\",
        r"\midrule",
        *_rows(table, titles),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _rows(table: Table, titles: Mapping[str, str]) -> Iterator[str]:
    for row in table.rows:
        names = [tex(titles.get(f"{key}:{row.keys[key]}", row.keys[key])) for key in table.keys]
        yield " & ".join((*names, *(_cell(row.cells[one.id], one.unit) for one in table.columns))) + r" \\"


def _cell(cell: Cell, unit: str) -> str:
    return tex(" ".join(part for part in (number(cell, unit), interval(cell, unit)) if part)).replace("–", "--")
