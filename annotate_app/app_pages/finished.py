"""The last page: thanks, the annotator's own record, and a way back to any pair until the study closes."""

from collections.abc import Sequence

import streamlit as st

from annotate_app.app_pages import frame, record, visit
from annotate_app.app_pages.window import value
from annotate_app.store import Place, Store

CHOSEN = "finished.chosen"


def show(store: Store, person: int, row: Sequence[Place]) -> None:
    """Say how much was done. Nothing more is asked for."""
    frame.begin("Thank you", "end")
    mine = [place for place in row if place.role != "practice"]
    if not mine:
        st.text("There is nothing for you to compare in this project.")
        frame.end(store)
        return
    st.text(f"You are done with all {len(mine)} pairs, and all of it is saved. You can close this page now.")
    st.text("Until the study closes you can look at a pair again and change an answer; choose it here.")
    numbers = {place.presentation: place.number for place in mine}
    st.selectbox(
        "Look at a pair again",
        list(numbers),
        index=None,
        format_func=lambda presentation: f"Pair {numbers[presentation]}",
        placeholder="Choose a pair",
        key=CHOSEN,
        on_change=_open,
        width=320,
    )
    record.show(store, person)
    frame.end(store)


def _open() -> None:
    visit.go(value(CHOSEN))
