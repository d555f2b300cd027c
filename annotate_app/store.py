"""The annotators' door to a project's database. The database is the only truth; pages hold ids and what is shown.

One transaction per click, in which the answer, its event and every change of state are stored together. What a method
reports as saved was read back after the commit.
"""

import json
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from sqlmodel import Session, select

from annotate_app import chain, sheets, standing
from annotate_app.blind import BlindItem
from annotate_app.database import Database, check_layout
from annotate_app.protocol import AnnotationProtocol, Term
from annotate_app.questions import AnyScheme, Entry, Question, Quote, gaps, merged, settle
from annotate_app.schema import Annotator, Flag, Item, Presentation, Project
from annotate_app.sheets import Finish, Place, first_open, reachable
from annotate_app.standing import Lesson, Standing, lesson_of
from annotate_app.timing import Spent, spent
from polibias.domain.ids import canonical
from polibias.domain.sides import Side
from polibias.errors import DamagedRecord, InputError, StorageError

__all__ = ["Place", "Receipt", "Standing", "Store", "View", "first_open", "open_store", "reachable", "shared_store"]

Outcome = Literal["saved", "unchanged", "incomplete", "unseen", "repeated", "late", "closed"]


class View(NamedTuple):
    """Everything a page needs to show one place: the item, what was drawn for it, and what was said so far.

    `check` is the value that an instructed response asks for, '' for none. `options` are the candidates in their
    stored order. `lesson` is a practice item's, once it was answered.
    """

    place: Place
    item: BlindItem
    first: Side
    entry: Entry
    check: str
    options: tuple[str, ...]
    lesson: Lesson | None


class Receipt(NamedTuple):
    """What became of a click.

    `saved`: stored and read back. `unchanged`: there was nothing to store. `incomplete`: kept as a draft, `gaps`
    are missing or `conflict` says what contradicts. `unseen`: kept as a draft, but not all of it stood on the screen
    from which it was submitted. `repeated`: exactly this is finished already (a second click).
    `late`: something else is (a click after the submission, another window). `closed`: nothing is answered any more.
    The last three touch nothing.
    """

    outcome: Outcome
    gaps: tuple[Question, ...] = ()
    conflict: str = ""


Write = Callable[[Session, Place, Entry], Receipt]
"""What a click does within its transaction: to a place, given all that is then said there."""


