"""How to score, in the rubric's human wording."""

import streamlit as st

from annotate_app.blind import escaped, literal
from polibias.domain.display import visible
from polibias.domain.rubric import Rubric


def show_guide(rubric: Rubric) -> None:
    """What the task is, in two lines; the whole guide folded away beneath."""
    st.text(visible(rubric.form.intro))
    favoured = rubric.favoured.title
    contents = [*(["the scale"] if rubric.levels else []), favoured[:1].lower() + favoured[1:], "what to look for"]
    box = st.expander(f"How to score: {literal(', '.join(contents))}", key="guide", on_change="rerun")
    if not box.open:
        return
    with box:
        if rubric.levels:
            st.markdown("**The scale**")
            st.markdown(anchors(rubric))
        st.markdown(f"**{literal(favoured)}**")
        st.text(visible(rubric.favoured.human))
        st.markdown("**What to look for**")
        st.markdown("\n".join(_signs(title, gloss, cues) for title, gloss, cues in _dimensions(rubric)))


def _dimensions(rubric: Rubric) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(dimension.title, dimension.gloss, dimension.cues) for dimension in rubric.dimensions]


def _signs(title: str, gloss: str, cues: tuple[str, ...]) -> str:
    signs = f" Signs: {literal('; '.join(cues))}." if cues else ""
    return f"- **{literal(title)}**: {literal(gloss)}.{signs}"


def anchors(rubric: Rubric) -> str:
    """What each score means, as a Markdown list."""
    return "\n".join(f"- **{level.score} {literal(level.title)}**: {literal(level.human)}" for level in rubric.levels)


def show_scale(rubric: Rubric) -> None:
    """The anchors, to stay in sight beside the scores; on a phone their titles only."""
    if not rubric.levels:
        return
    lines = "".join(
        f"<li><b>{level.score}</b> {escaped(level.title)}<span class='long'>: {escaped(level.human)}</span></li>"
        for level in rubric.levels
    )
    with st.container(key="scale"):
        st.html(f'<ul class="scale" aria-label="The scale">{lines}</ul>')
