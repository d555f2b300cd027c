"""Making a project: blind on one side, sealed on the other, all or nothing."""

import json
import multiprocessing
import os
import re
import shutil
import signal
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from annotate_app import create as creation
from annotate_app import origins
from annotate_app.create import Created, Wanted, create
from annotate_app.origins import read_run
from annotate_app.protocol import AnnotationProtocol
from annotate_app.sealed import PAIR_KEY, read_sealed
from annotate_app.store import Store, open_store
from polibias.domain.rows import Response, Seen, Usage
from polibias.errors import DamagedRecord, InputError, StorageError
from polibias.records.ledger import Ledger, read
from polibias.records.manifest import seal
from polibias.records.runs import Run
from tests.app.conftest import (
    ADDRESS,
    HIDDEN,
    HOSTILE,
    MODELS,
    RUBRIC,
    TOPICS,
    WITHOUT_TERMS,
    Place,
    annotator_id,
    build_run,
    enrol,
    full,
    make_on,
)
from tests.app.projects import make, rules
from tests.conftest import disk_of


def made_of(
    run: Run,
    name: str,
    folder: Path,
    seed: int = 1,
    limit: int | None = None,
    protocol: AnnotationProtocol = WITHOUT_TERMS,
) -> Created:
    wanted = Wanted(name, protocol, ADDRESS, seed, limit)
    return create(read_run(run), wanted, folder / "projects", folder / "sealed")


def dump(path: Path) -> str:
    """Everything in a database as text, and the bytes of every file that belongs to it."""
    with closing(sqlite3.connect(path)) as connection:
        statements = "\n".join(connection.iterdump())
    files = sorted(each for each in path.parent.iterdir() if each.is_file())
    return statements + "".join(each.read_bytes().decode("latin-1") for each in files)


def secrets_of(run: Run) -> list[str]:
    """Every name and id that must stay on the sealed side."""
    responses = [entry for model in MODELS for entry in read(run.responses(model))]
    ids = [entry.id for entry in read(run.pairs())] + [entry.id for entry in responses]
    keys = [entry.key for entry in responses]
    return [*HIDDEN, *(name[:12] for name in ids + keys), str(run.folder)]


def test_the_blind_database_holds_nothing_that_tells_where_an_item_comes_from(project: Place) -> None:
    store = project.store
    somebody_works(store)
    assert project.made.database.with_name("blind.db-wal").stat().st_size > 0
    text = dump(project.made.database)
    for secret in secrets_of(project.run):
        assert secret not in text, secret
    rubric = str(store.project.scheme).lower()
    for word in ("main", "control", "block", "template", "stratified"):
        assert not re.search(rf"\b{word}\b", text.lower().replace(rubric, "")), word


def test_the_blind_database_holds_nothing_of_what_a_judge_is_told(project: Place) -> None:
    text = dump(project.made.database)
    for dimension in RUBRIC.dimensions:
        assert dimension.human in text
        assert dimension.judge[:30] not in text
    assert RUBRIC.favoured.judge[:30] not in text


def somebody_works(store: Store) -> None:
    """Leave something in most tables, some of it in the write-ahead log alone."""
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
    second = make_on(project.run, project.folder, name="second")
    assert set(read_sealed(second.sealed).items).isdisjoint(project.sealed.items)
    assert pairs_of(second.database) == pairs_of(project.made.database), "but one code for each pair, to compare people"
    shutil.rmtree(project.made.sealed.parent)
    third = make_on(project.run, project.folder, name="third")
    assert pairs_of(third.database).isdisjoint(pairs_of(second.database)), "another key, another code"


def pairs_of(database: Path) -> set[str]:
    with closing(sqlite3.connect(database)) as connection:
        return {pair for (pair,) in connection.execute("SELECT pair FROM item")}


