"""Two conditions on the same items, of one run or of two: how scores differ, and how often two orders contradict.

An item is a template, a topic and a task as one model answered it. Each condition has one pair of it. Source: paper,
App. F (null perturbation), E and I (directions).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from polibias.analysis.cases import Case
from polibias.analysis.cells import BLOCKS, possible
from polibias.analysis.gathered import Question, Reading, cluster_of, counted, narrowed, none
from polibias.analysis.measured import Measured
from polibias.analysis.pbi import WITHIN_BLOCKS, telling
from polibias.domain.rubric import Rubric
from polibias.errors import InputError
from polibias.stats.bias_index import SampleDesign, bias_index
from polibias.stats.contrasts import NO_COMMON, Paired, gaps, paired
from polibias.stats.estimate import Estimate

NO_SHARED = "no item is in both conditions"
OTHER_SCALE = "the two conditions are not scored on the same dimensions"
NO_ORDERS = "no pair in which both orders name a side"
SCORED = ("condition", "against", "difference", "zero")


class Couple(NamedTuple):
    """One item: its pair in the condition, and its pair in what that is compared with."""

    first: Case
    second: Case

    @property
    def inclusion(self) -> float:
        """One draw lies within the other, so that the smaller chance is that of both."""
        return min(self.first.pair.inclusion, self.second.pair.inclusion)

    @property
    def complete(self) -> bool:
        return self.first.complete and self.second.complete

    @property
    def declared(self) -> bool:
        """Whether no response of either pair had to be asked again because it looped."""
        return not any(one.fallback for case in self for one in case.responses.values())


Couples = Mapping[str, Couple]


def couples(question: Question, judge: str) -> dict[str, Couple]:
    """The items that both conditions asked of this judge, by name."""
    first, second = (_by_item(question, reading, judge) for reading in (question.reading, question.against))
    return {name: Couple(first[name], second[name]) for name in first if name in second}


def _by_item(question: Question, reading: Reading, judge: str) -> dict[str, Case]:
    """Raises InputError if an item has several pairs: then which of them is compared would be chance."""
    found: dict[str, Case] = {}
    for case in reading.of(judge):
        design = case.pair.design
        name = "\n".join((design.template, design.topic, design.task, case.model))
        if name in found:
            raise InputError(
                f"comparison '{question.comparison.id}': '{reading.condition}' has several pairs of one item "
                f"({design.template}, {design.topic}, {design.task}); compare conditions with one pair for each"
            )
        found[name] = case
    return found


class Scored(NamedTuple):
    """Scores of the items that are complete in both conditions, by name, and the ends of their scale."""

    first: dict[str, float]
    second: dict[str, float]
    lowest: float
    highest: float


def score_contrast(question: Question) -> list[Measured]:
    """Mean pair score of the condition, of what it is compared with, and the difference: by judge and block.

    All from the items with a complete score in both, and as declared in both.
    """
    rows = []
    blocks = [name for name in BLOCKS if question.comparison.block in ("", name)]
    for judge in question.judges:
        missing = _missing(question, judge)
        shared = {} if missing else couples(question, judge)
        for dimension in _dimensions(question):
            scores = None if missing else scored(question, shared, dimension)
            for block in blocks:
                own = {name: one for name, one in shared.items() if one.first.pair.design.block == block}
                keys = {"judge": judge, "block": BLOCKS[block]} | ({"dimension": dimension} if dimension else {})
                rows.append(Measured(keys, _measures(question, own, scores, (judge, block, dimension), missing)))
    return rows


def _dimensions(question: Question) -> Sequence[str]:
    """All of them together, or each alone."""
    return question.reading.rubric.dimension_ids if question.comparison.by == "dimension" else ("",)


def _missing(question: Question, judge: str) -> str:
    """Why two conditions cannot be compared in a judge's reading; '' if they can."""
    first, second = question.reading, question.against
    if first.rubric.dimension_ids != second.rubric.dimension_ids:
        return OTHER_SCALE
    return question.unread(first, judge) or question.unread(second, judge)


def scored(question: Question, shared: Couples, dimension: str = "") -> Scored:
    """The scores of complete items, whole or on one dimension."""
    first, second = (narrowed(side.rubric, dimension) for side in (question.reading, question.against))
    used = {name: one for name, one in shared.items() if one.complete}
    return Scored(
        {name: one.first.total(first) for name, one in used.items()},
        {name: one.second.total(second) for name, one in used.items()},
        first.lowest_total,
        first.highest_total,
    )


def _measures(
    question: Question, own: Couples, scores: Scored | None, about: tuple[str, ...], missing: str
) -> dict[str, Estimate]:
    """One row's estimates."""
    if scores is None or not own:
        return dict.fromkeys(SCORED, none(missing or NO_SHARED)) | {"left_out": counted(0)}
    used = [name for name, one in own.items() if one.complete and one.declared]
    return {
        **contrast(question, own, used, scores, *about),
        "zero": zero_share(question, own, used, scores, *about),
        "left_out": counted(len(own) - len(used)),
    }


