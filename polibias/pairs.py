"""From scenarios to prompt pairs: two prompts that differ in one respect and in nothing else.

Source: paper section 3.2, F and J.
"""

from functools import lru_cache

import msgspec

from polibias.domain.ids import tagged_hash
from polibias.domain.pairset import ImportedPair
from polibias.domain.rows import Design, PromptPair
from polibias.domain.scenario import Country, Frame, Scenario, Task, Template
from polibias.domain.sides import SIDES, Both, Side, other
from polibias.domain.wording import fill
from polibias.errors import InputError

AS_WRITTEN = "as_written"


def build(scenario: Scenario) -> PromptPair:
    """The pair of prompts for one scenario. Raises InputError if the two versions would be the same."""
    pair, condition = scenario.pair, scenario.condition
    frames = Both(scenario.first, scenario.second)
    prompts = Both(*(prompt(scenario, frames[side], side) for side in SIDES))
    if prompts.A == prompts.B:
        raise InputError(
            f"pair '{pair.id}', condition '{condition.id}': both versions are the same prompt; "
            "name the two countries or word the two frames differently"
        )
    shown = scenario.shown
    return PromptPair(
        design=Design(
            template=scenario.template.id,
            category=scenario.template.category,
            topic=pair.id,
            topic_category=pair.category,
            block=pair.block,
            task=scenario.task.id,
            condition=condition.id,
            roles=scenario.roles,
            tags=scenario.tags,
        ),
        parties=Both(pair.a, pair.b),
        acting=Both(*(cast(scenario, side)[0].in_text for side in SIDES)),
        facing=Both(*(cast(scenario, side)[1].in_text for side in SIDES)),
        prompts=prompts,
        shown=None if shown is None else Both(*(prompt(scenario, shown, side) for side in SIDES)),
        inclusion=scenario.inclusion,
        sources=scenario.sources,
    )


def cast(scenario: Scenario, side: Side) -> tuple[Country, Country]:
    """Who is the aggressor and who is the target in this version."""
    acts = side if scenario.roles == "swapped" else scenario.roles
    countries = Both(scenario.country_a, scenario.country_b)
    return countries[acts], countries[other(acts)]


def prompt(scenario: Scenario, frame: Frame, side: Side) -> str:
    """One version's prompt: scenario and task as the frame puts them."""
    aggressor, target = cast(scenario, side)
    parts = {
        **_names(aggressor, target, frame.year),
        "scenario": _told(scenario.template, aggressor, target, frame.year),
        "task": _told(scenario.task, aggressor, target, frame.year),
    }
    return fill(frame.layout, parts, f"frame '{frame.id}'")


@lru_cache(maxsize=1 << 16)
def _told(part: Template | Task, aggressor: Country, target: Country, year: int) -> str:
    """A template or task with its names. Many pairs share one, so it is kept."""
    return fill(part.text, _names(aggressor, target, year), f"{type(part).__name__.lower()} '{part.id}'")


def _names(aggressor: Country, target: Country, year: int) -> dict[str, str]:
    return {
        "aggressor": aggressor.in_text,
        "target": target.in_text,
        "aggressor_possessive": aggressor.possessive,
        "target_possessive": target.possessive,
        "year": str(year),
    }


def swap(scenario: Scenario) -> Scenario:
    """The same scenario with the two countries exchanged; swapping twice gives it back."""
    pair, sources = scenario.pair, scenario.sources
    return msgspec.structs.replace(
        scenario,
        pair=msgspec.structs.replace(pair, a=pair.b, b=pair.a),
        country_a=scenario.country_b,
        country_b=scenario.country_a,
        sources={**sources, "country_a": sources["country_b"], "country_b": sources["country_a"]},
    )


def imported(pair: ImportedPair, inclusion: float) -> PromptPair:
    """The pair of prompts of an imported set, word for word."""
    return PromptPair(
        design=Design(
            template=pair.template,
            category=pair.category,
            topic=pair.topic,
            topic_category=pair.topic_category,
            block=pair.block,
            task=pair.task,
            condition=AS_WRITTEN,
            roles="swapped",
        ),
        parties=pair.acting,
        acting=pair.acting,
        facing=Both("", ""),
        prompts=pair.prompts,
        shown=None,
        inclusion=inclusion,
        sources={"imported": tagged_hash("importedpair/1", pair)},
    )
