"""Rubrics, judge tasks and tasks of re-identification by name, each checked as a whole."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from polibias.domain.rubric import Label, Rubric
from polibias.domain.wording import JUDGE_NAMES, NAMING_NAMES, PLACEHOLDER, JudgePrompt, NamingPrompt, placeholders
from polibias.errors import InputError
from polibias.sources.files import no_such, read_toml, toml_files

NAMING = "naming"
RESERVED_IDS = frozenset({"response_1", "response_2"})
OPTION_NAMES = frozenset({"acting_1", "acting_2"})
LARGEST_SCORE = 100
VERSION_NAMES = frozenset({"number", "acting", "facing"})


def read_rubric(folder: Path, name: str, where: str) -> Rubric:
    """A rubric of the data folder. Raises InputError with the first thing that is wrong with it."""
    path = _named("rubric", folder / "rubrics", name, where)
    rubric = read_toml(path, Rubric)
    for problem in _rubric_problems(rubric, path.stem):
        raise InputError(f"{path}: {problem}")
    return rubric


def read_judge_prompt(folder: Path, name: str, where: str) -> JudgePrompt:
    """A judge task of the data folder. Raises InputError with the first thing that is wrong with it."""
    path = _named("judge prompt", folder / "prompts" / "judge", name, where)
    prompt = read_toml(path, JudgePrompt)
    for problem in _task_problems(prompt, path.stem):
        raise InputError(f"{path}: {problem}")
    return prompt


def read_naming_prompt(folder: Path, name: str, where: str) -> NamingPrompt:
    """A task of re-identification of the data folder. Raises InputError with the first thing that is wrong with it."""
    path = _named("task of re-identification", folder / "prompts" / NAMING, name, where)
    prompt = read_toml(path, NamingPrompt)
    for problem in _naming_problems(prompt, path.stem):
        raise InputError(f"{path}: {problem}")
    return prompt


def problems_of(folder: Path) -> list[str]:
    """Everything that is wrong with the rubrics and judge tasks of a data folder, a line each."""
    found: list[str] = []
    kinds: tuple[tuple[Path, Any, Any], ...] = (
        (folder / "rubrics", Rubric, _rubric_problems),
        (folder / "prompts" / "judge", JudgePrompt, _task_problems),
        (folder / "prompts" / NAMING, NamingPrompt, _naming_problems),
    )
    for place, kind, problems in kinds:
        if place.name == NAMING and not place.is_dir():
            continue  # only masked studies need one
        try:
            paths = toml_files(place)
        except InputError as error:
            found.append(str(error))
            continue
        for path in paths:
            try:
                found += [f"{path}: {problem}" for problem in problems(read_toml(path, kind), path.stem)]
            except InputError as error:
                found.append(str(error))
    return found


def check_task(asked: JudgePrompt, rubric: Rubric, where: str) -> None:
    """Raise InputError unless this judge task and this rubric fit together, for judges and for annotators."""
    own = msgspec.structs.replace(asked.scored_by(rubric), form=asked.form or rubric.form)
    for problem in _rubric_problems(own, own.id):
        raise InputError(f"{where}: judge prompt '{asked.id}' with rubric '{rubric.id}': {problem}")


def _named(what: str, folder: Path, name: str, where: str) -> Path:
    known = {path.stem: path for path in toml_files(folder)}
    if name not in known:
        raise no_such(what, name, known, where)
    return known[name]


def _task_problems(asked: JudgePrompt, stem: str) -> Iterator[str]:
    yield from _text_problems(asked, stem, {"response_1", "response_2", "fence"}, JUDGE_NAMES)
    if len({dimension.id for dimension in asked.dimensions}) < len(asked.dimensions):
        yield "two of its dimensions have the same id"


def _naming_problems(asked: NamingPrompt, stem: str) -> Iterator[str]:
    needed = {"prompt_1", "prompt_2", "response_1", "response_2", "fence", "candidates", "cannot_tell", "levels"}
    yield from _text_problems(asked, stem, needed, NAMING_NAMES)


def _text_problems(
    asked: JudgePrompt | NamingPrompt, stem: str, needed: set[str], known: frozenset[str]
) -> Iterator[str]:
    if asked.id != stem:
        yield f"its id is '{asked.id}'; name the file {asked.id}.toml or correct the id"
    found = placeholders(asked.text)
    for missing in sorted(needed - found):
        yield f"the judge prompt has no {{{missing}}}"
    for name in sorted(found - known):
        yield f"unknown placeholder {{{name}}} in its text; known are {', '.join(sorted(known))}"
    if re.search(r"[{}]", PLACEHOLDER.sub("", asked.text)):
        yield "its text has a brace that belongs to no placeholder"


def _rubric_problems(rubric: Rubric, stem: str) -> Iterator[str]:
    if rubric.id != stem:
        yield f"its id is '{rubric.id}'; name the file {rubric.id}.toml or correct the id"
    names = [*rubric.dimension_ids, *(label.id for label in rubric.labels)]
    if len(set(names)) < len(names) or RESERVED_IDS & set(names):
        yield f"dimension and label ids must be unique and none of {', '.join(sorted(RESERVED_IDS))}"
    if not rubric.dimensions:
        yield "a rubric needs at least one dimension"
    if list(rubric.scores) != sorted(set(rubric.scores)):
        yield "the levels' scores must ascend"
    if len(rubric.scores) < 2 and any(dimension.asks == "score" for dimension in rubric.dimensions):
        yield "a dimension that asks for a score needs at least two levels"
    if any(abs(score) > LARGEST_SCORE for score in rubric.scores):
        yield f"a level's score must lie between -{LARGEST_SCORE} and {LARGEST_SCORE}"
    slots = rubric.favoured.slots
    if len({slots.first, slots.second, slots.none}) < 3:
        yield "the three slots of the favoured side must differ"
    for text, known in _wordings(rubric):
        for name in sorted(placeholders(text) - known):
            yield f"unknown placeholder {{{name}}}; known here are {', '.join(sorted(known))}"
    for label in rubric.labels:
        yield from _label_problems(label)


def _wordings(rubric: Rubric) -> Iterator[tuple[str, frozenset[str]]]:
    options = rubric.favoured.options
    yield from ((text, OPTION_NAMES) for text in (options.first, options.second, options.none))
    yield rubric.form.version, VERSION_NAMES


def _label_problems(label: Label) -> Iterator[str]:
    known = [option.id for option in label.options]
    if len(known) < 2 or len(set(known)) < len(known):
        yield f"label '{label.id}' needs at least two options with different ids"
    if not label.asked or len(set(label.asked)) < len(label.asked):
        yield f"label '{label.id}' must be asked of the judge, of people or of both, each named once"
    for option in sorted(set(label.one_sided) - set(known)):
        yield f"label '{label.id}' counts an option '{option}' that it does not have"
