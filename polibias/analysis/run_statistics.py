"""The statistics that a plan about runs may name: what changes when pairs are read again, hidden or asked otherwise.

No label of a person is needed. A number that the report has too is the report's: its functions compute it, from the
same streams of draws, so that equal seeds and resamples give equal intervals. Others draw from a stream that the
comparison names. Source: paper, App. E, F, H and I.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from polibias.analysis.cases import Case
from polibias.analysis.cells import BLOCKS, categories_of, possible
from polibias.analysis.contrasted import order_contradictions, score_contrast
from polibias.analysis.copied import Copied, copies_of
from polibias.analysis.direction_pilot import PILOT
from polibias.analysis.findings import Column
from polibias.analysis.gathered import Gathered, Question, cluster_of, counted, gather, none
from polibias.analysis.measured import Measured, Measures
from polibias.analysis.outcomes import complete_share, due
from polibias.analysis.placeholders import preference
from polibias.analysis.reidentified import EVERY, invalid_guesses, result_share
from polibias.analysis.reread import change, same_side, score_agreement
from polibias.domain.plan import AnalysisRules, Comparison
from polibias.errors import InputError
from polibias.stats.contrasts import paired
from polibias.stats.estimate import Estimate

__all__ = ["RUN_STATISTICS", "Gathered", "RunStatistic", "gather", "known_measures", "measure_runs"]

NO_COPY = "no copy is compared with its original"
NO_AGAINST = "the comparison names nothing under against"
NOBODY = "nobody was asked for these countries"
CHANGES = ("all", "main", "identity")
AGREEMENTS = ("icc", "pearson", "ranking", "same_side")


class RunStatistic(NamedTuple):
    """What a statistic gives, and how. `dimensions` says whether it can be repeated for each dimension."""

    measures: Measures
    measure: Callable[[Question], list[Measured]]
    dimensions: bool = False


def measure_runs(
    runs: Mapping[str, Gathered],
    inputs: str,
    outcomes: Sequence[str],
    comparison: Comparison,
    rules: AnalysisRules,
    judges: Sequence[str],
) -> tuple[Measures, list[Measured]]:
    """A comparison of a plan, by judge: of those that it names, else of `judges`, else of every one of the run.

    `runs` holds the sealed runs by name: the one that the plan takes its pairs from, `inputs`, and its `outcomes`. A
    name in the comparison is that of a condition or of a run; see `Question`. Raises InputError, in one line, for a
    statistic that no run can give, and for a name that means nothing; what cannot be estimated is said in the rows.
    """
    statistic = RUN_STATISTICS.get(comparison.statistic)
    if statistic is None:
        raise InputError(
            f"comparison '{comparison.id}': '{comparison.statistic}' is no statistic of runs; "
            f"known are {', '.join(RUN_STATISTICS)}"
        )
    if comparison.by and not statistic.dimensions:
        raise InputError(f"comparison '{comparison.id}': {comparison.statistic} is not made by {comparison.by}")
    question = Question(runs, inputs, outcomes, comparison, rules, comparison.judges or judges)
    if not question.judges:
        question = question._replace(judges=question.reading.run.judges)
    measures = statistic.measures
    if comparison.by:
        measures = measures._replace(keys=(*measures.keys, comparison.by))
    return measures, statistic.measure(question)


def known_measures(statistic: str) -> tuple[str, ...]:
    """The measures that a plan may decide by. Raises InputError for a statistic that is not known."""
    known = {name: one.measures for name, one in RUN_STATISTICS.items()} | PILOT
    if statistic not in known:
        raise InputError(f"'{statistic}' is no statistic of runs; known are {', '.join(known)}")
    return tuple(column.id for column in known[statistic].columns)


def _copied(question: Question, judge: str) -> Copied | str:
    """A judge's reading of the copy that the comparison names; or why there is none."""
    reading = question.reading
    if missing := question.unread(reading, judge):
        return missing
    found = copies_of(reading.of(judge), reading.run.titles, reading.run.rubrics, question.rules)
    return next(found, NO_COPY)


def copied_change(question: Question) -> list[Measured]:
    """As the report's table of scores when pairs are read again has it."""
    rows = []
    for judge in question.judges:
        found = _copied(question, judge)
        missing = found if isinstance(found, str) else ""
        rows.append(
            Measured(
                {"judge": judge},
                {name: none(missing) if isinstance(found, str) else change(found, name) for name in CHANGES},
            )
        )
    return rows


def copied_agreement(question: Question) -> list[Measured]:
    """As the report's table of agreement when pairs are read again has it; what it withholds stays withheld."""
    rows = []
    for judge in question.judges:
        found = _copied(question, judge)
        estimates = dict.fromkeys(AGREEMENTS, none(found)) if isinstance(found, str) else _agreement(found)
        rows.append(Measured({"judge": judge}, estimates))
    return rows


def _agreement(one: Copied) -> dict[str, Estimate]:
    withheld = preference(one).withheld if one.masked else ""
    return score_agreement(one) | {"same_side": none(withheld) if withheld else same_side(one)}


def reidentified(question: Question) -> list[Measured]:
    """How often a judge names both countries of a masked pair: in each category of Main, and of all pairs."""
    rows = []
    for judge in question.judges:
        own = [case for case in question.reading.of(judge) if case.guess is not None]
        beside = _names(question, judge) if question.comparison.against else {}
        for name, chosen in _by_category(own, question.comparison.block):
            reason = question.unread(question.reading, judge) or ("" if chosen else NOBODY)
            estimates = _guesses(question, chosen, beside, (judge, name), reason)
            rows.append(Measured({"judge": judge, "pair category": name}, estimates))
    return rows


