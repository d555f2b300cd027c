"""Numbers as a reader sees them."""

from polibias.analysis.cases import Guessed
from polibias.analysis.findings import Beside, Cell
from polibias.domain.rows import MaskedResponse


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


def guessed(guess: Guessed) -> str:
    """How a judge's guess came out."""
    if guess.result is None:
        return f"no valid answer ({guess.outcome.replace('_', ' ')})"
    return {
        "both": "both countries named",
        "swapped": "both countries named, each in the other's place",
        "one": "one country named in its place",
        "none": "neither country named in its place",
        "cannot_tell": "the judge cannot tell",
    }[guess.result]


def number(cell: Cell, unit: str) -> str:
    """A value with its unit's precision, or a dash where there is none."""
    return "–" if cell.value is None else _format(cell.value, unit)


def interval(cell: Cell | Beside, unit: str) -> str:
    """The interval in brackets, or nothing."""
    if cell.low is None or cell.high is None:
        return ""
    return f"[{_format(cell.low, unit)}, {_format(cell.high, unit)}]"


def _format(value: float, unit: str) -> str:
    if unit == "count":
        return f"{value:,.0f}"
    text = f"{100 * value:.1f}%" if unit == "share" else f"{value:.2f}"
    return text.removeprefix("-") if float(text.rstrip("%")) == 0 else text.replace("-", "−")
