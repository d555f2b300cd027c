"""The report: one self-contained folder that opens from disk, sealed with a manifest of its own.

Pages run under ``default-src 'none'``; the one style sheet and the one script are allowed by their hash, and
no page asks for anything outside itself. Every text goes through Jinja's escaping.
"""

import base64
import csv
import hashlib
import io
import shutil
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from polibias import __version__
from polibias.analysis.findings import Cell, Table, as_json
from polibias.analysis.first_report import Analysed, analyse
from polibias.analysis.frames import Case
from polibias.domain.display import visible
from polibias.domain.sides import ORDERS
from polibias.errors import InputError
from polibias.records.documents import write_document, write_file
from polibias.records.manifest import seal
from polibias.records.runs import Run
from polibias.report import charts, text

if TYPE_CHECKING:
    import jinja2


def write_report(run: Run) -> Path:
    """Analyse a sealed run and write `report/`. The old report is replaced only once the new one is complete."""
    if not run.sealed:
        raise InputError(f"{run.folder}: not sealed yet; finish it with polibias run before reporting on it")
    analysed = analyse(run)
    building = run.folder.with_name(run.folder.name + ".report-part")
    shutil.rmtree(building, ignore_errors=True)
    try:
        _write_pages(analysed, building)
        _replace(building, run.report)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    seal(run, run.report, {"run": analysed.findings.manifest, "polibias": __version__})
    return run.report / "index.html"


def _replace(new: Path, place: Path) -> None:
    old = place.with_name(place.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    new.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def _write_pages(analysed: Analysed, folder: Path) -> None:
    findings, cases = analysed.findings, analysed.cases
    write_document(folder / "findings.json", as_json(findings))
    for table in findings.tables:
        write_file(folder / "tables" / f"{table.id}.csv", table_csv(table), durable=False)
    _page(folder / "index.html", "index.html", findings=findings, charts=charts.overview(findings))
    _page(folder / "pairs.html", "pairs.html", findings=findings, cases=cases)
    for case in cases:
        _page(folder / "pairs" / f"{case_name(case)}.html", "pair.html", **_pair_values(case, analysed))


def _pair_values(case: Case, analysed: Analysed) -> dict[str, Any]:
    return {
        "case": case,
        "findings": analysed.findings,
        "rubric": analysed.rubric,
        "orders": [(order, case.judgments.get(order)) for order in ORDERS],
        "favoured": favoured_name,
    }


def favoured_name(case: Case, side: str) -> str:
    """A stored side as the country it stands for."""
    return {"A": case.pair.countries.A, "B": case.pair.countries.B}.get(side, "none")


def case_name(case: Case) -> str:
    """A short file name that is the same in every report of the same records."""
    return hashlib.sha256(f"{case.judge}\n{case.model}\n{case.pair_id}".encode()).hexdigest()[:16]


def _page(path: Path, template: str, **values: Any) -> None:
    rendered = _environment().get_template(template).render(**values)
    write_file(path, rendered.encode("utf-8"), durable=False)


@cache
def _environment() -> "jinja2.Environment":
    import jinja2

    folder = files("polibias.report") / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (folder / name).read_text("utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = ((folder / name).read_text("utf-8") for name in ("style.css", "filter.js"))
    allowed = f"style-src {_source(style)}; script-src {_source(script)}"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    environment.globals.update(style=style, script=script, policy=policy)
    environment.filters.update(
        number=text.number,
        interval=text.interval,
        visible=visible,
        fragment=fragment,
        why=_why,
        case_name=case_name,
    )
    return environment


def _source(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def fragment(cell: Cell) -> str:
    """The link that shows a cell's cases in the list of pairs."""
    return "pairs.html#" + urlencode(sorted(cell.where.items()))


def _why(table: Table) -> list[str]:
    """Each reason for a missing value or interval in a table, once."""
    return sorted({cell.reason for row in table.rows for cell in row.cells.values() if cell.reason})


def table_csv(table: Table) -> bytes:
    """A table in long form: one line per cell, full precision, empty where there is no value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*table.keys, "column", "value", "low", "high", "n", "clusters", "method", "reason"])
    writer.writerows(_csv_rows(table))
    return out.getvalue().encode("utf-8")


def _csv_rows(table: Table) -> Iterator[list[str]]:
    for row in table.rows:
        for column in table.columns:
            cell = row.cells[column.id]
            figures = [cell.value, cell.low, cell.high, cell.n, cell.clusters]
            cells = ["" if figure is None else repr(figure) for figure in figures]
            yield [*(row.keys[key] for key in table.keys), column.id, *cells, cell.method, cell.reason]
