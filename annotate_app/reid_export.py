"""The export of a re-identification study: what was guessed, joined to the truth, as one sealed folder.

The folder is made anew from the database each time and put in the place of the one before as a whole, so that it never
holds what somebody withdrew since, or half an export. Rows keep their ids: the same revision is the same row in every
export. With a closed study a second export changes nothing.
"""

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from annotate_app.exporting.checks import check_drawn, check_told
from annotate_app.exporting.early import all_openings, check_end, open_early
from annotate_app.exporting.snapshot import Shown, Snapshot, take
from annotate_app.exporting.told import Place, Told
from annotate_app.questions import Naming
from annotate_app.reid_tables import (
    CODEBOOK,
    CSV,
    FLAGS,
    PARQUET,
    Flagged,
    Guess,
    codebook,
    csv_of,
    flags_csv,
    parquet_of,
)
from annotate_app.sealed import MaskedOrigin, Sealed
from annotate_app.store import Store
from annotate_app.timing import Spent, spent
from polibias.domain.ids import plain, tagged_hash
from polibias.domain.reidentification import outcome
from polibias.domain.rows import ReidGuess, Seen
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import storing, write_file
from polibias.records.ledger import Ledger, read
from polibias.records.manifest import Manifest, changed_files, manifest_hash, read_manifest, seal
from polibias.records.openings import INTERIM, Opening
from polibias.records.runs import GUESSES, MANIFEST, Run

KIND = "reidentification"
NOT_SPENT = Spent(0.0, 0.0, 0)


class Given(NamedTuple):
    """A place of the study and whose it is."""

    annotator: str
    shown: Shown

    @property
    def place(self) -> Place:
        return self.annotator, self.shown.position


class Gathered(NamedTuple):
    """Everything an export says, read in one consistent view.

    `rows` are all finished revisions in their order, `removed` names the people who withdrew and whose answers
    are therefore left out. `closed_at` is None before the end.
    """

    rows: list[Guess]
    flags: list[Flagged]
    removed: set[str]
    closed_at: str | None
    interim: Sequence[Opening]
    snapshot: Snapshot


class Exported(NamedTuple):
    """What an export made. `rows` counts showings that somebody is done with, `revisions` all rows of the ledger.

    `manifest` is the hash that names the folder; `interim` are all exports before the close, this one included.
    """

    folder: Path
    rows: int
    revisions: int
    manifest: str
    interim: Sequence[Opening]


def export_guesses(store: Store, sealed: Sealed, out: Path, interim: str | None = None, bom: bool = False) -> Exported:
    """Write the study's export into the folder `out`, all of it or nothing.

    `interim` is the reason for an export before the study is closed; the event chain keeps it. `bom` begins the CSV
    files with a byte-order mark. Raises InputError or DamagedRecord, with nothing written, if the study is open and no
    reason is given, if database and sealed file do not belong together or either was changed, or if `out` holds
    anything but an earlier export of this project as it was made.
    """
    _check_place(out, store.project.name)
    gathered = gather(store, sealed)
    check_end(store, gathered.closed_at or "", interim)
    _check_newer(out, gathered)
    if interim is not None:
        open_early(store, gathered.snapshot, interim, sum(one.current for one in gathered.rows), {})
        gathered = gather(store, sealed)
    gathered = gathered._replace(interim=all_openings(gathered.interim, out, store.project.name))
    with _beside(out) as building:
        _write(building, store, sealed, gathered, bom)
        _put(building, out)
    current = sum(one.current for one in gathered.rows)
    return Exported(out, current, len(gathered.rows), manifest_hash(out), gathered.interim)


def _check_newer(out: Path, gathered: Gathered) -> None:
    """Raises DamagedRecord if an earlier export in `out` has a later revision; who withdrew since has none at all."""
    last: dict[Place, int] = {}
    for one in gathered.rows:
        last[one.row.annotator, one.row.position] = one.row.revision
    for entry in read(Run(out).guesses()):
        row = entry.row
        if row.annotator not in gathered.removed and row.revision > last.get((row.annotator, row.position), 0):
            raise DamagedRecord(
                f"{entry.where}: a later answer of '{row.annotator}' at place {row.position} than the project's "
                f"database has: it is an older copy; restore a newer one, or move {out} away"
            )


