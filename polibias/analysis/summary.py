"""What a report says in words: what was found, each beside its baseline and its uncertainty, and what was not shown."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from polibias.analysis.cells import BLOCKS, signed
from polibias.analysis.findings import Cell, Table, TableRow
from polibias.analysis.robustness import QUANTITIES
from polibias.domain.display import numbered

UNEVEN = {
    "main": "Main pairs were treated less evenly than Control pairs",
    "control": "Control pairs were treated less evenly than Main pairs",
    "none": "no difference was shown",
    "open": "nothing follows",
}
"""What a comparison of the two blocks can say."""
NO_SCORE = "no pair has a score"


def summary(tables: Sequence[Table], conditions: Mapping[str, str]) -> Iterator[str]:
    """All main comparisons together, then each as a sentence, those of a model beside each other; then each judge.

    The first of the tables holds the mean scores; `conditions` has the titles of conditions.
    """
    scores = widened(tables)
    models = list(dict.fromkeys(row.keys["model"] for row in scores.rows))
    if len(scores.rows) > 1 and {*BLOCKS, "difference"} <= {column.id for column in scores.columns}:
        yield _together(scores, len(models), scores != tables[0])
    for row in sorted(scores.rows, key=lambda row: models.index(row.keys["model"])):
        yield in_words(row, conditions)
    yield from judges_in_words(tables)


def widened(tables: Sequence[Table]) -> Table:
    """The table of mean scores, each difference with the wider of its intervals where it is clustered in two ways."""
    scores = tables[0]
    ways = next((table.rows for table in tables if table.id == "two_ways"), ())
    wider = {
        tuple(row.keys[key] for key in scores.keys): row.cells["wider"]
        for row in ways
        if row.keys["quantity"] == QUANTITIES["difference"] and row.cells["wider"].low is not None
    }

    def wide(row: TableRow) -> TableRow:
        found = wider.get(tuple(row.keys[key] for key in scores.keys))
        if found is None or "difference" not in row.cells or row.cells["difference"].low is None:
            return row
        return msgspec.structs.replace(row, cells=row.cells | {"difference": found})

    return msgspec.structs.replace(scores, rows=tuple(map(wide, scores.rows)))


def judges_in_words(tables: Sequence[Table]) -> Iterator[str]:
    """How far each judge agrees with itself, and whether its quotes stand in the responses: what its scores rest on."""
    by_id = {table.id: table for table in tables}
    effects, quotes = by_id.get("order_effects"), by_id.get("quotes")
    seen: set[tuple[str, ...]] = set()
    for row, quoted in zip(effects.rows if effects else (), quotes.rows if quotes else (), strict=True):
        group = tuple(value for key, value in row.keys.items() if key != "model")
        if group not in seen:  # the first row of a judge is that of all models together
            seen.add(group)
            yield _judge_in_words(row, quoted)


def _judge_in_words(row: TableRow, quoted: TableRow) -> str:
    kappa, same, own = row.cells["kappa"], row.cells["same"], quoted.cells["own"]
    who = ", ".join(value for key, value in row.keys.items() if key != "model")
    if same.value is None:
        return f"Judge {who}: {same.reason}."
    said = [f"its two orders give the same total in {same.value:.0%} of {numbered(same.n, 'pair')}"]
    if kappa.value is not None:
        bounds = "" if kappa.low is None or kappa.high is None else f" [{kappa.low:.2f}, {kappa.high:.2f}]"
        said.append(f"they agree with kappa {kappa.value:.2f}{bounds} over all dimensions".replace("-", "−"))
    if own.value is not None:
        said.append(f"{own.value:.0%} of its quotes stand word for word in the response that they are from")
    doubt = kappa.low is not None and kappa.low <= 0
    weak = " No agreement beyond chance was shown between its orders, so its scores may say little." if doubt else ""
    return f"Judge {who}: {'; '.join(said)}.{weak}"


def _together(scores: Table, models: int, wider: bool) -> str:
    """How many comparisons say what; `wider`: by the wider of two intervals."""
    said = Counter(shown(row) for row in scores.rows)
    judges = len({row.keys["judge"] for row in scores.rows})
    counted = "; ".join(f"{words} in {said[claim]}" for claim, words in UNEVEN.items() if said[claim])
    who = f"{numbered(models, 'model')}, {numbered(judges, 'judge')}"
    of_two = "is the wider of two, clustered by template and by topic, and " if wider else ""
    return (
        f"Of {len(scores.rows)} comparisons of Main with Control pairs ({who}): {counted}. Each interval {of_two}"
        "stands alone; they are not corrected for their number."
    )


def shown(row: TableRow) -> str:
    """What the comparison of a row of mean scores says: a key of `UNEVEN`."""
    difference = row.cells["difference"]
    if difference.value is None or difference.low is None or difference.high is None:
        return "open"
    if difference.low <= 0 <= difference.high:
        return "none"
    return "main" if difference.value > 0 else "control"


def in_words(row: TableRow, conditions: Mapping[str, str] = {}) -> str:
    """The main comparison as a sentence, with what it does and does not show; one block alone is only described.

    `conditions` holds their titles.
    """
    who = f"{row.keys['model']}, judged by {row.keys['judge']}"
    if "condition" in row.keys:
        who += f", {conditions.get(row.keys['condition'], row.keys['condition'])}"
    if "difference" not in row.cells:
        return f"{who}: {_alone(next(iter(row.cells.values())))}."
    main, control, difference = (row.cells[name] for name in ("main", "control", "difference"))
    if main.value is None or control.value is None or difference.value is None:
        neither = main.value is None and control.value is None
        missing = NO_SCORE if neither else difference.reason or main.reason or control.reason
        return f"{who}: Main and Controls cannot be compared ({missing})."
    values = f"Main {main.value:.2f} (n = {main.n}), Controls {control.value:.2f} (n = {control.n})"
    if difference.low is None or difference.high is None:
        return f"{who}: {values}, difference {signed(difference.value)}. Nothing follows from it: {difference.reason}."
    bounds = f"95% interval {signed(difference.low)} to {signed(difference.high)}"
    least = _detectable(difference) if shown(row) == "none" else ""
    return f"{who}: {values}, difference {signed(difference.value)}, {bounds}: {UNEVEN[shown(row)]}{least}."


def _detectable(difference: Cell) -> str:
    if difference.detectable is None:
        return ""
    return f"; one of {difference.detectable:.2f} would have been found in 80% of such studies"


def _alone(mean: Cell) -> str:
    if mean.value is None:
        return f"no mean score ({mean.reason})"
    if mean.low is None or mean.high is None:
        return f"mean score {mean.value:.2f} (n = {mean.n}), {mean.reason}"
    bounds = f"{mean.low:.2f} to {mean.high:.2f}".replace("-", "−")
    return f"mean score {mean.value:.2f} (n = {mean.n}), 95% interval {bounds}"


def not_shown(tables: Sequence[Table], reworded: bool) -> Iterator[str]:
    """What a reader might take from the tables and must not. The first of them holds the mean scores.

    `reworded` says whether the run could have a null baseline, of prompts that were only reworded.
    """
    scores, ids = tables[0], {table.id for table in tables}
    both = any("difference" in row.cells for row in scores.rows)
    if any("difference" in row.cells and shown(row) == "none" for row in scores.rows):
        yield (
            "“No difference was shown” is not “there is none”: a difference smaller than the one that each sentence "
            "names would often be missed."
        )
    if not both and {column.id for column in scores.columns} == {"control"}:
        yield "This run has control pairs alone: a baseline, and nothing that it could be the baseline of."
    elif not both:
        yield "There is no baseline in this run: no control pairs stand beside the pairs, so no score says “uneven”."
    if len({row.keys["model"] for row in scores.rows}) > 1:
        against = "its own Control pairs" if both else "nothing but its own interval"
        yield f"Models are not tested against each other: each stands beside {against}."
    if "directions" in ids:
        yield "Which side is favoured is counted and not tested; it describes these pairs and nothing beyond them."
    if reworded and "null" not in ids:
        yield (
            "How far two answers lie apart when a prompt is merely reworded was not measured here; that takes a run of "
            "the null study beside this one."
        )
