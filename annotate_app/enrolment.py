"""Enrolling annotators: their row of presentations, drawn once, and their personal link."""

import csv
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TextIO
from urllib.parse import urlsplit

from sqlmodel import Session, col, select, update

from annotate_app.access import digest, new_secret
from annotate_app.assignment import draw
from annotate_app.chain import now
from annotate_app.schema import Annotator, Invite, Item, Presentation
from annotate_app.store import Store
from polibias.errors import InputError

NAME = re.compile(r"[^\W_][\w.@ -]{0,63}")


class Invitation(NamedTuple):
    """An annotator and the link that lets them in. The link is shown once and stored nowhere."""

    annotator: str
    link: str


def check_names(names: Sequence[str]) -> None:
    """Raises InputError unless every name can stand in a table, once."""
    for name in names:
        if not NAME.fullmatch(name) or name != name.strip():
            raise InputError(
                f"annotator {name!a}: use up to 64 letters, digits, spaces and . _ - @, a letter or digit first"
            )
        if names.count(name) > 1:
            raise InputError(f"annotator '{name}' is named twice")


def check_url(url: str) -> str:
    """The address that links start with. Raises InputError unless it is one of a web server."""
    parts = urlsplit(url)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.query
        or parts.fragment
        or parts.path.strip("/")
    ):
        raise InputError(f"--url {url!a}: give the server's address only, such as https://annotate.example.org")
    return url.rstrip("/")


def invite(session: Session, store: Store, names: Sequence[str], url: str) -> list[Invitation]:
    """A new link for each name, inside the caller's transaction. Earlier links of the same person end."""
    check_names(names)
    base = check_url(url)
    return [Invitation(name, f"{base}/invite#{_token(session, store, name)}") for name in names]


def _token(session: Session, store: Store, name: str) -> str:
    annotator = session.exec(select(Annotator).where(Annotator.name == name)).first()
    if annotator is None:
        annotator = _enrol(session, store, name)
    revoke = update(Invite).where(col(Invite.annotator_id) == annotator.id, col(Invite.revoked_at).is_(None))
    revoked = session.connection().execute(revoke.values(revoked_at=now())).rowcount
    token = new_secret()
    fields = {"annotator_id": annotator.id, "token_hash": digest(token), "created_at": now()}
    session.add(Invite.model_validate(fields))
    session.flush()
    store.record(session, "invited", name, "", {"revoked": revoked})
    return token


def _enrol(session: Session, store: Store, name: str) -> Annotator:
    annotator = Annotator.model_validate({"name": name, "enrolled_at": now()})
    session.add(annotator)
    session.flush()
    strata = {item.code: item.stratum for item in session.exec(select(Item)).all()}
    for placement in draw(store.project.seed, name, strata):
        fields = {"annotator_id": annotator.id, "item_code": placement.item, "position": placement.position}
        session.add(Presentation.model_validate({**fields, "first": placement.first}))
    session.flush()
    return annotator


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
    writer.writerow(Invitation._fields)
    writer.writerows(invitations)
    file.flush()
    os.fsync(file.fileno())
