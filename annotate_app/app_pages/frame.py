"""What every page has: its title, its look, its reader's place at the top of it, and whom to ask."""

import json
from pathlib import Path
from typing import Literal

import streamlit as st

from annotate_app import settings
from annotate_app.app_pages import visit
from annotate_app.blind import literal
from annotate_app.store import Store


def _colours(mode: Literal["light", "dark"]) -> str:
    """The theme's colours for this page's own style."""
    names = {"page": "backgroundColor", "line": "borderColor", "mark": "primaryColor"}
    colours = "; ".join(f"--{name}: {settings.THEME[f'theme.{mode}.{option}']}" for name, option in names.items())
    return f":root {{ {colours} }}"


# The reader's device says which of the two themes holds, and can change its mind while a page stands.
STYLE = (
    f"<style>{_colours('light')} @media (prefers-color-scheme: dark) {{ {_colours('dark')} }}"
    f"{Path(__file__).with_name('style.css').read_text('utf-8')}</style>"
)

# Streamlit stays where the reader was. A new page begins at its heading, for eyes and for screen readers.
TO_THE_TOP = """<script>
(() => {
  const name = %s;
  if (window.polibiasPage === name) return;
  window.polibiasPage = name;
  const heading = document.querySelector("h1");
  if (!heading) return;
  document.querySelector(".st-key-panel")?.scrollTo(0, 0);
  heading.setAttribute("tabindex", "-1");
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: "end" });
})();
</script>"""


def begin(title: str, name: str, wide: bool = True) -> None:
    """Open a page. `name` tells pages apart: under a new one the reader starts at the top."""
    st.set_page_config(page_title=title, layout="wide" if wide else "centered", initial_sidebar_state="collapsed")
    st.html(STYLE)
    st.title(title, anchor=False)
    st.html(TO_THE_TOP % json.dumps(name), unsafe_allow_javascript=True)
    _after_a_break()
    visit.show_notice()


@st.fragment(run_every=86_400)
def _after_a_break() -> None:
    """Nothing, once a day. After a broken connection Streamlit's front end asks for a new drawing only where
    something is drawn at intervals; without one, a click that the break swallowed stays on the screen unsaved, and a
    break in the middle of a drawing leaves an empty page.
    """


def end(store: Store, leaving: bool = True) -> None:
    """Close a page: whom to ask, and the way out of the study."""
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        st.markdown(f"Questions? Please ask {literal(store.protocol.contact)}.", width="content")
        if leaving:
            st.button("Withdraw from the study", type="tertiary", key="leave", on_click=visit.go, args=(visit.LEAVING,))
