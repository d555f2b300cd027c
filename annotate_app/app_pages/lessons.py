"""What a practice item teaches once it was answered: the answers expected beside those given, and why."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from annotate_app.app_pages import visit
from annotate_app.app_pages.form import Form
from annotate_app.app_pages.ways import steps
from annotate_app.questions import Question
from annotate_app.store import Place, first_open
from polibias.domain.display import visible

ONCE_MORE = "Your practice answers were further from these than the study needs. Please practise once more."


class Words(NamedTuple):
    """How a kind of study says a question and a stored answer, as Markdown."""

    title: Callable[[Question], str]
    answer: Callable[[Question, str], str]


def show(form: Form, row: Sequence[Place], words: Words) -> bool:
    """Draw the feedback, if this is an answered practice item; whether it is one."""
    lesson = form.view.lesson
    if lesson is None:
        return False
    st.header("What we would have answered", anchor=False)
    asked = [question for question in form.questions if question.id in lesson.expected]
    if asked:
        st.markdown("\n".join(_line(form, question, lesson.expected[question.id], words) for question in asked))
    st.text(visible(lesson.feedback))
    waiting = first_open(row)
    ready = waiting is None or waiting.role != "practice"
    if any(one.open for one in row if one.presentation == form.view.place.presentation):
        st.warning(ONCE_MORE)
    with st.container(horizontal=True):
        st.button(
            "Begin with the pairs" if ready else "Go on",
            type="primary",
            key=form.key("submit"),
            on_click=visit.go,
            args=(None,),
        )
        steps(form, row)
    return True


def _line(form: Form, question: Question, expected: Sequence[str], words: Words) -> str:
    given = form.view.entry.answers.get(question.id)
    yours = "nothing" if given is None else words.answer(question, given)
    mark = "as you did" if given in expected else f"you chose {yours}"
    return f"- **{words.title(question)}**: {' or '.join(words.answer(question, one) for one in expected)} ({mark})"
