"""A study with everything it names, read and checked before anything is asked."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from polibias import pairs, sampling
from polibias.domain.rows import PromptPair
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Both
from polibias.domain.study import Study
from polibias.domain.wording import JudgePrompt
from polibias.errors import InputError
from polibias.judging.prompt import judge_prompt
from polibias.models.base import Model
from polibias.models.registry import open_model
from polibias.sources.files import data_folder
from polibias.sources.library import Item, Library
from polibias.sources.pairsets import read_pair_set
from polibias.sources.rubrics import check_task, read_judge_prompt, read_rubric
from polibias.sources.studies import find_study, read_study


class Plan(NamedTuple):
    """A study, its text as written, and what it comes to. `asked` holds the judge task of every condition."""

    study: Study
    text: str
    data: Path
    rubric: Rubric
    asked: dict[str, JudgePrompt]
    prompt_pairs: list[PromptPair]
    models: list[Model]
    judges: list[Model]


def plan(name: str, data: Path | None = None, panel: str = "", keyless: bool = False) -> Plan:
    """Read the study and its data and open its models; every mistake in them surfaces here, before any call.

    `keyless` needs no keys and is for looking only.
    """
    path = find_study(name)
    (study, text), where = read_study(path, panel), str(path)
    folder = data or data_folder()
    rubric = read_rubric(folder, study.rubric, where)
    prompt_pairs, tasks = _imported(study, folder, where) if study.pair_set else _built(study, folder, where)
    asked = {condition: read_judge_prompt(folder, task, where) for condition, task in tasks.items()}
    _check_tasks(asked, rubric, prompt_pairs, where)
    return Plan(
        study=study,
        text=text,
        data=folder,
        rubric=rubric,
        asked=asked,
        prompt_pairs=prompt_pairs,
        models=[open_model(spec, keyless) for spec in study.models],
        judges=[open_model(spec, keyless) for spec in study.judges],
    )


def _built(study: Study, folder: Path, where: str) -> tuple[list[PromptPair], dict[str, str]]:
    """The library's pairs, and the judge task of each condition."""
    library = Library(folder)
    library.require()
    chosen = _drawn(study, library.items(study.items, where), where)
    built = [pairs.build(scenario) for scenario in library.scenarios(chosen, study.conditions, where)]
    tasks = {name: study.judge_prompt or library.conditions[name].judge_prompt for name in study.conditions}
    return built, tasks


def _drawn(study: Study, items: Sequence[Item], where: str) -> Iterator[tuple[Item, float]]:
    """The items that the study's draw chooses, in their own order, with their inclusion probabilities."""
    if study.draw is None:
        return ((item, 1.0) for item in items)
    candidates = {
        sampling.Candidate(
            template=item.template.id,
            category=item.template.category,
            topic=item.pair.id,
            topic_category=item.pair.category,
            block=item.pair.block,
            task=item.task.id,
        ): item
        for item in items
    }
    return ((candidates[one.candidate], one.inclusion) for one in sampling.sample(candidates, study.draw, where))


def _imported(study: Study, folder: Path, where: str) -> tuple[list[PromptPair], dict[str, str]]:
    """The pairs of an imported set, or the part of them that the draw chooses."""
    found = read_pair_set(folder, study.pair_set, where).pairs
    chosen = [(pair, 1.0) for pair in found]
    if study.draw is not None:
        candidates = {
            sampling.Candidate(
                template=pair.template,
                category=pair.category,
                topic=pair.topic,
                topic_category=pair.topic_category,
                block=pair.block,
                task=pair.task,
                name=pair.id,
            ): pair
            for pair in found
        }
        drawn = sampling.sample(candidates, study.draw, where)
        chosen = [(candidates[one.candidate], one.inclusion) for one in drawn]
    return [pairs.imported(*one) for one in chosen], {pairs.AS_WRITTEN: study.judge_prompt}


def _check_tasks(asked: dict[str, JudgePrompt], rubric: Rubric, prompt_pairs: Sequence[PromptPair], where: str) -> None:
    """Raise InputError unless every judge task can be filled in, and all of them score the same dimensions."""
    for task in asked.values():
        check_task(task, rubric, where)
        judge_prompt(task, task.scored_by(rubric), prompt_pairs[0], Both("", ""), "AB")
    if len({task.scored_by(rubric).dimension_ids for task in asked.values()}) > 1:
        raise InputError(f"{where}: its conditions score different dimensions; make a study of each")
