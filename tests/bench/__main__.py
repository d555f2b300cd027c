"""Measured here and now, printed as ratios; nothing is asserted."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.metrics import cohen_kappa_score

from polibias import pairs
from polibias.domain.rows import Design, Request, Response, Seen, Usage
from polibias.domain.study import Items
from polibias.records.ledger import Ledger, Stream, read, request_key, row_id
from polibias.records.runs import pair_key
from polibias.sources.library import Library
from polibias.stats.agreement import agreement
from polibias.stats.bias_index import bias_index
from polibias.stats.ratings import Ratings
from tests.conftest import ROOT

RESAMPLES = 10_000
NAIVE = 50
PAIRS = 800


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The best of a few runs."""
    best = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def say(what: str, ours: float, rival: str, theirs: float) -> None:
    print(f"{what:<44}{1000 * ours:>10.1f} ms   {rival:<34}{1000 * theirs:>12.1f} ms   {theirs / ours:>8.0f}×")


def bench_difference() -> None:
    """Main − Controls with its interval against an index loop over clusters."""
    rng = np.random.Generator(np.random.PCG64(1))
    scores, main = rng.integers(0, 31, PAIRS) / 2, rng.random(PAIRS) < 0.75
    clusters = [f"t{n:02d}" for n in rng.integers(0, 61, PAIRS)]
    members = [np.flatnonzero(np.array(clusters) == name) for name in sorted(set(clusters))]

    def naive() -> None:
        for _ in range(NAIVE):
            rows = np.concatenate([members[n] for n in rng.integers(0, len(members), len(members))])
            scores[rows][main[rows]].mean() - scores[rows][~main[rows]].mean()

    ours = seconds(lambda: bias_index(scores.tolist(), main.tolist(), clusters, RESAMPLES, 1, "row"))
    say("Main − Controls, 10,000 resamples", ours, "numpy index loop", seconds(naive) * RESAMPLES / NAIVE)


def bench_kappa() -> None:
    """All six coefficients with intervals against a loop over scikit-learn for one of them."""
    rng = np.random.Generator(np.random.PCG64(2))
    values = rng.integers(0, 4, (PAIRS, 2))
    ratings = Ratings(values.astype(float), (0, 1, 2, 3), [f"t{n:02d}" for n in rng.integers(0, 61, PAIRS)])

    def naive() -> None:
        for _ in range(NAIVE):
            rows = rng.integers(0, PAIRS, PAIRS)
            cohen_kappa_score(values[rows, 0], values[rows, 1], labels=[0, 1, 2, 3], weights="quadratic")

    ours = seconds(lambda: agreement(ratings, RESAMPLES, 1))
    say(
        "six agreement coefficients, 10,000 resamples",
        ours,
        "scikit-learn loop, one coefficient",
        seconds(naive) * RESAMPLES / NAIVE,
    )


def bench_instrument() -> None:
    """Every template × country pair × task in every condition: built, and named by key and id."""
    library = Library(ROOT / "data")
    items = library.items((Items(("*",), ("pairs/*",), ("*",)),), "bench")
    count, texts, building, hashing = 0, 0, 0.0, 0.0
    for condition in library.conditions:
        scenarios = list(library.scenarios(((item, 1.0) for item in items), [condition], "bench"))
        started = time.perf_counter()
        built = [pairs.build(scenario) for scenario in scenarios]
        building += time.perf_counter() - started
        started = time.perf_counter()
        for pair in built:
            pair_key(pair), row_id(pair)
        hashing += time.perf_counter() - started
        count += len(built)
        texts += sum(2 + 2 * (pair.shown is not None) for pair in built)
    print(f"pairs of all conditions                     {count:>10,} ({texts:,} texts)")
    print(f"texts rendered per second                   {texts / building:>10,.0f}")
    print(f"pair rows hashed per second, key and id     {count / hashing:>10,.0f}")


def bench_rates() -> None:
    """Rows per second through the storing room."""
    design = Design("WC-DIS-001", "war_crimes", "iran-israel", "active", "main", "T1", "official", "swapped")
    rows = [
        Response("p", "A", design, "m", Request("a", "r", {"n": n}), "ok", "x" * 4000, "stop", Usage())
        for n in range(2000)
    ]
    with tempfile.TemporaryDirectory() as folder:
        stream = Stream(Path(folder) / "r.jsonl", Response, lambda row: request_key(row.request))
        started = time.perf_counter()
        with Ledger(stream) as ledger:
            for number, row in enumerate(rows):
                ledger.append(row, Seen())
                if number % 16 == 0:
                    ledger.commit()
            ledger.commit()
        writing = time.perf_counter() - started
        reading = seconds(lambda: sum(1 for _ in read(stream)))
    print(f"rows stored per second, fsync every 16      {len(rows) / writing:>10.0f}")
    print(f"rows read and verified per second           {len(rows) / reading:>10.0f}")


def bench_help() -> None:
    """The command's own start."""
    command = [sys.executable, "-m", "polibias.cli", "--help"]
    ours = seconds(lambda: subprocess.run(command, capture_output=True, check=True, cwd=ROOT), 5)
    bare = seconds(lambda: subprocess.run([sys.executable, "-c", ""], check=True), 5)
    print(f"polibias --help                             {1000 * ours:>10.0f} ms (bare Python {1000 * bare:.0f} ms)")


if __name__ == "__main__":
    bench_help()
    bench_instrument()
    bench_rates()
    bench_difference()
    bench_kappa()
