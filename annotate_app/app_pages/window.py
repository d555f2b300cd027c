"""What one browser window holds, for callbacks too.

Wherever a callback touches an entry of Streamlit's session state it can be cut off for good by the next click that
waits: before it has stored its own. The whole of the state at once can be read without that, so callbacks read here,
and keep what they remember in one entry that is changed in place.
"""

from typing import Any

import streamlit as st

OWN = "window"


def memory() -> dict[str, Any]:
    """What this window remembers beside its widgets, to be read and changed."""
    held = st.session_state.to_dict()
    if OWN not in held:
        st.session_state[OWN] = held[OWN] = {}
    found: dict[str, Any] = held[OWN]
    return found


def values() -> dict[str, Any]:
    """What every widget says, by its key, those that are not on the screen left out."""
    return st.session_state.to_dict()


def value(key: str) -> Any:
    """What the widget of this key says; None if it says nothing or is not on the screen."""
    return values().get(key)
