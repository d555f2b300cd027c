"""Numbers as a reader sees them."""

from polibias.analysis.findings import Beside, Cell


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
