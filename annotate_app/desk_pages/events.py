"""What happened, newest first: when, what, who, which item. What an event says stays in the database."""

from html import escape

import streamlit as st

from annotate_app.desk_pages.look import Column, begin, person, refresh, table, when
from annotate_app.desk_pages.paging import page_of
from annotate_app.watch import Happening, Watched

EVENTS_A_PAGE = 50
WHO, WHAT = "events.annotator", "events.kind"
ANY = ""
COLUMNS = (
    Column("Number"),
    Column("Time (UTC)", wide=True),
    Column("Event"),
    Column("Annotator"),
    Column("Item", wide=True),
)


def show(watched: Watched) -> None:
    """The events of one annotator or all, of one kind or all."""
    begin(f"{watched.project()}: events")
    names, kinds = watched.names(), watched.kinds()
    whose, which = st.columns(2)
    with whose:
        who = st.selectbox("Annotator", [ANY, *names], format_func=_all, key=WHO)
    with which:
        what = st.selectbox("Kind of event", [ANY, *kinds], format_func=_all, key=WHAT)
    total = watched.happenings(who, what, 0, 0).total
    refresh(f"{total} event{'' if total == 1 else 's'}, newest first.")
    first = page_of("events", f"{who}\n{what}", total, EVENTS_A_PAGE)
    table("Events", COLUMNS, map(_row, watched.happenings(who, what, first, EVENTS_A_PAGE).shown))


def _all(value: str) -> str:
    return value or "All"


def _row(one: Happening) -> list[str]:
    item = f"<code>{escape(one.item)}</code>" if one.item else "–"
    return [str(one.number), when(one.at), escape(one.kind), person(one.annotator or "–"), item]
