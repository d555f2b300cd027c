"""Whether a model treats pairs with one country less evenly than its other Main pairs. Source: paper, section 5.1.4."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from polibias.analysis.cases import Case
from polibias.analysis.cells import cell
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.pbi import Tables, telling
from polibias.analysis.together import Chosen, Floats, Together, inside, marks_of, stream_of
from polibias.domain.sides import SIDES
from polibias.stats.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd

NO_OTHER = "no scored Main pair with the country, or none without it"
BESIDE = "no interval: this mean is shown for the difference beside it"
CAPTION = (
    "{scale}, of the Main pairs with a country, in either role, minus that of the same model's other Main pairs. Most "
    "countries stand in one pair, so what is told of a country is told of that pair as well. Descriptive: there are "
    "many countries, and no correction for their number. {about}"
)


def countries_of(case: Case) -> tuple[str, ...]:
    """The ids of the countries of a pair whose versions exchange them; empty for another pair and for a copy."""
    if case.pair.design.roles != "swapped" or case.original is not None:
        return ()
    return tuple(case.pair.parties[side] for side in SIDES)


def country_marks(case: Case) -> list[str]:
    """The words by which cells of this table select a case."""
    return [f"country={name}" for name in countries_of(case)]


def involvement_table(tables: Tables, cases: Sequence[Case]) -> Table | None:
    """By judge, model, condition and country; None without two countries in Main pairs.

    `cases` are those of `tables`, in its order.
    """
    named = [countries_of(case) if case.pair.design.block == "main" else () for case in cases]
    countries = sorted({name for names in named for name in names if name})
    if len(countries) < 2:
        return None
    with_country = {name: np.array([name in names for names in named], dtype=bool) for name in countries}
    rows = [
        TableRow(keys | {"country": name}, cells)
        for keys, group in tables.groups()
        for name, cells in _involved(tables, group[inside(group, "main")], keys, with_country).items()
    ]
    columns = (
        Column("pairs", "Pairs with it", tables.unit),
        Column("difference", "Minus other Main pairs", tables.unit),
    )
    caption = CAPTION.format(scale=tables.scale, about=tables.about)
    return Table("involvement", "Countries", caption, (*tables.keys, "country"), columns, tuple(rows))


def _involved(
    tables: Tables, rows: "pd.DataFrame", keys: Mapping[str, str], with_country: Mapping[str, Chosen]
) -> dict[str, dict[str, Cell]]:
    total, places = rows["total"].to_numpy(dtype=np.float64), rows.index.to_list()
    weights = (1 / rows["inclusion"]).to_numpy() if tables.weighted else np.ones(len(rows))
    clusters = rows[tables.spec.cluster].to_list()
    together = Together(tables, rows)
    for name, everywhere in with_country.items():
        chosen = everywhere[places]
        together.difference(name, total, chosen, ~chosen, NO_OTHER)
    found = together.estimates(stream_of(keys, "involvement"))
    width = tables.rubric.highest_total - tables.rubric.lowest_total
    main = marks_of(keys, block="main")
    return {
        name: {
            "pairs": cell(_mean(total, weights, clusters, everywhere[places]), main | {"country": name}),
            "difference": cell(telling(found[name], -width, width), main),
        }
        for name, everywhere in with_country.items()
    }


def _mean(total: Floats, weights: Floats, clusters: Sequence[str], chosen: Chosen) -> Estimate:
    """A mean that is only shown beside a difference."""
    n = int(chosen.sum())
    if not n:
        return Estimate(None, 0, 0, "", reason="no such pair")
    value = float(np.average(total[chosen], weights=weights[chosen]))
    return Estimate(
        value, n, len({one for one, own in zip(clusters, chosen, strict=True) if own}), "mean", reason=BESIDE
    )
