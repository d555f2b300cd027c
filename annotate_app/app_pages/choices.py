"""One question on the screen: a group of choices whose callback stores what was chosen."""

from collections.abc import Sequence

import streamlit as st

from annotate_app.app_pages import clicks
from annotate_app.app_pages.form import Form
from annotate_app.blind import SHOWN, distinct, literal
from annotate_app.questions import CHECK, Question
from annotate_app.store import Store


def ask(
    store: Store,
    form: Form,
    question: Question,
    words: tuple[str, str],
    options: Sequence[str],
    in_a_row: bool = True,
    disabled: bool = False,
) -> str | None:
    """Draw one question and return the choice on the screen. `options` say the question's values, in their order."""
    values = SHOWN if question.kind == "favoured" else question.values
    part = form.part(question)
    start = form.start(part, form.shown(question))
    return st.radio(
        ": ".join(map(literal, words)),
        values,
        index=None if start is None else values.index(start),
        format_func=dict(zip(values, distinct([literal(text) for text in options]), strict=True)).__getitem__,
        key=form.key(part),
        on_change=clicks.keep,
        args=(store, form),
        horizontal=in_a_row,
        disabled=disabled,
    )


def show_check(store: Store, form: Form) -> None:
    """A question that says its answer: it shows that the page is read. It is no part of any result."""
    with st.container(border=True, key=form.key(f"card-{CHECK.part}"), gap="small"):
        st.header("A check", anchor=False)
        st.text(f"To show that this page is being read, please choose {form.view.check} here.")
        ask(store, form, CHECK, ("A check", "your choice"), CHECK.values)
