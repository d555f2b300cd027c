"""What the comparisons of a plan read, and how it came about."""

from typing import NamedTuple

from polibias.analysis.confirmed import Deviation, Measure
from polibias.domain.plan import AnalysisRules, Plan
from polibias.errors import InputError


class Material(NamedTuple):
    """What the comparisons of a plan read, with how it came about: facts, and what is not as planned.

    `labels` is the last event of the project whose labels count, "" where there is none.
    """

    measure: Measure
    facts: dict[str, str]
    deviations: list[Deviation]
    said: str
    labels: str = ""


def rules_of(plan: Plan) -> AnalysisRules:
    """How the plan's numbers are made. Raises InputError if it does not say."""
    if plan.analysis is None:
        raise InputError(f"plan '{plan.id}' has no [analysis]; say how its numbers are made")
    return plan.analysis
