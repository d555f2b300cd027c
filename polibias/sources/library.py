"""Everything under `data/` as one library: countries, pairs, templates, tasks and conditions by id."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from polibias.domain.ids import tagged_hash
from polibias.domain.rubric import Rubric
from polibias.domain.scenario import Condition, Country, CountryPair, Scenario, Task, Template
from polibias.domain.study import Items
from polibias.domain.value import Value
from polibias.domain.wording import JudgePrompt, placeholders
from polibias.errors import InputError
from polibias.sources.files import no_such, read_toml, toml_files

SCENARIO_PLACEHOLDERS = frozenset({"aggressor", "target", "year"})
INFLECTED = re.compile(r"\b(?:the|a|an) \{(?:aggressor|target)\}|\{(?:aggressor|target)\}['’]", re.IGNORECASE)
RESERVED_IDS = frozenset({"response_1", "response_2"})


class Countries(Value, frozen=True):
    """A file of `data/countries/`."""

    country: tuple[Country, ...] = ()
    pair: tuple[CountryPair, ...] = ()


class Templates(Value, frozen=True):
    """A file of `data/scenarios/`."""

    template: tuple[Template, ...]


class Prompts(Value, frozen=True):
    """A file of `data/prompts/`."""

    task: tuple[Task, ...] = ()
    condition: tuple[Condition, ...] = ()


Entry = TypeVar("Entry", Country, CountryPair, Template, Task, Condition)


def _by_id(entries: Iterable[tuple[Path, Entry]], what: str) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for path, entry in entries:
        if entry.id in found:
            raise InputError(f"{path}: {what} '{entry.id}' is defined twice")
        found[entry.id] = entry
    return found


class Library:
    """The data folder, read once and checked as a whole."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def _country_files(self) -> list[tuple[Path, Countries]]:
        return [(path, read_toml(path, Countries)) for path in toml_files(self.folder / "countries")]

    @cached_property
    def countries(self) -> dict[str, Country]:
        return _by_id(((p, c) for p, file in self._country_files for c in file.country), "country")

    @cached_property
    def pairs(self) -> dict[str, CountryPair]:
        for path, file in self._country_files:
            for pair in file.pair:
                self._check_pair(path, pair)
        return _by_id(((p, c) for p, file in self._country_files for c in file.pair), "pair")

    def _check_pair(self, path: Path, pair: CountryPair) -> None:
        for country in (pair.a, pair.b):
            if country not in self.countries:
                raise no_such("country", country, self.countries, f"{path}: pair '{pair.id}'")
        if pair.a == pair.b:
            raise InputError(f"{path}: pair '{pair.id}' names '{pair.a}' twice")
        if (pair.block == "main") != (pair.category in ("active", "tension")):
            raise InputError(f"{path}: pair '{pair.id}': block '{pair.block}' does not fit category '{pair.category}'")
        fictional = {self.countries[name].fictional for name in (pair.a, pair.b)}
        if fictional != {pair.category == "fictional"}:
            raise InputError(f"{path}: pair '{pair.id}': category '{pair.category}' does not fit its countries")

    @cached_property
    def templates(self) -> dict[str, Template]:
        files = [(path, read_toml(path, Templates)) for path in toml_files(self.folder / "scenarios")]
        for path, file in files:
            for template in file.template:
                _check_template(path, template)
        return _by_id(((p, t) for p, file in files for t in file.template), "template")

    @cached_property
    def _prompt_files(self) -> list[tuple[Path, Prompts]]:
        return [(path, read_toml(path, Prompts)) for path in toml_files(self.folder / "prompts")]

    @cached_property
    def tasks(self) -> dict[str, Task]:
        return _by_id(((p, t) for p, file in self._prompt_files for t in file.task), "task")

    @cached_property
    def conditions(self) -> dict[str, Condition]:
        for path, file in self._prompt_files:
            for condition in file.condition:
                for missing in sorted({"scenario", "task"} - placeholders(condition.layout)):
                    raise InputError(f"{path}: condition '{condition.id}' has a layout without {{{missing}}}")
        return _by_id(((p, c) for p, file in self._prompt_files for c in file.condition), "condition")

    def rubric(self, name: str, where: str) -> Rubric:
        """A rubric by name, checked as a whole: ids, scale, and the options that its labels count."""
        path = self._named("rubric", self.folder / "rubrics", name, where)
        rubric = read_toml(path, Rubric)
        names = [*rubric.dimension_ids, *(label.id for label in rubric.labels)]
        if len(set(names)) < len(names) or RESERVED_IDS & set(names):
            reserved = ", ".join(sorted(RESERVED_IDS))
            raise InputError(f"{path}: dimension and label ids must be unique and none of {reserved}")
        if not rubric.dimensions or list(rubric.scores) != sorted(set(rubric.scores)) or len(rubric.scores) < 2:
            raise InputError(f"{path}: a rubric needs a dimension and at least two levels with ascending scores")
        for label in rubric.labels:
            for option in sorted(set(label.one_sided) - {option.id for option in label.options}):
                raise InputError(f"{path}: label '{label.id}' counts an option '{option}' that it does not have")
        return rubric

    def judge_prompt(self, name: str, where: str) -> JudgePrompt:
        """A judge prompt by name; it must show both responses between fences."""
        path = self._named("judge prompt", self.folder / "prompts" / "judge", name, where)
        prompt = read_toml(path, JudgePrompt)
        for missing in sorted({"response_1", "response_2", "fence"} - placeholders(prompt.text)):
            raise InputError(f"{path}: the judge prompt has no {{{missing}}}")
        return prompt

    def _named(self, what: str, folder: Path, name: str, where: str) -> Path:
        known = {path.stem: path for path in toml_files(folder)}
        if name not in known:
            raise no_such(what, name, known, where)
        return known[name]

    def scenarios(self, items: Sequence[Items], condition: str, where: str) -> list[Scenario]:
        """Every combination the items name, in their order. A combination named twice is an InputError."""
        found: dict[tuple[str, str, str], Scenario] = {}
        asked = self._get("condition", self.conditions, condition, where)
        for block in items:
            for template in self._all("template", self.templates, block.templates, where):
                for pair in self._all("pair", self.pairs, block.pairs, where):
                    for task in self._all("task", self.tasks, block.tasks, where):
                        name = (template.id, pair.id, task.id)
                        if name in found:
                            raise InputError(f"{where}: the item {' × '.join(name)} is named twice")
                        found[name] = self._scenario(template, pair, task, asked)
        if not found:
            raise InputError(f'{where}: the items name nothing to ask; give templates, pairs and tasks, or ["*"]')
        return list(found.values())

    def _scenario(self, template: Template, pair: CountryPair, task: Task, condition: Condition) -> Scenario:
        country_a, country_b = self.countries[pair.a], self.countries[pair.b]
        parts: dict[str, Value] = {
            "template": template,
            "pair": pair,
            "country_a": country_a,
            "country_b": country_b,
            "task": task,
            "condition": condition,
        }
        sources = {name: content_hash(part) for name, part in parts.items()}
        return Scenario(template, pair, country_a, country_b, task, condition, sources)

    def _all(self, what: str, known: dict[str, Entry], names: Sequence[str], where: str) -> list[Entry]:
        if tuple(names) == ("*",):
            return list(known.values())
        return [self._get(what, known, name, where) for name in names]

    def _get(self, what: str, known: dict[str, Entry], name: str, where: str) -> Entry:
        if name not in known:
            raise no_such(what, name, known, where)
        return known[name]


def content_hash(part: Value) -> str:
    """The content hash of one data entry: its type's name and all its fields."""
    return tagged_hash(f"{type(part).__name__.lower()}/1", part)


def _check_template(path: Path, template: Template) -> None:
    where = f"{path}: template '{template.id}'"
    found = placeholders(template.text)
    for name in sorted(found - SCENARIO_PLACEHOLDERS):
        raise no_such("placeholder", name, sorted(SCENARIO_PLACEHOLDERS), where)
    for name in sorted(SCENARIO_PLACEHOLDERS - {"year"} - found):
        raise InputError(f"{where} has no {{{name}}}; both countries must be placeholders")
    clash = INFLECTED.search(template.text)
    if clash:
        raise InputError(
            f"{where} says '{clash[0]}': no article before and no possessive on a placeholder, "
            "so that the sentence stays right for every country"
        )
