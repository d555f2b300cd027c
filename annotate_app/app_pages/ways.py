"""The ways on from an item: submit it, go back, go forward. They stay in sight with what is saved."""

from collections.abc import Sequence

import streamlit as st

from annotate_app.app_pages import clicks, visit
from annotate_app.app_pages.form import Form
from annotate_app.store import Place, Store, first_open, reachable

NO_BREAK_SPACE = "\u00a0"


def ways(store: Store, form: Form, row: Sequence[Place], saved: str, trouble: str) -> None:
    """Draw the buttons, the line that says what is stored, and what keeps the item from being submitted."""
    with st.container(key="ways", gap="small"):
        if trouble:
            st.error(trouble)
        # Always a line, so that nothing moves under the hand when something is saved.
        st.text(saved or NO_BREAK_SPACE)
        with st.container(horizontal=True, vertical_alignment="center"):
            pressed = st.button(
                "Submit the changes" if form.view.place.finished and not form.view.place.open else "Submit and go on",
                type="primary",
                key=form.key("submit"),
                on_click=clicks.submit,
                args=(store, form),
            )
            if pressed:
                clicks.submit_if_unheard(store, form)
            steps(form, row)


def steps(form: Form, row: Sequence[Place]) -> None:
    """Back to what was finished, and forward again; practice stays behind once it is over."""
    place, open_to_me = form.view.place, reachable(row)
    practising = any(one.role == "practice" and one.open for one in row) or place.role == "practice"
    mine = [one for one in open_to_me if (one.role == "practice") == practising]
    at = next((number for number, one in enumerate(mine) if one.presentation == place.presentation), None)
    if at is None:
        return
    if at > 0:
        _step("Back", form, mine[at - 1])
    if at + 1 < len(mine):
        _step("Forward", form, mine[at + 1])
    if first_open(row) is None and place.role != "practice":
        st.button("To the last page", key=form.key("end"), on_click=visit.go, args=(visit.END,))


def _step(words: str, form: Form, to: Place) -> None:
    st.button(
        f"{words} to pair {to.number}",
        key=form.key(words.lower()),
        on_click=visit.go,
        args=(to.presentation,),
    )
