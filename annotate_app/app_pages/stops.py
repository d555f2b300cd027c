"""Pages at which the work ends: declined, practice not passed, withdrawn, closed; and the question before that."""

import streamlit as st

from annotate_app.app_pages import frame, record, visit
from annotate_app.store import Store
from polibias.domain.display import visible
from polibias.errors import StorageError

NOT_SAVED = "This could not be saved just now. Please try again."


def declined(store: Store) -> None:
    """Somebody said no to a term, and may change their mind."""
    frame.begin("Thank you for telling us", "declined", wide=False)
    st.text("You said no to one of the terms, so no texts are shown to you. There is nothing more to do.")
    st.text("If you change your mind, you can answer again.")
    st.button("Answer the terms again", key="declined-again", on_click=visit.go, args=(visit.TERMS,))
    frame.end(store)


def failed(store: Store) -> None:
    """The practice was not passed as often as it may be tried."""
    frame.begin("Thank you for your practice", "failed", wide=False)
    st.text(
        "This study needs annotators whose practice answers come close to those of its authors, and yours were "
        "further away. That says nothing about you: the scale is a convention, and people read it differently."
    )
    st.text("There is nothing more to do. Your practice answers are stored and are no part of any result.")
    frame.end(store)


def withdrawn(store: Store) -> None:
    """Somebody took no further part."""
    frame.begin("You have withdrawn", "withdrawn", wide=False)
    st.text(visible(store.protocol.withdrawal_note))
    st.text("Nothing more is asked of you. Thank you for the time that you gave.")
    frame.end(store, leaving=False)


def closed(store: Store, person: int) -> None:
    """The study is over; what somebody answered can still be read."""
    frame.begin("The study is closed", "closed")
    st.text("No more answers are taken. Thank you for your work.")
    record.show(store, person)
    frame.end(store, leaving=False)


def leaving(store: Store, person: int) -> None:
    """Ask once more before somebody withdraws."""
    frame.begin("Do you want to withdraw?", "leaving", wide=False)
    st.text(visible(store.protocol.withdrawal_note))
    st.text("You cannot come back into the study after this. To take a break you can just close the page.")
    with st.container(horizontal=True):
        st.button("No, go back to the pairs", type="primary", key="leaving-no", on_click=visit.go, args=(None,))
        st.button("Yes, withdraw", key="leaving-yes", on_click=_withdraw, args=(store, person))
    frame.end(store, leaving=False)


def _withdraw(store: Store, person: int) -> None:
    if visit.person(store) is None:
        return
    try:
        store.withdraw(person)
    except StorageError:
        visit.tell("trouble", NOT_SAVED)
        return
    visit.go(None)
