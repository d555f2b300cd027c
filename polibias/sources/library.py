"""The scenario library under `data/`: countries, pairs, templates, tasks, frames and conditions by id.

Everything is read and checked as a whole, and every mistake is kept, so that all can be told at once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from polibias.domain.ids import tagged_hash
from polibias.domain.scenario import (
    Condition,
    Country,
    CountryPair,
    Frame,
    PairCategory,
    Roles,
    Scenario,
    Task,
    Template,
)
from polibias.domain.study import Items
from polibias.domain.value import Value
from polibias.domain.wording import placeholders
from polibias.errors import InputError
from polibias.sources.entries import Placed, read_entries
from polibias.sources.files import no_such, toml_files

FOLDERS: dict[str, dict[str, type[Value]]] = {
    "countries": {"country": Country, "category": PairCategory, "pair": CountryPair},
    "scenarios": {"template": Template},
    "prompts": {"task": Task, "frame": Frame, "condition": Condition},
}
KINDS = {type_: kind for kinds in FOLDERS.values() for kind, type_ in kinds.items()}
SCENARIO_NAMES = frozenset({"aggressor", "target", "year"})
TASK_NAMES = frozenset({"aggressor", "target", "aggressor_possessive", "target_possessive"})
FRAME_NAMES = TASK_NAMES | {"scenario", "task", "year"}
INFLECTED = re.compile(r"\b(?:the|a|an) \{(?:aggressor|target)\}|\{(?:aggressor|target)\}['’]", re.IGNORECASE)

Entry = TypeVar("Entry", Country, PairCategory, CountryPair, Template, Task, Frame, Condition)


class Item(NamedTuple):
    """What can be asked in any condition: a scenario of a country pair with a task."""

    template: Template
    pair: CountryPair
    task: Task


class Library:
    """The data folder, read once. `problems` holds every mistake in it as one line naming file and line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[str] = []
        self.placed: dict[type[Value], list[Placed]] = {type_: [] for type_ in KINDS}
        for name, kinds in FOLDERS.items():
            self._read(folder / name, kinds)
        self.countries = self._by_id(Country)
        self.categories = self._by_id(PairCategory)
        self.pairs = self._by_id(CountryPair)
        self.templates = self._by_id(Template)
        self.tasks = self._by_id(Task)
        self.frames = self._by_id(Frame)
        self.conditions = self._by_id(Condition)
        checks: dict[type[Value], Any] = {
            Country: _check_country,
            CountryPair: self._check_pair,
            Template: _check_template,
            Task: _check_task,
            Frame: _check_frame,
            Condition: self._check_condition,
        }
        for type_, check in checks.items():
            for placed in self.placed[type_]:
                what = f"{placed.where}: {KINDS[type_]} '{placed.entry.id}'"
                self.problems += [f"{what}: {problem}" for problem in check(placed.entry)]

    def _read(self, folder: Path, kinds: Mapping[str, type[Value]]) -> None:
        try:
            paths = toml_files(folder)
        except InputError as error:
            self.problems.append(str(error))
            return
        for stray in sorted(set(folder.iterdir()) - set(paths)):
            if stray.is_file() and not stray.name.startswith("."):
                self.problems.append(f"{stray}: not read; entries stand in files that end in .toml")
        for path in paths:
            for kind, found in read_entries(path, kinds, self.problems).items():
                self.placed[kinds[kind]] += found

    def _by_id(self, type_: type[Entry]) -> dict[str, Entry]:
        first: dict[str, Placed] = {}
        for placed in self.placed[type_]:
            name = placed.entry.id
            if name in first:
                what = f"{placed.where}: {KINDS[type_]} '{name}'"
                self.problems.append(f"{what}: defined twice, first at {first[name].where}")
            else:
                first[name] = placed
        return {name: placed.entry for name, placed in first.items()}

    def require(self) -> None:
        """Raise InputError with the first mistake, and how many more there are."""
        if self.problems:
            more = len(self.problems) - 1
            tail = f" (and {more} more; polibias lint data tells them all)" if more else ""
            raise InputError(self.problems[0] + tail)

    def _check_pair(self, pair: CountryPair) -> Iterator[str]:
        unknown = [name for name in (pair.a, pair.b) if name not in self.countries]
        yield from (_unknown("country", name, self.countries) for name in unknown)
        if pair.a == pair.b:
            yield f"it names '{pair.a}' twice"
        category = self.categories.get(pair.category)
        if category is None:
            yield _unknown("category", pair.category, self.categories)
        elif pair.block != category.block:
            yield f"block '{pair.block}' does not fit category '{pair.category}'"
        fictional = {self.countries[name].fictional for name in (pair.a, pair.b) if name in self.countries}
        if not unknown and fictional != {pair.category == "fictional"}:
            yield f"category '{pair.category}' does not fit its countries"

    def _check_condition(self, condition: Condition) -> Iterator[str]:
        for frame in (condition.first, condition.second, *([condition.shown] if condition.shown else [])):
            if frame not in self.frames:
                yield _unknown("frame", frame, self.frames)
        if not condition.roles or len(set(condition.roles)) < len(condition.roles):
            yield "name each of its roles once: swapped, A or B"

    def items(self, blocks: Sequence[Items], where: str) -> list[Item]:
        """Every combination the blocks name, in their order. A combination named twice is an InputError."""
        found: dict[tuple[str, str, str], Item] = {}
        for block in blocks:
            for template in self._named(Template, self.templates, block.templates, where):
                for pair in self._named(CountryPair, self.pairs, block.pairs, where):
                    for task in self._named(Task, self.tasks, block.tasks, where):
                        name = (template.id, pair.id, task.id)
                        if name in found:
                            raise InputError(f"{where}: the item {' × '.join(name)} is named twice")
                        found[name] = Item(template, pair, task)
        if not found:
            raise InputError(f'{where}: the items name nothing to ask; give templates, pairs and tasks, or ["*"]')
        return list(found.values())

    def _named(self, type_: type[Entry], known: dict[str, Entry], names: Sequence[str], where: str) -> Iterator[Entry]:
        """The entries that these names mean: an id, "*" for all, or "file/*" for all entries of one file."""
        for name in names:
            if name == "*":
                yield from known.values()
            elif name.endswith("/*"):
                yield from self._of_file(type_, name.removesuffix("/*"), where)
            else:
                yield _get(KINDS[type_], known, name, where)

    def _of_file(self, type_: type[Entry], file: str, where: str) -> list[Entry]:
        files = {placed.path.stem for placed in self.placed[type_]}
        if file not in files:
            raise no_such(f"file of {KINDS[type_]}s", file, files, where)
        return [placed.entry for placed in self.placed[type_] if placed.path.stem == file]

    def scenarios(
        self, items: Iterable[tuple[Item, float]], conditions: Sequence[str], where: str
    ) -> Iterator[Scenario]:
        """Each item, with the probability it was chosen with, in each condition and each of its roles."""
        asked = [_get("condition", self.conditions, name, where) for name in conditions]
        for item, inclusion in items:
            for condition in asked:
                for roles in condition.roles:
                    yield self._scenario(item, condition, roles, inclusion)

    def _scenario(self, item: Item, condition: Condition, roles: Roles, inclusion: float) -> Scenario:
        template, pair, task = item
        a, b = self.countries[pair.a], self.countries[pair.b]
        first, second = self.frames[condition.first], self.frames[condition.second]
        shown = self.frames[condition.shown] if condition.shown else None
        return Scenario(
            template=template,
            pair=pair,
            country_a=a,
            country_b=b,
            task=task,
            condition=condition,
            roles=roles,
            first=first,
            second=second,
            shown=shown,
            tags=tags(template, a, b),
            inclusion=inclusion,
            sources={
                "template": content_hash(template),
                "pair": content_hash(pair),
                "country_a": content_hash(a),
                "country_b": content_hash(b),
                "task": content_hash(task),
                "condition": content_hash(condition),
                "first": content_hash(first),
                "second": content_hash(second),
                **({"shown": content_hash(shown)} if shown else {}),
            },
        )


