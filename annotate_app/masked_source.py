"""Where a masked re-identification study's items come from: a JSONL file that anybody can write.

Each line is one masked pair as answered by one model, with exactly the fields of `MaskedLine`. Nothing is repaired:
a file with a line that cannot be used makes no project.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from annotate_app.naming_rules import check_naming
from annotate_app.origins import Material, Source
from annotate_app.protocol import AnnotationProtocol
from annotate_app.questions import Candidate, Naming
from annotate_app.remaining_names import country_names, names_left
from annotate_app.sealed import MaskedOrigin
from polibias.domain.ids import tagged_hash
from polibias.domain.sides import SIDES, Both
from polibias.domain.value import Text, Value
from polibias.errors import InputError
from polibias.records.documents import reading
from polibias.sources.files import data_folder, no_such, readable
from polibias.sources.library import Library

SUFFIX = ".jsonl"
NAMED_LINES = 10
NO_NAMES = Both("", "")


class MaskedLine(Value, frozen=True):
    """One line of the file. `x` and `y` are the ids of the countries behind the placeholders.

    `pair` is the pair's id in the run that the unmasked pair comes from: only by it can a person who saw the pair with
    its names be kept from getting it masked. `category` is what first sides are balanced within.
    """

    pair: Text
    model: Text
    category: Text
    x: Text
    y: Text
    prompts: Both[Text]
    responses: Both[Text]


class Numbered(NamedTuple):
    """A line and where it stands: `path:number`."""

    where: str
    number: int
    line: MaskedLine


def read_masked(path: Path, protocol: AnnotationProtocol) -> Source:
    """Everything in a masked-items file, to be named from the protocol's candidates, or from all countries of `data/`.

    `manifest` is the SHA-256 of the file, the stratum of an item its category. The pair ids of the file must be those
    of the run where the unmasked pairs come from, or nobody can be barred from seeing a pair both ways.

    Raises InputError, naming file and line, for the first line that cannot be used.
    """
    if protocol.naming is None:
        raise InputError(f"{path}: a study of masked items needs [naming] in its protocol")
    countries = Library(data_folder())
    countries.require()
    every = tuple(Candidate(one.id, one.name) for one in countries.countries.values())
    naming = msgspec.structs.replace(protocol.naming, candidates=protocol.naming.candidates or every)
    check_naming(naming)
    with reading(path):
        data = path.read_bytes()
    found = [_checked(one, naming) for one in _lines(path, data)]
    if not found:
        raise InputError(f"{path}: holds no line, so there is nothing to annotate")
    _check_once(found)
    _check_names(path, found, country_names(naming.candidates, countries.countries.values()))
    digest = hashlib.sha256(data).hexdigest()
    return Source(path.name, digest, naming, naming_hash(naming), [_material(one.line) for one in found])


def naming_hash(naming: Naming) -> str:
    """The content hash of what annotators are asked, candidates included."""
    return tagged_hash("naming/1", naming)


def _lines(path: Path, data: bytes) -> Iterator[Numbered]:
    """The lines with something on them; a byte-order mark before the first one is dropped."""
    for number, raw in enumerate(data.split(b"\n"), start=1):
        where = f"{path}:{number}"
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"{where}: byte {error.start + 1} is not UTF-8; save the file as UTF-8") from None
        if text.strip():
            yield Numbered(where, number, _parsed(where, text))


def _parsed(where: str, text: str) -> MaskedLine:
    try:
        return msgspec.convert(json.loads(text, object_pairs_hook=_each_once), type=MaskedLine)
    except msgspec.ValidationError as error:
        raise InputError(f"{where}: {readable(str(error))}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON ({str(error)[:80]})") from None


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _checked(one: Numbered, naming: Naming) -> Numbered:
    """The line, if its countries are two of the candidates and its texts say something about both placeholders."""
    line = one.line
    ids = [candidate.id for candidate in naming.candidates]
    for name in (line.x, line.y):
        if name not in ids:
            raise no_such("candidate", name, ids, one.where)
    if line.x == line.y:
        raise InputError(f"{one.where}: x and y are both '{line.x}'; a pair has two countries")
    texts = dict(_texts(line))
    for field, text in (("pair", line.pair), ("model", line.model), ("category", line.category), *texts.items()):
        if not text.strip():
            raise InputError(f"{one.where}: {field} is empty")
    for placeholder in naming.placeholders:
        if not any(placeholder.casefold() in text.casefold() for text in texts.values()):
            raise InputError(
                f"{one.where}: no text speaks of '{placeholder}', which annotators are asked about; "
                "name the words that stand in the texts as `placeholders` in the protocol's [naming]"
            )
    return one


def _texts(line: MaskedLine) -> Iterator[tuple[str, str]]:
    """Every text of a line under its field's name."""
    for side in SIDES:
        yield f"prompts.{side}", line.prompts[side]
        yield f"responses.{side}", line.responses[side]


def _check_once(found: Iterable[Numbered]) -> None:
    first: dict[tuple[str, str], int] = {}
    for one in found:
        key = (one.line.pair, one.line.model)
        if key in first:
            raise InputError(
                f"{one.where}: pair '{key[0]}' as answered by '{key[1]}' stands in line {first[key]} already"
            )
        first[key] = one.number


def _check_names(path: Path, found: Iterable[Numbered], names: Mapping[str, tuple[str, ...]]) -> None:
    """Raises InputError at the first line that names a country it hides, and says which others do."""
    told = [(one.number, left) for one in found if (left := _left_in(one.line, names))]
    if not told:
        return
    (number, (field, name)), *_ = told
    lines = ", ".join(str(line) for line, _ in told[:NAMED_LINES])
    more = ", …" if len(told) > NAMED_LINES else ""
    counted = "1 such line" if len(told) == 1 else f"{len(told)} such lines: {lines}{more}"
    raise InputError(
        f"{path}:{number}: {field} still says '{name}', which gives the country away; mask it or leave the line out "
        f"({counted})"
    )


def _left_in(line: MaskedLine, names: Mapping[str, tuple[str, ...]]) -> tuple[str, str] | None:
    """The first text of a line that holds a name of one of its two countries, and that name."""
    hidden = (*names[line.x], *names[line.y])
    return next(((field, left[0]) for field, text in _texts(line) if (left := names_left(text, hidden))), None)


def _material(line: MaskedLine) -> Material:
    """The item. Who acts and who is acted on is in the texts alone: the file does not say it."""
    texts = {"acting": NO_NAMES, "facing": NO_NAMES, "prompts": line.prompts, "responses": line.responses}
    return Material(texts, line.category, MaskedOrigin(line.pair, line.model, line.x, line.y, line.category))
