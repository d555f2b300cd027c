"""What one browser window remembers between two clicks: who it is, where it stands, what to tell its reader.

Nothing here is an answer: answers are in the database before the page is drawn again.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import streamlit as st

from annotate_app import access
from annotate_app.store import Place, Store, first_open

COOKIE, AT, NOTICE = "visit.cookie", "visit.at", "visit.notice"
END = 0


class Notice(NamedTuple):
    """One line for the reader. It stays until the next click that does something: a page may be drawn twice."""

    kind: Literal["done", "information", "trouble"]
    text: str


def person(store: Store) -> access.Person | None:
    """Whose window this is, asked of the database every time.

    A window that has just lost its connection has no cookies to show; its click was made before and still counts.
    """
    cookie = access.cookie_in(store, st.context.cookies)
    if not cookie and not st.context.headers:
        cookie = st.session_state.get(COOKIE, "")
    st.session_state[COOKIE] = cookie
    return access.person(store, cookie)


def place(row: Sequence[Place]) -> Place | None:
    """Where this window stands: where its reader went, else the newest draft, else the first open pair.

    None is the end of the row.
    """
    at = st.session_state.get(AT)
    if at == END and first_open(row) is None:
        return None
    chosen = next((place for place in reachable(row) if place.position == at), None)
    drafts = sorted((place for place in row if place.draft), key=lambda place: place.touched_at)
    return chosen or (drafts[-1] if drafts else first_open(row))


def reachable(row: Sequence[Place]) -> list[Place]:
    """The places that may be looked at: everything submitted and the first that is not."""
    waiting = first_open(row)
    return [place for place in row if waiting is None or place.position <= waiting.position]


def go(position: int | None) -> None:
    """Stand at a position from now on; None lets the page choose, END is the last page."""
    st.session_state[AT] = position
    forget()


def tell(kind: Literal["done", "information", "trouble"], text: str) -> None:
    """Put a line before the reader."""
    st.session_state[NOTICE] = Notice(kind, text)


def forget() -> None:
    """Take the line away: something else was done since."""
    st.session_state[NOTICE] = None


def show_notice() -> None:
    """Draw the line, if there is one."""
    notice = st.session_state.get(NOTICE)
    if notice is None:
        return
    draw = {"done": st.success, "information": st.info, "trouble": st.error}[notice.kind]
    draw(notice.text)
