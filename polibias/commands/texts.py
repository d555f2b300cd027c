"""Commands that read one text from standard input: mask, detect."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from polibias.commands.shapes import Commands, one_line

if TYPE_CHECKING:
    from polibias.domain.masked import Masked

WIDEST = 60
"""How much of a stretch of text a table shows."""
TASKS = ("T1", "T2", "T3", "T4")


def add(commands: Commands) -> None:
    """Add the commands of this module."""
    mask = commands.add_parser("mask", help="hide which two countries the text on standard input is about")
    mask.add_argument("--pair", required=True, metavar="A-B", help="the pair's id; A becomes Country X, B Country Y")
    mask.add_argument("--names-only", action="store_true", help="the baseline: replace the countries' names alone")
    shown = mask.add_mutually_exclusive_group()
    shown.add_argument("--explain", action="store_true", help="print a table of the replacements instead of the text")
    shown.add_argument("--json", action="store_true", help="print everything as JSON")
    mask.add_argument("--data", type=Path, metavar="DIR", help="the data folder (default: data, or the packaged one)")
    mask.set_defaults(command=mask_command)

    detect = commands.add_parser("detect", help="refusal, rejected premise, rating and loop of a response, by rules")
    detect.add_argument("--task", choices=TASKS, help="the task that was answered (default: not known)")
    detect.set_defaults(command=detect_command)


def mask_command(options: argparse.Namespace) -> int:
    from polibias.masking.mask import Masker
    from polibias.sources.files import data_folder
    from polibias.sources.lexicon import read_lexicon, require_pair

    lexicon = read_lexicon(options.data or data_folder())
    a, b = require_pair(options.pair, lexicon)
    masker = Masker(a, b, lexicon, "names" if options.names_only else "full")
    source = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    masked = masker.mask(source)
    if options.json:
        print(_as_json(masked))
    elif options.explain:
        print(_explained(source, masked))
    elif masked.whole:
        sys.stdout.buffer.write(masked.text.encode("utf-8", "surrogateescape"))
    for line in _told(masked):
        print(f"polibias: {one_line(line)}", file=sys.stderr)
    return 0 if masked.whole else 1


def _as_json(masked: "Masked") -> str:
    import json

    import msgspec

    return json.dumps(msgspec.to_builtins(masked), indent=2)


def _explained(source: str, masked: "Masked") -> str:
    """The replacements as a table: where, what became what, class and rule."""
    rows = [("span", "class", "text", "became", "rule")]
    for one in masked.replacements:
        span = f"{one.start}-{one.end}"
        rows.append((span, one.kind, _cut(source[one.start : one.end]), _cut(one.text), one.rule))
    widths = [max(len(row[n]) for row in rows) for n in range(4)]
    lines = [
        "  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[4])) for row in rows
    ]
    return "\n".join((*lines, f"{masked.status}: {len(masked.replacements)} replaced"))


def _cut(text: str) -> str:
    shown = one_line(text)
    return shown if len(shown) <= WIDEST else f"{shown[: WIDEST - 1]}…"


def _told(masked: "Masked") -> list[str]:
    """What keeps the text from being a masked one."""
    if masked.status == "unreadable":
        return [f"not masked: {masked.reason}"]
    return [f"not whole: '{leak.word}' is left, {leak.why}" for leak in masked.leaks]


def detect_command(options: argparse.Namespace) -> int:
    """The response is read as UTF-8; bytes that are none are read as replacement characters."""
    import json

    from polibias.detectors.signals import as_json, signals

    response = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    print(json.dumps(as_json(signals(response, options.task), response), indent=2))
    return 0
