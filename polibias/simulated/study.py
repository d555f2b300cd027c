"""Writing a simulated study: the rows of a run, through the ledger and the seal that every run goes through.

Nothing is asked of anybody. Every response and judgment says `simulated` in its note, in its text and in who answered,
and `study.json` keeps the whole declaration. No clock is read: one declaration gives the same bytes every time.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from polibias import __version__
from polibias import generate as generation
from polibias.domain.ids import plain
from polibias.domain.rows import Judgment, PromptPair, Request, Response, Score, Seen, Usage
from polibias.domain.sides import ORDERS, SIDES, Both, Side, other
from polibias.domain.study import Scripted
from polibias.errors import InputError
from polibias.flow import describe
from polibias.judging import judge as judging
from polibias.models.base import Call, Reply
from polibias.models.scripted import ScriptedModel
from polibias.planning import Plan
from polibias.planning import plan as planned
from polibias.records.documents import write_named
from polibias.records.ledger import Ledger
from polibias.records.manifest import seal
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.software import software
from polibias.simulated.declaration import KINDS, ONE_SIDED, SimulatedJudge, SimulatedModel, StudySimulation
from polibias.simulated.draws import LABELS, Pairs, Readings, drawn_pairs, drawn_readings
from polibias.simulated.truth import World, as_declared, expected, fingerprint, stream, world
from polibias.simulated.wording import (
    INVALID,
    SENTENCES,
    WORDS_PER_SENTENCE,
    Does,
    Written,
    looping_text,
    quote,
    response_text,
    verdict_text,
)
from polibias.sources.library import Library
from polibias.stats.power import normals, uniforms
from polibias.stats.resampling import bounded

NOTE = "simulated"
AT = "2000-01-01T00:00:00.000Z"
"""The time at which every simulated study is begun and sealed: no clock is read."""
UNSEEN = Seen(seconds=0.0)
TOGETHER = 1000
RATED, RATES_BY, RATED_FROM = "T4", "severity", 8
SPREAD, MOST_SENTENCES = 0.35, 2000
CHARACTERS_PER_TOKEN = 4
LONGEST = 16_000
STUDY = """# Simulated by `polibias simulate study`: nobody was asked, and no number of it is about any model or country.

id = {id}
title = {title}
rubric = "poli-bias"
judge_prompt = "pair"

[[items]]
templates = ["aggression/*", "crimes_against_humanity/*", "genocide/*", "maritime/*", "war_crimes/*"]
pairs = ["pairs/*"]
tasks = ["tasks/*"]

[draw]
seed = {draw_seed}
main = {main}
control = {control}

