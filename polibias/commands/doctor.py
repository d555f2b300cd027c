"""`polibias doctor`: whether this machine, or the models of a study, do what a run needs of them."""

import argparse
import sys
from typing import TYPE_CHECKING

from polibias.commands.runs import add_models, add_study
from polibias.commands.shapes import Commands, one_line

if TYPE_CHECKING:
    from polibias.probing import Probe

MARKS = {True: "ok", False: "FAILS", None: ""}


def add(commands: Commands) -> None:
    """Add the command of this module."""
    doctor = commands.add_parser(
        "doctor", help="check this machine, or, with a study, ask its models whether they do what it declares"
    )
    add_study(doctor, optional=True)
    add_models(doctor)
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.set_defaults(command=doctor_command)


def doctor_command(options: argparse.Namespace) -> int:
    """With a study, its models are asked a few questions; what they show is stored with the run."""
    return _study(options) if options.study else _machine(options)


def _study(options: argparse.Namespace) -> int:
    import asyncio
    import json

    import msgspec

    from polibias import flow
    from polibias.planning import plan as read_plan
    from polibias.records.runs import Run

    plan = read_plan(options.study, options.data, options.panel)
    run = Run(options.runs / plan.study.id)
    probes = asyncio.run(flow.probe_study(plan, run, Notes(), options.model))
    print(json.dumps(msgspec.to_builtins(probes), indent=2) if options.json else as_text(probes))
    return int(any(probe.failures for probe in probes))


class Notes:
    """What a run would tell while it works; here only its notes."""

    def stage(self, name: str, total: int, done: int) -> None:
        """No stage is worked on."""

    def advance(self, good: int, failed: int) -> None:
        """Nothing advances."""

    def note(self, text: str) -> None:
        """On standard error, so that JSON stays JSON."""
        print(f"note: {text}", file=sys.stderr)


def as_text(probes: "list[Probe]") -> str:
    """A block per model: who answers, how it is made to, and every check."""
    blocks = []
    for probe in probes:
        about = ", ".join(f"{name} {value}" for name, value in (probe.settings | probe.about).items())
        lines = [f"{probe.role} {probe.name}: {probe.provider} ({about})"]
        lines += [f"  {MARKS[check.holds]:<6}{check.what:<16}{one_line(check.said)}" for check in probe.checks]
        blocks.append("\n".join(lines))
    failing = [probe.name for probe in probes if probe.failures]
    verdict = f"Not ready: {', '.join(dict.fromkeys(failing))}." if failing else "Every model does what the study says."
    return "\n\n".join([*blocks, verdict if probes else "No model of this study answers over a network."])


def _machine(options: argparse.Namespace) -> int:
    import json

    from polibias.machine import examine

    findings = examine(options.data, options.runs)
    if options.json:
        print(json.dumps([finding._asdict() for finding in findings], indent=2))
    else:
        for finding in findings:
            print(f"{MARKS[finding.holds]:<6}{finding.what:<26}{finding.said}")
    return int(any(finding.holds is False for finding in findings))
