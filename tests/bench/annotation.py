"""The annotation app under load, its writers, and its work beside Potato's: `python -m tests.bench.annotation`.

Its parts are `load`, `writers` and `rivals`; named, only they are measured. Nothing is asserted. Every line has ours,
the rival's where there is one, and what is promised. Client, server and browser share this machine: how busy it was
is said, because whatever else runs counts against what is measured.
"""

import argparse
import math
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.bench import potato, script
from tests.bench.load import CHROMIUM_NAME, ITEMS, PACE, SECONDS, USERS, Click, Loaded, delays, load
from tests.bench.our_app import SUBMITTED, OurApp, annotators, submit_all
from tests.bench.potato import Potato
from tests.bench.script import Day, Scene
from tests.browser.conftest import CHROMIUM, FLAGS

WRITERS, SUBMISSIONS = 20, 50
COMMIT_BAR, NEXT_BAR = 250, 500
TICKS = os.sysconf("SC_CLK_TCK")


def say(what: str, ours: str, theirs: str = "", bar: str = "", holds: bool | None = None) -> None:
    verdict = "" if holds is None else "holds" if holds else "MISSED"
    print(f"{what:<62}{ours:>16}{theirs:>16}   {bar:<14}{verdict}", flush=True)


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed; nan for none."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else float("nan")


def spread(values: Sequence[float]) -> str:
    """Median and 95th percentile."""
    return f"{quantile(values, 0.5):,.0f} / {quantile(values, 0.95):,.0f}" if values else "-"


@contextmanager
def neighbours_said(what: str) -> Iterator[None]:
    """Print how busy the machine's processors were during a block, whoever used them."""
    used, started = _busy(), time.time()
    yield
    cores = os.cpu_count() or 1
    share = (_busy() - used) / (time.time() - started) / cores
    print(f"{'':<4}processors during {what}: {cores}, {share:.0%} busy", flush=True)


def _busy() -> float:
    """Seconds of all processors that were not idle since the machine was started (Linux)."""
    user, nice, system, _, _, irq, softirq, steal, *_ = map(int, Path("/proc/stat").read_text("ascii").split()[1:11])
    return (user + nice + system + irq + softirq + steal) / TICKS


def waits(clicks: Sequence[Click]) -> list[float]:
    """Milliseconds from each of these clicks until its page was there."""
    return [1000 * (click.shown - click.sent) for click in clicks if click.shown]


def bench_load(folder: Path) -> None:
    """Thirty-one annotators for two minutes."""
    app = OurApp(folder, ITEMS + 1)
    print(f"\n{app.configured()}")
    print(f"{USERS} websocket users and one Chromium, one action each per {PACE:.0f} s, for {SECONDS:.0f} s")
    print("committed: a second connection, which looks every 2 ms, sees the row; times p50 / p95 in ms")
    app.server.start()
    try:
        with neighbours_said("the load"):
            done = load(app)
    finally:
        app.server.kill()
    say_load(done)


def say_load(done: Loaded) -> None:
    """The lines of a load."""
    answers, submits = [c for c in done.clicks if c.question], [c for c in done.clicks if not c.question]
    committed = delays(done.clicks, done.commits)
    on_wire = waits([click for click in submits if click.annotator != CHROMIUM_NAME])
    wait = quantile(committed, 0.95)
    say("click to committed", spread(committed), "", f"p95 ≤ {COMMIT_BAR}", wait <= COMMIT_BAR)
    say("Next to new item", spread(on_wire), "", f"p95 ≤ {NEXT_BAR}", quantile(on_wire, 0.95) <= NEXT_BAR)
    browser = [click for click in done.clicks if click.annotator == CHROMIUM_NAME]
    say("  in Chromium: click to committed", spread(delays(browser, done.commits)))
    say("  in Chromium: Next to new item drawn", spread(waits([click for click in browser if not click.question])))
    say("  choice to the end of its run", spread(waits(answers)))
    say(f"lost of {len(answers)} choices, {len(submits)} submissions", str(done.lost), "", "= 0", done.lost == 0)
    say("submitted twice", str(done.doubled), "", "= 0", done.doubled == 0)
    say("server: share of one core", f"{done.processor / done.seconds:.0%}")
    say("server: ms of processor per action", f"{1000 * done.processor / len(done.clicks):.0f}" if done.clicks else "-")
    say("server: peak MB", f"{done.memory:.0f}")
    for line in done.trouble:
        print(f"{'':<4}a user could not go on: {line}")


