"""What ends: a study, somebody's links, somebody's part in it. Each with its event, in one transaction."""

from typing import NamedTuple

from sqlmodel import Session, select

from annotate_app import enrolment
from annotate_app.chain import now
from annotate_app.exposure import identity
from annotate_app.schema import Annotator, Closure
from annotate_app.store import Store
from annotate_app.watch import Standing, board
from polibias.errors import InputError


class Closed(NamedTuple):
    """When a study was closed, and who had places left then. `now` is False if it was closed before."""

    at: str
    unfinished: list[Standing]
    now: bool


def close(store: Store) -> Closed:
    """End the study: nothing is answered any more. A second call changes nothing."""
    with store.writing() as session:
        before = session.get(Closure, 1)
        if before is not None:
            return Closed(before.at, [], False)
        unfinished = [one for one in board(session).annotators if one.submitted + one.left < one.total]
        closure = Closure.model_validate({"at": now()})
        session.add(closure)
        session.flush()
        store.record(session, "closed", "", "", {"open": sum(open_places(one) for one in unfinished)})
        return Closed(closure.at, unfinished, True)


def open_places(one: Standing) -> int:
    """How many places of a person are not done with, whatever became of the person."""
    return one.total - one.submitted - one.left


def revoke(store: Store, name: str) -> tuple[str, int]:
    """End a person's links and every browser they let in. Returns the name and how many links ended."""
    with store.writing() as session:
        annotator = find_annotator(session, store, name)
        ended = enrolment.revoke(session, annotator)
        if ended:
            store.record(session, "revoked", annotator.name, "", {"revoked": ended})
        return annotator.name, ended


def withdraw(store: Store, name: str) -> tuple[str, bool]:
    """Take a person out of the study. Returns the name, and False if they had left before."""
    with store.reading() as session:
        annotator = find_annotator(session, store, name)
        number, called = annotator.id or 0, annotator.name
    before = store.standing(number).withdrawn
    store.withdraw(number)
    return called, not before


def find_annotator(session: Session, store: Store, name: str) -> Annotator:
    """The person of this name, however it is typed. Raises InputError if there is none."""
    found = session.exec(select(Annotator).where(Annotator.identity == identity(name))).first()
    if found is None:
        raise InputError(f"{store.path}: nobody called {name!a} was invited; see polibias-annotate status")
    return found
