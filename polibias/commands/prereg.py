"""`polibias prereg`: lock a plan, rehearse it, keep its held-out labels, run it, say where it stands."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from polibias.commands.shapes import Commands

DIGITS = 64
"""Of a fingerprint."""

if TYPE_CHECKING:
    from polibias.analysis.confirmatory import Made
    from polibias.domain.plan import Plan
    from polibias.records.locks import LockedPlan
    from polibias.report.plan_status import Places


def add(commands: Commands) -> None:
    """Add the command and what it can do."""
    prereg = commands.add_parser("prereg", help="plans of validation: lock, rehearse, run, and say where they stand")
    kinds = prereg.add_subparsers(title="what to do", metavar="ACTION", required=True)
    lock = _add(kinds, "lock", lock_command, "fix a plan with everything it rests on, before there is any result")
    lock.add_argument("--holder", default="", metavar="KEY", help="public key of who can open held-out labels")
    _add(kinds, "rehearse", rehearse_command, "run the whole analysis on what says nothing, to see that it works")
    _add(kinds, "run", run_command, "the planned numbers of a locked plan, and its report")
    _add_status(kinds)
    export = _add(kinds, "export", export_command, "the plan as a text for a public registry")
    export.add_argument("--out", type=Path, metavar="FILE", help="a file (default: print it)")
    publish = _add(kinds, "publish", publish_command, "record where the fingerprint was published")
    publish.add_argument("--where", required=True, metavar="TEXT", help="an address, a registration, a newspaper")
    publish.add_argument("--fingerprint", metavar="HASH", help="what was published (default: the lock's fingerprint)")
    deviate = _add(kinds, "deviate", deviate_command, "declare that something is done otherwise than planned")
    deviate.add_argument("--what", required=True, metavar="TEXT", help="what is not as the plan has it")
    deviate.add_argument("--reason", required=True, metavar="TEXT", help="why")
    _add_held_out(kinds)


def _add_status(kinds: Commands) -> None:
    status = kinds.add_parser("status", help="where plans stand; exit code 1 if something is wrong with one")
    status.add_argument("plan", nargs="?", metavar="PLAN", help="one plan (default: all of them)")
    status.add_argument("--fingerprint", metavar="HASH", help="check a published fingerprint against the plan")
    status.add_argument("--json", action="store_true", help="print JSON")
    _add_places(status)
    status.set_defaults(command=status_command)


def _add_held_out(kinds: Commands) -> None:
    key = kinds.add_parser("key", help="make the key of the person who can open held-out labels")
    key.add_argument("file", type=Path, metavar="FILE", help="a new file that only this person keeps")
    key.set_defaults(command=key_command)
    begun = _add(kinds, "round", round_command, "begin a calibration round, with the rule that will accept it")
    begun.add_argument("--rule", required=True, metavar="TEXT", help="when the round's prompt is accepted")
    result = _add(kinds, "result", result_command, "say what came of the round")
    result.add_argument("--result", required=True, metavar="TEXT", help="what was found on the calibration pairs")
    accepted = result.add_mutually_exclusive_group(required=True)
    accepted.add_argument("--accepted", action="store_true", help="the rule accepts the prompt")
    accepted.add_argument("--rejected", action="store_true", help="it does not")
    freeze = _add(kinds, "freeze", freeze_command, "end calibration: no other judge prompt after this")
    freeze.add_argument("--study", default="", metavar="STUDY", help="whose judge task it is (default: the plan's run)")
    opened = _add(kinds, "open", open_command, "open the held-out labels, once")
    opened.add_argument("--key", type=Path, required=True, metavar="FILE", help="the key that its holder keeps")
    opened.add_argument("--reason", default="", metavar="TEXT", help="why they are opened again; every report says so")


def _add(
    kinds: Commands, name: str, command: Callable[[argparse.Namespace], int], help: str
) -> argparse.ArgumentParser:
    parser = kinds.add_parser(name, help=help)
    parser.add_argument("plan", metavar="PLAN", help="a plan file, or the name of one in prereg/")
    _add_places(parser)
    parser.set_defaults(command=command)
    return parser


def _add_places(parser: argparse.ArgumentParser) -> None:
    for name, what in (("prereg", "plans are"), ("runs", "runs are kept"), ("validations", "reports of plans go")):
        parser.add_argument(
            f"--{name}", type=Path, default=Path(name), metavar="DIR", help=f"where {what} (default: {name})"
        )


def _path(options: argparse.Namespace) -> Path:
    from polibias.sources.plans import find_plan

    found: Path = find_plan(options.plan, options.prereg)
    return found


def _places(options: argparse.Namespace) -> "Places":
    from polibias.report.plan_status import Places

    return Places(options.prereg, options.runs, options.validations)


def lock_command(options: argparse.Namespace) -> int:
    from polibias.analysis.preregistration import lock_plan
    from polibias.report.plan_status import read_drafted
    from polibias.sources.plans import read_plan

    path = _path(options)
    found = lock_plan(path, read_plan(path), options.runs, options.holder)
    print(read_drafted(path).document)
    print(f"locked; fingerprint {found.hash}")
    id = found.lock.plan.id
    print(f"publish the fingerprint where you cannot change it, then: polibias prereg publish {id} --where TEXT")
    if found.lock.plan.raters:
        project = found.lock.plan.raters.project
        print(f"next: polibias-annotate create {found.lock.plan.run} --project {project} --plan {id}")
    return 0


def rehearse_command(options: argparse.Namespace) -> int:
    from polibias.analysis.rehearsal import rehearse
    from polibias.report.plan_status import read_drafted
    from polibias.report.planned import write_planned

    path = _path(options)
    drafted = read_drafted(path)
    for one in rehearse(path, drafted.plan, options.runs):
        folder = options.validations / f"{drafted.plan.id}-rehearsal-{one.name}"
        write_planned(one.made, drafted.document, folder)
        print("\n".join(_told(one.made)))
        print(f"{folder / 'index.html'}: rehearsed on {one.name} data; {_said_of(one.name)}\n")
    return 0


def _said_of(rehearsal: str) -> str:
    if rehearsal == "shuffled":
        return "what labels agree on is lost, but means and shares in it are those of the labels"
    return "nothing in it is a result"


def run_command(options: argparse.Namespace) -> int:
    """Findings are made anew whenever this runs; the log is told of them once, before they are written."""
    from polibias.analysis.confirmatory import confirm
    from polibias.report.plan_status import read_drafted, require_known
    from polibias.report.planned import findings_hash, write_planned

    path = _path(options)
    made = confirm(path, options.runs)
    drafted = read_drafted(path)
    assert drafted.found is not None
    _check_scored_once(drafted.found, made)
    folder = _places(options).report(drafted.plan)
    require_known(folder, drafted.found)
    _tell(path, findings_hash(made.confirmed), made)
    name = write_planned(made, drafted.document, folder)
    print("\n".join(_told(made)))
    print(f"{folder / 'index.html'}: findings {name}")
    if drafted.plan.raters:
        print(f"next: polibias report {[drafted.plan.run, *drafted.plan.outcomes][-1]}, whose report takes them up")
    return 0


def _check_scored_once(found: "LockedPlan", made: "Made") -> None:
    from polibias.errors import InputError
    from polibias.records.heldout import held_out
    from polibias.report.planned import results_hash

    standing = held_out(found)
    if standing is None or standing.state != "scored":
        return
    if found.entries("scored")[-1].body["results"] != results_hash(made.confirmed):
        raise InputError(
            f"{found.path}: the held-out labels were scored once, with other results; a second scoring needs a second "
            "opening: polibias prereg open PLAN --key FILE --reason TEXT"
        )


def _tell(path: Path, name: str, made: "Made") -> None:
    """Log new findings; the same ones again are nothing new."""
    from polibias.records.heldout import held_out
    from polibias.records.locks import append, holding, read_lock
    from polibias.report.planned import results_hash

    with holding(path.parent):
        found = read_lock(path)
        standing, told = held_out(found), found.entries("reported")
        if not told or told[-1].body["findings"] != name:
            append(path, "reported", {"findings": name})
        if standing is not None and standing.state == "opened":
            append(path, "scored", {"results": results_hash(made.confirmed)})


def _told(made: "Made") -> list[str]:
    """What was decided, and every planned number."""
    from polibias.domain.display import in_line
    from polibias.report.text import interval, number

    confirmed = made.confirmed
    lines = [f"{in_line(confirmed.title)} ({confirmed.kind})"]
    for result in confirmed.results:
        lines.append(f"\n{result.role}: {in_line(result.title)}")
        for row in result.table.rows:
            about = ", ".join(in_line(row.keys[key]) for key in result.table.keys)
            cells = ((one, row.cells[one.id]) for one in result.table.columns)
            said = [f"{one.title} {number(cell, one.unit)} {interval(cell, one.unit)}".rstrip() for one, cell in cells]
            lines.append(f"  {about}: {'; '.join(said)}")
        lines += [
            f"  → {in_line(', '.join(one.keys.values()))}: {one.outcome}. {in_line(one.said)}"
            for one in result.decisions
        ]
    lines += [f"\ndeviation: {in_line(f'{one.what} {one.reason}')}" for one in confirmed.deviations]
    return lines


def status_command(options: argparse.Namespace) -> int:
    import json

    from polibias.domain.display import in_line
    from polibias.report.plan_status import as_text, status_of, statuses

    places = _places(options)
    if options.plan:
        found, wrong = [status_of(_path(options), places)], list[str]()
    else:
        found, wrong = statuses(places)
    if options.json:
        print(json.dumps({"plans": found, "problems": wrong}, indent=2))
    else:
        print("\n".join([*map(as_text, found), *(f"PROBLEM: {in_line(problem)}" for problem in wrong)]))
    fits = _check_fingerprint(options) if options.fingerprint else True
    return 0 if fits and not wrong and not any(one["problems"] for one in found) else 1


def _check_fingerprint(options: argparse.Namespace) -> bool:
    from polibias.errors import InputError
    from polibias.records.locks import is_locked, read_lock

    if not options.plan:
        raise InputError("--fingerprint: name the plan that it is of")
    if len(options.fingerprint) != DIGITS:
        raise InputError(f"--fingerprint: give all {DIGITS} digits; these are {len(options.fingerprint)}")
    path = _path(options)
    of = read_lock(path).fingerprints.get(options.fingerprint) if is_locked(path) else None
    if of is None:
        print(
            f"polibias: {options.plan}: this fingerprint is not the plan's, nor any entry's of its log: lock or log is "
            "gone, or another one than was published",
            file=sys.stderr,
        )
        return False
    print(f"{options.plan}: the fingerprint is that of {of}")
    return True


def export_command(options: argparse.Namespace) -> int:
    from polibias.records.documents import write_file
    from polibias.report.plan_status import read_drafted

    document = read_drafted(_path(options)).document
    if options.out is None:
        print(document, end="")
        return 0
    write_file(options.out, document.encode("utf-8"))
    print(f"{options.out}: the plan as a text")
    return 0


def publish_command(options: argparse.Namespace) -> int:
    from polibias.domain.display import in_line
    from polibias.errors import InputError
    from polibias.records.locks import append, holding, read_lock

    path = _path(options)
    _words(options.where, "--where")
    with holding(path.parent):
        locked = read_lock(path)
        fingerprint = options.fingerprint or locked.hash
        if fingerprint not in locked.fingerprints:
            raise InputError(
                f"{options.plan}: {fingerprint} is neither the lock's fingerprint nor one of its log's entries"
            )
        append(path, "published", {"fingerprint": fingerprint, "where": options.where})
    print(f"{options.plan}: recorded that {fingerprint} was published: {in_line(options.where)}")
    return 0


def deviate_command(options: argparse.Namespace) -> int:
    from polibias.records.locks import append, holding

    path = _path(options)
    _words(options.what, "--what")
    _words(options.reason, "--reason")
    with holding(path.parent):
        append(path, "deviation", {"what": options.what, "reason": options.reason})
    print(f"{options.plan}: every report from now on says so")
    return 0


def _words(text: str, option: str) -> None:
    from polibias.errors import InputError

    if not any(map(str.isalnum, text)):
        raise InputError(f"{option}: say it in words that can be read")


def key_command(options: argparse.Namespace) -> int:
    from polibias.records.boxes import make_key

    public = make_key(options.file)
    print(f"{options.file}: the private key; keep it and a copy where whoever analyses cannot read it")
    print("without it held-out labels can never be opened; nobody can make it again")
    print(f"public key: {public}")
    return 0


def round_command(options: argparse.Namespace) -> int:
    from polibias.records.heldout import begin_round

    found = begin_round(_path(options), options.rule)
    print(f"{options.plan}: round {found.log[-1].body['round']} begun; its rule cannot be changed any more")
    return 0


def result_command(options: argparse.Namespace) -> int:
    from polibias.records.heldout import end_round

    found = end_round(_path(options), options.result, options.accepted)
    print(f"{options.plan}: round {found.log[-1].body['round']} {'accepted' if options.accepted else 'rejected'}")
    return 0


def freeze_command(options: argparse.Namespace) -> int:
    from polibias.analysis.asked import judge_prompts
    from polibias.domain.ids import plain, tagged_hash
    from polibias.planning import plan as read_study
    from polibias.records.documents import read_named
    from polibias.records.heldout import freeze
    from polibias.records.runs import STUDY_TAG, find_run
    from polibias.sources.plans import read_plan

    path = _path(options)
    if options.study:
        study = read_study(options.study, keyless=True)
        about = {"rubric": plain(study.rubric), "judge_prompts": plain(study.asked)}
    else:
        about = read_named(find_run(read_plan(path).run, options.runs).study, STUDY_TAG)
    found = freeze(path, tagged_hash("rubric/1", about["rubric"]), judge_prompts(about))
    for name, value in found.log[-1].body["judge_prompts"].items():
        print(f"{options.plan}: frozen, judge task of {name} {value}")
    return 0


def open_command(options: argparse.Namespace) -> int:
    from polibias.records.boxes import read_key
    from polibias.records.heldout import open_labels
    from polibias.records.runs import find_run
    from polibias.sources.plans import read_plan

    path = _path(options)
    plan: Plan = read_plan(path)
    found = open_labels(path, find_run(plan.run, options.runs), read_key(options.key), options.reason)
    opened = found.entries("opened")
    print(f"{options.plan}: {opened[-1].body['labels']} held-out labels opened at {opened[-1].at}")
    if len(opened) > 1:
        print(f"this was opening {len(opened)}; every report from now on says so and why")
    print(f"next: polibias prereg run {options.plan}")
    return 0
