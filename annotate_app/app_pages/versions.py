"""The two versions of an item in equal panes: what differs between the prompts, and the responses."""

import html
from collections.abc import Sequence

import streamlit as st

from annotate_app.app_pages.form import Form
from annotate_app.app_pages.looks import Look
from annotate_app.blind import Version, untrimmed
from annotate_app.differences import Stretch, differences
from annotate_app.rendering import rendered


def show(form: Form, shown: tuple[Version, Version], look: Look, above: Sequence[str]) -> None:
    """Draw both panes. `above` is the line over each of them, as Markdown; empty for none."""
    first, second = shown
    stretches = () if look.whole else differences(first.prompt, second.prompt)
    sides = ([one.first for one in stretches], [one.second for one in stretches])
    for column, version, texts, line in zip(st.columns(2, gap="small"), shown, sides, above, strict=True):
        with column, st.container(border=True, height="stretch", key=form.key(f"version{version.number}")):
            st.header(f"Version {version.number}", anchor=False)
            if line:
                st.markdown(line)
            st.markdown("**Prompt**" if look.whole else "**Prompt, what differs**")
            _prompt(version, stretches, texts)
            st.markdown("**Response**")
            _response(form, version, look.formatted)


def _prompt(version: Version, stretches: Sequence[Stretch], texts: Sequence[str]) -> None:
    if stretches:
        pieces = "".join(_piece(stretch, text) for stretch, text in zip(stretches, texts, strict=True))
        st.html(f'<p class="text prompt" dir="auto">{pieces}</p>')
    else:
        st.text(untrimmed(version.prompt))


def _piece(stretch: Stretch, text: str) -> str:
    """One stretch as HTML; everything foreign is escaped."""
    if stretch.kind == "elided":
        return f' <span class="left-out">[… {stretch.words} words alike …]</span> '
    words = html.escape(text)
    return f"<mark>{words}</mark>" if stretch.kind == "different" and words.strip() else words


def _response(form: Form, version: Version, formatted: bool) -> None:
    with st.container(key=form.key(f"response{version.number}")):
        if formatted:
            st.html(f'<div class="formatted">{rendered(version.response)}</div>')
        else:
            st.text(untrimmed(version.response))
