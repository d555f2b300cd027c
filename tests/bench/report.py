"""Time and memory of the full report of a simulated study of full size.

    python -m tests.bench.report [--models 7] [--items 800] [--words 400] [--keep DIR]

`polibias simulate study` writes the sealed run: every model's two responses to each item, read by two judges in both
orders. Each step is a process of its own, so that its peak is its own. Nothing is asserted.
"""

import argparse
import tempfile
from pathlib import Path

from tests.bench.records import measured


def main() -> None:
    """Simulate, verify and report."""
    options = argparse.ArgumentParser()
    options.add_argument("--models", type=int, default=7)
    options.add_argument("--items", type=int, default=800)
    options.add_argument("--words", type=int, default=400, help="about the median length of a response")
    options.add_argument("--keep", type=Path, help="a new folder to keep the run in")
    given = options.parse_args()
    sizes = [f"--{name}={getattr(given, name)}" for name in ("models", "items", "words")]
    with tempfile.TemporaryDirectory() as scratch:
        run = given.keep or Path(scratch) / "simulated"
        measured("polibias simulate study", "-m", "polibias.cli", "simulate", "study", *sizes, str(run))
        size = sum(path.stat().st_size for path in run.rglob("*.jsonl")) / 1e6
        print(f"{given.models} models, {given.items} items, 2 judges: {size:,.0f} MB of records")
        for command in ("verify", "report"):
            measured(f"polibias {command}", "-m", "polibias.cli", command, str(run))


if __name__ == "__main__":
    main()