def _by_category(cases: Sequence[Case], block: str) -> list[tuple[str, list[Case]]]:
    """The guesses at the pairs of each category of Main, and at all that the comparison keeps."""
    main = [case for case in cases if case.pair.design.block == "main"]
    groups = [
        (category, [case for case in main if case.pair.design.topic_category == category])
        for category in categories_of(case.pair.design for case in main)
    ]
    return [*groups, (BLOCKS.get(block, EVERY), list(cases))]


def _names(question: Question, judge: str) -> dict[str, float]:
    """How the same pairs were guessed in the condition beside it."""
    return _both(question.against.of(judge))


def _both(cases: Sequence[Case]) -> dict[str, float]:
    """Whether both countries were named, 1 or 0, of each pair with a valid answer, by the pair it is a copy of."""
    return {
        f"{case.pair.copy_of}\n{case.model}": float(case.guess.result == "both")
        for case in cases
        if case.guess is not None and case.guess.result is not None
    }


def _guesses(
    question: Question, cases: Sequence[Case], beside: Mapping[str, float], about: tuple[str, ...], reason: str
) -> dict[str, Estimate]:
    names = ("both", "hidden", "against", "difference")
    if reason:
        return dict.fromkeys(names, none(reason)) | {"invalid": counted(0)}
    found = {"both": result_share(cases, "both"), "invalid": counted(invalid_guesses(cases))}
    if not question.comparison.against:
        return found | dict.fromkeys(names[1:], none(NO_AGAINST))
    clusters = {f"{case.pair.copy_of}\n{case.model}": cluster_of(case, question.rules) for case in cases}
    own = _both(cases)
    shared = {name: value for name, value in beside.items() if name in own}
    contrast = paired(own, shared, clusters, *question.drawn(*about))
    shares = {"hidden": possible(contrast.first), "against": possible(contrast.second)}
    return found | shares | {"difference": possible(contrast.difference, -1.0)}


def validity(question: Question) -> list[Measured]:
    """How many of the pairs that were due are valid in both orders."""
    rows = []
    for judge in question.judges:
        missing = question.unread(question.reading, judge)
        own = [case for case in question.reading.of(judge) if due(case)]
        rows.append(Measured({"judge": judge}, {"complete": none(missing) if missing else complete_share(own)}))
    return rows


RUN_STATISTICS: dict[str, RunStatistic] = {
    "copied_change": RunStatistic(
        Measures(
            (
                Column("all", "All pairs", "score"),
                Column("main", "Main", "score"),
                Column("identity", "Main − fictional", "score"),
            ),
            ("judge",),
            "Mean change of the pair score, copy − original, over pairs that are complete in both. Main − fictional: "
            "what hiding real countries adds to what the placeholders alone do.",
        ),
        copied_change,
    ),
    "copied_agreement": RunStatistic(
        Measures(
            (
                Column("icc", "ICC(A,1)", "score"),
                Column("pearson", "Pearson r", "score"),
                Column("ranking", "Ranking of models", "score"),
                Column("same_side", "Same side", "share"),
            ),
            ("judge",),
            "The copy beside the original. Ranking: Spearman's correlation of the models' mean scores. Same side: of "
            "the pairs that name a side in both, the share that names the same one; withheld where the judge may "
            "prefer a placeholder.",
        ),
        copied_agreement,
    ),
    "reidentified": RunStatistic(
        Measures(
            (
                Column("both", "Both countries named", "share"),
                Column("hidden", "Of pairs guessed both times", "share"),
                Column("against", "The same with more left to read", "share"),
                Column("difference", "Difference", "share"),
                Column("invalid", "No valid answer", "count"),
            ),
            ("judge", "pair category"),
            "How often both countries of a masked pair are named, each in its place. The first share is of all valid "
            "answers, with a Wilson interval that treats pairs as independent; the others are of pairs that were "
            "guessed both times, every pair alike, with intervals over clusters.",
        ),
        reidentified,
    ),
    "score_contrast": RunStatistic(
        Measures(
            (
                Column("condition", "Condition", "score"),
                Column("against", "Compared with", "score"),
                Column("difference", "Difference", "score"),
                Column("zero", "Score of 0 in the latter", "share"),
                Column("left_out", "Items left out", "count"),
            ),
            ("judge", "block"),
            "Mean pair score of two conditions on the same items: one template, topic, task and model. Left out are "
            "items that are not valid in both orders of both conditions, or of which a response was asked again "
            "because it looped.",
        ),
        score_contrast,
        dimensions=True,
    ),
    "order_contradictions": RunStatistic(
        Measures(
            (
                Column("condition", "Condition", "share"),
                Column("against", "Compared with", "share"),
                Column("difference", "Difference", "share"),
            ),
            ("judge",),
            "Of the pairs in which both orders of showing name a side, the share in which they name opposite ones; in "
            "each order the side is the sign of the score-weighted sides. Each share is of its own pairs, the "
            "difference of those in which both orders name a side both times.",
        ),
        order_contradictions,
    ),
    "validity": RunStatistic(
        Measures(
            (Column("complete", "Pairs with both orders valid", "share"),),
            ("judge",),
            "Of the pairs that were to be judged, the share with a valid verdict in both orders. The Wilson interval "
            "treats pairs as independent.",
        ),
        validity,
    ),
}
