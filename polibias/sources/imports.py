"""Paired-prompt sets made elsewhere: one CSV file into pairs, with all that is wrong in it named at once.

Prompts are kept as they are, character for character. What becomes an id is normalised first: Unicode NFC, white space
trimmed and runs of it made one space, so that two spellings of one value that differ in nothing else share an id.
"""

import csv
import hashlib
import io
import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, get_args

from polibias.domain.pairset import ImportedPair
from polibias.domain.scenario import Block
from polibias.domain.sides import Both
from polibias.errors import InputError
from polibias.sources.files import no_such

PROMPTS = ("prompt_a", "prompt_b")
FACTORS = ("template", "category", "topic", "topic_category", "task")
ACTING = ("acting_a", "acting_b")
FIELDS = (*PROMPTS, "id", *FACTORS, "block", *ACTING)
BLOCKS: dict[str, Block] = {name: name for name in get_args(Block)}
UNMAPPED = "all"
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
LONGEST_CELL = 1_000_000
LONGEST_ID = 80
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
BOM = b"\xef\xbb\xbf"
Flaws = list[tuple[int, str]]
INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
UNPRINTED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Imported(NamedTuple):
    """A file as read: its pairs, or none and why.

    `problems`: one line each, in file order. `left_out`: line -> reason, only where pairs were taken all the same.
    `notes`: what the reader decided and the user should know.
    """

    pairs: tuple[ImportedPair, ...]
    problems: list[str]
    notes: list[str]
    left_out: dict[str, str]
    source: str
    sha256: str
    columns: dict[str, str]


class _Record(NamedTuple):
    """One CSV record and the physical lines it covers; `broken` says why it has no cells."""

    line: int
    last: int
    cells: list[str]
    broken: str = ""


def read_pairs(path: Path, columns: Mapping[str, str], skip_invalid: bool = False) -> Imported:
    """The pairs of a CSV file; `columns` maps our fields to the file's columns.

    Any problem empties `pairs`. With `skip_invalid` a problem that lies within one row leaves only that row out; what
    makes the rows doubtful as a whole (mapping, header, a quote left open) still leaves nothing.
    """
    columns = {field: column.strip() for field, column in columns.items()}
    wrong = [f"{path}: {problem}" for problem in _map_problems(columns)]
    try:
        data = _content(path)
    except InputError as error:
        return Imported((), _printable([*wrong, str(error)]), [], {}, path.name, "", columns)
    with _cells_of_any_length():
        reading = _read(path, data, columns, skip_invalid)
    valid = not wrong and not reading.refused and (skip_invalid or not reading.problems)
    return Imported(
        pairs=tuple(reading.pairs) if valid else (),
        problems=_printable([*wrong, *reading.problems]),
        notes=_printable(reading.notes()),
        left_out=reading.left_out if valid and reading.pairs else {},
        source=path.name,
        sha256=hashlib.sha256(data).hexdigest(),
        columns=columns,
    )


def slug(value: str) -> str:
    """`value` as an id: lower case, accents dropped, '-' for what is neither letter nor digit, 80 characters at most.

    Letters that ASCII cannot carry would vanish and make unlike values alike; a short hash stands in for them.
    """
    plain = unicodedata.normalize("NFKD", value.casefold())
    name = re.sub(r"[^a-z0-9]+", "-", "".join(c for c in plain if not unicodedata.combining(c))).strip("-")
    if name and not any(c.isalnum() and not c.isascii() for c in plain):
        return name[:LONGEST_ID].rstrip("-")
    stand_in = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: LONGEST_ID - 9].rstrip('-') or 'value'}-{stand_in}"