def gather(store: Store, sealed: Sealed) -> Gathered:
    """Everything to be exported, once all checks of the database have passed."""
    with store.reading() as session:
        snapshot = take(session)
        check_origin(store, sealed, snapshot)
        told = check_told(store, sealed, snapshot)
        check_drawn(session, store, snapshot)
    removed = snapshot.withdrawn if store.protocol.withdrawal == "remove" else set()
    kept = _kept(snapshot, removed)
    times = {name: spent(told.moments[name]) for name in {one.annotator for one in kept}}
    return Gathered(
        rows=[guess for one in kept for guess in _guesses(sealed, told, one, times[one.annotator])],
        flags=sorted((flag for one in kept for flag in _flagged(sealed, told, one)), key=lambda flag: flag.at),
        removed={snapshot.people[one].name for one in removed},
        closed_at=told.closed_at or None,
        interim=told.interims,
        snapshot=snapshot,
    )


def check_origin(store: Store, sealed: Sealed, snapshot: Snapshot) -> None:
    """Raises InputError or DamagedRecord unless the sealed file is that of this very project."""
    project = store.project
    if (sealed.project, sealed.seed, sealed.kind) != (project.name, project.seed, project.kind):
        raise InputError(f"{store.path}: the sealed file is that of another project ({sealed.project})")
    if not isinstance(store.scheme, Naming) or tagged_hash("naming/1", store.scheme) != sealed.rubric:
        raise DamagedRecord(f"{store.path}: what is asked is not what the project was made with; restore it")
    if {code for code, item in snapshot.items.items() if not item.lesson} != sealed.items.keys():
        raise DamagedRecord(f"{store.path}: its items are not those of the sealed file; restore it from a copy")


def _kept(snapshot: Snapshot, removed: Set[int]) -> list[Given]:
    """The places of everybody who is not left out, by annotator's name and position."""
    kept = (one for one in snapshot.study if one.annotator_id not in removed)
    named = (Given(snapshot.people[one.annotator_id].name, one) for one in kept)
    return sorted(named, key=lambda one: one.place)


def _guesses(sealed: Sealed, told: Told, one: Given, times: Mapping[str, Spent]) -> Iterator[Guess]:
    """The rows of a place without their ids; the last revision is current and has the time spent on it."""
    finishes = told.finishes.get(one.place, [])
    for number, finish in enumerate(finishes, start=1):
        took = times.get(str(one.shown.position), NOT_SPENT)
        yield Guess("", _row(sealed, one, finish.body), finish.at, number == len(finishes), took)


def _row(sealed: Sealed, one: Given, said: Mapping[str, Any]) -> ReidGuess:
    """One finished revision, as the chain tells it, as a row, but for what it supersedes."""
    origin, answers = _origin(sealed, one.shown.item), said["answers"]
    guess_x, guess_y, level = (answers.get(name) for name in ("x.country", "y.country", "naming.confidence"))
    submitted = said["state"] == "submitted"
    checked = answers.get("check.answer") if one.shown.instructed else None
    fields = {
        "project": sealed.project,
        "annotator": one.annotator,
        "item": one.shown.item,
        **{name: getattr(origin, name) for name in ("pair", "model", "category", "x", "y")},
        "guess_x": guess_x,
        "guess_y": guess_y,
        "confidence": int(level) if level not in (None, "none") else None,
        "outcome": outcome(origin.x, origin.y, guess_x, guess_y) if submitted else None,
        "options": json.loads(one.shown.options),
        "position": one.shown.position,
        "first": one.shown.first,
        "showing": one.shown.role,
        "status": said["state"],
        "reason": said["reason"],
        "revision": said["revision"],
        "check": "" if checked is None else "passed" if checked == one.shown.instructed else "failed",
        "comments": said["comments"],
        "quotes": {part: [(q["side"], q["text"]) for q in found] for part, found in said["quotes"].items()},
    }
    return msgspec.convert(fields, type=ReidGuess)


def _origin(sealed: Sealed, code: str) -> MaskedOrigin:
    origin = sealed.items[code]
    if not isinstance(origin, MaskedOrigin):
        raise DamagedRecord(f"the sealed file of '{sealed.project}' takes {code} for no masked pair; restore it")
    return origin


