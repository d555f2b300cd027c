"""What one browser window remembers between two clicks: who it is, where it stands, what to tell its reader.

Nothing here is an answer: answers are in the database before the page is drawn again.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import streamlit as st

from annotate_app import access
from annotate_app.app_pages.window import memory
from annotate_app.store import Place, Store, first_open, reachable

COOKIE, AT, NOTICE, TAUGHT = "visit.cookie", "visit.at", "visit.notice", "visit.taught"
END, LEAVING, NEXT, TERMS = "end", "leaving", "next", "terms"
Kind = Literal["done", "information", "trouble"]


class Notice(NamedTuple):
    """One line for the reader. It stays until the next click that does something: a page may be drawn twice."""

    kind: Kind
    text: str


def person(store: Store) -> access.Person | None:
    """Whose window this is, asked of the database every time.

    A window that has just lost its connection has no cookies to show; its click was made before and still counts.
    """
    cookie = access.cookie_in(store, st.context.cookies)
    if not cookie and not st.context.headers:
        cookie = memory().get(COOKIE, "")
    memory()[COOKIE] = cookie
    return access.person(store, cookie)


def at() -> object:
    """Where the reader went: a presentation, END, LEAVING, NEXT, TERMS, or None for wherever the work is."""
    return memory().get(AT)


def reconsidering() -> bool:
    """Whether somebody who said no to a term looks at the terms again."""
    return at() == TERMS


def place(row: Sequence[Place]) -> Place | None:
    """Where this window stands: where its reader went, else the newest draft, else the first open place.

    Who has just finished an item is led to the first open one, and to changes not submitted only at the end. None is
    the end of the row. A practice item that was just answered stands as answered until its feedback is left, although
    another attempt may have opened it again.
    """
    if (taught := _taught(row)) is not None:
        return taught
    open_to_me = reachable(row)
    if at() == END and first_open(row) is None:
        return None
    chosen = next((place for place in open_to_me if place.presentation == at()), None)
    drafts = sorted((place for place in open_to_me if place.draft), key=lambda place: place.touched_at)
    newest, waiting = (drafts[-1] if drafts else None), first_open(row)
    return chosen or ((waiting or newest) if at() == NEXT else (newest or waiting))


def go(where: int | str | None) -> None:
    """Stand somewhere from now on; None lets the page choose."""
    memory()[AT] = where
    memory()[TAUGHT] = None
    forget()


def teach(presentation: int, revision: int) -> None:
    """Stay at a practice item that was just answered, for its feedback."""
    memory()[TAUGHT] = (presentation, revision)


def _taught(row: Sequence[Place]) -> Place | None:
    stays = memory().get(TAUGHT)
    found = next((place for place in row if (place.presentation, place.finished) == stays), None)
    return found and found._replace(needed=found.finished)


def tell(kind: Kind, text: str) -> None:
    """Put a line before the reader."""
    memory()[NOTICE] = Notice(kind, text)


def told(text: str) -> bool:
    """Whether this is the line that stands before the reader, so that it can be said where it belongs too."""
    notice = memory().get(NOTICE)
    return notice is not None and notice.text == text


def forget() -> None:
    """Take the line away: something else was done since."""
    memory()[NOTICE] = None


def show_notice() -> None:
    """Draw the line, if there is one."""
    notice = memory().get(NOTICE)
    if notice is None:
        return
    draw = {"done": st.success, "information": st.info, "trouble": st.error}[notice.kind]
    draw(notice.text)
