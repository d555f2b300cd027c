"""From answers back to rows: the only reader of the sealed file.

Everything is checked before anything is written. Then every finished showing of an item becomes an `Annotation` row
in the run's `annotations/` folder, once; a later revision is a new row that supersedes the old one. Tables and a
codebook are written beside the stream, and a seal over all. What belongs to one kind of study lies in the modules
`pair_…`; everything else holds for any.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from annotate_app.exporting import pair_table, people, stream
from annotate_app.exporting.cells import write_csv, write_parquet
from annotate_app.exporting.checks import check_drawn, check_told
from annotate_app.exporting.codebook import Facts, Table, codebook
from annotate_app.exporting.counts import Counts, annotations, check_counts, counted
from annotate_app.exporting.early import all_openings, check_end, open_early
from annotate_app.exporting.files import Files, about, files_of
from annotate_app.exporting.held import Tied, put_away, tied
from annotate_app.exporting.outcomes import Outcome, outcomes
from annotate_app.exporting.pair_origin import check_origin
from annotate_app.exporting.pair_rows import Study, annotation, check_quotes
from annotate_app.exporting.snapshot import Snapshot, take
from annotate_app.exporting.told import Told
from annotate_app.questions import Scoring
from annotate_app.sealed import Sealed
from annotate_app.store import Store
from polibias.domain.ids import plain
from polibias.domain.rows import Seen
from polibias.errors import InputError
from polibias.records.documents import write_file
from polibias.records.manifest import reopen, seal
from polibias.records.openings import Opening
from polibias.records.runs import Run

COLUMNS = pair_table.NAMES


class Exported(NamedTuple):
    """What an export did. `rows` annotations stand, `new` ones of all that was stored are new.

    `counts` are places by showing and status, as many as in the database; `interims` all exports before the end.
    """

    rows: int
    new: int
    counts: Counts
    interims: tuple[Opening, ...]
    closed: bool
    files: Files


class Checked(NamedTuple):
    """A project that is what its chain, its seed and its sealed file say, and what became of each of its places."""

    store: Store
    sealed: Sealed
    run: Run
    snapshot: Snapshot
    told: Told
    study: Study
    found: list[Outcome]
    counts: Counts
    tie: Tied | None

    @property
    def shown(self) -> list[Outcome]:
        """The places whose answers may be read; those of held-out pairs are left out until their plan opens them."""
        return [one for one in self.found if not self._hidden(one)]

    @property
    def away(self) -> list[Outcome]:
        """The places whose answers leave in a box alone."""
        return [one for one in self.found if self._hidden(one)]

    def _hidden(self, one: Outcome) -> bool:
        return self.tie is not None and self.study.origins[one.item].pair in self.tie.hidden

    @property
    def removes(self) -> bool:
        return self.store.protocol.withdrawal == "remove"


def export(
    store: Store,
    sealed: Sealed,
    run: Run,
    interim: str | None = None,
    bom: bool = False,
    prereg: Path = Path("prereg"),
) -> Exported:
    """Append what is new, write the tables, seal the folder. A second export right after changes nothing but times.

    Before the study is closed it takes a reason, `interim`, which is told to the event chain first. `bom` puts a
    byte-order mark before the CSV files. Of a project that belongs to a plan in `prereg`, labels of held-out pairs
    leave in a box alone, once the project is closed. Raises DamagedRecord or InputError, with nothing written, if
    database, sealed file and run do not belong together or say different things.
    """
    checked = _checked(store, sealed, run, tied(sealed, run, prereg))
    check_end(store, checked.told.closed_at, interim)
    rows = run.annotations(store.project.name)
    with run.locked():
        reopen(run, rows)
        standing, taken_back = _rows(checked, checked.shown)
        planned = stream.plan(rows, standing, taken_back)
        interims = all_openings(checked.told.interims, run.annotations_folder, store.project.name)
        if interim is not None:
            counts = {"counts": checked.counts}
            interims += (open_early(store, checked.snapshot, interim, annotations(checked.counts), counts),)
        stream.store(rows, planned)
        files = files_of(run, store.project.name)
        _write(checked, files, interims, bom)
        log = _put_away(checked, interim is None)
        seal(run, run.annotations_folder, _about(checked, interims, log))
    done = annotations(checked.counts)
    return Exported(done, planned.new, checked.counts, interims, bool(checked.told.closed_at), files)


def _checked(store: Store, sealed: Sealed, run: Run, tie: Tied | None) -> Checked:
    if sealed.kind != "pairs" or not isinstance(store.scheme, Scoring):
        raise InputError(f"{store.path}: a study of the kind '{sealed.kind}' cannot be exported yet")
    with store.reading() as session:
        snapshot = take(session)
        origins = check_origin(store, sealed, run, snapshot)
        told = check_told(store, sealed, snapshot)
        check_drawn(session, store, snapshot)
        removes = store.protocol.withdrawal == "remove"
        found = outcomes(snapshot, told, removes)
        counts = counted(found)
        check_counts(str(store.path), session, counts, removes)
    check_quotes(str(store.path), snapshot, found)
    study = Study(store.project.name, store.scheme.rubric, sealed.rubric, origins)
    return Checked(store, sealed, run, snapshot, told, study, found, counts, tie)


def _rows(checked: Checked, found: Iterable[Outcome]) -> tuple[stream.Rows, stream.Rows]:
    """The rows that stand, and those that take back what somebody who withdrew had said."""
    made = [(one, annotation(checked.study, one)) for one in found if one.finished or one.status == "withdrawn"]
    seen = [(one, row, _seen(one)) for one, row in made]
    return (
        [(row, at) for one, row, at in seen if one.finished],
        [(row, at) for one, row, at in seen if not one.finished],
    )


def _put_away(checked: Checked, closed: bool) -> str:
    """Of a planned project: the events that prove its order, and what only the holder of a key may read.

    Returns how far the plan's log goes, "" for a project without a plan.
    """
    if checked.tie is None:
        return ""
    standing, _ = _rows(checked, checked.away)
    return put_away(checked.run, checked.study.project, checked.tie, [*standing], checked.snapshot.events, closed)


def _seen(one: Outcome) -> Seen:
    if one.spent is None:
        return Seen(at=one.at)
    return Seen(at=one.at, wall=round(one.spent.wall, 3), active=round(one.spent.active, 3))


def _write(checked: Checked, files: Files, interims: Sequence[Opening], bom: bool) -> None:
    """The tables and the codebook, from the very places that the rows were made from."""
    study, found = checked.study, checked.shown
    lines = [*pair_table.lines(study, [one for one in found if one.showing == "first"])]
    again = pair_table.lines(study, pair_table.repeated(found), by_annotator=True)
    persons = people.People(checked.snapshot, checked.told, checked.store.protocol, checked.removes)
    write_csv(files.csv, pair_table.COLUMNS, lines, bom)
    write_csv(files.repeats, pair_table.COLUMNS, again, bom)
    write_csv(files.annotators, people.COLUMNS, people.lines(persons, found), bom)
    write_parquet(files.parquet, pair_table.COLUMNS, lines, _named(checked, interims))
    write_file(files.codebook, codebook(_facts(checked, interims), _tables(files)))


def _named(checked: Checked, interims: Sequence[Opening]) -> dict[str, str]:
    """What the Parquet file says of itself."""
    return {
        "project": checked.study.project,
        "run": checked.sealed.manifest,
        "closed_at": checked.told.closed_at,
        "interim": json.dumps(plain(interims)),
    }


def _tables(files: Files) -> list[Table]:
    return [
        Table(
            f"{files.csv.name} and {files.parquet.name}",
            "One line per score and per rated response of every first showing.",
            pair_table.COLUMNS,
        ),
        Table(
            files.repeats.name,
            f"Both showings of every item that came back; columns as in {files.csv.name}. For agreement of annotators "
            "with themselves: unit `unit`, rater `showing`, value `score`.",
            (),
        ),
        Table(files.annotators.name, "One line per annotator.", people.COLUMNS),
    ]


def _facts(checked: Checked, interims: Sequence[Opening]) -> Facts:
    store, found, origins = checked.store, checked.found, checked.study.origins.values()
    times = sorted(one.at for one in found if one.finished)
    checks = [one.check for one in found if one.check]
    return Facts(
        project=checked.study.project,
        run=checked.sealed.run,
        manifest=checked.sealed.manifest,
        seed=store.project.seed,
        rubric=checked.study.rubric,
        protocol=store.protocol,
        interims=interims,
        closed_at=checked.told.closed_at,
        first_at=times[0] if times else "",
        last_at=times[-1] if times else "",
        annotators=len(checked.snapshot.people),
        working=len({one.annotator for one in found if one.finished}),
        withdrawn=len(checked.snapshot.withdrawn),
        items=len(origins),
        pairs=len({one.pair for one in origins}),
        models=sorted({one.model for one in origins}),
        named=sum(bool(one.names_itself) for one in origins),
        counts=checked.counts,
        checks=(checks.count("passed"), len(checks)),
        events=len(checked.snapshot.events),
        head=checked.snapshot.events[-1].hash,
    )


def _about(checked: Checked, interims: Sequence[Opening], log: str) -> dict[str, Any]:
    own: dict[str, Any] = {
        "annotations": annotations(checked.counts),
        "closed_at": checked.told.closed_at,
        "counts": checked.counts,
    }
    if checked.tie is not None:
        head = checked.snapshot.events[-1].hash
        own |= {"plan": checked.tie.plan.stem, "lock": checked.tie.lock, "log": log, "head": head}
        own |= {"held_out": len(checked.away)}
    return about(checked.run, checked.sealed.manifest, checked.study.project, own, interims)
