"""From scenarios to prompt pairs: two prompts that differ only in which country plays which role.

Source: paper section 3.2.
"""

import msgspec

from polibias.domain.rows import Design, PromptPair
from polibias.domain.scenario import Country, Scenario
from polibias.domain.sides import Both
from polibias.domain.wording import fill
from polibias.errors import InputError


def build(scenario: Scenario) -> PromptPair:
    """The pair of prompts for one scenario. Version A has country A as the aggressor.

    Raises InputError if the two versions would be the same.
    """
    pair, condition = scenario.pair, scenario.condition
    version_a = prompt(scenario, scenario.country_a, scenario.country_b)
    version_b = prompt(scenario, scenario.country_b, scenario.country_a)
    if version_a == version_b:
        raise InputError(f"pair '{pair.id}': its two countries are named alike, so both versions are the same prompt")
    return PromptPair(
        design=Design(
            template=scenario.template.id,
            category=scenario.template.category,
            country_pair=pair.id,
            pair_category=pair.category,
            block=pair.block,
            task=scenario.task.id,
            condition=condition.id,
        ),
        year=condition.year,
        country_ids=Both(pair.a, pair.b),
        countries=Both(scenario.country_a.in_text, scenario.country_b.in_text),
        prompts=Both(version_a, version_b),
        sources=scenario.sources,
    )


def prompt(scenario: Scenario, aggressor: Country, target: Country) -> str:
    """One version's prompt: opening line, scenario and task as the condition lays them out."""
    names = {
        "aggressor": aggressor.in_text,
        "target": target.in_text,
        "aggressor_possessive": aggressor.possessive,
        "target_possessive": target.possessive,
        "year": str(scenario.condition.year),
    }
    parts = {
        "opening": fill(scenario.condition.opening, names, f"condition '{scenario.condition.id}'"),
        "scenario": fill(scenario.template.text, names, f"template '{scenario.template.id}'"),
        "task": fill(scenario.task.text, names, f"task '{scenario.task.id}'"),
    }
    return fill(scenario.condition.layout, parts, f"condition '{scenario.condition.id}'")


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