class Store(Database):
    """A project's database as annotators use it."""

    @cached_property
    def project(self) -> Project:
        with self.reading() as session:
            found = session.exec(select(Project)).one()
            session.expunge(found)
            return found

    @cached_property
    def scheme(self) -> AnyScheme:
        scheme: AnyScheme = self._stored("scheme", AnyScheme)
        return scheme

    @cached_property
    def protocol(self) -> AnnotationProtocol:
        protocol: AnnotationProtocol = self._stored("protocol", AnnotationProtocol)
        return protocol

    def _stored(self, column: str, kind: Any) -> Any:
        """What the project was made with. Raises DamagedRecord, naming the database, if it cannot be read."""
        try:
            return msgspec.convert(json.loads(getattr(self.project, column)), type=kind)
        except (ValueError, RecursionError):
            raise DamagedRecord(f"{self.path}: the project's {column} cannot be read; restore it from a copy") from None

    def record(self, session: Session, kind: chain.Kind, annotator: str, item: str, body: dict[str, Any]) -> None:
        """Append an event to the chain within the transaction at hand."""
        chain.record(session, self.project.genesis, kind, annotator, item, body)

    def standing(self, annotator_id: int) -> Standing:
        """Where a person stands in the study."""
        with self.reading() as session:
            return standing.standing_of(session, annotator_id)

    def places(self, annotator_id: int) -> list[Place]:
        """The annotator's row of presentations, by position."""
        with self.reading() as session:
            return sheets.places(session, annotator_id)

    def reasons(self, annotator_id: int) -> dict[tuple[int, int], str]:
        """Why the annotator went past items, by presentation and revision."""
        with self.reading() as session:
            return sheets.reasons(session, annotator_id)

    def view(self, place: Place) -> View:
        """What stands at a place."""
        with self.reading() as session:
            item, shown = _shown(session, place.presentation)
            side: Side = "A" if shown.first == "A" else "B"
            options = tuple(json.loads(shown.options)) if shown.options else ()
            lesson = None if place.open else lesson_of(item)
            said = sheets.standing(session, place)
            return View(place, read_item(item), side, said, shown.instructed, options, lesson)

    def spent(self, annotator_id: int) -> dict[str, Spent]:
        """Time on each item so far, by item code."""
        with self.reading() as session:
            name = session.get_one(Annotator, annotator_id).name
            return spent(chain.events_of(session, name))

    def opened(self, place: Place) -> None:
        """Record that a place was put before its annotator."""
        self.noticed(place, "opened", {"revision": place.revision})

    def noticed(self, place: Place, kind: Literal["opened", "idle", "viewed"], body: dict[str, Any]) -> None:
        """Record what is no answer: a look, time away, another way of looking. After the close nothing is."""
        with self.writing() as session:
            annotator = session.get_one(Presentation, place.presentation).annotator_id
            if standing.standing_of(session, annotator).may_answer(self.protocol):
                self._event(session, kind, place, body)

    def keep(self, annotator_id: int, presentation: int, revision: int, given: Entry) -> Receipt:
        """Store what stands on the screen as the draft of `revision`; blanks leave what is stored."""
        return self._answer(annotator_id, presentation, revision, lambda _: given, self._drafted)

    def quote(
        self, annotator_id: int, presentation: int, revision: int, part: str, quote: Quote, wanted: bool
    ) -> Receipt:
        """Add a passage to the draft as evidence, or take it away."""

        def given(before: Entry) -> Entry:
            return before.with_quote(part, quote, wanted)

        return self._answer(annotator_id, presentation, revision, given, self._drafted)

    def _drafted(self, session: Session, place: Place, now: Entry) -> Receipt:
        return Receipt("saved" if self._draft(session, place, now) else "unchanged")

    def submit(
        self, annotator_id: int, presentation: int, revision: int, given: Entry, screen: Entry | None = None
    ) -> Receipt:
        """Submit a `revision`, once: a second click comes late and changes nothing.

        `given` is what is new since the page was drawn, `screen` all that stands on it (None for the same). Only what
        stands on the screen can be submitted: what another window stored shows at the next look.
        """
        shown = given if screen is None else screen

        def write(session: Session, place: Place, now: Entry) -> Receipt:
            begun = self._draft(session, place, now) or place.draft is not None
            if wanting := self._wanting(session, place, shown, now):
                return wanting
            if not begun and place.finished and place.state == "submitted":
                return Receipt("unchanged")
            sheets.begin(session, place, now)
            return self._finish(session, annotator_id, place, "submitted", "", now)

        return self._answer(annotator_id, presentation, revision, lambda _: given, write, "submitted")

    def leave(
        self,
        annotator_id: int,
        presentation: int,
        revision: int,
        state: Literal["skipped", "unsure"],
        reason: str,
        given: Entry,
    ) -> Receipt:
        """Be done with an item without scoring it, for a reason; what was answered so far is kept.

        A reason that the protocol does not have changes nothing.
        """
        if not self.protocol.reasons.has("skip" if state == "skipped" else "unsure", reason):
            return Receipt("unchanged")

        def write(session: Session, place: Place, now: Entry) -> Receipt:
            self._draft(session, place, now)
            sheets.begin(session, place, now)
            return self._finish(session, annotator_id, place, state, reason, now)

        return self._answer(annotator_id, presentation, revision, lambda _: given, write, state)

    def _answer(
        self,
        annotator_id: int,
        presentation: int,
        revision: int,
        given: Callable[[Entry], Entry],
        write: Write,
        wanted: Finish | None = None,
    ) -> Receipt:
        """One click on an item: what it says is written by `write` if its revision is still awaited, and read back.

        `given` makes what is said from what stands there.
        """
        with self.turn():
            with self.writing() as session:
                place = self._awaited(session, annotator_id, presentation, revision)
                if place is None:
                    return self._overtaken(session, annotator_id, presentation, revision, given(Entry({})), wanted)
                before = sheets.standing(session, place)
                now = merged(self.scheme, before, given(before))
                receipt = write(session, place, now)
                stored = sheets.entry(session, presentation, revision) is not None
            if stored and receipt.outcome in ("saved", "incomplete", "unseen"):
                self._read_back(presentation, revision, now)
        return receipt

    def discard(self, annotator_id: int, presentation: int, revision: int) -> Receipt:
        """Forget a draft; what was submitted before stands again."""
        with self.writing() as session:
            place = self._awaited(session, annotator_id, presentation, revision)
            if place is None:
                return self._too_late(session, annotator_id)
            if not sheets.drop_draft(session, place):
                return Receipt("unchanged")
            self._event(session, "discarded", place, {"revision": revision})
        return Receipt("saved")

    def flag(self, annotator_id: int, presentation: int, reason: str, comment: str) -> Receipt:
        """Report something about an item, once in these words; its answers are not touched.

        A reason that the protocol does not have changes nothing.
        """
        if not self.protocol.reasons.has("flag", reason):
            return Receipt("unchanged")
        with self.writing() as session:
            own = sheets.seen(session, annotator_id, presentation)
            if own is None or not standing.standing_of(session, annotator_id).may_answer(self.protocol):
                return self._too_late(session, annotator_id)
            words = canonical(comment).decode("ascii")
            same = select(Flag.id).where(Flag.presentation_id == presentation, Flag.reason == reason)
            if session.exec(same.where(Flag.comment == words)).first() is not None:
                return Receipt("repeated")
            fields = {"presentation_id": presentation, "reason": reason, "at": chain.now()}
            session.add(Flag.model_validate({**fields, "comment": words}))
            self._event(session, "flagged", own, {"reason": reason, "comment": comment})
        return Receipt("saved")

    def assent(self, annotator_id: int, said: dict[Term, str]) -> None:
        """Store what a person says to terms of the protocol, with the words that were shown; once said is enough."""
        with self.writing() as session:
            name = session.get_one(Annotator, annotator_id).name
            words, before = self.protocol.terms(), standing.standing_of(session, annotator_id).said
            for term in (one for one in said if said[one] != before.get(one)):
                answer = said[term]
                fields = standing.assent(session, annotator_id, term, answer, words[term])
                self.record(session, "agreed" if answer == "yes" else "declined", name, "", fields)

    def withdraw(self, annotator_id: int) -> None:
        """Take a person out of the study, once."""
        with self.writing() as session:
            if standing.withdraw(session, annotator_id):
                name = session.get_one(Annotator, annotator_id).name
                self.record(session, "withdrawn", name, "", {"answers": self.protocol.withdrawal})

    def _awaited(self, session: Session, annotator_id: int, presentation: int, revision: int) -> Place | None:
        if not standing.standing_of(session, annotator_id).may_answer(self.protocol):
            return None
        return sheets.current(session, annotator_id, presentation, revision)

    def _wanting(self, session: Session, place: Place, shown: Entry, now: Entry) -> Receipt | None:
        """What keeps `now` from being submitted from a screen that shows `shown`, None for nothing."""
        checked = bool(session.get_one(Presentation, place.presentation).instructed)
        answers = settle(self.scheme, shown).answers
        missing = tuple(gaps(self.scheme, answers, checked))
        conflict = "" if missing else self.scheme.conflict(answers)
        if missing or conflict:
            return Receipt("incomplete", missing, conflict)
        return Receipt("unseen") if any(now.answers[name] != value for name, value in answers.items()) else None

    def _finish(
        self, session: Session, annotator_id: int, place: Place, state: Finish, reason: str, said: Entry
    ) -> Receipt:
        if not sheets.finish(session, place, state, reason):
            return Receipt("late")
        kind: chain.Kind = "revised" if place.finished and not place.open else state
        self._event(session, kind, place, submission(place.revision, state, reason, said))
        if place.role == "practice":
            self._judge(session, annotator_id)
        return Receipt("saved")

    def _judge(self, session: Session, annotator_id: int) -> None:
        """Say in the chain how an attempt at practice went, once it is through."""
        row = sheets.places(session, annotator_id)
        if trial := standing.judge_trial(session, annotator_id, row, self.protocol):
            self.record(session, "practised", session.get_one(Annotator, annotator_id).name, "", trial)

    def _draft(self, session: Session, place: Place, given: Entry) -> bool:
        changed = sheets.write_draft(session, place, given)
        if changed:
            self._event(session, "draft", place, {"revision": place.revision, "changed": changed})
        return bool(changed)

    def _overtaken(
        self,
        session: Session,
        annotator_id: int,
        presentation: int,
        revision: int,
        given: Entry,
        wanted: Finish | None,
    ) -> Receipt:
        """What to say to a click whose revision is no longer awaited; one that finishes nothing wants any finish."""
        own = any(place.presentation == presentation for place in sheets.places(session, annotator_id))
        state = sheets.finished_as(session, presentation, revision) if own else ""
        if state and wanted in (None, state):
            done = sheets.entry(session, presentation, revision)
            if done and merged(self.scheme, done, given) == done:
                return Receipt("repeated")
        return self._too_late(session, annotator_id)

    def _too_late(self, session: Session, annotator_id: int) -> Receipt:
        open_still = standing.standing_of(session, annotator_id).may_answer(self.protocol)
        return Receipt("late" if open_still else "closed")

    def _event(self, session: Session, kind: chain.Kind, place: Place, body: dict[str, Any]) -> None:
        shown = session.get_one(Presentation, place.presentation)
        annotator = session.get_one(Annotator, shown.annotator_id)
        self.record(session, kind, annotator.name, shown.item_code, {"position": shown.position, **body})

    def _read_back(self, presentation: int, revision: int, given: Entry) -> None:
        with self.reading() as session:
            if sheets.entry(session, presentation, revision) != given:
                raise StorageError(f"{self.path}: what was written could not be read back; try again")


def submission(revision: int, state: Finish, reason: str, said: Entry) -> dict[str, Any]:
    """What the chain keeps of a finished sheet: all of it."""
    whole: dict[str, Any] = msgspec.to_builtins(said)
    return {"revision": revision, "state": state, "reason": reason, **whole}


def _shown(session: Session, presentation_id: int) -> tuple[Item, Presentation]:
    presentation = session.get_one(Presentation, presentation_id)
    return session.get_one(Item, presentation.item_code), presentation


def read_item(item: Item) -> BlindItem:
    """The stored texts as a value."""
    return msgspec.convert({"code": item.code, **json.loads(item.content)}, type=BlindItem)


def open_store(path: Path) -> Store:
    """The store at `path`. Raises InputError if it is missing or was laid out by another version."""
    if not path.is_file():
        raise InputError(f"{path}: no such project database")
    store = Store(path)
    check_layout(store)
    return store


@cache
def shared_store(path: Path) -> Store:
    """The one store of this process for `path`, so that its writers take turns and its connections are reused."""
    return open_store(path)
