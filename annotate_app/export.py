"""From answers back to rows: the only reader of the sealed file.

Every submitted sheet becomes an `Annotation` row in the run's `annotations/` folder, once. A later revision is a
new row that supersedes the old one. The same table goes out as CSV, one line per score and per rated response.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlmodel import Session, col, select

from annotate_app import chain, sheets
from annotate_app.assignment import draw
from annotate_app.blind import Entry, Kind, question_id
from annotate_app.create import human_rubric, rubric_hash
from annotate_app.schema import Annotator, Event, Item, Presentation
from annotate_app.sealed import Sealed
from annotate_app.store import Store
from polibias.domain.ids import plain
from polibias.domain.rows import Annotation, Score, Seen
from polibias.domain.rubric import Dimension, Rubric
from polibias.domain.sides import SIDES, Both, Favoured, Side
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import write_file
from polibias.records.ledger import Ledger, Stream, read
from polibias.records.manifest import manifest_hash, reopen, seal
from polibias.records.runs import Run, annotation_key

COLUMNS = (
    "project",
    "annotator",
    "item",
    "unit",
    "pair",
    "model",
    "dimension",
    "score",
    "favoured",
    "first",
    "position",
    "template",
    "topic",
    "category",
    "topic_category",
    "block",
    "task",
    "condition",
    "roles",
    "tags",
)
UNIT_DIGITS = 12
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class Submitted(NamedTuple):
    """An annotator's last submission for one item."""

    annotator: str
    item: str
    position: int
    first: Side
    revision: int
    entry: Entry
    at: str


class Line(NamedTuple):
    """What one line of the table says. `dimension` may be a label too."""

    unit: str
    dimension: str
    score: int | str
    favoured: str = ""


class Exported(NamedTuple):
    """What an export did: rows in the table, rows that are new, and where they are."""

    rows: int
    new: int
    csv: Path
    jsonl: Path


def export(store: Store, sealed: Sealed, run: Run) -> Exported:
    """Append what is new, write the table, seal the folder. A second export right after changes nothing but times.

    Raises DamagedRecord or InputError, with nothing written, if database, sealed file and run do not belong together.
    """
    _check_origin(store, sealed, run)
    answers = read_submitted(store)
    stream = run.annotations(store.project.name)
    with run.locked():
        reopen(run, stream)
        rows, new = _append(stream, [(_row(sealed, store.rubric, store.project.name, one), one.at) for one in answers])
        table = stream.path.with_suffix(".csv")
        write_file(table, csv_table(rows, store.rubric))
        projects = sorted(stream.path.stem for stream in run.streams() if stream.type is Annotation)
        seal(run, run.annotations_folder, {"projects": projects, "run": sealed.manifest})
    return Exported(len(rows), new, table, stream.path)


def _check_origin(store: Store, sealed: Sealed, run: Run) -> None:
    project = store.project
    if sealed.project != project.name or sealed.seed != project.seed:
        raise InputError(f"{store.path}: the sealed file is that of another project ({sealed.project})")
    if not run.sealed or manifest_hash(run.folder) != sealed.manifest:
        raise InputError(f"{run.folder}: not the state of the run that '{project.name}' was made from")
    if human_rubric(run) != store.rubric or rubric_hash(run) != sealed.rubric:
        raise DamagedRecord(f"{store.path}: its rubric is not the one the project was made with")
    with store.reading() as session:
        codes = set(session.exec(select(Item.code)).all())
    if codes != sealed.items.keys():
        raise DamagedRecord(f"{store.path}: its items are not those of the sealed file")


def read_submitted(store: Store) -> list[Submitted]:
    """Every last submission, by annotator and position.

    Raises DamagedRecord unless the event chain is whole, says the same, and order and sides follow from the seed.
    """
    with store.reading() as session:
        events = session.exec(select(Event).order_by(col(Event.number))).all()
        chain.check(events, store.project.genesis, str(store.path))
        told = {
            (event.annotator, event.item): (event.at, chain.body(event))
            for event in events
            if event.kind in ("submitted", "revised")
        }
        strata = {item.code: item.stratum for item in session.exec(select(Item)).all()}
        found = []
        for annotator in session.exec(select(Annotator).order_by(col(Annotator.name))).all():
            _check_drawn(session, store, annotator, strata)
            found += list(_submitted_by(session, annotator))
    told_of = [_told(store, one, told.pop((one.annotator, one.item), None)) for one in found]
    if told:
        raise DamagedRecord(f"{store.path}: the chain tells of a submission that is not there; restore it from a copy")
    return told_of


def _check_drawn(session: Session, store: Store, annotator: Annotator, strata: Mapping[str, str]) -> None:
    query = select(Presentation).where(Presentation.annotator_id == annotator.id).order_by(col(Presentation.position))
    stored = [(row.position, row.item_code, row.first) for row in session.exec(query).all()]
    if stored != [tuple(placement) for placement in draw(store.project.seed, annotator.name, strata)]:
        raise DamagedRecord(f"{store.path}: order or sides of '{annotator.name}' do not follow from the project's seed")


