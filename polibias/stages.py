"""What each stage of a study does: builds its pairs, has them answered, has the answers judged."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from polibias import generate as generation
from polibias import probing
from polibias.asking import Sitting, Source, ask_rest, done, take_over
from polibias.calls.budget import size, spent
from polibias.detectors.loop import find_loop
from polibias.domain.rows import Judgment, PromptPair, Response, Seen
from polibias.domain.sides import ORDERS, Both, Side
from polibias.domain.study import Imported, Served
from polibias.errors import InputError, ProviderError, TooLong
from polibias.judging import judge as judging
from polibias.models.base import Model, Reply
from polibias.planning import Party, Plan
from polibias.records.ledger import Ledger, Stream, read
from polibias.records.manifest import utc_now
from polibias.records.runs import Run
from polibias.records.shelf import Shelf, Shelfmark, located

BUILT_TOGETHER = 1000


def require_prices(chosen: Sequence[Party]) -> None:
    """Raises InputError if a model's price is not known, for then nothing could keep to a budget."""
    for party in chosen:
        if party.rate is None:
            raise InputError(
                f"--budget: no price is known for '{party.spec.name}'; give it one in the study: "
                "price = { input = 0.5, output = 1.5 } (US dollars per million tokens)"
            )


def spent_so_far(run: Run, chosen: Sequence[Party]) -> float:
    """US dollars that the run's probes and rows cost, as servers said or at list price.

    Calls that left no record are not in it.
    """
    total = sum(probe.cost for probe in probing.stored(run))
    for party in chosen:
        stream: Stream[Any] = (run.responses if party.role == "model" else run.judgments)(party.spec.name)
        for entry in read(stream):
            if entry.row.outcome not in ("transport_error", "context_exceeded") and entry.seen.seconds is not None:
                total += spent(party.rate, entry.row.usage, size(entry.row.request))
    return total


def build(plan: Plan, sitting: Sitting) -> None:
    """Every pair of the study as a row."""
    with _open(sitting.run.pairs(), sitting) as ledger:
        sitting.watcher.stage("build", len(plan.prompt_pairs), ledger.index.answered())
        made = 0
        for pair in plan.prompt_pairs:
            if not ledger.index.has_answer(ledger.stream.key(pair)):
                ledger.append(pair, Seen(utc_now()))
                made += 1
                if made % BUILT_TOGETHER == 0:
                    ledger.commit()
        ledger.commit()
        if made:
            sitting.watcher.advance(made, 0)


@contextlib.contextmanager
def _open(stream: Stream[Any], sitting: Sitting) -> Iterator[Ledger[Any]]:
    with Ledger(stream, sitting.set_aside) as ledger:
        if ledger.warning:
            sitting.watcher.note(ledger.warning)
        yield ledger


async def _probed(sitting: Sitting, party: Party, later: Sequence[Party]) -> None:
    """Make sure, before anything is spent, that the model does what the study declares, and whoever comes later too.

    Of those, only models behind a network: one in this process would be loaded before its time.
    """
    for one in (party, *(other for other in later if isinstance(other.spec, Served))):
        if not probing.needs_probe(one.spec):
            continue
        found = probing.latest(sitting.run, one.role, probing.asks(one))
        if found is None or found.failures:
            found = await probing.probe(one, sitting.purse)
            probing.store(sitting.run, [found])
        probing.require(found)


async def generate(plan: Plan, sitting: Sitting, party: Party, later: Sequence[Party] = ()) -> None:
    """Both sides of every pair; then, as long as responses loop, both sides of those pairs again.

    Whoever will be asked `later` is probed before anything is: replies that nobody can judge are money lost.
    """
    run, model, longest = sitting.run, party.model, party.spec.max_tokens
    attempts = 0 if isinstance(party.spec, Imported) else plan.study.loops.attempts
    looped = False

    def row(task: generation.ResponseTask, result: Reply | ProviderError) -> Response:
        nonlocal looped
        if isinstance(result, ProviderError):
            return generation.failed(model, task, _failure(result), str(result))
        made = generation.response(model, task, result)
        looped = looped or made.outcome == "loop"
        return made

    with _open(run.responses(model.name), sitting) as ledger:
        looped = bool(ledger.index)  # what was stored before is looked through below

        async def ask(name: str, tasks: Callable[[], Iterator[generation.ResponseTask]], total: int) -> None:
            source = Source(tasks, row)
            for other in sitting.earlier:
                take_over(sitting, ledger, source, other.responses(model.name))
            if sitting.earlier and not ledger.index:
                raise _nothing_to_reuse(sitting.run, model)
            sitting.watcher.stage(name, total, done(ledger, tasks()))
            await ask_rest(sitting, model, party.rate, ledger, source, lambda: _probed(sitting, party, later))

        await ask(f"generate {model.name}", lambda: _first_tasks(run, model, longest), 2 * len(plan.prompt_pairs))
        for attempt in range(1, attempts + 1):
            stored = ((entry.id, entry.row) for entry in read(run.responses(model.name))) if looped else ()
            loops = generation.looping(stored, attempt - 1)
            if not loops:
                break
            name = f"generate {model.name}, {len(loops)} pairs again after a loop ({attempt})"
            await ask(name, lambda: _tasks_again(run, party, plan, attempt, loops), 2 * len(loops))  # noqa: B023


