"""What is asked: countries, templates, tasks, conditions. Frozen values read from `data/`.

Source: paper sections 3.2 and A.1.
"""

from typing import Literal

from polibias.domain.value import EntryId, Text, Value

Block = Literal["main", "control"]
PairCategory = Literal["active", "tension", "no_conflict", "fictional"]


class Country(Value, frozen=True):
    """A country and the forms its name takes in running text."""

    id: EntryId
    name: Text
    in_text: Text
    possessive: Text
    fictional: bool


class CountryPair(Value, frozen=True):
    """Two countries in the paper's order; `block` says whether the pair is under study or a control."""

    id: EntryId
    a: str
    b: str
    category: PairCategory
    block: Block


class Template(Value, frozen=True):
    """A scenario with the placeholders {aggressor}, {target} and {year}."""

    id: EntryId
    category: EntryId
    title: Text
    legal_basis: Text
    text: Text


class Task(Value, frozen=True):
    """What the model is asked to do with a scenario.

    `text` may use {aggressor}, {target}, {aggressor_possessive} and {target_possessive}.
    """

    id: EntryId
    title: Text
    text: Text


class Condition(Value, frozen=True):
    """One way of asking: the opening line, the scenario's year and how the parts are laid out."""

    id: EntryId
    title: Text
    opening: Text
    year: int
    layout: Text


class Scenario(Value, frozen=True):
    """Everything one prompt pair is built from, with the content hash of each part."""

    template: Template
    pair: CountryPair
    country_a: Country
    country_b: Country
    task: Task
    condition: Condition
    sources: dict[str, str]
