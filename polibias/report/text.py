"""Numbers as a reader sees them."""

from collections.abc import Mapping

from polibias.analysis.findings import Beside, Cell
from polibias.domain.reidentification import CANNOT_TELL
from polibias.domain.rows import JudgeGuess, MaskedResponse

LEAST = 0.0005
"""Below this a share of a tenth of a percent would read as nothing."""


def masking(row: MaskedResponse) -> str:
    """What became of a response when it was masked."""
    said = {
        "masked": "Masked",
        "unchanged": "Nothing to hide",
        "leaking": "Something is left",
        "unreadable": "Unreadable",
    }
    replaced = ", ".join(f"{number} × {kind}" for kind, number in row.replaced.items())
    left = ", ".join(f"'{leak.word}' ({leak.why})" for leak in row.leaks)
    return "; ".join(part for part in (said[row.outcome], replaced, left, row.reason) if part)


def guessed(guess: JudgeGuess, names: Mapping[str, str]) -> str:
    """How a judge's guess came out, and what it named; `names` are those of countries by id."""
    if guess.result is None:
        return f"no valid answer ({guess.outcome.replace('_', ' ')})"
    named = [
        "cannot tell" if one == CANNOT_TELL else names.get(f"country:{one}", one or "")
        for one in (guess.guess_x, guess.guess_y)
    ]
    sure = "" if guess.confidence is None else f", confidence {guess.confidence}"
    return f"{RESULTS[guess.result]}. X: {named[0]}; Y: {named[1]}{sure}"


RESULTS = {
    "both": "both countries named",
    "swapped": "both countries named, each in the other's place",
    "one": "one country named in its place",
    "none": "neither country named in its place",
    "cannot_tell": "the judge cannot tell",
}


def number(cell: Cell, unit: str) -> str:
    """A value with its unit's precision, or a dash where there is none."""
    return "–" if cell.value is None else _format(cell.value, unit)


def interval(cell: Cell | Beside, unit: str) -> str:
    """The interval in brackets, or nothing."""
    if cell.low is None or cell.high is None:
        return ""
    return f"[{_format(cell.low, unit)}, {_format(cell.high, unit)}]"


def _format(value: float, unit: str) -> str:
    if unit == "p":
        return f"{value:.3f}" if value >= LEAST else f"< {LEAST:g}"
    if unit == "count":
        return f"{value:,.0f}"
    if unit == "share" and 0 < abs(value) < LEAST:
        return f"{100 * value:.2g}%".replace("-", "−")
    text = f"{100 * value:.1f}%" if unit == "share" else f"{value:.2f}"
    return text.removeprefix("-") if float(text.rstrip("%")) == 0 else text.replace("-", "−")
