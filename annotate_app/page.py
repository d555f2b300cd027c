"""The one page script Streamlit runs, anew at every click: who is asking, and what stands before them now."""

import streamlit as st

from annotate_app import settings
from annotate_app.app_pages import door, finished, scoring, visit
from annotate_app.store import shared_store


def run() -> None:
    """Show the page that this browser may see."""
    if problem := settings.refusal():
        st.error(problem)
        return
    store = shared_store(settings.database())
    person = visit.person(store)
    if person is None:
        door.show()
        return
    row = store.places(person.id)
    place = visit.place(row)
    if place is None:
        finished.show(row)
    else:
        scoring.show(store, row, place)


run()
