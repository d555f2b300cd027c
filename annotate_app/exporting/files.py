"""The files of a project in its run's folder of annotations: their names, and what the folder's seal says of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from polibias.domain.ids import plain
from polibias.records.manifest import read_manifest
from polibias.records.openings import INTERIM, Opening
from polibias.records.runs import MANIFEST, Run


class Files(NamedTuple):
    """Where each file of a project lies."""

    jsonl: Path
    csv: Path
    repeats: Path
    parquet: Path
    annotators: Path
    codebook: Path


def files_of(run: Run, project: str) -> Files:
    """The fixed names of a project's files."""
    folder = run.annotations_folder
    ends = ("jsonl", "csv", "repeats.csv", "parquet", "annotators.csv", "codebook.md")
    return Files(*(folder / f"{project}.{end}" for end in ends))


def about(run: Run, manifest: str, project: str, own: Mapping[str, Any], interims: Sequence[Opening]) -> dict[str, Any]:
    """What the seal says beside the files: for every project exported here, its counts and when it was opened early."""
    folder = run.annotations_folder
    before = read_manifest(folder).about if (folder / MANIFEST).exists() else {}
    projects = {**before.get("projects", {}), project: dict(own)}
    opened = {**before.get(INTERIM, {}), project: plain(interims)}
    return {"run": manifest, "projects": projects, INTERIM: {name: said for name, said in opened.items() if said}}
