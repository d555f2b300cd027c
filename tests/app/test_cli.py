"""The command as a person uses it: one line for every mistake, nothing heavy for `--help`, refusal without serve."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotate_app.cli import main
from annotate_app.settings import REQUIRED
from tests.app.conftest import ROOT, Place, annotator_id, full

APP = ROOT / "annotate_app"
HEAVY = ("streamlit", "sqlmodel", "sqlalchemy", "starlette", "pandas", "numpy")


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def here(project: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The project's folder as the current one."""
    monkeypatch.chdir(project.folder)
    return project


def test_from_run_to_table(here: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["create", "hand-made", "--project", "study", "--seed", "5", "--limit", "3"]) == 0
    assert "3 items, annotation seed 5" in capsys.readouterr().out
    assert main(["invite", "study", "ann", "bob", "--out", "links.csv", "--url", "https://annotate.example/"]) == 0
    with Path("links.csv").open() as file:
        links = {row["annotator"]: row["link"] for row in csv.DictReader(file)}
    assert links["ann"].startswith("https://annotate.example/invite#")
    assert links["ann"] not in capsys.readouterr().out
    store = Place(here.folder, here.run, here.made._replace(database=Path("projects/study/blind.db"))).store
    ann = annotator_id(store, "ann")
    store.assent(ann, dict.fromkeys(store.protocol.terms(), "yes"))
    store.submit(ann, store.places(ann)[0].presentation, 1, full())
    assert main(["status", "study", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["annotator"], one["submitted"], one["total"]) for one in found["annotators"]] == [
        ("ann", 1, 3),
        ("bob", 0, 3),
    ]
    assert main(["status", "study"]) == 0
    assert "1 / 3" in capsys.readouterr().out
    assert main(["export", "study", "--interim", "a look"]) == 0
    said = capsys.readouterr().out
    csv_path = "runs/hand-made/annotations/study.csv"
    assert f"polibias agreement {csv_path} --where dimension=framing --categories 0,1,2,3" in said
    assert Path(csv_path).is_file()


def test_the_command_that_export_names_works_on_what_it_wrote(here: Place, capsys: pytest.CaptureFixture[str]) -> None:
    from polibias.cli import main as polibias

    assert main(["invite", "first", "ann", "bob"]) == 0
    store = here.store
    for name in ("ann", "bob"):
        me = annotator_id(store, name)
        for number, place in enumerate(store.places(me)):
            store.submit(me, place.presentation, 1, full((number + len(name)) % 3))
    capsys.readouterr()
    assert main(["export", "first", "--interim", "a look"]) == 0
    said = capsys.readouterr().out.splitlines()
    named = [line.removeprefix("next: polibias ").split() for line in said if line.startswith("next: ")]
    assert len(named) == 5
    for command in named:
        assert polibias([*command, "--resamples", "100", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["kappa"]["n"], found["kappa"]["clusters"]) == (8, 4)


def test_invite_prints_one_line_per_annotator(here: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["invite", "first", "ann", "bob"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["ann", "bob"]
    assert all("/invite#" in line for line in lines)


MISTAKES = {
    "no such run": ["create", "nowhere", "--project", "x"],
    "an existing project": ["create", "hand-made", "--project", "first"],
    "a bad name": ["create", "hand-made", "--project", "../x"],
    "no such project to invite to": ["invite", "nowhere", "ann"],
    "no such project to serve": ["serve", "nowhere"],
    "no such project to look at": ["status", "nowhere"],
    "no such project to export": ["export", "nowhere"],
    "a name twice": ["invite", "first", "ann", "ann"],
    "a line break in a name": ["invite", "first", "a\nb"],
    "a bad address": ["invite", "first", "ann", "--url", "nonsense"],
    "a host that is not here": ["serve", "first", "--host", "192.0.2.1"],
    "no sealed folder": ["export", "first", "--sealed", "elsewhere"],
    "no runs folder": ["export", "first", "--runs", "elsewhere"],
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line(here: Place, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(MISTAKES[name]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("polibias-annotate: ")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["create"],
        ["create", "r", "--project", "x", "--seed", "-1"],
        ["serve", "p", "--port", "0"],
        ["invite"],
    ],
)
def test_misuse_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("polibias-annotate: ")
    assert said.count("\n") == 1


def test_help_loads_nothing_heavy() -> None:
    code = "import sys; from annotate_app.cli import parser; parser(); print([m for m in %r if m in sys.modules])"
    assert python("-c", code % (HEAVY,)).stdout == "[]\n"


def test_the_annotators_process_cannot_read_a_run_or_a_sealed_file() -> None:
    code = (
        "import sys; from annotate_app import invite_page, settings; "
        "from annotate_app.app_pages import door, finished, scoring; "
        "print(sorted(m for m in sys.modules if m.startswith(('polibias.records', 'polibias.sources', "
        "'polibias.domain.rows', 'annotate_app.sealed', 'annotate_app.export', 'annotate_app.create'))))"
    )
    assert python("-c", code).stdout == "[]\n"


def test_the_desks_process_cannot_read_what_was_answered() -> None:
    code = (
        "import sys; from annotate_app import desk_access, settings; "
        "from annotate_app.desk_pages import events, items, progress; "
        "print(sorted(m for m in sys.modules if m.startswith(('polibias.records', 'polibias.sources', "
        "'polibias.domain.rows', 'annotate_app.store', 'annotate_app.sealed', 'annotate_app.export'))))"
    )
    assert python("-c", code).stdout == "[]\n"


def test_every_required_setting_is_one_that_streamlit_knows() -> None:
    from streamlit.config import get_option

    for name in REQUIRED:
        get_option(name)


def test_no_module_draws_from_the_global_random_state() -> None:
    for path in APP.rglob("*.py"):
        assert "import random" not in path.read_text("utf-8"), path
