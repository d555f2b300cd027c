"""The tables of a re-identification export and the codebook that explains them: one list of columns for all three."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from annotate_app.exporting.codebook import literal
from annotate_app.protocol import AnnotationProtocol
from annotate_app.questions import CANNOT_TELL, Naming
from annotate_app.timing import Spent
from polibias.domain.reidentification import OUTCOMES, ReidOutcome, chance
from polibias.domain.rows import ReidGuess
from polibias.records.openings import Opening
from polibias.records.runs import GUESSES

CSV, PARQUET, FLAGS, CODEBOOK = "guesses.csv", "guesses.parquet", "flags.csv", "codebook.md"
FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
BOM = "\ufeff"

Kind = Literal["text", "whole", "real"]


class Guess(NamedTuple):
    """A row with its id, when it was finished, whether no later revision supersedes it, and the time on its place."""

    id: str
    row: ReidGuess
    at: str
    current: bool
    took: Spent


class Flagged(NamedTuple):
    """Something that was reported about an item, joined to its pair."""

    project: str
    annotator: str
    item: str
    pair: str
    model: str
    position: int
    showing: str
    reason: str
    comment: str
    at: str


class Column(NamedTuple):
    """A column of the tables and what it says."""

    kind: Kind
    says: str


COLUMNS: dict[str, Column] = {
    "id": Column("text", "the row's name in guesses.jsonl"),
    "project": Column("text", "the project"),
    "annotator": Column("text", "the annotator's name or alias"),
    "item": Column("text", "the opaque code of the pair as answered by the model"),
    "pair": Column("text", "the pair"),
    "model": Column("text", "the model that wrote the responses"),
    "category": Column("text", "the category from the masked-items file"),
    "x": Column("text", "the country behind the first placeholder"),
    "y": Column("text", "the country behind the second placeholder"),
    "guess_x": Column("text", f"what the first was taken for: a candidate, {CANNOT_TELL}, or empty for no answer"),
    "guess_y": Column("text", "what the second was taken for"),
    "confidence": Column("whole", "the level of confidence; empty if neither country was named, or for no answer"),
    "outcome": Column("text", "how the guess came out; empty unless the status is submitted"),
    "options": Column("text", "the candidates in the order shown, separated by spaces"),
    "position": Column("whole", "the place in the annotator's row, from 1, practice counted"),
    "first": Column("text", "the version shown first, A or B"),
    "showing": Column("text", "first, or repeat for an item that came back unannounced"),
    "status": Column("text", "submitted, skipped or unsure"),
    "reason": Column("text", "why it was skipped or left as unsure"),
    "revision": Column("whole", "how many times it was finished"),
    "check": Column("text", "passed or failed, how an instructed response was answered; empty where none was"),
    "comments": Column("text", "comments as JSON by what they are on; under an empty name that on the whole item"),
    "quotes": Column("text", "quoted passages as JSON by what they are evidence for: version and words"),
    "supersedes": Column("text", "the row of the revision before, in guesses.jsonl"),
    "at": Column("text", "when this revision was finished, UTC"),
    "wall_seconds": Column("real", "seconds from first sight of the item at this place to the last finish"),
    "active_seconds": Column("real", "seconds with the item at this place really in view"),
}

OUTCOME_SAYS: dict[ReidOutcome, str] = {
    "both": "both countries named, each in its place",
    "swapped": "both countries named, each in the other's place",
    "one": "exactly one country named in its place, whatever stands in the other",
    "none": "something named, and nothing in its place",
    "cannot_tell": "neither placeholder named",
}


def csv_of(guesses: Iterable[Guess], bom: bool) -> bytes:
    """One line per guess, UTF-8. Text that a spreadsheet would run as a formula gets an apostrophe in front."""
    return _csv(COLUMNS, (_values(one) for one in guesses), bom)


def flags_csv(flags: Iterable[Flagged], bom: bool) -> bytes:
    """One line per report about an item."""
    return _csv(Flagged._fields, (one._asdict() for one in flags), bom)


def parquet_of(guesses: Iterable[Guess]) -> bytes:
    """The same table as `csv_of`, typed; an empty cell is null, and text stands as it is."""
    import pyarrow
    from pyarrow import parquet

    types: dict[Kind, Any] = {
        "text": pyarrow.string(),
        "whole": pyarrow.int64(),
        "real": pyarrow.float64(),
    }
    schema = pyarrow.schema([pyarrow.field(name, types[column.kind]) for name, column in COLUMNS.items()])
    out = io.BytesIO()
    rows = [{name: _encodable(value) for name, value in _values(one).items()} for one in guesses]
    parquet.write_table(pyarrow.Table.from_pylist(rows, schema), out)
    return out.getvalue()


def _values(one: Guess) -> dict[str, Any]:
    row = one.row
    own = {name: getattr(row, name) for name in ReidGuess.__struct_fields__}
    said = {"options": " ".join(row.options), "comments": _json(row.comments), "quotes": _json(row.quotes)}
    took = {"wall_seconds": round(one.took.wall, 3), "active_seconds": round(one.took.active, 3)}
    values = {**own, **said, **took, "id": one.id, "at": one.at}
    return {name: values[name] for name in COLUMNS}


def _json(notes: Mapping[str, object]) -> str:
    return json.dumps(notes, ensure_ascii=False, sort_keys=True) if notes else ""


def _csv(columns: Iterable[str], rows: Iterable[Mapping[str, Any]], bom: bool) -> bytes:
    out = io.StringIO()
    out.write(BOM if bom else "")
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: guarded(_encodable(value)) for name, value in row.items()})
    return out.getvalue().encode("utf-8")


def guarded(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def _encodable(value: Any) -> Any:
    """The value; a lone surrogate, which UTF-8 cannot hold, stands as its escape. guesses.jsonl has it as it is."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value


