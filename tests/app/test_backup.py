"""Copies: taken while people work, whole or not there, put back as they were; and layouts brought up to date."""

import contextlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from annotate_app import copies, migrations, schema
from annotate_app.access import person, redeem
from annotate_app.cli import main
from annotate_app.copies import Copy, back_up, inspect, restore
from annotate_app.database import FILE
from annotate_app.layout import upgrade
from annotate_app.progress import status
from annotate_app.store import Store, open_store
from polibias.errors import DamagedRecord, InputError
from tests.app.conftest import MODELS, ROOT, SHORT, Place, annotator_id, enrol, full, make_project


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A project in the current folder, with one answer of ann's."""
    made = make_project(tmp_path, SHORT, MODELS[:1])
    monkeypatch.chdir(tmp_path)
    enrol(made.store, "ann")
    answer(made.store, 1)
    return made


def answer(store: Store, number: int) -> None:
    ann = annotator_id(store, "ann")
    store.submit(ann, store.places(ann)[number - 1].presentation, 1, full())


def rows(path: Path) -> list[str]:
    """Everything a database holds, as SQL."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_a_copy_holds_everything_in_one_private_file(place: Place) -> None:
    copy = back_up(place.made.database)
    found = status(place.store)
    assert (copy.contents.project, copy.contents.events, copy.contents.head) == ("first", found.events, found.head)
    assert re.fullmatch(rf"first-\d{{8}}T\d{{9}}Z-{found.head[:16]}\.db", copy.file.name)
    assert copy.file.parent == Path("backups")
    assert copy.file.stat().st_mode & 0o777 == 0o600
    assert copy.file.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in copy.file.parent.iterdir()] == [copy.file.name]
    assert rows(copy.file) == rows(place.made.database)


def test_a_copy_goes_where_it_is_told_and_over_nothing(place: Place) -> None:
    named = back_up(place.made.database, Path("mine.db"))
    assert named.file == Path("mine.db")
    before = named.file.read_bytes()
    with pytest.raises(InputError, match="there already"):
        back_up(place.made.database, Path("mine.db"))
    assert named.file.read_bytes() == before
    Path("shelf").mkdir()
    assert back_up(place.made.database, Path("shelf")).file.parent == Path("shelf")
    assert len(list(Path("shelf").iterdir())) == 1


def test_a_name_taken_while_the_copy_was_made_is_left_alone(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    real = copies.inspect

    def inspect_slowly(*arguments: object) -> object:
        Path("mine.db").write_text("somebody else's")
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(copies, "inspect", inspect_slowly)
    with pytest.raises(InputError, match="there already"):
        back_up(place.made.database, Path("mine.db"))
    assert Path("mine.db").read_text() == "somebody else's"
    assert not list(Path().glob(".mine*"))


def test_a_copy_made_while_somebody_writes_is_one_moment(place: Place) -> None:
    """Another thread answers all the while; each copy is a chain that is whole, and has what was there before it."""
    store, done = place.store, threading.Event()

    def write() -> None:
        ann, number = annotator_id(store, "ann"), 0
        while not done.is_set():
            number += 1
            store.noticed(store.places(ann)[1], "viewed", {"number": number})

    writer = threading.Thread(target=write)
    writer.start()
    try:
        seen = []
        for number in range(5):
            least = status(store).events
            copy = back_up(place.made.database, Path(f"{number}.db"))
            assert copy.contents.events >= least
            seen.append(copy.contents.events)
    finally:
        done.set()
        writer.join()
    assert seen == sorted(seen)
    assert all(inspect(Path(f"{number}.db")).events == events for number, events in enumerate(seen))


def test_a_damaged_database_is_not_copied(place: Place) -> None:
    with contextlib.closing(sqlite3.connect(place.made.database)) as connection:
        connection.execute("DROP TRIGGER event_no_update")
        connection.execute("UPDATE event SET at = '2020-01-01T00:00:00.000Z' WHERE number = 2")
        connection.commit()
    with pytest.raises(DamagedRecord, match=r"the copy of .*event 2"):
        back_up(place.made.database)
    assert list(Path("backups").iterdir()) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from annotate_app import copies
real = copies.inspect
def killed(*arguments):
    real(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(copies, sys.argv[2], killed)
copies.back_up(Path(sys.argv[1]), Path("mine.db"))
"""