[analysis]
resamples = {resamples}
seed = {seed}
cluster = "{cluster}"
"""
SPEAKER = """
[[{role}]]
adapter = "scripted"
name = "{name}"
max_tokens = {longest}
"""


class Simulated(NamedTuple):
    """What was written: where, how many rows of each kind, the hash of the seal, and what a report should show."""

    run: Run
    rows: dict[str, int]
    manifest: str
    world: World


class Speaker(ScriptedModel):
    """Whoever a simulated study says has answered: the shipped fake, which nobody ever asks here."""

    provider = "simulated, no model"

    def __init__(self, spec: Scripted, declared: str) -> None:
        super().__init__(spec)
        self.revision = f"simulated-1 {declared[:16]}"
        self.settings = {"simulated": "yes", "declaration": declared[:16]}

    async def send(self, request: Request, _address: int = 0) -> Reply:
        raise InputError(f"{self.name}: simulated; nobody can be asked")


def write_study(simulation: StudySimulation, out: Path, data: Path | None = None) -> Simulated:
    """Write the simulated study as a sealed run in the new folder `out`.

    Raises InputError if the folder is there, or if the declared numbers cannot come about.
    """
    if out.exists() or out.is_symlink():
        raise InputError(f"{out}: is there already, and nothing is overwritten; name another folder")
    plan = _plan(simulation, data)
    pairs = list(plan.prompt_pairs)
    found = world(simulation, [pair.design for pair in pairs], plan.rubric.dimension_ids)
    declared = as_declared(found)  # says whether all of it can come about, before anything is written
    contested = frozenset(one.id for one in Library(plan.data).countries.values() if one.contested_statehood)
    run = Run(out)
    with run.locked():
        begun = {"software": software(), "started_at": AT, "providers_before": [], "reuse": {}, "simulated": declared}
        write_named(run.study, STUDY_TAG, plain(describe(plan) | begun))
        rows = _write_rows(_Writing(plan, run, found, pairs, contested))
        manifest = seal(run, run.folder, {"study": simulation.id, "polibias": __version__}, at=AT)
    return Simulated(run, rows, manifest, found)


def _plan(simulation: StudySimulation, data: Path | None) -> Plan:
    """The study as declared, in which nobody can be asked."""
    spec = simulation.analysis
    text = STUDY.format(
        id=json.dumps(simulation.id),
        title=json.dumps(simulation.title),
        draw_seed=simulation.draw_seed,
        main=simulation.main,
        control=simulation.control,
        resamples=spec.resamples,
        seed=spec.seed,
        cluster=spec.cluster,
    )
    for role, speakers in (("models", simulation.models), ("judges", simulation.judges)):
        for one in speakers:
            text += SPEAKER.format(role=role, name=one.name, longest=LONGEST if role == "models" else 0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{simulation.id}.toml"
        path.write_text(text, "utf-8")
        plan = planned(str(path), data)
    declared = fingerprint(simulation)
    speakers = ([Speaker(spec, declared) for spec in specs] for specs in (plan.study.models, plan.study.judges))  # type: ignore[arg-type]
    models, judges = speakers
    return plan._replace(models=list(models), judges=list(judges))


class _Writing(NamedTuple):
    """What every row of the study is made from. `contested` are the countries whose statehood is disputed."""

    plan: Plan
    run: Run
    world: World
    pairs: list[PromptPair]
    contested: frozenset[str]


class _Answers(NamedTuple):
    """One model's last responses to a pair, with their ids; None where the pair loops in every attempt."""

    ids: Both[str]
    written: Both[Written]


def _write_rows(writing: _Writing) -> dict[str, int]:
    """Every stream, model by model. Returns the number of rows of each kind."""
    simulation, run = writing.world.simulation, writing.run
    with Ledger(run.pairs()) as ledger:
        ids = [ledger.append(pair, Seen()) for pair in writing.pairs]
        ledger.commit()
    rows = {"pairs": len(ids), "responses": 0, "judgments": 0}
    with ExitStack() as stack:
        judged = [stack.enter_context(Ledger(run.judgments(judge.name))) for judge in simulation.judges]
        for place, model in enumerate(simulation.models):
            pairs = drawn_pairs(writing.world, model)
            with Ledger(run.responses(model.name)) as ledger:
                answers = list(_answered(writing, place, ids, pairs, ledger))
                ledger.commit()
                rows["responses"] += ledger.head.rows
            for number, ledger_of in enumerate(judged):
                _judged(writing, place, number, ids, pairs, answers, ledger_of)
        rows["judgments"] = sum(ledger.head.rows for ledger in judged)
    return rows


def _answered(
    writing: _Writing, place: int, ids: Sequence[str], pairs: Pairs, ledger: Ledger[Response]
) -> Iterator[_Answers | None]:
    """The responses of one model, in every round that its loops take."""
    model, policy = writing.plan.models[place], writing.plan.study.loops
    written = _texts(writing, place, pairs)
    for item, (id, pair) in enumerate(zip(ids, writing.pairs, strict=True)):
        rounds = 0 if not (pairs.again[item] or pairs.lost[item]) else policy.attempts if pairs.lost[item] else 1
        tasks = generation.tasks(model, LONGEST, id, pair)
        for attempt in range(rounds + 1):
            loops = attempt < rounds or bool(pairs.lost[item])
            stored = [_append_response(ledger, model, task, written[item][task.side], loops) for task in tasks]
            before = Both(*stored)
            tasks = generation.again(model, LONGEST, policy, attempt + 1, before, id, pair)
        if ledger.queued >= TOGETHER:
            ledger.commit()
        yield None if pairs.lost[item] else _Answers(before, written[item])


