"""What the first layout refuses by itself: append-only tables, finished sheets, and everything after the closure.

Part of migration 0001: never edited once that one was released.
"""

FIXED = (
    "project",
    "question",
    "choice",
    "item",
    "annotator",
    "assent",
    "presentation",
    "release",
    "flag",
    "trial",
    "withdrawal",
    "closure",
    "event",
)

NEVER_EDITED = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} rows are never edited'); END
"""

NEVER_REMOVED = """
CREATE TRIGGER {table}_no_DELETE BEFORE DELETE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} rows are never removed'); END
"""

FINISHED_IS_FIXED = """
CREATE TRIGGER sheet_fixed_{verb} BEFORE {verb} ON sheet WHEN OLD.state <> 'draft'
BEGIN SELECT RAISE(ABORT, 'a finished sheet is never edited'); END
"""

ANSWERS_ARE_FIXED = """
CREATE TRIGGER answer_fixed_{verb} BEFORE {verb} ON answer
WHEN (SELECT state FROM sheet WHERE id = {row}.sheet_id) <> 'draft'
BEGIN SELECT RAISE(ABORT, 'a finished answer is never edited'); END
"""

DRAFTED_FIRST = """
CREATE TRIGGER sheet_drafted_first BEFORE INSERT ON sheet WHEN NEW.state <> 'draft'
BEGIN SELECT RAISE(ABORT, 'a sheet starts as a draft'); END
"""

NEVER_MOVED = """
CREATE TRIGGER {table}_stays BEFORE UPDATE OF {columns} ON {table}
BEGIN SELECT RAISE(ABORT, 'what a {table} belongs to never changes'); END
"""

STAYS = {
    "sheet": "id, presentation_id, revision",
    "answer": "sheet_id, question_id",
    "invite": "id, annotator_id, token_hash, created_at",
}

REVOKED_FOR_GOOD = """
CREATE TRIGGER invite_revoked BEFORE UPDATE ON invite WHEN OLD.revoked_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a link is revoked for good'); END
"""

COMPLETE_WHEN_SUBMITTED = """
CREATE TRIGGER sheet_complete BEFORE UPDATE OF state ON sheet WHEN NEW.state = 'submitted' AND EXISTS (
  SELECT 1 FROM question
  LEFT JOIN answer ON answer.question_id = question.id AND answer.sheet_id = NEW.id
  WHERE (answer.value IS NOT NULL)
    <> (beside = 0 OR (SELECT instructed <> '' FROM presentation WHERE id = NEW.presentation_id))
)
BEGIN SELECT RAISE(ABORT, 'a submitted sheet answers every question that was asked, and no other'); END
"""

CLOSED_IS_CLOSED = """
CREATE TRIGGER {table}_closed_{verb} BEFORE {verb} ON {table} WHEN EXISTS (SELECT 1 FROM closure)
BEGIN SELECT RAISE(ABORT, 'the study is closed'); END
"""


NOTHING_NEW = ("annotator", "presentation", "release", "flag", "trial")
"""Where nothing comes any more once the study is closed, beside what was answered."""


def triggers() -> list[str]:
    """Every trigger of the first layout as one statement."""
    fixed = [NEVER_EDITED.format(table=table, verb=verb) for table in FIXED for verb in ("UPDATE", "DELETE")]
    sheets = [FINISHED_IS_FIXED.format(verb=verb) for verb in ("UPDATE", "DELETE")]
    answers = [
        ANSWERS_ARE_FIXED.format(verb=verb, row=row)
        for verb, row in (("INSERT", "NEW"), ("UPDATE", "OLD"), ("DELETE", "OLD"))
    ]
    closed = [
        CLOSED_IS_CLOSED.format(table=table, verb=verb)
        for table in ("sheet", "answer")
        for verb in ("INSERT", "UPDATE", "DELETE")
    ]
    closed += [CLOSED_IS_CLOSED.format(table=table, verb="INSERT") for table in NOTHING_NEW]
    stays = [NEVER_MOVED.format(table=table, columns=columns) for table, columns in STAYS.items()]
    kept = NEVER_REMOVED.format(table="invite")
    return [*fixed, *sheets, *answers, *closed, *stays, kept, REVOKED_FOR_GOOD, DRAFTED_FIRST, COMPLETE_WHEN_SUBMITTED]
