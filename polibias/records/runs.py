"""A run's folder: where each stream lies, and the lock that gives it one writer."""

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polibias.domain.ids import tagged_hash
from polibias.domain.rows import (
    Annotation,
    JudgeGuess,
    Judgment,
    MaskedResponse,
    PromptPair,
    ReidGuess,
    Response,
)
from polibias.errors import DamagedRecord, InputError, RunInUse
from polibias.records.documents import storing
from polibias.records.ledger import Stream, by_request, read
from polibias.records.segments import GENESIS, first_segment, head_path, segment_files

STUDY = "study.json"
STUDY_TAG = "study/2"
MANIFEST = "manifest.json"
PROBES = "probes.json"
PROBES_TAG = "probes/1"
REPORT = "report"
ANNOTATIONS = "annotations"
GUESSES = "guesses.jsonl"
ARCHIVED = "run"


class Run:
    """The paths of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.study = folder / STUDY
        self.probes = folder / PROBES
        self.manifest = folder / MANIFEST
        self.report = folder / REPORT
        self.findings = self.report / "findings.json"
        self.annotations_folder = folder / ANNOTATIONS

    @property
    def sealed(self) -> bool:
        return self.manifest.exists()

    @property
    def genesis(self) -> str:
        """What the first line of every stream follows: the lock of the plan that the run was begun under, if any."""
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return str(json.loads(self.study.read_bytes()).get("lock") or GENESIS)
        return GENESIS

    def pairs(self) -> Stream[PromptPair]:
        return Stream(self.folder / "pairs.jsonl", PromptPair, pair_key, self.genesis)

    def responses(self, model: str) -> Stream[Response]:
        return Stream(self.folder / "responses" / f"{model}.jsonl", Response, by_request, self.genesis)

    def judgments(self, judge: str) -> Stream[Judgment]:
        return Stream(self.folder / "judgments" / f"{judge}.jsonl", Judgment, by_request, self.genesis)

    def masked(self, model: str) -> Stream[MaskedResponse]:
        return Stream(self.folder / "masked" / f"{model}.jsonl", MaskedResponse, masked_key, self.genesis)

    def judge_guesses(self, judge: str) -> Stream[JudgeGuess]:
        return Stream(self.folder / "guesses" / f"{judge}.jsonl", JudgeGuess, by_request, self.genesis)

    def annotations(self, project: str) -> Stream[Annotation]:
        return Stream(self.annotations_folder / f"{project}.jsonl", Annotation, annotation_key)

    def guesses(self) -> Stream[ReidGuess]:
        """What a folder holds that is no run but the export of a re-identification study."""
        return Stream(self.folder / GUESSES, ReidGuess, guess_key)

    def anything_answered(self) -> bool:
        """Whether any call of this run ever got an answer; what cannot be read counts as one, to be kept."""
        calls = [stream for stream in self.streams() if stream.type in (Response, Judgment, JudgeGuess)]
        try:
            return any(entry.row.answered for stream in calls for entry in read(stream))
        except DamagedRecord:
            return True

    def start_over(self) -> None:
        """Take the streams of a run away in which nothing was answered. Never call it on any other."""
        with storing(self.folder):
            for stream in self.streams():
                if stream.type is Annotation:
                    raise InputError(
                        f"{self.folder}: holds annotations; a run that people annotated is never begun anew"
                    )
            for stream in self.streams():
                for path in reversed(segment_files(stream.path)):
                    path.unlink()
                head_path(stream.path).unlink(missing_ok=True)

    def streams(self) -> list[Stream[Any]]:
        """Every stream of which any file exists in this folder."""
        found = [stream for path in sorted(self.folder.rglob("*.jsonl")) if (stream := self.stream_at(path))]
        return list({stream.path: stream for stream in found}.values())

    def stream_at(self, path: Path) -> Stream[Any] | None:
        """The stream that this is a file of, the first or a later one, if it lies where a stream lies."""
        parts = first_segment(path).relative_to(self.folder).parts
        if parts == ("pairs.jsonl",):
            return self.pairs()
        if parts == (GUESSES,):
            return self.guesses()
        kinds: dict[str, Callable[[str], Stream[Any]]] = {
            "responses": self.responses,
            "masked": self.masked,
            "judgments": self.judgments,
            "guesses": self.judge_guesses,
            ANNOTATIONS: self.annotations,
        }
        if len(parts) == 2 and parts[0] in kinds and parts[1].endswith(".jsonl"):
            return kinds[parts[0]](parts[1].removesuffix(".jsonl"))
        return None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for writing. Raises RunInUse if another process holds it."""
        with storing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            fd = os.open(self.folder, os.O_RDONLY)
        try:
            _lock(fd, self.folder)
            yield
        finally:
            os.close(fd)


def _lock(fd: int, folder: Path) -> None:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunInUse(f"{folder}: in use by another polibias process; wait for it or end it") from None


def pair_key(pair: PromptPair) -> str:
    """A pair's name before it is built: its place in the design and the content it is made from."""
    return tagged_hash("pair-request/1", [pair.design, pair.sources])


def masked_key(row: MaskedResponse) -> str:
    """One response masked once: for which pair, at which level and with which terms."""
    return masked_name(row.pair, row.response, row.lexicon)


def masked_name(pair: str, response: str, lexicon: str) -> str:
    """The key of a masked response before it is made. The lexicon's hash covers the level."""
    return tagged_hash("masked-request/1", [pair, response, lexicon])


def annotation_key(row: Annotation) -> str:
    """One annotator's one item at one showing: a later revision has the same key and another id."""
    return tagged_hash("annotation-request/2", [row.project, row.annotator, row.item, row.showing])


def guess_key(row: ReidGuess) -> str:
    """One annotator's one showing of one item: a later revision has the same key and another id."""
    return tagged_hash("reid-guess-request/1", [row.project, row.annotator, row.item, row.showing])


def find_run(name: str, runs: Path = Path("runs")) -> Run:
    """The run that `name` means: its folder, its name under `runs`, or the folder of an unpacked archive."""
    with contextlib.suppress(OSError, ValueError):  # a name too long or with a NUL is just no run
        for folder in (Path(name), runs / name, Path(name) / ARCHIVED):
            if (folder / STUDY).exists() or (folder / MANIFEST).exists():
                return Run(folder)
    raise InputError(f"{name}: no run here; name a folder that holds {STUDY}, such as runs/demo")
