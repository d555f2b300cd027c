"""The one table of stages, and what is left to do: inputs minus ledger.

Every stage asks its ledger what is there, so the same command after a kill, a full disk or a throttled server
goes on where the last one stopped.
"""

import asyncio
import contextlib
import gc
import signal
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from polibias import __version__, probing, stages
from polibias.asking import Paused, Sitting, Watcher
from polibias.calls.budget import Purse
from polibias.domain.ids import canonical, plain, tagged_hash
from polibias.domain.study import AnyModel
from polibias.errors import InputError, ProviderError
from polibias.models.base import Call, Model
from polibias.planning import Party, Plan
from polibias.records.documents import read_named, write_named
from polibias.records.ledger import Stream, read
from polibias.records.manifest import manifest_hash, seal, utc_now
from polibias.records.runs import MANIFEST, STUDY_TAG, Run
from polibias.records.software import software
from polibias.records.verify import require_whole

GARBAGE = 20_000
STAGES = ("build", "generate", "mask", "judge", "seal", "report")


class Wanted(NamedTuple):
    """What one command is to do of a study: up to which stage, of which models, for how much money and how many calls.

    `models` empty means all. `accept_failed` seals a run though some calls got no answer. `lock` is the hash of the
    locked plan that the run is begun under, "" for none.
    """

    last: str = STAGES[-1]
    models: tuple[str, ...] = ()
    limit: int | None = None
    budget: float | None = None
    set_aside: bool = False
    accept_failed: bool = False
    lock: str = ""

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages up to the last one. A part of a study's calls is never sealed."""
        last = min(STAGES.index(self.last), STAGES.index("judge") if self.models or self.limit else len(STAGES))
        return STAGES[: last + 1]


EVERYTHING = Wanted()


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
        "pairs": plan.prompt_pairs.hash,
        "rubric": plan.rubric,
        "judge_prompts": plan.asked,
        "models": models,
        "judges": judges,
        "loops": plan.study.loops,
        "replicate": plan.study.replicate,
        "copies": plan.study.copies,
        "reidentify": plan.naming and plan.naming._asdict(),
        "reuses": list(plan.study.reuse),
        "analysis": plan.study.analysis,
    }


def _asks(model: Model, spec: AnyModel) -> str:
    """A hash over how this model is asked: every parameter of a request but its text."""
    return tagged_hash("request/1", model.request(Call("", spec.max_tokens, {"type": "object", "properties": {}})))


def describe(plan: Plan) -> dict[str, Any]:
    """What a run is about, as kept in `study.json`: its identity, the file as written, who answered and how."""
    roles = {"models": plan.models, "judges": plan.judges}
    rates = {
        "models": [plan.rates["model", spec.name] for spec in plan.study.models],
        "judges": [plan.rates["judge", spec.name] for spec in plan.study.judges],
    }
    return {
        **identity(plan),
        "study": {"id": plan.study.id, "title": plan.study.title, "conditions": plan.conditions},
        "beside": list(plan.study.beside),
        "pair_set": plan.pair_set,
        "text": plan.text,
        "providers": {role: [model.provider for model in found] for role, found in roles.items()},
        "settings": {role: [model.settings for model in found] for role, found in roles.items()},
        "rates": rates,
    }


def run_study(plan: Plan, run: Run, watcher: Watcher, wanted: Wanted = EVERYTHING) -> bool:
    """Do what is left of the study, stage by stage, as far as wanted. False if a limit ended it before.

    Raises KeyboardInterrupt, with everything stored that was answered, after a first Ctrl-C.
    """
    gc.freeze()  # what is loaded by now stays, and calls leave little behind: the collector has less to go through
    gc.set_threshold(GARBAGE)
    chosen = plan.parties(wanted.models)
    earlier = [] if run.sealed else [_earlier(run, name) for name in plan.study.reuse]
    sitting = Sitting(run, watcher, earlier, wanted.limit, wanted.set_aside)
    if wanted.budget is not None:
        stages.require_prices(chosen)
    with run.locked():
        if run.sealed:
            _check_identity(plan, run)
            watcher.note(f"{run.folder}: sealed, nothing is left to ask")
        else:
            _claim(plan, run, earlier, watcher, wanted.lock)
            if wanted.budget is not None:
                sitting.purse = Purse(wanted.budget, stages.spent_so_far(run, plan.parties()))
            try:
                asyncio.run(_fill(plan, sitting, chosen, wanted))
            except Paused:
                watcher.note(f"stopped after {wanted.limit} calls, as told by --limit; the same command goes on")
                return False
        if "report" in wanted.stages and not (run.report / MANIFEST).exists():
            from polibias.report.document import write_report  # brings numpy along, which no call needs

            watcher.stage("report", 1, 0)
            write_report(run)
            watcher.advance(1, 0)
    return True