def _submitted_by(session: Session, annotator: Annotator) -> Iterator[Submitted]:
    for place in sheets.places(session, annotator.id or 0):
        entry = sheets.entry(session, place.presentation, place.submitted)
        if entry is not None:
            shown = session.get_one(Presentation, place.presentation)
            first: Side = "A" if shown.first == "A" else "B"
            yield Submitted(annotator.name, shown.item_code, place.position, first, place.submitted, entry, "")


def _told(store: Store, one: Submitted, event: tuple[str, dict[str, Any]] | None) -> Submitted:
    """The submission with its time. Raises DamagedRecord unless the chain tells of exactly this one."""
    said = {"revision": one.revision, "answers": one.entry.answers, "comment": one.entry.comment}
    if event is None or event[1] != said:
        raise DamagedRecord(
            f"{store.path}: the answers of '{one.annotator}' to {one.item} are not those in the event chain; "
            "restore it from a copy"
        )
    return one._replace(at=event[0])


def _row(sealed: Sealed, rubric: Rubric, project: str, one: Submitted) -> Annotation:
    origin = sealed.items[one.item]
    return Annotation(
        project=project,
        annotator=one.annotator,
        item=one.item,
        pair=origin.pair,
        responses=origin.responses,
        design=origin.design,
        model=origin.model,
        rubric=sealed.rubric,
        position=one.position,
        first=one.first,
        revision=one.revision,
        scores={dimension.id: _score(one, dimension) for dimension in rubric.dimensions},
        labels={label.id: Both(*(_answer(one, label.id, side) for side in SIDES)) for label in rubric.labels},
        comment=one.entry.comment or "",
    )


def _score(one: Submitted, dimension: Dimension) -> Score:
    """A dimension's answers; where only the side is asked, the score says whether one is named."""
    favoured = msgspec.convert(_answer(one, dimension.id, "favoured"), type=Favoured)
    named = int(favoured != "none")
    return Score(named if dimension.asks == "side" else int(_answer(one, dimension.id, "score")), favoured)


def _answer(one: Submitted, part: str, kind: Kind) -> str:
    answer = one.entry.answers.get(question_id(part, kind))
    if answer is None:
        raise DamagedRecord(f"{one.item}: '{one.annotator}' submitted it without an answer to {part}")
    return answer


def _append(stream: Stream[Annotation], answers: Iterable[tuple[Annotation, str]]) -> tuple[list[Annotation], int]:
    """Store every row that is not there yet; a changed one supersedes its elder. Returns current rows, how many new."""
    before = {entry.key: entry for entry in read(stream)}
    rows, new = [], 0
    with Ledger(stream) as ledger:
        for row, at in answers:
            elder = before.get(annotation_key(row))
            if elder and msgspec.structs.replace(elder.row, supersedes="") == row:
                rows.append(elder.row)
                continue
            rows.append(msgspec.structs.replace(row, supersedes=elder.id if elder else ""))
            ledger.append(rows[-1], Seen(at=at))
            new += 1
        ledger.commit()
    return rows, new


def csv_table(rows: Iterable[Annotation], rubric: Rubric) -> bytes:
    """One line per score and per rated response, UTF-8.

    Text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        about = _about(row)
        for values in (*_scores(row, rubric), *_ratings(row, rubric)):
            writer.writerow({name: guarded(value) for name, value in (about | values._asdict()).items()})
    return out.getvalue().encode("utf-8")


def _about(row: Annotation) -> dict[str, Any]:
    own = {name: getattr(row, name) for name in ("project", "annotator", "item", "pair", "model", "first", "position")}
    return {**own, **plain(row.design), "tags": " ".join(row.design.tags)}


def _scores(row: Annotation, rubric: Rubric) -> Iterator[Line]:
    """A dimension that asks for the side alone has no score to compare: who is named is the answer."""
    for dimension in rubric.dimensions:
        name = dimension.id
        score: str | int = row.scores[name].score if dimension.asks == "score" else ""
        yield Line(_unit(row, name), name, score, row.scores[name].favoured)


def _ratings(row: Annotation, rubric: Rubric) -> Iterator[Line]:
    """One line per response and label: its rating where the options ascend, else the option's id."""
    for label in rubric.labels:
        for side in SIDES:
            option = row.labels[label.id][side]
            yield Line(_unit(row, label.id, side), label.id, label.rating(option) if label.ordinal else option)


def _unit(row: Annotation, *parts: str) -> str:
    return ":".join((row.pair[:UNIT_DIGITS], row.model, *parts))


def guarded(value: str | int) -> str | int:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value
