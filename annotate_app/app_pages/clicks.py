"""From widgets to the store and back: what stands on the screen, and what each click does.

What a page's body does can be cut off by the next click. So callbacks write, in one transaction each; they touch
nothing of Streamlit before, and of what they remember only what `window` keeps.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import streamlit as st

from annotate_app.app_pages import visit
from annotate_app.app_pages.form import BREAKS, DROPS, Form, commented, form_for
from annotate_app.app_pages.window import memory, value
from annotate_app.passages import passage
from annotate_app.questions import CHECK, Entry, Question, Quote, gaps, merged, settle
from annotate_app.sheets import writable
from annotate_app.store import Place, Receipt, Store
from polibias.domain.sides import other
from polibias.errors import StorageError

STORED = ("saved", "unchanged")
ASKED, OPENED, PRESSED = "clicks.asked", "clicks.opened", "clicks.pressed"

SIGNED_OUT = "This window is no longer signed in, so the last click was not saved."
NOT_SAVED = "Your last choice could not be saved yet. It stays on this page; click it again, or load the page anew."
NOT_SUBMITTED = "The pair could not be submitted just now. Your choices stay on this page; please try again."
OVERTAKEN = (
    "The pair was already submitted, here or in another window, when the last click arrived. "
    "That click changed nothing; you now see what is stored."
)
NOTHING_NEW = "Nothing was changed, so what you submitted before stands."
UNSEEN = (
    "Another window of yours has changed answers to this pair since this one was drawn. You now see what is stored; "
    "please look at it and submit again."
)
CLOSED = "The study does not take answers any more, so the last click changed nothing."
NO_PASSAGE = "The marked passage was not found in one of the responses. Mark a passage within one response, please."
NO_REASON = "Please choose a reason first."


def stand(store: Store, place: Place) -> tuple[Form, "State"]:
    """The form of the item at a place and how it stands, for a page to draw."""
    form = form_for(store, store.view(place))
    opened(store, form)
    found = state(store, form)
    if found.saved is None:
        return form, found
    return form._replace(view=form.view._replace(entry=found.saved)), found


def opened(store: Store, form: Form) -> None:
    """Record once per window that this place was put before its reader."""
    if memory().get(OPENED) == form.name:
        return
    memory()[OPENED] = form.name
    with suppress(StorageError):
        store.opened(form.view.place)


def keep(store: Store, form: Form) -> None:
    """Callback of every choice: store what stands on the screen. A refused write shows when the page is drawn."""
    _keep(store, form, form.said_here())


def keep_comment(store: Store, form: Form, part: str) -> None:
    """Callback of a comment: it alone can take what was written away."""
    here = form.said_here()
    text = value(form.key(commented(part))) or ""
    _keep(store, form, Entry(here.answers, here.comments | {part: text}))


def add_quote(store: Store, form: Form, part: str, version: object, marked: object) -> None:
    """Store a marked passage of one response as evidence; it is kept as it stands in the response."""
    first, item = form.view.first, form.view.item
    side = first if version == 1 else other(first)
    known = {question.part for question in form.questions} - {CHECK.part}
    found = passage(item.responses[side], marked) if isinstance(marked, str) and version in (1, 2) else ""
    if part not in known or not found:
        visit.tell("trouble", NO_PASSAGE)
        return
    _write(store, lambda person: _quote(store, form, person, part, Quote(side, found), True))


def drop_quote(store: Store, form: Form, part: str, quote: Quote) -> None:
    """Callback: take a passage away."""
    _write(store, lambda person: _quote(store, form, person, part, quote, False))


def _quote(store: Store, form: Form, person: int, part: str, quote: Quote, wanted: bool) -> Receipt:
    place = form.view.place
    return store.quote(person, place.presentation, place.revision, part, quote, wanted)


def _keep(store: Store, form: Form, given: Entry) -> None:
    place = form.view.place

    def write(person: int) -> Receipt:
        receipt = store.keep(person, place.presentation, place.revision, given)
        if receipt.outcome in STORED:
            form.heard()
        return receipt

    _write(store, write)


def _write(store: Store, write: Callable[[int], Receipt]) -> None:
    """Store part of a draft. A refused write shows when the page is drawn."""
    person = visit.person(store)
    if person is None:
        visit.tell("trouble", SIGNED_OUT)
        return
    with suppress(StorageError):
        receipt = write(person.id)
        if receipt.outcome in ("late", "closed"):
            visit.tell("information", OVERTAKEN if receipt.outcome == "late" else CLOSED)
        elif receipt.outcome != "repeated":
            visit.forget()


def submit(store: Store, form: Form) -> None:
    """Callback of the submit button. A second click finds the pair submitted, and says so as the first one did."""
    memory()[PRESSED] = form.name
    place = form.view.place

    def write(person: int) -> Receipt:
        return store.submit(person, place.presentation, place.revision, form.said_here(), form.on_screen())

    _finish(store, form, write, f"{noun(form)} {place.number} is submitted and saved.")


def leave(store: Store, form: Form, state: Literal["skipped", "unsure"]) -> None:
    """Callback: be done with an item without an answer, for the reason chosen beside the button."""
    place = form.view.place
    reason = value(form.key(f"{state}-reason"))
    if reason is None:
        visit.tell("trouble", NO_REASON)
        return

    def write(person: int) -> Receipt:
        given = form.said_here()
        return store.leave(person, place.presentation, place.revision, state, reason, given)

    done = "is skipped" if state == "skipped" else "is marked as unsure"
    _finish(store, form, write, f"{noun(form)} {place.number} {done}; that is saved. You can come back to it.")


def _finish(store: Store, form: Form, write: Callable[[int], Receipt], done: str) -> None:
    person = visit.person(store)
    if person is None:
        visit.tell("trouble", SIGNED_OUT)
        return
    try:
        receipt = write(person.id)
    except StorageError:
        visit.tell("trouble", NOT_SUBMITTED)
        return
    if receipt.outcome in ("incomplete", "unseen"):
        form.heard()
        memory()[ASKED] = form.name
        visit.forget()
        if receipt.outcome == "unseen":
            visit.tell("information", UNSEEN)
        return
    place = form.view.place
    # Practice answers meet their feedback; everything else leads on.
    visit.go(visit.NEXT)
    if place.role == "practice":
        visit.teach(place.presentation, place.revision)
    visit.tell(*_said(receipt, done))


def _said(receipt: Receipt, done: str) -> visit.Notice:
    return {
        "late": visit.Notice("information", OVERTAKEN),
        "closed": visit.Notice("information", CLOSED),
        "unchanged": visit.Notice("information", NOTHING_NEW),
    }.get(receipt.outcome, visit.Notice("done", done))


def noun(form: Form) -> str:
    """What an item is called on its page."""
    return "Practice pair" if form.view.place.role == "practice" else "Pair"


def submit_if_unheard(store: Store, form: Form) -> None:
    """Submit a press of the button whose callback did not run.

    A window that reconnects to a restarted server sends its click to a session that does not know the button yet.
    """
    if memory().pop(PRESSED, "") != form.name:
        submit(store, form)
        st.rerun()


def flag(store: Store, form: Form) -> None:
    """Callback: report something about the item before the reader."""
    reason = value(form.key("flag-reason"))
    person = visit.person(store)
    if person is None or reason is None:
        visit.tell("trouble", SIGNED_OUT if person is None else NO_REASON)
        return
    comment = value(form.key("flag-comment")) or ""
    try:
        receipt = store.flag(person.id, form.view.place.presentation, reason, comment)
    except StorageError:
        visit.tell("trouble", NOT_SAVED)
        return
    # What was reported does not stay there to be reported again.
    st.session_state[form.key("flag-reason")], st.session_state[form.key("flag-comment")] = None, ""
    closed = receipt.outcome == "closed"
    visit.tell(*(("information", CLOSED) if closed else ("done", "Your report is saved. Thank you.")))


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
    memory()[DROPS] = memory().get(DROPS, 0) + 1


def noticed(store: Store, form: Form, kind: Literal["idle", "viewed"], body: dict[str, Any]) -> None:
    """Record what is no answer; losing it loses no answer."""
    person = visit.person(store)
    if person is not None:
        with suppress(StorageError):
            store.noticed(form.view.place, kind, body)


def heard(store: Store, form: Form, kind: str, said: dict[str, Any]) -> None:
    """What the browser reports about the page on which this form stands."""
    if said.get("page") != form.name:
        return
    if kind == "blank":
        memory()[BREAKS] = form.breaks + 1
    if kind == "quote":
        add_quote(store, form, str(said.get("part")), said.get("version"), said.get("text"))
    seconds = said.get("seconds")
    if kind == "idle" and isinstance(seconds, int | float) and 0 < seconds < 1e7:
        noticed(store, form, "idle", {"seconds": float(seconds)})


def answers_on_screen(form: Form) -> dict[str, str | None]:
    """The answers in stored form as they stand: what this window shows, and what is stored where it shows nothing."""
    return merged(form.scheme, form.view.entry, form.on_screen()).answers


class State(NamedTuple):
    """How the item on the screen stands in the store.

    `saved` is what is stored, None if what stands on the screen could not be.
    `draft`: something is stored that is not submitted. `gap` is the part that kept it from being submitted, once that
    was tried, '' for none. `trouble` says what could not be stored or submitted, '' for nothing.
    """

    saved: Entry | None
    missing: tuple[Question, ...]
    draft: bool
    gap: str
    trouble: str


def state(store: Store, form: Form) -> State:
    """The state of a form, to be asked before its widgets are drawn."""
    saved = _settled(store, form)
    if saved is None:
        return State(None, (), False, "", NOT_SAVED)
    missing = tuple(gaps(form.scheme, saved.answers, bool(form.view.check)))
    tried = memory().get(ASKED) == form.name
    conflict = form.scheme.conflict(saved.answers) if tried and not missing else ""
    draft = form.view.place.draft is not None or saved != settle(form.scheme, form.view.entry)
    return State(saved, missing, draft, missing[0].part if tried and missing else "", conflict)


def check_drawn(form: Form, state: State) -> None:
    """Draw the page once more if it shows an answer that is not stored; that stores it.

    A window that comes back to a restarted server brings what stands on its screen along with the first drawing,
    and only widgets that were drawn can be asked.
    """
    if state.saved is None or not writable(form.view.place):
        return
    if merged(form.scheme, state.saved, form.said_here()) != state.saved:
        st.rerun()


def _settled(store: Store, form: Form) -> Entry | None:
    """What is stored, once that is what stands on the screen; None if it cannot be made so.

    `form.view` was read after the click was stored: a difference means that a write was refused, or that the
    connection broke between click and callback. Then the screen is stored now.
    """
    stored, place = settle(form.scheme, form.view.entry), form.view.place
    screen = merged(form.scheme, stored, form.said_here())
    if screen == stored or not writable(place):
        return stored
    person = visit.person(store)
    try:
        kept = person and store.keep(person.id, place.presentation, place.revision, screen)
    except StorageError:
        kept = None
    if not kept or kept.outcome not in STORED:
        return None
    form.heard()
    return screen
