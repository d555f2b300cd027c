"""What the library is held to: the provisions that a legal basis may cite, and the expected counts."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from polibias.domain.provision import NUMBER
from polibias.domain.value import EntryId, Text, Value
from polibias.errors import InputError
from polibias.sources.entries import Placed, read_entries
from polibias.sources.files import read_text, readable

RANGE = re.compile(r"(\d{1,4})-(\d{1,4})")


class InstrumentEntry(Value, frozen=True):
    """A treaty as the table writes it; "1-64" among `provisions` stands for every whole number from 1 to 64."""

    id: EntryId
    name: Text
    article_word: tuple[Text, Text]
    provisions: tuple[Text, ...]


class Instrument(NamedTuple):
    """A treaty: the words before one and before several of its provisions, and the provisions that may be cited."""

    article_word: tuple[str, str]
    provisions: frozenset[str]


class Expected(NamedTuple):
    """How many entries there should be, and where that is written."""

    where: str
    number: int


class _Counts(Value, frozen=True):
    counts: dict[str, dict[str, int]]
    files: tuple[str, ...] = ()


def read_provisions(folder: Path, problems: list[str]) -> dict[str, Instrument]:
    """The instruments of a data folder by name, none if it has no table; what is wrong is added to `problems`."""
    path = folder / "law" / "provisions.toml"
    if not path.exists():
        return {}
    found: dict[str, Instrument] = {}
    for placed in read_entries(path, {"instrument": InstrumentEntry}, problems).get("instrument", []):
        entry: InstrumentEntry = placed.entry
        if entry.name in found:
            problems.append(_told(placed, "stands in the table twice; make one entry of the two"))
        found[entry.name] = Instrument(entry.article_word, frozenset(_listed(placed, problems)))
    return found


def _listed(placed: Placed, problems: list[str]) -> Iterator[str]:
    for written in placed.entry.provisions:
        limits = RANGE.fullmatch(written)
        if limits and int(limits[1]) < int(limits[2]):
            yield from map(str, range(int(limits[1]), int(limits[2]) + 1))
        elif NUMBER.fullmatch(written):
            yield written
        else:
            problems.append(_told(placed, f"'{written}' is no provision; write it like 8(2)(b)(iv) or 1-64"))


def _told(placed: Placed, problem: str) -> str:
    return f"{placed.where}: instrument '{placed.entry.name}': {problem}"


class Counts(NamedTuple):
    """The expected counts by kind and category, and the files that they are of; no files means all."""

    numbers: dict[str, dict[str, Expected]] = {}
    files: frozenset[str] = frozenset()


def read_counts(folder: Path, problems: list[str]) -> Counts:
    """The expected counts of a data folder, none if it has no file for them; what is wrong is added to `problems`."""
    path = folder / "counts.toml"
    if not path.exists():
        return Counts()
    try:
        text = read_text(path)
        found = msgspec.convert(tomllib.loads(text), type=_Counts)
    except InputError as error:
        problems.append(str(error))
    except msgspec.ValidationError as error:
        problems.append(f"{path}: {readable(str(error))}")
    except (ValueError, RecursionError) as error:
        problems.append(f"{path}: not valid TOML: {error}")
    else:
        numbers = {kind: dict(_expected(path, text, kind, numbers)) for kind, numbers in found.counts.items()}
        return Counts(numbers, frozenset(found.files))
    return Counts()


def _expected(path: Path, text: str, kind: str, numbers: Mapping[str, int]) -> Iterator[tuple[str, Expected]]:
    """Each number with its line, looked for below the header of its kind."""
    above, _, below = text.partition(f"[counts.{kind}]")
    for category, number in numbers.items():
        line = re.search(rf"^[ \t]*{re.escape(category)}[ \t]*=", below, re.MULTILINE)
        place = f":{above.count(chr(10)) + below.count(chr(10), 0, line.start()) + 1}" if line else ""
        yield category, Expected(f"{path}{place}", number)
