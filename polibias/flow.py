"""The one table of stages, and what is left to do: inputs minus ledger.

Every stage asks its ledger what is there, so the same command after a kill, a full disk or a throttled server
goes on where the last one stopped.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from polibias import __version__, generate
from polibias.calls.scheduler import Done, Task, run_calls
from polibias.domain.ids import canonical, plain, tagged_hash
from polibias.domain.rows import Judgment, PromptPair, Response, Seen, Usage
from polibias.domain.sides import ORDERS, SIDES, Both, Side
from polibias.domain.study import AnyModel
from polibias.errors import Fatal, InputError, ProviderError, TooLong, Transient
from polibias.judging import judge as judging
from polibias.models.base import Call, Model, Reply
from polibias.planning import Plan
from polibias.records.documents import read_named, write_named
from polibias.records.ledger import Ledger, Stream, read, request_key
from polibias.records.manifest import manifest_hash, seal, utc_now
from polibias.records.runs import MANIFEST, STUDY_TAG, Run, pair_key
from polibias.records.software import software
from polibias.records.verify import require_whole
from polibias.report.document import write_report

STAGES = ("build", "generate", "judge", "seal", "report")
DEAD_AFTER = 3

T = TypeVar("T", bound=Task)
CallRow = TypeVar("CallRow", Response, Judgment)


class Watcher(Protocol):
    """Whoever shows progress."""

    def stage(self, name: str, total: int, done: int) -> None: ...

    def advance(self, good: int, failed: int) -> None: ...

    def note(self, text: str) -> None: ...


def identity(plan: Plan) -> dict[str, Any]:
    """What decides requests and numbers. A run that was begun goes on only with the very same."""
    models, judges = (
        [
            {"name": model.name, "adapter": model.adapter, "revision": model.revision, "asks": _asks(model, spec)}
            for model, spec in zip(found, specs, strict=True)
        ]
        for found, specs in ((plan.models, plan.study.models), (plan.judges, plan.study.judges))
    )
    return {
        "pairs": tagged_hash("pairs/2", sorted([pair_key(pair), repr(pair.inclusion)] for pair in plan.prompt_pairs)),
        "rubric": plan.rubric,
        "judge_prompts": plan.asked,
        "models": models,
        "judges": judges,
        "replicate": plan.study.replicate,
        "reuses": list(plan.study.reuse),
        "analysis": plan.study.analysis,
    }


def _asks(model: Model, spec: AnyModel) -> str:
    """A hash over how this model is asked: every parameter of a request but its text."""
    return tagged_hash("request/1", model.request(Call("", spec.max_tokens, {"type": "object", "properties": {}})))


def describe(plan: Plan) -> dict[str, Any]:
    """What a run is about, as kept in `study.json`: its identity, the file as written, who answered."""
    providers = {
        role: [model.provider for model in found] for role, found in (("models", plan.models), ("judges", plan.judges))
    }
    return {
        **identity(plan),
        "study": {"id": plan.study.id, "title": plan.study.title, "conditions": plan.conditions},
        "pair_set": plan.pair_set,
        "text": plan.text,
        "providers": providers,
    }


def run_study(plan: Plan, run: Run, watcher: Watcher, last: str = STAGES[-1], set_aside: bool = False) -> None:
    """Do what is left of the study, stage by stage, up to and including `last`."""
    earlier = [] if run.sealed else [_earlier(run, name) for name in plan.study.reuse]
    with run.locked():
        if run.sealed:
            _check_identity(plan, run)
            watcher.note(f"{run.folder}: sealed, nothing is left to ask")
        else:
            _claim(plan, run, earlier, watcher)
            asyncio.run(_fill(plan, run, earlier, watcher, STAGES[: STAGES.index(last) + 1], set_aside))
        if last == "report" and not (run.report / MANIFEST).exists():
            watcher.stage("report", 1, 0)
            write_report(run)
            watcher.advance(1, 0)


def _earlier(run: Run, name: str) -> Run:
    """The sealed run beside this one whose replies may be taken over. Raises InputError if there is none."""
    earlier = Run(run.folder.parent / name)
    if not earlier.sealed:
        raise InputError(
            f"{earlier.folder}: no sealed run here, and this study reuses its replies; run study {name} first"
        )
    require_whole(earlier)
    return earlier


def _claim(plan: Plan, run: Run, earlier: Sequence[Run], watcher: Watcher) -> None:
    """Begin the run, or make sure that it was begun with this very study.

    While nothing was answered yet, a changed study simply replaces the one that was begun.
    """
    body = describe(plan) | {"software": software(), "started_at": utc_now(), "providers_before": []}
    body["reuse"] = {other.folder.name: manifest_hash(other.folder) for other in earlier}
    if run.study.exists():
        if run.anything_answered():
            _check_identity(plan, run)
            body |= _history(run, body, watcher)
        else:
            run.start_over()
    write_named(run.study, STUDY_TAG, plain(body))


def _history(run: Run, body: dict[str, Any], watcher: Watcher) -> dict[str, Any]:
    """When the run was begun, and who was asked before, if that has changed since.

    Raises InputError if a run whose replies were taken over is not the one it was.
    """
    stored = read_named(run.study, STUDY_TAG)
    if stored["reuse"] != body["reuse"]:
        raise InputError(
            f"{run.folder}: a run that it reuses was made anew since it was begun; begin this one anew too"
        )
    before = stored["providers_before"]
    if stored["providers"] != body["providers"]:
        watcher.note("the addresses have changed since the run was begun; study.json keeps the earlier ones as well")
        before = [*before, {"until": utc_now(), "providers": stored["providers"]}]
    return {"started_at": stored["started_at"], "providers_before": before}


def refusal(plan: Plan, run: Run) -> str:
    """Why the run would not go on with this study; empty if it would."""
    try:
        if run.study.exists() and run.anything_answered():
            _check_identity(plan, run)
    except InputError as error:
        return str(error)
    return ""


def _check_identity(plan: Plan, run: Run) -> None:
    """Raises InputError unless the run was begun with this study."""
    stored = read_named(run.study, STUDY_TAG)
    for part, value in identity(plan).items():
        if canonical(stored.get(part)) != canonical(plain(value)):
            raise InputError(
                f"{run.study}: this run was begun with other {part.replace('_', ' ')}; "
                "give the changed study another id, or another folder with --runs"
            )


async def _fill(
    plan: Plan, run: Run, earlier: Sequence[Run], watcher: Watcher, stages: Sequence[str], set_aside: bool
) -> None:
    try:
        if "build" in stages:
            _build(plan, run, watcher, set_aside)
        if "generate" in stages:
            for spec, model in zip(plan.study.models, plan.models, strict=True):
                await _generate(run, earlier, model, spec.max_tokens, watcher, set_aside)
        if "judge" in stages:
            for spec, model in zip(plan.study.judges, plan.judges, strict=True):
                judges = {
                    condition: judging.make_judge(model, asked, plan.rubric, spec.max_tokens, plan.study.replicate)
                    for condition, asked in plan.asked.items()
                }
                await _judge(plan, run, earlier, model, judges, watcher, set_aside)
        if "seal" in stages:
            _seal(plan, run, watcher)
    finally:
        for model in (*plan.models, *plan.judges):
            await model.close()


def _build(plan: Plan, run: Run, watcher: Watcher, set_aside: bool) -> None:
    with _open(run.pairs(), watcher, set_aside) as ledger:
        watcher.stage("build", len(plan.prompt_pairs), ledger.index.answered())
        todo = [pair for pair in plan.prompt_pairs if not ledger.index.has_answer(ledger.stream.key(pair))]
        for pair in todo:
            ledger.append(pair, Seen(utc_now()))
        ledger.commit()
        if todo:
            watcher.advance(len(todo), 0)


@contextlib.contextmanager
def _open(stream: Stream[Any], watcher: Watcher, set_aside: bool) -> Iterator[Ledger[Any]]:
    with Ledger(stream, set_aside) as ledger:
        if ledger.warning:
            watcher.note(ledger.warning)
        yield ledger


async def _generate(
    run: Run, earlier: Sequence[Run], model: Model, max_tokens: int, watcher: Watcher, set_aside: bool
) -> None:
    prompt_pairs = [(entry.id, entry.row) for entry in read(run.pairs())]

    def tasks() -> Iterator[generate.ResponseTask]:
        return (generate.task(model, max_tokens, id, pair, side) for id, pair in prompt_pairs for side in SIDES)

    def row(task: generate.ResponseTask, result: Reply | ProviderError) -> Response:
        if isinstance(result, ProviderError):
            return generate.failed(model, task, _failure(result), str(result))
        return generate.response(model, task, result)

    with _open(run.responses(model.name), watcher, set_aside) as ledger:
        for other in earlier:
            _take_over(ledger, tasks(), row, other.responses(model.name), watcher)
        if earlier and not ledger.index:
            raise InputError(
                f"{run.folder}: no earlier run holds a reply of {model.name} to any of these prompts; "
                "model, revision and parameters must be those of the run that is reused"
            )
        watcher.stage(f"generate {model.name}", 2 * len(prompt_pairs), ledger.index.answered())
        await _call_all(model, ledger, tasks, row, watcher)


async def _judge(
    plan: Plan,
    run: Run,
    earlier: Sequence[Run],
    model: Model,
    judges: dict[str, judging.Judge],
    watcher: Watcher,
    set_aside: bool,
) -> None:
    """Both orders of every pair, each by the judge task of its condition."""
    ready = [found for answering in plan.models for found in _judgeable(run, answering.name)]

    def tasks() -> Iterator[judging.JudgeTask]:
        return (judging.task(judges[found[1].design.condition], *found, order) for found in ready for order in ORDERS)

    def row(task: judging.JudgeTask, result: Reply | ProviderError) -> Judgment:
        judge = judges[task.design.condition]
        if isinstance(result, ProviderError):
            return judging.failed(judge, task, _failure(result), str(result))
        return judging.judgment(judge, task, result)

    with _open(run.judgments(model.name), watcher, set_aside) as ledger:
        for other in earlier:
            _take_over(ledger, tasks(), row, other.judgments(model.name), watcher)
        watcher.stage(f"judge {model.name}", 2 * len(ready), ledger.index.answered())
        await _call_all(model, ledger, tasks, row, watcher)


async def _call_all(
    model: Model,
    ledger: Ledger[CallRow],
    tasks: Callable[[], Iterator[T]],
    row: Callable[[T, Reply | ProviderError], CallRow],
    watcher: Watcher,
) -> None:
    """Ask what no row answers yet; store every result as a row; let equal requests share one reply.

    Raises Fatal once every call in flight has failed for good, one after another.
    """

    in_a_row = 0

    def commit(group: Sequence[Done[T]]) -> None:
        nonlocal in_a_row
        for done in group:
            _append(ledger, row(done.task, done.result), done.seconds)
            in_a_row = in_a_row + 1 if isinstance(done.result, Transient) else 0
        ledger.commit()
        failed = sum(isinstance(done.result, ProviderError) for done in group)
        watcher.advance(len(group) - failed, failed)
        if in_a_row >= max(DEAD_AFTER, model.concurrency):
            raise Fatal(f"{in_a_row} calls in a row got no answer (the last: {group[-1].result}); is the server there?")

    await run_calls(model, _unasked(ledger, tasks()), commit)
    _take_over(ledger, tasks(), row, ledger.stream, watcher)


def _unasked(ledger: Ledger[CallRow], tasks: Iterator[T]) -> Iterator[T]:
    issued: set[str] = set()
    for task in tasks:
        key = request_key(task.request)
        if key not in issued and not ledger.index.has_answer(key):
            issued.add(key)
            yield task


def _append(ledger: Ledger[CallRow], row: CallRow, seconds: float | None) -> None:
    earlier = ledger.index.latest(ledger.stream.key(row), row.subject)
    ledger.append(msgspec.structs.replace(row, supersedes=earlier), Seen(utc_now(), seconds))


def _take_over(
    ledger: Ledger[CallRow],
    tasks: Iterator[T],
    row: Callable[[T, Reply | ProviderError], CallRow],
    source: Stream[CallRow],
    watcher: Watcher,
) -> None:
    """Give every task without a row the reply that an equal request got, here or in an earlier run; nothing is asked.

    Two models may write the very same text, and a condition may share prompts with another one.
    """
    wanted: dict[str, list[T]] = {}
    for task in tasks:
        key = request_key(task.request)
        if not (ledger.index.has_answer(key) and ledger.index.latest(key, task.subject)):
            wanted.setdefault(key, []).append(task)
    taken = 0
    for entry in list(read(source)) if wanted else []:
        for task in wanted.pop(entry.key, []) if entry.row.answered else []:
            made = row(task, _again(entry.row))
            note = "; ".join(part for part in (f"reply shared with row {entry.id}", made.note) if part)
            _append(ledger, msgspec.structs.replace(made, note=note), None)
            taken += 1
    ledger.commit()
    if taken and source.path != ledger.stream.path:
        watcher.note(f"{taken} replies taken from {source.path}")
    elif taken:
        watcher.advance(taken, 0)


def _again(row: Response | Judgment) -> Reply | ProviderError:
    """What an answered call brought, as it came."""
    if row.outcome == "context_exceeded":
        return TooLong(row.note)
    return Reply(row.text, row.finish, Usage(), row.served_model)


def _judgeable(run: Run, model: str) -> Iterator[tuple[str, PromptPair, Both[str], Both[Response]]]:
    """Every pair of which both responses can be compared, with the responses that count."""
    latest: dict[tuple[str, Side], tuple[str, Response]] = {}
    for entry in read(run.responses(model)):
        latest[entry.row.pair, entry.row.side] = (entry.id, entry.row)
    for pair in read(run.pairs()):
        sides = [latest.get((pair.id, side)) for side in SIDES]
        if all(found and found[1].outcome in generate.JUDGEABLE for found in sides):
            (id_a, a), (id_b, b) = (found for found in sides if found)
            yield pair.id, pair.row, Both(id_a, id_b), Both(a, b)


def _failure(error: ProviderError) -> Any:
    return "context_exceeded" if isinstance(error, TooLong) else "transport_error"


def _seal(plan: Plan, run: Run, watcher: Watcher) -> None:
    """Seal the run if every call was answered and every record holds; otherwise say why not and stop."""
    unanswered = [note for stream in run.streams() for note in _unanswered(stream)]
    if unanswered:
        raise ProviderError(
            f"{run.folder}: {len(unanswered)} calls got no answer (the last: {unanswered[-1]}) and the run stays open; "
            "run the same command to ask them again"
        )
    require_whole(run)
    watcher.stage("seal", 1, 0)
    seal(run, run.folder, {"study": plan.study.id, "polibias": __version__})
    watcher.advance(1, 0)


def _unanswered(stream: Stream[Any]) -> list[str]:
    """The notes of the calls that have no answer in any row."""
    notes: dict[str, str] = {}
    answered: set[str] = set()
    for entry in read(stream):
        if entry.row.answered:
            answered.add(entry.key)
        else:
            notes[entry.key] = entry.row.note
    return [note for key, note in notes.items() if key not in answered]
