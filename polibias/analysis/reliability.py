"""How far a judge agrees with itself: its two orders, its quotes, and whether it scores length. One judge at a time.

Source: paper, App. E and Table 12. Between judges see `between_judges`. Which pairs a cell counts is said by the marks
of `reliability_marks` beside those of all tables.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from polibias.analysis.call_scores import CallScores, Floats, Groups, keyed, on_scale, where
from polibias.analysis.cases import Case, Quotes
from polibias.analysis.cells import absent, cell, possible
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.labels import NOT_ASKED
from polibias.analysis.structured import structures
from polibias.domain.rows import Score, Verdict
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS
from polibias.stats.calls import Ratio, call_kappas, ratios
from polibias.stats.estimate import Estimate
from polibias.stats.ranks import spearman

NO_PAIR = "no complete pair"
NO_SIDES = "no pair in which both orders name a side"
NO_SIDE = "no side was named"
NO_QUOTE = "no quote was given"
NO_TEXTS = "no complete pair with two responses whose words were counted"
DIMENSION = "dimension:{id}"
"""A dimension's column."""
NET, ANY, FIRST = "net", "any", "first"
SHOWN_FIRST = np.array([{"A": 1.0, "B": -1.0}[order[0]] for order in ORDERS])
"""The sign of the side that each order shows first."""

ORDERS_CAPTION = (
    "The two orders of showing the same responses, beside each other, over complete pairs. Kappa: quadratic weights, "
    "of all dimension scores together and of each dimension; where a side alone is asked, of the side. It falls where "
    "nearly all scores are alike, so that the rest of the row belongs to it. Distance: mean absolute difference of the "
    "totals, in points. {about}"
)
SIDES_CAPTION = (
    "Of the pairs in which both orders of showing name a side, the share in which they name opposite ones; half is "
    "what chance gives. Net: the side of an order is the sign of its score-weighted sides. Each dimension: a side "
    "counts where its score is above zero. All dimensions: the same of every pair in every dimension, so that a pair "
    "counts once for each. Shown first: of all sides that were named in either order, the share that was the response "
    "shown first; half is no preference for a place. {about}"
)
QUOTES_CAPTION = (
    "The quotes that a judge gives as evidence in its valid verdicts, looked for in the responses word for word, white "
    "space aside. In its response: in the one it was asked from, or in either where the task asks for one quote from "
    "both. A quote with an omission or a changed word stands in neither; so does one that was made up. n counts pairs "
    "with a quote. {about}"
)
LENGTH_CAPTION = (
    "Spearman's correlation of the pair score with how far the lengths of the two responses, in words, lie apart: as a "
    "share of the longer, and in words. It is no proof of a bias of the judge, because who says more may well say "
    "something else; near zero, length alone explains no scores. Made within each model, since models differ in both. "
    "Every pair counts alike."
)


def reliability_tables(groups: Groups) -> Iterator[Table]:
    """What each judge's own reading is worth, by judge and model."""
    yield order_effects_table(groups)
    yield order_sides_table(groups)
    yield quotes_table(groups)
    yield length_table(groups)


def reliability_marks(case: Case, rubric: Rubric) -> Iterator[str]:
    """The words by which cells on reliability select a case."""
    yield from (f"also:{judge}=yes" for judge in case.also)
    if quotes_of(case).given:
        yield "quoted=yes"
    if not case.complete:
        return
    verdicts = list(case.verdicts.values())
    named = [name for name in rubric.dimension_ids if _named(verdicts, name)]
    yield from (f"both_named={DIMENSION.format(id=name)}" for name in named)
    yield from [f"both_named={ANY}"] if named else []
    yield from [f"both_named={NET}"] if 0 not in case.nets(rubric) else []
    if any(_names(verdict.scores[id]) for verdict in verdicts for id in rubric.dimension_ids):
        yield "named=yes"


def _named(verdicts: Sequence[Verdict], dimension: str) -> bool:
    return all(_names(verdict.scores[dimension]) for verdict in verdicts)


def _names(score: Score) -> bool:
    """Whether it names a side that carries weight."""
    return score.favoured != "none" and score.score > 0


