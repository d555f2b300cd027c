"""What every page has: its title, its look, and the reader's place at the top of it."""

import json

import streamlit as st

STYLE = """<style>
[data-testid="stText"] { overflow-wrap: anywhere; unicode-bidi: plaintext; text-align: start; line-height: 1.6; }
h1:focus { outline: none; }
</style>"""

# Streamlit stays where the reader was. A new pair begins at its heading, for eyes and for screen readers.
TO_THE_TOP = """<script>
(() => {
  const name = %s;
  if (window.polibiasPage === name) return;
  window.polibiasPage = name;
  const heading = document.querySelector("h1");
  if (!heading) return;
  heading.setAttribute("tabindex", "-1");
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: "end" });
})();
</script>"""


def begin(title: str, name: str) -> None:
    """Open a page. `name` tells pages apart: under a new one the reader starts at the top."""
    st.set_page_config(page_title=title, layout="wide", initial_sidebar_state="collapsed")
    st.html(STYLE)
    st.title(title, anchor=False)
    st.html(TO_THE_TOP % json.dumps(name), unsafe_allow_javascript=True)
