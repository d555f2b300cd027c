"""The one page script Streamlit runs, anew at every click: who is asking, and what stands before them now."""

import sys

import streamlit as st

from annotate_app import settings
from annotate_app.app_pages import door, finished, naming, scoring, stops, terms, visit
from annotate_app.questions import Scoring
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
    """Draw what stands before this reader: whether they may, then what is asked first, then the work.

    Raises StorageError if the database cannot be read.
    """
    person = visit.person(store)
    if person is None:
        door.show()
        return
    standing = store.standing(person.id)
    if standing.withdrawn:
        stops.withdrawn(store)
    elif standing.closed:
        stops.closed(store, person.id)
    elif visit.at() == visit.LEAVING:
        stops.leaving(store, person.id)
    elif standing.declined() and not visit.reconsidering():
        stops.declined(store)
    elif standing.pending(store.protocol):
        terms.show(store, person.id, standing)
    elif standing.failed(store.protocol):
        stops.failed(store)
    else:
        work(store, person.id)


def work(store: Store, person: int) -> None:
    """The row of items, or its end."""
    row = store.places(person)
    place = visit.place(row)
    if place is None:
        finished.show(store, person, row)
    elif isinstance(store.scheme, Scoring):
        scoring.show(store, person, row, place, store.scheme.rubric)
    else:
        naming.show(store, person, row, place, store.scheme)


run()
