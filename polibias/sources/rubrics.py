"""Rubrics and judge tasks by name, each checked as a whole."""

from collections.abc import Iterator
from pathlib import Path

from polibias.domain.rubric import Label, Rubric
from polibias.domain.wording import JudgePrompt, placeholders
from polibias.errors import InputError
from polibias.sources.files import no_such, read_toml, toml_files

RESERVED_IDS = frozenset({"response_1", "response_2"})
OPTION_NAMES = frozenset({"acting_1", "acting_2"})
VERSION_NAMES = frozenset({"number", "acting", "facing"})


def read_rubric(folder: Path, name: str, where: str) -> Rubric:
    """A rubric of the data folder. Raises InputError with the first thing that is wrong with it."""
    path = _named("rubric", folder / "rubrics", name, where)
    rubric = read_toml(path, Rubric)
    for problem in _rubric_problems(rubric):
        raise InputError(f"{path}: {problem}")
    return rubric


def read_judge_prompt(folder: Path, name: str, where: str) -> JudgePrompt:
    """A judge task of the data folder; it must show both responses between fences."""
    path = _named("judge prompt", folder / "prompts" / "judge", name, where)
    prompt = read_toml(path, JudgePrompt)
    for missing in sorted({"response_1", "response_2", "fence"} - placeholders(prompt.text)):
        raise InputError(f"{path}: the judge prompt has no {{{missing}}}")
    return prompt


def check_task(asked: JudgePrompt, rubric: Rubric, where: str) -> None:
    """Raise InputError unless this judge task and this rubric fit together."""
    for problem in _rubric_problems(asked.scored_by(rubric)):
        raise InputError(f"{where}: judge prompt '{asked.id}' with rubric '{rubric.id}': {problem}")


def _named(what: str, folder: Path, name: str, where: str) -> Path:
    known = {path.stem: path for path in toml_files(folder)}
    if name not in known:
        raise no_such(what, name, known, where)
    return known[name]


def _rubric_problems(rubric: Rubric) -> Iterator[str]:
    names = [*rubric.dimension_ids, *(label.id for label in rubric.labels)]
    if len(set(names)) < len(names) or RESERVED_IDS & set(names):
        yield f"dimension and label ids must be unique and none of {', '.join(sorted(RESERVED_IDS))}"
    if not rubric.dimensions:
        yield "a rubric needs at least one dimension"
    if list(rubric.scores) != sorted(set(rubric.scores)):
        yield "the levels' scores must ascend"
    if len(rubric.scores) < 2 and any(dimension.asks == "score" for dimension in rubric.dimensions):
        yield "a dimension that asks for a score needs at least two levels"
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
    for option in sorted(set(label.one_sided) - set(known)):
        yield f"label '{label.id}' counts an option '{option}' that it does not have"
