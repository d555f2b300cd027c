"""Generation as calls: both sides of every pair, and the rows they become.

Source: paper section 4.2. A response is kept exactly as written; how it ended is its outcome. A pair of which one
response loops is asked again, both sides, by the study's `LoopPolicy`; the rows of every round are kept.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from polibias.detectors.loop import find_loop, may_loop
from polibias.domain.rows import Finish, PromptPair, Request, Response, ResponseOutcome, Usage
from polibias.domain.sides import SIDES, Both, Side
from polibias.domain.study import LoopPolicy
from polibias.models.base import Call, Model, Reply

JUDGEABLE: frozenset[ResponseOutcome] = frozenset({"ok", "truncated", "refused"})
OUTCOMES: dict[Finish, ResponseOutcome] = {
    "stop": "ok",
    "length": "truncated",
    "repetition": "loop",
    "filter": "filtered",
    "refusal": "refused",
}
NONE_BEFORE = Both("", "")


class ResponseTask(NamedTuple):
    """One side of one pair, ready to be sent, in which round (`fallback`) and in place of which row (`supersedes`)."""

    pair_id: str
    pair: PromptPair
    side: Side
    request: Request
    fallback: int = 0
    supersedes: str = ""

    @property
    def subject(self) -> tuple[str, ...]:
        """As the row's `subject`."""
        return (self.pair_id, self.side)


class Asked(NamedTuple):
    """One side of a pair as some round left it."""

    id: str
    outcome: ResponseOutcome


def tasks(model: Model, max_tokens: int, pair_id: str, pair: PromptPair) -> list[ResponseTask]:
    """The calls for both sides, decoded as the study declares."""
    return [ResponseTask(pair_id, pair, side, model.request(Call(pair.prompts[side], max_tokens))) for side in SIDES]


def again(
    model: Model, max_tokens: int, policy: LoopPolicy, fallback: int, before: Both[str], pair_id: str, pair: PromptPair
) -> list[ResponseTask]:
    """The calls for both sides after a loop: sampled, the n-th time with the n-th seed. `before` holds the old rows."""
    return [
        ResponseTask(
            pair_id,
            pair,
            side,
            model.request(Call(pair.prompts[side], max_tokens, None, fallback, policy.temperature)),
            fallback,
            before[side],
        )
        for side in SIDES
    ]


def looping(rows: Iterable[tuple[str, Response]], fallback: int) -> dict[str, Both[str]]:
    """The pairs of which a response of this round loops, with the ids of both rows.

    A pair that lacks an answered row is not ready, and a prompt that exceeds the context would do so again.
    """
    found: dict[str, dict[Side, Asked]] = {}
    for id, row in rows:
        if row.fallback == fallback:
            found.setdefault(row.pair, {})[row.side] = Asked(id, row.outcome)
    return {
        pair: Both(sides["A"].id, sides["B"].id)
        for pair, sides in found.items()
        if len(sides) == len(SIDES)
        and any(side.outcome == "loop" for side in sides.values())
        and not any(side.outcome in ("transport_error", "context_exceeded") for side in sides.values())
    }


def response(model: Model, task: ResponseTask, reply: Reply) -> Response:
    """The row for a reply. A reply without text is `empty`, whatever its finish reason says."""
    outcome, note = _outcome(reply)
    return Response(
        **_common(model, task),
        outcome=outcome,
        text=reply.text,
        finish=reply.finish,
        usage=reply.usage,
        served_model=reply.served_model,
        served_by=reply.served_by,
        note="; ".join(part for part in (note, reply.remarks) if part),
    )


def _outcome(reply: Reply) -> tuple[ResponseOutcome, str]:
    """How a reply ended, and what there is to say about it. Reaching the cap is one thing, looping another."""
    if reply.finish in ("filter", "refusal"):
        return OUTCOMES[reply.finish], ""
    if not reply.text.strip():
        endless = reply.text and reply.finish in ("length", "repetition")
        return ("loop", "nothing but white space") if endless else ("empty", "")
    loop = find_loop(reply.text) if reply.finish != "stop" or may_loop(reply.text) else None
    if loop is not None:
        return "loop", loop.said
    return OUTCOMES[reply.finish], ""


def failed(model: Model, task: ResponseTask, outcome: ResponseOutcome, note: str) -> Response:
    """The row for a call that brought no reply."""
    return Response(**_common(model, task), outcome=outcome, text="", finish="error", usage=Usage(), note=note)


def _common(model: Model, task: ResponseTask) -> dict[str, Any]:
    return {
        "pair": task.pair_id,
        "side": task.side,
        "design": task.pair.design,
        "model": model.name,
        "request": task.request,
        "fallback": task.fallback,
        "supersedes": task.supersedes,
    }
