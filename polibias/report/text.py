"""Numbers and model text as a reader sees them."""

from polibias.analysis.findings import Cell


def number(cell: Cell, unit: str) -> str:
    """A value with its unit's precision, or a dash where there is none."""
    return "–" if cell.value is None else _format(cell.value, unit)


def interval(cell: Cell, unit: str) -> str:
    """The interval in brackets, or nothing."""
    if cell.low is None or cell.high is None:
        return ""
    return f"[{_format(cell.low, unit)}, {_format(cell.high, unit)}]"


def _format(value: float, unit: str) -> str:
    if unit == "count":
        return f"{value:,.0f}"
    text = f"{100 * value:.1f}%" if unit == "share" else f"{value:.2f}"
    return text.removeprefix("-") if float(text.rstrip("%")) == 0 else text.replace("-", "−")


def visible(text: str) -> str:
    """Model text with nothing hidden: control characters and lone surrogates become visible signs.

    Line breaks and tabs stay. What is stored is unchanged; this is for the eye only.
    """
    return "".join(_sign(character) for character in text)


BIDI_AND_SEPARATORS = frozenset("\u2028\u2029\u0085\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _sign(character: str) -> str:
    code = ord(character)
    if character in "\n\t":
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000 or character in BIDI_AND_SEPARATORS:
        return f"⟨U+{code:04X}⟩"
    return character
