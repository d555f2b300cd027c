"""The questions of the form, in the rubric's words: one card for each dimension and each label.

A choice is stored by its callback, before the page is drawn again. The callback knows the place and revision
that were on the screen, so that a late click can never answer another pair.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import streamlit as st

from annotate_app.app_pages import clicks
from annotate_app.app_pages.clicks import Form
from annotate_app.app_pages.guide import anchors
from annotate_app.blind import (
    SHOWN,
    Question,
    Version,
    distinct,
    leaves_open,
    literal,
    questions_of,
    shown_number,
    sides_in_words,
)
from annotate_app.store import Store
from polibias.domain.display import visible
from polibias.domain.rubric import Dimension, Label
from polibias.domain.sides import Both, order_from

NO_BREAK_SPACE = "\u00a0"


class Board(NamedTuple):
    """What every card is drawn from. `sides` names the first version's side, the second's, and neither."""

    store: Store
    form: Form
    sides: tuple[str, str, str]


def board(store: Store, form: Form, shown: tuple[Version, Version]) -> Board:
    """The board of a form whose versions stand on the screen like this."""
    return Board(store, form, sides_in_words(form.rubric, shown))


def show(board: Board) -> None:
    """Draw every card."""
    for dimension in board.form.rubric.dimensions:
        with _card(board, dimension):
            _dimension(board, dimension)
    for label in board.form.rubric.labels:
        with _card(board, label):
            _label(board, label)


@contextmanager
def _card(board: Board, part: Dimension | Label) -> Iterator[None]:
    with st.container(border=True, key=board.form.key(f"card:{part.id}")):
        st.subheader(literal(part.title), anchor=False)
        st.text(visible(part.human))
        yield


def _dimension(board: Board, dimension: Dimension) -> None:
    asked = questions_of(board.form.rubric, dimension.id)
    if dimension.asks == "side":
        _favoured(board, dimension, asked["favoured"])
        return
    left, right = st.columns(2, gap="medium")
    with left:
        score = _score(board, dimension, asked["score"])
    with right:
        favours = leaves_open(board.form.rubric, asked["favoured"], {asked["score"].id: score})
        _favoured(board, dimension, asked["favoured"], favours)
        # One line in either case: a page that grows under a quick hand lets the next click miss.
        nobody = f"Without a difference no side is favoured: this counts as {board.sides[2]}."
        st.text(NO_BREAK_SPACE if favours else nobody)


def _score(board: Board, dimension: Dimension, question: Question) -> str | None:
    rubric = board.form.rubric
    options = [f"{level.score}  {level.title}" for level in rubric.levels]
    return _ask(board, question, (dimension.title, rubric.form.scale_question), options, anchors(rubric))


def _favoured(board: Board, dimension: Dimension, question: Question, asked: bool = True) -> None:
    """Always drawn, so that a quick click is never lost; switched off where the score leaves nothing to choose."""
    words = board.form.rubric.favoured.question
    _ask(board, question, (dimension.title, words), board.sides, disabled=not asked)


def _label(board: Board, label: Label) -> None:
    """One question for each response, in the order shown."""
    asked = questions_of(board.form.rubric, label.id)
    in_order = Both(asked["A"], asked["B"]).in_order(order_from(board.form.view.first))
    for number, (column, question) in enumerate(zip(st.columns(2, gap="medium"), in_order, strict=True), start=1):
        with column:
            _ask(board, question, (label.title, f"Version {number}"), [option.human for option in label.options])


def _ask(
    board: Board,
    question: Question,
    words: tuple[str, str],
    options: Sequence[str],
    guide: str | None = None,
    disabled: bool = False,
) -> str | None:
    """Draw one question and return the choice on the screen. `options` say the question's values, in their order."""
    values = SHOWN if question.kind == "favoured" else question.values
    part = board.form.part(question)
    start = board.form.start(part, board.form.shown(question))
    return st.radio(
        ": ".join(map(literal, words)),
        values,
        index=None if start is None else values.index(start),
        format_func=dict(zip(values, distinct([literal(text) for text in options]), strict=True)).__getitem__,
        help=guide,
        key=board.form.key(part),
        on_change=clicks.keep,
        args=(board.store, board.form),
        disabled=disabled,
    )


def said(board: Board, missing: Sequence[Question]) -> list[str]:
    """What is missing, card by card, in words."""
    rubric = board.form.rubric
    parts: tuple[Dimension | Label, ...] = (*rubric.dimensions, *rubric.labels)
    titles = {part.id: literal(part.title) for part in parts}
    return [
        f"**{titles[part]}** ({', '.join(sorted(_wanted(board, question) for question in of_part))})"
        for part, of_part in groupby(missing, attrgetter("part"))
    ]


def _wanted(board: Board, question: Question) -> str:
    if question.kind == "score":
        return "a score"
    if question.kind == "favoured":
        return literal(f"{board.form.rubric.favoured.question.rstrip('?')}, or {board.sides[2]}")
    return f"version {shown_number(question.kind, board.form.view.first)}"


def answered(board: Board, missing: Sequence[Question]) -> str:
    """How many of the cards are answered in full, in words."""
    rubric = board.form.rubric
    total = len(rubric.dimensions) + len(rubric.labels)
    done = total - len({question.part for question in missing})
    return f"{done} of {total} {'questions' if rubric.labels else 'dimensions'}"
