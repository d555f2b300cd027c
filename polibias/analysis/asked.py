"""What a run asked for, as its `study.json` says."""

from collections.abc import Mapping
from typing import Any

import msgspec

from polibias.domain.ids import tagged_hash
from polibias.domain.rubric import Rubric
from polibias.domain.wording import JudgePrompt


def rubric_of(about: Mapping[str, Any]) -> Rubric:
    """The study's rubric, whole."""
    return msgspec.convert(about["rubric"], type=Rubric)


def rubrics_of(about: Mapping[str, Any]) -> dict[str, Rubric]:
    """The rubric of each condition, as its judge task asks for it."""
    rubric = rubric_of(about)
    tasks = {name: msgspec.convert(task, type=JudgePrompt) for name, task in about["judge_prompts"].items()}
    return {name: tasks[name].scored_by(rubric) for name in about["study"]["conditions"]}


def judge_prompts(about: Mapping[str, Any]) -> dict[str, str]:
    """The hash of each condition's judge task, as judgments name it."""
    tasks = {name: msgspec.convert(task, type=JudgePrompt) for name, task in about["judge_prompts"].items()}
    return {name: tagged_hash("judge-prompt/1", task) for name, task in tasks.items()}
