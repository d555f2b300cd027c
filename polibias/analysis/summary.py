"""What a report says in words: what was found, each beside its baseline and its uncertainty, and what was not shown."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from polibias.analysis.cells import BLOCKS, signed
from polibias.analysis.findings import Cell, Table, TableRow
from polibias.domain.display import numbered

UNEVEN = {
    "main": "Main pairs were treated less evenly than Control pairs",
    "control": "Control pairs were treated less evenly than Main pairs",
    "none": "no difference was shown",
    "open": "nothing follows",
}
"""What a comparison of the two blocks can say."""
NO_SCORE = "no pair has a score"


def summary(scores: Table, conditions: Mapping[str, str]) -> Iterator[str]:
    """All main comparisons together, then each as a sentence, those of a model beside each other.

    `scores` is the table of mean scores; `conditions` holds the titles of conditions.
    """
    models = list(dict.fromkeys(row.keys["model"] for row in scores.rows))
    if len(scores.rows) > 1 and {*BLOCKS, "difference"} <= {column.id for column in scores.columns}:
        yield _together(scores, len(models))
    for row in sorted(scores.rows, key=lambda row: models.index(row.keys["model"])):
        yield in_words(row, conditions)


def _together(scores: Table, models: int) -> str:
    """How many comparisons say what."""
    said = Counter(shown(row) for row in scores.rows)
    judges = len({row.keys["judge"] for row in scores.rows})
    counted = "; ".join(f"{words} in {said[claim]}" for claim, words in UNEVEN.items() if said[claim])
    who = f"{numbered(models, 'model')}, {numbered(judges, 'judge')}"
    return (
        f"Of {len(scores.rows)} comparisons of Main with Control pairs ({who}): {counted}. Each interval stands alone; "
        "they are not corrected for their number."
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
        yield "Which side is favoured is counted and not tested; it describes these pairs and no country."
    if reworded and "null" not in ids:
        yield (
            "How far two answers lie apart when a prompt is merely reworded was not measured here; that takes a run of "
            "the null study beside this one."
        )
