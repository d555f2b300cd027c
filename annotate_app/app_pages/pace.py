"""How far somebody is, and about how long the rest will take them: a page's heading and its bar."""

import statistics
from collections.abc import Sequence

import streamlit as st

from annotate_app.app_pages import clicks, frame
from annotate_app.app_pages.form import Form
from annotate_app.app_pages.window import memory
from annotate_app.store import Place, Store

PACE = "pace"
ENOUGH = 2


def begin(store: Store, person: int, form: Form, row: Sequence[Place]) -> None:
    """Open an item's page."""
    place = form.view.place
    mine = [one for one in row if (one.role == "practice") == (place.role == "practice")]
    done = sum(1 for one in mine if not one.open)
    frame.begin(f"{clicks.noun(form)} {place.number} of {len(mine)}", form.name)
    rest = "" if place.role == "practice" else _time_left(store, person, done, len(mine) - done)
    if place.role == "practice":
        st.text("Practice: afterwards you see what we would have answered. None of it is part of the results.")
    st.progress(done / len(mine), text=f"{done} of {len(mine)} done{rest}")


def _time_left(store: Store, person: int, done: int, left: int) -> str:
    """The median time of this annotator's own items times what is left; read again only when one more is done."""
    if done < ENOUGH or not left:
        return ""
    known, seconds = memory().get(PACE, (0, 0.0))
    if known != done:
        seconds = statistics.median(one.active for one in store.spent(person).values() if one.finishes)
        memory()[PACE] = (done, seconds)
    return f", about {in_words(seconds * left)} left at your pace"


def in_words(seconds: float) -> str:
    """A length of time as people say it: whole minutes, from two hours on quarters of an hour."""
    minutes = max(1, round(seconds / 60))
    if minutes < 120:
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    quarters = round(minutes / 15)
    hours, rest = divmod(quarters, 4)
    return f"{hours} h {rest * 15} min" if rest else f"{hours} hours"
