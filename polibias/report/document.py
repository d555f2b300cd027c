"""The report: one self-contained folder that opens from disk, sealed with a manifest of its own."""

import shutil
import tempfile
from functools import partial
from pathlib import Path

from polibias import __version__
from polibias.analysis.findings import Findings, as_json
from polibias.analysis.first_report import MANY_CASES, Analysed, analyse
from polibias.analysis.unblinded import PairLabels, people
from polibias.analysis.validated import PlanFolders
from polibias.errors import InputError
from polibias.records.documents import storing, write_document, write_file
from polibias.records.manifest import read_manifest, seal
from polibias.records.runs import Run
from polibias.records.sharing import at_once
from polibias.report import charts
from polibias.report.chapters import TRUSTED, chaptered
from polibias.report.drilldown import Pairs, write_pairs
from polibias.report.formats import FORMATS, findings_schema, write_table
from polibias.report.model_card import model_card
from polibias.report.pages import page


def write_report(run: Run, folders: PlanFolders | None = None) -> Path:
    """Analyse a sealed run and write `report/`. The old report is replaced only once the new one is complete.

    `folders` are where locked plans and their findings lie, beside the folder of runs unless given. Its seal names the
    planned findings that it took over.
    """
    if not run.sealed:
        raise InputError(f"{run.folder}: not sealed yet; finish it with polibias run before reporting on it")
    findings = _build(run, analyse(run, folders))
    planned = {one.plan: one.findings for one in findings.people}
    about = {"run": findings.manifest, "polibias": __version__, "planned": planned}
    seal(run, run.report, about, at=read_manifest(run.folder).sealed_at)
    return run.report / "index.html"


def _build(run: Run, analysed: Analysed) -> Findings:
    """Write the pages, put them in their place, and return what they print."""
    with storing(run.report):
        building = Path(tempfile.mkdtemp(prefix=".report-", dir=run.folder.parent))
    try:
        building.chmod(0o755)
        write_pages(analysed, people(run), building)
        replace_folder(building, run.report)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return analysed.findings


def replace_folder(new: Path, place: Path) -> None:
    """Put a folder that is complete in the place of another, or of none."""
    with storing(place):
        if place.is_symlink() or place.is_file():
            place.unlink()
        if place.exists():
            place.rename(new / "old")
        new.rename(place)
        shutil.rmtree(place / "old", ignore_errors=True)


def write_pages(analysed: Analysed, labels: PairLabels, folder: Path) -> None:
    """Everything that a report holds but its seal; `labels` are what people said about its pairs."""

    def pairs() -> None:
        write_pairs(
            Pairs(analysed.findings, analysed.cases, analysed.rubrics, labels, analysed.kinds, analysed.marks), folder
        )

    at_once(partial(_write_tables, analysed, folder), pairs, worth=len(analysed.cases) > MANY_CASES)


def _write_tables(analysed: Analysed, folder: Path) -> None:
    """The first page, and everything on it for other programs."""
    findings = analysed.findings
    write_document(folder / "findings.json", as_json(findings))
    write_document(folder / "findings.schema.json", findings_schema())
    named = {"polibias": __version__, "study": findings.study, "manifest": findings.manifest}
    for table in findings.tables:
        write_table(table, folder / "tables", findings.titles, named)
    drawn = charts.overview(findings, analysed.cases, analysed.rubrics)
    for chart in drawn:
        write_file(folder / "charts" / f"{chart.id}.svg", chart.svg.encode("utf-8"), durable=False)
    cards = {entry["name"]: model_card(findings, entry["name"]) for entry in findings.models}
    for model, card in cards.items():
        write_file(folder / "model-cards" / f"{model}.md", card.encode("utf-8"), durable=False)
    chapters = list(chaptered(findings.tables, drawn))
    page(
        folder / "index.html",
        "index.html",
        findings=findings,
        chapters=chapters,
        cards=cards,
        formats=FORMATS,
        trusted=TRUSTED,
    )
