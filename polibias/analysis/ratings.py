"""Agreement on a ratings file: what `polibias agreement` computes and says."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from polibias.analysis.crosscheck import Check
from polibias.domain.ids import plain
from polibias.domain.rows import Annotation
from polibias.domain.rubric import Rubric
from polibias.domain.sides import SIDES
from polibias.errors import InputError
from polibias.records.documents import read_named
from polibias.records.ledger import Stream, read
from polibias.records.openings import opened_early, openings_of
from polibias.records.runs import STUDY_TAG, Run, annotation_key
from polibias.sources.ratings import Columns, RatingTable, Record, Scale, read_ratings, records_in, table
from polibias.stats.agreement import agreement
from polibias.stats.estimate import Estimate
from polibias.stats.ratings import Ratings

LEVELS = ("nominal", "ordinal", "interval", "ratio")
HEADLINE = {
    "nominal": ("kappa", "kappa"),
    "ordinal": ("kappa_quadratic", "quadratic-weighted kappa"),
    "interval": ("kappa_quadratic", "quadratic-weighted kappa"),
    "ratio": ("alpha_ratio", "Krippendorff's alpha for a ratio scale"),
}


class Agreement(NamedTuple):
    """Every coefficient by name, with the table it rests on and how often each rater used each point of the scale."""

    estimates: dict[str, Estimate]
    table: RatingTable
    scale: Scale
    level: str
    marginals: dict[str, list[int]]


ANNOTATIONS = Columns("unit", "annotator", "score", "pair")
EXPORTED = frozenset({"project", "annotator", "item", "showing", "status"})
"""Columns by which an exported table of annotations is known: it tells of places that have no rating too."""
UNIT_DIGITS = 12


def read_any(path: Path, columns: Columns, scale: Scale) -> RatingTable:
    """A ratings file with the named columns, or without names an exported annotation stream or its CSV.

    Of an exported table or stream only what was submitted is read.
    """
    named = columns.unit or columns.rater or columns.raters
    whole = columns._replace(
        unit=columns.unit or ANNOTATIONS.unit,
        rater=columns.rater or ANNOTATIONS.rater,
        value=columns.value or ANNOTATIONS.value,
        cluster=columns.cluster or ("" if columns.unit else ANNOTATIONS.cluster),
    )
    records = _annotations(path) if path.suffix == ".jsonl" and not named else _submitted(records_in(path))
    return table(path, read_ratings(path, whole, scale, records), scale)


def opened(path: Path) -> list[str]:
    """A line for the project that the file was exported from, if it was ever opened before its study closed."""
    return [opened_early(project, known) for project, known in openings_of(path).items()]


def _submitted(records: Iterable[Record]) -> Iterator[Record]:
    """Every record of any file, but of an exported table only what was submitted."""
    for where, record in records:
        if not record.keys() >= EXPORTED or record["status"] == "submitted":
            yield where, record


def _annotations(path: Path) -> Iterator[Record]:
    """Every answer at a first showing that was submitted last, under the names that its CSV has.

    The stream's own hashes are checked on the way.
    """
    stream = Stream(path, Annotation, annotation_key)
    latest = {entry.key: entry for entry in read(stream)}
    if not latest:
        raise InputError(f"{path}: no annotations in this file")
    rubric = _rubric(path)
    for entry in latest.values():
        if entry.row.status == "submitted" and entry.row.showing == "first":
            yield from ((str(entry.where), record) for record in _answers(entry.row, rubric))


def _answers(row: Annotation, rubric: Rubric | None) -> Iterator[dict[str, Any]]:
    """One record per score and per rated response."""
    sides_only = {one.id for one in rubric.dimensions if one.asks == "side"} if rubric else set()
    ascending = {label.id: label for label in rubric.labels if label.ordinal} if rubric else {}
    common = {"annotator": row.annotator, "pair": row.pair, "model": row.model, **plain(row.design)}
    prefix = f"{row.pair[:UNIT_DIGITS]}:{row.model}"
    for name, score in row.scores.items():
        value = "" if name in sides_only else score.score
        own = {"unit": f"{prefix}:{name}", "dimension": name, "score": value, "favoured": score.favoured}
        yield {**common, **own, "option": ""}
    for name, label in row.labels.items():
        for side in SIDES:
            value = ascending[name].rating(label[side]) if name in ascending else ""
            own = {"unit": f"{prefix}:{name}:{side}", "dimension": name, "score": value, "favoured": ""}
            yield {**common, **own, "option": label[side]}


def _rubric(path: Path) -> Rubric | None:
    """The rubric of the run that the annotations lie in, None for a stream that lies elsewhere."""
    run = Run(path.absolute().parent.parent)
    if not run.study.exists():
        return None
    return msgspec.convert(read_named(run.study, STUDY_TAG)["rubric"], type=Rubric)


def ratings_of(table: RatingTable, scale: Scale) -> Ratings:
    """The table as statistics take it."""
    values = np.array([[np.nan if v is None else v for v in row] for row in table.values], dtype=np.float64)
    return Ratings(values, scale.points, table.clusters)


def agreement_of(table: RatingTable, scale: Scale, level: str, resamples: int, seed: int) -> Agreement:
    """Agreement between the table's raters, whose values all lie on the scale."""
    ratings = ratings_of(table, scale)
    marginals = {
        rater: [int((ratings.values[:, place] == point).sum()) for point in scale.points]
        for place, rater in enumerate(table.raters)
    }
    return Agreement(agreement(ratings, resamples, seed), table, scale, level, marginals)


