"""The report as an auditor meets it: complete, traceable, inert, the same bytes twice."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from polibias import flow
from polibias.domain.display import visible
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.ledger import read
from polibias.records.manifest import manifest_hash
from polibias.records.runs import Run
from polibias.report.document import write_report
from tests.conftest import ITEMS, ROOT, SCRIPTED, polibias
from tests.report.checked import check_report
from tests.report.parts import readings, strings

HOSTILE = SCRIPTED.replace('name = "fake"', 'name = "fake"\nscript = "hostile"')


@pytest.fixture
def hostile_run(write_study: Callable[..., Path], tmp_path: Path) -> Run:
    """A run whose model writes everything a model may write."""
    items = ITEMS.replace('tasks = ["T1"]', 'tasks = ["T1", "T2", "T3", "T4"]')
    study = plan(str(write_study(items=items, models=HOSTILE)), ROOT / "data")
    run = Run(tmp_path / "runs" / study.study.id)
    flow.run_study(study, run, QuietWatcher())
    return run


def pages(run: Run) -> dict[str, str]:
    return {
        path.relative_to(run.report).as_posix(): path.read_text("utf-8") for path in sorted(run.report.rglob("*.html"))
    }


def test_same_records_same_bytes(sealed_run: Run) -> None:
    before = {path: path.read_bytes() for path in sealed_run.report.rglob("*") if path.is_file()}
    write_report(sealed_run)
    after = {path: path.read_bytes() for path in sealed_run.report.rglob("*") if path.is_file()}
    assert after == before


def test_first_page_names_what_it_rests_on(sealed_run: Run) -> None:
    index = pages(sealed_run)["index.html"]
    for part in (
        manifest_hash(sealed_run.folder),
        "scripted, no model",
        "scripted-1",
        "10000 resamples",
        "evidence about nothing",
    ):
        assert part in index
    days = {entry.seen.at[:10] for entry in read(sealed_run.responses("fake"))}
    assert all(day in index for day in days)


def test_every_table_prints_n_or_says_why_not(sealed_run: Run) -> None:
    findings = json.loads((sealed_run.report / "findings.json").read_text("utf-8"))
    for table in findings["tables"]:
        for row in table["rows"]:
            for cell in row["cells"].values():
                assert isinstance(cell["n"], int)
                assert cell["value"] is not None or cell["reason"]
    assert "2 clusters: too short" in (sealed_run.report / "index.html").read_text("utf-8")


def test_numbers_are_those_of_the_rows(sealed_run: Run) -> None:
    """PBI by hand: the mean over pairs of the mean over both orders of the summed dimensions."""
    totals: dict[str, dict[str, list[int]]] = {"main": {}, "control": {}}
    for entry in read(sealed_run.judgments("fake-judge")):
        assert entry.row.verdict is not None
        totals[entry.row.design.block].setdefault(entry.row.pair, []).append(entry.row.verdict.total)
    means = {block: sum(sum(two) / 2 for two in pairs.values()) / len(pairs) for block, pairs in totals.items()}
    rows = csv.DictReader((sealed_run.report / "tables" / "pbi.csv").read_text("utf-8").splitlines())
    found = {row["column"]: float(row["value"]) for row in rows}
    assert found["main"] == pytest.approx(means["main"])
    assert found["control"] == pytest.approx(means["control"])
    assert found["difference"] == pytest.approx(means["main"] - means["control"])


def test_links_lead_somewhere(sealed_run: Run) -> None:
    """Every link and every page it names exists inside the folder; nothing points outside."""
    for name, page in pages(sealed_run).items():
        for link in re.findall(r'(?:href|src)="([^"]*)"', page):
            path = link.split("#")[0]
            assert not re.match(r"[a-z]+:|//", link), link
            assert not path or ((sealed_run.report / name).parent / path).resolve().is_file(), (name, link)


def test_a_hostile_run_holds_what_every_report_must(hostile_run: Run) -> None:
    check_report(hostile_run)


def test_hostile_text_is_inert_and_whole(hostile_run: Run) -> None:
    """Model text is handed over as text, character by character: nothing is lost, nothing is a key."""
    texts = {entry.row.text for entry in read(hostile_run.responses("fake"))}
    assert len(texts) == 5
    found = readings(hostile_run.report)
    shown = {row["text"] for one in found.values() for row in one["answered"]["responses"]}
    assert shown == {visible(text) for text in texts}
    everything = "".join(strings([*found.values()]))
    assert not re.search("[\x00-\x08\x0b-\x1f\u2028\ud800-\udfff]", everything)
    for page in pages(hostile_run).values():
        assert "<img" not in page


def test_policy_forbids_everything_but_the_pages_own(sealed_run: Run) -> None:
    found = pages(sealed_run)
    assert sorted(found) == ["index.html", "pairs.html"]
    for page in found.values():
        assert "default-src &#39;none&#39;; style-src &#39;sha256-" in page
        assert "unsafe" not in page
        assert " style=" not in page
        assert not re.search(r"\son[a-z]+=", page)
    assert not re.search("<script|script-src", found["index.html"])
    assert re.search(r"; script-src &#39;sha256-[^;]*&#39; &#39;strict-dynamic&#39;; base-uri", found["pairs.html"])
    assert found["pairs.html"].count("<script") == 1
    assert "innerHTML" not in found["pairs.html"]


def test_report_needs_a_sealed_run(write_study: Callable[..., Path], tmp_path: Path) -> None:
    study = plan(str(write_study()), ROOT / "data")
    run = Run(tmp_path / "runs" / "small")
    flow.run_study(study, run, QuietWatcher(), flow.Wanted("judge"))
    done = polibias("report", run.folder, cwd=tmp_path)
    assert done.returncode == 2
    assert (
        done.stderr == f"polibias: {run.folder}: not sealed yet; finish it with polibias run before reporting on it\n"
    )
