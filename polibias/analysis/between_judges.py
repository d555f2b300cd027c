"""How far two judges agree: call by call, pair by pair, and on the models.

Everything is of pairs that are complete for both, so that the judges are compared on the same responses. Source: paper,
App. E, Table 12 and Fig. 10.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from polibias.analysis.call_scores import CallScores, Groups, keyed, on_scale, where
from polibias.analysis.cells import cell
from polibias.analysis.detected import EVERY_MODEL
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.reliability import column_of, dimension_columns, with_dimensions
from polibias.stats.bias_index import sample_estimates
from polibias.stats.calls import Ratio, call_kappas, ratios
from polibias.stats.estimate import Estimate
from polibias.stats.icc import f_intervals, icc
from polibias.stats.ranks import rankings
from polibias.stats.ratings import Ratings

NO_PAIR = "no pair is complete for both judges"
FEWEST_MODELS = 3
FEW_MODELS = "fewer than 3 models have a Main pair that is complete for both judges"
ICCS = ("icc_a_1", "icc_c_1")
CALLS_CAPTION = (
    "Two judges on the pairs that are complete for both. Kappa: quadratic weights, of single calls, each order of the "
    "one beside the same order of the other; all dimension scores together, and each dimension. ICC: of pair totals; "
    "ICC(A,1) counts a constant offset between the judges as disagreement, ICC(C,1) does not, and the third interval "
    "under each is McGraw and Wong's F interval, which treats pairs as independent. A model whose pairs hardly differ "
    "has a low ICC, however close the judges are; so the mean difference stands beside it (judge − second judge, in "
    "points). {about}"
)
MODELS_CAPTION = (
    "Do two judges order the models alike? Correlation of the models' mean Main scores, from the Main pairs that are "
    "complete for both judges. The intervals are about these very models, asked about other {clusters}; they say "
    "nothing about other models. {about}"
)


class Shared(NamedTuple):
    """The pairs that are complete for two judges, in one order for both."""

    first: CallScores
    second: CallScores


def between_judges_tables(groups: Groups) -> Iterator[Table]:
    """Agreement on calls and pairs, then on models; none with a single judge."""
    if len(groups.judges) > 1:
        yield between_judges_table(groups)
        yield between_models_table(groups)


def shared(groups: Groups, judges: tuple[str, str], model: str, condition: str) -> Shared:
    """Two judges' calls on the pairs that are complete for both."""
    first, second = (groups.calls(judge, model, condition) for judge in judges)
    known = {(case.model, case.pair_id): place for place, case in enumerate(second.cases)}
    both = [(n, known.get((case.model, case.pair_id))) for n, case in enumerate(first.cases)]
    kept = [(n, place) for n, place in both if place is not None]
    return Shared(first.among([n for n, _ in kept]), second.among([place for _, place in kept]))


def between_judges_table(groups: Groups) -> Table:
    """Kappa of calls, intraclass correlation of pair totals, and their mean difference."""
    columns = (
        Column("kappa", "Kappa, all dimensions", "score"),
        *dimension_columns(groups, "score"),
        Column("icc_a_1", "ICC(A,1)", "score"),
        Column("icc_c_1", "ICC(C,1)", "score"),
        Column("difference", "Mean difference", groups.tables.unit),
    )
    rows = []
    for judges in combinations(groups.judges, 2):
        for model, condition in groups.rows():
            keys = keyed(judges[0], model, condition, second_judge=judges[1])
            both = shared(groups, judges, model, condition)
            rows.append(TableRow(keys, with_dimensions(groups, _agreement(groups, both, keys))))
    caption = CALLS_CAPTION.format(about=groups.tables.about)
    keys_of = ("judge", "second_judge", *groups.tables.keys[1:])
    return Table("between_judges", "Agreement between judges", caption, keys_of, columns, tuple(rows))


def _agreement(groups: Groups, both: Shared, keys: dict[str, str]) -> dict[str, Cell]:
    first, second = both
    kappas = call_kappas(first.readings, second.readings, first.points, NO_PAIR)
    difference = Ratio(first.totals - second.totals, np.ones(len(first.cases)), NO_PAIR, contrast=True)
    name = f"between judges {keys}"
    found = groups.estimates(first.places, [kappas, ratios({"difference": difference})], name)
    kept = {id: one for id, one in found.items() if id != "difference"} | _iccs(groups, both, name)
    scaled = on_scale(kept) | {"difference": found["difference"]}
    return {column_of(first.rubric, id): cell(one, _marks(keys)) for id, one in scaled.items()}


def _marks(keys: Mapping[str, str]) -> dict[str, str]:
    """The pairs that are complete for both judges, as the first one read them."""
    return where(keys) | {f"also:{keys['second_judge']}": "yes"}


def _iccs(groups: Groups, both: Shared, name: str) -> dict[str, Estimate]:
    """ICC(A,1) and ICC(C,1) of the totals, the F interval beside the engine's."""
    first, second = both
    totals, rubric = np.column_stack([first.totals, second.totals]), first.rubric
    sample, scale = groups.sample(first.places), (float(rubric.lowest_total), float(rubric.highest_total))
    ratings = Ratings(totals, scale, sample.clusters, sample.weights)
    family, further = icc(ratings), f_intervals(ratings)
    defined, plain = {id: family.statistics[id] for id in ICCS}, groups.sample(first.places, weighted=False)
    found = sample_estimates(defined, family.columns, plain, groups.draws(name), sample.effective_n)
    return {id: replace(one, beside=(*one.beside, further[id])) if id in further else one for id, one in found.items()}


def between_models_table(groups: Groups) -> Table:
    """Correlations of the models' mean Main scores."""
    columns = (
        Column("models", "Models", "count"),
        Column("pearson", "Pearson r", "score"),
        Column("spearman", "Spearman's rho", "score"),
        Column("kendall_tau_b", "Kendall's tau-b", "score"),
    )
    rows = []
    for judges in combinations(groups.judges, 2):
        for condition in groups.conditions:
            keys = {"judge": judges[0], "second_judge": judges[1]} | ({"condition": condition} if condition else {})
            rows.append(TableRow(keys, _ranking(groups, judges, condition, keys)))
    clusters = "scenario templates" if groups.tables.spec.cluster == "template" else "topics"
    caption = MODELS_CAPTION.format(about=groups.tables.about, clusters=clusters)
    keys_of = ("judge", "second_judge", *groups.tables.keys[2:])
    return Table("between_models", "Agreement between judges on models", caption, keys_of, columns, tuple(rows))


def _ranking(groups: Groups, judges: tuple[str, str], condition: str, keys: dict[str, str]) -> dict[str, Cell]:
    both = shared(groups, judges, EVERY_MODEL, condition)
    main = groups.main[both.first.places]
    first, second = both.first.among(main), both.second.among(main)
    models, sample = first.models.tolist(), groups.sample(first.places)
    spec = groups.tables.spec
    found = rankings(
        first.totals.tolist(),
        second.totals.tolist(),
        models,
        sample.clusters,
        spec.resamples,
        spec.seed,
        f"between models {keys}",
        sample.weights,
    )
    asked = len(set(models))
    if asked < FEWEST_MODELS:
        found = {id: Estimate(None, len(models), one.clusters, "", reason=FEW_MODELS) for id, one in found.items()}
    clusters = next(iter(found.values())).clusters
    counted = {"models": Estimate(float(asked), len(models), clusters, "count")}
    return {id: cell(one, _marks(keys) | {"block": "main"}) for id, one in (on_scale(found) | counted).items()}
