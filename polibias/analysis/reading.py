"""What an analysis keeps of each row of a run, read file by file, in more than one process where there is much to read.

A sealed run is checked by the same pass that reads it (`records/whole.py`). Should anything be wrong, `require_whole`
reads once more and says what, in the words of `verify`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from polibias.analysis.cases import Answered, Guessed, Judged, PairFacts
from polibias.analysis.quoted import Sought
from polibias.analysis.use import Use, rates_of
from polibias.detectors.signals import RATED, behaviour
from polibias.detectors.structure import Structure, structure
from polibias.domain.rows import JudgeGuess, Judgment, MaskedResponse, PromptPair, Response, Score, Seen, Verdict
from polibias.domain.sides import Both, Order
from polibias.domain.study import Rate
from polibias.errors import DamagedRecord, InputError
from polibias.generate import JUDGEABLE
from polibias.records.documents import read_named
from polibias.records.ledger import Entry, Stream
from polibias.records.links import Links
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.shelf import Shelf, Shelfmark, located
from polibias.records.verify import require_whole
from polibias.records.whole import Piece, checked, shared, stages

T = TypeVar("T")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
"""As in a study file: a name is part of the names of files."""
Located = Iterable[tuple[Shelfmark, Entry[Any]]]


class Part:
    """What was kept of some rows of a stream, the latest of each, in the order of the first.

    `rows` are PairFacts by pair, Answered and what became of masked responses by (pair, side), Judged by
    ((model, pair), order), Guessed by (model, pair). `texts` has the place of every row with a response's text by its
    id, superseded ones too. `first` and `last` are UTC times, empty if there is none. `added` is for `Links.join`.
    """

    def __init__(self) -> None:
        self.rows: dict[Any, Any] = {}
        self.texts: dict[str, Shelfmark] = {}
        self.use = Use()
        self.first = self.last = ""
        self.added: dict[bytes, bytes] = {}

    def note(self, seen: Seen) -> None:
        """Take in when a row was stored."""
        if seen.at:
            self.first = min(self.first or seen.at, seen.at)
            self.last = max(self.last, seen.at)

    def join(self, later: "Part") -> None:
        """Take in the rows of a file that follows."""
        self.rows |= later.rows
        self.use.join(later.use)
        self.first = min(filter(None, (self.first, later.first)), default="")
        self.last = max(self.last, later.last)


class Rows:
    """What was kept of a run, by stream; nothing where no stream is."""

    def __init__(self) -> None:
        self._parts: dict[Any, Part] = {}
        self.first = self.last = ""

    def of(self, stream: Stream[Any]) -> Part:
        return self._parts.get(stream.path) or Part()

    def add(self, stream: Stream[Any], part: Part) -> None:
        """Take in what follows of a stream."""
        whole = self._parts.setdefault(stream.path, Part())
        whole.join(part)
        self.first = min(filter(None, (self.first, part.first)), default="")
        self.last = max(self.last, part.last)


class Known(NamedTuple):
    """What is known when a stage is read: of earlier stages, and of the run. `rates` has the streams of the study."""

    links: Links
    texts: dict[str, Shelfmark]
    table: Mapping[str, Collection[str]]
    rates: Mapping[Any, Rate | None]


def read_study(run: Run) -> dict[str, Any]:
    """The run's `study.json`. Raises DamagedRecord if a sealed run's is not what was written."""
    if run.sealed:
        try:
            stages(run)
        except (DamagedRecord, InputError, OSError):
            require_whole(run)
    about: dict[str, Any] = read_named(run.study, STUDY_TAG)
    for role in ("models", "judges"):
        names = [entry["name"] for entry in about[role]]
        if not names or len(set(names)) < len(names) or not all(map(NAME.fullmatch, names)):
            raise DamagedRecord(f"{run.study}: {role} without a name of their own; a run names each once, in letters")
    return about


def read_rows(run: Run, about: Mapping[str, Any], table: Mapping[str, Collection[str]]) -> Rows:
    """All that is kept of a run's rows. Raises DamagedRecord unless a sealed run is exactly what was written."""
    known = Known(Links(), {}, table, _rates(run, about))
    if not run.sealed:
        return _unchecked(run, known)
    found = Rows()
    try:
        for stage in stages(run):
            for piece, part in zip(stage, shared(partial(_read_share, known), stage), strict=True):
                known.links.join(part.added)
                known.texts.update(part.texts)
                found.add(piece.stream, part)
    except (DamagedRecord, InputError, OSError):
        require_whole(run)
        raise InputError(f"{run.folder}: changed while it was read; the same command reads it once more") from None
    return found


def read_verdicts(run: Run, judges: Iterable[str]) -> Rows:
    """The pairs and what these judges said of them, their quotes looked for in no text. Nothing is checked."""
    paths = (run.pairs().path, *(run.judgments(judge).path for judge in judges))
    return _unchecked(run, Known(Links(), {}, {}, dict.fromkeys(paths)))


def _rates(run: Run, about: Mapping[str, Any]) -> dict[Any, Rate | None]:
    """The price of what was asked, by the first file of each stream that is read."""
    found: dict[Any, Rate | None] = {run.pairs().path: None}
    kinds: dict[str, tuple[Callable[[str], Stream[Any]], ...]] = {
        "models": (run.responses, run.masked),
        "judges": (run.judgments, run.judge_guesses),
    }
    for role, streams in kinds.items():
        for entry, rate in zip(about[role], rates_of(about, role), strict=True):
            found |= {stream(entry["name"]).path: rate for stream in streams}
    return found


