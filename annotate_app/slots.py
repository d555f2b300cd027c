"""Which items still need annotators, and whose abandoned places may go to somebody else.

Every function works inside a transaction that writes: two people enrolled at once take turns, so that no item ever
gets more annotators than its overlap. Nothing that counts is ever taken away: a place with a finished sheet stays,
unless its annotator withdrew and the protocol removes their answers.
"""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import func
from sqlmodel import Session, col, select

from annotate_app.chain import NOT_THEIR_OWN, now
from annotate_app.protocol import AnnotationProtocol
from annotate_app.schema import Annotator, Event, Item, Presentation, Release, Sheet, Trial, Withdrawal
from polibias.domain.ids import tagged_hash

TELLS_NOTHING = frozenset(NOT_THEIR_OWN) - {"invited"}
"""Events after which nobody is expected back; who was invited is."""


class Held(NamedTuple):
    """A place in somebody's row that counts towards an item's overlap."""

    presentation: int
    item: str
    annotator: int


class Wish(NamedTuple):
    """What somebody is to get: `size` items, 0 for all, none of a pair in `barred`.

    Who was not heard of after `since` (UTC) has abandoned what they have not finished.
    """

    size: int
    barred: Collection[str]
    since: str


class Share(NamedTuple):
    """What a person gets: items by code with their stratum, and the places taken over from others for it."""

    strata: dict[str, str]
    taken_over: list[Held]


def choose(session: Session, seed: int, annotator: Annotator, protocol: AnnotationProtocol, wish: Wish) -> Share:
    """A person's share: items with most free places first, chance deciding between equals.

    The places of who will never answer are free; those of who was away for long are taken over only once no free ones
    are left, the longest away first. An item that a person ever had is not given to them again.
    """
    had = set(session.exec(select(Presentation.item_code).where(Presentation.annotator_id == annotator.id)).all())
    study = session.exec(select(Item.code, Item.stratum, Item.pair).where(Item.lesson == "")).all()
    free = {code: stratum for code, stratum, pair in study if code not in had and pair not in wish.barred}
    held = places_held(session)
    limit = protocol.assignment.overlap or len(held) + 1
    given_up, idle = _reopened(session, held, protocol, wish.since)
    places = Counter(one.item for one in held)
    taken = places - Counter(one.item for one in given_up)
    stale = {one.item: one for one in (*reversed(idle), *given_up)}
    longest = list(dict.fromkeys(one.annotator for one in idle))

    def rank(code: str) -> tuple[int, int, str]:
        waited = longest.index(stale[code].annotator) if taken[code] >= limit else -1
        return waited, taken[code], tagged_hash("annotation-slot/1", [seed, annotator.identity, code])

    open_to_me = sorted((code for code in free if taken[code] < limit or code in stale), key=rank)
    chosen = open_to_me[: wish.size or len(open_to_me)]
    return Share({code: free[code] for code in chosen}, [stale[code] for code in chosen if places[code] >= limit])


def places_held(session: Session) -> list[Held]:
    """Every first presentation of a study item that was not released, in the order in which they were drawn."""
    released = select(Release.presentation_id)
    columns = select(Presentation.id, Presentation.item_code, Presentation.annotator_id)
    query = columns.where(Presentation.role == "first", col(Presentation.id).not_in(released))
    rows = session.exec(query.order_by(col(Presentation.id))).all()
    return [Held(number or 0, item, annotator) for number, item, annotator in rows]


def _reopened(
    session: Session, held: list[Held], protocol: AnnotationProtocol, since: str
) -> tuple[list[Held], list[Held]]:
    """The places of who will never answer, and those of who was not heard of since, the longest first.

    Who withdrew or failed practice never answers what is unfinished; where a withdrawal removes what was answered, it
    gives up all places.
    """
    finished = set(session.exec(select(Sheet.presentation_id).where(Sheet.state != "draft")).all())
    withdrawn = set(session.exec(select(Withdrawal.annotator_id)).all())
    gone = withdrawn | _failed(session, protocol.practice.tries)
    removed = withdrawn if protocol.withdrawal == "remove" else set()
    unfinished = [one for one in held if one.annotator in removed or one.presentation not in finished]
    latest = last_activity(session)
    away = [one for one in unfinished if one.annotator not in gone and latest.get(one.annotator, "") <= since]
    given_up = [one for one in unfinished if one.annotator in gone]
    return given_up, sorted(away, key=lambda one: latest.get(one.annotator, ""))


def _failed(session: Session, tries: int) -> set[int]:
    """Who tried practice as often as may be, each time below the threshold."""
    failures = select(Trial.annotator_id).where(Trial.passed == 0).group_by(col(Trial.annotator_id))
    return set(session.exec(failures.having(func.count() >= tries)).all())


def last_activity(session: Session) -> dict[int, str]:
    """When each annotator was last heard of, being invited included."""
    rows = session.exec(
        select(Annotator.id, func.max(Event.at))
        .join(Event, onclause=col(Event.annotator) == col(Annotator.name))
        .where(col(Event.kind).not_in(TELLS_NOTHING))
        .group_by(col(Annotator.id))
    ).all()
    return {number: str(at) for number, at in rows if number is not None}


def release(session: Session, held: Held) -> None:
    """Give a place up, with the repeat of its item; what was drafted or answered there is kept."""
    gone = session.get(Withdrawal, held.annotator) is not None
    reason, at = "withdrawn" if gone else "abandoned", now()
    both = (Presentation.annotator_id == held.annotator, Presentation.item_code == held.item)
    for number in session.exec(select(Presentation.id).where(*both)).all():
        session.add(Release.model_validate({"presentation_id": number, "reason": reason, "at": at}))
    session.flush()
