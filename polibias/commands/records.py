"""Commands that hand a run on: export, archive."""

import argparse
from pathlib import Path

from polibias.commands.runs import add_models, add_study
from polibias.commands.shapes import Commands


def add(commands: Commands) -> None:
    """Add the commands of this module."""
    export = commands.add_parser("export", help="a study's prompts, or a sealed run, in another form")
    kinds = export.add_subparsers(title="forms", metavar="FORM", required=True)
    _add_prompts(kinds)
    _add_parquet(kinds)
    _add_masked(kinds)
    _add_archive(commands)


def _add_masked(kinds: Commands) -> None:
    masked = kinds.add_parser("masked", help="the masked pairs as items of a re-identification study for people")
    masked.add_argument("run", metavar="RUN", help="a run's folder, or its name in runs/")
    masked.add_argument("--names-only", action="store_true", help="the baseline: pairs whose names alone are hidden")
    masked.add_argument("--out", type=Path, required=True, metavar="FILE", help="a new file, such as masked.jsonl")
    masked.set_defaults(command=masked_command)


def _add_prompts(kinds: Commands) -> None:
    prompts = kinds.add_parser("prompts", help="what is left to ask, as JSONL, to be answered elsewhere and imported")
    add_study(prompts)
    add_models(prompts)
    prompts.add_argument("--out", type=Path, required=True, metavar="FILE", help="a new file")
    prompts.set_defaults(command=prompts_command)


def _add_parquet(kinds: Commands) -> None:
    parquet = kinds.add_parser("parquet", help="pairs, responses, judgments and the rest as Parquet tables, a row each")
    parquet.add_argument("run", metavar="RUN", help="a run's folder, or its name in runs/")
    parquet.add_argument("--out", type=Path, metavar="DIR", help="a new or empty folder (default: RUN-parquet)")
    parquet.add_argument("--json", action="store_true", help="print JSON")
    parquet.set_defaults(command=parquet_command)


def _add_archive(commands: Commands) -> None:
    archive = commands.add_parser("archive", help="a sealed run with its data and a data card as one ZIP file")
    archive.add_argument("run", metavar="RUN", help="a run's folder, or its name in runs/")
    archive.add_argument("--out", type=Path, metavar="FILE", help="a new file (default: RUN-archive.zip)")
    archive.add_argument("--data", type=Path, metavar="DIR", help="the data folder that the run was made from")
    archive.set_defaults(command=archive_command)


def prompts_command(options: argparse.Namespace) -> int:
    from polibias import stages
    from polibias.errors import InputError
    from polibias.planning import plan as read_plan
    from polibias.records.documents import replacing
    from polibias.records.runs import Run

    plan = read_plan(options.study, options.data, options.panel, keyless=True)
    run = Run(options.runs / plan.study.id)
    if options.out.exists():
        raise InputError(f"{options.out}: exists already; name a new file")
    written = 0
    with replacing(options.out) as file:
        for line in stages.prompts_left(plan, run, options.model):
            file.write(line)
            written += 1
    print(f"{options.out}: {written:,} prompts")
    return 0


def parquet_command(options: argparse.Namespace) -> int:
    import json

    from polibias.publish.parquet import export_parquet
    from polibias.publish.places import beside
    from polibias.records.runs import find_run

    run = find_run(options.run)
    out = options.out or beside(run, "-parquet")
    written = export_parquet(run, out)
    if options.json:
        print(json.dumps({"folder": str(out), "files": [one._asdict() for one in written]}, indent=2))
        return 0
    print(f"{out}:")
    print(f"{'':<20}{'rows':>10}{'columns':>10}{'bytes':>16}")
    for one in written:
        print(f"{one.file:<20}{one.rows:>10,}{one.columns:>10}{one.bytes:>16,}")
    return 0


def masked_command(options: argparse.Namespace) -> int:
    from polibias.publish.masked_items import export_masked
    from polibias.records.runs import find_run

    lines = export_masked(find_run(options.run), options.out, "names" if options.names_only else "full")
    print(f"{options.out}: {lines:,} masked pairs")
    return 0


def archive_command(options: argparse.Namespace) -> int:
    from polibias.publish.archive import write_archive
    from polibias.publish.places import beside
    from polibias.records.runs import find_run

    run = find_run(options.run)
    with run.locked():
        made = write_archive(run, options.out or beside(run, "-archive.zip"), options.data)
    print(f"{made.path}: {made.files} files, {made.bytes:,} bytes")
    for note in made.notes:
        print(f"note: {note}")
    return 0
