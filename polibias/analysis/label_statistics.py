"""The statistics that a plan about people may name, and what a planned comparison of labels comes to.

Each is made from the judges' calls and the annotators' labels of the same pairs. Where one cannot be made its estimates
say why. The names of a statistic's columns are what a plan's `measure` refers to.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from polibias.analysis.findings import Column
from polibias.analysis.label_directions import direction_rows
from polibias.analysis.label_scores import agreement_rows, difference_rows, gap_rows, kappa_rows, total_rows
from polibias.analysis.label_table import LabelTable, Missing, label_tables
from polibias.analysis.labelled import Labelled
from polibias.analysis.measured import Measured, Measures
from polibias.domain.plan import AnalysisRules, Comparison
from polibias.errors import InputError
from polibias.stats.proportion import share

JUDGE = ("judge",)
COUPLE = ("judge", "raters")


class LabelStatistic(NamedTuple):
    """A statistic: what its table is like, and the rows that it makes of one table of labels."""

    measures: Measures
    rows: Callable[[LabelTable], list[Measured]]

    def function(
        self,
        labelled: Labelled,
        comparison: Comparison,
        rules: AnalysisRules,
        judges: Sequence[str],
        missing: Missing = "pairwise",
        check: bool = False,
    ) -> list[Measured]:
        """All rows of a comparison, dimension by dimension if it asks for that; see `measure_labels`."""
        tables = label_tables(labelled, comparison, rules, judges, missing, check)
        return [row for table in tables for row in self.rows(table)]


def measure_labels(
    labelled: Labelled,
    comparison: Comparison,
    rules: AnalysisRules,
    judges: Sequence[str],
    missing: Missing = "pairwise",
    check: bool = False,
) -> tuple[Measures, list[Measured]]:
    """What a planned comparison comes to.

    Parameters
    ----------
    labelled
        All units; those outside `comparison.strata` are left out here.
    comparison, rules
        What is compared, and how. The draws of a row follow from the seed, the comparison's id, the judge, the
        dimension and the rater, so that adding a comparison never changes another's numbers.
    judges
        Who is compared if the comparison names nobody.
    missing
        `listwise`: a unit without a label of every rater has none, and a pair without a direction of every annotator
        has none of them.
    check
        Whether other libraries' values stand beside ours, if they are installed.

    Returns
    -------
    tuple
        The table's columns, keys and caption, and its rows. An estimate that cannot be made says why.

    Raises
    ------
    InputError
        For a statistic or a judge that is not there, a rule that the statistic does not know, a value off the scale, or
        a pair without the cluster or the probability that the rules ask for.
    """
    statistic = _statistic(comparison.statistic)
    found = statistic.function(labelled, comparison, rules, judges, missing, check)
    measures = statistic.measures
    if comparison.by == "dimension":
        measures = measures._replace(keys=(*measures.keys, "dimension"))
    return measures, found


def known_measures(statistic: str) -> tuple[str, ...]:
    """The names of a statistic's estimates. Raises InputError for a statistic that is not known."""
    return tuple(column.id for column in _statistic(statistic).measures.columns)


def _statistic(name: str) -> LabelStatistic:
    if name not in LABEL_STATISTICS:
        raise InputError(f"no statistic of labels '{name}'; there are {', '.join(LABEL_STATISTICS)}")
    return LABEL_STATISTICS[name]


def _validity_rows(table: LabelTable) -> list[Measured]:
    """A pair is valid if every unit of it has a score in both orders; people's labels do not matter."""
    pairs, rows = table.pairs(), []
    for judge in table.judges:
        valid = np.isfinite(pairs.spread(table.calls(judge).scores)).all(axis=(1, 2))
        rows.append(Measured(table.keys(judge=judge), {"valid": share(int(valid.sum()), len(pairs.clusters), "pair")}))
    return rows


LABEL_STATISTICS: dict[str, LabelStatistic] = {
    "kappa_gap": LabelStatistic(
        Measures(
            (
                Column("judge_human", "Judge and annotators", "score"),
                Column("human_human", "Annotators", "score"),
                Column("gap", "Gap", "score"),
            ),
            JUDGE,
            "Quadratic kappa of the judge with annotators and of annotators among themselves. The gap is the first "
            "minus the second, from the same draws: below zero the judge agrees less with people than they do with "
            "each other.",
        ),
        gap_rows,
    ),
    "kappa": LabelStatistic(
        Measures(
            (Column("kappa", "Kappa", "score"),),
            COUPLE,
            "Kappa of each judge with each annotator, and of annotators two by two. Annotators who share no unit have "
            "no row.",
        ),
        kappa_rows,
    ),
    "agreement_shares": LabelStatistic(
        Measures(
            (
                Column("exact", "Exact", "share"),
                Column("within_one", "Within one", "share"),
                Column("mean_difference", "Judge − annotators", "score"),
                Column("annotators_exact", "Exact, annotators", "share"),
                Column("annotators_within_one", "Within one, annotators", "share"),
            ),
            JUDGE,
            "How often a call of the judge equals an annotator's score, or lies within one point of it, and how much "
            "higher it is on average. Both orders' calls are compared, and annotators averaged. Beside them, "
            "annotators among themselves, averaged over couples.",
        ),
        agreement_rows,
    ),
    "mean_difference": LabelStatistic(
        Measures(
            (
                Column("judge_mean", "Judge", "score"),
                Column("annotators_mean", "Annotators", "score"),
                Column("difference", "Judge − annotators", "score"),
            ),
            JUDGE,
            "Mean score per dimension of what both the judge and an annotator scored, averaged over annotators, and "
            "the judge's minus theirs.",
        ),
        difference_rows,
    ),
    "direction_agreement": LabelStatistic(
        Measures(
            (
                Column("kappa", "Kappa of A, B, none", "score"),
                Column("same_side", "Same side", "share"),
                Column("favouring_a_difference", "Difference in favouring A", "share"),
            ),
            COUPLE,
            "The side that a pair favours: the judge's from both orders, an annotator's from the one set of labels. "
            "Same side: of the pairs in which both name a side, the share that names the same one. Difference: the "
            "first reader's share of A among its own named sides minus the second's. For a judge and all annotators "
            "every reading counts, inside the pair; for all annotators kappa is the mean over couples.",
        ),
        direction_rows,
    ),
    "icc_totals": LabelStatistic(
        Measures(
            (
                Column("icc_a_1_judge_human", "ICC(A,1), judge and annotators", "score"),
                Column("icc_a_1_human_human", "ICC(A,1), annotators", "score"),
                Column("icc_a_1_gap", "ICC(A,1), gap", "score"),
                Column("icc_c_1_judge_human", "ICC(C,1), judge and annotators", "score"),
                Column("icc_c_1_human_human", "ICC(C,1), annotators", "score"),
                Column("icc_c_1_gap", "ICC(C,1), gap", "score"),
            ),
            JUDGE,
            "Intraclass correlations of pair totals, the sum over dimensions; the judge's is the mean over both "
            "orders. Averaged over annotators, and over couples of annotators. A pair with a missing dimension has "
            "no total. The gap is the judge's minus the annotators', from the same draws.",
        ),
        total_rows,
    ),
    "validity": LabelStatistic(
        Measures(
            (Column("valid", "Valid in both orders", "share"),),
            JUDGE,
            "The share of pairs whose calls are valid in both orders. Pairs count as independent and alike.",
        ),
        _validity_rows,
    ),
}
