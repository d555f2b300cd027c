"""How many of what: counted from what is exported, and counted again by the database itself."""

from collections import Counter
from collections.abc import Iterable, Mapping

from sqlalchemy import func
from sqlalchemy import select as columns
from sqlmodel import Session, col

from annotate_app.exporting.outcomes import FINISHED, Outcome
from annotate_app.schema import Presentation, Sheet, Withdrawal
from polibias.errors import DamagedRecord

Counts = dict[str, dict[str, int]]
"""Places by showing (first, repeat) and status."""


def counted(found: Iterable[Outcome]) -> Counts:
    """What became of the places, as they are exported."""
    counts: dict[str, Counter[str]] = {"first": Counter(), "repeat": Counter()}
    for one in found:
        counts[one.showing][one.status] += 1
    return {showing: dict(sorted(statuses.items())) for showing, statuses in counts.items()}


def check_counts(where: str, session: Session, counts: Counts, removes: bool) -> None:
    """Raises DamagedRecord unless the database counts as many places, and as many finished in each way."""
    connection = session.connection()
    places = columns(col(Presentation.role), func.count()).where(col(Presentation.role) != "practice")
    whole = dict(connection.execute(places.group_by(col(Presentation.role))).all())
    last = columns(col(Sheet.presentation_id), func.max(Sheet.revision).label("revision"))
    finished = last.where(col(Sheet.state) != "draft").group_by(col(Sheet.presentation_id)).subquery()
    by_state = (
        columns(col(Presentation.role), col(Sheet.state), func.count())
        .join(Sheet, col(Sheet.presentation_id) == col(Presentation.id))
        .join(finished, (finished.c.presentation_id == Sheet.presentation_id) & (finished.c.revision == Sheet.revision))
        .where(col(Presentation.role) != "practice")
        .group_by(col(Presentation.role), col(Sheet.state))
    )
    if removes:
        by_state = by_state.where(col(Presentation.annotator_id).not_in(columns(col(Withdrawal.annotator_id))))
    states = {(role, state): count for role, state, count in connection.execute(by_state)}
    _compare(where, counts, whole, states)


def _compare(where: str, counts: Counts, whole: Mapping[str, int], states: Mapping[tuple[str, str], int]) -> None:
    for showing, statuses in counts.items():
        if sum(statuses.values()) != whole.get(showing, 0):
            raise DamagedRecord(f"{where}: {whole.get(showing, 0)} {showing} showings, of which not all are exported")
        for status in FINISHED:
            if statuses.get(status, 0) != states.get((showing, status), 0):
                raise DamagedRecord(f"{where}: not as many {showing} showings are {status} as would be exported")


def annotations(counts: Counts) -> int:
    """How many rows of the run these places make."""
    return sum(statuses.get(status, 0) for statuses in counts.values() for status in FINISHED)


def submitted(counts: Counts) -> int:
    return sum(statuses.get("submitted", 0) for statuses in counts.values())
