"""What simulated judges say of every pair of responses, in both orders, read as any judge's reply is."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from polibias.domain.rows import Judgment, Score
from polibias.domain.sides import ORDERS, SIDES, Both, Favoured, Side, other
from polibias.judging import judge as judging
from polibias.models.base import Reply
from polibias.records.ledger import Ledger
from polibias.simulated.answers import NOTE, TOGETHER, UNSEEN, Answers, Writing, does, favoured, usage
from polibias.simulated.declaration import SimulatedJudge, SimulatedModel
from polibias.simulated.draws import LABELS, Pairs, Readings, drawn_readings
from polibias.simulated.truth import stream
from polibias.simulated.wording import INVALID, Does, Written, quote, verdict_text
from polibias.stats.power import uniforms

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


def judged_by(
    writing: Writing,
    place: int,
    number: int,
    ids: Sequence[str],
    pairs: Pairs,
    answers: Sequence[Answers | None],
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
            reply = Reply(text, "stop", usage(task.request, text), declared.name, detail=NOTE)
            ledger.append(judging.judgment(judge, task, reply), UNSEEN)
        if ledger.queued >= TOGETHER:
            ledger.commit()
    ledger.commit()


def _verdicts(
    writing: Writing,
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
        return verdict_text(scores, labelled(pairs, readings, item, turn), judge.rubric, order)

    return verdict


def _named_sides(pairs: Pairs, readings: Readings, item: int, turn: int) -> list[Favoured]:
    """The side that the judge names in each dimension: none at score 0 and in a neutral pair.

    A slip gives the first slight difference, and that alone, to the side shown first: it weighs too little to turn
    the direction of a pair around.
    """
    scores = readings.scores[item, turn]
    if pairs.neutral[item]:
        return ["none"] * len(scores)
    seen = favoured(pairs, item) if readings.sees[item] else other(favoured(pairs, item))
    named: list[Favoured] = [seen if score else "none" for score in scores]
    if readings.slips[item, turn] and (scores == 1).any():
        named[int(np.argmax(scores == 1))] = "A" if ORDERS[turn] == "AB" else "B"
    return named


def labelled(pairs: Pairs, readings: Readings, item: int, turn: int) -> Mapping[str, Both[str]]:
    """How the judge labels both responses; where it is unclear, it misreads one of them in its second order."""
    read = {side: READ_AS[does(pairs, item, side)] for side in SIDES}
    labels = {}
    for place, name in enumerate(LABELS):
        both = {side: read[side][place] for side in SIDES}
        if turn == 1 and readings.unclear[item, place]:
            side: Side = "A" if readings.misreads_a[item, place] else "B"
            both[side] = MISREAD.get(both[side], FIRST_WRONG[name])
        labels[name] = Both(both["A"], both["B"])
    return labels
