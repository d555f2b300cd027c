"""What is asked: countries, templates, tasks, conditions. Frozen values read from `data/`.

Source: paper sections 3.2 and A.1.
"""

from typing import Literal

from polibias.domain.value import Value

Block = Literal["main", "control"]
PairCategory = Literal["active", "tension", "no_conflict", "fictional"]


class Country(Value, frozen=True):
    """A country and the forms its name takes in running text."""

    id: str
    name: str
    in_text: str
    possessive: str
    fictional: bool


class CountryPair(Value, frozen=True):
    """Two countries in the paper's order; `block` says whether the pair is under study or a control."""

    id: str
    a: str
    b: str
    category: PairCategory
    block: Block


class Template(Value, frozen=True):
    """A scenario with the placeholders {aggressor}, {target} and {year}."""

    id: str
    category: str
    title: str
    legal_basis: str
    text: str


class Task(Value, frozen=True):
    """What the model is asked to do with a scenario.

    `text` may use {aggressor}, {target}, {aggressor_possessive} and {target_possessive}.
    """

    id: str
    title: str
    text: str


class Condition(Value, frozen=True):
    """One way of asking: the opening line, the scenario's year and how the parts are laid out."""

    id: str
    title: str
    opening: str
    year: int
    layout: str


class Scenario(Value, frozen=True):
    """Everything one prompt pair is built from, with the content hash of each part."""

    template: Template
    pair: CountryPair
    country_a: Country
    country_b: Country
    task: Task
    condition: Condition
    sources: dict[str, str]
