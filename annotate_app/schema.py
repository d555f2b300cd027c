"""The tables of a project's `blind.db`, and what the database itself refuses.

The rubric is data here too: what is asked are the rows of `question`, what can be answered those of `choice`, and no
answer can hold anything else. Triggers keep the append-only tables append-only and a submitted sheet complete and
unchanged, whatever the code above them does. SQLModel does not validate table rows: build them with `model_validate`.
"""

from sqlalchemy import CheckConstraint, Connection, ForeignKeyConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

VERSION = 2
SIDES = "('A', 'B')"

UTC = Field(regex=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")


class Project(SQLModel, table=True):
    """The project: one row. `rubric` is canonical JSON in human wording, `genesis` what the event chain starts from."""

    id: int = Field(default=1, primary_key=True)
    name: str
    kind: str
    rubric: str
    seed: int
    genesis: str
    created_at: str = UTC

    __table_args__ = (CheckConstraint("id = 1", name="one_project"),)


class Question(SQLModel, table=True):
    """A question that the rubric has for annotators."""

    id: str = Field(primary_key=True)


class Choice(SQLModel, table=True):
    """A value that answers a question."""

    question_id: str = Field(foreign_key="question.id", primary_key=True)
    value: str = Field(primary_key=True)


class Item(SQLModel, table=True):
    """A blind item: opaque code, opaque stratum, and its texts as canonical JSON, which carries every string."""

    code: str = Field(primary_key=True)
    stratum: str
    content: str


class Annotator(SQLModel, table=True):
    """One person who annotates, under one name."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    enrolled_at: str = UTC


class Invite(SQLModel, table=True):
    """A personal link. Only the token's SHA-256 is kept; it can be redeemed until `revoked_at` is set."""

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    token_hash: str = Field(unique=True)
    created_at: str = UTC
    revoked_at: str | None = None


class Visit(SQLModel, table=True):
    """A browser that redeemed a link: the SHA-256 of its cookie. It ends with its link or at `ends_at`."""

    cookie_hash: str = Field(primary_key=True)
    invite_id: int = Field(foreign_key="invite.id")
    opened_at: str = UTC
    ends_at: str = UTC


class Presentation(SQLModel, table=True):
    """One item at one place of one annotator's row, drawn and stored at enrolment."""

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id")
    item_code: str = Field(foreign_key="item.code")
    position: int
    first: str

    __table_args__ = (
        UniqueConstraint("annotator_id", "position"),
        UniqueConstraint("annotator_id", "item_code"),
        CheckConstraint("position >= 1", name="position_from_one"),
        CheckConstraint(f"first IN {SIDES}", name="first_is_a_side"),
    )


class Sheet(SQLModel, table=True):
    """One revision of one presentation's answers: a draft until it is submitted, then fixed."""

    id: int | None = Field(default=None, primary_key=True)
    presentation_id: int = Field(foreign_key="presentation.id")
    revision: int
    state: str
    comment: str = '""'
    touched_at: str = UTC

    __table_args__ = (
        UniqueConstraint("presentation_id", "revision"),
        CheckConstraint("revision >= 1", name="revision_from_one"),
        CheckConstraint("state IN ('draft', 'submitted')", name="known_state"),
        Index("one_draft", "presentation_id", unique=True, sqlite_where=text("state = 'draft'")),
    )


class Answer(SQLModel, table=True):
    """The answer to one question of a sheet, in stored form; null is not answered yet."""

    sheet_id: int = Field(foreign_key="sheet.id", primary_key=True)
    question_id: str = Field(foreign_key="question.id", primary_key=True)
    value: str | None = None

    __table_args__ = (ForeignKeyConstraint(["question_id", "value"], ["choice.question_id", "choice.value"]),)


class Event(SQLModel, table=True):
    """What happened, append-only. `prev` is the hash of the event before, `hash` covers everything else."""

    number: int = Field(primary_key=True)
    at: str = UTC
    kind: str
    annotator: str
    item: str
    body: str
    prev: str
    hash: str = Field(unique=True)


FIXED = ("project", "question", "choice", "item", "presentation", "event")

NEVER_EDITED = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} rows are never edited'); END
"""

SUBMITTED_IS_FIXED = """
CREATE TRIGGER sheet_fixed_{verb} BEFORE {verb} ON sheet WHEN OLD.state = 'submitted'
BEGIN SELECT RAISE(ABORT, 'a submitted sheet is never edited'); END
"""

ANSWERS_ARE_FIXED = """
CREATE TRIGGER answer_fixed_{verb} BEFORE {verb} ON answer
WHEN (SELECT state FROM sheet WHERE id = {row}.sheet_id) = 'submitted'
BEGIN SELECT RAISE(ABORT, 'a submitted answer is never edited'); END
"""

DRAFTED_FIRST = """
CREATE TRIGGER sheet_drafted_first BEFORE INSERT ON sheet WHEN NEW.state <> 'draft'
BEGIN SELECT RAISE(ABORT, 'a sheet starts as a draft'); END
"""

COMPLETE_WHEN_SUBMITTED = """
CREATE TRIGGER sheet_complete BEFORE UPDATE OF state ON sheet WHEN NEW.state = 'submitted' AND (
  SELECT count(*) FROM answer WHERE sheet_id = NEW.id AND value IS NOT NULL
) <> (SELECT count(*) FROM question)
BEGIN SELECT RAISE(ABORT, 'a submitted sheet answers every question'); END
"""


def create_tables(connection: Connection) -> None:
    """Lay out an empty project database."""
    SQLModel.metadata.create_all(connection)
    for statement in _triggers():
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")


def _triggers() -> list[str]:
    fixed = [NEVER_EDITED.format(table=table, verb=verb) for table in FIXED for verb in ("UPDATE", "DELETE")]
    sheets = [SUBMITTED_IS_FIXED.format(verb=verb) for verb in ("UPDATE", "DELETE")]
    answers = [
        ANSWERS_ARE_FIXED.format(verb=verb, row=row)
        for verb, row in (("INSERT", "NEW"), ("UPDATE", "OLD"), ("DELETE", "OLD"))
    ]
    return [*fixed, *sheets, *answers, DRAFTED_FIRST, COMPLETE_WHEN_SUBMITTED]
