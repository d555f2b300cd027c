"""The page's hand in the browser: single keys, marked passages as evidence, time away. The rest is widgets."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from annotate_app.app_pages.window import value

KEY = "aid"

Heard = Callable[[str, dict[str, Any]], None]

_mount = st.components.v2.component("polibias-aid", js=Path(__file__).with_name("aid.js").read_text("utf-8"))


class Keys(NamedTuple):
    """What single keys do on a page.

    `cards` are the parts in their order, `digits` those whose first choice is answered by a digit and the digit of its
    first option, `sides` those with a favoured side. `zero` says whether a score of 0 leaves no side to be named.
    """

    cards: tuple[str, ...]
    digits: dict[str, int]
    sides: tuple[str, ...]
    zero: bool = False


class Hand(NamedTuple):
    """What the hand must know of the page called `page`.

    `keys` says whether single keys count. `gap` is the card that keeps the page from being submitted, '' for none.
    `chosen` is how many choices the screen should show.
    """

    page: str
    keys: bool
    gap: str
    chosen: int


def show(hand: Hand, keys: Keys, heard: Heard) -> None:
    """Mount the hand. `heard` is told what it reports and the details.

    `quote`: a marked passage; `idle`: time away; `blank`: fewer choices are on the screen than should be.
    """

    def listener(kind: str) -> Callable[[], None]:
        def tell() -> None:
            said = value(KEY).get(kind)
            if isinstance(said, dict):
                heard(kind, said)

        return tell

    digits = {part: {"from": first} for part, first in keys.digits.items()}
    said = {**hand._asdict(), "cards": keys.cards, "digits": digits, "sides": keys.sides, "zero": keys.zero}
    _mount(
        key=KEY,
        # As bytes: to see whether anything else is a table, Streamlit loads pandas: 60 MB and most of a second.
        data=json.dumps(said).encode("ascii"),
        on_quote_change=listener("quote"),
        on_idle_change=listener("idle"),
        on_blank_change=listener("blank"),
        height=1,
    )