def contrast(
    question: Question, shared: Couples, used: Sequence[str], scores: Scored, *about: str
) -> dict[str, Estimate]:
    """Both means of the items that are used of those that are shared, and their difference.

    `about` names the row's draws, with the comparison's id.
    """
    found = _paired(question, _of(used, scores.first), _of(used, scores.second), shared, *about)
    lowest, highest = scores.lowest, scores.highest
    return {
        "condition": telling(found.first, lowest, highest),
        "against": telling(found.second, lowest, highest),
        "difference": telling(found.difference, lowest - highest, highest - lowest),
    }


def gap_contrasts(
    question: Question, shared: Couples, used: Sequence[str], scores: Mapping[str, Scored], *about: str
) -> dict[str, dict[str, Estimate]]:
    """Main − Controls of the items that are used, by the names of `scores`: in the condition, in what it is compared
    with, how much larger the first is, and of the share whose score is 0 in the second.
    """
    values: dict[str, dict[str, float]] = {}
    for name, one in scores.items():
        first, second = (_of(used, side) for side in (one.first, one.second))
        values |= {f"condition {name}": first, f"against {name}": second}
        values[f"difference {name}"] = {item: first[item] - second[item] for item in used}
        values[f"zero {name}"] = {item: float(second[item] == 0) for item in used}
    found = item_gaps(question, values, shared, *about)
    told = {}
    for name, one in scores.items():
        reach = one.highest - one.lowest
        told[name] = {side: telling(found[f"{side} {name}"], -reach, reach) for side in ("condition", "against")}
        told[name]["difference"] = telling(found[f"difference {name}"], -2 * reach, 2 * reach)
        told[name]["zero"] = possible(found[f"zero {name}"], -1.0)
    return told


def item_gaps(
    question: Question, values: Mapping[str, Mapping[str, float]], shared: Couples, *about: str
) -> dict[str, Estimate]:
    """Main − Controls of any values of the same items, by the values' names."""
    if not any(values.values()):
        return dict.fromkeys(values, none(NO_COMMON))
    main = {name for name, one in shared.items() if one.first.pair.design.block == "main"}
    clusters = {name: cluster_of(one.first, question.rules) for name, one in shared.items()}
    within = question.rules.cluster in WITHIN_BLOCKS
    return gaps(values, main, clusters, *question.drawn(*about), weights_of(shared), within)


def zero_share(question: Question, shared: Couples, used: Sequence[str], scores: Scored, *about: str) -> Estimate:
    """The share of these items whose score is 0 in what the condition is compared with."""
    zero = {name: float(score == 0) for name, score in _of(used, scores.second).items()}
    return _mean(question, zero, shared, *about, "zero")


def _of(used: Sequence[str], scores: Mapping[str, float]) -> dict[str, float]:
    return {name: scores[name] for name in used}


def order_contradictions(question: Question) -> list[Measured]:
    """How often a judge's two orders name opposite sides, where both name one: in both conditions, and the difference.

    In each order the side is the sign of the score-weighted sides, whatever their sum.
    """
    rows = []
    for judge in question.judges:
        missing = question.unread(question.reading, judge) or question.unread(question.against, judge)
        found = dict.fromkeys(("condition", "against", "difference"), none(missing))
        rows.append(Measured({"judge": judge}, found if missing else _contradictions(question, judge)))
    return rows


def _contradictions(question: Question, judge: str) -> dict[str, Estimate]:
    """Of the items in both conditions: each share where its own two orders name a side, the difference where all do."""
    first, second = question.reading, question.against
    shared = couples(question, judge)
    contradicted = {name: contradiction(one.first, first.rubric) for name, one in shared.items()}
    beside = {name: contradiction(one.second, second.rubric) for name, one in shared.items()}
    one, other = _known(contradicted), _known(beside)
    return {
        "condition": _mean(question, one, shared, judge, "condition"),
        "against": _mean(question, other, shared, judge, "against"),
        "difference": possible(_paired(question, one, other, shared, judge).difference, -1.0),
    }


def contradiction(case: Case, rubric: Rubric) -> float | None:
    """1 if the two orders of a pair name opposite sides, 0 if the same; None unless both are valid and name one."""
    nets = case.nets(rubric)
    if not case.complete or 0 in nets:
        return None
    return float(nets[0] * nets[1] < 0)


def _known(found: Mapping[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in found.items() if value is not None}


def _paired(
    question: Question, first: Mapping[str, float], second: Mapping[str, float], shared: Couples, *about: str
) -> Paired:
    clusters = {name: cluster_of(one.first, question.rules) for name, one in shared.items()}
    return paired(first, second, clusters, *question.drawn(*about), weights_of(shared))


def _mean(question: Question, values: Mapping[str, float], shared: Couples, *about: str) -> Estimate:
    """The mean of some items' zeros and ones, weighted and clustered as the contrast is."""
    if not values:
        return none(NO_ORDERS if question.comparison.statistic == "order_contradictions" else NO_COMMON)
    weights = weights_of(shared)
    design = SampleDesign(weights=None if weights is None else [weights[name] for name in values])
    clusters = [cluster_of(shared[name].first, question.rules) for name in values]
    found = bias_index(list(values.values()), [True] * len(values), clusters, *question.drawn(*about), design)
    return possible(found["main"])


def weights_of(shared: Couples) -> dict[str, float] | None:
    """Each item's design weight; None where all had the same chance to be drawn, so that weights change nothing."""
    chances = {round(one.inclusion, 12) for one in shared.values()}
    return {name: 1 / one.inclusion for name, one in shared.items()} if len(chances) > 1 else None
