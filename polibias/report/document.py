"""The report: one self-contained folder that opens from disk, sealed with a manifest of its own.

Pages run under ``default-src 'none'``; the one style sheet and the one script are allowed by their hash, and
no page asks for anything outside itself. Every text goes through Jinja's escaping.
"""

import base64
import csv
import hashlib
import io
import re
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from polibias import __version__
from polibias.analysis.cases import Case
from polibias.analysis.findings import Cell, Table, as_json
from polibias.analysis.first_report import Analysed, analyse
from polibias.analysis.frames import direction, one_sided
from polibias.analysis.structured import counted, structure_marks
from polibias.analysis.texts import Texts, texts
from polibias.domain.display import visible
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS, SIDES
from polibias.errors import InputError
from polibias.records.documents import replacing, storing, write_document, write_file
from polibias.records.manifest import read_manifest, seal
from polibias.records.runs import Run
from polibias.records.shelf import Shelf
from polibias.report import charts, text

if TYPE_CHECKING:
    import jinja2
    import markupsafe

LONGEST_WORD = 400
PIECES = 1000
UNBROKEN = re.compile(rf"\S{{{LONGEST_WORD},}}")


def write_report(run: Run) -> Path:
    """Analyse a sealed run and write `report/`. The old report is replaced only once the new one is complete."""
    if not run.sealed:
        raise InputError(f"{run.folder}: not sealed yet; finish it with polibias run before reporting on it")
    manifest = _build(run, analyse(run))
    about = {"run": manifest, "polibias": __version__}
    seal(run, run.report, about, at=read_manifest(run.folder).sealed_at)
    return run.report / "index.html"


def _build(run: Run, analysed: Analysed) -> str:
    """Write the pages, put them in their place, and return the manifest that they rest on."""
    with storing(run.report):
        building = Path(tempfile.mkdtemp(prefix=".report-", dir=run.folder.parent))
    try:
        building.chmod(0o755)
        _write_pages(analysed, building)
        replace_folder(building, run.report)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return analysed.findings.manifest


def replace_folder(new: Path, place: Path) -> None:
    """Put a folder that is complete in the place of another, or of none."""
    with storing(place):
        if place.exists():
            place.rename(new / "old")
        new.rename(place)
        shutil.rmtree(place / "old", ignore_errors=True)


def _write_pages(analysed: Analysed, folder: Path) -> None:
    findings, cases = analysed.findings, analysed.cases
    write_document(folder / "findings.json", as_json(findings))
    for table in findings.tables:
        write_file(folder / "tables" / f"{table.id}.csv", table_csv(table), durable=False)
    page(folder / "index.html", "index.html", findings=findings, charts=charts.overview(findings))
    guesses = any(case.guess is not None for case in cases)
    listed = {"findings": findings, "cases": cases, "rubrics": analysed.rubrics, "guesses": guesses}
    page(folder / "pairs.html", "pairs.html", **listed)
    copies: dict[str, list[Case]] = {}
    for case in cases:
        if case.original is not None:
            copies.setdefault(case_name(case.original), []).append(case)
    with Shelf() as shelf:
        for case in cases:
            values = _pair_values(case, texts(case, shelf), analysed) | {"copies": copies.get(case_name(case), [])}
            page(folder / "pairs" / f"{case_name(case)}.html", "pair.html", **values)


def _pair_values(case: Case, found: Texts, analysed: Analysed) -> dict[str, Any]:
    return {
        "case": case,
        "texts": found,
        "findings": analysed.findings,
        "rubric": analysed.rubrics[case.pair.design.condition],
        "orders": [(order, found.judgments.get(order)) for order in ORDERS],
        "favoured": favoured_name,
        "counted": counted,
    }


def favoured_name(case: Case, side: str) -> str:
    """A stored side as who acts in that version, or as the version itself where the same country acts in both."""
    pair = case.pair
    if side not in SIDES:
        return "none"
    own = pair.acting.A if side == "A" else pair.acting.B
    return own if own and pair.design.roles == "swapped" else f"version {side}"


def case_title(case: Case) -> str:
    """What a pair is about, for a heading; a copy has that of its original, with the countries' names."""
    pair = (case.original or case).pair
    if pair.design.roles != "swapped":
        return f"{pair.acting.A} against {pair.facing.A}"
    return f"{pair.acting.A} – {pair.acting.B}" if pair.acting.A else pair.design.topic


def version_title(case: Case, side: str) -> str:
    """A version with who acts in it, where that is known."""
    pair = case.pair
    acting, facing = (pair.acting.A, pair.facing.A) if side == "A" else (pair.acting.B, pair.facing.B)
    return f"Version {side}: {acting}{' acts' if facing else ''}" if acting else f"Version {side}"


