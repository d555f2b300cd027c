"""The tables of a project's `blind.db`, and what the database itself refuses.

What is asked is data here too: questions are the rows of `question`, what can be answered those of `choice`, and no
answer can hold anything else. Triggers keep the append-only tables append-only and a finished sheet complete and
unchanged, whatever the code above them does. SQLModel does not validate table rows: build them with `model_validate`.

The layout is made and changed by the migrations; this module says what it must come to.
"""

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

REVISION = "0001"
"""The migration that leads to this layout."""

SIDES = "('A', 'B')"
CLOCK = "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]Z"


def is_utc(column: str) -> CheckConstraint:
    """That a column holds UTC times with milliseconds, which compare as text."""
    return CheckConstraint(f"{column} GLOB '{CLOCK}'", name=f"{column}_is_utc")


class Project(SQLModel, table=True):
    """The project: one row. `scheme` and `protocol` are canonical JSON, `genesis` what the event chain starts from.

    `address` is where annotators reach the app. `pair_key` names the key that made the items' pair codes.
    """

    id: int = Field(default=1, primary_key=True)
    name: str
    kind: str
    scheme: str
    protocol: str
    address: str
    pair_key: str
    seed: int
    genesis: str
    created_at: str

    __table_args__ = (CheckConstraint("id = 1", name="one_project"), is_utc("created_at"))


class Question(SQLModel, table=True):
    """A question for annotators. `beside` is 1 for the instructed response, which only some presentations have."""

    id: str = Field(primary_key=True)
    beside: int

    __table_args__ = (CheckConstraint("beside IN (0, 1)", name="beside_or_not"),)


class Choice(SQLModel, table=True):
    """A value that answers a question."""

    question_id: str = Field(foreign_key="question.id", primary_key=True)
    value: str = Field(primary_key=True)


class Item(SQLModel, table=True):
    """A blind item: opaque code, opaque stratum and pair, and its texts as canonical JSON, which carries every string.

    `lesson` is '' for an item of the study; for a practice item it holds expected answers and feedback as JSON.
    """

    code: str = Field(primary_key=True)
    stratum: str
    pair: str = Field(index=True)
    content: str
    lesson: str


class Annotator(SQLModel, table=True):
    """One person who annotates. `identity` is the name as it is compared with other projects."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    identity: str = Field(unique=True)
    enrolled_at: str

    __table_args__ = (is_utc("enrolled_at"),)


class Invite(SQLModel, table=True):
    """A personal link. Only the token's SHA-256 is kept; it can be redeemed until `revoked_at` is set."""

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    token_hash: str = Field(unique=True)
    created_at: str
    revoked_at: str | None = None

    __table_args__ = (is_utc("created_at"), is_utc("revoked_at"))


class Visit(SQLModel, table=True):
    """A browser that redeemed a link: the SHA-256 of its cookie. It ends with its link or at `ends_at`."""

    cookie_hash: str = Field(primary_key=True)
    invite_id: int = Field(foreign_key="invite.id")
    opened_at: str
    ends_at: str

    __table_args__ = (is_utc("opened_at"), is_utc("ends_at"))


class Assent(SQLModel, table=True):
    """What an annotator said to a term of the protocol; the last one counts. `text_hash` names the words shown."""

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    term: str
    answer: str
    text_hash: str
    at: str

    __table_args__ = (
        CheckConstraint("term IN ('consent', 'content', 'statement')", name="known_term"),
        CheckConstraint("answer IN ('yes', 'no')", name="yes_or_no"),
        is_utc("at"),
    )