def dimension_columns(groups: Groups, unit: str) -> tuple[Column, ...]:
    """A column for each dimension of any condition."""
    rubrics = groups.tables.rubrics.values()
    titles = {one.id: one.title for rubric in rubrics for one in rubric.dimensions}
    return tuple(Column(DIMENSION.format(id=id), title, unit) for id, title in titles.items())


def with_dimensions(groups: Groups, cells: dict[str, Cell]) -> dict[str, Cell]:
    """The row's cells, and for a dimension that its condition does not ask for, why it has none."""
    missing = {column.id: absent(NOT_ASKED) for column in dimension_columns(groups, "")}
    return missing | cells


def order_effects_table(groups: Groups) -> Table:
    """Agreement of the two orders on scores and totals."""
    columns = (
        Column("kappa", "Kappa, all dimensions", "score"),
        *dimension_columns(groups, "score"),
        Column("same", "Same total", "share"),
        Column("apart", "Distance of totals", groups.tables.unit),
    )
    rows = [TableRow(keys, with_dimensions(groups, _effects(groups, calls, keys))) for keys, calls in _judged(groups)]
    caption = ORDERS_CAPTION.format(about=groups.tables.about)
    return Table(
        "order_effects", "Agreement of a judge's two orders", caption, groups.tables.keys, columns, tuple(rows)
    )


def _judged(groups: Groups) -> Iterator[tuple[dict[str, str], CallScores]]:
    """Every row's keys and complete pairs."""
    for judge in groups.judges:
        for model, condition in groups.rows():
            yield keyed(judge, model, condition), groups.calls(judge, model, condition)


def _effects(groups: Groups, calls: CallScores, keys: dict[str, str]) -> dict[str, Cell]:
    first, second = calls.order_totals.T
    ones = np.ones(len(calls.cases))
    totals = {
        "same": Ratio((first == second) * ones, ones, NO_PAIR, "logit"),
        "apart": Ratio(np.abs(first - second), ones, NO_PAIR),
    }
    kappas = call_kappas(calls.readings[:, :1], calls.readings[:, 1:], calls.points, NO_PAIR)
    made = groups.estimates(calls.places, [kappas, ratios(totals)], f"order effects {keys}")
    reach = float(calls.rubric.highest_total - calls.rubric.lowest_total)
    found = on_scale(made) | {"apart": possible(made["apart"], 0.0, reach)}
    return {column_of(calls.rubric, name): cell(one, where(keys)) for name, one in found.items()}


def column_of(rubric: Rubric, name: str) -> str:
    """The column of a statistic of `call_kappas`, whose `kappa:0` is that of the first dimension."""
    head, _, number = name.partition(":")
    return DIMENSION.format(id=rubric.dimension_ids[int(number)]) if number else head


def order_sides_table(groups: Groups) -> Table:
    """How often the two orders name opposite sides, where both name one."""
    columns = (
        Column(NET, "Net", "share"),
        Column(ANY, "All dimensions", "share"),
        *dimension_columns(groups, "share"),
        Column(FIRST, "Side shown first, of all named", "share"),
    )
    rows = [TableRow(keys, with_dimensions(groups, _opposed(groups, calls, keys))) for keys, calls in _judged(groups)]
    caption = SIDES_CAPTION.format(about=groups.tables.about)
    title = "Orders that name opposite sides"
    return Table("order_sides", title, caption, groups.tables.keys, columns, tuple(rows))


def _opposed(groups: Groups, calls: CallScores, keys: dict[str, str]) -> dict[str, Cell]:
    each = calls.sides[:, 0] * calls.sides[:, 1]
    net = np.sign(calls.nets).prod(axis=1)[:, None]
    names = [DIMENSION.format(id=id) for id in calls.rubric.dimension_ids]
    products = {NET: net, ANY: each} | {name: each[:, [number]] for number, name in enumerate(names)}
    shares = {name: _share(product) for name, product in products.items()}
    found = on_scale(groups.estimates(calls.places, [ratios(shares)], f"order sides {keys}"), 0.0)
    first = on_scale(groups.estimates(calls.places, [ratios({FIRST: _first(calls)})], f"order first {keys}"), 0.0)
    return {name: cell(one, where(keys, both_named=name)) for name, one in found.items()} | {
        FIRST: cell(first[FIRST], where(keys, named="yes"))
    }


