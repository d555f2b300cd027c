"""The desk's entry: the server that `polibias-annotate serve --desk` starts, a process of its own.

Started in any other way, or with a setting that a blind study cannot have, it stops with one line.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware

from annotate_app import settings
from annotate_app.desk_access import PATH, desk_door, shared_desk
from annotate_app.shield import OwnPagesOnly, PrivateHeaders
from annotate_app.watch import shared_watched

PAGE = settings.HERE / "desk_pages" / "page.py"

settings.check_start()
project = shared_watched(settings.database()).project()


@asynccontextmanager
async def announced(_: st.App) -> AsyncIterator[None]:
    """Print the one link once the desk answers."""
    link = f"{PATH}#{shared_desk().new_token()}"
    sys.stdout.write(settings.announcement(f"{project}: your desk is at", link))
    sys.stdout.flush()
    yield


door = desk_door(shared_desk(), project, settings.proxied())
app = st.App(
    PAGE, routes=door.routes(), middleware=[Middleware(PrivateHeaders), Middleware(OwnPagesOnly)], lifespan=announced
)
