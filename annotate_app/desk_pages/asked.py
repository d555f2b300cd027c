"""The plans as both of their pages ask for them, with the one line that is said where there are none."""

import streamlit as st

from annotate_app.desk_pages.look import loud, refresh, text
from annotate_app.desk_plans import Status, shared_plans
from polibias.errors import InputError


def asked_plans() -> Status | None:
    """Every plan, asked anew if Refresh was pressed; None once the page has said why there is none to show."""
    try:
        with st.spinner("The plans are looked up."):
            status = shared_plans().status(anew=bool(st.session_state.get("refresh")))
    except InputError as error:
        refresh("The plans cannot be shown.")
        loud(str(error))
        return None
    if not status.plans:
        refresh("There are no plans.")
        text("A plan of validation is a file in the folder of plans; docs/sampling.md says how to write one.")
        return None
    return status
