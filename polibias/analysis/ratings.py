"""Agreement on a ratings file: what `polibias agreement` computes and says."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from polibias.domain.rows import Annotation
from polibias.errors import InputError
from polibias.records.ledger import Stream, read
from polibias.records.runs import annotation_key
from polibias.sources.ratings import Columns, Rating, RatingTable, read_ratings, table
from polibias.stats.agreement import agreement
from polibias.stats.estimate import Estimate
from polibias.stats.ratings import Ratings


class Agreement(NamedTuple):
    """Every coefficient by name, with the raters and units it rests on."""

    estimates: dict[str, Estimate]
    raters: tuple[str, ...]
    units: int


ANNOTATIONS = Columns("unit", "annotator", "score", "pair")
UNIT_DIGITS = 12


def read_any(
    path: Path, unit: str | None, rater: str | None, value: str | None, cluster: str | None, scale: Sequence[float]
) -> RatingTable:
    """A ratings file with the named columns, or without names an exported annotation stream or its CSV."""
    if path.suffix == ".jsonl" and not (unit or rater or value):
        return table(path, _annotations(path), scale)
    columns = Columns(
        unit or ANNOTATIONS.unit,
        rater or ANNOTATIONS.rater,
        value or ANNOTATIONS.value,
        cluster or ("" if unit else ANNOTATIONS.cluster),
    )
    return table(path, read_ratings(path, columns), scale)


def _annotations(path: Path) -> Iterator[Rating]:
    """Every score of the latest row of each annotation; the stream's own hashes are checked on the way."""
    stream = Stream(path, Annotation, annotation_key)
    latest = {entry.key: entry for entry in read(stream)}
    if not latest:
        raise InputError(f"{path}: no annotations in this file")
    for entry in latest.values():
        row = entry.row
        for dimension, score in row.scores.items():
            unit = f"{row.pair[:UNIT_DIGITS]}:{row.model}:{dimension}"
            yield Rating(f"{path}:{entry.number}", unit, row.annotator, float(score.score), row.pair)


def agreement_of(table: RatingTable, categories: tuple[float, ...], resamples: int, seed: int) -> Agreement:
    """Agreement between the table's raters, whose values all lie on the scale."""
    values = np.array([[np.nan if v is None else v for v in row] for row in table.values], dtype=np.float64)
    found = agreement(Ratings(values, categories, table.clusters), resamples, seed)
    return Agreement(found, tuple(table.raters), len(table.units))


def in_words(found: Agreement) -> str:
    """The main result in a sentence."""
    kappa, exact = found.estimates["kappa_quadratic"], found.estimates["exact"]
    who = (
        " and ".join(found.raters)
        if len(found.raters) == 2
        else f"{len(found.raters)} raters, averaged over their pairs"
    )
    if exact.value is None:
        return f"Agreement between {who} cannot be estimated: {exact.reason}."
    same = f"{who} gave the same rating to {exact.value:.0%} of {exact.n} units rated by two or more"
    if kappa.value is None:
        return f"{same}; kappa is not defined: {kappa.reason}."
    return f"{same}; quadratic-weighted kappa is {kappa.value:.2f}{_between(kappa)}."


def _between(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f" ({estimate.reason})" if estimate.reason else ""
    return f" (95% interval {estimate.low:.2f} to {estimate.high:.2f})"


def as_text(found: Agreement) -> str:
    """The sentence, then a line per coefficient."""
    lines = [in_words(found), "", f"{'':<18}{'value':>8}  {'95% interval':<18}{'n':>6}{'clusters':>10}"]
    for name, estimate in found.estimates.items():
        value = "–" if estimate.value is None else f"{estimate.value:.3f}"
        bounds = "" if estimate.low is None else f"[{estimate.low:.3f}, {estimate.high:.3f}]"
        lines.append(f"{name:<18}{value:>8}  {bounds:<18}{estimate.n:>6}{estimate.clusters:>10}")
    reasons = sorted({estimate.reason for estimate in found.estimates.values() if estimate.reason})
    methods = sorted({estimate.method for estimate in found.estimates.values() if estimate.low is not None})
    return "\n".join([*lines, "", *(f"{text[0].upper()}{text[1:]}." for text in (*reasons, *methods))])