def _first(calls: CallScores) -> Ratio:
    """How many of the sides that were named are those of the response shown first."""
    first = calls.sides * SHOWN_FIRST[:, None] > 0
    return Ratio(first.sum(axis=(1, 2)), (calls.sides != 0).sum(axis=(1, 2)), NO_SIDE, "logit")


def _share(product: Floats) -> Ratio:
    """How many products of two signs are negative, of those that are not zero."""
    return Ratio((product < 0).sum(axis=1), (product != 0).sum(axis=1), NO_SIDES, "logit")


def quotes_of(case: Case) -> Quotes:
    """All quotes of a case's valid verdicts."""
    read = [row.quotes for row in case.judgments.values() if row.quotes is not None]
    return Quotes(*(sum(column) for column in zip(*read, strict=True))) if read else Quotes(0, 0, 0)


def quotes_table(groups: Groups) -> Table:
    """How many quotes stand in the response they are from, in the other alone, or in neither."""
    columns = (
        Column("quotes", "Quotes", "count"),
        Column("own", "In its response", "share"),
        Column("elsewhere", "In the other one only", "share"),
        Column("nowhere", "In neither", "share"),
    )
    counted = np.array([quotes_of(case) for case in groups.cases], dtype=np.float64).reshape(-1, 3)
    rows = []
    for judge in groups.judges:
        for model, condition in groups.rows():
            places, keys = groups.asked(judge, model, condition), keyed(judge, model, condition)
            rows.append(TableRow(keys, _quotes(groups, places, counted[places], keys)))
    caption = QUOTES_CAPTION.format(about=groups.tables.about)
    return Table("quotes", "Evidence of the judge", caption, groups.tables.keys, columns, tuple(rows))


def _quotes(groups: Groups, places: list[int], counted: Floats, keys: dict[str, str]) -> dict[str, Cell]:
    given, own, elsewhere = counted.T
    tops = {"own": own, "elsewhere": elsewhere, "nowhere": given - own - elsewhere}
    shares = ratios({name: Ratio(top, given, NO_QUOTE, "logit") for name, top in tops.items()})
    found = on_scale(groups.estimates(places, [shares], f"quotes {keys}"), 0.0)
    pairs, clusters = found["own"].n, found["own"].clusters
    found["quotes"] = Estimate(float(given.sum()), pairs, clusters, "count")
    return {name: cell(one, where(keys, complete="", quoted="yes")) for name, one in found.items()}


def length_table(groups: Groups) -> Table:
    """The rank correlation of score and difference in length."""
    columns = (Column("share", "Share of the longer", "score"), Column("words", "Words", "score"))
    rows = [
        TableRow(keys, _length(groups, calls, keys))
        for keys, calls in _judged(groups)
        if keys["model"] in groups.models
    ]
    title = "Score and difference in length"
    return Table("length", title, LENGTH_CAPTION, groups.tables.keys, columns, tuple(rows))


def _length(groups: Groups, calls: CallScores, keys: dict[str, str]) -> dict[str, Cell]:
    lengths = [structures(case) for case in calls.cases]
    known = np.array([one is not None for one in lengths], dtype=np.bool_)
    words = np.array([(one.A.words, one.B.words) for one in lengths if one is not None], dtype=np.float64)
    longer, shorter = words.reshape(-1, 2).max(axis=1), words.reshape(-1, 2).min(axis=1)
    own = calls.among(known)
    clusters, scores = groups.sample(own.places).clusters, own.totals.tolist()
    apart = {"share": (longer - shorter) / np.maximum(longer, 1), "words": longer - shorter}
    found = {name: spearman(scores, values.tolist(), clusters) for name, values in apart.items()}
    if not known.any():
        found = dict.fromkeys(found, Estimate(None, 0, 0, "", reason=NO_TEXTS))
    return {name: cell(one, where(keys, comparable="yes")) for name, one in on_scale(found).items()}