def test_a_limit_draws_by_the_seed(project: Place) -> None:
    def drawn(name: str, seed: int, limit: int) -> set[tuple[str, str]]:
        items = read_sealed(made_of(project.run, name, project.folder, seed, limit).sealed).items.values()
        return {(item.pair, item.model) for item in items}

    assert drawn("a", 1, 3) == drawn("b", 1, 3) < drawn("c", 1, 5)
    assert len({frozenset(drawn(f"s{seed}", seed, 3)) for seed in range(4)}) > 1


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
    (item,) = read_sealed(made_of(run, "p", tmp_path).sealed).items.values()
    assert item.pair == ids[0]
    chosen = {entry.id: entry.row.text for entry in read(run.responses("only"))}
    assert chosen[item.responses.A] == "the newer text"


def _again(row: Response, number: int) -> object:
    return msgspec.structs.replace(row.request, replicate=number)


def test_an_unsealed_or_changed_run_is_refused(project: Place, tmp_path: Path) -> None:
    pairs = project.run.pairs().path
    pairs.write_bytes(pairs.read_bytes().replace(b"2031", b"2032", 1))
    with pytest.raises(InputError, match=r"pairs\.jsonl:1"):
        made_of(project.run, "x", tmp_path)
    project.run.manifest.unlink()
    with pytest.raises(InputError, match="not sealed yet"):
        made_of(project.run, "x", tmp_path)
    assert not (tmp_path / "projects" / "x").exists()


@pytest.mark.parametrize("name", ["", "Upper", "../x", "a/b", "-x", "x" * 65, "né"])
def test_a_name_that_cannot_be_a_folder_is_refused(project: Place, name: str) -> None:
    with pytest.raises(InputError, match="--project"):
        made_of(project.run, name, project.folder)


def test_an_existing_project_stays_as_it_is(project: Place) -> None:
    before = project.made.database.read_bytes(), project.made.sealed.read_bytes()
    with pytest.raises(InputError, match="there already"):
        make_on(project.run, project.folder)
    shutil.move(project.made.database.parent, project.folder / "elsewhere")
    with pytest.raises(InputError, match="there already, without"):
        make_on(project.run, project.folder)
    assert before == ((project.folder / "elsewhere" / "blind.db").read_bytes(), project.made.sealed.read_bytes())


def test_the_sealed_half_never_lies_with_the_blind_one(project: Place) -> None:
    for sealed in (project.folder / "projects", project.folder / "projects" / "second" / "sealed"):
        wanted = Wanted("second", WITHOUT_TERMS, ADDRESS)
        with pytest.raises(InputError, match="--sealed"):
            create(read_run(project.run), wanted, project.folder / "projects", sealed)
        assert not (project.folder / "projects" / "second").exists()


def test_both_halves_are_their_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = make(tmp_path)
    finally:
        os.umask(before)
    modes = {path: path.stat().st_mode & 0o777 for path in sorted(tmp_path.rglob("*"))}
    assert modes.pop(tmp_path / "projects") == 0o777, "as the user's own settings say"
    assert modes == {
        made.database.parent: 0o700,
        made.database: 0o600,
        tmp_path / "sealed": 0o700,
        made.sealed: 0o600,
        tmp_path / "sealed" / PAIR_KEY: 0o600,
    }


STEPS = ["pair_key", "upgrade", "_write_database", "write_sealed", "_move"]