def _append_response(
    ledger: Ledger[Response], model: Any, task: generation.ResponseTask, written: Written, loops: bool
) -> str:
    """Store one response; of a round that loops, version A does."""
    looping = loops and task.side == "A"
    text = looping_text(f"{task.pair_id[:8]} {task.fallback}") if looping else written.text
    reply = Reply(text, "length" if looping else "stop", _usage(task.request, text), model.name, detail=NOTE)
    return ledger.append(generation.response(model, task, reply), UNSEEN)


def _usage(request: Request, text: str) -> Usage:
    """Tokens as they might be counted."""
    prompt = request.body["messages"][0]["content"]
    return Usage(len(prompt) // CHARACTERS_PER_TOKEN, len(text) // CHARACTERS_PER_TOKEN, 0)


def _texts(writing: _Writing, place: int, pairs: Pairs) -> list[Both[Written]]:
    """What one model writes about every item."""
    found, model = writing.world, writing.world.simulation.models[place]
    count = 2 * len(writing.pairs)
    lengths = np.exp(SPREAD * normals(stream(found.simulation, "words", model.name), (count,)))
    sizes = np.clip(lengths * found.simulation.words / WORDS_PER_SENTENCE, 1, MOST_SENTENCES).round().astype(int)
    chosen = bounded(stream(found.simulation, "sentences", model.name), len(SENTENCES), int(sizes.sum()))
    ends = np.cumsum(sizes)
    gravity = _gravity(found, model, pairs)
    texts = []
    for item, pair in enumerate(writing.pairs):
        both = []
        for number, side in enumerate(SIDES):
            end = int(ends[2 * item + number])
            own = chosen[end - int(sizes[2 * item + number]) : end].tolist()
            does = _does(pairs, item, side)
            rating = _rating(pairs, item, side, int(gravity[item])) if pair.design.task == RATED else None
            serial = f"{model.name}, item {item + 1}, version {side}"
            both.append(response_text(does, own, _named(writing, pair, side), serial, rating))
        texts.append(Both(*both))
    return texts


def _gravity(found: World, model: SimulatedModel, pairs: Pairs) -> Any:
    """How far the ratings of each pair's responses lie apart: the first judge's first score of severity."""
    readings = drawn_readings(found, model, pairs, found.simulation.judges[0])
    return readings.scores[:, 0, found.dimensions.index(RATES_BY)]


def _rating(pairs: Pairs, item: int, side: Side, apart: int) -> int:
    """The act of the favoured country is rated less grave."""
    return RATED_FROM - apart if side == _favoured(pairs, item) else RATED_FROM


def _favoured(pairs: Pairs, item: int) -> Side:
    return "A" if pairs.favours_a[item] else "B"


def _named(writing: _Writing, pair: PromptPair, side: Side) -> dict[str, str]:
    disputed = [pair.acting[one] for one in SIDES if pair.parties[one] in writing.contested]
    return {"acting": pair.acting[side], "facing": pair.facing[side], "contested": (disputed or [pair.acting.B])[0]}


def _does(pairs: Pairs, item: int, side: Side) -> Does:
    """What one response does."""
    kind = KINDS[pairs.kind[item]]
    if kind == "answered" or (kind in ONE_SIDED and bool(pairs.first_does[item]) != (side == "A")):
        return "answers"
    if kind.startswith("rejected"):
        return "rejects_status" if pairs.status[item] else "rejects_facts"
    return "refuses_partly" if kind == "partly_both" else "refuses"


READ_AS: dict[Does, tuple[str, str]] = {
    "answers": ("none", "none"),
    "refuses": ("full", "none"),
    "refuses_partly": ("partial", "none"),
    "rejects_facts": ("none", "factual"),
    "rejects_status": ("none", "status"),
}
"""How a judge labels what a response does, by `LABELS`."""
MISREAD = {"full": "none", "factual": "none", "status": "none"}
FIRST_WRONG = dict(zip(LABELS, ("full", "factual"), strict=True))


def _judged(
    writing: _Writing,
    place: int,
    number: int,
    ids: Sequence[str],
    pairs: Pairs,
    answers: Sequence[_Answers | None],
    ledger: Ledger[Judgment],
) -> None:
    """One judge's calls on one model's pairs, both orders."""
    plan, simulation = writing.plan, writing.world.simulation
    model, declared = simulation.models[place], simulation.judges[number]
    asked = plan.asked["official"]
    judge = judging.make_judge(plan.judges[number], asked, plan.rubric, 0)
    readings = drawn_readings(writing.world, model, pairs, declared)
    verdict = _verdicts(writing, model, declared, pairs, readings, judge)
    for item, own in enumerate(answers):
        if own is None:
            continue
        texts = Both(own.written.A.text, own.written.B.text)
        for turn, order in enumerate(ORDERS):
            task = judging.task(judge, ids[item], writing.pairs[item], model.name, own.ids, texts, order)
            text = verdict(item, turn, own.written) if readings.valid[item, turn] else INVALID
            reply = Reply(text, "stop", _usage(task.request, text), declared.name, detail=NOTE)
            ledger.append(judging.judgment(judge, task, reply), UNSEEN)
        if ledger.queued >= TOGETHER:
            ledger.commit()
    ledger.commit()


def _verdicts(
    writing: _Writing,
    model: SimulatedModel,
    declared: SimulatedJudge,
    pairs: Pairs,
    readings: Readings,
    judge: judging.Judge,
) -> Callable[[int, int, Both[Written]], str]:
    """What the judge writes about an item in an order."""
    found = writing.world
    size = (len(writing.pairs), len(ORDERS), len(found.dimensions), 2)
    drawn = uniforms(stream(found.simulation, "quotes", model.name, declared.name), int(np.prod(size)))
    stands = drawn.reshape(size) < declared.quotes
    longest = judge.asked.quote_chars

    def verdict(item: int, turn: int, written: Both[Written]) -> str:
        shown, order = written.in_order(ORDERS[turn]), ORDERS[turn]
        named = _named_sides(pairs, readings, item, turn)
        scores = {
            name: Score(
                int(readings.scores[item, turn, place]),
                named[place],
                tuple(quote(shown[one], item + place, stands[item, turn, place, one], longest) for one in (0, 1)),
            )
            for place, name in enumerate(found.dimensions)
        }
        return verdict_text(scores, _labels(pairs, readings, item, turn), judge.rubric, order)

    return verdict


def _named_sides(pairs: Pairs, readings: Readings, item: int, turn: int) -> list[Any]:
    """The side that the judge names in each dimension: none at score 0 and in a neutral pair.

    A slip gives the first slight difference, and that alone, to the side shown first: it weighs too little to turn
    the direction of a pair around.
    """
    scores = readings.scores[item, turn]
    if pairs.neutral[item]:
        return ["none"] * len(scores)
    seen = _favoured(pairs, item) if readings.sees[item] else other(_favoured(pairs, item))
    named: list[Any] = [seen if score else "none" for score in scores]
    if readings.slips[item, turn] and (scores == 1).any():
        named[int(np.argmax(scores == 1))] = ORDERS[turn][0]
    return named


def _labels(pairs: Pairs, readings: Readings, item: int, turn: int) -> Mapping[str, Both[str]]:
    """How the judge labels both responses; where it is unclear, it misreads one of them in its second order."""
    read = {side: READ_AS[_does(pairs, item, side)] for side in SIDES}
    labels = {}
    for place, name in enumerate(LABELS):
        both = {side: read[side][place] for side in SIDES}
        if turn == 1 and readings.unclear[item, place]:
            side: Side = "A" if readings.misreads_a[item, place] else "B"
            both[side] = MISREAD.get(both[side], FIRST_WRONG[name])
        labels[name] = Both(both["A"], both["B"])
    return labels


def summary(made: Simulated) -> str:
    """What was written, in words."""
    simulation = made.world.simulation
    counts = ", ".join(f"{number:,} {kind}" for kind, number in made.rows.items())
    lines = [
        f"{made.run.folder}: {len(simulation.models)} models × {made.rows['pairs']:,} pairs × "
        f"{len(simulation.judges)} judges, sealed ({counts}).",
        "Everything is simulated; nobody was asked, and no number is about any model or country.",
        "Declared, by the first judge:",
    ]
    first = simulation.judges[0].name
    means = [one for one in expected(made.world) if one.table == "pbi" and one.keys["judge"] == first]
    for model in simulation.models:
        own = (f"{one.column} {one.value:.2f}" for one in means if one.keys["model"] == model.name)
        lines.append(f"  {model.name}: {', '.join(own)}")
    return "\n".join([*lines, f"next: polibias report {made.run.folder}"])
