"""Sheets: one revision of one presentation's answers, drafted click by click, finished once.

Every function works inside the caller's transaction. The revision an annotator looks at is frozen when the page is
made; it must still be the next one when the click arrives, or the click changes nothing.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, select, update
from sqlmodel.sql.expression import SelectOfScalar

from annotate_app.assignment import Role
from annotate_app.chain import now
from annotate_app.questions import Entry, Quote, difference
from annotate_app.schema import Answer, Presentation, Release, Sheet, Trial
from polibias.domain.ids import canonical, plain

Finish = Literal["submitted", "skipped", "unsure"]


class Place(NamedTuple):
    """One place of an annotator's row that is still theirs.

    `number` counts from 1 among practice items and among all others apart. `finished` is the last finished revision,
    0 for none, and `state` how it was finished; `needed` is the revision with which the place is done with.
    """

    presentation: int
    number: int
    role: Role
    finished: int
    state: str
    needed: int
    draft: int | None
    touched_at: str

    @property
    def revision(self) -> int:
        """The revision that answers given now belong to."""
        return self.finished + 1

    @property
    def open(self) -> bool:
        return self.finished < self.needed


class _Revision(NamedTuple):
    number: int
    state: str
    touched_at: str


def places(session: Session, annotator_id: int) -> list[Place]:
    """The annotator's whole row, by position: practice first, without what was given to somebody else."""
    mine = Presentation.annotator_id == annotator_id
    own = select(Presentation.id, Presentation.role).where(mine, col(Presentation.id).not_in(_released()))
    row = session.exec(own.order_by(col(Presentation.position))).all()
    found: dict[int, list[_Revision]] = {}
    columns = select(Sheet.presentation_id, Sheet.revision, Sheet.state, Sheet.touched_at)
    for presentation, *revision in session.exec(columns.join(Presentation).where(mine)).all():
        found.setdefault(presentation, []).append(_Revision._make(revision))
    return list(_numbered(row, found, attempt(session, annotator_id)))


def reasons(session: Session, annotator_id: int) -> dict[tuple[int, int], str]:
    """Why somebody went past an item, by presentation and revision. The desk, which draws rows too, may not read it."""
    columns = select(Sheet.presentation_id, Sheet.revision, Sheet.reason).join(Presentation)
    given = columns.where(Presentation.annotator_id == annotator_id, Sheet.reason != "")
    return {(presentation, revision): reason for presentation, revision, reason in session.exec(given).all()}


def _released() -> SelectOfScalar[int]:
    return select(Release.presentation_id)


def attempt(session: Session, annotator_id: int) -> int:
    """Which attempt at the practice items this is, from 1."""
    failed = select(func.count()).where(Trial.annotator_id == annotator_id, Trial.passed == 0)
    return 1 + session.exec(failed).one()


def _numbered(
    row: Sequence[tuple[int | None, str]], found: dict[int, list[_Revision]], attempt: int
) -> Iterable[Place]:
    count = {True: 0, False: 0}
    for presentation, name in row:
        role = msgspec.convert(name, type=Role)
        practice = role == "practice"
        count[practice] += 1
        sheets = found.get(presentation or 0, [])
        yield _place(presentation or 0, role, count[practice], sheets, attempt if practice else 1)


def _place(presentation: int, role: Role, number: int, found: Sequence[_Revision], needed: int) -> Place:
    done = max((sheet for sheet in found if sheet.state != "draft"), default=None)
    draft = next((sheet.number for sheet in found if sheet.state == "draft"), None)
    touched = max((sheet.touched_at for sheet in found), default="")
    finished, state = (done.number, done.state) if done else (0, "")
    return Place(presentation, number, role, finished, state, needed, draft, touched)


def first_open(row: Sequence[Place]) -> Place | None:
    """The first place that is not done with."""
    return next((place for place in row if place.open), None)


