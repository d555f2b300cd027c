"""The one page script Streamlit runs, anew at every click: who is asking, and what stands before them now."""

import sys

import streamlit as st

from annotate_app import settings
from annotate_app.app_pages import door, finished, scoring, visit
from annotate_app.store import Store, shared_store
from polibias.errors import PoliBiasError


def run() -> None:
    """Show the page that this browser may see."""
    if problem := settings.refusal():
        st.error(problem)
        return
    try:
        show(shared_store(settings.database()))
    except PoliBiasError as error:
        sys.stderr.write(f"polibias-annotate: {error}\n")
        st.error("The study cannot be opened right now. What you have answered is kept. Please try again in a while.")


def show(store: Store) -> None:
    """Draw what stands before this reader. Raises StorageError if the database cannot be read."""
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
