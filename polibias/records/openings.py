"""When human annotations were looked at before their study closed, as the seal of the annotations' folder tells."""

import contextlib
from pathlib import Path
from typing import Any

import msgspec

from polibias.domain.display import visible
from polibias.domain.value import Value
from polibias.errors import DamagedRecord, PoliBiasError
from polibias.records.manifest import read_manifest
from polibias.records.runs import ANNOTATIONS, GUESSES, MANIFEST
from polibias.records.segments import first_segment

INTERIM = "interim"
TABLES = (".jsonl", ".csv", ".repeats.csv", ".parquet")
"""How the names of a project's files end that hold answers."""
MASKED = ("guesses.jsonl", "guesses.csv", "guesses.parquet", "flags.csv")
"""The names of these files in an export of masked items, which is a folder of its own."""
LONGEST = 200


class Opening(Value, frozen=True):
    """One export before the study closed: when (UTC), why, and how many annotations were in it."""

    at: str
    reason: str
    annotations: int


def openings(folder: Path) -> dict[str, tuple[Opening, ...]]:
    """The openings of each project that was exported into this folder, {} for a folder that is not sealed.

    Raises DamagedRecord if the manifest was changed.
    """
    if not (folder / MANIFEST).exists():
        return {}
    return told_in(folder, read_manifest(folder).about)


def told_in(folder: Path, about: dict[str, Any]) -> dict[str, tuple[Opening, ...]]:
    """The openings that a manifest's own words tell of."""
    try:
        return msgspec.convert(about.get(INTERIM, {}), type=dict[str, tuple[Opening, ...]])
    except msgspec.ValidationError:
        raise DamagedRecord(f"{folder / MANIFEST}: not a manifest of annotations; restore it from a copy") from None


def openings_of(file: Path) -> dict[str, tuple[Opening, ...]]:
    """The openings of the project whose exported file this is, {} for any other file.

    A manifest beside a file that does not lie where exports lie may be anything, and need not be readable.
    """
    folder, name = file.absolute().parent, first_segment(file).name
    found: dict[str, tuple[Opening, ...]] = {}
    masked = name in MASKED and (folder / GUESSES).exists()
    lenient = () if masked or folder.name == ANNOTATIONS else (PoliBiasError,)
    with contextlib.suppress(*lenient):
        found = openings(folder)
    return {project: known for project, known in found.items() if masked or name in {project + end for end in TABLES}}


def opened_early(project: str, known: tuple[Opening, ...]) -> str:
    """The openings as one line that any terminal or page may show; '' where there are none."""
    if not known:
        return ""
    times = "once" if len(known) == 1 else f"{len(known)} times"
    said = "; ".join(f"{one.at[:16].replace('T', ' ')} UTC, {one_line(one.reason)}" for one in known)
    return f"Human annotations of project {project} were opened {times} before the study closed: {said}."


def one_line(text: str) -> str:
    """Foreign text in a sentence: on one line, nothing hidden in it, and cut where it is very long."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in visible(text)).split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
