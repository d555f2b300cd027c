"""The one script Streamlit runs for the desk, anew at every click: who is asking, and which page they want."""

import sys
from collections.abc import Callable
from functools import partial

import streamlit as st

from annotate_app import settings
from annotate_app.desk_access import cookie_in, shared_desk
from annotate_app.desk_pages import events, items, plans, progress, splits
from annotate_app.desk_pages.look import begin, links
from annotate_app.watch import Watched, shared_watched
from polibias.errors import PoliBiasError

PAGES: dict[str, Callable[[Watched], None]] = {
    "Progress": progress.show,
    "Items": items.show,
    "Events": events.show,
    "Splits": splits.show,
    "Plans": plans.show,
}


def run() -> None:
    """Show the page that this browser may see."""
    if problem := settings.refusal():
        st.error(problem)
        return
    try:
        show(shared_watched(settings.database()))
    except PoliBiasError as error:
        sys.stderr.write(f"polibias-annotate: {error}\n")
        st.error("The project cannot be read right now. Please try again in a while.")


def show(watched: Watched) -> None:
    """Draw a page for whoever holds the desk's cookie, and for anybody else the way to get one."""
    project = watched.project()
    if not shared_desk().knows(cookie_in(project, st.context.cookies)):
        begin("Coordinator's desk")
        st.text("This page opens through the link that the desk printed when it was started. Please open that link.")
        return
    pages = [
        st.Page(partial(draw, watched), title=title, url_path=title.lower(), default=title == "Progress")
        for title, draw in PAGES.items()
    ]
    page = st.navigation(pages, position="hidden")
    links(pages)
    page.run()


run()
