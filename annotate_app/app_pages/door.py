"""What somebody without a valid visit sees."""

import streamlit as st

from annotate_app.app_pages import visit


def show() -> None:
    """Ask for the personal link."""
    st.set_page_config(page_title="Annotation", layout="centered")
    st.title("Please open your personal link", anchor=False)
    visit.show_notice()
    st.text(
        "This page opens through the link in your invitation. If you followed it before, open it once more; "
        "everything you have answered is saved and waits for you there."
    )
    st.text("If the link no longer works, please ask your coordinator for a new one.")