def in_words(found: Agreement) -> str:
    """The main result in a sentence."""
    name, title = HEADLINE[found.level]
    coefficient, exact = found.estimates[name], found.estimates["exact"]
    raters = found.table.raters
    who = " and ".join(raters) if len(raters) == 2 else f"Each two of {len(raters)} raters, on average,"
    if exact.value is None:
        return f"Agreement cannot be estimated: {exact.reason}."
    same = f"{who} gave the same rating to {exact.value:.0%} of {exact.n} units"
    if coefficient.value is None:
        return f"{same}; {title} is not defined: {coefficient.reason}."
    return f"{same}; {title} is {coefficient.value:.2f}{_between(coefficient)}."


def _between(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f" ({estimate.reason})" if estimate.reason else ""
    return f" (95% interval {estimate.low:.2f} to {estimate.high:.2f})"


def as_text(found: Agreement, checks: Sequence[Check] | None = None) -> str:
    """The sentence, a line per coefficient, how often each point was used, and how the intervals were made."""
    width = max(map(len, found.estimates)) + 2
    head = f"{'':<{width}}{'value':>8}  {'95% interval':<18}{'percentile':<18}{'n':>7}{'clusters':>10}"
    lines = [in_words(found), "", head]
    lines += [_line(name, estimate, width) for name, estimate in found.estimates.items()]
    lines += ["", *_marginals(found)]
    if checks is not None:
        lines += ["", *(check.line for check in checks)]
    return "\n".join([*lines, "", *_footnotes(found)])


def _line(name: str, estimate: Estimate, width: int) -> str:
    value = "–" if estimate.value is None else f"{estimate.value:z.3f}"
    bounds = _bounds(estimate.low, estimate.high)
    beside = _bounds(estimate.beside[0].low, estimate.beside[0].high) if estimate.beside else ""
    return f"{name:<{width}}{value:>8}  {bounds:<18}{beside:<18}{estimate.n:>7}{estimate.clusters:>10}"


def _bounds(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:z.3f}, {high:z.3f}]"


def _marginals(found: Agreement) -> Iterator[str]:
    labels = found.scale.words or tuple(f"{point:g}" for point in found.scale.points)
    width = max(*map(len, found.table.raters), len("used")) + 2
    most = max(max(counts) for counts in found.marginals.values())
    cell = 2 + max(len(str(most)), *map(len, labels))
    yield f"{'used':<{width}}{''.join(f'{label:>{cell}}' for label in labels)}"
    for rater, counts in found.marginals.items():
        yield f"{rater:<{width}}{''.join(f'{count:>{cell}}' for count in counts)}"
    if found.table.missing:
        yield f"Missing: {found.table.missing} of {len(found.table.units) * len(found.table.raters)} ratings."


def _footnotes(found: Agreement) -> Iterator[str]:
    """Why something is missing, and how what is there was made; each said once."""
    estimates = found.estimates.values()
    reasons: dict[str, list[str]] = {}
    for name, estimate in found.estimates.items():
        if estimate.reason:
            reasons.setdefault(estimate.reason, []).append(name)
    for reason, names in reasons.items():
        yield f"{', '.join(names)}: {reason}."
    methods = [estimate.method for estimate in estimates if estimate.low is not None]
    methods += [other.method for estimate in estimates for other in estimate.beside if other.low is not None]
    warnings = [
        f"{other.method.split(',')[0]}: {other.reason}"
        for estimate in estimates
        for other in estimate.beside
        if other.reason
    ]
    for text in dict.fromkeys((*methods, *warnings)):
        yield f"{text[0].upper()}{text[1:]}."
