"""The migrations lead to the layout that the code declares, and no other layout is opened."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine
from sqlmodel import SQLModel

from annotate_app import migrations, schema
from annotate_app.database import Database, engine_for
from annotate_app.store import open_store
from polibias.errors import InputError, StorageError
from tests.app.projects import made

DECLARED = {table.name for table in SQLModel.metadata.sorted_tables}


def engine_at(path: Path) -> Engine:
    return engine_for(path)


@pytest.fixture
def migrated(tmp_path: Path) -> Path:
    path = tmp_path / "migrated.db"
    engine = engine_at(path)
    with engine.execution_options(immediate=True).begin() as connection:
        migrations.upgrade(connection)
    engine.dispose()
    return path


@pytest.fixture
def declared(tmp_path: Path) -> Path:
    path = tmp_path / "declared.db"
    engine = engine_at(path)
    SQLModel.metadata.create_all(engine)
    engine.dispose()
    return path


def test_alembic_finds_no_difference_to_the_declared_layout(migrated: Path) -> None:
    engine = engine_at(migrated)
    with engine.begin() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, SQLModel.metadata) == []
    engine.dispose()


def test_every_table_has_the_declared_columns_keys_and_checks(migrated: Path, declared: Path) -> None:
    """What Alembic does not compare: the text of every table and index, clause by clause."""
    found, wanted = layout(migrated), layout(declared)
    assert set(found) >= DECLARED
    for name, clauses in wanted.items():
        assert found[name] == clauses, name
    checks = [clause for clauses in found.values() for clause in clauses if clause.startswith("constraint")]
    assert len(checks) > 25


def layout(path: Path) -> dict[str, list[str]]:
    """The clauses of each table and index, in no order."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type <> 'trigger'")
        return {name: sorted(clauses(sql)) for name, sql in rows}


def clauses(sql: str) -> list[str]:
    """A CREATE statement's parts, in one spelling."""
    body = re.sub(r"\s+", " ", sql.split("(", 1)[1].rsplit(")", 1)[0])
    tail = re.sub(r"\s+", " ", sql.rsplit(")", 1)[1])
    plain = body.replace('"', "").replace("( ", "(").replace(" )", ")").lower()
    return [part.strip() for part in re.split(r", (?![^(]*\))", plain)] + [tail.strip().lower()]


def test_the_newest_migration_is_the_one_that_the_code_reads() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrations.FOLDER))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [schema.REVISION]


def test_migrating_twice_changes_nothing(migrated: Path) -> None:
    before = layout(migrated)
    engine = engine_at(migrated)
    with engine.execution_options(immediate=True).begin() as connection:
        migrations.upgrade(connection)
    engine.dispose()
    assert layout(migrated) == before
    with closing(Database(migrated)) as database:
        assert database.revision() == schema.REVISION


@pytest.mark.parametrize(
    ("revision", "advice"),
    [("0000", "polibias-annotate upgrade"), ("9999", "a later one"), ("x" * 500, "a later one")],
)
def test_a_database_of_another_layout_is_refused_in_one_line(tmp_path: Path, revision: str, advice: str) -> None:
    store = made(tmp_path)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("UPDATE alembic_version SET version_num = ?", [revision])
    with pytest.raises(InputError, match=advice) as refused:
        open_store(store.path)
    assert str(refused.value).count("\n") == 0
    assert len(str(refused.value)) < 300 + len(str(store.path))


def test_a_file_that_is_no_project_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such project database"):
        open_store(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("not a database at all, but long enough to be read as one" * 20)
    with pytest.raises(StorageError, match="not a readable"):
        open_store(tmp_path / "text.db")
    (tmp_path / "empty.db").touch()
    with pytest.raises(InputError, match="no longer reads"):
        open_store(tmp_path / "empty.db")
    with closing(sqlite3.connect(tmp_path / "older.db")) as other:
        other.executescript("CREATE TABLE project (id INTEGER); PRAGMA user_version = 2")
    with pytest.raises(InputError, match="no longer reads"):
        open_store(tmp_path / "older.db")
