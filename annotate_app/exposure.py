"""What a person has seen in other projects: one person is one identity, and a pair once unmasked stays unmasked.

Projects that lie in one folder know each other's people by name and each other's pairs by a code that only holders
of the sealed key can make. Nobody gets a pair blind who saw it masked or with a judge's label, and nobody is asked to
name the countries of a pair whose names they have read.
"""

import contextlib
import fcntl
import os
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlmodel import select

from annotate_app.database import FILE, Database
from annotate_app.schema import REVISION, Annotator, Item, Presentation, Project
from polibias.errors import InputError
from polibias.records.documents import storing

BARRED_BY: dict[str, frozenset[str]] = {
    "pairs": frozenset({"reidentification", "label-review"}),
    "reidentification": frozenset({"pairs", "label-review"}),
}
"""Which kinds of study, seen before, bar a pair from a study of this kind."""


def identity(name: str) -> str:
    """A name as it is compared: however it is typed, one person."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


@contextmanager
def enrolling(projects: Path) -> Iterator[None]:
    """Hold the folder of projects: two commands enrolling one person in two projects take turns."""
    with storing(projects):
        fd = os.open(projects, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def barred_pairs(database: Path, name: str) -> frozenset[str]:
    """The codes of the pairs that this person must not get in this project, because of others beside it.

    Raises InputError if a project that could tell was made with another key, so that nobody can say.
    """
    here = Database(database)
    with here.reading() as session:
        own = session.exec(select(Project)).one()
        kind, key = own.kind, own.pair_key
    barring = BARRED_BY.get(kind, frozenset())
    found: set[str] = set()
    for path in sorted(database.parent.parent.glob(f"*/{FILE}")):
        if path.resolve() != database.resolve():
            found |= _seen(path, identity(name), barring, key)
    return frozenset(found)


def _seen(path: Path, person: str, barring: frozenset[str], key: str) -> set[str]:
    """The pairs that a person was given in another project of a barring kind."""
    other = Database(path)
    if other.revision() != REVISION:
        return set()
    with contextlib.closing(other), other.reading() as session:
        project = session.exec(select(Project)).one()
        if project.kind not in barring:
            return set()
        pairs = set(
            session.exec(
                select(Item.pair)
                .join(Presentation, onclause=Presentation.item_code == Item.code)  # type: ignore[arg-type]
                .join(Annotator, onclause=Presentation.annotator_id == Annotator.id)  # type: ignore[arg-type]
                .where(Annotator.identity == person, Item.lesson == "")
            ).all()
        )
    if pairs and project.pair_key != key:
        raise InputError(
            f"{path}: '{person}' annotates there too, and its pairs were coded with another key, so nobody can tell "
            "which pairs they have seen; make projects with one sealed folder, or invite somebody else"
        )
    return pairs