def _flagged(sealed: Sealed, told: Told, one: Given) -> Iterator[Flagged]:
    """What somebody reported about the item of a place."""
    for flag in told.flags.get(one.place, []):
        origin = _origin(sealed, one.shown.item)
        where = (sealed.project, one.annotator, one.shown.item, origin.pair, origin.model)
        yield Flagged(*where, one.shown.position, one.shown.role, flag.reason, flag.comment, flag.at)


def _write(folder: Path, store: Store, sealed: Sealed, gathered: Gathered, bom: bool) -> None:
    """The whole export in an empty folder, sealed."""
    run = Run(folder)
    rows = _store(run, gathered.rows)
    current = [one for one in rows if one.current]
    write_file(folder / CSV, csv_of(current, bom))
    write_file(folder / FLAGS, flags_csv(gathered.flags, bom))
    write_file(folder / PARQUET, parquet_of(current))
    about = _about(sealed, gathered)
    scheme = store.scheme
    assert isinstance(scheme, Naming)  # check_origin saw to it
    write_file(
        folder / CODEBOOK, codebook(scheme, store.protocol, about, gathered.interim).encode("utf-8", "backslashreplace")
    )
    seal(run, folder, about)


def _store(run: Run, guesses: Iterable[Guess]) -> list[Guess]:
    """Store every revision, each one superseding that before it. Returns them with their ids."""
    stored: list[Guess] = []
    elder: dict[tuple[str, int], str] = {}
    with Ledger(run.guesses()) as ledger:
        for one in guesses:
            place = (one.row.annotator, one.row.position)
            row = msgspec.structs.replace(one.row, supersedes=elder.get(place, ""))
            seconds = round(one.took.active, 3) if one.current else None
            elder[place] = ledger.append(row, Seen(at=one.at, seconds=seconds))
            stored.append(one._replace(id=elder[place], row=row))
        ledger.commit()
    return stored


def _about(sealed: Sealed, gathered: Gathered) -> dict[str, Any]:
    """What the folder is about, as its manifest and its codebook say it."""
    current = [one for one in gathered.rows if one.current]
    return {
        "project": sealed.project,
        "kind": KIND,
        "items_from": sealed.run,
        "items_sha256": sealed.manifest,
        "asked": sealed.rubric,
        "seed": sealed.seed,
        "closed_at": gathered.closed_at,
        INTERIM: {sealed.project: plain(gathered.interim)} if gathered.interim else {},
        "annotators": len({one.row.annotator for one in current}),
        "removed": len(gathered.removed),
        "rows": len(current),
        "revisions": len(gathered.rows),
        "flags": len(gathered.flags),
        "events": len(gathered.snapshot.events),
        "chain": gathered.snapshot.events[-1].hash,
    }


def _check_place(out: Path, project: str) -> None:
    """Raises InputError unless the folder is free, or holds an export of this project as it was made."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    other = f"{out}: holds something else than an export of '{project}'; name another folder with --out"
    if not (out / MANIFEST).is_file():
        raise InputError(other)
    about = read_manifest(out).about
    if (about.get("project"), about.get("kind")) != (project, KIND) or not (out / GUESSES).is_file():
        raise InputError(other)
    for problem in changed_files(Run(out), out):
        raise InputError(f"{problem}; an export that was changed is not replaced: name another folder with --out")


@contextmanager
def _beside(out: Path) -> Iterator[Path]:
    """A private folder beside `out` to build in; gone at the end unless it was moved."""
    with storing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        yield building
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _put(building: Path, out: Path) -> None:
    """Move what was built to its place; an earlier export that says exactly the same stays."""
    if (out / MANIFEST).exists() and _content(read_manifest(building)) == _content(read_manifest(out)):
        return
    former = building.with_name(f"{building.name}-former")
    with storing(out):
        if out.exists():
            out.rename(former)
        try:
            building.rename(out)
        except OSError:
            if former.exists():
                former.rename(out)
            raise
    shutil.rmtree(former, ignore_errors=True)


def _content(manifest: Manifest) -> object:
    return manifest.about, manifest.files