def test_a_copy_that_was_killed_leaves_nothing_under_its_name(place: Place) -> None:
    """Killed when all is copied and checked, and only the name is missing."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(place.made.database), "inspect"],
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        timeout=120,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    left = [path.name for path in Path().iterdir() if "mine" in path.name]
    assert len(left) == 1
    assert left[0].endswith(".part")
    assert back_up(place.made.database, Path("mine.db")).file.is_file()


def test_a_project_comes_back_as_it_was(place: Place) -> None:
    copy = back_up(place.made.database)
    before, held = status(place.store), rows(place.made.database)
    token = enrol(place.store, "ann")[0].link.partition("#")[2]
    answer(place.store, 2)
    shutil.move("projects", "lost")
    back = restore(copy.file, "first", Path("projects"))
    assert back == Copy(Path("projects/first") / FILE, copy.contents)
    store = open_store(back.file)
    assert rows(back.file) == held
    assert status(store) == before
    assert back.file.stat().st_mode & 0o777 == 0o600
    assert back.file.parent.stat().st_mode & 0o777 == 0o700
    assert redeem(store, token) is None
    answer(store, 2)
    assert status(store).annotators[0].submitted == 2


def test_a_link_of_the_copys_time_works_again(place: Place) -> None:
    token = enrol(place.store, "ann")[0].link.partition("#")[2]
    copy = back_up(place.made.database)
    assert main(["revoke", "first", "ann"]) == 0
    assert redeem(place.store, token) is None
    shutil.move("projects", "lost")
    store = open_store(restore(copy.file, None, Path("projects")).file)
    found = person(store, redeem(store, token) or "")
    assert found is not None
    assert found.name == "ann"


@pytest.mark.parametrize(
    ("name", "said"), [("other", r"holds the project 'first'; .*--project first"), ("first", "there already")]
)
def test_restoring_changes_nothing_that_is_there(place: Place, name: str, said: str) -> None:
    copy, held = back_up(place.made.database), rows(place.made.database)
    with pytest.raises(InputError, match=said):
        restore(copy.file, name, Path("projects"))
    assert [path.name for path in Path("projects").iterdir()] == ["first"]
    assert rows(place.made.database) == held


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _foreign(path: Path) -> None:
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE poem (line)")


def _forged(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER event_no_delete")
        connection.execute("DELETE FROM event WHERE number = 1")
        connection.commit()


def _orphan(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO visit VALUES ('x', 99, '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z')")
        connection.commit()


def _newer(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()


SPOILT = {
    "cut": (_cut, "damaged|not a readable|cannot be copied"),
    "text": (lambda path: path.write_text("to whom it may concern"), "not a readable project database"),
    "empty": (lambda path: path.write_bytes(b""), "not a readable project database"),
    "another database": (_foreign, "not a readable project database"),
    "an event less": (_forged, "event 2 does not follow"),
    "a row without its like": (_orphan, "refers to one that is gone"),
    "of a later version": (_newer, "laid out as 9999"),
    "gone": (lambda path: path.unlink(), "no such file"),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), "cannot be read"),
}


@pytest.mark.parametrize("how", SPOILT)
def test_what_is_not_whole_is_not_restored(place: Place, how: str) -> None:
    copy = back_up(place.made.database)
    shutil.move("projects", "lost")
    spoil, said = SPOILT[how]
    spoil(copy.file)
    with pytest.raises(InputError, match=said) as refused:
        restore(copy.file, "first", Path("projects"))
    assert str(copy.file) in str(refused.value)
    assert list(Path("projects").glob("*")) + list(Path("projects").glob(".*")) == []


@pytest.fixture
def next_layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program whose layout is one migration further; returns the migration's file."""
    folder = tmp_path / "further"
    shutil.copytree(migrations.FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    script = folder / "versions" / "r0002_a_column_more.py"
    script.write_text(
        "import sqlalchemy as sa\nfrom alembic import op\n"
        "revision, down_revision, branch_labels, depends_on = '0002', '0001', None, None\n"
        "def upgrade():\n"
        "    op.add_column('annotator', sa.Column('colour', sa.String(), nullable=True))\n"
    )
    monkeypatch.setattr(migrations, "FOLDER", folder)
    monkeypatch.setattr(schema, "REVISION", "0002")
    return script


def test_an_older_project_is_copied_and_brought_up_to_date(
    place: Place, next_layout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = rows(place.made.database)
    assert main(["status", "first"]) == 2
    assert "polibias-annotate upgrade PROJECT" in capsys.readouterr().err
    assert main(["upgrade", "first"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "first: laid out as 0002 now"
    (copy,) = Path("backups").iterdir()
    assert said[1].startswith(f"{copy}: ")
    assert rows(copy) == held
    assert "colour" in "".join(rows(place.made.database))
    assert main(["upgrade", "first"]) == 0
    assert "nothing to do" in capsys.readouterr().out
    assert len(list(Path("backups").iterdir())) == 1


def test_a_copy_of_an_older_layout_comes_back_and_is_then_brought_up_to_date(
    place: Place, next_layout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = back_up(place.made.database)
    shutil.move("projects", "lost")
    assert main(["restore", str(copy.file)]) == 0
    assert "next: polibias-annotate upgrade first" in capsys.readouterr().out
    assert main(["upgrade", "first"]) == 0
    assert open_store(Path("projects/first") / FILE).project.name == "first"


@pytest.mark.parametrize(
    "fault",
    [
        "    op.execute('SELECT nothing FROM nowhere')\n",
        "    op.execute('DROP TRIGGER event_no_delete')\n    op.execute('DELETE FROM event WHERE number = 1')\n",
    ],
)
def test_a_migration_that_fails_changes_nothing(place: Place, next_layout: Path, fault: str) -> None:
    with next_layout.open("a") as script:
        script.write(fault)
    held = rows(place.made.database)
    with pytest.raises(InputError, match=r"nothing was changed|does not follow"):
        upgrade(place.made.database)
    assert rows(place.made.database) == held


def test_a_project_of_the_present_layout_needs_nothing(place: Place) -> None:
    assert upgrade(place.made.database) is None
    assert not Path("backups").exists()


def test_a_layout_that_nobody_knows_is_left_alone(place: Place) -> None:
    _newer(place.made.database)
    with pytest.raises(InputError, match="laid out as 9999"):
        upgrade(place.made.database)


def test_the_commands_say_where_and_what(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backup", "first", "--out", "mine.db"]) == 0
    head = status(place.store).head
    said = f"project 'first', {status(place.store).events} events, chain whole, last {head}"
    assert capsys.readouterr().out == f"mine.db: {said}\n"
    shutil.move("projects", "lost")
    assert main(["restore", "mine.db", "--project", "first"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"projects/first/blind.db: {said}"
    assert main(["restore", "mine.db", "--project", "first"]) == 2
    assert main(["backup", "nowhere"]) == 2
    assert capsys.readouterr().err.count("\n") == 2