def reachable(row: Sequence[Place]) -> list[Place]:
    """The places that may be looked at: all before the first open one, and that one."""
    waiting = first_open(row)
    return list(row) if waiting is None else [*row[: row.index(waiting)], waiting]


def writable(place: Place) -> bool:
    """Whether answers may still be given: a practice item that was answered shows its feedback and stays."""
    return place.open or place.role != "practice"


def current(session: Session, annotator_id: int, presentation: int, revision: int) -> Place | None:
    """The place, if it is this annotator's, its turn has come and `revision` is what it awaits."""
    found = seen(session, annotator_id, presentation)
    return found if found and found.revision == revision and writable(found) else None


def seen(session: Session, annotator_id: int, presentation: int) -> Place | None:
    """The place, if it is this annotator's and its turn has come."""
    row = reachable(places(session, annotator_id))
    return next((place for place in row if place.presentation == presentation), None)


def finished_as(session: Session, presentation: int, revision: int) -> str:
    """How a revision was finished, '' if it was not."""
    sheet = _sheet(session, presentation, revision)
    return sheet.state if sheet and sheet.state != "draft" else ""


def entry(session: Session, presentation: int, revision: int) -> Entry | None:
    """What a revision holds."""
    sheet = _sheet(session, presentation, revision)
    if sheet is None:
        return None
    answers = {answer.question_id: answer.value for answer in _answers(session, sheet)}
    return entry_from(answers, sheet.notes)


def entry_from(answers: dict[str, str | None], notes: str) -> Entry:
    """An entry from its stored parts; msgspec reads no lone surrogates, so the JSON is read by the standard library."""
    said = json.loads(notes)
    quotes = {part: tuple(Quote(**one) for one in found) for part, found in said.get("quotes", {}).items()}
    return Entry(answers, said.get("comments", {}), quotes)


def standing(session: Session, place: Place) -> Entry:
    """What the annotator sees on coming to a place: the draft, else the last finished revision, else nothing.

    Another attempt at a practice item begins with nothing.
    """
    revision = place.draft or (0 if place.open else place.finished)
    return (entry(session, place.presentation, revision) if revision else None) or Entry({})


def write_draft(session: Session, place: Place, given: Entry) -> dict[str, Any]:
    """Make the draft hold `given`; a draft is begun only by a difference. Returns what changed, {} for nothing."""
    changed = difference(standing(session, place), given)
    if changed:
        sheet = _sheet(session, place.presentation, place.revision) or _new(place)
        _write(session, sheet, given)
    return changed


def begin(session: Session, place: Place, given: Entry) -> None:
    """Make sure that there is a draft, empty of differences as it may be."""
    if _sheet(session, place.presentation, place.revision) is None:
        _write(session, _new(place), given)


def _new(place: Place) -> Sheet:
    fields = {"presentation_id": place.presentation, "revision": place.revision, "state": "draft"}
    return Sheet.model_validate({**fields, "touched_at": now()})


def _write(session: Session, sheet: Sheet, given: Entry) -> None:
    notes = {"comments": given.comments, "quotes": plain(given.quotes)}
    sheet.notes = canonical(notes).decode("ascii")
    sheet.touched_at = now()
    session.add(sheet)
    session.flush()
    stored = {answer.question_id: answer for answer in _answers(session, sheet)}
    for name, value in given.answers.items():
        if name in stored:
            stored[name].value = value
        else:
            session.add(Answer.model_validate({"sheet_id": sheet.id, "question_id": name, "value": value}))
    session.flush()


def _answers(session: Session, sheet: Sheet) -> Sequence[Answer]:
    return session.exec(select(Answer).where(Answer.sheet_id == sheet.id)).all()


def finish(session: Session, place: Place, state: Finish, reason: str = "") -> bool:
    """Compare and set: the draft is finished if it still is a draft. False if another click was first."""
    draft = update(Sheet).where(*_is(place.presentation, place.revision), col(Sheet.state) == "draft")
    return bool(session.exec(draft.values(state=state, reason=reason, touched_at=now())).rowcount)


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
