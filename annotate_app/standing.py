"""Where a person stands in a study: what they agreed to, how their practice went, whether anything is still open.

Every function works inside the caller's transaction.
"""

import hashlib
import json
from typing import NamedTuple

from sqlmodel import Session, col, select

from annotate_app.chain import now
from annotate_app.protocol import AnnotationProtocol, Term
from annotate_app.schema import Assent, Closure, Item, Presentation, Sheet, Trial, Withdrawal
from annotate_app.sheets import Place, attempt, entry


class Standing(NamedTuple):
    """One person's standing. `said` holds the last answer to each term; `attempts` counts failed practice."""

    closed: bool
    withdrawn: bool
    said: dict[str, str]
    attempts: int

    def declined(self) -> bool:
        return "no" in self.said.values()

    def pending(self, protocol: AnnotationProtocol) -> list[Term]:
        """The terms that have no yes yet."""
        return [term for term in protocol.terms() if self.said.get(term) != "yes"]

    def failed(self, protocol: AnnotationProtocol) -> bool:
        """Whether practice was tried as often as may be, each time below the threshold."""
        return self.attempts >= protocol.practice.tries

    def may_answer(self, protocol: AnnotationProtocol) -> bool:
        """Whether an answer of this person counts now."""
        return not (self.closed or self.withdrawn or self.pending(protocol) or self.failed(protocol))


def closed(session: Session) -> bool:
    """Whether the study is over."""
    return session.get(Closure, 1) is not None


def standing_of(session: Session, annotator_id: int) -> Standing:
    """Where this person stands."""
    columns = select(Assent.term, Assent.answer).where(Assent.annotator_id == annotator_id)
    return Standing(
        closed=closed(session),
        withdrawn=session.get(Withdrawal, annotator_id) is not None,
        said=dict(session.exec(columns.order_by(col(Assent.id))).all()),
        attempts=attempt(session, annotator_id) - 1,
    )


def words_hash(words: str) -> str:
    """What names the words of a term as they were shown: their SHA-256."""
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def assent(session: Session, annotator_id: int, term: Term, answer: str, words: str) -> dict[str, str]:
    """Store what a person says to a term; returns what the chain keeps of it."""
    fields = {"term": term, "answer": answer, "text_hash": words_hash(words)}
    session.add(Assent.model_validate({**fields, "annotator_id": annotator_id, "at": now()}))
    session.flush()
    return fields


def withdraw(session: Session, annotator_id: int) -> bool:
    """Take a person out of the study; False if they are already."""
    if session.get(Withdrawal, annotator_id) is not None:
        return False
    session.add(Withdrawal.model_validate({"annotator_id": annotator_id, "at": now()}))
    session.flush()
    return True


class Lesson(NamedTuple):
    """What a practice item teaches: the acceptable answers by question, and why."""

    expected: dict[str, tuple[str, ...]]
    feedback: str


def lesson_of(item: Item) -> Lesson | None:
    """A practice item's lesson, None for an item of the study."""
    if not item.lesson:
        return None
    said = json.loads(item.lesson)
    return Lesson({name: tuple(values) for name, values in said["expected"].items()}, said["feedback"])


def judge_trial(
    session: Session, annotator_id: int, row: list[Place], protocol: AnnotationProtocol
) -> dict[str, int] | None:
    """Once the last practice item of an attempt is answered: store the outcome, and return it for the chain."""
    practice = [place for place in row if place.role == "practice"]
    number = attempt(session, annotator_id)
    done = session.get(Trial, (annotator_id, number)) is not None
    if not practice or done or any(place.open for place in practice) or _passed(session, annotator_id):
        return None
    marks = [mark for place in practice for mark in marks_of(session, place)]
    passed = not marks or sum(marks) / len(marks) >= protocol.practice.threshold
    fields = {"attempt": number, "right": sum(marks), "asked": len(marks), "passed": int(passed)}
    session.add(Trial.model_validate({**fields, "annotator_id": annotator_id, "at": now()}))
    session.flush()
    return fields


def _passed(session: Session, annotator_id: int) -> bool:
    query = select(Trial).where(Trial.annotator_id == annotator_id, Trial.passed == 1)
    return session.exec(query).first() is not None


def marks_of(session: Session, place: Place) -> list[bool]:
    """Whether each expected answer of a practice item was given; an item that was left gave none of them."""
    item = session.get_one(Item, session.get_one(Presentation, place.presentation).item_code)
    lesson, said = lesson_of(item), entry(session, place.presentation, place.finished)
    if lesson is None or said is None:
        return []
    answered = place.state == "submitted"
    return [answered and said.answers.get(name) in values for name, values in lesson.expected.items()]


def states(session: Session) -> dict[int, str]:
    """How each presentation was last finished, by presentation; one that was not has no entry."""
    done = session.exec(select(Sheet).where(Sheet.state != "draft").order_by(col(Sheet.revision))).all()
    return {sheet.presentation_id: sheet.state for sheet in done}
