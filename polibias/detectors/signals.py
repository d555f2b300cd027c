"""All that the detectors see in one response, without a judge."""

from typing import Any, NamedTuple

from polibias.detectors import premise, refusal
from polibias.detectors.answer import Beginning
from polibias.detectors.loop import Loop, find_loop
from polibias.detectors.premise import Premise, premise_of
from polibias.detectors.rating import Rating, find_rating
from polibias.detectors.refusal import Refusal, refusal_of

RATED = "T4"
"""The task that asks for a rating. In others none is read; without a task it is read as here."""
SHOWN = 120
"""Characters of a loop that are shown."""


class Signals(NamedTuple):
    """What each detector found. `rating` is None where the task asks for none."""

    refusal: Refusal
    premise: Premise
    rating: Rating | None
    loop: Loop | None


class Behaviour(NamedTuple):
    """Whether a response declines and whether it rejects the premise, in the words of a rubric's labels."""

    refusal: refusal.Label
    premise: premise.Label


def behaviour(response: str, task: str | None = None) -> Behaviour:
    """What a judge labels too: `signals` without loop and rating."""
    declines, rejects, _ = _read(response, task)
    return Behaviour(declines.label, rejects.label)


def signals(response: str, task: str | None = None) -> Signals:
    """Every detector on one response to a task, T1 to T4; None if the task is not known."""
    return Signals(*_read(response, task), find_loop(response))


def _read(response: str, task: str | None) -> tuple[Refusal, Premise, Rating | None]:
    """The detectors that know of each other: a rating that is given is not withheld, a refusal defends nothing."""
    rating = find_rating(response) if task in (None, RATED) else None
    beginning = Beginning(response)
    declines = refusal_of(beginning, rating is not None and rating.value is not None)
    return declines, premise_of(beginning, task, declines.label != "none"), rating


def as_json(found: Signals, response: str) -> dict[str, Any]:
    """Labels and values, and under `evidence` the passages that they rest on; empty lists where nothing was found."""
    rating = found.rating
    passages = [_passage(found.refusal.evidence)] if found.refusal.evidence else []
    return {
        "refusal": found.refusal.label,
        "premise": found.premise.label,
        "rating": rating.value if rating else None,
        "loop": found.loop is not None,
        "evidence": {
            "refusal": passages,
            "premise": [{"kind": kind, **_passage(evidence)} for kind, evidence in found.premise.evidence],
            "rating": [_rated(rating)] if rating and rating.evidence else [],
            "loop": [_looping(found.loop, response)] if found.loop else [],
        },
    }


def _passage(evidence: Any) -> dict[str, Any]:
    return {"start": evidence.start, "end": evidence.end, "text": evidence.text}


def _rated(rating: Rating) -> dict[str, Any]:
    return {"outcome": rating.outcome, "low": rating.low, "high": rating.high, **_passage(rating.evidence)}


def _looping(loop: Loop, response: str) -> dict[str, Any]:
    shown = response[loop.start : loop.start + SHOWN]
    passage = {"start": loop.start, "end": loop.start + len(shown), "text": shown}
    return {"kind": loop.kind, "period": loop.period, "repeats": loop.repeats, **passage}
