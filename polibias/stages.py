"""What each stage of a study does: builds its pairs, has them answered and masked, has the answers judged."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from polibias import generate as generation
from polibias import probing
from polibias.answered import Ready, answered_pairs, judgeable, ready
from polibias.asking import Sitting, Source, ask_rest, done, take_over
from polibias.calls.budget import size, spent
from polibias.copies import masked_response
from polibias.detectors.loop import find_loop
from polibias.domain.ids import canonical
from polibias.domain.rows import JudgeGuess, Judgment, Request, Response, Seen
from polibias.domain.sides import ORDERS, SIDES, Both
from polibias.domain.study import Imported, Served
from polibias.errors import InputError, ProviderError, TooLong
from polibias.judging import judge as judging
from polibias.judging import naming
from polibias.models.base import Call, Model, Reply
from polibias.planning import Party, Plan
from polibias.records.ledger import Ledger, Stream, read, request_key
from polibias.records.manifest import utc_now
from polibias.records.runs import Run, masked_name
from polibias.records.shelf import Shelf

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
        for entry in (entry for stream in _paid(run, party) for entry in read(stream)):
            if entry.row.outcome not in ("transport_error", "context_exceeded") and entry.seen.seconds is not None:
                total += spent(party.rate, entry.row.usage, size(entry.row.request))
    return total


def _paid(run: Run, party: Party) -> Sequence[Stream[Any]]:
    """Where what a model or judge was asked is stored."""
    name = party.spec.name
    return (run.responses(name),) if party.role == "model" else (run.judgments(name), run.judge_guesses(name))


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
            found = await probing.probe(one, sitting.purse, sitting.hold)
            if sitting.stopped:
                raise KeyboardInterrupt
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

        await ask(f"generate {model.name}", lambda: _first_tasks(run, model, longest), 2 * len(plan.own_pairs))
        for attempt in range(1, attempts + 1):
            stored = ((entry.id, entry.row) for entry in read(run.responses(model.name))) if looped else ()
            loops = generation.looping(stored, attempt - 1)
            if not loops:
                break
            name = f"generate {model.name}, {len(loops)} pairs again after a loop ({attempt})"
            await ask(name, lambda: _tasks_again(run, party, plan, attempt, loops), 2 * len(loops))  # noqa: B023


def _first_tasks(run: Run, model: Model, longest: int) -> Iterator[generation.ResponseTask]:
    for entry in read(run.pairs()):
        if not entry.row.copy_of:
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


def mask(plan: Plan, sitting: Sitting, party: Party) -> None:
    """The responses of one model to every pair that has a masked copy, with the countries hidden."""
    run, model = sitting.run, party.model
    if plan.maskers is None:
        return
    own = judgeable(run, model.name)
    with _open(run.masked(model.name), sitting) as ledger, Shelf() as shelf:
        wanted = sum(bool(entry.row.level) and entry.row.copy_of in own for entry in read(run.pairs()))
        sitting.watcher.stage(f"mask {model.name}", 2 * wanted, min(2 * wanted, ledger.head.rows))
        before = ledger.head.rows
        for entry in read(run.pairs()):
            pair, marks = entry.row, own.get(entry.row.copy_of)
            if not pair.level or marks is None:
                continue
            masker = plan.maskers.of(pair.parties, pair.level)
            for response_id, mark in ((mark.id.hex(), mark) for mark in (marks.A, marks.B)):
                if not ledger.index.has_answer(masked_name(entry.id, response_id, masker.lexicon)):
                    response = shelf.row(mark, Response)
                    ledger.append(masked_response(masker, entry.id, pair, response_id, response), Seen(utc_now()))
            if ledger.queued >= BUILT_TOGETHER:
                ledger.commit()
        ledger.commit()
        if made := ledger.head.rows - before:
            sitting.watcher.advance(made, 0)


async def judge(
    plan: Plan, sitting: Sitting, party: Party, models: Sequence[Party], later: Sequence[Party] = ()
) -> None:
    """Both orders of every pair, each by the judge task of its condition; `later` as for `generate`."""
    run, model = sitting.run, party.model
    judges = _tasks_of_judge(plan, party)
    found = _ready(plan, run, models)

    def tasks() -> Iterator[judging.JudgeTask]:
        return _judge_tasks(run, judges, found)

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
        total = len(ORDERS) * sum(one.level != "names" for own in found.values() for one in own.values())
        sitting.watcher.stage(f"judge {model.name}", total, done(ledger, tasks()))
        await ask_rest(sitting, model, party.rate, ledger, source, lambda: _probed(sitting, party, later))


async def reidentify(
    plan: Plan, sitting: Sitting, party: Party, models: Sequence[Party], later: Sequence[Party] = ()
) -> None:
    """Every masked pair once: of which countries is it? `later` as for `generate`."""
    if plan.naming is None:
        return
    run, model, asked = sitting.run, party.model, plan.naming
    found = _ready(plan, run, models)

    def tasks() -> Iterator[naming.NamingTask]:
        return _naming_tasks(run, asked, party, found)

    def row(task: naming.NamingTask, result: Reply | ProviderError) -> JudgeGuess:
        if isinstance(result, ProviderError):
            return naming.failed(asked, model, task, _failure(result), str(result))
        return naming.guess(asked, model, task, result)

    with _open(run.judge_guesses(model.name), sitting) as ledger:
        source = Source(tasks, row)
        for other in sitting.earlier:
            take_over(sitting, ledger, source, other.judge_guesses(model.name))
        total = sum(bool(one.level) for own in found.values() for one in own.values())
        sitting.watcher.stage(f"re-identify {model.name}", total, done(ledger, tasks()))
        await ask_rest(sitting, model, party.rate, ledger, source, lambda: _probed(sitting, party, later))


def _tasks_of_judge(plan: Plan, party: Party) -> dict[str, judging.Judge]:
    """The judge with the task of each condition that is judged."""
    unjudged = {copy.name for copy in plan.study.copies if not copy.judged}
    return {
        condition: judging.make_judge(
            party.model, asked, plan.rubric, party.spec.max_tokens, plan.replicates[condition]
        )
        for condition, asked in plan.asked.items()
        if condition not in unjudged
    }


def _ready(plan: Plan, run: Run, models: Sequence[Party]) -> dict[str, dict[str, Ready]]:
    """What can be judged of these models, or of all where none is named."""
    names = [other.spec.name for other in models] or [spec.name for spec in plan.study.models]
    return {name: ready(run, name, bool(plan.study.copies)) for name in names}


def _judge_tasks(
    run: Run, judges: dict[str, judging.Judge], found: dict[str, dict[str, Ready]]
) -> Iterator[judging.JudgeTask]:
    for own in found.values():
        for one in answered_pairs(run, own):
            judge = judges.get(one.pair.design.condition)
            if judge is not None:
                yield from (judging.task(judge, *one, order) for order in ORDERS)


def _naming_tasks(
    run: Run, asked: naming.Naming, party: Party, found: dict[str, dict[str, Ready]]
) -> Iterator[naming.NamingTask]:
    for own in found.values():
        masked = {pair: one for pair, one in own.items() if one.level}
        yield from (naming.task(asked, party.model, *one) for one in answered_pairs(run, masked))


def prompts_left(plan: Plan, run: Run, names: Sequence[str]) -> Iterator[bytes]:
    """Every prompt that has no answer yet as a line of JSON: who is asked, what, and the longest reply in tokens.

    Judges are asked once both responses of a pair are there. Equal prompts come once per model.
    """
    parties = plan.parties(names)
    models = [party for party in parties if party.role == "model"]
    for party in parties:
        if party.role == "model":
            requests = _first_requests(plan, party)
        else:
            requests = _requests_of_judge(plan, run, party, _ready(plan, run, models))
        answered = {entry.key for stream in _paid(run, party) for entry in read(stream) if entry.row.answered}
        for request in requests:
            key = request_key(request)
            if key not in answered:
                answered.add(key)
                prompt = request.body["messages"][0]["content"]
                line = {"role": party.role, "model": party.spec.name, "prompt": prompt}
                yield canonical({**line, "max_tokens": request.body["max_tokens"]}) + b"\n"


def _first_requests(plan: Plan, party: Party) -> Iterator[Request]:
    for pair in plan.own_pairs:
        for side in SIDES:
            yield party.model.request(Call(pair.prompts[side], party.spec.max_tokens))


def _requests_of_judge(plan: Plan, run: Run, party: Party, found: dict[str, dict[str, Ready]]) -> Iterator[Request]:
    yield from (task.request for task in _judge_tasks(run, _tasks_of_judge(plan, party), found))
    if plan.naming is not None:
        yield from (task.request for task in _naming_tasks(run, plan.naming, party, found))


def _failure(error: ProviderError) -> Any:
    return "context_exceeded" if isinstance(error, TooLong) else "transport_error"
