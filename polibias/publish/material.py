"""The data entries, the rubric and the judge tasks that a run was made from, if the data folder still holds them."""

from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

from polibias.domain.ids import canonical, plain
from polibias.domain.scenario import Condition, Country, CountryPair, Frame, PairCategory
from polibias.domain.value import Value
from polibias.errors import InputError
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.sources.entries import Placed
from polibias.sources.files import data_folder
from polibias.sources.library import Library, content_hash
from polibias.sources.pairsets import pair_sets, read_pair_set
from polibias.sources.rubrics import read_judge_prompt, read_rubric


class Material(NamedTuple):
    """Files of a data folder by their path in it, or why there are none."""

    files: dict[str, Path]
    missing: str = ""


def find_material(run: Run, about: Mapping[str, Any], data: Path | None) -> Material:
    """The files that hold what the run was made from, and those that they name.

    Content decides: unless every entry, the rubric and every judge task are the very same, no file is taken.
    """
    try:
        folder = data or data_folder()
        files = {*_asked(folder, about), *_entries(folder, _sources(run))}
    except InputError as error:
        return Material({}, str(error))
    return Material({path.relative_to(folder).as_posix(): path for path in sorted(files)})


def _sources(run: Run) -> set[str]:
    """The content hash of every data entry that the run's prompts were built from."""
    return {name for entry in read(run.pairs()) for name in entry.row.sources.values()}


def _asked(folder: Path, about: Mapping[str, Any]) -> Iterator[Path]:
    """The files of rubric and judge tasks. Raises InputError for one that says something else now."""
    name = about["rubric"]["id"]
    if not _same(read_rubric(folder, name, "this run"), about["rubric"]):
        raise InputError(f"{folder}: rubric '{name}' is not the one of this run")
    yield folder / "rubrics" / f"{name}.toml"
    for task in about["judge_prompts"].values():
        name = task["id"]
        if not _same(read_judge_prompt(folder, name, "this run"), task):
            raise InputError(f"{folder}: judge task '{name}' is not the one of this run")
        yield folder / "prompts" / "judge" / f"{name}.toml"


def _same(value: Value, stored: Any) -> bool:
    return canonical(plain(value)) == canonical(stored)


def _entries(folder: Path, wanted: Set[str]) -> set[Path]:
    """The files of an imported set that holds all that is wanted, or else the library's files that do."""
    for name in pair_sets(folder):
        if wanted <= _set_hashes(folder, name):
            return {folder / "pairs" / f"{name}.jsonl"}
    placed = [one for found in Library(folder).placed.values() for one in found]
    known = {content_hash(one.entry): one for one in placed}
    absent = len(wanted - known.keys())
    if absent:
        raise InputError(f"{folder}: {absent} of the {len(wanted)} data entries of this run are not in it as they were")
    return _closed({known[name].path for name in wanted}, placed)


def _set_hashes(folder: Path, name: str) -> set[str]:
    try:
        return {content_hash(pair) for pair in read_pair_set(folder, name, "this run").pairs}
    except InputError:
        return set()  # a set that cannot be read is not the one


def _closed(files: set[Path], placed: list[Placed]) -> set[Path]:
    """The files with those that they name, so that the folder can be read by itself."""
    where = {(type(one.entry), one.entry.id): one.path for one in placed}
    while True:
        named = {where.get(name) for one in placed if one.path in files for name in _names(one.entry)}
        more = {path for path in named if path} - files
        if not more:
            return files
        files = files | more


def _names(entry: Value) -> Iterator[tuple[type[Value], str]]:
    """What an entry names."""
    if isinstance(entry, CountryPair):
        yield from ((Country, entry.a), (Country, entry.b), (PairCategory, entry.category))
    if isinstance(entry, Condition):
        yield from ((Frame, name) for name in (entry.first, entry.second, entry.shown) if name)
