"""One line for each annotator: where they stand, how their places ended, checks, practice, consent and time."""

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from annotate_app.exporting.cells import ESCAPED, Column, Line, Value, held
from annotate_app.exporting.outcomes import STATUSES, Outcome
from annotate_app.exporting.snapshot import Snapshot
from annotate_app.exporting.told import Told
from annotate_app.protocol import TERMS, AnnotationProtocol
from annotate_app.standing import Standing

COLUMNS = (
    Column("annotator", "text", "the name or alias that the annotator was invited by"),
    Column("stage", "text", "invited, declined, practice, failed practice, at work, done or withdrawn"),
    Column("items", "whole", "first showings in the annotator's row; the statuses below are theirs and sum to it"),
    *(Column(status, "whole", f"how many of them are {status}") for status in STATUSES),
    Column("repeats", "whole", "items that came back"),
    Column("repeats_submitted", "whole", "how many of them were submitted"),
    Column("flags", "whole", "how many things were reported"),
    Column("checks_asked", "whole", "instructed responses in the row"),
    Column("checks_answered", "whole", "how many of them were answered"),
    Column("checks_passed", "whole", "how many of them were answered as instructed"),
    Column("practice", "text", "passed or failed, as the last attempt at the practice items went"),
    Column("practice_attempts", "whole", "how many attempts at the practice items there were"),
    Column("practice_right", "whole", "expected answers that were given in the last attempt"),
    Column("practice_asked", "whole", "expected answers in the last attempt"),
    *(Column(f"{term}_at", "time", f"when the {term} term was agreed to (UTC)") for term in TERMS),
    Column("active_seconds_median", "real", "the median over finished places of the seconds with the item in sight"),
    Column("enrolled_at", "time", "when the annotator was enrolled (UTC)"),
    Column("withdrawn_at", "time", "when the annotator withdrew (UTC)"),
    Column(ESCAPED, "text", "columns whose text stands as a JSON string; see Cells"),
)
NAMES = tuple(column.name for column in COLUMNS)


class People(NamedTuple):
    """What the lines are made from. `removes` says that nothing is told of what somebody did who withdrew."""

    snapshot: Snapshot
    told: Told
    protocol: AnnotationProtocol
    removes: bool


def lines(people: People, found: Iterable[Outcome]) -> Iterator[Line]:
    """A line for each annotator, by name."""
    by_name: dict[str, list[Outcome]] = {}
    for one in found:
        by_name.setdefault(one.annotator, []).append(one)
    for id, person in people.snapshot.people.items():
        values = held(_values(people, id, by_name.get(person.name, [])))
        yield [values.get(name) for name in NAMES]


def _values(people: People, id: int, mine: Sequence[Outcome]) -> dict[str, Value]:
    person = people.snapshot.people[id]
    statuses = Counter(one.status for one in mine if one.showing == "first")
    repeats = [one for one in mine if one.showing == "repeat"]
    agreed = {said.term: said.at for said in people.told.terms[person.name] if said.answer == "yes"}
    withdrawn = people.told.withdrawn.get(person.name)
    hidden = people.removes and withdrawn is not None
    return {
        "annotator": person.name,
        "stage": _stage(people, id, mine),
        "items": sum(statuses.values()),
        **{status: statuses[status] for status in STATUSES},
        "repeats": len(repeats),
        "repeats_submitted": sum(one.status == "submitted" for one in repeats),
        "enrolled_at": person.enrolled_at,
        **{f"{term}_at": agreed.get(term, "") for term in TERMS},
        "withdrawn_at": withdrawn[0] if withdrawn else "",
        **({} if hidden else _conduct(people, id, mine)),
    }


def _conduct(people: People, id: int, mine: Sequence[Outcome]) -> dict[str, Value]:
    """What tells how somebody worked."""
    times = [one.spent.active for one in mine if one.finished and one.spent]
    asked = sum(bool(p.instructed) for p in people.snapshot.study if p.annotator_id == id)
    trials = people.snapshot.trials.get(id, [])
    last = trials[-1] if trials else None
    return {
        "flags": sum(len(one.flags) for one in mine),
        "checks_asked": asked,
        "checks_answered": sum(one.check != "" for one in mine),
        "checks_passed": sum(one.check == "passed" for one in mine),
        "practice": ("passed" if last[3] else "failed") if last else "",
        "practice_attempts": len(trials),
        "practice_right": last[1] if last else None,
        "practice_asked": last[2] if last else None,
        "active_seconds_median": round(statistics.median(times), 3) if times else None,
    }


def _stage(people: People, id: int, mine: Sequence[Outcome]) -> str:
    """Where somebody stands, in the words of `status`."""
    snapshot, name = people.snapshot, people.snapshot.people[id].name
    failed = sum(not passed for *_, passed in snapshot.trials.get(id, ()))
    standing = Standing(
        closed=snapshot.closed,
        withdrawn=id in snapshot.withdrawn,
        said={said.term: said.answer for said in people.told.terms[name]},
        attempts=failed,
    )
    if standing.withdrawn:
        return "withdrawn"
    if standing.declined():
        return "declined"
    if standing.failed(people.protocol):
        return "failed practice"
    if name not in people.told.moments:
        return "invited"
    if _practising(snapshot, id, failed + 1):
        return "practice"
    return "at work" if any(one.status in ("draft", "open") for one in mine) else "done"


def _practising(snapshot: Snapshot, id: int, attempt: int) -> bool:
    """Whether a practice item is still to be answered in this attempt."""
    lessons = [place for place in snapshot.places if place.annotator_id == id and place.role == "practice"]
    return any(
        sum(sheet.state != "draft" for sheet in snapshot.sheets.get(place.id, ())) < attempt for place in lessons
    )
