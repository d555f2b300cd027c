"""The last page: thanks, the annotator's own count, and a way back to any pair."""

from collections.abc import Sequence

import streamlit as st

from annotate_app.app_pages import visit
from annotate_app.app_pages.frame import begin
from annotate_app.store import Place

CHOSEN = "finished.chosen"


def show(row: Sequence[Place]) -> None:
    """Say how much was done. Nothing more is asked for."""
    begin("Thank you", "end")
    visit.show_notice()
    if not row:
        st.text("There is nothing for you to compare in this project.")
        return
    st.text(f"You have submitted all {len(row)} pairs, and all of them are saved. You can close this page now.")
    st.text("If you would like to look at a pair again or change an answer, choose it here.")
    st.selectbox(
        "Look at a pair again",
        [place.position for place in row],
        index=None,
        format_func=lambda position: f"Pair {position}",
        placeholder="Choose a pair",
        key=CHOSEN,
        on_change=_open,
        width=320,
    )


def _open() -> None:
    visit.go(st.session_state[CHOSEN])
