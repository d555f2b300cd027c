"""Reading the entries of a data file one by one, so that every mistake in it is reported at once with its line."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from polibias.domain.value import Value
from polibias.errors import InputError
from polibias.sources.files import read_text, readable


class Placed(NamedTuple):
    """An entry and where it stands."""

    path: Path
    line: int
    entry: Any

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}" if self.line else str(self.path)


def read_entries(path: Path, kinds: Mapping[str, type[Value]], problems: list[str]) -> dict[str, list[Placed]]:
    """The file's entries by kind; what is wrong with any of them is added to `problems`, the others are read."""
    try:
        text = read_text(path)
        tables = tomllib.loads(text)
    except InputError as error:
        problems.append(str(error))
        return {}
    except (ValueError, RecursionError) as error:
        problems.append(f"{path}: not valid TOML: {error}")
        return {}
    known = ", ".join(f"[[{kind}]]" for kind in kinds)
    problems += [
        f"{path}: unknown entry '{name}'; known here: {known}" for name in sorted(tables.keys() - kinds.keys())
    ]
    return {kind: list(_entries(path, text, kind, kinds[kind], tables.get(kind, []), problems)) for kind in kinds}


def _entries(path: Path, text: str, kind: str, type_: type[Value], found: Any, problems: list[str]) -> Iterator[Placed]:
    if not isinstance(found, list):
        problems.append(f"{path}: write each {kind} under its own [[{kind}]]")
        return
    for line, raw in zip(_lines(text, kind, len(found)), found, strict=True):
        placed = Placed(path, line, raw)
        try:
            yield placed._replace(entry=msgspec.convert(raw, type=type_))
        except msgspec.ValidationError as error:
            name = raw.get("id", "") if isinstance(raw, dict) else ""
            problems.append(f"{placed.where}: {kind} '{name}': {readable(str(error))}")


def _lines(text: str, kind: str, count: int) -> list[int]:
    """The line of each header; zeros if a header's text also stands inside a string, so that no wrong line is told."""
    header = re.compile(rf"^[ \t]*\[\[[ \t]*{kind}[ \t]*\]\]", re.MULTILINE)
    found = [text.count("\n", 0, match.start()) + 1 for match in header.finditer(text)]
    return found if len(found) == count else [0] * count
