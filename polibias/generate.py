"""Generation as calls: both sides of every pair, and the rows they become.

Source: paper section 4.2. A response is kept exactly as written; how it ended is its outcome.
"""

from typing import Any, NamedTuple

from polibias.domain.rows import Finish, PromptPair, Request, Response, ResponseOutcome, Usage
from polibias.domain.sides import Side
from polibias.models.base import Call, Model, Reply

JUDGEABLE: frozenset[ResponseOutcome] = frozenset({"ok", "truncated", "refused"})
OUTCOMES: dict[Finish, ResponseOutcome] = {
    "stop": "ok",
    "length": "truncated",
    "repetition": "truncated",
    "filter": "filtered",
    "refusal": "refused",
}


class ResponseTask(NamedTuple):
    """One side of one pair, ready to be sent."""

    pair_id: str
    pair: PromptPair
    side: Side
    request: Request

    @property
    def subject(self) -> tuple[str, ...]:
        """As the row's `subject`."""
        return (self.pair_id, self.side)


def task(model: Model, max_tokens: int, pair_id: str, pair: PromptPair, side: Side) -> ResponseTask:
    """The call for one side."""
    return ResponseTask(pair_id, pair, side, model.request(Call(pair.prompts[side], max_tokens)))


def response(model: Model, task: ResponseTask, reply: Reply) -> Response:
    """The row for a reply. A reply without text is `empty`, whatever its finish reason says."""
    outcome = OUTCOMES[reply.finish] if reply.text.strip() or reply.finish in ("filter", "refusal") else "empty"
    return Response(
        **_common(model, task),
        outcome=outcome,
        text=reply.text,
        finish=reply.finish,
        usage=reply.usage,
        served_model=reply.served_model,
    )


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
    }
