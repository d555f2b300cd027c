"""Which items have whom, by opaque code."""

from collections.abc import Callable
from html import escape

import streamlit as st

from annotate_app.desk_pages.look import Column, begin, refresh, table
from annotate_app.desk_pages.paging import page_of
from annotate_app.watch import Coverage, Watched

ITEMS_A_PAGE = 100
CHOSEN = "items.shown"
COLUMNS = (
    Column("Item"),
    Column("People who have it", number=True),
    Column("Done", number=True),
    Column("Wanted", number=True),
    Column("Flags", number=True),
)
SHOWN: dict[str, Callable[[Coverage], bool]] = {
    "All": lambda _: True,
    "Not done yet": lambda one: one.done < one.wanted,
    "Too few people": lambda one: one.assigned < one.wanted,
    "Flagged": lambda one: one.flags > 0,
}


def show(watched: Watched) -> None:
    """Every item's coverage; flags are counted, what they say stays with the export."""
    board = watched.board()
    begin(f"{board.project}: items")
    refresh(_summary(board.items))
    chosen = st.radio("Show", list(SHOWN), horizontal=True, key=CHOSEN)
    found = [one for one in board.items if SHOWN[chosen](one)]
    if not found:
        st.text("There are none.")
        return
    first = page_of("items", chosen, len(found), ITEMS_A_PAGE)
    table("Coverage of each item", COLUMNS, map(_row, found[first : first + ITEMS_A_PAGE]))


def _summary(items: list[Coverage]) -> str:
    done = sum(1 for one in items if one.done >= one.wanted > 0)
    short = sum(1 for one in items if one.assigned < one.wanted)
    return f"{len(items)} items: {done} done, {short} with too few people, {sum(one.flags for one in items)} flags."


def _row(one: Coverage) -> list[str]:
    return [f"<code>{escape(one.item)}</code>", str(one.assigned), str(one.done), str(one.wanted), str(one.flags)]
