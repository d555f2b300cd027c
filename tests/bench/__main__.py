"""Measured here and now, printed as ratios; nothing is asserted.

Rivals are the loops that one would write with a library: draw clusters, gather their rows, call the library. A few
resamples of each are timed and scaled to all. On the same draws both must give the same numbers: the greatest
difference is printed.
"""

import csv
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pingouin
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from polibias import pairs
from polibias.analysis.crosscheck import ICC, WEIGHTS
from polibias.domain.rows import Design, Request, Response, Seen, Usage
from polibias.domain.study import Items
from polibias.records.ledger import Ledger, Stream, by_request, read, row_id
from polibias.records.runs import pair_key
from polibias.sources.library import Library
from polibias.stats.agreement import agreement
from polibias.stats.bias_index import bias_index
from polibias.stats.clusters import cluster_codes, cluster_sums
from polibias.stats.contrasts import paired
from polibias.stats.icc import icc
from polibias.stats.intervals import Defined, Statistic, estimates
from polibias.stats.kappa import disagreement_weights, kappa, kappas, pair_tables
from polibias.stats.ratings import Family, Ratings
from polibias.stats.resampling import Resampling, bootstrap_counts
from tests.conftest import ROOT

RESAMPLES = 10_000
NAIVE = 50
PAIRS = 800
TEMPLATES = 61
MODELS, JUDGES = 7, 2
DIMENSIONS = 5
ROWS = 1000

Floats = NDArray[np.float64]
Theirs = Callable[[NDArray[np.intp]], Sequence[float]]


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


def beside(what: str, ours: float, rival: str, theirs: Theirs, statistics: Sequence[Statistic], sums: Floats) -> None:
    """A rival's loop over resamples, given as drawn clusters, against ours; and how far the same draws lie apart."""
    counts = bootstrap_counts(np.random.PCG64(3), len(sums), NAIVE)
    draws = [np.repeat(np.arange(len(sums)), row.astype(int)) for row in counts]
    started = time.perf_counter()
    found = np.array([theirs(draw) for draw in draws])
    naive = time.perf_counter() - started
    mine = np.column_stack([statistic(counts @ sums) for statistic in statistics])
    say(what, ours, rival, naive * RESAMPLES / NAIVE)
    print(f"{'':<4}greatest difference on {NAIVE} equal draws: {np.abs(mine - found).max():.1e}")


def drawn_from(clusters: int) -> list[str]:
    """Each pair's cluster: itself, or a template."""
    if clusters == PAIRS:
        return [f"p{n:03d}" for n in range(PAIRS)]
    return [f"t{n:02d}" for n in np.random.Generator(np.random.PCG64(4)).permutation(np.arange(PAIRS) % clusters)]


def rated(clusters: int) -> Ratings:
    """Two raters of 800 pairs, who agree more often than not."""
    rng = np.random.Generator(np.random.PCG64(2))
    truth = rng.integers(0, 4, PAIRS)
    values = np.column_stack([np.where(rng.random(PAIRS) < 0.6, truth, rng.integers(0, 4, PAIRS)) for _ in range(2)])
    return Ratings(values.astype(float), (0, 1, 2, 3), drawn_from(clusters))


def summed(family: Family, ratings: Ratings) -> Floats:
    return cluster_sums(family.columns, *cluster_codes(ratings.clusters))


def members_of(clusters: Sequence[str]) -> list[NDArray[np.intp]]:
    """The rows of each cluster."""
    codes, count = cluster_codes(clusters)
    return [np.flatnonzero(codes == number) for number in range(count)]


def bench_kappa(clusters: int) -> None:
    """All coefficients with all their intervals against a loop over scikit-learn for one, then for three of them."""
    ratings = rated(clusters)
    members, values = members_of(ratings.clusters), ratings.values.astype(int)
    family = kappas(ratings)

    def theirs(names: Sequence[str]) -> Theirs:
        def loop(draw: NDArray[np.intp]) -> Sequence[float]:
            x, y = values[np.concatenate([members[cluster] for cluster in draw])].T
            return [cohen_kappa_score(x, y, labels=[0, 1, 2, 3], weights=WEIGHTS[name]) for name in names]

        return loop

    ours = seconds(lambda: agreement(ratings, RESAMPLES, 1))
    for names in (("kappa_quadratic",), tuple(WEIGHTS)):
        chosen = [family.statistics[name].statistic for name in names]
        rival = f"cohen_kappa_score, {len(names)} of them"
        beside(f"19 coefficients, {clusters} clusters", ours, rival, theirs(names), chosen, summed(family, ratings))
    six = seconds(lambda: estimates(family.statistics, summed(family, ratings), PAIRS, Resampling(RESAMPLES, 1)))
    print(f"{'':<4}kappa's family alone, six of them: {1000 * six:.1f} ms")


