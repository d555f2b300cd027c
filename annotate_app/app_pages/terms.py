"""The first page: what an annotator is asked to agree to, each term with its own answer, each answer stored."""

import streamlit as st

from annotate_app.app_pages import frame, visit
from annotate_app.app_pages.window import value
from annotate_app.protocol import Term
from annotate_app.store import Standing, Store
from polibias.domain.display import visible
from polibias.errors import StorageError

TITLES: dict[Term, str] = {
    "consent": "Taking part",
    "content": "What you will read",
    "statement": "How you will work",
}
YES: dict[Term, str] = {
    "consent": "I agree to take part",
    "content": "I have read this and want to go on",
    "statement": "I will work like this",
}
NO: dict[Term, str] = {
    "consent": "I do not want to take part",
    "content": "I would rather not read such texts",
    "statement": "I cannot promise this",
}
NOT_SAVED = "Your answer could not be saved just now. Please try again."


def show(store: Store, person: int, standing: Standing) -> None:
    """Ask for every term at once; nothing is chosen beforehand."""
    frame.begin("Before you begin", "terms", wide=False)
    terms = store.protocol.terms()
    for term in standing.pending(store.protocol):
        st.header(TITLES[term], anchor=False)
        st.text(visible(terms[term].strip()))
        if term == "consent":
            st.text(visible(f"You can withdraw from the study at any time. {store.protocol.withdrawal_note}".strip()))
        st.radio(
            TITLES[term],
            ("yes", "no"),
            index=None,
            format_func={"yes": YES[term], "no": NO[term]}.__getitem__,
            key=f"terms-{term}",
            label_visibility="collapsed",
        )
    st.button("Continue", type="primary", key="terms-go", on_click=_answer, args=(store, person, standing))
    frame.end(store, leaving=False)


def _answer(store: Store, person: int, standing: Standing) -> None:
    """Callback: store every answer in one step, once there is one to each term or a no to any."""
    pending = standing.pending(store.protocol)
    said = {term: str(value(f"terms-{term}") or "") for term in pending}
    if "no" not in said.values() and not all(said.values()):
        visit.tell("trouble", f"Please answer: {', '.join(TITLES[term] for term in pending if not said[term])}.")
        return
    if visit.person(store) is None:
        visit.tell("trouble", "This window is no longer signed in, so nothing was saved.")
        return
    try:
        store.assent(person, {term: answer for term, answer in said.items() if answer})
    except StorageError:
        visit.tell("trouble", NOT_SAVED)
        return
    visit.go(None)
