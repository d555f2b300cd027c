"""The first layout of a project: blind items, what is asked, who is shown what, answers, and the event chain."""

import sqlalchemy as sa
from alembic import op

from annotate_app.migrations.r0001_triggers import triggers

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

CLOCK = "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]Z"


def upgrade() -> None:
    """Lay out an empty database."""
    _project()
    _asked()
    _people()
    _visits()
    _said_by_people()
    _outcomes()
    _rows()
    _about_rows()
    _answers()
    _log()
    for statement in triggers():
        op.execute(statement)


def downgrade() -> None:
    """There is nothing before the first layout."""
    raise NotImplementedError


def is_utc(column: str) -> sa.CheckConstraint:
    """That a column holds UTC times with milliseconds."""
    return sa.CheckConstraint(f"{column} GLOB '{CLOCK}'", name=f"{column}_is_utc")


def _project() -> None:
    """The project itself."""
    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("scheme", sa.String(), nullable=False),
        sa.Column("protocol", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("pair_key", sa.String(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("genesis", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        is_utc("created_at"),
        sa.CheckConstraint("id = 1", name="one_project"),
        sa.PrimaryKeyConstraint("id"),
    )


def _asked() -> None:
    """What is asked, and the items it is asked about."""
    op.create_table(
        "question",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("beside", sa.Integer(), nullable=False),
        sa.CheckConstraint("beside IN (0, 1)", name="beside_or_not"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "choice",
        sa.Column("question_id", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["question.id"],
        ),
        sa.PrimaryKeyConstraint("question_id", "value"),
    )
    op.create_table(
        "item",
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("stratum", sa.String(), nullable=False),
        sa.Column("pair", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("lesson", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("code"),
    )
    op.create_index(op.f("ix_item_pair"), "item", ["pair"], unique=False)


def _people() -> None:
    """Who annotates, and how they come in."""
    op.create_table(
        "annotator",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("identity", sa.String(), nullable=False),
        sa.Column("enrolled_at", sa.String(), nullable=False),
        is_utc("enrolled_at"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("identity"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "invite",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("revoked_at", sa.String(), nullable=True),
        is_utc("created_at"),
        is_utc("revoked_at"),
        sa.ForeignKeyConstraint(
            ["annotator_id"],
            ["annotator.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_hash"),
    )
    op.create_index(op.f("ix_invite_annotator_id"), "invite", ["annotator_id"], unique=False)


def _visits() -> None:
    """Which browsers were let in."""
    op.create_table(
        "visit",
        sa.Column("cookie_hash", sa.String(), nullable=False),
        sa.Column("invite_id", sa.Integer(), nullable=False),
        sa.Column("opened_at", sa.String(), nullable=False),
        sa.Column("ends_at", sa.String(), nullable=False),
        is_utc("opened_at"),
        is_utc("ends_at"),
        sa.ForeignKeyConstraint(
            ["invite_id"],
            ["invite.id"],
        ),
        sa.PrimaryKeyConstraint("cookie_hash"),
    )


def _said_by_people() -> None:
    """What people said to the terms, how their practice went, who left."""
    op.create_table(
        "assent",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("term", sa.String(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("text_hash", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        is_utc("at"),
        sa.CheckConstraint("answer IN ('yes', 'no')", name="yes_or_no"),
        sa.CheckConstraint("term IN ('consent', 'content', 'statement')", name="known_term"),
        sa.ForeignKeyConstraint(
            ["annotator_id"],
            ["annotator.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_assent_annotator_id"), "assent", ["annotator_id"], unique=False)


def _outcomes() -> None:
    """How practice went, and who left."""
    op.create_table(
        "trial",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("right", sa.Integer(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        is_utc("at"),
        sa.CheckConstraint('"right" BETWEEN 0 AND asked', name="no_more_right_than_asked"),
        sa.CheckConstraint("attempt >= 1", name="attempt_from_one"),
        sa.CheckConstraint("passed IN (0, 1)", name="passed_or_not"),
        sa.ForeignKeyConstraint(
            ["annotator_id"],
            ["annotator.id"],
        ),
        sa.PrimaryKeyConstraint("annotator_id", "attempt"),
    )
    op.create_table(
        "withdrawal",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        is_utc("at"),
        sa.ForeignKeyConstraint(
            ["annotator_id"],
            ["annotator.id"],
        ),
        sa.PrimaryKeyConstraint("annotator_id"),
    )


def _rows() -> None:
    """What is shown to whom."""
    op.create_table(
        "presentation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("item_code", sa.String(), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("first", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("instructed", sa.String(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.CheckConstraint("first IN ('A', 'B')", name="first_is_a_side"),
        sa.CheckConstraint("instructed IN ('', '1', '2', '3', '4', '5')", name="known_instruction"),
        sa.CheckConstraint("instructed = '' OR role = 'first'", name="instructed_at_first"),
        sa.CheckConstraint("(batch = 0) = (role = 'practice') AND batch >= 0", name="practice_is_batch_zero"),
        sa.CheckConstraint("role IN ('practice', 'first', 'repeat')", name="known_role"),
        sa.CheckConstraint("position >= 1", name="position_from_one"),
        sa.ForeignKeyConstraint(
            ["annotator_id"],
            ["annotator.id"],
        ),
        sa.ForeignKeyConstraint(
            ["item_code"],
            ["item.code"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("annotator_id", "item_code", "role"),
        sa.UniqueConstraint("annotator_id", "position"),
    )
    op.create_index(op.f("ix_presentation_item_code"), "presentation", ["item_code"], unique=False)


def _about_rows() -> None:
    """What became of a place beside its answers."""
    op.create_table(
        "release",
        sa.Column("presentation_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        is_utc("at"),
        sa.CheckConstraint("reason IN ('abandoned', 'withdrawn')", name="known_release"),
        sa.ForeignKeyConstraint(
            ["presentation_id"],
            ["presentation.id"],
        ),
        sa.PrimaryKeyConstraint("presentation_id"),
    )
    op.create_table(
        "flag",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("presentation_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("comment", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        is_utc("at"),
        sa.ForeignKeyConstraint(
            ["presentation_id"],
            ["presentation.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_flag_presentation_id"), "flag", ["presentation_id"], unique=False)


def _answers() -> None:
    """What was answered."""
    op.create_table(
        "sheet",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("presentation_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("notes", sa.String(), nullable=False),
        sa.Column("touched_at", sa.String(), nullable=False),
        is_utc("touched_at"),
        sa.CheckConstraint("(state IN ('skipped', 'unsure')) = (reason <> '')", name="left_for_a_reason"),
        sa.CheckConstraint("state IN ('draft', 'submitted', 'skipped', 'unsure')", name="known_state"),
        sa.CheckConstraint("revision >= 1", name="revision_from_one"),
        sa.ForeignKeyConstraint(
            ["presentation_id"],
            ["presentation.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("presentation_id", "revision"),
    )
    op.create_index("one_draft", "sheet", ["presentation_id"], unique=True, sqlite_where=sa.text("state = 'draft'"))
    op.create_table(
        "answer",
        sa.Column("sheet_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["question_id", "value"],
            ["choice.question_id", "choice.value"],
        ),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["question.id"],
        ),
        sa.ForeignKeyConstraint(
            ["sheet_id"],
            ["sheet.id"],
        ),
        sa.PrimaryKeyConstraint("sheet_id", "question_id"),
    )


def _log() -> None:
    """What happened."""
    op.create_table(
        "event",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("annotator", sa.String(), nullable=False),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("prev", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        is_utc("at"),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("hash"),
    )
    op.create_index(op.f("ix_event_annotator"), "event", ["annotator"], unique=False)
    op.create_table(
        "closure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        is_utc("at"),
        sa.CheckConstraint("id = 1", name="closed_once"),
        sa.PrimaryKeyConstraint("id"),
    )
