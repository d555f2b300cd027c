"""Commands that read one response without a judge: detect."""

import argparse

from polibias.commands.shapes import Commands

TASKS = ("T1", "T2", "T3", "T4")


def add(commands: Commands) -> None:
    """Add the commands of this module."""
    detect = commands.add_parser("detect", help="refusal, rejected premise, rating and loop of a response, by rules")
    detect.add_argument("--task", choices=TASKS, help="the task that was answered (default: not known)")
    detect.set_defaults(command=detect_command)


def detect_command(options: argparse.Namespace) -> int:
    """The response is standard input, as UTF-8; bytes that are none are read as replacement characters."""
    import json
    import sys

    from polibias.detectors.signals import as_json, signals

    response = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    print(json.dumps(as_json(signals(response, options.task), response), indent=2))
    return 0
