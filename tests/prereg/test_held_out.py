"""Held-out labels: calibrating, frozen, opened once, scored; and nothing of them can be read before."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import col, select

from annotate_app.cli import main as annotate
from annotate_app.schema import Event
from polibias.cli import main
from polibias.domain.sample import SampledPair
from polibias.records.ledger import read
from polibias.records.samples import read_sample, read_split, sample_path, split_path
from tests.conftest import ROOT, study_text
from tests.prereg.validation import (
    ITEMS,
    JUDGES,
    MARK,
    MODELS,
    Places,
    create,
    export,
    exported,
    finish,
    label,
    lock,
    write_plan,
)


def outside_the_project(places: Places) -> Iterator[tuple[Path, bytes]]:
    """Every file that left the project, the sealed file and the key apart."""
    for path in places.folder.rglob("*"):
        parts = path.relative_to(places.folder).parts
        if path.is_file() and parts[0] not in ("projects", "sealed", "holder.key"):
            yield path, path.read_bytes()


def held_out_pairs(places: Places) -> list[SampledPair]:
    """The sampled pairs that are held out, each as one model answered it."""
    held = {*read_split(split_path(places.plan()))[0].held_out}
    return [one for one in read_sample(sample_path(places.plan()))[0].pairs if one.pair in held]


def open_it(places: Places, *more: str) -> int:
    return places.prereg_command("open", "--key", str(places.key), *more)


def test_nothing_that_left_the_project_has_a_held_out_label(boxed: Places) -> None:
    held = {*read_split(split_path(boxed.plan()))[0].held_out}
    rows = [entry.row for entry in read(boxed.run.annotations("mine"))]
    assert rows
    assert not held & {row.pair for row in rows}
    for path, data in outside_the_project(boxed):
        assert MARK.encode() not in data, path


def test_they_are_opened_once_the_prompt_is_frozen_and_scored_once(
    boxed: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    assert boxed.prereg_command("run") == 2
    assert "not opened" in capsys.readouterr().err
    assert open_it(boxed) == 2
    assert "not frozen" in capsys.readouterr().err
    assert boxed.prereg_command("round", "--rule", "kappa rises by 0.05") == 0
    assert boxed.prereg_command("freeze") == 2
    assert boxed.prereg_command("result", "--result", "it rose by 0.07", "--accepted") == 0
    assert boxed.prereg_command("freeze") == 0
    assert open_it(boxed) == 0
    labels = 2 * len(held_out_pairs(boxed))
    assert boxed.prereg_command("run") == 0
    assert boxed.findings()["facts"]["Labels"] == f"{labels} done, {labels} planned"
    assert boxed.prereg_command("status") == 0
    assert "scored" in capsys.readouterr().out
    assert open_it(boxed) == 2
    assert "--reason" in capsys.readouterr().err
    assert open_it(boxed, "--reason", "a column was mixed up") == 0
    assert boxed.prereg_command("run") == 0
    assert any("tainted" in one["what"] for one in boxed.findings()["deviations"])
    assert boxed.prereg_command("status") == 1


def test_after_the_opening_the_app_exports_everything(boxed: Places) -> None:
    assert boxed.prereg_command("freeze") == 0
    assert open_it(boxed) == 0
    before = (boxed.run.annotations_folder / "mine.jsonl").read_bytes()
    assert export(boxed) == 0
    assert (boxed.run.annotations_folder / "mine.jsonl").read_bytes() == before
    assert MARK in (boxed.run.annotations_folder / "mine.csv").read_text("utf-8")


def test_a_lost_key_opens_nothing_and_loses_nothing(boxed: Places, capsys: pytest.CaptureFixture[str]) -> None:
    assert boxed.prereg_command("freeze") == 0
    other = boxed.folder / "other.key"
    assert main(["prereg", "key", str(other)]) == 0
    before = dict(outside_the_project(boxed))
    capsys.readouterr()
    assert boxed.prereg_command("open", "--key", str(other)) == 2
    assert boxed.prereg_command("open", "--key", str(boxed.folder / "none.key")) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    assert dict(outside_the_project(boxed)) == before


def test_the_database_can_be_put_away_and_brought_back(boxed: Places) -> None:
    database = boxed.folder / "projects" / "mine" / "blind.db"
    before = boxed.store().project.name, [link.hash for link in _events(boxed)]
    away = ["put-away", "mine", *boxed.app_options, *exported(boxed)]
    assert annotate(away) == 0
    assert not [path for path in database.parent.rglob("*") if MARK.encode() in path.read_bytes()]
    assert export(boxed) == 2
    assert annotate(["take-out", "mine", *boxed.app_options[:2], "--key", str(boxed.key)]) == 0
    assert (boxed.store().project.name, [link.hash for link in _events(boxed)]) == before
    assert export(boxed) == 0


def test_a_database_whose_labels_are_nowhere_else_is_not_put_away(places: Places) -> None:
    write_plan(places, split=True)
    lock(places, split=True)
    create(places)
    assert annotate(["put-away", "mine", *places.app_options, *exported(places)]) == 2
    assert places.store().project.name == "mine"


def _events(places: Places) -> list[Event]:
    with places.store().reading() as session:
        found = session.exec(select(Event).order_by(col(Event.number))).all()
        for one in found:
            session.expunge(one)
        return [*found]


def test_a_prompt_that_was_frozen_must_be_the_one_that_judged(
    boxed: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    study = boxed.folder / "brief.toml"
    study.write_text(study_text("brief", ITEMS, MODELS + JUDGES).replace('"pair"', '"pair-brief"'), "utf-8")
    assert boxed.prereg_command("freeze", "--study", str(study)) == 0
    assert open_it(boxed) == 0
    capsys.readouterr()
    assert boxed.prereg_command("run") == 2
    assert "another task than the frozen one" in capsys.readouterr().err


def test_labels_are_compared_with_the_run_of_the_frozen_prompt(
    places: Places,
) -> None:
    study = places.folder / "brief.toml"
    study.write_text(study_text("brief", ITEMS, MODELS + JUDGES).replace('"pair"', '"pair-brief"'), "utf-8")
    path = write_plan(places, split=True)
    path.write_text(path.read_text("utf-8").replace('run = "small"', 'run = "small"\noutcomes = ["brief"]'), "utf-8")
    lock(places, split=True)
    store = create(places)
    for name in ("ann", "bob"):
        label(store, name)
    finish(places)
    assert places.prereg_command("freeze", "--study", str(study)) == 0
    assert open_it(places) == 0
    runs = ["--runs", str(places.run.folder.parent)]
    assert main(["run", str(study), "--data", str(ROOT / "data"), "--quiet", "--plan", str(path), *runs]) == 0
    assert places.prereg_command("run") == 0
    assert places.findings()["results"][0]["table"]["rows"]
