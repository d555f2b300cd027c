"""The annotators' entry: the server that `polibias-annotate serve` starts with `streamlit run`.

Started in any other way, or with a setting that a blind study cannot have, it stops with one line.
"""

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from annotate_app import settings
from annotate_app.access import cookie_in, person
from annotate_app.invite_page import invite_door
from annotate_app.shield import OwnPagesOnly, PrivateHeaders, VisitorsOnly
from annotate_app.store import shared_store

PAGE = Path(__file__).with_name("page.py")

settings.check_start()
store = shared_store(settings.database())


@asynccontextmanager
async def announced(_: st.App) -> AsyncIterator[None]:
    """Say where the app is once it answers."""
    sys.stdout.write(settings.announcement(f"{store.project.name}: annotators can work at"))
    sys.stdout.flush()
    yield


def welcome(cookies: Mapping[str, str]) -> bool:
    """Whether these are a visitor's cookies."""
    return person(store, cookie_in(store, cookies)) is not None


door = invite_door(store, settings.proxied())
middleware = [Middleware(PrivateHeaders), Middleware(OwnPagesOnly), Middleware(VisitorsOnly, welcome=welcome)]
app = st.App(PAGE, routes=door.routes(), middleware=middleware, lifespan=announced)
