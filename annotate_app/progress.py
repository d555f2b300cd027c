"""Where a project stands, for the coordinator's command: what `watch` tells, and whether the event chain is whole."""

from typing import NamedTuple

from sqlmodel import col, select

from annotate_app.schema import Event
from annotate_app.store import Store
from annotate_app.watch import Board, Coverage, Standing, board
from polibias.domain.chains import check_chain

__all__ = ["Coverage", "Standing", "status"]


def status(store: Store) -> Board:
    """Progress by annotator and item. Raises DamagedRecord if the event chain was changed."""
    with store.reading() as session:
        events = session.exec(select(Event).order_by(col(Event.number))).all()
        check_chain(events, store.project.genesis, str(store.path))
        return board(session)


class Totals(NamedTuple):
    """Items by how far they are: `done` have as many finished annotations as wanted, `short` too few people."""

    items: int
    done: int
    short: int
    wanted: int


def totals(items: list[Coverage]) -> Totals:
    """A study's coverage in four numbers; `wanted` is per item, 0 without items."""
    done = sum(1 for one in items if one.done >= one.wanted > 0)
    short = sum(1 for one in items if one.assigned < one.wanted)
    return Totals(len(items), done, short, items[0].wanted if items else 0)
