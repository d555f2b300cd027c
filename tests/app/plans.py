"""Plans of validation as `polibias prereg` tells of them, and a stand-in for that command."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from annotate_app.settings import Folders

LOCK, OTHER = "ab" * 32, "cd" * 32
HOSTILE = "<b id='evil'>bold</b> *stars* [link](javascript:alert(1)) $x$ `code` <script>window.evil = 1</script>"
HELD = {"state": "calibrating", "round": 1, "rounds": 2, "openings": 0}

# It notes what it was asked, and does as the files beside it say; at the `gate` it waits.
SCRIPT = """
import json, pathlib, sys
here = pathlib.Path(__file__).parent
with (here / "asked").open("a") as asked:
    asked.write(json.dumps(sys.argv[1:]) + "\\n")
rules = json.loads((here / "rules").read_text())
if sys.argv[2] == "run":
    print("read 88 labels", flush=True)
    if (here / "gate").exists():
        (here / "gate").read_text()
    if rules["after"]:
        (here / "status.json").write_text(rules["after"])
    print("findings.json: 3 results", flush=True)
else:
    sys.stdout.write((here / "status.json").read_text())
sys.stderr.write(rules[sys.argv[2]][1])
sys.exit(rules[sys.argv[2]][0])
"""


class Fake:
    """A folder with a stand-in for `polibias`, what it says, and what it was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        (folder / "polibias.py").write_text(SCRIPT)
        self.rules()
        self.says()

    @property
    def command(self) -> tuple[str, ...]:
        return (sys.executable, str(self.folder / "polibias.py"))

    @property
    def folders(self) -> Folders:
        return Folders(*(self.folder / name for name in ("prereg", "runs", "validations")), self.folder)

    @property
    def asked(self) -> list[list[str]]:
        """The arguments of every call."""
        return [json.loads(line) for line in (self.folder / "asked").read_text().splitlines()]

    def says(self, *plans: Any, problems: Any = ()) -> None:
        """What the status is from now on."""
        (self.folder / "status.json").write_text(told(*plans, problems=problems))

    def rules(self, status: Any = (0, ""), run: Any = (0, ""), after: str = "") -> None:
        """Exit code and last line of both commands, and the status after a run."""
        (self.folder / "rules").write_text(json.dumps({"status": status, "run": run, "after": after}))

    def finds(self, **other: Any) -> str:
        """Write findings; returns their path."""
        path = self.folder / "findings.json"
        path.write_text(json.dumps(findings(**other)))
        return str(path)

    def shut(self) -> None:
        """From now on a run waits."""
        os.mkfifo(self.folder / "gate")

    def let_go(self) -> None:
        """Let the run that waits go on."""
        (self.folder / "gate").write_text("")


def told(*plans: Any, problems: Any = ()) -> str:
    return json.dumps({"plans": plans, "problems": problems, "more": 1})


def plan(**other: Any) -> dict[str, Any]:
    """One plan's status: locked, with all that was planned."""
    sets = [
        {"name": "sample", "pairs": 50, "hash": "12" * 32, "at": "2026-11-01T08:00:00.000Z", "state": "open"},
        {"name": "held out", "pairs": 1030, "hash": "34" * 32, "at": "", "state": "locked away"},
    ]
    return {
        "plan": "blind-study",
        "title": "Judges and people",
        "question": "Do judges agree with people?",
        "file": "prereg/blind-study.toml",
        "project": "elsewhere",
        "state": "locked",
        "locked_at": "2026-11-30T12:00:00.000Z",
        "lock": LOCK,
        "anchored": [],
        "held_out": None,
        "sets": sets,
        "planned": 100,
        "reached": 100,
        "problems": [],
        "document": "# The title\n\nWhat is **planned**.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "findings": "",
        "report": "",
        **other,
    }


def cell(value: float | None, low: float | None = None, high: float | None = None, **other: Any) -> dict[str, Any]:
    usual = {
        "value": value,
        "low": low,
        "high": high,
        "n": 50,
        "clusters": 50,
        "method": "jackknife, 9 degrees of freedom",
        "reason": "",
    }
    return {**usual, "beside": [], **other}


def result(id: str, role: str, **other: Any) -> dict[str, Any]:
    """One comparison with a number, a share, and a number that is not there."""
    beside = [{"method": "percentile", "low": -0.22, "high": 0.05, "reason": ""}]
    cells = {
        "gap": cell(-0.084, -0.2, 0.04, beside=beside),
        "share": cell(0.625, 0.5, 0.75),
        "none": cell(None, reason="one annotator alone"),
    }
    table = {
        "id": id,
        "title": "Kappa",
        "caption": "Quadratic weights.",
        "keys": ["judge"],
        "columns": [
            {"id": "gap", "title": "Gap", "unit": "score"},
            {"id": "share", "title": "Same side", "unit": "share"},
            {"id": "none", "title": "Annotators", "unit": "score"},
        ],
        "rows": [{"keys": {"judge": "glm-4.7"}, "cells": cells}],
    }
    decided = {"outcome": "holds", "said": "The judge agrees as people do.", "rule": "low > -0.1"}
    decisions = [{"keys": {"judge": "glm-4.7"}, "measure": "gap", **decided}]
    return {
        "id": id,
        "title": f"{id} by title",
        "role": role,
        "statistic": "kappa_gap",
        "table": table,
        "decisions": decisions,
        **other,
    }


def findings(**other: Any) -> dict[str, Any]:
    return {
        "plan": "blind-study",
        "title": "Judges and people",
        "question": "",
        "kind": "confirmatory",
        "lock": LOCK,
        "results": [result("gap", "primary"), result("topics", "exploratory", decisions=[])],
        "deviations": [{"what": "Two pairs were left out", "reason": "broken text", "at": "2026-11-30T12:00:00.000Z"}],
        "methods": "Intervals are made by a jackknife.",
        "facts": {"pairs": 50},
        **other,
    }
