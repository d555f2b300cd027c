"""A sealed run as one ZIP file that stands for itself: records, report, annotations, the data it was made from, a card.

The same run gives the same bytes: names are sorted, times fixed, and nothing in it says when it was made.
"""

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from polibias.errors import DamagedRecord, InputError
from polibias.publish.card import data_card, packages, top_folder
from polibias.publish.material import find_material
from polibias.publish.places import check_place, require_sealed
from polibias.records.documents import read_named, reading, replacing
from polibias.records.manifest import SEALED_APART, read_manifest
from polibias.records.runs import ARCHIVED, MANIFEST, STUDY_TAG, Run
from polibias.records.verify import verify

LONG_AGO = (1980, 1, 1, 0, 0, 0)
PLAIN_FILE, UNIX = 0o100644 << 16, 3
BLOCK = 1 << 20


class Archived(NamedTuple):
    """The archive, how many files and bytes it has, and what a reader of it should know."""

    path: Path
    files: int
    bytes: int
    notes: tuple[str, ...]


class _Member(NamedTuple):
    """A file to be stored; `sha256` is what it must be, where a manifest says so."""

    path: Path
    sha256: str = ""


def write_archive(run: Run, out: Path, data: Path | None) -> Archived:
    """Write the archive, or nothing. The caller holds the run's lock.

    Raises InputError unless the run is sealed and `out` is new, and DamagedRecord unless every hash holds.
    """
    require_sealed(run)
    check_place(run, out)
    if out.exists() or out.is_symlink():
        raise InputError(f"{out}: is there already, and nothing is overwritten; name another file with --out")
    for problem in verify(run):
        raise DamagedRecord(f"{problem}; only a run that verifies is archived")
    about = read_named(run.study, STUDY_TAG)
    material = find_material(run, about, data)
    top = top_folder(about)
    members: dict[str, _Member | bytes] = {
        f"{top}/DATA_CARD.md": data_card(run, about, material).encode("utf-8"),
        **{f"{top}/{ARCHIVED}/{name}": member for name, member in _run_files(run)},
        **{f"{top}/data/{name}": _Member(path) for name, path in material.files.items()},
    }
    if versions := packages(about):
        members[f"{top}/packages.txt"] = versions.encode("utf-8")
    with replacing(out) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members):
            _store(archive, name, members[name])
    return Archived(out, len(members), out.stat().st_size, _notes(material.missing, about))


def _notes(missing: str, about: dict[str, Any]) -> tuple[str, ...]:
    notes = [f"the data folder was left out ({missing}); the card says so"] if missing else []
    notes += [] if packages(about) else ["the run does not say which packages it was made with"]
    return tuple(notes)


def _run_files(run: Run) -> Iterator[tuple[str, _Member]]:
    """Every file that the run's manifests list, and the manifests."""
    for folder in (run.folder, *(run.folder / name for name in SEALED_APART)):
        if (folder / MANIFEST).exists():
            yield (folder / MANIFEST).relative_to(run.folder).as_posix(), _Member(folder / MANIFEST)
            for file in read_manifest(folder).files:
                yield file.path, _Member(run.folder / file.path, file.sha256)


def _store(archive: zipfile.ZipFile, name: str, member: _Member | bytes) -> None:
    """One file, block by block. Raises DamagedRecord if it is no longer what its manifest says."""
    info = zipfile.ZipInfo(name, LONG_AGO)
    info.compress_type, info.external_attr, info.create_system = zipfile.ZIP_DEFLATED, PLAIN_FILE, UNIX
    if isinstance(member, bytes):
        archive.writestr(info, member)
        return
    with reading(member.path):
        info.file_size = member.path.stat().st_size  # tells zipfile in time whether the wide format is needed
    digest = hashlib.sha256()
    with archive.open(info, "w") as place:
        for block in _blocks(member.path):
            digest.update(block)
            place.write(block)
    if member.sha256 not in ("", digest.hexdigest()):
        raise DamagedRecord(f"{member.path}: changed while it was archived; run polibias verify")


def _blocks(path: Path) -> Iterator[bytes]:
    with reading(path):
        file = path.open("rb")
    with file:
        while block := file.read(BLOCK):
            yield block
