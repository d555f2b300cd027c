"""Sheets: one revision of one presentation's answers, drafted click by click, submitted once.

Every function works inside the caller's writing transaction. The revision an annotator looks at is frozen
when the page is made; it must still be the next one when the click arrives, or the click changes nothing.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select, update

from annotate_app.blind import Entry
from annotate_app.chain import now
from annotate_app.schema import Answer, Presentation, Sheet
from polibias.domain.ids import canonical


class Place(NamedTuple):
    """One position of an annotator's row. `submitted` is the last submitted revision, 0 for none."""

    presentation: int
    position: int
    submitted: int
    draft: int | None
    touched_at: str

    @property
    def revision(self) -> int:
        """The revision that answers given now belong to."""
        return self.submitted + 1


def places(session: Session, annotator_id: int) -> list[Place]:
    """The annotator's whole row, by position."""
    row = session.exec(select(Presentation).where(Presentation.annotator_id == annotator_id)).all()
    numbers = [presentation.id for presentation in row]
    found: dict[int, list[Sheet]] = {}
    for sheet in session.exec(select(Sheet).where(col(Sheet.presentation_id).in_(numbers))).all():
        found.setdefault(sheet.presentation_id, []).append(sheet)
    ordered = sorted(row, key=lambda presentation: presentation.position)
    return [_place(number, here.position, found.get(number, [])) for here in ordered if (number := here.id) is not None]


def _place(presentation: int, position: int, found: Sequence[Sheet]) -> Place:
    submitted = max((sheet.revision for sheet in found if sheet.state == "submitted"), default=0)
    draft = next((sheet.revision for sheet in found if sheet.state == "draft"), None)
    return Place(presentation, position, submitted, draft, max((sheet.touched_at for sheet in found), default=""))


def first_open(row: Sequence[Place]) -> Place | None:
    """The first place without a submitted revision."""
    return next((place for place in row if place.submitted == 0), None)


def current(session: Session, annotator_id: int, presentation: int, revision: int) -> Place | None:
    """The place, if it is this annotator's, its turn has come and `revision` is what it awaits."""
    row = places(session, annotator_id)
    found = next((place for place in row if place.presentation == presentation), None)
    if found is None or found.revision != revision:
        return None
    waiting = first_open(row)
    return found if waiting is None or found.position <= waiting.position else None


def entry(session: Session, presentation: int, revision: int) -> Entry | None:
    """What a revision holds."""
    sheet = _sheet(session, presentation, revision)
    if sheet is None:
        return None
    answers = {answer.question_id: answer.value for answer in _answers(session, sheet)}
    return Entry(answers, str(json.loads(sheet.comment)))


def standing(session: Session, place: Place) -> Entry:
    """What the annotator sees on coming to a place: the draft, else the last submitted revision, else nothing."""
    revision = place.draft or place.submitted
    return (entry(session, place.presentation, revision) if revision else None) or Entry({})


def write_draft(session: Session, place: Place, given: Entry) -> dict[str, Any]:
    """Make the draft hold `given`; a draft is begun only by a difference. Returns what changed, {} for nothing."""
    before = standing(session, place)
    changed = difference(before, given)
    if not changed:
        return {}
    sheet = _sheet(session, place.presentation, place.revision)
    if sheet is None:
        fields = {"presentation_id": place.presentation, "revision": place.revision, "state": "draft"}
        sheet = Sheet.model_validate({**fields, "touched_at": now()})
    sheet.comment = canonical(given.comment).decode("ascii")
    sheet.touched_at = now()
    session.add(sheet)
    session.flush()
    _write_answers(session, sheet, given)
    return changed


def _write_answers(session: Session, sheet: Sheet, given: Entry) -> None:
    stored = {answer.question_id: answer for answer in _answers(session, sheet)}
    for name, value in given.answers.items():
        if name in stored:
            stored[name].value = value
        else:
            session.add(Answer.model_validate({"sheet_id": sheet.id, "question_id": name, "value": value}))
    session.flush()


def _answers(session: Session, sheet: Sheet) -> Sequence[Answer]:
    return session.exec(select(Answer).where(Answer.sheet_id == sheet.id)).all()


def difference(before: Entry, after: Entry) -> dict[str, Any]:
    """The new value of everything that differs, as plain JSON."""
    changed: dict[str, Any] = {
        name: value for name, value in after.answers.items() if value != before.answers.get(name)
    }
    if after.comment != before.comment:
        changed["comment"] = after.comment
    return changed


def finish(session: Session, place: Place) -> bool:
    """Compare and set: the draft becomes submitted if it still is a draft. False if another click was first."""
    done = session.connection().execute(
        update(Sheet)
        .where(*_is(place.presentation, place.revision), col(Sheet.state) == "draft")
        .values(state="submitted", touched_at=now())
    )
    return bool(done.rowcount)


def drop_draft(session: Session, place: Place) -> bool:
    """Forget the draft of a place; False if there is none."""
    sheet = _sheet(session, place.presentation, place.revision)
    if sheet is None:
        return False
    for answer in _answers(session, sheet):
        session.delete(answer)
    session.flush()
    session.delete(sheet)
    session.flush()
    return True


def _sheet(session: Session, presentation: int, revision: int) -> Sheet | None:
    return session.exec(select(Sheet).where(*_is(presentation, revision))).first()


def _is(presentation: int, revision: int) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return col(Sheet.presentation_id) == presentation, col(Sheet.revision) == revision
