"""One page of many rows at a time."""

import streamlit as st


def page_of(name: str, filtered: str, total: int, size: int) -> int:
    """How many rows to skip for the page that this window is at. Another filter starts at the first page.

    Draws the two buttons and says which rows are shown, where there is more than one page.
    """
    at, by = f"{name}.at", f"{name}.by"
    if st.session_state.get(by) != filtered:
        st.session_state[by], st.session_state[at] = filtered, 0
    first: int = min(st.session_state[at], max(0, total - 1) // size * size)
    if total > size:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Previous", key=f"{name}.previous", disabled=first == 0, on_click=_go, args=(at, first - size))
            st.button("Next", key=f"{name}.next", disabled=first + size >= total, on_click=_go, args=(at, first + size))
            st.text(f"{first + 1} to {min(first + size, total)} of {total}")
    return first


def _go(at: str, first: int) -> None:
    st.session_state[at] = max(0, first)
