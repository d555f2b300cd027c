"""Calls per second, CPU and memory of `polibias run` beside rivals that ask the same server: `make bench`.

Everything runs on loopback: a server in its own process that answers at once, and one client process after another.
What is measured is therefore the client's own work. `--quick` leaves out the large study and Inspect AI.

This module imports the standard library only: a child's peak memory counts from its parent's, so the parent is small.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
RIVALS = ROOT / ".venv-rivals" / "bin" / "python"
SMALL, LARGE, INSPECT = 2_000, 50_000, 300
REPEATS = 3
CONCURRENCY = 64
CONDITIONS = ("official", "premise", "year-2023", "grounded", "v1-baseline")
ITEMS_OF_A_CONDITION = 7_808  # 61 templates × 32 country pairs × 4 tasks

STUDY = """
id = "bench"
title = "A bench"
rubric = "poli-bias"
conditions = {conditions}

[[items]]
templates = ["aggression/*", "crimes_against_humanity/*", "genocide/*", "maritime/*", "war_crimes/*"]
pairs = ["pairs/*"]
tasks = ["tasks/*"]

[draw]
seed = 1
main = {main}
control = {control}

[[models]]
adapter = "openai_http"
name = "served"
url = "{url}"
model = "served"
max_tokens = 4000
concurrency = {concurrency}

[[judges]]
adapter = "scripted"
name = "unused"
"""


class Measured(NamedTuple):
    """One client's run: `busy` seconds from the server's first request to its last, `whole` seconds of the process.

    `cpu` is its processor time in seconds, `memory` its peak in MB, `output` the MB that it wrote.
    """

    calls: int
    busy: float
    whole: float
    cpu: float
    memory: float
    output: float

    @property
    def rate(self) -> float:
        """Calls per second while calls were made."""
        return self.calls / self.busy

    @property
    def whole_rate(self) -> float:
        """Calls per second of the whole process."""
        return self.calls / self.whole

    @property
    def cpu_of_call(self) -> float:
        """Milliseconds of processor time per call, the process's start and end included."""
        return 1000 * self.cpu / self.calls


Runs = Sequence[Measured]


class Bench:
    """A server, and a folder for what its clients need and write."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder

    def measure(self, calls: int, command: Sequence[str | Path], out: Path) -> Measured:
        """Run one client to its end. Ends the bench unless it asked every prompt once."""
        self._asked()
        log = self.folder / "client.log"
        with log.open("wb") as file:
            started = time.monotonic()
            process = subprocess.Popen(
                [*map(str, command)], cwd=self.folder, env=environment(), stdout=file, stderr=file
            )
            _, status, used = os.wait4(process.pid, 0)
            whole = time.monotonic() - started
            process.returncode = os.waitstatus_to_exitcode(status)
        asked = self._asked()
        if process.returncode or (asked["requests"], asked["distinct"]) != (calls, calls):
            sys.exit(
                f"{command[1:3]}: exit {process.returncode}, asked {asked}, not {calls}\n{log.read_text()[-2000:]}"
            )
        size = sum(path.stat().st_size for path in (out, *out.rglob("*")) if path.is_file())
        return Measured(
            calls, asked["seconds"], whole, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, size / 1e6
        )

    def _asked(self) -> dict[str, float]:
        """What the server was asked since this was last called."""
        with urllib.request.urlopen(self.url) as answer:
            told: dict[str, float] = json.load(answer)
            return told

    def ours(self, calls: int) -> Measured:
        """`polibias run` of a study of so many calls, up to its responses. Leaves their bodies for the rivals."""
        study, runs = self.folder / "bench.toml", self.folder / "runs"
        shutil.rmtree(runs, ignore_errors=True)
        study.write_text(study_text(self.url, calls), "utf-8")
        options = ("--stage", "generate", "--quiet", "--runs", runs, "--data", ROOT / "data")
        found = self.measure(calls, (sys.executable, "-m", "polibias.cli", "run", study, *options), runs)
        self._keep_bodies(sorted((runs / "bench" / "responses").glob("*.jsonl")), calls)
        shutil.rmtree(runs)
        return found

    def _keep_bodies(self, segments: Sequence[Path], calls: int) -> None:
        if self.bodies(calls).exists():
            return
        with self.bodies(calls).open("w", encoding="utf-8") as out:
            for segment in segments:
                with segment.open("rb") as rows:
                    out.writelines(json.dumps(json.loads(line)["row"]["request"]["body"]) + "\n" for line in rows)

    def bodies(self, calls: int) -> Path:
        """The request bodies of a study of so many calls, one per line."""
        return self.folder / f"bodies-{calls}.jsonl"

    def bare(self, calls: int) -> Measured:
        """A bare loop on the same client library."""
        out = self.folder / "bare.jsonl"
        out.unlink(missing_ok=True)
        return self.measure(calls, (sys.executable, "-m", "tests.bench.bare", self.url, self.bodies(calls), out), out)

    def inspect(self, calls: int) -> Measured:
        """Inspect AI, on the first bodies of the small study."""
        logs, script = self.folder / "logs", ROOT / "tests" / "bench" / "inspect_rival.py"
        with self.bodies(SMALL).open(encoding="utf-8") as every:
            first = [line for _, line in zip(range(calls), every, strict=False)]
        self.bodies(calls).write_text("".join(first), "utf-8")
        return self.measure(calls, (RIVALS, script, self.url, self.bodies(calls), logs), logs)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}


def study_text(url: str, calls: int) -> str:
    """A study of the shipped library with so many distinct prompts: each item gives two in each condition."""
    conditions = CONDITIONS[:1] if calls <= 2 * ITEMS_OF_A_CONDITION else CONDITIONS
    items = calls // 2 // len(conditions)
    return STUDY.format(
        conditions=json.dumps(conditions), main=items - items // 2, control=items // 2, url=url, concurrency=CONCURRENCY
    )


@contextlib.contextmanager
def bench() -> Iterator[Bench]:
    """A server that runs, and an empty folder."""
    command = [sys.executable, "-m", "tests.bench.replies"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            yield Bench(server.stdout.readline().strip(), Path(folder))
        finally:
            server.terminate()


def spread(runs: Runs, value: Callable[[Measured], float], digits: int = 0) -> str:
    """The median, and the range if there are several runs."""
    values = [value(run) for run in runs]
    middle = f"{median(values):,.{digits}f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):,.{digits}f}–{max(values):,.{digits}f})"


HEAD = ("client", "calls", "calls/s", "whole process", "CPU ms/call", "peak MB", "output MB")
WIDTHS = (26, 8, 22, 22, 18, 16, 10)


def say(*cells: str) -> None:
    print(
        f"{cells[0]:<{WIDTHS[0]}}" + "".join(f"{c:>{w}}" for c, w in zip(cells[1:], WIDTHS[1:], strict=True)),
        flush=True,
    )


def say_runs(client: str, runs: Runs) -> None:
    """One line of the table."""
    say(
        client,
        f"{runs[0].calls:,}",
        spread(runs, lambda run: run.rate),
        spread(runs, lambda run: run.whole_rate),
        spread(runs, lambda run: run.cpu_of_call, 2),
        spread(runs, lambda run: run.memory),
        f"{runs[-1].output:.0f}",
    )


def promise(what: str, value: float, bound: str, holds: bool, digits: int = 2) -> None:
    print(f"{what:<64}{value:>10,.{digits}f}   {bound:<10}{'holds' if holds else 'MISSED'}", flush=True)


def beside(ours: Runs, bare: Runs) -> None:
    """What is promised of our speed beside a bare loop: the median over neighbouring runs, which share the load."""
    pairs = list(zip(ours, bare, strict=True))
    rate = median(one.rate / other.rate for one, other in pairs)
    cpu = median(one.cpu / other.cpu for one, other in pairs)
    promise(f"calls/s beside a bare loop, {ours[0].calls:,} calls", rate, "≥ 0.7", rate >= 0.7)
    print(f"{'':<4}CPU of the whole process beside the bare loop's: {cpu:.2f} times")


def beside_in_cpu(small: tuple[Runs, Runs], large: tuple[Runs, Runs]) -> None:
    """The same comparison without starts, ends and the neighbours' load: the CPU that each further call costs."""
    costs = []
    for few, many in zip(small, large, strict=True):
        further = many[0].calls - few[0].calls
        costs.append(1000 * (median(run.cpu for run in many) - median(run.cpu for run in few)) / further)
    ours, bare = costs
    print(
        f"{'':<4}CPU of each further call: ours {ours:.2f} ms, bare loop {bare:.2f} ms, bare / ours {bare / ours:.2f}"
    )


