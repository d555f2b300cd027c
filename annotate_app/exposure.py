"""What a person has seen in other projects: one person is one identity, and a pair once unmasked stays unmasked.

Projects that lie in one folder know each other's people by name and each other's pairs by a code that only holders
of the sealed key can make. Nobody gets a pair blind who saw it masked or with a judge's label, and nobody is asked to
name the countries of a pair whose names they have read.
"""

import fcntl
import os
import unicodedata
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlmodel import Session, col, select

from annotate_app.chain import NOT_THEIR_OWN
from annotate_app.database import FILE, Database, check_layout
from annotate_app.schema import Annotator, Event, Item, Presentation, Project, Release
from polibias.errors import InputError
from polibias.records.documents import storing

BARRED_BY: dict[str, frozenset[str]] = {
    "pairs": frozenset({"reidentification", "label-review"}),
    "reidentification": frozenset({"pairs", "label-review"}),
}
"""Which kinds of study, seen before, bar a pair from a study of this kind."""


def identity(name: str) -> str:
    """A name as it is compared: however it is typed, one person."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(unicodedata.normalize("NFKC", folded.casefold()).split())


@contextmanager
def enrolling(folder: Path) -> Iterator[None]:
    """Hold a folder: commands that enrol people in its projects, or make one there, take turns."""
    with storing(folder):
        fd = os.open(folder, os.O_RDONLY)
    try:
        with storing(folder):
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def barred_pairs(database: Path, name: str) -> frozenset[str]:
    """The codes of the pairs that this person must not get in this project, because of others beside it.

    Raises InputError if nobody can say, because a project that could tell was made with another key or is laid out by
    another version.
    """
    with closing(Database(database)) as here, here.reading() as session:
        kind, key = session.exec(select(Project.kind, Project.pair_key)).one()
    barring = BARRED_BY.get(kind, frozenset())
    found: set[str] = set()
    for path in sorted(database.parent.parent.glob(f"*/{FILE}")):
        if path.resolve() != database.resolve() and not path.parent.name.startswith("."):
            found |= _seen(path, identity(name), barring, key)
    return frozenset(found)


def _seen(path: Path, person: str, barring: frozenset[str], key: str) -> set[str]:
    """The pairs that a person saw or will see in another project of a barring kind."""
    with closing(Database(path)) as other:
        check_layout(other)
        with other.reading() as session:
            kind, coded_with = session.exec(select(Project.kind, Project.pair_key)).one()
            pairs = _given(session, person) if kind in barring else set()
    if pairs and coded_with != key:
        raise InputError(
            f"{path}: '{person}' annotates there too, and its pairs were coded with another key, so nobody can tell "
            "which pairs they have seen; make projects with one sealed folder, or invite somebody else"
        )
    return pairs


def _given(session: Session, person: str) -> set[str]:
    """The pairs of every item that this person was given, but for places that they lost before they looked at them."""
    rows = session.exec(
        select(Annotator.name, Item.code, Item.pair, Release.presentation_id)
        .join(Presentation, onclause=col(Presentation.annotator_id) == col(Annotator.id))
        .join(Item, onclause=col(Presentation.item_code) == col(Item.code))
        .outerjoin(Release, onclause=col(Release.presentation_id) == col(Presentation.id))
        .where(Annotator.identity == person, Item.lesson == "")
    ).all()
    return {pair for name, item, pair, lost in rows if lost is None or _looked(session, name, item)}


def _looked(session: Session, name: str, item: str) -> bool:
    """Whether somebody ever did anything with an item, looking at it included."""
    theirs = (Event.annotator == name, Event.item == item, col(Event.kind).not_in(NOT_THEIR_OWN))
    return session.exec(select(Event.number).where(*theirs).limit(1)).first() is not None
