"""The report of a plan: a folder that opens from disk, with its findings, tables and the plan as it was locked.

Planned results come first and in the plan's order, then deviations, then what is exploratory, which says so on every
table and chart. What depends on the machine, other libraries' values among it, lies in a file of its own.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from polibias.analysis.confirmatory import Made
from polibias.analysis.confirmed import FINDINGS_TAG, Checked, Confirmed, PlannedResult, as_json
from polibias.analysis.crosscheck import Check
from polibias.domain.ids import tagged_hash
from polibias.records.documents import storing, write_document, write_file, write_named
from polibias.records.software import code_hash, software
from polibias.report.charts import planned_chart
from polibias.report.document import replace_folder
from polibias.report.formats import table_csv
from polibias.report.latex import table_tex
from polibias.report.pages import page

EXPLORATORY = "Exploratory."
NOT_CHECKED = "no library here computes it"


def results_hash(confirmed: Confirmed) -> str:
    """The hash that names the results alone, whatever was declared about them."""
    return tagged_hash("planned-results/1", confirmed.results)


def findings_hash(confirmed: Confirmed) -> str:
    """The hash that the findings will be named by, before they are written."""
    return tagged_hash(FINDINGS_TAG, as_json(confirmed))


def write_planned(made: Made, document: str, folder: Path) -> str:
    """Write the report of a plan into `folder`, in the place of an earlier one, and return the hash of its findings.

    `document` is the plan as Markdown.
    """
    with storing(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=".planned-", dir=folder.parent))
    try:
        building.chmod(0o755)
        name = _write(made, document, building)
        replace_folder(building, folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return name


def _write(made: Made, document: str, folder: Path) -> str:
    confirmed = made.confirmed
    name = write_named(folder / "findings.json", FINDINGS_TAG, as_json(confirmed))
    write_document(folder / "environment.json", environment(made.checked))
    write_file(folder / "plan.md", document.encode("utf-8"), durable=False)
    for result in confirmed.results:
        note = EXPLORATORY if result.role == "exploratory" else ""
        write_file(folder / "tables" / f"{result.id}.csv", table_csv(result.table), durable=False)
        write_file(folder / "tables" / f"{result.id}.tex", table_tex(result.table, note=note).encode(), durable=False)
    page(
        folder / "index.html",
        "planned.html",
        confirmed=confirmed,
        name=name,
        groups=[*_groups(made.checked)],
        charts={result.id: planned_chart(result) for result in confirmed.results},
        plan_hash=hashlib.sha256(document.encode("utf-8")).hexdigest(),
    )
    return name


def _groups(checked: Sequence[Checked]) -> Iterator[tuple[str, list[tuple[PlannedResult, list[str]]]]]:
    """The results by role, each with a sentence per row on what other libraries make of it."""
    for role in dict.fromkeys(one.result.role for one in checked):
        own = [one for one in checked if one.result.role == role]
        yield role, [(one.result, [checked_in_words(checks) for _, checks in one.checks]) for one in own]


def checked_in_words(checks: Sequence[Check]) -> str:
    """What other libraries make of a row of numbers."""
    if not checks:
        return NOT_CHECKED
    libraries = ", ".join(sorted({check.library for check in checks}))
    wrong = [check.name for check in checks if not check.agrees]
    if wrong:
        return f"{libraries} disagree on {', '.join(wrong)}"
    largest = max((abs(check.difference) for check in checks if check.difference is not None), default=0.0)
    return f"{libraries} agree within {largest:.0e}" if largest else f"{libraries} agree"


def environment(checked: Sequence[Checked]) -> dict[str, Any]:
    """What the numbers were made with, and what other libraries make of them."""
    checks = [
        {
            "result": one.result.id,
            "row": keys,
            "name": check.name,
            "library": check.library,
            "ours": check.ours,
            "theirs": check.theirs,
            "agrees": check.agrees,
        }
        for one in checked
        for keys, row in one.checks
        for check in row
    ]
    return {"software": software(), "code": code_hash(), "crosscheck": checks}
