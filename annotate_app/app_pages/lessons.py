"""What a practice pair teaches once it was answered: the answers expected beside those given, and why."""

from collections.abc import Sequence

import streamlit as st

from annotate_app.app_pages import visit
from annotate_app.app_pages.cards import Board
from annotate_app.app_pages.ways import steps
from annotate_app.blind import literal, shown_favoured
from annotate_app.questions import Question
from annotate_app.store import Place, first_open
from polibias.domain.display import visible

ONCE_MORE = "Your practice answers were further from these than the study needs. Please practise once more."


def show(board: Board, row: Sequence[Place]) -> bool:
    """Draw the feedback, if this is an answered practice pair; whether it is one."""
    lesson = board.form.view.lesson
    if lesson is None:
        return False
    st.subheader("What we would have answered", anchor=False)
    lines = [
        _line(board, question, lesson.expected[question.id])
        for question in board.form.questions
        if question.id in lesson.expected
    ]
    if lines:
        st.markdown("\n".join(lines))
    st.text(visible(lesson.feedback))
    if any(one.open for one in row if one.presentation == board.form.view.place.presentation):
        st.warning(ONCE_MORE)
    with st.container(horizontal=True):
        waiting = first_open(row)
        ready = waiting is None or waiting.role != "practice"
        st.button(
            "Begin with the pairs" if ready else "Go on",
            type="primary",
            key=board.form.key("submit"),
            on_click=visit.go,
            args=(None,),
        )
        steps(board.form, row)
    return True


def _line(board: Board, question: Question, expected: tuple[str, ...]) -> str:
    given = board.form.view.entry.answers.get(question.id)
    mark = "as you did" if given in expected else f"you chose {_words(board, question, given)}"
    ours = " or ".join(_words(board, question, value) for value in expected)
    return f"- **{literal(_title(board, question))}**: {ours} ({mark})"


def _title(board: Board, question: Question) -> str:
    titles = {part.id: part.title for part in board.rubric.dimensions}
    titles |= {part.id: part.title for part in board.rubric.labels}
    title = titles.get(question.part, question.part)
    return f"{title}, {board.rubric.favoured.question}" if question.kind == "favoured" else title


def _words(board: Board, question: Question, value: str | None) -> str:
    if value is None:
        return "nothing"
    if question.kind != "favoured":
        return literal(value)
    shown = shown_favoured(value, board.form.view.first)
    return literal(dict(zip(("1", "2", "none"), board.sides, strict=True)).get(shown or "", value))
