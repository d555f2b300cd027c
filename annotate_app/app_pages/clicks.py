"""From widgets to the store and back: what stands on the screen, and what each click does.

A callback runs to its end before the page is drawn again; what a page's body does can be cut off by the next
click. So callbacks write, in one transaction each, and touch nothing of Streamlit but its session state.
"""

from contextlib import suppress
from typing import Any, NamedTuple

import streamlit as st

from annotate_app.app_pages import visit
from annotate_app.blind import (
    Entry,
    Question,
    leaves_open,
    merged,
    questions,
    settle,
    shown_answer,
    shown_number,
    stored_answer,
)
from annotate_app.store import Store, View
from polibias.domain.rubric import Rubric
from polibias.errors import StorageError

ASKED, DROPS, OPENED, PRESSED = "clicks.asked", "clicks.drops", "clicks.opened", "clicks.pressed"

BLANK = (None, "")

SIGNED_OUT = "This window is no longer signed in, so the last click was not saved."
NOT_SAVED = "Your last choice could not be saved yet. It stays on this page; click it again, or load the page anew."
NOT_SUBMITTED = "The pair could not be submitted just now. Your choices stay on this page; please try again."
OVERTAKEN = (
    "The pair was already submitted, here or in another window, when the last click arrived. "
    "That click changed nothing; you now see what is stored."
)
NOTHING_NEW = "Nothing was changed, so what you submitted before stands."


class Form(NamedTuple):
    """One place at one revision as it stands on the screen. Widget keys carry only code and revision.

    `drops` counts the drafts dropped in this window: widgets after one are new ones.
    """

    rubric: Rubric
    view: View
    drops: int = 0

    @property
    def name(self) -> str:
        code, revision = self.view.item.code, self.view.place.revision
        return f"{code}-{revision}.{self.drops}" if self.drops else f"{code}-{revision}"

    def key(self, part: str) -> str:
        return f"{self.name}-{part}"

    def part(self, question: Question) -> str:
        """A question's place on the screen, which speaks of versions 1 and 2 only."""
        kind = question.kind
        return f"{question.part}-{shown_number(kind, self.view.first) if kind == 'A' or kind == 'B' else kind}"

    def shown(self, question: Question) -> str | None:
        """What a question shows at first; a `none` that only follows from the score is no answer to it."""
        answers = self.view.entry.answers
        if not leaves_open(self.rubric, question, answers):
            return None
        return shown_answer(question, answers.get(question.id), self.view.first)

    def start(self, part: str, stored: str | None) -> str | None:
        """What a widget starts from, to be asked before it is drawn.

        A widget that this window shows keeps what is on the screen, unless that is blank and something is stored,
        said in another window.
        """
        key = self.key(part)
        if key not in st.session_state:
            return stored
        if st.session_state[key] in BLANK and stored not in BLANK:
            st.session_state[key] = stored
        return None

    def on_screen(self) -> Entry:
        """What the reader has before them. A blank says nothing: only its own callback takes a comment away."""
        answers = {
            question.id: stored_answer(question, self._value(self.part(question)), self.view.first)
            for question in questions(self.rubric)
        }
        return settle(self.rubric, Entry(answers, self._value("comment") or None))

    def _value(self, part: str) -> Any:
        return st.session_state.get(self.key(part))


def opened(store: Store, form: Form) -> None:
    """Record once per window that this place was put before its reader."""
    if st.session_state.get(OPENED) == form.name:
        return
    st.session_state[OPENED] = form.name
    with suppress(StorageError):
        store.opened(form.view.place)


def keep(store: Store, form: Form) -> None:
    """Callback of every choice: store what stands on the screen. A refused write shows when the page is drawn."""
    _keep(store, form, form.on_screen())


def keep_comment(store: Store, form: Form) -> None:
    """Callback of the comment, which may also take it away."""
    screen = form.on_screen()
    _keep(store, form, Entry(screen.answers, screen.comment or ""))


def _keep(store: Store, form: Form, given: Entry) -> None:
    person = visit.person(store)
    if person is None:
        visit.tell("trouble", SIGNED_OUT)
        return
    place = form.view.place
    with suppress(StorageError):
        receipt = store.keep(person.id, place.presentation, place.revision, given)
        if receipt.outcome == "late":
            visit.tell("information", OVERTAKEN)
        elif receipt.outcome != "repeated":
            visit.forget()


def submit(store: Store, form: Form) -> None:
    """Callback of the submit button. A second click finds the pair submitted, and says so as the first one did."""
    st.session_state[PRESSED] = form.name
    person = visit.person(store)
    if person is None:
        visit.tell("trouble", SIGNED_OUT)
        return
    place = form.view.place
    try:
        receipt = store.submit(person.id, place.presentation, place.revision, form.on_screen())
    except StorageError:
        visit.tell("trouble", NOT_SUBMITTED)
        return
    if receipt.outcome == "incomplete":
        st.session_state[ASKED] = form.name
        visit.forget()
        return
    visit.go(None)
    if receipt.outcome == "late":
        visit.tell("information", OVERTAKEN)
    elif receipt.outcome == "unchanged":
        visit.tell("information", NOTHING_NEW)
    else:
        visit.tell("done", f"Pair {place.position} is submitted and saved.")


def submit_if_unheard(store: Store, form: Form) -> None:
    """Submit a press of the button whose callback did not run.

    A window that reconnects to a restarted server sends its click to a session that does not know the button yet.
    """
    if st.session_state.pop(PRESSED, "") != form.name:
        submit(store, form)
        st.rerun()


def discard(store: Store, form: Form) -> None:
    """Callback: forget a draft, so that the answers submitted before stand again."""
    person = visit.person(store)
    if person is None:
        visit.tell("trouble", SIGNED_OUT)
        return
    place = form.view.place
    try:
        store.discard(person.id, place.presentation, place.revision)
    except StorageError:
        visit.tell("trouble", NOT_SAVED)
        return
    visit.forget()
    st.session_state[DROPS] = st.session_state.get(DROPS, 0) + 1


def form_for(store: Store, view: View) -> Form:
    """The form of a view in this window."""
    return Form(store.rubric, view, st.session_state.get(DROPS, 0))


def was_asked(form: Form) -> bool:
    """Whether the reader has tried to submit this, so that gaps may be named."""
    return bool(st.session_state.get(ASKED) == form.name)


def settled(store: Store, form: Form) -> Entry | None:
    """What is stored, once that is what stands on the screen; None if it cannot be made so.

    `form.view` was read after the click was stored: a difference means that a write was refused, or that the
    connection broke between click and callback. Then the screen is stored now.
    """
    stored, place = settle(form.rubric, form.view.entry), form.view.place
    screen = merged(form.rubric, stored, form.on_screen())
    if screen == stored:
        return stored
    person = visit.person(store)
    try:
        kept = person and store.keep(person.id, place.presentation, place.revision, screen)
    except StorageError:
        kept = None
    if kept and kept.outcome in ("saved", "unchanged"):
        return screen
    st.error(NOT_SAVED)
    return None


def has_draft(form: Form, entry: Entry) -> bool:
    """Whether something is stored that is not submitted."""
    return form.view.place.draft is not None or entry != settle(form.rubric, form.view.entry)
