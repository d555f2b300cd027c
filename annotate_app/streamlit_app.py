"""The annotators' entry: the server that `polibias-annotate serve` starts with `streamlit run`.

Started in any other way, or with a setting that a blind study cannot have, it stops with one line.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from annotate_app import settings
from annotate_app.invite_page import Door, PrivateHeaders
from annotate_app.store import shared_store

PAGE = Path(__file__).with_name("page.py")

if problem := settings.refusal():
    sys.stderr.write(f"polibias-annotate: {problem}\n")
    sys.exit(2)

store = shared_store(settings.database())


@asynccontextmanager
async def announced(_: st.App) -> AsyncIterator[None]:
    """Say where the app is once it answers."""
    address, port = st.get_option("server.address"), st.get_option("server.port")
    host = f"[{address}]" if ":" in address else address
    sys.stdout.write(f"{store.project.name}: annotators can work at http://{host}:{port}/ (Ctrl-C ends it)\n")
    sys.stdout.flush()
    yield


app = st.App(PAGE, routes=Door(store).routes(), middleware=[Middleware(PrivateHeaders)], lifespan=announced)