def bench_writers(folder: Path) -> None:
    """Twenty threads, as the server has one for each window, submit fifty items each, at once."""
    app = OurApp(folder, SUBMISSIONS)
    app.invite([f"writer-{number:02d}" for number in range(1, WRITERS + 1)])
    started = time.perf_counter()
    with ThreadPoolExecutor(WRITERS) as pool:
        for done in [pool.submit(submit_all, app.database, one) for one in annotators(app.database)]:
            done.result()
    rate = WRITERS * SUBMISSIONS / (time.perf_counter() - started)
    connection = sqlite3.connect(app.database)
    times = [row[2] for row in connection.execute(SUBMITTED)]
    connection.close()
    wanted = WRITERS * SUBMISSIONS
    exact = len(times) == wanted == sum(times)
    print(f"\n{WRITERS} writers, {SUBMISSIONS} submissions each, all at once")
    say("submissions stored, each once", f"{sum(times):,}", "", f"= {wanted:,}", exact)
    say("submissions per second", f"{rate:,.0f}")


SCENES: tuple[tuple[str, str, Callable[[Scene], int]], ...] = (
    ("lost", "lost", lambda scene: scene.lost),
    ("misplaced or doubled", "misplaced or doubled", lambda scene: scene.misplaced + scene.doubled),
    ("replaced", "sent off, then changed by a choice in an older tab", lambda scene: scene.replaced),
    ("passed over", "items passed over", lambda scene: scene.passed_over),
    ("ignored", "clicks that did nothing", lambda scene: scene.ignored),
    ("sent back", "times another item came after a reload", lambda scene: scene.sent_back),
)


def bench_rivals(folder: Path) -> None:
    """The same script at both tools, one after the other."""
    if not CHROMIUM:
        print("\nNo chromium here, so the app was not compared with Potato")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        ours = _day(OurApp(folder / "ours", script.ITEMS), browser)
        theirs = _day(Potato(folder / "potato", script.ITEMS), browser) if potato.COMMAND.exists() else None
        browser.close()
    if theirs is None:
        print("Potato was not measured: no .venv-rivals here, `make bench` sets it up")
    say_days(ours, theirs)


def _day(tool: script.Tool, browser: script.Browser) -> Day:
    print(f"\n{tool.configured()}")
    with neighbours_said("the script"):
        return script.spend(tool, browser)


def say_days(ours: Day, theirs: Day | None) -> None:
    """Both days beside each other: times, then what went wrong in each scene, if it did for either."""
    print(f"\n{len(script.ANNOTATORS)} annotators in Chromium, one after the other; committed: readable on the disk")
    say("", ours.tool.split("-")[0], theirs.tool if theirs else "")
    for what, value in (("click to committed", lambda day: day.committed), ("Next to new item", lambda day: day.shown)):
        bar, holds = (
            ("p95 ≤ theirs", quantile(value(ours), 0.95) <= quantile(value(theirs), 0.95)) if theirs else ("", None)
        )
        say(f"{what}, p50 / p95 ms", spread(value(ours)), spread(value(theirs)) if theirs else "", bar, holds)
    for name, mine in ours.scenes.items():
        _say_scene(name, mine, theirs.scenes[name] if theirs else None)
    lighter = ours.memory <= theirs.memory if theirs else None
    say(
        "server, peak MB",
        f"{ours.memory:.0f}",
        f"{theirs.memory:.0f}" if theirs else "",
        "≤ theirs" if theirs else "",
        lighter,
    )


def _say_scene(name: str, mine: Scene, other: Scene | None) -> None:
    for kind, words, count in SCENES:
        here, there = count(mine), count(other) if other else 0
        if kind != "lost" and not here and not there:
            continue
        what = f"{name}: {words}" + (f" of {mine.clicks} clicks" if kind == "lost" else "")
        bar, holds = ("≤ theirs", here <= there) if other else ("", None)
        say(what, str(here), str(there) if other else "", bar, holds)


PARTS = {"load": bench_load, "writers": bench_writers, "rivals": bench_rivals}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.annotation", description="The annotation app, measured."
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}; all without")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where to keep projects and logs")
    given = parser.parse_args(arguments)
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    folder = given.keep or Path(tempfile.mkdtemp())
    try:
        for name in given.parts or PARTS:
            PARTS[name](folder / name)
    finally:
        if not given.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