def bench_dimensions(clusters: int) -> None:
    """Quadratic kappa of five dimensions and of all pooled, with intervals, as the paper's table has it."""
    rng, names = np.random.Generator(np.random.PCG64(5)), drawn_from(clusters)
    values = rng.integers(0, 4, (DIMENSIONS, PAIRS, 2))
    tables = np.hstack([pair_tables(Ratings(one.astype(float), (0, 1, 2, 3), names))[0] for one in values])
    quadratic = kappa(4, disagreement_weights((0, 1, 2, 3), 2))
    statistics = {
        str(n): Defined(quadratic, "", "fisher", columns=slice(16 * n, 16 * n + 16)) for n in range(DIMENSIONS)
    }
    statistics["pooled"] = Defined(lambda sums: quadratic(sums.reshape(-1, DIMENSIONS, 16).sum(axis=1)), "", "fisher")
    codes, count = cluster_codes(names)
    members = members_of(names)

    def theirs(draw: NDArray[np.intp]) -> Sequence[float]:
        chosen = values[:, np.concatenate([members[cluster] for cluster in draw])]
        pairs = [*chosen, chosen.reshape(-1, 2)]
        return [cohen_kappa_score(*pair.T, labels=[0, 1, 2, 3], weights="quadratic") for pair in pairs]

    sums = cluster_sums(tables, codes, count)
    ours = seconds(lambda: estimates(statistics, sums, PAIRS, Resampling(RESAMPLES, 1)))
    statistics_of = [lambda sums, one=one: one.statistic(sums[:, one.columns]) for one in statistics.values()]
    beside(
        f"kappa, 5 dimensions + pooled, {clusters} clusters", ours, "cohen_kappa_score, 6", theirs, statistics_of, sums
    )


def bench_icc(clusters: int) -> None:
    """Six intraclass correlations with their intervals against a loop over pingouin, which gives all six too."""
    ratings = rated(clusters)
    members, family = members_of(ratings.clusters), icc(ratings)

    def theirs(draw: NDArray[np.intp]) -> Sequence[float]:
        values = ratings.values[np.concatenate([members[cluster] for cluster in draw])]
        units, raters = np.indices(values.shape)
        frame = pd.DataFrame({"u": units.ravel(), "r": raters.ravel(), "v": values.ravel()})
        table = pingouin.intraclass_corr(frame, targets="u", raters="r", ratings="v").set_index("Type")["ICC"]
        return [float(table[name]) for name in ICC.values()]

    sums, chosen = summed(family, ratings), [family.statistics[name].statistic for name in ICC]
    ours = seconds(lambda: estimates(family.statistics, summed(icc(ratings), ratings), PAIRS, Resampling(RESAMPLES, 1)))
    beside(f"6 ICCs, {clusters} clusters", ours, "pingouin.intraclass_corr", theirs, chosen, sums)


def bench_blocks(clusters: int) -> None:
    """Both blocks and their difference against concatenated frames, grouped by block."""
    rng, names = np.random.Generator(np.random.PCG64(1)), drawn_from(clusters)
    scores, main = rng.integers(0, 31, PAIRS) / 2, rng.random(PAIRS) < 0.75
    frame = pd.DataFrame({"main": main, "score": scores})
    parts = [frame.iloc[rows] for rows in members_of(names)]

    def theirs(draw: NDArray[np.intp]) -> Sequence[float]:
        means = pd.concat([parts[cluster] for cluster in draw]).groupby("main")["score"].mean()
        return [means[True] - means[False]]

    def difference(sums: Floats) -> Floats:
        return np.asarray(sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3])

    sums = cluster_sums(np.column_stack([scores * main, main, scores * ~main, ~main]), *cluster_codes(names))
    ours = seconds(lambda: bias_index(scores.tolist(), main.tolist(), names, RESAMPLES, 1, "row"))
    beside(f"Main − Controls, {clusters} clusters", ours, "pandas concat and groupby", theirs, [difference], sums)


def bench_contrasts() -> None:
    """The paper's 21 contrasts under two judges: 7 models, Main − Controls, and two changes of the prompt, paired."""
    rng, names = np.random.Generator(np.random.PCG64(5)), drawn_from(TEMPLATES)
    main = (rng.random(PAIRS) < 0.75).tolist()
    items = [f"i{n}" for n in range(PAIRS)]
    of = dict(zip(items, names, strict=True))
    conditions = rng.integers(0, 31, (JUDGES, MODELS, 3, PAIRS)) / 2
    scores = {where: conditions[where].tolist() for where in np.ndindex(JUDGES, MODELS)}

    def all_of_them() -> None:
        for where, (official, *changed) in scores.items():
            bias_index(official, main, names, RESAMPLES, 1, f"blocks {where}")
            for number, other in enumerate(changed):
                first, second = (dict(zip(items, values, strict=True)) for values in (official, other))
                paired(first, second, of, RESAMPLES, 1, f"changed {number} {where}")

    count = JUDGES * MODELS * 3
    print(f"{count} contrasts ({MODELS} models × 3 × {JUDGES} judges)        {seconds(all_of_them):>10.2f} s")


def bench_agreement_command() -> None:
    """The command on a small file, from the shell and back."""
    values = rated(PAIRS).values[: ROWS // 2].astype(int)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = [
                (f"u{unit}", f"r{rater}", value) for unit, row in enumerate(values) for rater, value in enumerate(row)
            ]
            csv.writer(file).writerows([("unit", "rater", "value"), *rows])
        columns = ("--unit", "unit", "--rater", "rater", "--value", "value")
        command = [sys.executable, "-m", "polibias.cli", "agreement", str(path), *columns]
        ours = seconds(lambda: subprocess.run(command, capture_output=True, check=True, cwd=ROOT))
    print(f"polibias agreement, {ROWS:,} rows            {ours:>10.2f} s")


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
        stream = Stream(Path(folder) / "r.jsonl", Response, by_request)
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


def bench_records() -> None:
    """Peak memory and time of verify and report on a run of 100 MB."""
    subprocess.run([sys.executable, "-m", "tests.bench.records", "--mb", "100"], check=True, cwd=ROOT)


if __name__ == "__main__":
    bench_help()
    bench_instrument()
    bench_rates()
    bench_records()
    bench_difference()
    bench_agreement_command()
    bench_contrasts()
    warnings.simplefilter("ignore")
    for size in (TEMPLATES, PAIRS):
        bench_dimensions(size)
        bench_kappa(size)
        bench_icc(size)
        bench_blocks(size)
