"""Enrolling annotators: their share of the items and its order, drawn once and stored, and their personal link."""

import csv
import datetime
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TextIO
from urllib.parse import urlsplit

import msgspec
from sqlalchemy import func
from sqlmodel import Session, col, select, update

from annotate_app import slots
from annotate_app.assignment import Draw, Placement, practice, share
from annotate_app.chain import now, stamp
from annotate_app.exposure import identity
from annotate_app.protocol import Assignment
from annotate_app.questions import Naming
from annotate_app.schema import Annotator, Invite, Item, Presentation
from annotate_app.slots import Wish
from annotate_app.standing import closed, standing_of
from annotate_app.store import Store
from annotate_app.tokens import digest, new_secret
from polibias.domain.ids import canonical
from polibias.errors import InputError

NAME = re.compile(r"[^\W_][\w.@ -]{0,63}")
PRACTICE = 0
# A name, an IPv4 address or an IPv6 address in brackets, with or without a port.
ADDRESS = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?/?")
Clock = Callable[[], datetime.datetime]


def utc_now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


class Invitation(NamedTuple):
    """An annotator and the link that lets them in. The link is shown once and stored nowhere.

    `items` counts those in the person's row, repeats apart; `given` those that this invitation gave, and `wanted` how
    many it should have given.
    """

    annotator: str
    link: str
    items: int
    given: int
    wanted: int


def check_names(names: Sequence[str]) -> None:
    """Raises InputError unless every name can stand in a table, and each person is named once."""
    for name in names:
        if not NAME.fullmatch(name) or name != name.strip():
            raise InputError(
                f"annotator {name!a}: use up to 64 letters, digits, spaces and . _ - @, a letter or digit first"
            )
    if len({identity(name) for name in names}) < len(names):
        twice = next(name for name in names if [identity(one) for one in names].count(identity(name)) > 1)
        raise InputError(f"annotator '{twice}' is named twice")


def check_url(url: str) -> str:
    """The address that links start with. Raises InputError unless it is one of a web server."""
    if not ADDRESS.fullmatch(url) or not _has_port(url):
        raise InputError(f"--url {url!a}: give the server's address only, such as https://annotate.example.org")
    return url.rstrip("/")


def _has_port(url: str) -> bool:
    """Whether the address has no port, or one that there is."""
    try:
        return urlsplit(url).port != 0
    except ValueError:
        return False


def invite(
    session: Session,
    store: Store,
    names: Sequence[str],
    url: str | None = None,
    barred: Mapping[str, Collection[str]] = {},
    more: int = 0,
    clock: Clock = utc_now,
) -> list[Invitation]:
    """A new link for each name, inside the caller's transaction, at `url` or the project's own address.

    Earlier links of the same person end.

    Who is new gets a share of the items; `more` gives those who are not so many further ones. `barred` holds the pair
    codes that a person must not see, by name. `clock` says when places count as abandoned.

    Raises InputError if the study is closed, and for further items of somebody who can answer none.
    """
    check_names(names)
    base = check_url(store.project.address if url is None else url)
    if closed(session):
        raise InputError(f"{store.path}: the study is closed; nobody can be invited any more")
    since = stamp(clock() - datetime.timedelta(hours=store.protocol.assignment.reopen_after_hours))
    wishes = {name: Wish(more, barred.get(name, ()), since) for name in names}
    return [_invitation(session, store, name, base, wish) for name, wish in wishes.items()]


def _invitation(session: Session, store: Store, name: str, base: str, wish: Wish) -> Invitation:
    """An invitation; the wish is for further items, those of who is new are the protocol's."""
    annotator = session.exec(select(Annotator).where(Annotator.identity == identity(name))).first()
    wanted, given, size = store.protocol.assignment.items_each, 0, 0
    if annotator is None:
        annotator = _enrol(session, store, name)
        _assign(session, store, annotator, wish._replace(size=wanted))
        size = wanted or _study_items(session)
        given = _firsts(session, annotator)
    elif wish.size:
        _check_takes_part(session, store, annotator)
        before, size = _firsts(session, annotator), wish.size
        _assign(session, store, annotator, wish)
        given = _firsts(session, annotator) - before
    revoked = revoke(session, annotator)
    token = new_secret()
    fields = {"annotator_id": annotator.id, "token_hash": digest(token), "created_at": now()}
    session.add(Invite.model_validate(fields))
    session.flush()
    store.record(session, "invited", annotator.name, "", {"revoked": revoked})
    return Invitation(annotator.name, f"{base}/invite#{token}", _firsts(session, annotator), given, size)


def _firsts(session: Session, annotator: Annotator) -> int:
    """How many items of the study a person was ever given."""
    mine = Presentation.annotator_id == annotator.id, Presentation.role == "first"
    return session.exec(select(func.count()).where(*mine)).one()