def _get(what: str, known: dict[str, Entry], name: str, where: str) -> Entry:
    if name not in known:
        raise no_such(what, name, known, where)
    return known[name]


@cache
def content_hash(part: Value) -> str:
    """The content hash of one data entry: its type's name and all its fields."""
    return tagged_hash(f"{type(part).__name__.lower()}/1", part)


@cache
def tags(template: Template, a: Country, b: Country) -> tuple[str, ...]:
    """The template's own tags and those that follow from the facts on the two countries."""
    follow = {
        "contested_statehood": a.contested_statehood or b.contested_statehood,
        "landlocked": a.landlocked or b.landlocked,
        "unequal_icc_membership": a.icc_party != b.icc_party,
    }
    return tuple(sorted({*template.tags, *(name for name, holds in follow.items() if holds)}))


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    return str(no_such(what, name, known, "")).removeprefix(": ")


def _check_country(country: Country) -> Iterator[str]:
    if not (country.name + country.in_text + country.possessive).isprintable():
        yield "its name holds a character that cannot be seen"
    if not country.in_text.endswith(country.name):
        yield f"in_text '{country.in_text}' does not end with its name '{country.name}'"
    if not country.possessive.startswith(country.in_text) or country.possessive == country.in_text:
        yield f"possessive '{country.possessive}' is no possessive of '{country.in_text}'"


def _check_template(template: Template) -> Iterator[str]:
    yield from _check_names(template.text, SCENARIO_NAMES, {"aggressor", "target"})
    clash = INFLECTED.search(template.text)
    if clash:
        yield (
            f"it says '{clash[0]}': no article before and no possessive on a placeholder, "
            "so that the sentence stays right for every country"
        )


def _check_task(task: Task) -> Iterator[str]:
    yield from _check_names(task.text, TASK_NAMES, set())


def _check_frame(frame: Frame) -> Iterator[str]:
    yield from _check_names(frame.layout, FRAME_NAMES, {"scenario", "task"})


def _check_names(text: str, known: frozenset[str], required: set[str]) -> Iterator[str]:
    found = placeholders(text)
    for name in sorted(found - known):
        yield _unknown("placeholder", name, sorted(known)) + f"; known here are {', '.join(sorted(known))}"
    for name in sorted(required - found):
        yield f"its text has no {{{name}}}"
    if "{" in re.sub(r"\{[a-z][a-z0-9_]*\}", "", text) or "}" in re.sub(r"\{[a-z][a-z0-9_]*\}", "", text):
        yield "its text has a brace that belongs to no placeholder"
