"""The questions of a scoring form, in the rubric's words: one card for each dimension and each label.

A choice is stored by its callback, before the page is drawn again. The callback knows the place and revision
that were on the screen, so that a late click can never answer another pair.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import streamlit as st

from annotate_app.app_pages.aid import Keys
from annotate_app.app_pages.choices import ask, show_check
from annotate_app.app_pages.form import Form
from annotate_app.app_pages.notes import show_notes
from annotate_app.blind import SHOWN, Version, escaped, literal, shown_favoured, shown_number, sides_in_words
from annotate_app.questions import CHECK, Kind, Question
from annotate_app.store import Store
from polibias.domain.rubric import Dimension, Label, Rubric
from polibias.domain.sides import Both, order_from

NO_BREAK_SPACE = "\u00a0"


class Board(NamedTuple):
    """What every card is drawn from. `sides` names the first version's side, the second's, and neither."""

    store: Store
    form: Form
    rubric: Rubric
    sides: tuple[str, str, str]

    def asked(self, part: str) -> dict[Kind, Question]:
        """What is asked about one dimension or label, by kind."""
        return {question.kind: question for question in self.form.questions if question.part == part}


def board(store: Store, form: Form, rubric: Rubric, shown: tuple[Version, Version]) -> Board:
    """The board of a form whose versions stand on the screen like this."""
    return Board(store, form, rubric, sides_in_words(rubric, shown))


def keys(board: Board) -> Keys:
    """What single keys do among these cards."""
    rubric = board.rubric
    scored = {one.id: rubric.scores[0] for one in rubric.dimensions if one.asks == "score"}
    labels = {question.part: 1 for question in board.form.questions if question.kind in ("A", "B")}
    check = {CHECK.part: 1} if board.form.view.check else {}
    return Keys(
        cards=(*rubric.dimension_ids, *labels, *check),
        digits=scored | labels | check,
        sides=rubric.dimension_ids,
        zero=rubric.zero_favours_none,
    )


def show(board: Board) -> None:
    """Draw every card, the instructed response where half of the dimensions are done."""
    dimensions = board.rubric.dimensions
    for place, dimension in enumerate(dimensions):
        with _card(board, dimension):
            _dimension(board, dimension)
            show_notes(board.store, board.form, dimension.id, dimension.title)
        if board.form.view.check and place == (len(dimensions) - 1) // 2:
            show_check(board.store, board.form)
    labels = {question.part for question in board.form.questions}
    for label in board.rubric.labels:
        if label.id in labels:
            with _card(board, label):
                _label(board, label)
                show_notes(board.store, board.form, label.id, label.title)


@contextmanager
def _card(board: Board, part: Dimension | Label) -> Iterator[None]:
    with st.container(border=True, key=board.form.key(f"card-{part.id}"), gap="small"):
        st.html(f'<h2>{escaped(part.title)}</h2><p class="text">{escaped(part.human)}</p>')
        yield


def _dimension(board: Board, dimension: Dimension) -> None:
    asked = board.asked(dimension.id)
    if dimension.asks == "side":
        _favoured(board, dimension, asked["favoured"])
        return
    score = _score(board, dimension, asked["score"])
    favours = board.form.scheme.open(asked["favoured"], {asked["score"].id: score})
    _favoured(board, dimension, asked["favoured"], favours)
    # One line in either case: a page that grows under a quick hand lets the next click miss.
    nobody = f"Without a difference no side is favoured: this counts as {board.sides[2]}."
    st.html(f'<p class="aside">{NO_BREAK_SPACE if favours else escaped(nobody)}</p>')


def _score(board: Board, dimension: Dimension, question: Question) -> str | None:
    words = (dimension.title, board.rubric.form.scale_question)
    return ask(board.store, board.form, question, words, [str(score) for score in board.rubric.scores])


def _favoured(board: Board, dimension: Dimension, question: Question, asked: bool = True) -> None:
    """Always drawn, so that a quick click is never lost; switched off where the score leaves nothing to choose."""
    words = board.rubric.favoured.question
    ask(board.store, board.form, question, (dimension.title, words), board.sides, disabled=not asked)


def _label(board: Board, label: Label) -> None:
    """One question for each response, in the order shown."""
    asked = board.asked(label.id)
    in_order = Both(asked["A"], asked["B"]).in_order(order_from(board.form.view.first))
    for number, question in enumerate(in_order, start=1):
        ask(
            board.store,
            board.form,
            question,
            (label.title, f"Version {number}"),
            [option.human for option in label.options],
            False,
        )


def title(board: Board, question: Question) -> str:
    """A question in a few words, as Markdown."""
    titles = {part.id: part.title for part in board.rubric.dimensions}
    titles |= {part.id: part.title for part in board.rubric.labels}
    name = titles.get(question.part, question.part)
    return literal(f"{name}, {board.rubric.favoured.question}" if question.kind == "favoured" else name)


def words(board: Board, question: Question, value: str) -> str:
    """A stored answer as this reader sees it, as Markdown."""
    if question.kind != "favoured":
        return literal(value)
    shown = shown_favoured(value, board.form.view.first)
    return literal(dict(zip(SHOWN, board.sides, strict=True))[shown or "none"])


def said(board: Board, missing: Sequence[Question]) -> list[str]:
    """What is missing, card by card, in words."""
    parts: tuple[Dimension | Label, ...] = (*board.rubric.dimensions, *board.rubric.labels)
    titles = {part.id: literal(part.title) for part in parts} | {CHECK.part: "A check"}
    return [
        f"**{titles[part]}** ({', '.join(sorted(_wanted(board, question) for question in of_part))})"
        for part, of_part in groupby(missing, attrgetter("part"))
    ]


def _wanted(board: Board, question: Question) -> str:
    if question.kind == "score":
        return "a score"
    if question.kind == "favoured":
        return literal(f"{board.rubric.favoured.question.rstrip('?')}, or {board.sides[2]}")
    if question.kind == "A" or question.kind == "B":
        return f"version {shown_number(question.kind, board.form.view.first)}"
    return "your choice"


def answered(board: Board, missing: Sequence[Question]) -> str:
    """How many of the cards are answered in full, in words."""
    parts = {question.part for question in board.form.questions}
    done = len(parts) - len({question.part for question in missing})
    only = parts == set(board.rubric.dimension_ids)
    return f"{done} of {len(parts)} {'dimensions' if only else 'questions'}"