async def probe_study(plan: Plan, run: Run, watcher: Watcher, names: Sequence[str] = ()) -> list[probing.Probe]:
    """Probe every model of the study and store what it showed with the run, unless that is sealed."""
    with run.locked():
        if run.sealed:
            _check_identity(plan, run)
        else:
            _claim(plan, run, [_earlier(run, name) for name in plan.study.reuse], watcher)
        try:
            chosen = [party for party in plan.parties(names) if probing.needs_probe(party.spec)]
            chosen = [party for party in chosen if not names or party.spec.name in names]
            probes = [await probing.probe(party, Purse()) for party in chosen]
        finally:
            await _close(plan)
        if not run.sealed:
            probing.store(run, probes)
    return probes


def _earlier(run: Run, name: str) -> Run:
    """The sealed run beside this one whose replies may be taken over. Raises InputError if there is none."""
    earlier = Run(run.folder.parent / name)
    if not earlier.sealed:
        raise InputError(
            f"{earlier.folder}: no sealed run here, and this study reuses its replies; run study {name} first"
        )
    require_whole(earlier)
    return earlier


def _claim(plan: Plan, run: Run, earlier: Sequence[Run], watcher: Watcher, lock: str = "") -> None:
    """Begin the run, or make sure that it was begun with this very study.

    While nothing was answered yet, a changed study simply replaces the one that was begun.
    """
    body = describe(plan) | {"software": software(), "started_at": utc_now(), "providers_before": []}
    body |= {"lock": lock} if lock else {}
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
    _check_lock(run, stored.get("lock", ""), body.get("lock", ""))
    before = stored["providers_before"]
    if stored["providers"] != body["providers"]:
        watcher.note("the addresses have changed since the run was begun; study.json keeps the earlier ones as well")
        before = [*before, {"until": utc_now(), "providers": stored["providers"]}]
    kept: dict[str, Any] = {name: stored[name] for name in ("started_at", "lock") if name in stored}
    return {**kept, "providers_before": before}


def _check_lock(run: Run, begun: str, wanted: str) -> None:
    """Raises InputError if answers are there that did not come after the lock they should come after."""
    if wanted not in ("", begun):
        raise InputError(
            f"{run.folder}: was begun {'under another lock' if begun else 'before the plan was locked'}, and has "
            "answers; a plan's outcomes are begun after its lock: move the run away, or use another --runs folder"
        )


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


async def _fill(plan: Plan, sitting: Sitting, chosen: Sequence[Party], wanted: Wanted) -> None:
    with _on_interrupt(sitting):
        try:
            if "build" in wanted.stages:
                stages.build(plan, sitting)
            models = [party for party in chosen if party.role == "model"]
            judges = [party for party in chosen if party.role == "judge" and "judge" in wanted.stages]
            if "generate" in wanted.stages:
                for done, party in enumerate(models, 1):
                    await stages.generate(plan, sitting, party, [*models[done:], *judges])
                    await party.model.close()  # one in this process takes memory
            if "mask" in wanted.stages:
                for party in models:
                    stages.mask(plan, sitting, party)
            for done, party in enumerate(judges, 1):
                await stages.judge(plan, sitting, party, models, judges[done:])
                await stages.reidentify(plan, sitting, party, models, judges[done:])
                await party.model.close()
            if "seal" in wanted.stages:
                _seal(plan, sitting, wanted.accept_failed)
        finally:
            await _close(plan)


@contextlib.contextmanager
def _on_interrupt(sitting: Sitting) -> Iterator[None]:
    """A first Ctrl-C (or SIGTERM) stops cleanly; the handler is gone then, so that a second one ends at once."""
    loop, signals = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
    task = asyncio.current_task()
    assert task is not None

    def stop() -> None:
        sitting.stop()
        for number in signals:
            loop.add_signal_handler(number, task.cancel)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    for number in signals:
        loop.add_signal_handler(number, stop)
    try:
        yield
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


async def _close(plan: Plan) -> None:
    for model in (*plan.models, *plan.judges):
        await model.close()


def _seal(plan: Plan, sitting: Sitting, accept_failed: bool) -> None:
    """Seal the run if every call was answered and every record holds; otherwise say why not and stop."""
    run, watcher = sitting.run, sitting.watcher
    unanswered = [note for stream in run.streams() for note in _unanswered(stream)]
    if unanswered and not accept_failed:
        raise ProviderError(
            f"{run.folder}: {len(unanswered)} calls got no answer (the last: {unanswered[-1]}) and the run stays open; "
            "run the same command to ask them again, or with --accept-failed to seal it without them"
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
