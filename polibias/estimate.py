"""What a study will ask, and what that costs, before anything is spent.

Calls and prompts are counted; the length of replies, speed and characters per token are assumptions, which are printed.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from polibias.domain.sides import ORDERS, SIDES, Both
from polibias.domain.study import AnyModel, Rate
from polibias.judging.judge import make_judge
from polibias.judging.naming import Naming, naming_prompt, token_cap
from polibias.judging.prompt import judge_prompt
from polibias.models.base import Call, Model
from polibias.planning import Plan
from polibias.records.ledger import Entry, Stream, read, request_key
from polibias.records.runs import Run, pair_key

MILLION = 1_000_000
# English prose in the embedded model's tokens; other vocabularies differ by a tenth or two.
CHARACTERS_PER_TOKEN = 4.5


class Speed(NamedTuple):
    """Tokens per second of one stream: reading a prompt, writing a reply."""

    reading: float
    writing: float


# Local: the embedded model on two cores, measured. The others are assumptions: what hosts of large models, and one
# large card with all its streams busy, commonly give each stream.
SERVED, AT_ONCE = Speed(2000.0, 50.0), Speed(1e9, 1e9)
SPEEDS = {
    "llama_local": Speed(90.0, 30.0),
    "openai_http": SERVED,
    "anthropic_api": SERVED,
    "vllm_offline": Speed(100.0, 20.0),
    "scripted": AT_ONCE,
    "imported": AT_ONCE,
}


class Assumed(NamedTuple):
    """Tokens of a typical reply and of a typical verdict."""

    reply: int = 1600
    verdict: int = 700


class Size(NamedTuple):
    """A size as assumed, and at most."""

    likely: float
    most: float


class Line(NamedTuple):
    """What one model or judge is asked. `most` is the money if every reply runs to its cap; None: no price is known."""

    role: str
    name: str
    calls: int
    prompt_tokens: int
    reply_tokens: int
    likely: float | None
    most: float | None
    seconds: float


def estimate(plan: Plan, run: Run, earlier: Iterable[Run], assumed: Assumed) -> list[Line]:
    """One line per model and judge for the calls that neither this run nor an earlier one has answered yet.

    What a judge is asked to re-identify is a line of its own.

    Equal requests count once. Judge calls are counted as if every reply could be judged.
    """
    lines = [
        _model_line(plan, model, spec, [run, *earlier], assumed)
        for model, spec in zip(plan.models, plan.study.models, strict=True)
    ]
    judges = list(zip(plan.judges, plan.study.judges, strict=True))
    lines += [_judge_line(plan, model, spec, run, assumed) for model, spec in judges]
    return lines + [
        _naming_line(plan, plan.naming, *judge, run, assumed) for judge in judges if plan.naming is not None
    ]


def _model_line(plan: Plan, model: Model, spec: AnyModel, runs: list[Run], assumed: Assumed) -> Line:
    left = {}
    for pair in plan.own_pairs:
        for side in SIDES:
            request = model.request(Call(pair.prompts[side], spec.max_tokens))
            left[request_key(request)] = len(pair.prompts[side])
    for run in runs:
        for entry in _answered(run.responses(model.name)):
            left.pop(entry.key, None)
    size = sum(left.values())
    reply = min(assumed.reply, spec.max_tokens)
    return _line(
        "model", spec, len(left), Size(size, size), Size(reply, spec.max_tokens), model, plan.rates["model", spec.name]
    )


def _judge_line(plan: Plan, model: Model, spec: AnyModel, run: Run, assumed: Assumed) -> Line:
    """Both orders of every pair of responses, but for those that this run has an answer to."""
    models = {answering.name: answering.max_tokens for answering in plan.study.models}
    prompts = dict(_judge_prompts(plan))
    done = _judged(run, model.name)
    calls, likely, most = 0, 0.0, 0.0
    for name, cap in models.items():
        for key, size in prompts.items():
            left = len(ORDERS) - done.get((name, key), 0)
            calls += left
            likely += left * (size + 2 * CHARACTERS_PER_TOKEN * min(assumed.reply, cap))
            most += left * (size + 2 * CHARACTERS_PER_TOKEN * cap)
    cap = max(make_judge(model, asked, plan.rubric, spec.max_tokens).max_tokens for asked in plan.asked.values())
    return _line(
        "judge",
        spec,
        calls,
        Size(likely, most),
        Size(min(assumed.verdict, cap), cap),
        model,
        plan.rates["judge", spec.name],
    )


def _judged(run: Run, judge: str) -> dict[tuple[str, str], int]:
    """How many orders of each model's pair have an answer, by model and the pair's key."""
    keys = {entry.id: entry.key for entry in read(run.pairs())}
    found: dict[tuple[str, str], set[str]] = {}
    for entry in _answered(run.judgments(judge)):
        found.setdefault((entry.row.model, keys.get(entry.row.pair, "")), set()).add(entry.row.order)
    return {pair: len(orders) for pair, orders in found.items()}


def _judge_prompts(plan: Plan) -> Iterator[tuple[str, int]]:
    """The key of each pair that is judged, and the length of its judge prompt without the responses."""
    rubrics = {name: asked.scored_by(plan.rubric) for name, asked in plan.asked.items()}
    for pair in plan.prompt_pairs:
        if pair.level != "names":
            name = pair.design.condition
            yield pair_key(pair), len(judge_prompt(plan.asked[name], rubrics[name], pair, Both("", ""), "AB"))


def _naming_line(plan: Plan, naming: Naming, model: Model, spec: AnyModel, run: Run, assumed: Assumed) -> Line:
    """One call for every masked pair of each model, but for those that this run has an answer to."""
    done = {(entry.row.model, entry.row.pair) for entry in _answered(run.judge_guesses(model.name))}
    calls, likely, most = -len(done), 0.0, 0.0
    for pair in plan.prompt_pairs:
        size = len(naming_prompt(naming, pair, Both("", ""), tuple(naming.candidates), "A")) if pair.level else 0
        for answering in plan.study.models if pair.level else ():
            calls += 1
            likely += size + 2 * CHARACTERS_PER_TOKEN * min(assumed.reply, answering.max_tokens)
            most += size + 2 * CHARACTERS_PER_TOKEN * answering.max_tokens
    cap = token_cap(naming)
    share = calls / (calls + len(done))
    prompts = Size(share * likely, share * most)
    return _line("guess", spec, calls, prompts, Size(cap, cap), model, plan.rates["judge", spec.name])


def _answered(stream: Stream[Any]) -> Iterator[Entry[Any]]:
    return (entry for entry in read(stream) if entry.row.answered)


def _line(role: str, spec: AnyModel, calls: int, prompts: Size, reply: Size, model: Model, rate: Rate | None) -> Line:
    """`prompts` are characters in all, `reply` tokens per call; each as assumed and at most."""
    read_in, read_most = (round(size / CHARACTERS_PER_TOKEN) for size in prompts)
    speed = SPEEDS[model.adapter]
    seconds = (read_in / speed.reading + calls * reply.likely / speed.writing) / model.capacity.at_once
    written = round(calls * reply.likely)
    likely, most = _money(rate, read_in, written), _money(rate, read_most, round(calls * reply.most))
    return Line(role, spec.name, calls, read_in, written, likely, most, seconds)


def _money(rate: Rate | None, read_in: int, written: int) -> float | None:
    """US dollars; None where no price is known."""
    return None if rate is None else (read_in * rate.input + written * rate.output) / MILLION


def as_text(lines: list[Line], assumed: Assumed) -> str:
    """The lines as a table with totals, and the assumptions beneath."""
    head = ("", "name", "calls", "prompt tokens", "reply tokens", "likely $", "at most $", "time")
    rows = [head, *(_row(line) for line in lines), _total(lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    table = ["  ".join(_cell(row, column, widths) for column in range(len(head))).rstrip() for row in rows]
    return "\n".join([*table, "", *_assumptions(assumed)])


def _cell(row: tuple[str, ...], column: int, widths: list[int]) -> str:
    return row[column].ljust(widths[column]) if column < 2 else row[column].rjust(widths[column])


def _row(line: Line) -> tuple[str, ...]:
    counts = (f"{line.calls:,}", f"{line.prompt_tokens:,}", f"{line.reply_tokens:,}")
    return (line.role, line.name, *counts, _dollars(line.likely), _dollars(line.most), _time(line.seconds))


def _total(lines: list[Line]) -> tuple[str, ...]:
    likely, most = (
        [value for line in lines if (value := getattr(line, name)) is not None] for name in ("likely", "most")
    )
    unknown = " + ?" if len(likely) < len(lines) else ""
    counts = (sum(line.calls for line in lines), sum(line.prompt_tokens for line in lines))
    written = sum(line.reply_tokens for line in lines)
    money = (f"{sum(likely):,.2f}{unknown}", f"{sum(most):,.2f}{unknown}")
    time = _time(sum(line.seconds for line in lines))
    return ("total", "", f"{counts[0]:,}", f"{counts[1]:,}", f"{written:,}", *money, time)


def _dollars(value: float | None) -> str:
    return "no price" if value is None else f"{value:,.2f}"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _assumptions(assumed: Assumed) -> Iterator[str]:
    yield (
        f"Counted: calls that are left, and their prompts at {CHARACTERS_PER_TOKEN} characters per token. Assumed: "
        f"{assumed.reply:,} tokens per reply, {assumed.verdict:,} per verdict"
    )
    yield (
        "(--reply-tokens, --verdict-tokens), one model after the other, "
        + ", ".join(
            f"{name} {speed.writing:.0f} tokens/s per stream" for name, speed in SPEEDS.items() if speed.writing < 1e6
        )
        + "."
    )
    yield "Prices: data/prices; a host may ask another. At most: every reply and verdict runs to its cap, once; "
    yield "pairs that loop are asked again, as often as the study says; each model is tried with a few calls first."