def absolute(ours: Runs, memory: int) -> None:
    """What is promised of our CPU and memory."""
    cpu, peak = median(run.cpu_of_call for run in ours), max(run.memory for run in ours)
    promise(f"CPU ms per call, {ours[0].calls:,} calls", cpu, "≤ 3", cpu <= 3)
    promise(f"peak MB, {ours[0].calls:,} calls", peak, f"< {memory}", peak < memory, 0)


def take_turns(server: Bench, calls: int, repeats: int) -> tuple[Runs, Runs]:
    """Ours and the bare loop, one after the other, so often."""
    runs = [(server.ours(calls), server.bare(calls)) for _ in range(repeats)]
    ours, bare = [one for one, _ in runs], [other for _, other in runs]
    say_runs("polibias run", ours)
    say_runs("bare httpx2 and JSONL", bare)
    return ours, bare


def beside_inspect(ours: Runs, inspect: Measured) -> None:
    """What is promised of our speed beside Inspect AI."""
    times, cpu = median(run.rate for run in ours) / inspect.rate, median(run.cpu_of_call for run in ours)
    promise("calls/s beside Inspect AI", times, "≥ 10", times >= 10, 0)
    print(f"{'':<4}its CPU per call beside ours: {inspect.cpu_of_call / cpu:.0f} times")


def measure(quick: bool) -> None:
    """Print the table, then what is promised."""
    with bench() as server:
        say(*HEAD)
        small = take_turns(server, SMALL, REPEATS)
        large = None if quick else take_turns(server, LARGE, 1)
        inspect = None if quick or not RIVALS.exists() else server.inspect(INSPECT)
        if inspect:
            say_runs("Inspect AI", [inspect])
    print()
    for runs, memory in ((small, 150), (large, 200)):
        if runs:
            absolute(runs[0], memory)
            beside(*runs)
    if large:
        beside_in_cpu(small, large)
    if inspect:
        beside_inspect(small[0], inspect)
    else:
        print("Inspect AI was not measured" + ("" if quick else ": no .venv-rivals here, `make bench` sets it up"))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.calls", description="Speed of calls beside rivals.")
    parser.add_argument("--quick", action="store_true", help="small study only, without Inspect AI")
    measure(parser.parse_args(arguments).quick)


if __name__ == "__main__":
    main()
