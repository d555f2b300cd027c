"""Memory and time of large runs: fabricates a sealed run of so many megabytes, then verifies and reports it.

    python -m tests.bench.records --mb 1000 [--keep DIR]

Each step is a process of its own, started from a small one, so that its peak is its own.
"""

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MODELS, JUDGES = 3, 2
SEED = 20280101
STUDY = """
id = "large"
title = "A fabricated run: evidence about nothing"
rubric = "poli-bias"
[[items]]
templates = ["*"]
pairs = ["pairs/*"]
tasks = ["*"]
"""
FILLING = "the conduct described would amount to an unlawful act under rules that bind each party at the time"


def study_text() -> str:
    """The study with its scripted models and judges."""
    models = "".join(
        f'[[models]]\nadapter = "scripted"\nname = "model-{n}"\nmax_tokens = 2000\n' for n in range(MODELS)
    )
    return STUDY + models + "".join(f'[[judges]]\nadapter = "scripted"\nname = "judge-{n}"\n' for n in range(JUDGES))


def fabricate(folder: Path, megabytes: int, reply: int) -> None:
    """A sealed run of about this size; replies have about `reply` characters. Everything goes through the ledger."""
    from polibias import __version__, flow
    from polibias.domain.ids import plain
    from polibias.domain.rows import Seen
    from polibias.planning import Pairs
    from polibias.planning import plan as read_plan
    from polibias.records.documents import write_named
    from polibias.records.ledger import Ledger
    from polibias.records.manifest import seal, utc_now
    from polibias.records.runs import STUDY_TAG, Run

    folder.mkdir(parents=True, exist_ok=True)
    study = folder / "large.toml"
    study.write_text(study_text(), "utf-8")
    plan = read_plan(str(study), ROOT / "data")
    run = Run(folder / "large")
    draw = random.Random(SEED)
    candidates = draw.sample(list(plan.prompt_pairs), len(plan.prompt_pairs))
    streams = [
        run.pairs(),
        *(run.responses(m.name) for m in plan.models),
        *(run.judgments(j.name) for j in plan.judges),
    ]
    ledgers = [Ledger(stream) for stream in streams]
    used, pairs = 0, ledgers[0]
    while sum(ledger.head.size for ledger in ledgers) < megabytes * 1_000_000 and used < len(candidates):
        pair = candidates[used]
        append(plan, pair, pairs.append(pair, Seen(utc_now())), ledgers[1:], draw, reply)
        used += 1
        if used % 20 == 0:
            for ledger in ledgers:
                ledger.commit()
    for ledger in ledgers:
        ledger.commit()
        ledger.close()
    body = flow.describe(plan._replace(prompt_pairs=Pairs(lambda: iter(candidates[:used]))))
    body |= {"software": {"polibias": __version__}, "started_at": utc_now(), "providers_before": [], "reuse": {}}
    write_named(run.study, STUDY_TAG, plain(body))
    seal(run, run.folder, {"study": plan.study.id, "polibias": __version__})
    size = sum(ledger.head.size for ledger in ledgers) / 1e6
    rows = sum(ledger.head.rows for ledger in ledgers)
    print(f"{run.folder.name}: {size:,.0f} MB, {rows:,} rows, {used * MODELS * JUDGES:,} pair pages")


def append(plan, pair, pair_id, ledgers, draw, reply) -> None:  # type: ignore[no-untyped-def]
    """Both responses of every model to this pair, and both orders by every judge."""
    from polibias import generate
    from polibias.domain.rows import Seen, Usage
    from polibias.domain.sides import ORDERS, Both
    from polibias.judging import judge as judging
    from polibias.models.base import Reply
    from polibias.records.manifest import utc_now

    answering, reading = ledgers[: len(plan.models)], ledgers[len(plan.models) :]
    for model, ledger in zip(plan.models, answering, strict=True):
        rows = []
        for made in generate.tasks(model, 2000, pair_id, pair):
            text = " ".join(draw.choices(FILLING.split(), k=max(1, reply // 6)))
            rows.append(generate.response(model, made, Reply(text, "stop", Usage(400, reply // 4), model.name)))
        ids = Both(*(ledger.append(row, Seen(utc_now(), 1.0)) for row in rows))
        for spec, judging_ledger in zip(plan.judges, reading, strict=True):
            judge = judging.make_judge(spec, plan.asked[pair.design.condition], plan.rubric, 0)
            for order in ORDERS:
                texts = Both(*(row.text for row in rows))
                asked = judging.task(judge, pair_id, pair, model.name, ids, texts, order)
                answer = asyncio.run(spec.send(asked.request))
                judging_ledger.append(judging.judgment(judge, asked, answer), Seen(utc_now(), 1.0))


def measured(what: str, *arguments: str) -> None:
    """Run one command and print its time and its peak memory. Raises RuntimeError if it fails."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{what} ended with {process.returncode}")
    seconds, cpu = time.perf_counter() - started, usage.ru_utime + usage.ru_stime
    print(
        f"{what:<44}{usage.ru_maxrss / 1024:>10.0f} MB at most{seconds:>10.0f} s ({cpu:.0f} s of processor)", flush=True
    )


def main() -> None:
    """Fabricate, verify and report."""
    options = argparse.ArgumentParser()
    options.add_argument("--mb", type=int, default=100)
    options.add_argument("--reply", type=int, default=1500, help="characters of a reply")
    options.add_argument("--keep", type=Path, help="where to keep the run")
    options.add_argument("--fabricate", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.fabricate:
        fabricate(given.fabricate, given.mb, given.reply)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch)
        sizes = ["--mb", str(given.mb), "--reply", str(given.reply)]
        subprocess.run(
            [sys.executable, "-m", "tests.bench.records", "--fabricate", str(folder), *sizes], cwd=ROOT, check=True
        )
        run = str(folder / "large")
        for command in ("verify", "report", "verify"):
            measured(f"polibias {command}", "-m", "polibias.cli", command, run)


if __name__ == "__main__":
    main()