def squeezed(text: str) -> str:
    """`text` in NFC, trimmed, with one space for every run of white space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def blank(text: str) -> bool:
    """Whether nothing of `text` can be seen: white space, control and zero-width characters only."""
    return not text[:1].isalnum() and all(unicodedata.category(char) in INVISIBLE for char in text)


def _printable(lines: Iterable[str]) -> list[str]:
    """Each text on one line, whatever a file or a name put into it."""
    return [UNPRINTED.sub(lambda match: ascii(match[0])[1:-1], line) for line in lines]


def _map_problems(columns: Mapping[str, str]) -> Iterator[str]:
    for field in columns:
        if field not in FIELDS:
            yield f"{no_such('field', field, FIELDS, '--map')} (there are {', '.join(FIELDS)})"
    for field in PROMPTS:
        if field not in columns:
            yield f"--map names no column for {field}; add {field}=COLUMN"
    if set(PROMPTS) <= set(columns) and columns["prompt_a"] == columns["prompt_b"]:
        yield f"--map reads prompt_a and prompt_b from one column, '{columns['prompt_a']}'; name two"


def _content(path: Path) -> bytes:
    """The file's bytes. Raises InputError if it cannot be read or is in another encoding altogether."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: cannot be read (not a file)")
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise InputError(f"{path}: no file can have this name") from None
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{path}: byte 0 begins UTF-16 or UTF-32 text; save the file as UTF-8")
    return data


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Let the CSV reader pass cells of any length, so that a long one is a problem of its own row and no other."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _lines(data: bytes, flaws: dict[int, str]) -> Iterator[str]:
    """The physical lines, ended by \\n, \\r\\n or \\r; `flaws` gets line -> what is wrong with its bytes."""
    stream = io.BytesIO(data)
    offset = stream.seek(len(BOM) if data.startswith(BOM) else 0)
    lines = itertools.chain.from_iterable(chunk.splitlines(keepends=True) for chunk in stream)
    for number, raw in enumerate(lines, start=1):
        try:
            text = raw.decode("utf-8")
            if "\0" in text:
                flaws[number] = f"byte {offset + raw.index(0)} is a NUL; remove it"
        except UnicodeDecodeError as error:
            flaws[number] = f"byte {offset + error.start} is not UTF-8; save the file as UTF-8"
            text = raw.decode("utf-8", "surrogateescape")
        offset += len(raw)
        yield text


