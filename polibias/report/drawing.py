"""From an Altair chart to a static drawing that stands in a strict page and is read in light and dark.

Colours are those of Okabe and Ito, which the colour-blind tell apart; no chart tells things apart by colour alone. The
style sheet knows the colours by name and gives them others in the dark.
"""

import re
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

from polibias.domain.display import visible

if TYPE_CHECKING:
    import altair as alt

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#3b3b3b", "#56b4e9")
PADDING = {"left": 48, "top": 32, "right": 24, "bottom": 12}
"""Room for a reader's font, which may be wider than that of the machine that drew the chart."""
INK, LINE = "#000", "#888"


class Chart(NamedTuple):
    """A drawing with the sentence that says what it shows to those who do not see it; `id` names its file."""

    title: str
    svg: str
    alt: str
    id: str = ""


def unchecked() -> AbstractContextManager[None]:
    """A context in which the library does not hold each part of a chart against its schema, which takes longer than
    to draw it. No part is foreign but texts and numbers; the tests make every chart with the checks, too."""
    from altair.utils.schemapi import debug_mode

    return debug_mode(False)


def drawn(chart: "alt.TopLevelMixin", id: str) -> str:
    """The chart as SVG; `id` tells its parts from those of other charts on a page."""
    import vl_convert

    styled = chart.configure(aria=False, font="sans-serif", background="#ffffff", padding=PADDING)
    return inline(vl_convert.vegalite_to_svg(_visible(styled.to_dict(validate=False))), id)


def _visible(part: Any) -> Any:
    """The specification with every hidden character as a sign: a drawing cannot hold a control character."""
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, dict):
        return {name: _visible(value) for name, value in part.items()}
    return [_visible(value) for value in part] if isinstance(part, list) else part


def inline(svg: str, id: str) -> str:
    """The drawing without what a strict page forbids: inline style attributes and outside fonts; and without roles.

    What it shows is said of the whole, by the figure that holds it. Its parts are named anew, since the library counts
    them from chart to chart.
    """
    plain = re.sub(r'\s(?:style|role|aria-[a-z]+)="[^"]*"', "", svg)
    for number, name in enumerate(dict.fromkeys(re.findall(r'\sid="([^"]+)"', plain)), 1):
        plain = plain.replace(f' id="{name}"', f' id="{id}-{number}"').replace(f"url(#{name})", f"url(#{id}-{number})")
    return plain


def said(value: float) -> str:
    """A number of a chart in a sentence."""
    return f"{value:.2f}".replace("-", "−")
