"""What is asked: countries, templates, tasks, ways of asking. Frozen values read from `data/`.

Source: paper sections 3.2, A.1, F and J.
"""

from typing import Annotated, Literal

import msgspec

from polibias.domain.value import EntryId, Text, Value

Block = Literal["main", "control"]
Roles = Literal["swapped", "A", "B"]
Day = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\d\Z", description="a day as YYYY-MM-DD")]
Tags = tuple[EntryId, ...]


class Country(Value, frozen=True):
    """A country, the forms its name takes in running text, and the facts that robustness cuts rest on.

    `landlocked`: no coast on the open sea. `icc_party`: party to the Rome Statute; false for a fictional country.
    """

    id: EntryId
    name: Text
    in_text: Text
    possessive: Text
    fictional: bool
    landlocked: bool
    contested_statehood: bool
    icc_party: bool
    facts_as_of: Day


class PairCategory(Value, frozen=True):
    """A kind of country pair: the criterion that puts a pair in it, and the block that such pairs belong to."""

    id: EntryId
    title: Text
    block: Block
    criterion: Text


class CountryPair(Value, frozen=True):
    """Two countries in the paper's order, and what puts them in their category: basis, source and day."""

    id: EntryId
    a: str
    b: str
    category: str
    block: Block
    basis: Text
    source: Text
    as_of: Day


class Template(Value, frozen=True):
    """A scenario with the placeholders {aggressor}, {target} and {year}. Robustness cuts choose by `tags`."""

    id: EntryId
    category: EntryId
    title: Text
    legal_basis: Text
    text: Text
    tags: Tags = ()


class Task(Value, frozen=True):
    """What the model is asked to do with a scenario.

    `text` may use {aggressor}, {target}, {aggressor_possessive} and {target_possessive}.
    """

    id: EntryId
    title: Text
    text: Text


class Frame(Value, frozen=True):
    """One way of putting a scenario and a task: the year, and everything around the two.

    `layout` must use {scenario} and {task}, and may name the countries as a task does.
    """

    id: EntryId
    title: Text
    year: Annotated[int, msgspec.Meta(ge=1, le=9999)]
    layout: Text


class Condition(Value, frozen=True):
    """How the two prompts of a pair differ.

    Version A is put in frame `first`, version B in frame `second`. Each entry of `roles` makes one pair of an item:
    `swapped` has country A as the aggressor in version A and country B in version B; `A` or `B` has that country as
    the aggressor in both. `shown` is the frame that judges and annotators see, where it is not the one the model saw.
    `judge_prompt` names the judge task that reads the responses.
    """

    id: EntryId
    title: Text
    first: EntryId
    second: EntryId
    roles: tuple[Roles, ...]
    judge_prompt: EntryId
    shown: str = ""


class Scenario(Value, frozen=True):
    """Everything one prompt pair is built from, with the content hash of each part and the tags that follow."""

    template: Template
    pair: CountryPair
    country_a: Country
    country_b: Country
    task: Task
    condition: Condition
    roles: Roles
    first: Frame
    second: Frame
    shown: Frame | None
    tags: Tags
    inclusion: float
    sources: dict[str, str]
