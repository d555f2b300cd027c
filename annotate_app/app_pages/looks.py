"""Ways of looking at an item, the same for both versions; each change is recorded, none is an answer."""

from typing import NamedTuple

import streamlit as st

from annotate_app.app_pages import clicks
from annotate_app.app_pages.form import Form
from annotate_app.app_pages.window import value
from annotate_app.store import Store

WHOLE, FORMATTED, KEYS = "look.whole", "look.formatted", "look.keys"


class Look(NamedTuple):
    """`whole` prompts instead of what differs, `formatted` responses instead of literal ones, single `keys`."""

    whole: bool
    formatted: bool
    keys: bool


def show(store: Store, form: Form, keys_help: str) -> Look:
    """Draw the switches and say how they stand. They keep their state from item to item.

    `keys_help` says what the keys do that answer a question of this kind of study.
    """
    with st.container(horizontal=True, key="looks"):
        whole = _switch("Whole prompts", WHOLE, False, store, form)
        formatted = _switch("Formatted text", FORMATTED, False, store, form)
        keys = _switch("Single-key shortcuts", KEYS, True, store, form, KEYS_HELP % keys_help)
    return Look(whole, formatted, keys)


KEYS_HELP = """Keys work while nothing is being typed:

%s
- **J** and **K** go to the next and the previous card
- **S** submits and goes on, **P** goes back, **F** goes forward
"""


def _switch(words: str, key: str, start: bool, store: Store, form: Form, guide: str | None = None) -> bool:
    st.session_state.setdefault(key, start)
    return st.checkbox(words, key=key, on_change=_changed, args=(store, form), help=guide)


def _changed(store: Store, form: Form) -> None:
    """Callback: say in the chain how the item is looked at from now on."""
    names = {"whole": WHOLE, "formatted": FORMATTED, "keys": KEYS}
    clicks.noticed(store, form, "viewed", {name: bool(value(key)) for name, key in names.items()})