def marks(case: Case, rubric: Rubric) -> str:
    """Everything a table cell may select a case by, as ``key=value`` words; values of records never hold a space."""
    design = case.pair.design
    found = {"judge": case.judge, "model": case.model, "block": design.block, "task": design.task}
    words = [f"{key}={value}" for key, value in (found | {"topic": design.topic, "category": design.category}).items()]
    words += [f"condition={design.condition}", *_copy_marks(case, rubric)]
    words += [f"response={case.responses[side].outcome if side in case.responses else 'missing'}" for side in SIDES]
    words += ["again=yes"] if any(response.fallback for response in case.responses.values()) else []
    judged = [case.judgments[order].outcome if order in case.judgments else "missing" for order in ORDERS]
    words += [f"judgment={outcome}" for outcome in judged]
    words += structure_marks(case)
    if case.complete:
        favoured = direction(case.net(rubric), rubric)
        words += ["complete=yes", f"direction={favoured}", f"directed={'no' if favoured == 'none' else 'yes'}"]
        verdicts = list(case.verdicts.values())
        for label in rubric.labels:
            clear = one_sided(verdicts, label.id, label.one_sided) is not None
            words.append(f"label:{label.id}={'clear' if clear else 'unclear'}")
    return " ".join(dict.fromkeys(words))


def _copy_marks(case: Case, rubric: Rubric) -> Iterator[str]:
    """What the tables on copies select by."""
    design, original = case.pair.design, case.original
    yield f"topic_category={design.topic_category}"
    yield f"copy={design.condition if original else 'original'}"
    if original is None:
        return
    if case.pair.level and design.roles == "swapped":
        yield from ("placed=yes", *(f"party={name}" for name in (case.pair.parties.A, case.pair.parties.B)))
    yield from ["whole=yes"] if case.whole else []
    if case.guess is not None:
        yield f"guessed={'no' if case.guess.result is None else 'yes'}"
    if case.compared:
        yield "compared=yes"
        yield f"level={case.pair.level or 'none'}"
        yield from ["contrasted=yes"] if design.block == "main" or design.topic_category == "fictional" else []
        yield f"directed_before={'no' if direction(original.net(rubric), rubric) == 'none' else 'yes'}"


def shown(text: str) -> "markupsafe.Markup":
    """Foreign text for a page: escaped, everything hidden made visible, and breakable.

    A browser takes seconds to lay out tens of thousands of characters without a place to break; an empty
    break mark every few hundred costs nothing and is not copied.
    """
    import markupsafe

    return markupsafe.Markup("<wbr>").join(_breakable(visible(text)))


def _breakable(text: str) -> Iterator[str]:
    """The text in pieces, cut within every word that is longer than any word."""
    done = 0
    for word in UNBROKEN.finditer(text):
        for cut in range(word.start() + LONGEST_WORD, word.end(), LONGEST_WORD):
            yield text[done:cut]
            done = cut
    yield text[done:]


def case_name(case: Case) -> str:
    """A short file name that is the same in every report of the same records."""
    return hashlib.sha256(f"{case.judge}\n{case.model}\n{case.pair_id}".encode()).hexdigest()[:16]


def page(path: Path, template: str, **values: Any) -> None:
    """Write a page: a template of this package with these values, with everything foreign escaped and visible."""
    pieces = _environment().get_template(template).stream(**values)
    pieces.enable_buffering(PIECES)
    with replacing(path, durable=False) as file:
        file.writelines(visible(piece).encode("utf-8") for piece in pieces)


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
        shown=shown,
        masking=text.masking,
        guessed=text.guessed,
        marks=marks,
        fragment=fragment,
        why=_why,
        case_name=case_name,
        case_title=case_title,
        version_title=version_title,
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
    cells = [cell for row in table.rows for cell in row.cells.values()]
    reasons = {cell.reason for cell in cells} | {
        f"{other.method.split(',')[0]}: {other.reason}" for cell in cells for other in cell.beside if other.reason
    }
    return sorted(reasons - {""})


def table_csv(table: Table) -> bytes:
    """A table in long form: one line per cell, full precision, empty where there is no value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*table.keys, *CSV_COLUMNS])
    writer.writerows(_csv_rows(table))
    return out.getvalue().encode("utf-8")


def _csv_rows(table: Table) -> Iterator[list[str]]:
    for row in table.rows:
        for column in table.columns:
            cell = row.cells[column.id]
            beside = next(iter(cell.beside), None)
            second = (beside.low, beside.high) if beside else (None, None)
            figures = [cell.value, cell.low, cell.high, cell.n, cell.clusters, *second, cell.detectable]
            cells = ["" if figure is None else repr(figure) for figure in figures]
            methods = [cell.method, beside.method if beside else "", cell.reason]
            yield [*(row.keys[key] for key in table.keys), column.id, *cells, *methods]


CSV_COLUMNS = (
    "column",
    "value",
    "low",
    "high",
    "n",
    "clusters",
    "percentile_low",
    "percentile_high",
    "detectable",
    "method",
    "percentile_method",
    "reason",
)
