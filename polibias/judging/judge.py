"""Judging as calls: both orders of every pair of responses, and the rows they become."""

from typing import Any, NamedTuple

from polibias.domain.ids import tagged_hash
from polibias.domain.rows import Design, Judgment, JudgmentOutcome, PromptPair, Request, Usage
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Both, Order
from polibias.domain.wording import JudgePrompt
from polibias.judging.prompt import judge_prompt
from polibias.judging.verdict import read_verdict, schema, token_cap
from polibias.models.base import Call, Model, Reply


class Judge(NamedTuple):
    """A model with one judge task: what it is asked and the rubric as this task asks for it.

    `schema` is that of a verdict; `prompt` and `scheme` are the content hashes of task and rubric.
    """

    model: Model
    asked: JudgePrompt
    rubric: Rubric
    max_tokens: int
    replicate: int
    schema: dict[str, Any]
    prompt: str
    scheme: str


class JudgeTask(NamedTuple):
    """One pair of responses in one order, ready to be sent."""

    pair_id: str
    response_ids: Both[str]
    order: Order
    design: Design
    responses_model: str
    request: Request

    @property
    def subject(self) -> tuple[str, ...]:
        """As the row's `subject`."""
        return (self.response_ids.A, self.response_ids.B, self.order)


def make_judge(model: Model, asked: JudgePrompt, rubric: Rubric, max_tokens: int, replicate: int = 0) -> Judge:
    """A judge for one task; without a cap of its own (0) it gets the one its schema needs."""
    own = asked.scored_by(rubric)
    return Judge(
        model=model,
        asked=asked,
        rubric=own,
        max_tokens=max_tokens or token_cap(own, asked),
        replicate=replicate,
        schema=schema(own, asked),
        prompt=tagged_hash("judge-prompt/1", asked),
        scheme=tagged_hash("rubric/1", rubric),
    )


def task(
    judge: Judge, pair_id: str, pair: PromptPair, model: str, ids: Both[str], texts: Both[str], order: Order
) -> JudgeTask:
    """The call for one order of one pair. `ids` and `texts` are those of the responses, which `model` wrote."""
    prompt = judge_prompt(judge.asked, judge.rubric, pair, texts, order)
    request = judge.model.request(Call(prompt, judge.max_tokens, judge.schema, judge.replicate))
    return JudgeTask(pair_id, ids, order, pair.design, model, request)


def judgment(judge: Judge, task: JudgeTask, reply: Reply, looped: bool = False) -> Judgment:
    """The row for a reply: read strictly, kept whole. `looped` says that a reply without a proper end loops."""
    outcome, verdict, note = read_verdict(reply.text, reply.finish, judge.rubric, judge.asked, task.order)
    if looped and outcome == "truncated":
        outcome = "loop"
    return Judgment(
        **_common(judge, task),
        outcome=outcome,
        text=reply.text,
        finish=reply.finish,
        verdict=verdict,
        usage=reply.usage,
        served_model=reply.served_model,
        served_by=reply.served_by,
        note="; ".join(part for part in (note, reply.remarks) if part),
    )


def failed(judge: Judge, task: JudgeTask, outcome: JudgmentOutcome, note: str) -> Judgment:
    """The row for a call that brought no reply."""
    empty: dict[str, Any] = {"text": "", "finish": "error", "verdict": None, "usage": Usage()}
    return Judgment(**_common(judge, task), **empty, outcome=outcome, note=note)


def _common(judge: Judge, task: JudgeTask) -> dict[str, Any]:
    return {
        "pair": task.pair_id,
        "responses": task.response_ids,
        "order": task.order,
        "design": task.design,
        "model": task.responses_model,
        "judge": judge.model.name,
        "rubric": judge.scheme,
        "prompt": judge.prompt,
        "request": task.request,
    }
