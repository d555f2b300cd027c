"""The data entries, rubric, judge tasks and lexicon that a run was made from, if the data folder still holds them."""

from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

from polibias.copies import Maskers
from polibias.domain.ids import canonical, plain
from polibias.domain.scenario import Condition, Country, CountryPair, Frame, PairCategory
from polibias.domain.value import Value
from polibias.errors import InputError
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.sources.entries import Placed
from polibias.sources.files import data_folder
from polibias.sources.lexicon import read_lexicon
from polibias.sources.library import Library, content_hash
from polibias.sources.pairsets import pair_sets, read_pair_set
from polibias.sources.rubrics import NAMING, read_judge_prompt, read_naming_prompt, read_rubric

LEXICON = "lexicon"


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
        files = {*_asked(folder, about), *_lexicon(folder, run), *_entries(folder, _sources(run))}
    except InputError as error:
        return Material({}, str(error))
    return Material({path.relative_to(folder).as_posix(): path for path in sorted(files)})


def _sources(run: Run) -> set[str]:
    """The content hash of every data entry that the run's prompts were built from."""
    sources = (entry.row.sources for entry in read(run.pairs()))
    return {name for found in sources for kind, name in found.items() if kind != LEXICON}


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

    if about["reidentify"]:
        name = about["reidentify"]["asked"]["id"]
        if not _same(read_naming_prompt(folder, name, "this run"), about["reidentify"]["asked"]):
            raise InputError(f"{folder}: task of re-identification '{name}' is not the one of this run")
        yield folder / "prompts" / NAMING / f"{name}.toml"


def _lexicon(folder: Path, run: Run) -> Iterator[Path]:
    """The files of the lexicon, if pairs were masked. Raises InputError unless it has the same terms for them."""
    used = {
        (pair.parties, pair.level, pair.sources[LEXICON])
        for pair in (entry.row for entry in read(run.pairs()))
        if pair.level
    }
    maskers = Maskers(read_lexicon(folder)) if used else None
    for parties, level, terms in used:
        if maskers is not None and level and maskers.of(parties, level).lexicon != terms:
            raise InputError(f"{folder}: the lexicon's terms of {parties.A} and {parties.B} are not those of this run")
    if used:
        yield from (folder / LEXICON).rglob("*.toml")


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