def _records(data: bytes, delimiter: str, flaws: dict[int, str]) -> Iterator[_Record]:
    """The file's records, blank lines left out; after a broken one the next physical line begins a new one."""
    reader = csv.reader(_lines(data, flaws), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield _Record(line, reader.line_num, [], _broken(line, reader.line_num))
            continue
        if len(cells) > 1 or "".join(cells).strip():
            yield _Record(line, reader.line_num, cells)


def _broken(line: int, last: int) -> str:
    """Strict CSV breaks at quotes only: one that is never closed, or one inside a quoted cell that is not doubled."""
    if last > line:
        return f"a quote that opens here is not closed as it should be by line {last}, so rows cannot be told apart"
    return "a quoted cell is not closed, or holds a quote that is not doubled; write it as two"


def _column_names(header: _Record) -> list[str]:
    return [cell.strip() for cell in header.cells]


def _delimiter(data: bytes, wanted: Iterable[str]) -> str:
    """The delimiter under which the header has most of the wanted columns, then most columns, then the first."""

    def fit(delimiter: str) -> tuple[int, int]:
        names = _column_names(next(_records(data, delimiter, {}), _Record(1, 1, [])))
        return len(set(wanted) & set(names)), len(names)

    return max(DELIMITERS, key=fit)


def _read(path: Path, data: bytes, columns: Mapping[str, str], skip: bool) -> "_Reading":
    reading = _Reading(path, columns, _delimiter(data, columns.values()), skip)
    flaws: dict[int, str] = {}
    records = _records(data, reading.delimiter, flaws)
    header = next(records, None)
    if header is None:
        reading.refuse("the file is empty")
        return reading
    reading.take_header(header, _flaws_of(header, flaws))
    for record in records:
        reading.take(record, _flaws_of(record, flaws))
    if not reading.rows:
        reading.refuse("the file has a header and no rows under it")
    return reading


def _flaws_of(record: _Record, flaws: Mapping[int, str]) -> Flaws:
    """What is wrong with the record's bytes."""
    return [(line, flaws[line]) for line in range(record.line, record.last + 1) if line in flaws] if flaws else []


class _Ids:
    """The ids of one field's values: one for each value, and never one for two.

    A value whose id another value has already gets the suffix -2, -3, … in order of appearance.
    """

    def __init__(self, field: str) -> None:
        self.field = field
        self.of_value: dict[str, str] = {}
        self.taken: set[str] = set()
        self.uses: dict[str, int] = {}
        self.suffixed: list[tuple[str, str]] = []

    def of(self, text: str) -> str:
        if text not in self.of_value:
            value = squeezed(text)
            if value not in self.of_value:
                # A row's own name is kept if it can be an id; factors are all written alike.
                keep = self.field == "id" and ID.fullmatch(value)
                self.of_value[value] = self._free(value, value if keep else slug(value))
            self.of_value[text] = self.of_value[value]
        return self.of_value[text]

    def _free(self, value: str, base: str) -> str:
        name = base
        while name in self.taken:
            self.uses[base] = self.uses.get(base, 1) + 1
            suffix = f"-{self.uses[base]}"
            name = base[: LONGEST_ID - len(suffix)] + suffix
        if name != base:
            self.suffixed.append((value, name))
        self.taken.add(name)
        return name


class _Reading:
    """One pass over a file: what was taken, what is wrong, and what later rows may not repeat."""

    def __init__(self, path: Path, columns: Mapping[str, str], delimiter: str, skip: bool) -> None:
        self.path, self.delimiter, self.skip = path, delimiter, skip
        self.columns = {field: columns[field] for field in FIELDS if field in columns}
        self.index: dict[str, int] = {}
        self.width = 0
        self.rows = 0
        self.refused = False
        self.pairs: list[ImportedPair] = []
        self.problems: list[str] = []
        self.left_out: dict[str, str] = {}
        self.ids = {field: _Ids(field) for field in ("id", *FACTORS)}
        self.line_of_id: dict[str, int] = {}
        self.line_of_prompts: dict[bytes, int] = {}

    def notes(self) -> list[str]:
        """The delimiter, and the fields in which two values came to one id."""
        found = [f"{self.path}: read with {DELIMITERS[self.delimiter]} between the cells, {self.rows} rows"]
        for field, ids in self.ids.items():
            if ids.suffixed:
                value, name = ids.suffixed[0]
                found.append(
                    f"{self.path}: {field}: {len(ids.suffixed)} values share their id with another and got a number, "
                    f"first '{_cut(value)}' as {name}; write them alike if they are one value"
                )
        return found

    def refuse(self, problem: str, line: int | None = None) -> None:
        """A problem that leaving out rows does not cure."""
        self.refused = True
        self.problems.append(f"{self.path}: {problem}" if line is None else f"{self.path}:{line}: {problem}")

    def take_header(self, header: _Record, flaws: Flaws) -> None:
        """Find the mapped columns."""
        names = _column_names(header)
        self.width = len(names)
        self.index = {field: names.index(name) for field, name in self.columns.items() if name and name in names}
        for problem in [header.broken] if header.broken else self._header_problems(names):
            self.refuse(problem, header.line)
        for line, flaw in flaws:
            self.refuse(flaw, line)

    def _header_problems(self, names: list[str]) -> Iterator[str]:
        for name, times in Counter(names).items():
            if name and times > 1:
                yield f"{times} columns are named '{name}'; rename all but one"
        for column in dict.fromkeys(name for field, name in self.columns.items() if field not in self.index):
            yield f"{no_such('column', _cut(column), names, '--map')} (the file has {_cut(', '.join(names), 300)})"

    def take(self, record: _Record, flaws: Flaws) -> None:
        """Take one row, or say all that is wrong with it."""
        self.rows += 1
        if record.broken and record.last > record.line:
            for line, problem in [(record.line, record.broken), *flaws]:
                self.refuse(problem, line)
            return
        fits = len(record.cells) == self.width
        cells = {field: record.cells[at] for field, at in self.index.items()} if fits else {}
        name, prompts = squeezed(cells.get("id", "")), _fingerprints(cells)
        wrong = [*self._shape(record, flaws), *self._empty_or_odd(cells), *self._repeated(name, prompts)]
        if wrong:
            self._leave_out(record.line, "; ".join(wrong))
        elif len(prompts) == len(PROMPTS):
            self.pairs.append(self._pair(record.line, cells))
        # A row that is left out must not take its twin along; where nothing is left out, every repeat is named.
        if not wrong or not self.skip:
            self.line_of_id.setdefault(name, record.line)
            self.line_of_prompts.update({key: record.line for key in prompts[:1] if key not in self.line_of_prompts})

    def _leave_out(self, line: int, reason: str) -> None:
        self.left_out[str(line)] = _printable([reason])[0]
        self.problems.append(f"{self.path}:{line}: {reason}")

    def _shape(self, record: _Record, flaws: Flaws) -> Iterator[str]:
        for line, flaw in flaws:
            yield flaw if line == record.line else f"line {line}: {flaw}"
        count = len(record.cells)
        if record.broken:
            yield record.broken
        elif self.width and count < self.width:
            yield f"{count} of {self.width} cells; add what is missing"
        elif self.width and count > self.width:
            yield f"{count} cells under {self.width} columns; put a cell that holds a delimiter in quotes"

    def _empty_or_odd(self, cells: Mapping[str, str]) -> Iterator[str]:
        for field, text in cells.items():
            place = f"column '{self.columns[field]}'"
            if len(text) > LONGEST_CELL:
                yield f"{place} holds {len(text):,} characters; at most {LONGEST_CELL:,} are taken"
            elif field not in ACTING and blank(text):
                yield f"{place} is empty"
            elif field == "block" and text.strip().lower() not in BLOCKS:
                yield f"{place} says '{_cut(text)}'; write {' or '.join(BLOCKS)}"

    def _repeated(self, name: str, prompts: tuple[bytes, ...]) -> Iterator[str]:
        if name and name in self.line_of_id:
            yield f"column '{self.columns['id']}' says '{_cut(name)}' as line {self.line_of_id[name]} does"
        if prompts and prompts[0] == prompts[1]:
            yield "the two prompts are identical"
            return
        for key, how in zip(prompts, ("", " but swapped"), strict=False):
            if key in self.line_of_prompts:
                yield f"the same two prompts as line {self.line_of_prompts[key]}{how}"

    def _pair(self, line: int, cells: Mapping[str, str]) -> ImportedPair:
        name = self.ids["id"].of(cells["id"]) if "id" in cells else f"row-{self.rows:06d}"
        # Without a template column every pair is a cluster of its own.
        unmapped = {**dict.fromkeys(FACTORS, UNMAPPED), "template": name}
        return ImportedPair(
            id=name,
            line=line,
            prompts=Both(cells["prompt_a"], cells["prompt_b"]),
            block=BLOCKS[cells["block"].strip().lower()] if "block" in cells else "main",
            acting=Both(squeezed(cells.get("acting_a", "")), squeezed(cells.get("acting_b", ""))),
            **{field: self.ids[field].of(cells[field]) if field in cells else unmapped[field] for field in FACTORS},
        )


def _fingerprints(cells: Mapping[str, str]) -> tuple[bytes, ...]:
    """What tells two prompts from any other two, as they stand and swapped; nothing where one is missing or blank."""
    texts = [cells.get(field, "") for field in PROMPTS]
    if any(blank(text) for text in texts):
        return ()
    first, second = (squeezed(text).encode("utf-8", "surrogatepass") for text in texts)
    return tuple(hashlib.sha256(x + b"\0" + y).digest() for x, y in ((first, second), (second, first)))


def _cut(text: str, length: int = 60) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