@pytest.mark.parametrize("step", STEPS)
def test_a_failed_create_leaves_nothing(project: Place, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fail(*_: object) -> None:
        raise StorageError("disk full")

    before = sorted(project.folder.rglob("*"))
    monkeypatch.setattr(creation, step, fail)
    with pytest.raises(StorageError, match="disk full"):
        make_on(project.run, project.folder, name="second")
    assert sorted(project.folder.rglob("*")) == before


def test_a_protocol_that_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    wrong = [
        rules(repeats=1),
        rules(repeats=3, repeat_gap=2, items_each=3),
        rules(checks=4),
        rules(items_each=1, checks=1),
    ]
    for protocol in wrong:
        with pytest.raises(InputError, match=r"do not fit into \d items: at most \d do; change"):
            make(tmp_path, protocol)
    assert list(tmp_path.iterdir()) == []
    make(tmp_path, rules(repeats=3, repeat_gap=2, checks=3))


def killed_at(step: str, folder: Path) -> None:
    """Make a project and die at a step, as nothing can be tidied up after."""
    setattr(creation, step, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    make(folder)


@pytest.mark.parametrize("step", STEPS)
def test_a_killed_create_leaves_no_project_and_the_next_one_sweeps_up(tmp_path: Path, step: str) -> None:
    victim = multiprocessing.get_context("spawn").Process(target=killed_at, args=(step, tmp_path))
    victim.start()
    victim.join()
    assert victim.exitcode == -signal.SIGKILL
    assert not (tmp_path / "projects" / "study").exists()
    if step == "_move":
        with pytest.raises(InputError, match=r"remove the file if it was left by a `create` that was interrupted"):
            make(tmp_path)
        (tmp_path / "sealed" / "study.json").unlink()
    made = make(tmp_path)
    assert sorted(path.name for path in (tmp_path / "projects").iterdir()) == ["study"]
    assert set(read_sealed(made.sealed).items) == set(codes_of(made.database))


def codes_of(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        return [code for (code,) in connection.execute("SELECT code FROM item WHERE lesson = ''")]


@pytest.mark.parametrize("kib", [16, 64, 128, 200])
def test_a_full_disk_is_said_in_one_line_and_leaves_nothing(tmp_path: Path, kib: int) -> None:
    with disk_of(kib, tmp_path) as disk:
        with pytest.raises(StorageError) as refused:
            make(disk, items=100)
        assert str(refused.value).isprintable()
        assert str(disk) in str(refused.value)
        assert list((disk / "projects").iterdir()) == []
        assert [path.name for path in (disk / "sealed").iterdir()] in ([], [PAIR_KEY])


def test_the_sealed_files_disk_is_full(tmp_path: Path) -> None:
    with disk_of(8, tmp_path) as disk:
        (tmp_path / "sealed").symlink_to(disk)
        with pytest.raises(StorageError, match="no space left"):
            make(tmp_path, items=100)
        assert list((tmp_path / "projects").iterdir()) == []
        assert [path.name for path in disk.iterdir()] in ([], [PAIR_KEY])


def test_two_at_once_make_one_project_and_one_key(tmp_path: Path) -> None:
    gate = threading.Barrier(4)

    def attempt(name: str) -> str:
        gate.wait()
        try:
            return make(tmp_path, name=name).database.parent.name
        except InputError as error:
            return str(error).partition(": ")[2][:13]

    with ThreadPoolExecutor(4) as pool:
        found = sorted(pool.map(attempt, ["one", "one", "one", "two"]))
    assert found == ["one", "there already", "there already", "two"]
    assert sorted(path.name for path in (tmp_path / "projects").iterdir()) == ["one", "two"]
    assert pairs_of(tmp_path / "projects/one/blind.db") == pairs_of(tmp_path / "projects/two/blind.db")
    for name in ("one", "two"):
        assert set(read_sealed(tmp_path / f"sealed/{name}.json").items) == set(
            codes_of(tmp_path / f"projects/{name}/blind.db")
        )


def test_a_key_that_is_none_is_said(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "sealed" / PAIR_KEY).write_text("not a key")
    with pytest.raises(DamagedRecord, match="not a key for pairs"):
        make(tmp_path, name="second")
    assert [path.name for path in (tmp_path / "projects").iterdir()] == ["study"]


def test_responses_that_name_their_own_model_are_counted(project: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is named is another module's question; here it is whatever says 'erred'."""

    class Hit(str):
        name = "the-model"

    def found(text: str, _: object) -> list[Hit]:
        return [Hit()] * text.count("erred")

    monkeypatch.setattr(origins, "names_in", found)
    made = make_on(project.run, project.folder, name="second")
    assert made.named == len(MODELS), "one pair as answered by each model"
    items = read_sealed(made.sealed).items.values()
    assert sorted(item.names_itself for item in items)[-1] == ("the-model",)  # type: ignore[union-attr]
    assert "the-model" not in dump(made.database)


def test_the_app_opens_a_project_without_its_sealed_half(project: Place) -> None:
    shutil.rmtree(project.made.sealed.parent)
    store = open_store(project.made.database)
    enrol(store, "ann")
    place = store.places(annotator_id(store, "ann"))[0]
    assert store.submit(annotator_id(store, "ann"), place.presentation, 1, full()).outcome == "saved"