def codebook(naming: Naming, protocol: AnnotationProtocol, about: Mapping[str, Any], interim: Iterable[Opening]) -> str:
    """What every file, column and value of the export means, as Markdown in which no foreign mark means anything."""
    parts = [
        f"# Codebook: {literal(about['project'])}",
        _state(about, interim),
        "## Files",
        _files(),
        "## Columns of guesses.csv and guesses.parquet",
        _table(("column", "kind", "says"), ((name, *column) for name, column in COLUMNS.items())),
        "## What was asked",
        _asked(naming),
        "## Outcomes, and what chance alone gives",
        _chance(naming),
        "## Confidence",
        _table(
            ("level", "words"), ((str(level), literal(words)) for level, words in enumerate(naming.confidence, start=1))
        ),
        "## Reasons",
        _table(("for", "reason", "words"), _reasons(protocol)),
        "## Candidates",
        _table(("id", "name"), ((literal(one.id), literal(one.name)) for one in naming.candidates)),
    ]
    return "\n\n".join(parts) + "\n"


def _state(about: Mapping[str, Any], openings: Iterable[Opening]) -> str:
    """When the export was made in the life of the study; interim exports are told for ever."""
    closed = f"The study was closed at {about['closed_at']}." if about["closed_at"] else "The study is NOT closed."
    interim = [f"- Exported before the close at {one.at}: {literal(one.reason)}" for one in openings]
    counts = (
        f"Annotators: {about['annotators']}; rows: {about['rows']}; revisions in all: {about['revisions']}. "
        f"Withdrawn, with their answers left out: {about['removed']}."
    )
    source = (
        f"Items: {literal(about['items_from'])}, SHA-256 `{about['items_sha256']}`. Annotation seed {about['seed']}."
    )
    chain = f"Event chain: {about['events']} events, last `{about['chain']}`."
    return "\n\n".join([closed, *(["\n".join(interim)] if interim else []), counts, source, chain])


def _files() -> str:
    says = {
        GUESSES: "every finished revision as a row, chained by hashes; a later one names what it `supersedes`",
        CSV: "the last revision of each; a text that a spreadsheet would run has an apostrophe in front",
        PARQUET: "the same, typed, every text as it is",
        CODEBOOK: "this text",
        FLAGS: "what annotators reported about items, also about those they did not finish",
        "manifest.json": "the folder's seal; `polibias verify` checks it",
    }
    surrogates = "Half characters, which UTF-8 cannot hold, stand as `\\udXXX` everywhere but in the ledger."
    return _table(("file", "holds"), says.items()) + "\n\nPractice items are in none of them. " + surrogates


def _asked(naming: Naming) -> str:
    x, y = naming.placeholders
    return _table(
        ("what", "words"),
        (
            ("question", literal(naming.question)),
            ("first placeholder (x)", literal(x)),
            ("second placeholder (y)", literal(y)),
            (CANNOT_TELL, literal(naming.cannot_tell)),
            ("confidence", literal(naming.confidence_question)),
        ),
    )


def _chance(naming: Naming) -> str:
    n = len(naming.candidates)
    level = chance(n)
    rows = ((name, OUTCOME_SAYS[name], str(level[name]), f"{float(level[name]):.6f}") for name in OUTCOMES)
    how = (
        f"Chance is that of somebody who knows nothing, never says that they cannot tell, and draws two different ones "
        f"of the n = {n} candidates in order: n(n-1) = {n * (n - 1)} equally likely draws. One is `both` and one is "
        f"`swapped`, 1/(n(n-1)) each; `one` has 2(n-2) of them, the right country in one of two places and one of the "
        f"n-2 others beside it; `none` has the remaining (n-1)(n-2). Compare it with guesses that name both: whoever "
        f"leaves one placeholder open has fewer chances to be right."
    )
    return how + "\n\n" + _table(("outcome", "says", "chance", "as a decimal"), rows)


def _reasons(protocol: AnnotationProtocol) -> Iterator[tuple[str, str, str]]:
    for name in ("skip", "unsure", "flag"):
        for reason in getattr(protocol.reasons, name):
            yield name, literal(reason.id), literal(reason.text)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The cells stand as they are: what is foreign in them is made literal before."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