class Presentation(SQLModel, table=True):
    """One item at one place of one annotator's row, drawn and stored before it is seen.

    `batch` is the draw that it comes from. `instructed` is the value that an instructed response asks for, '' for
    none; `options` the stored order of candidates as JSON, '' for none.
    """

    id: int | None = Field(default=None, primary_key=True)
    annotator_id: int = Field(foreign_key="annotator.id")
    item_code: str = Field(foreign_key="item.code", index=True)
    batch: int
    position: int
    first: str
    role: str
    instructed: str
    options: str

    __table_args__ = (
        UniqueConstraint("annotator_id", "position"),
        UniqueConstraint("annotator_id", "item_code", "role"),
        CheckConstraint("position >= 1", name="position_from_one"),
        CheckConstraint(f"first IN {SIDES}", name="first_is_a_side"),
        CheckConstraint("role IN ('practice', 'first', 'repeat')", name="known_role"),
        CheckConstraint("instructed IN ('', '1', '2', '3', '4', '5')", name="known_instruction"),
        CheckConstraint("instructed = '' OR role = 'first'", name="instructed_at_first"),
        CheckConstraint("(batch = 0) = (role = 'practice') AND batch >= 0", name="practice_is_batch_zero"),
    )


class Release(SQLModel, table=True):
    """A presentation whose place somebody else may have; what was answered there is kept."""

    presentation_id: int = Field(foreign_key="presentation.id", primary_key=True)
    reason: str
    at: str

    __table_args__ = (CheckConstraint("reason IN ('abandoned', 'withdrawn')", name="known_release"), is_utc("at"))


class Sheet(SQLModel, table=True):
    """One revision of one presentation's answers: a draft until it is submitted or left, then fixed.

    `reason` says why a sheet was left, '' for any other. `notes` holds comments and quotes as canonical JSON.
    """

    id: int | None = Field(default=None, primary_key=True)
    presentation_id: int = Field(foreign_key="presentation.id")
    revision: int
    state: str
    reason: str = ""
    notes: str = "{}"
    touched_at: str

    __table_args__ = (
        UniqueConstraint("presentation_id", "revision"),
        CheckConstraint("revision >= 1", name="revision_from_one"),
        CheckConstraint("state IN ('draft', 'submitted', 'skipped', 'unsure')", name="known_state"),
        CheckConstraint("(state IN ('skipped', 'unsure')) = (reason <> '')", name="left_for_a_reason"),
        is_utc("touched_at"),
        Index("one_draft", "presentation_id", unique=True, sqlite_where=text("state = 'draft'")),
    )


class Answer(SQLModel, table=True):
    """The answer to one question of a sheet, in stored form; null is not answered yet."""

    sheet_id: int = Field(foreign_key="sheet.id", primary_key=True)
    question_id: str = Field(foreign_key="question.id", primary_key=True)
    value: str | None = None

    __table_args__ = (ForeignKeyConstraint(["question_id", "value"], ["choice.question_id", "choice.value"]),)


class Flag(SQLModel, table=True):
    """What an annotator reported about an item. `comment` is canonical JSON, which carries every string."""

    id: int | None = Field(default=None, primary_key=True)
    presentation_id: int = Field(foreign_key="presentation.id", index=True)
    reason: str
    comment: str
    at: str

    __table_args__ = (is_utc("at"),)


class Trial(SQLModel, table=True):
    """The outcome of one attempt at the practice items: `right` of `asked` expected answers were given."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    attempt: int = Field(primary_key=True)
    right: int
    asked: int
    passed: int
    at: str

    __table_args__ = (
        CheckConstraint("attempt >= 1", name="attempt_from_one"),
        CheckConstraint('"right" BETWEEN 0 AND asked', name="no_more_right_than_asked"),
        CheckConstraint("passed IN (0, 1)", name="passed_or_not"),
        is_utc("at"),
    )


class Withdrawal(SQLModel, table=True):
    """Somebody who takes no further part. What becomes of the answers is in the protocol."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    at: str

    __table_args__ = (is_utc("at"),)


class Closure(SQLModel, table=True):
    """The end of the study: one row, after which nothing is answered any more."""

    id: int = Field(default=1, primary_key=True)
    at: str

    __table_args__ = (CheckConstraint("id = 1", name="closed_once"), is_utc("at"))


class Event(SQLModel, table=True):
    """What happened, append-only. `prev` is the hash of the event before, `hash` covers everything else."""

    number: int = Field(primary_key=True)
    at: str
    kind: str
    annotator: str = Field(index=True)
    item: str
    body: str
    prev: str
    hash: str = Field(unique=True)

    __table_args__ = (is_utc("at"),)
