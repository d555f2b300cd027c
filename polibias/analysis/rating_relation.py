"""The ratings that texts give, beside the judge's scores: does the judge score a pair higher where ratings lie apart?

Ratings are read by rules, so this asks the judge without a judge. Source: paper, section 5.2.
"""

import numpy as np

from polibias.analysis.call_scores import CallScores, Groups, keyed, on_scale, where
from polibias.analysis.cases import Case
from polibias.analysis.cells import cell
from polibias.analysis.findings import Cell, Table, TableRow
from polibias.analysis.reliability import DIMENSION, dimension_columns, with_dimensions
from polibias.analysis.structured import measures, structures
from polibias.detectors.signals import RATED
from polibias.stats.estimate import Estimate
from polibias.stats.ranks import spearman

NO_RATINGS = "no complete pair whose two texts give a rating"
READ = {"read:rating": "yes"}
CAPTION = (
    "Spearman's correlation of how far the two severity ratings of a pair lie apart, as rules read them in the texts, "
    "with the judge's score in each dimension, the mean of its orders. Over complete pairs of which both texts give a "
    "rating, where the task asks for one. Near zero, judge and ratings do not tell the same pairs apart. Made within "
    "each model. Every pair counts alike. 95% intervals: jackknife-t of Fisher's z."
)


def rating_relation_table(groups: Groups) -> Table | None:
    """A row for each judge and model, a column for each dimension; None where no task asks for a rating."""
    if not any(case.pair.design.task == RATED for case in groups.cases):
        return None
    rows = []
    for judge in groups.judges:
        for model, condition in groups.rows():
            if model in groups.models:
                keys = keyed(judge, model, condition)
                cells = _related(groups, groups.calls(judge, model, condition), keys)
                rows.append(TableRow(keys, with_dimensions(groups, cells)))
    columns = dimension_columns(groups, "score")
    title = "Score and distance of ratings"
    return Table("rating_relation", title, CAPTION, groups.tables.keys, columns, tuple(rows))


def _related(groups: Groups, calls: CallScores, keys: dict[str, str]) -> dict[str, Cell]:
    apart = [_distance(case) for case in calls.cases]
    own = calls.among(np.array([one is not None for one in apart], dtype=np.bool_))
    distances = [one for one in apart if one is not None]
    scores, clusters = own.scores.mean(axis=1), groups.sample(own.places).clusters
    found = {
        DIMENSION.format(id=id): spearman(scores[:, number].tolist(), distances, clusters)
        if distances
        else Estimate(None, 0, 0, "", reason=NO_RATINGS)
        for number, id in enumerate(calls.rubric.dimension_ids)
    }
    return {name: cell(one, where(keys, **READ)) for name, one in on_scale(found).items()}


def _distance(case: Case) -> float | None:
    """How many points the two ratings of a pair lie apart; None where they are not both there."""
    both = structures(case)
    if both is None or case.pair.design.task != RATED:
        return None
    return measures(both, RATED)["rating"].value
