"""Whether a project's tables say exactly what its event chain tells, and its rows are those that the seed draws.

Every function raises DamagedRecord, naming the database, at the first difference. A table that says less than the
chain is as wrong as one that says more.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TypeVar

from sqlmodel import Session, col, select

from annotate_app.assignment import Placement, practice, share
from annotate_app.beginning import beginning
from annotate_app.enrolment import PRACTICE, draw_of, fitting, lead, practice_order
from annotate_app.exporting.snapshot import Shown, Snapshot, StoredItem, StoredSheet
from annotate_app.exporting.told import Told
from annotate_app.protocol import AnnotationProtocol
from annotate_app.schema import Annotator, Item, Presentation
from annotate_app.sealed import Sealed
from annotate_app.standing import words_hash
from annotate_app.store import Store, submission
from polibias.domain.chains import check_chain
from polibias.errors import DamagedRecord

K = TypeVar("K")
COPY = "restore it from a copy"


def check_told(store: Store, sealed: Sealed, snapshot: Snapshot) -> Told:
    """The facts of the chain, once it is whole and the tables say the same."""
    where = str(store.path)
    check_chain(snapshot.events, store.project.genesis, where)
    told = Told(snapshot.events)
    _check_references(where, snapshot)
    _check_beginning(store, sealed, snapshot, told)
    _check_people(where, snapshot, told)
    _check_places(where, snapshot, told)
    _check_terms(where, snapshot, told, store.protocol)
    _check_ends(where, snapshot, told, store.protocol)
    return told


def _check_references(where: str, snapshot: Snapshot) -> None:
    """Nothing belongs to a place, a person or an item that is not there."""
    of_places = {*snapshot.sheets, *snapshot.flags} - {one.id for one in snapshot.places}
    of_places |= snapshot.released.keys() - {one.id for one in snapshot.study}
    people = {one.annotator_id for one in snapshot.places} | snapshot.withdrawn | {*snapshot.assents, *snapshot.trials}
    items = {one.item for one in snapshot.places} - snapshot.items.keys()
    if of_places or people - snapshot.people.keys() or items:
        raise DamagedRecord(f"{where}: something belongs to a place, a person or an item that is not there; {COPY}")


BEGUN_WITH = {
    "sealed": "the sealed file is not the one",
    "blind": "protocol, questions, address, seed or items are not those",
}


def _check_beginning(store: Store, sealed: Sealed, snapshot: Snapshot, told: Told) -> None:
    """Both halves of the project are those that it was made with."""
    found = beginning(store.project, snapshot.items.values(), sealed)
    if told.created == [found]:
        return
    said = told.created[0] if len(told.created) == 1 else found
    what = next(
        (what for name, what in BEGUN_WITH.items() if said.get(name) != found[name]), "items or seed are not those"
    )
    raise DamagedRecord(f"{store.path}: {what} that the event chain begins with; {COPY}")


def _same(where: str, what: str, stored: Mapping[K, object], told: Mapping[K, object]) -> None:
    """Both say the same of the same; an empty list says nothing."""
    for key in [*stored, *(key for key in told if key not in stored)]:
        if (stored.get(key) or None) != (told.get(key) or None):
            named = " ".join(map(str, key)) if isinstance(key, tuple) else str(key)
            raise DamagedRecord(f"{where}: {what} of '{named}' are not those in the event chain; {COPY}")


def _check_people(where: str, snapshot: Snapshot, told: Told) -> None:
    names = {one.name for one in snapshot.people.values()}
    if names != told.invited:
        name = min(names ^ told.invited)
        raise DamagedRecord(f"{where}: '{name}' is an annotator in the table or in the event chain only; {COPY}")


def _check_places(where: str, snapshot: Snapshot, told: Told) -> None:
    """Rows, finished sheets, drafts and flags."""
    rows: dict[str, list[list[object]]] = {}
    sheets, flags, items = {}, {}, {}
    drafts: set[tuple[str, int]] = set()
    for one in snapshot.places:
        name = _name(snapshot, one)
        place = (name, one.position)
        rows.setdefault(name, []).append([one.batch, one.position, one.item, one.first, one.role, one.instructed])
        found = snapshot.sheets.get(one.id, ())
        items[place] = one.item
        sheets[place] = [_as_told(sheet) for sheet in found if sheet.state != "draft"]
        flags[place] = [(one.item, flag.reason, json.loads(flag.comment)) for flag in snapshot.flags.get(one.id, ())]
        drafts |= {place} if any(sheet.state == "draft" for sheet in found) else set()
    _same(where, "the places", rows, told.assigned)
    _same(where, "the answers", sheets, {place: [one.body for one in done] for place, done in told.finishes.items()})
    _same(where, "the flags", flags, {place: [one[:3] for one in said] for place, said in told.flags.items()})
    _same(where, "the drafts", dict.fromkeys(drafts, True), dict.fromkeys(told.drafts, True))
    for place, done in told.finishes.items():
        _check_finishes(where, place, items[place], [(one.kind, one.item, one.body["state"]) for one in done])


def _as_told(sheet: StoredSheet) -> dict[str, object]:
    """A finished sheet as the chain tells it, in the types of JSON."""
    told = submission(sheet.revision, sheet.state, sheet.reason, sheet.entry)  # type: ignore[arg-type]
    quotes = {part: list(given) for part, given in told["quotes"].items()}
    return {**told, "quotes": quotes}


def _check_finishes(where: str, place: tuple[str, int], item: str, done: Sequence[tuple[str, str, str]]) -> None:
    for kind, about, state in done:
        if about != item or kind not in (state, "revised"):
            raise DamagedRecord(f"{where}: the answers of '{place[0]}' to {about} are told of as others; {COPY}")


def _name(snapshot: Snapshot, place: Shown) -> str:
    return snapshot.people[place.annotator_id].name


def _check_terms(where: str, snapshot: Snapshot, told: Told, protocol: AnnotationProtocol) -> None:
    """What people agreed to: the same answers, to the words that the protocol has."""
    people = snapshot.people.items()
    _same(
        where,
        "the answers to the terms",
        {one.name: snapshot.assents.get(id, []) for id, one in people},
        {name: [one[:3] for one in said] for name, said in told.terms.items()},
    )
    known = {(term, words_hash(words)) for term, words in protocol.terms().items()}
    for name, said in told.terms.items():
        if any((one.term, one.text_hash) not in known for one in said):
            raise DamagedRecord(f"{where}: '{name}' agreed to other words than those of the protocol; {COPY}")


def _check_ends(where: str, snapshot: Snapshot, told: Told, protocol: AnnotationProtocol) -> None:
    """Practice, withdrawals, places that were given up, and the end of the study."""
    people = snapshot.people.items()
    names = ("attempt", "right", "asked", "passed")
    practised = {one.name: snapshot.trials.get(id, ()) for id, one in people}
    trials = {name: [dict(zip(names, row, strict=True)) for row in found] for name, found in practised.items()}
    _same(where, "the practice results", trials, told.trials)
    gone = {one.name: {"answers": protocol.withdrawal} for id, one in people if id in snapshot.withdrawn}
    _same(where, "the rules of withdrawal", gone, {name: body for name, (_, body) in told.withdrawn.items()})
    _check_released(where, snapshot, told)
    if told.closings != int(snapshot.closed):
        raise DamagedRecord(f"{where}: whether the study is closed is not what the event chain tells; {COPY}")


def _check_released(where: str, snapshot: Snapshot, told: Told) -> None:
    """A place is given up together with the repeat of its item; the chain names the first showing of both."""
    released: dict[tuple[str, str], tuple[int, str]] = {}
    both: dict[tuple[str, str], set[str]] = {}
    for one in snapshot.study:
        key = (_name(snapshot, one), one.item)
        both.setdefault(key, set()).add(snapshot.released.get(one.id, ""))
        if one.role == "first" and one.id in snapshot.released:
            released[key] = (one.id, snapshot.released[one.id])
    _same(where, "the places given up", released, told.released)
    for key, reasons in both.items():
        if reasons != {told.released[key][1] if key in told.released else ""}:
            raise DamagedRecord(
                f"{where}: of '{key[0]}' and {key[1]} one showing was given up without the other; {COPY}"
            )


def check_drawn(session: Session, store: Store, snapshot: Snapshot) -> None:
    """Order, sides, repeats, checks and options of every batch follow from the project's seed."""
    rows: dict[tuple[int, int], list[Shown]] = {}
    for one in snapshot.places:
        rows.setdefault((one.annotator_id, one.batch), []).append(one)
    for (annotator_id, batch), row in rows.items():
        person = snapshot.people[annotator_id]
        stored = [_placement(one, row[0].position - 1) for one in row]
        if stored != _drawn_again(session, store, snapshot, person, batch, row):
            raise DamagedRecord(
                f"{store.path}: order or sides of '{person.name}' do not follow from the project's seed; {COPY}"
            )


def _placement(one: Shown, before: int) -> Placement:
    options = tuple(json.loads(one.options)) if one.options else ()
    return Placement(one.position - before, one.item, one.first, one.role, one.instructed, options)  # type: ignore[arg-type]


def _drawn_again(
    session: Session, store: Store, snapshot: Snapshot, person: Annotator, batch: int, row: Sequence[Shown]
) -> list[Placement]:
    draw = draw_of(store, person, batch)
    if batch == PRACTICE:
        lessons = [_as_row(item) for item in snapshot.items.values() if item.lesson]
        return practice(draw, practice_order(lessons))
    strata = {one.item: snapshot.items[one.item].stratum for one in row if one.role == "first"}
    return share(draw, strata, fitting(store.protocol.assignment, batch), _lead(session, person, batch))


def _as_row(item: StoredItem) -> Item:
    return Item.model_validate(item._asdict())


def _lead(session: Session, person: Annotator, batch: int) -> dict[str, int]:
    """By how many one side led in the earlier shares of a person."""
    if batch == 1:
        return {}
    earlier = select(Presentation).where(Presentation.annotator_id == person.id, Presentation.batch < batch)
    return lead(session, session.exec(earlier.order_by(col(Presentation.position))).all())
