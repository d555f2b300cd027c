"""The scoring page: two versions side by side, the rubric's cards beneath, and what is saved at the end."""

from collections.abc import Sequence

import streamlit as st

from annotate_app.app_pages import cards, clicks, visit
from annotate_app.app_pages.cards import Board
from annotate_app.app_pages.clicks import Form
from annotate_app.app_pages.frame import begin
from annotate_app.app_pages.guide import show_guide
from annotate_app.blind import Version, gaps, line_above, untrimmed, versions
from annotate_app.store import Place, Store

COMMENT_LENGTH = 4000


def show(store: Store, row: Sequence[Place], place: Place) -> None:
    """Draw the pair that stands at `place`."""
    form = clicks.form_for(store, store.view(place))
    clicks.opened(store, form)
    begin(f"Pair {place.position} of {len(row)}", form.name)
    done = sum(1 for other in row if other.submitted)
    st.progress(done / len(row), text=f"{done} of {len(row)} submitted")
    visit.show_notice()
    _standing(store, form)
    show_guide(store.rubric)
    shown = versions(form.view.item, form.view.first)
    for column, version in zip(st.columns(2, gap="medium"), shown, strict=True):
        with column:
            _version(version, form)
    board = cards.board(store, form, shown)
    cards.show(board)
    _comment(store, form)
    _submission(board, row)


def _standing(store: Store, form: Form) -> None:
    """Say where a pair stands that was submitted before."""
    place = form.view.place
    if not place.submitted:
        return
    if place.draft is None:
        st.info("You have submitted this pair. You can still change your answers; a change counts once you submit it.")
        return
    st.warning("You have changed your answers to this pair. The changes count once you submit them.")
    st.button(
        "Keep the answers I submitted before", key=form.key("discard"), on_click=clicks.discard, args=(store, form)
    )


def _version(version: Version, form: Form) -> None:
    with st.container(border=True, height="stretch", key=form.key(f"version{version.number}")):
        st.subheader(f"Version {version.number}", anchor=False)
        if line := line_above(form.rubric, version):
            st.markdown(line)
        with st.expander("Prompt"):
            st.text(untrimmed(version.prompt))
        st.markdown("**Response**")
        st.text(untrimmed(version.response))


def _comment(store: Store, form: Form) -> None:
    st.text_area(
        "Comment (optional)",
        value=form.start("comment", form.view.entry.comment) or "",
        max_chars=COMMENT_LENGTH,
        key=form.key("comment"),
        on_change=clicks.keep_comment,
        args=(store, form),
    )


def _submission(board: Board, row: Sequence[Place]) -> None:
    """The end of the page: what is saved, what is missing, and the ways on."""
    store, form = board.store, board.form
    saved = clicks.settled(store, form)
    missing = gaps(store.rubric, saved.answers) if saved else []
    if missing and clicks.was_asked(form):
        st.error(f"Not submitted yet. Still missing: {'; '.join(cards.said(board, missing))}.")
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(
            "Submit the changes" if form.view.place.submitted else "Submit and go on",
            type="primary",
            key=form.key("submit"),
            on_click=clicks.submit,
            args=(store, form),
        )
        if pressed:
            clicks.submit_if_unheard(store, form)
        if saved and clicks.has_draft(form, saved):
            st.text(f"Saved: {cards.answered(board, missing)} answered. Not submitted yet.")
    _ways(form, row)


def _ways(form: Form, row: Sequence[Place]) -> None:
    """Back to what was submitted, and forward again."""
    at, last = form.view.place.position, visit.reachable(row)[-1].position
    all_done = all(place.submitted for place in row)
    with st.container(horizontal=True):
        if at > 1:
            st.button(f"Back to pair {at - 1}", key=form.key("back"), on_click=visit.go, args=(at - 1,))
        if at < last:
            st.button(f"Forward to pair {at + 1}", key=form.key("forward"), on_click=visit.go, args=(at + 1,))
        if all_done:
            st.button("To the last page", key=form.key("end"), on_click=visit.go, args=(visit.END,))
