"""Who is where."""

from html import escape

import streamlit as st

from annotate_app.desk_pages.look import Column, begin, figures, moment, person, refresh, table, when
from annotate_app.watch import Board, Standing, Watched

COLUMNS = (
    Column("Annotator"),
    Column("Stage", wide=True),
    Column("Submitted", wide=True),
    Column("Skipped, unsure", number=True),
    Column("Flags", number=True),
    Column("Last activity (UTC)", wide=True),
)


def show(watched: Watched) -> None:
    """The study in a few numbers, and everybody's progress."""
    board = watched.board()
    begin(f"{board.project}: progress")
    refresh(state(board))
    figures(_figures(board))
    if not board.annotators:
        st.text(f"Nobody was invited yet. Invite people with: polibias-annotate invite {board.project} NAME NAME")
        return
    table("Progress of each annotator", COLUMNS, map(_row, board.annotators))


def state(board: Board) -> str:
    """Whether the study goes on."""
    if board.closed_at:
        return f"Closed at {moment(board.closed_at)} UTC: nothing is answered any more."
    return "Open: annotators can work."


def _figures(board: Board) -> list[tuple[str, str, str]]:
    people = board.annotators
    done = sum(1 for one in board.items if one.done >= one.wanted > 0)
    return [
        (
            "Submitted",
            str(sum(one.submitted for one in people)),
            f"of {sum(one.submitted + one.left + one.open for one in people)}",
        ),
        ("Items done", str(done), f"of {len(board.items)}"),
        ("Skipped, unsure", str(sum(one.left for one in people)), ""),
        ("Flags", str(sum(one.flags for one in people)), ""),
        ("Stalled", str(sum(one.stalled for one in people)), f"of {len(people)}"),
    ]


def _row(one: Standing) -> list[str]:
    stalled = ' <span class="mark">stalled</span>' if one.stalled else ""
    share = 100 * (one.submitted + one.left) // one.total if one.total else 0
    done = f'{one.submitted} of {one.total}<span class="bar"><span style="width:{share}%"></span></span>'
    last = when(one.last_activity) if one.last_activity else "never"
    return [person(one.annotator), escape(one.stage) + stalled, done, str(one.left), str(one.flags), last]
