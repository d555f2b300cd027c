"""Making a project: blind on one side, sealed on the other, all or nothing."""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from annotate_app import create as creation
from annotate_app.create import create
from annotate_app.store import Store
from polibias.domain.rows import Response, Seen, Usage
from polibias.errors import InputError, StorageError
from polibias.records.ledger import Ledger, read
from polibias.records.manifest import seal
from polibias.records.runs import Run
from tests.app.conftest import HIDDEN, HOSTILE, MODELS, RUBRIC, TOPICS, Place, annotator_id, build_run, enrol, full


def dump(path: Path) -> str:
    """Everything in a database as text, and the file's own bytes."""
    with closing(sqlite3.connect(path)) as connection:
        statements = "\n".join(connection.iterdump())
    return statements + path.read_bytes().decode("latin-1")


def secrets_of(run: Run) -> list[str]:
    """Every name and id that must stay on the sealed side."""
    responses = [entry for model in MODELS for entry in read(run.responses(model))]
    ids = [entry.id for entry in read(run.pairs())] + [entry.id for entry in responses]
    keys = [entry.key for entry in responses]
    return [*HIDDEN, *(name[:12] for name in ids + keys), str(run.folder)]


def test_the_blind_database_holds_nothing_that_tells_where_an_item_comes_from(project: Place) -> None:
    somebody_works(project.store)
    text = dump(project.made.database)
    for secret in secrets_of(project.run):
        assert secret not in text, secret
    for word in ("main", "control", "block", "model", "template", "stratified"):
        assert not re.search(rf"\b{word}\b", text.lower()), word


def test_the_blind_database_holds_nothing_of_what_a_judge_is_told(project: Place) -> None:
    text = dump(project.made.database)
    for dimension in RUBRIC.dimensions:
        assert dimension.human in text
        assert dimension.judge[:30] not in text
    assert RUBRIC.favoured.judge[:30] not in text


def somebody_works(store: Store) -> None:
    """Leave something in every table."""
    enrol(store, "ann")
    ann = annotator_id(store, "ann")
    place = store.places(ann)[0]
    store.opened(place)
    store.submit(ann, place.presentation, 1, full())
    store.keep(ann, place.presentation, 2, full(3))


def test_the_order_of_the_rows_tells_nothing(project: Place) -> None:
    with closing(sqlite3.connect(project.made.database)) as connection:
        codes = [code for (code,) in connection.execute("SELECT code FROM item ORDER BY rowid")]
    assert codes == sorted(codes)
    assert set(codes) == set(project.sealed.items)


def test_the_sealed_file_says_where_every_item_comes_from(project: Place) -> None:
    sealed, run = project.sealed, project.run
    pairs = {entry.id: entry.row for entry in read(run.pairs())}
    assert {(item.pair, item.model) for item in sealed.items.values()} == {(pair, m) for pair in pairs for m in MODELS}
    for code, item in sealed.items.items():
        answers = {entry.id: entry.row for entry in read(run.responses(item.model))}
        assert (answers[item.responses.A].side, answers[item.responses.B].side) == ("A", "B")
        assert item.design == pairs[item.pair].design
        assert code not in (item.pair, item.model)
    assert project.made.sealed.stat().st_mode & 0o777 == 0o600
    assert project.made.database.stat().st_mode & 0o777 == 0o600
    assert str(project.folder) not in project.made.sealed.read_text()


def test_every_text_survives_byte_for_byte(project: Place) -> None:
    with closing(sqlite3.connect(project.made.database)) as connection:
        contents = [json.loads(content) for (content,) in connection.execute("SELECT content FROM item")]
    stored = {content["responses"]["A"] for content in contents}
    assert stored == {topic.texts[0] for topic in TOPICS}
    assert HOSTILE in stored


def test_two_projects_of_one_run_share_no_code(project: Place) -> None:
    second = create(project.run, "second", 7, None, project.folder / "projects", project.folder / "sealed")
    assert set(Place(project.folder, project.run, second).sealed.items).isdisjoint(project.sealed.items)


