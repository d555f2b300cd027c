"""Who is asking. A personal link is redeemed for a cookie; every run of a page checks the cookie again.

Tokens and cookies are 32 random bytes; the database keeps their SHA-256 only. A link can be redeemed again on
another device until it is revoked, which also ends every visit it opened.
"""

import datetime
from collections.abc import Mapping
from typing import NamedTuple

from sqlmodel import Session, select

from annotate_app.chain import now, stamp
from annotate_app.schema import Annotator, Invite, Visit
from annotate_app.store import Store
from annotate_app.tokens import LONGEST, digest, new_secret

VISIT_DAYS = 30


class Person(NamedTuple):
    """An annotator who showed a valid cookie."""

    id: int
    name: str


def cookie_name(store: Store, secure: bool) -> str:
    """One name per project, so that two projects on one host do not end each other's visits.

    The prefix, which browsers accept over TLS only, keeps a neighbouring host from setting the cookie.
    """
    name = "annotate_" + digest(store.project.name + store.project.created_at)[:12]
    return f"__Host-{name}" if secure else name


def cookie_in(store: Store, cookies: Mapping[str, str]) -> str:
    """The visit's cookie among a browser's cookies, or ''."""
    return cookies.get(cookie_name(store, True)) or cookies.get(cookie_name(store, False)) or ""


def redeem(store: Store, token: str) -> str | None:
    """Open a visit with a link's token and return its cookie, or None if the link does not exist or is revoked."""
    if not 0 < len(token) <= LONGEST:
        return None
    with store.reading() as session:
        if _valid_invite(session, token) is None:
            return None
    with store.writing() as session:
        invite = _valid_invite(session, token)
        if invite is None:
            return None
        cookie, opened = new_secret(), datetime.datetime.now(datetime.UTC)
        ends = stamp(opened + datetime.timedelta(days=VISIT_DAYS))
        fields = {"cookie_hash": digest(cookie), "invite_id": invite.id, "opened_at": stamp(opened), "ends_at": ends}
        session.add(Visit.model_validate(fields))
        store.record(
            session, "redeemed", session.get_one(Annotator, invite.annotator_id).name, "", {"invite": invite.id}
        )
    return cookie


def _valid_invite(session: Session, token: str) -> Invite | None:
    invite = session.exec(select(Invite).where(Invite.token_hash == digest(token))).first()
    return invite if invite is not None and invite.revoked_at is None else None


def person(store: Store, cookie: str) -> Person | None:
    """The annotator whose visit this cookie belongs to, as long as the visit lasts."""
    if not 0 < len(cookie) <= LONGEST:
        return None
    with store.reading() as session:
        found = session.exec(
            select(Visit, Invite, Annotator)
            .join(Invite, onclause=Visit.invite_id == Invite.id)  # type: ignore[arg-type]
            .join(Annotator, onclause=Invite.annotator_id == Annotator.id)  # type: ignore[arg-type]
            .where(Visit.cookie_hash == digest(cookie))
        ).first()
        if found is None:
            return None
        visit, invite, annotator = found
        ended = invite.revoked_at is not None or visit.ends_at <= now()
        return None if ended or annotator.id is None else Person(annotator.id, annotator.name)