def _first_tasks(run: Run, model: Model, longest: int) -> Iterator[generation.ResponseTask]:
    for entry in read(run.pairs()):
        yield from generation.tasks(model, longest, entry.id, entry.row)


def _tasks_again(
    run: Run, party: Party, plan: Plan, attempt: int, loops: dict[str, Both[str]]
) -> Iterator[generation.ResponseTask]:
    for entry in read(run.pairs()):
        if entry.id in loops:
            yield from generation.again(
                party.model, party.spec.max_tokens, plan.study.loops, attempt, loops[entry.id], entry.id, entry.row
            )


def _nothing_to_reuse(run: Run, model: Model) -> InputError:
    return InputError(
        f"{run.folder}: no earlier run holds a reply of {model.name} to any of these prompts; "
        "model, revision and parameters must be those of the run that is reused"
    )


async def judge(
    plan: Plan, sitting: Sitting, party: Party, models: Sequence[Party], later: Sequence[Party] = ()
) -> None:
    """Both orders of every pair, each by the judge task of its condition; `later` as for `generate`."""
    run, model = sitting.run, party.model
    judges = {
        condition: judging.make_judge(model, asked, plan.rubric, party.spec.max_tokens, plan.study.replicate)
        for condition, asked in plan.asked.items()
    }
    names = [other.spec.name for other in models] or [spec.name for spec in plan.study.models]
    ready = {name: judgeable(run, name) for name in names}

    def tasks() -> Iterator[judging.JudgeTask]:
        for name in names:
            for pair_id, pair, ids, responses in _answered_pairs(run, ready[name]):
                judge = judges[pair.design.condition]
                yield from (judging.task(judge, pair_id, pair, ids, responses, order) for order in ORDERS)

    def row(task: judging.JudgeTask, result: Reply | ProviderError) -> Judgment:
        judge = judges[task.design.condition]
        if isinstance(result, ProviderError):
            return judging.failed(judge, task, _failure(result), str(result))
        looped = result.finish == "length" and find_loop(result.text) is not None
        return judging.judgment(judge, task, result, looped)

    with _open(run.judgments(model.name), sitting) as ledger:
        source = Source(tasks, row)
        for other in sitting.earlier:
            take_over(sitting, ledger, source, other.judgments(model.name))
        total = 2 * sum(len(found) for found in ready.values())
        sitting.watcher.stage(f"judge {model.name}", total, done(ledger, tasks()))
        await ask_rest(sitting, model, party.rate, ledger, source, lambda: _probed(sitting, party, later))


def judgeable(run: Run, model: str) -> dict[str, Both[Shelfmark]]:
    """Where the responses lie that count, of every pair that can be compared: the last of either side, of one round."""
    latest: dict[str, dict[Side, tuple[Shelfmark, int, bool]]] = {}
    for mark, entry in located(run.responses(model)):
        row = entry.row
        latest.setdefault(row.pair, {})[row.side] = mark, row.fallback, row.outcome in generation.JUDGEABLE
    return {
        pair: Both(a[0], b[0])
        for pair, by_side in latest.items()
        if (a := by_side.get("A")) and (b := by_side.get("B")) and a[1] == b[1] and a[2] and b[2]
    }


def _answered_pairs(
    run: Run, ready: dict[str, Both[Shelfmark]]
) -> Iterator[tuple[str, PromptPair, Both[str], Both[Response]]]:
    """The pairs in their own order with the responses that count; texts are read when they are needed."""
    with Shelf() as shelf:
        for pair in read(run.pairs()):
            marks = ready.get(pair.id)
            if marks is not None:
                responses = Both(shelf.row(marks.A, Response), shelf.row(marks.B, Response))
                yield pair.id, pair.row, Both(marks.A.id.hex(), marks.B.id.hex()), responses


def _failure(error: ProviderError) -> Any:
    return "context_exceeded" if isinstance(error, TooLong) else "transport_error"
