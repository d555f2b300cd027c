"""What simulated models answer, in every round that their loops take, and what each response does."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from polibias import generate as generation
from polibias.domain.rows import PromptPair, Request, Response, Seen, Usage
from polibias.domain.sides import SIDES, Both, Side
from polibias.models.base import Reply
from polibias.planning import Plan
from polibias.records.ledger import Ledger
from polibias.records.runs import Run
from polibias.simulated.declaration import KINDS, ONE_SIDED, SimulatedModel
from polibias.simulated.draws import Pairs, drawn_readings
from polibias.simulated.truth import World, stream
from polibias.simulated.wording import SENTENCES, WORDS_PER_SENTENCE, Does, Written, looping_text, response_text
from polibias.stats.power import normals
from polibias.stats.resampling import bounded

NOTE = "simulated"
UNSEEN = Seen(seconds=0.0)
TOGETHER = 1000
LONGEST = 16_000
RATED, RATES_BY, RATED_FROM = "T4", "severity", 8
SPREAD, MOST_SENTENCES = 0.35, 2000
CHARACTERS_PER_TOKEN = 4


class Writing(NamedTuple):
    """What every row of the study is made from. `contested` are the countries whose statehood is disputed."""

    plan: Plan
    run: Run
    world: World
    pairs: list[PromptPair]
    contested: frozenset[str]


class Answers(NamedTuple):
    """One model's last responses to a pair, with their ids; None where the pair loops in every attempt."""

    ids: Both[str]
    written: Both[Written]


def answered(
    writing: Writing, place: int, ids: Sequence[str], pairs: Pairs, ledger: Ledger[Response]
) -> Iterator[Answers | None]:
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
        yield None if pairs.lost[item] else Answers(before, written[item])


def _append_response(
    ledger: Ledger[Response], model: Any, task: generation.ResponseTask, written: Written, loops: bool
) -> str:
    """Store one response; of a round that loops, version A does."""
    looping = loops and task.side == "A"
    text = looping_text(f"{task.pair_id[:8]} {task.fallback}") if looping else written.text
    reply = Reply(text, "length" if looping else "stop", usage(task.request, text), model.name, detail=NOTE)
    return ledger.append(generation.response(model, task, reply), UNSEEN)


def usage(request: Request, text: str) -> Usage:
    """Tokens as they might be counted."""
    prompt = request.body["messages"][0]["content"]
    return Usage(len(prompt) // CHARACTERS_PER_TOKEN, len(text) // CHARACTERS_PER_TOKEN, 0)


def _texts(writing: Writing, place: int, pairs: Pairs) -> list[Both[Written]]:
    """What one model writes about every item."""
    found, model = writing.world, writing.world.simulation.models[place]
    count = 2 * len(writing.pairs)
    lengths = np.exp(SPREAD * normals(stream(found.simulation, "words", model.name), (count,)))
    sizes = np.clip(lengths * found.simulation.words / WORDS_PER_SENTENCE, 1, MOST_SENTENCES).round().astype(int)
    chosen = bounded(stream(found.simulation, "sentences", model.name), SENTENCES, int(sizes.sum()))
    ends = np.cumsum(sizes)
    gravity = _gravity(found, model, pairs)
    texts = []
    for item, pair in enumerate(writing.pairs):
        both = []
        for number, side in enumerate(SIDES):
            end = int(ends[2 * item + number])
            own = chosen[end - int(sizes[2 * item + number]) : end].tolist()
            doing = does(pairs, item, side)
            rating = _rating(pairs, item, side, int(gravity[item])) if pair.design.task == RATED else None
            serial = f"{model.name}, item {item + 1}, version {side}"
            both.append(response_text(doing, own, _named(writing, pair, side), serial, rating))
        texts.append(Both(*both))
    return texts


def _gravity(found: World, model: SimulatedModel, pairs: Pairs) -> Any:
    """How far the ratings of each pair's responses lie apart: the first judge's first score of severity."""
    readings = drawn_readings(found, model, pairs, found.simulation.judges[0])
    return readings.scores[:, 0, found.dimensions.index(RATES_BY)]


def _rating(pairs: Pairs, item: int, side: Side, apart: int) -> int:
    """The act of the favoured country is rated less grave."""
    return RATED_FROM - apart if side == favoured(pairs, item) else RATED_FROM


def favoured(pairs: Pairs, item: int) -> Side:
    """The side that a pair truly favours, unless it is neutral."""
    return "A" if pairs.favours_a[item] else "B"


def _named(writing: Writing, pair: PromptPair, side: Side) -> dict[str, str]:
    disputed = [pair.acting[one] for one in SIDES if pair.parties[one] in writing.contested]
    return {"acting": pair.acting[side], "facing": pair.facing[side], "contested": (disputed or [pair.acting.B])[0]}


def does(pairs: Pairs, item: int, side: Side) -> Does:
    """What one response does."""
    kind = KINDS[pairs.kind[item]]
    if kind == "answered" or (kind in ONE_SIDED and bool(pairs.first_does[item]) != (side == "A")):
        return "answers"
    if kind.startswith("rejected"):
        return "rejects_status" if pairs.status[item] else "rejects_facts"
    return "refuses_partly" if kind == "partly_both" else "refuses"