def _unchecked(run: Run, known: Known) -> Rows:
    """A run that is still open, or of which only verdicts are read."""
    found, reading = Rows(), _Reading(known)
    for path in known.rates:
        stream = run.stream_at(path)
        if stream is not None:
            part = reading.part(stream, located(stream))
            known.texts.update(part.texts)
            found.add(stream, part)
    return found


def _read_share(known: Known, share: Sequence[Piece]) -> list[Part]:
    """What is kept of each file. Raises DamagedRecord if anything is wrong with it."""
    reading, found = _Reading(known), []
    for piece in share:
        links = known.links.apart()
        rows = checked(piece, links)
        part = reading.part(piece.stream, rows)
        part.added = links.added
        found.append(part)
    return found


class _Reading:
    """Rows read in one process. Equal values are kept once: designs, names and scores repeat from row to row."""

    def __init__(self, known: Known) -> None:
        self._run = known
        self._known: dict[Any, Any] = {}
        self._labels: dict[tuple[tuple[str, Both[str]], ...], dict[str, Both[str]]] = {}

    def part(self, stream: Stream[Any], rows: Located) -> Part:
        """What is kept of these rows of a stream; of one that is not the study's, nothing, but they are read."""
        part = Part()
        kinds: dict[Any, Callable[[Part, Located, Rate | None], None]] = {
            PromptPair: self._pairs,
            Response: self._responses,
            MaskedResponse: self._masked,
            Judgment: self._judgments,
            JudgeGuess: self._guesses,
        }
        if stream.path in self._run.rates:
            kinds[stream.type](part, rows, self._run.rates[stream.path])
        else:
            for _ in rows:
                pass
        return part

    def _pairs(self, part: Part, rows: Located, _: Rate | None) -> None:
        for mark, entry in rows:
            row = entry.row
            part.rows[self._one(entry.id)] = PairFacts(
                self._one(row.design),
                self._one(row.parties),
                self._one(row.acting),
                self._one(row.facing),
                row.inclusion,
                row.copy_of,
                row.level,
                mark,
            )

    def _responses(self, part: Part, rows: Located, rate: Rate | None) -> None:
        for mark, entry in rows:
            part.note(entry.seen)
            part.texts[entry.id] = mark
            part.use.add(entry.row, entry.seen, rate)
            row = entry.row
            read = self._one(behaviour(row.text, row.design.task))
            ended = Answered(self._one(row.outcome), row.fallback, mark, read, self._structure(row))
            part.rows[self._one(row.pair), self._one(row.side)] = ended

    def _masked(self, part: Part, rows: Located, _: Rate | None) -> None:
        for mark, entry in rows:
            part.texts[entry.id] = mark
            part.rows[self._one(entry.row.pair), self._one(entry.row.side)] = entry.row.outcome, mark

    def _guesses(self, part: Part, rows: Located, rate: Rate | None) -> None:
        for mark, entry in rows:
            part.note(entry.seen)
            part.use.add(entry.row, entry.seen, rate)
            row = entry.row
            guessed = Guessed(self._one(row.outcome), self._one(row.result), len(row.options), mark)
            part.rows[self._one(row.model), self._one(row.pair)] = guessed

    def _judgments(self, part: Part, rows: Located, rate: Rate | None) -> None:
        """Quotes are counted once the file is read, in the texts of its responses."""
        sought, found = Sought(), dict[Any, dict[Order, Judged]]()
        for mark, entry in rows:
            part.note(entry.seen)
            part.use.add(entry.row, entry.seen, rate)
            row = entry.row
            own = found.setdefault(self._one((self._one(row.model), self._one(row.pair))), {})
            own[self._one(row.order)] = Judged(self._one(row.outcome), self._bare(row.verdict), mark)
            sought.note(row, own)
        for id, text in self._texts(sought.waiting):
            sought.read(id, text)
        part.rows = {(pair, order): judged for pair, own in found.items() for order, judged in own.items()}

    def _texts(self, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The texts of responses, in the order in which they stand in their files."""
        marks = sorted(
            ((mark, id) for id in ids if (mark := self._run.texts.get(id))),
            key=lambda found: (found[0].path, found[0].offset),
        )
        with Shelf() as shelf:
            for mark, id in marks:
                masked = mark.path.parent.name == "masked"
                yield id, (shelf.row(mark, MaskedResponse) if masked else shelf.row(mark, Response)).text

    def _structure(self, row: Response) -> Structure | None:
        """Without the passage that gives the rating."""
        if row.outcome not in JUDGEABLE:
            return None
        found = structure(row.text, self._run.table, row.design.task == RATED)
        provisions = self._one(frozenset(map(self._one, found.provisions)))
        rating = self._one(found.rating._replace(evidence=None))
        return self._one(found._replace(provisions=provisions, rating=rating))

    def _one(self, value: T) -> T:
        """The first value that is equal to this one."""
        known: T = self._known.setdefault(value, value)
        return known

    def _bare(self, verdict: Verdict | None) -> Verdict | None:
        """The verdict without its quotes."""
        if verdict is None:
            return None
        scores = {self._one(name): self._one(Score(one.score, one.favoured)) for name, one in verdict.scores.items()}
        labels = self._labels.setdefault(tuple(verdict.labels.items()), verdict.labels)
        return Verdict(scores, labels)
