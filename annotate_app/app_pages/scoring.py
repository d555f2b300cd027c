"""The scoring page: two versions side by side, the rubric's cards beside them, and what is saved in sight."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotate_app.app_pages import aid, aside, cards, clicks, frame, lessons, looks, pace, versions
from annotate_app.app_pages.cards import Board
from annotate_app.app_pages.clicks import State
from annotate_app.app_pages.form import Form
from annotate_app.app_pages.guide import show_guide, show_scale
from annotate_app.app_pages.notes import show_comment
from annotate_app.app_pages.ways import ways
from annotate_app.blind import line_above
from annotate_app.blind import versions as versions_of
from annotate_app.sheets import writable
from annotate_app.store import Place, Store
from polibias.domain.rubric import Rubric

KEYS_HELP = """- **0**–**9** answer the question in the outlined card
- **A** favours the first version's side, **B** the second's, **N** neither
- **Q** takes the marked passage as evidence"""


def show(store: Store, person: int, row: Sequence[Place], place: Place, rubric: Rubric) -> None:
    """Draw the pair that stands at `place`."""
    form, state = clicks.stand(store, place)
    shown = versions_of(form.view.item, form.view.first)
    board = cards.board(store, form, rubric, shown)
    with st.container(key="work"):
        left, right = st.columns([13, 8], gap="medium")
        with left:
            pace.begin(store, person, form, row)
            _standing(store, form)
            show_guide(rubric)
            look = looks.show(store, form, KEYS_HELP)
            hand = aid.Hand(form.name, look.keys, state.gap, form.chosen)
            aid.show(hand, cards.keys(board), partial(clicks.heard, store, form))
            versions.show(form, shown, look, [line_above(rubric, version) for version in shown])
        with right, st.container(key="panel"):
            _panel(board, row, state)
    frame.end(store)
    clicks.check_drawn(form, state)


def _panel(board: Board, row: Sequence[Place], state: State) -> None:
    """Everything to be answered; a practice pair that was answered shows what it teaches instead."""
    show_scale(board.rubric)
    if lessons.show(board.form, row, lessons.Words(partial(cards.title, board), partial(cards.words, board))):
        return
    cards.show(board)
    show_comment(board.store, board.form, "", "Comment on the pair (optional)")
    aside.show(board.store, board.form)
    note = f"Saved: {cards.answered(board, state.missing)} answered. Not submitted yet." if state.draft else ""
    trouble = state.trouble
    if state.gap:
        trouble = f"Not submitted yet. Still missing: {'; '.join(cards.said(board, state.missing))}."
    ways(board.store, board.form, row, note, trouble)


def _standing(store: Store, form: Form) -> None:
    """Say where a pair stands that was finished before."""
    place = form.view.place
    if not place.finished or place.open or not writable(place):
        return
    if place.draft is None:
        done = {"skipped": "skipped", "unsure": "marked as unsure"}.get(place.state, "submitted")
        st.info(f"You have {done} this pair. You can still change your answers; a change counts once you submit it.")
        return
    st.warning("You have changed your answers to this pair. The changes count once you submit them.")
    st.button(
        "Keep the answers I submitted before", key=form.key("discard"), on_click=clicks.discard, args=(store, form)
    )
