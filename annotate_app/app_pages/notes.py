"""Evidence and comment of one card: passages marked in the responses, and words of the annotator's own."""

import streamlit as st

from annotate_app.app_pages import clicks
from annotate_app.app_pages.form import Form, commented
from annotate_app.blind import escaped, literal, shown_number
from annotate_app.questions import Quote
from annotate_app.store import Store

COMMENT_LENGTH = 4000


def show_notes(store: Store, form: Form, part: str, title: str) -> None:
    """Draw what supports the answers of a card; folded away, and not drawn until somebody wants it."""
    quotes = form.view.entry.quotes.get(part, ())
    comment = form.view.entry.comments.get(part, "")
    count = len(quotes) + bool(comment)
    said = f" ({count})" if count else ""
    name, key = f"Evidence and comment: {literal(title)}{said}", form.key(f"notes-{part}")
    # Under another name it would be another box, and folded: it is told how it stands.
    if key in st.session_state:
        st.session_state[key] = st.session_state[key]
    box = st.expander(name, key=key, on_change="rerun")
    if not box.open:
        return
    with box:
        for number, quote in enumerate(quotes):
            _quote(store, form, part, quote, number)
        st.button(
            "Take the marked passage",
            key=form.key(f"quote-{part}"),
            help="Mark a passage in one of the responses first, then press this button or Q.",
        )
        show_comment(store, form, part, f"Comment on {literal(title)} (optional)")


def _quote(store: Store, form: Form, part: str, quote: Quote, number: int) -> None:
    version = shown_number(quote.side, form.view.first)
    st.html(f'<div class="quote"><p>Version {version}:</p><p dir="auto">{escaped(quote.text)}</p></div>')
    st.button(
        f"Remove passage {number + 1}",
        key=form.key(f"unquote-{part}-{number}"),
        type="tertiary",
        on_click=clicks.drop_quote,
        args=(store, form, part, quote),
    )


def show_comment(store: Store, form: Form, part: str, words: str) -> None:
    """A field whose text is stored when it is left."""
    st.text_area(
        words,
        value=form.start(commented(part), form.view.entry.comments.get(part)) or "",
        max_chars=COMMENT_LENGTH,
        height=80,
        key=form.key(commented(part)),
        on_change=clicks.keep_comment,
        args=(store, form, part),
    )
