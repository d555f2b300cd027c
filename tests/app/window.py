"""The page without a browser: one window, signed in, and what can be done in it."""

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Radio

from annotate_app import settings
from annotate_app.access import Person
from annotate_app.app_pages import visit
from annotate_app.store import Store, shared_store
from tests.app.conftest import ROOT, Place, annotator_id, enrol

SECONDS = 30
TAG = re.compile(r"<[^>]*>")


@contextmanager
def signed_in(project: Place, name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The store that the page opens, with this person enrolled and signed in."""
    monkeypatch.setenv(settings.DATABASE, str(project.made.database))
    monkeypatch.setattr(settings, "differing", list)
    store = shared_store(project.made.database)
    enrol(store, name)
    person = Person(annotator_id(store, name), name)
    monkeypatch.setattr(visit, "person", lambda _: person)
    try:
        yield store
    finally:
        shared_store.cache_clear()


def window() -> AppTest:
    """A new browser window."""
    return AppTest.from_file(ROOT / "annotate_app" / "page.py", default_timeout=SECONDS).run()


def heading(page: AppTest) -> str:
    assert not page.exception, page.exception
    return str(page.title[0].value)


def question(page: AppTest, title: str, words: str) -> Radio[str]:
    return next(radio for radio in page.radio if radio.label.startswith(f"{title}: {words}"))


def press(page: AppTest, words: str) -> None:
    next(button for button in page.button if button.label.startswith(words)).click().run()


def said(page: AppTest) -> str:
    """Every word of the page outside labels and Markdown."""
    kinds = (page.error, page.warning, page.info, page.success, page.text, page.caption)
    bodies = [str(element.proto.body) for element in page.get("html")]
    shown = [html.unescape(TAG.sub("", body)) for body in bodies if not body.startswith(("<style", "<script"))]
    return "\n".join([*(str(element.value) for kind in kinds for element in kind), *shown])