def _study_items(session: Session) -> int:
    return session.exec(select(func.count()).where(Item.lesson == "")).one()


def _check_takes_part(session: Session, store: Store, annotator: Annotator) -> None:
    found = standing_of(session, annotator.id or 0)
    why = "withdrew" if found.withdrawn else "failed practice" if found.failed(store.protocol) else ""
    if why:
        raise InputError(f"annotator '{annotator.name}' {why} and can answer no further items; leave out --more")


def revoke(session: Session, annotator: Annotator) -> int:
    """End every link of a person and every browser it let in. Returns how many links ended."""
    valid = update(Invite).where(col(Invite.annotator_id) == annotator.id, col(Invite.revoked_at).is_(None))
    return session.connection().execute(valid.values(revoked_at=now())).rowcount


def _enrol(session: Session, store: Store, name: str) -> Annotator:
    """A new person, with the practice items before everything else."""
    fields = {"name": name, "identity": identity(name), "enrolled_at": now()}
    annotator = Annotator.model_validate(fields)
    session.add(annotator)
    session.flush()
    lessons = session.exec(select(Item).where(Item.lesson != "").order_by(col(Item.code))).all()
    _store(session, store, annotator, PRACTICE, practice(draw_of(store, annotator, PRACTICE), practice_order(lessons)))
    return annotator


def practice_order(lessons: Sequence[Item]) -> list[str]:
    """The practice items in the protocol's order, which their strata number."""
    return [item.code for item in sorted(lessons, key=lambda item: int(item.stratum))]


def _assign(session: Session, store: Store, annotator: Annotator, wish: Wish) -> None:
    """Draw a share of the items and store it after everything that the person has."""
    chosen = slots.choose(session, store.project.seed, annotator, store.protocol, wish)
    for held in chosen.taken_over:
        slots.release(session, held)
        former = session.get_one(Annotator, held.annotator).name
        store.record(session, "released", former, held.item, {"presentation": held.presentation})
    row = session.exec(select(Presentation).where(Presentation.annotator_id == annotator.id)).all()
    batch = 1 + max((one.batch for one in row), default=PRACTICE)
    wanted, ahead = fitting(store.protocol.assignment, batch), lead(session, row)
    placed = share(draw_of(store, annotator, batch), chosen.strata, wanted, ahead)
    _store(session, store, annotator, batch, placed)


def fitting(wanted: Assignment, batch: int) -> Assignment:
    """Repeats and checks belong to the first share; what comes later is new items only."""
    return wanted if batch == 1 else msgspec.structs.replace(wanted, repeats=0, checks=0)


def draw_of(store: Store, annotator: Annotator, batch: int) -> Draw:
    """What a person's draw depends on."""
    scheme = store.scheme
    candidates = tuple(one.id for one in scheme.candidates) if isinstance(scheme, Naming) else ()
    return Draw(store.project.seed, annotator.identity, batch, candidates)


def lead(session: Session, row: Sequence[Presentation]) -> dict[str, int]:
    """For each stratum, by how many A comes first more often than B among these first presentations."""
    found: dict[str, int] = {}
    for one in row:
        if one.role == "first":
            stratum = session.get_one(Item, one.item_code).stratum
            found[stratum] = found.get(stratum, 0) + (1 if one.first == "A" else -1)
    return found


def _store(session: Session, store: Store, annotator: Annotator, batch: int, row: Sequence[Placement]) -> None:
    """Store a draw behind what is there, and tell the chain all of it."""
    if not row:
        return
    mine = select(Presentation).where(Presentation.annotator_id == annotator.id)
    last = max((one.position for one in session.exec(mine).all()), default=0)
    for one in row:
        fields = {"annotator_id": annotator.id, "item_code": one.item, "batch": batch, "first": one.first}
        options = canonical(one.options).decode("ascii") if one.options else ""
        drawn = {"position": last + one.position, "role": one.role, "instructed": one.check, "options": options}
        session.add(Presentation.model_validate({**fields, **drawn}))
    session.flush()
    body = {"batch": batch, "row": [[last + one.position, one.item, one.first, one.role, one.check] for one in row]}
    store.record(session, "assigned", annotator.name, "", body)


@contextmanager
def links_file(path: Path | None) -> Iterator[Callable[[Sequence[Invitation]], None]]:
    """A function that writes the links to a new file with mode 0600; without a path it writes nothing.

    The file is made before any link exists and taken away if the block fails: no link is ever lost or left over.
    """
    if path is None:
        yield lambda _: None
        return
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        raise InputError(f"{path}: there already; name another file with --out") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
        try:
            yield lambda invitations: _write_links(file, invitations)
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def _write_links(file: TextIO, invitations: Sequence[Invitation]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(Invitation._fields[:2])
    writer.writerows(one[:2] for one in invitations)
    file.flush()
    os.fsync(file.fileno())
