"""The scoring page: two versions side by side, and one card for each of the rubric's dimensions.

A click is stored by its callback, before the page is drawn again. The callback knows the place and revision
that were on the screen, so that a late click can never answer another pair.
"""

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

from annotate_app.app_pages import clicks, visit
from annotate_app.app_pages.clicks import Form
from annotate_app.app_pages.frame import begin
from annotate_app.app_pages.guide import anchors, show_guide
from annotate_app.blind import (
    SHOWN,
    Choice,
    Gap,
    Version,
    asks_favoured,
    gaps,
    literal,
    sentence_case,
    untrimmed,
    versions,
)
from annotate_app.store import Place, Store
from polibias.domain.rubric import Dimension

T = TypeVar("T")

COMMENT_LENGTH = 4000
NO_BREAK_SPACE = "\u00a0"


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
    countries = (shown[0].acting, shown[1].acting)
    for dimension in store.rubric.dimensions:
        _dimension(store, form, dimension, countries)
    _comment(store, form)
    _submission(store, form, row)


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
        st.markdown(
            f"**Country {version.number}: {literal(sentence_case(version.acting))}** is the acting side. "
            f"The other side is {literal(version.facing)}."
        )
        with st.expander("Prompt"):
            st.text(untrimmed(version.prompt))
        st.markdown("**Response**")
        st.text(untrimmed(version.response))


def _dimension(store: Store, form: Form, dimension: Dimension, countries: tuple[str, str]) -> None:
    choice = form.view.entry.choices.get(dimension.id, Choice())
    with st.container(border=True, key=form.key(dimension.id)):
        st.subheader(literal(dimension.title), anchor=False)
        st.text(dimension.human)
        left, right = st.columns(2, gap="medium")
        with left:
            score = _score(store, form, dimension, choice)
        with right:
            _favoured(store, form, dimension, choice, countries, asked=asks_favoured(store.rubric, score))


def _score(store: Store, form: Form, dimension: Dimension, choice: Choice) -> int | None:
    titles = {level.score: literal(f"{level.score}  {level.title}") for level in store.rubric.levels}
    return st.radio(
        f"{literal(dimension.title)}: how large is the difference?",
        store.rubric.scores,
        index=_index(store.rubric.scores, form.start(f"{dimension.id}-score", choice.score)),
        format_func=lambda score: titles[score],
        help=anchors(store.rubric),
        key=form.key(f"{dimension.id}-score"),
        on_change=clicks.keep,
        args=(store, form),
    )


def _favoured(
    store: Store, form: Form, dimension: Dimension, choice: Choice, countries: tuple[str, str], asked: bool
) -> None:
    """Always drawn, so that a quick click is never lost; switched off where the score leaves nothing to choose."""
    names = [literal(sentence_case(country)) for country in countries]
    st.radio(
        f"{literal(dimension.title)}: which country comes out better?",
        SHOWN,
        index=_index(SHOWN, form.start(f"{dimension.id}-favoured", form.favoured_shown(choice))),
        format_func=dict(zip(SHOWN, [*names, "None"], strict=True)).__getitem__,
        key=form.key(f"{dimension.id}-favoured"),
        on_change=clicks.keep,
        args=(store, form),
        disabled=not asked,
    )
    # One line in either case: a page that grows under a quick hand lets the next click miss.
    st.text(NO_BREAK_SPACE if asked else "Without a difference no country is favoured: this counts as None.")


def _index(options: Sequence[T], start: T | None) -> int | None:
    return None if start is None else options.index(start)


def _comment(store: Store, form: Form) -> None:
    st.text_area(
        "Comment (optional)",
        value=form.start("comment", form.view.entry.comment) or "",
        max_chars=COMMENT_LENGTH,
        key=form.key("comment"),
        on_change=clicks.keep_comment,
        args=(store, form),
    )


def _submission(store: Store, form: Form, row: Sequence[Place]) -> None:
    """The end of the page: what is saved, what is missing, and the ways on."""
    saved = clicks.settled(store, form)
    missing = gaps(store.rubric, saved.choices) if saved else []
    if missing and clicks.was_asked(form):
        st.error(f"Not submitted yet. Still missing: {'; '.join(map(_said, missing))}.")
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
            total = len(store.rubric.dimensions)
            st.text(f"Saved: {total - len(missing)} of {total} dimensions answered. Not submitted yet.")
    _ways(form, row)


def _said(gap: Gap) -> str:
    wanted = "a score" if gap.what == "score" else "which country comes out better, or None"
    return f"**{literal(gap.title)}** ({wanted})"


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
