"""Ways past an item: skip it, say that it cannot be judged, report something about it; each with a reason."""

from collections.abc import Sequence

import streamlit as st

from annotate_app.app_pages import clicks, visit
from annotate_app.app_pages.form import Form
from annotate_app.app_pages.notes import COMMENT_LENGTH
from annotate_app.blind import literal
from annotate_app.protocol import Reason
from annotate_app.store import Store


def show(store: Store, form: Form) -> None:
    """Draw the three ways, folded away until somebody wants them."""
    reasons = store.protocol.reasons
    # With a key of the item's own it is folded again on the next one.
    name = "Skip this pair, mark it as unsure, or report a problem"
    box = st.expander(name, key=form.key("aside"), on_change="rerun")
    if not box.open:
        return
    with box:
        if visit.told(clicks.NO_REASON):
            st.error(clicks.NO_REASON)
        if reasons.skip:
            _reason("Skip it because", form, "skipped", reasons.skip)
            st.button("Skip this pair", key=form.key("skipped"), on_click=clicks.leave, args=(store, form, "skipped"))
        if reasons.unsure:
            _reason("I am unsure because", form, "unsure", reasons.unsure)
            st.button("Mark as unsure", key=form.key("unsure"), on_click=clicks.leave, args=(store, form, "unsure"))
        if reasons.flag:
            _reason("Report that", form, "flag", reasons.flag)
            st.text_input("In your words (optional)", max_chars=COMMENT_LENGTH, key=form.key("flag-comment"))
            st.button("Report it and stay here", key=form.key("flag"), on_click=clicks.flag, args=(store, form))


def _reason(words: str, form: Form, name: str, reasons: Sequence[Reason]) -> None:
    texts = {reason.id: literal(reason.text) for reason in reasons}
    st.selectbox(
        words,
        list(texts),
        index=None,
        format_func=texts.__getitem__,
        placeholder="Choose a reason",
        key=form.key(f"{name}-reason"),
    )
