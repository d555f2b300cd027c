"""`export`: what leaves a project once it is closed, or before that for a reason that is told of ever after."""

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from annotate_app.commands.shapes import Commands, add_project, add_runs, add_sealed

if TYPE_CHECKING:
    from annotate_app.sealed import Sealed
    from annotate_app.store import Store
    from polibias.domain.rubric import Rubric

NEXT = "polibias agreement {csv} --where dimension={name} {value}"
STEADY = "polibias agreement {csv} --unit unit --rater showing --value score"
EXPORTS = Path("exports")


def add(commands: Commands) -> None:
    """Add the command."""
    export = commands.add_parser("export", help="join the answers to their pairs and store them with the run")
    add_project(export)
    export.add_argument(
        "--interim",
        metavar="REASON",
        help="look before the study is closed; the reason is recorded and said in every later report",
    )
    export.add_argument("--bom", action="store_true", help="begin CSV files with the mark that Excel knows UTF-8 by")
    export.add_argument(
        "--out", type=Path, metavar="DIR", help="where a study of masked items goes (default: exports/PROJECT)"
    )
    export.add_argument(
        "--prereg", type=Path, default=Path("prereg"), metavar="DIR", help="where locked plans are (default: prereg)"
    )
    add_sealed(export)
    add_runs(export)
    export.set_defaults(command=_export)


def _export(options: argparse.Namespace) -> int:
    from annotate_app.database import find
    from annotate_app.sealed import read_sealed, sealed_path
    from annotate_app.store import open_store

    store = open_store(find(options.project, options.projects))
    sealed = read_sealed(sealed_path(options.project, options.sealed))
    if sealed.kind == "reidentification":
        _guesses(options, store, sealed)
    else:
        _scores(options, store, sealed)
    return 0


def _guesses(options: argparse.Namespace, store: "Store", sealed: "Sealed") -> None:
    from annotate_app.reid_export import export_guesses
    from polibias.records.openings import opened_early

    out = options.out or EXPORTS / options.project
    done = export_guesses(store, sealed, out, options.interim, options.bom)
    if done.interim:
        print(opened_early(options.project, tuple(done.interim)))
    print(f"{done.folder}: {done.rows} showings that somebody is done with, in {done.revisions} rows")
    print(f"{done.folder / 'codebook.md'}: what every column and value means, and what chance alone would give")


def _scores(options: argparse.Namespace, store: "Store", sealed: "Sealed") -> None:
    from annotate_app.export import export
    from annotate_app.questions import Scoring
    from polibias.records.openings import opened_early
    from polibias.records.runs import find_run

    done = export(store, sealed, find_run(sealed.run, options.runs), options.interim, options.bom, options.prereg)
    if done.interims:
        print(opened_early(options.project, done.interims))
    print(f"{done.files.jsonl}: {done.rows} annotations, {done.new} rows new")
    for showing, table in (("first", done.files.csv), ("repeat", done.files.repeats)):
        said = ", ".join(f"{count} {status}" for status, count in done.counts[showing].items())
        print(f"{table}: {sum(done.counts[showing].values())} {showing} showings as in the database: {said or 'none'}")
    print(f"{done.files.codebook}: what every column and value means")
    if isinstance(store.scheme, Scoring):
        for name, value in _compared(store.scheme.rubric):
            print(f"next: {NEXT.format(csv=done.files.csv, name=name, value=value)}")
    if done.counts["repeat"]:
        print(f"next: {STEADY.format(csv=done.files.repeats)}")


def _compared(rubric: "Rubric") -> Iterator[tuple[str, str]]:
    """Each dimension and label that annotators answer, with what agreement on it compares and on which scale."""
    for dimension in rubric.dimensions:
        sides = "--value favoured --categories A,B,none --level nominal"
        yield dimension.id, sides if dimension.asks == "side" else _scale(map(str, rubric.scores))
    for label in rubric.labels:
        ratings = map(str, range(1, len(label.options) + 1))
        named = f"--value option {_scale(option.id for option in label.options)} --level nominal"
        yield label.id, _scale(ratings) if label.ordinal else named


def _scale(points: Iterable[str]) -> str:
    return f"--categories {','.join(points)}"