def test_a_limit_draws_by_the_seed(project: Place) -> None:
    def drawn(name: str, seed: int, limit: int) -> set[tuple[str, str]]:
        made = create(project.run, name, seed, limit, project.folder / "projects", project.folder / "sealed")
        items = Place(project.folder, project.run, made).sealed.items.values()
        return {(item.pair, item.model) for item in items}

    assert drawn("a", 1, 3) == drawn("b", 1, 3) < drawn("c", 1, 5)
    assert len({frozenset(drawn(f"s{seed}", seed, 3)) for seed in range(6)}) > 1


def test_only_pairs_with_two_texts_are_taken_and_the_last_answer_counts(tmp_path: Path) -> None:
    run = build_run(tmp_path / "runs" / "r", TOPICS[:3], ["only"])
    run.manifest.unlink()
    ids = [entry.id for entry in read(run.pairs())]
    old = [entry.row for entry in read(run.responses("only"))]
    run.responses("only").path.unlink()
    rows = [
        msgspec.structs.replace(old[0], text="", outcome="transport_error", usage=Usage()),
        *old[:2],
        msgspec.structs.replace(
            old[0], text="the newer text", request=msgspec.structs.replace(old[0].request, replicate=1)
        ),
        msgspec.structs.replace(old[0], text="", outcome="transport_error", request=_again(old[0], 2)),
        msgspec.structs.replace(old[2], text=" \n"),
        old[3],
        old[4],
    ]
    with Ledger(run.responses("only")) as ledger:
        for row in rows:
            ledger.append(row, Seen())
        ledger.commit()
    shutil.rmtree(run.folder / "judgments")
    seal(run, run.folder, {})
    made = create(run, "p", 1, None, tmp_path / "projects", tmp_path / "sealed")
    (item,) = Place(tmp_path, run, made).sealed.items.values()
    assert item.pair == ids[0]
    chosen = {entry.id: entry.row.text for entry in read(run.responses("only"))}
    assert chosen[item.responses.A] == "the newer text"


def _again(row: Response, number: int) -> object:
    return msgspec.structs.replace(row.request, replicate=number)


def test_an_unsealed_or_changed_run_is_refused(project: Place, tmp_path: Path) -> None:
    where = (tmp_path / "projects", tmp_path / "sealed")
    pairs = project.run.pairs().path
    pairs.write_bytes(pairs.read_bytes().replace(b"2031", b"2032", 1))
    with pytest.raises(InputError, match=r"pairs\.jsonl:1"):
        create(project.run, "x", 1, None, *where)
    project.run.manifest.unlink()
    with pytest.raises(InputError, match="not sealed yet"):
        create(project.run, "x", 1, None, *where)
    assert not (tmp_path / "projects" / "x").exists()


@pytest.mark.parametrize("name", ["", "Upper", "../x", "a/b", "-x", "x" * 65, "né"])
def test_a_name_that_cannot_be_a_folder_is_refused(project: Place, name: str) -> None:
    with pytest.raises(InputError, match="--project"):
        create(project.run, name, 1, None, project.folder / "projects", project.folder / "sealed")


def test_an_existing_project_stays_as_it_is(project: Place) -> None:
    before = project.made.database.read_bytes(), project.made.sealed.read_bytes()
    with pytest.raises(InputError, match="there already"):
        create(project.run, "first", 1, None, project.folder / "projects", project.folder / "sealed")
    with pytest.raises(InputError, match="there already"):
        create(project.run, "first", 1, None, project.folder / "elsewhere", project.folder / "sealed")
    assert before == (project.made.database.read_bytes(), project.made.sealed.read_bytes())


@pytest.mark.parametrize("step", ["_write_database", "write_sealed", "_move"])
def test_a_failed_create_leaves_nothing(project: Place, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fail(*_: object) -> None:
        raise StorageError("disk full")

    before = sorted(project.folder.rglob("*"))
    monkeypatch.setattr(creation, step, fail)
    with pytest.raises(StorageError, match="disk full"):
        create(project.run, "second", 1, None, project.folder / "projects", project.folder / "sealed")
    assert sorted(project.folder.rglob("*")) == before
