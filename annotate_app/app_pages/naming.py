"""The naming page: a masked pair, and from a list the countries that may stand behind it."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotate_app.app_pages import aid, aside, clicks, frame, lessons, looks, pace, versions
from annotate_app.app_pages.choices import ask, show_check
from annotate_app.app_pages.clicks import State
from annotate_app.app_pages.form import Form
from annotate_app.app_pages.notes import show_comment
from annotate_app.app_pages.ways import ways
from annotate_app.blind import distinct, literal
from annotate_app.blind import versions as versions_of
from annotate_app.questions import CANNOT_TELL, CHECK, Naming, Question
from annotate_app.store import Place, Store
from polibias.domain.display import visible
from polibias.domain.wording import fill

KEYS_HELP = "- **1**–**9** say how sure you are, in the outlined card"


def show(store: Store, person: int, row: Sequence[Place], place: Place, scheme: Naming) -> None:
    """Draw the masked pair that stands at `place`."""
    form, state = clicks.stand(store, place)
    shown = versions_of(form.view.item, form.view.first)
    with st.container(key="work"):
        left, right = st.columns([13, 8], gap="medium")
        with left:
            pace.begin(store, person, form, row)
            st.text(visible(scheme.intro))
            look = looks.show(store, form, KEYS_HELP)
            hand = aid.Hand(form.name, look.keys, state.gap, form.chosen)
            aid.show(hand, _keys(form), partial(clicks.heard, store, form))
            versions.show(form, shown, look, ("", ""))
        with right, st.container(key="panel"):
            _panel(store, form, scheme, row, state)
    frame.end(store)
    clicks.check_drawn(form, state)


def _keys(form: Form) -> aid.Keys:
    """The digits say how sure somebody is."""
    check = {CHECK.part: 1} if form.view.check else {}
    return aid.Keys(("x", "y", "naming", *check), {"naming": 1, **check}, ())


def _panel(store: Store, form: Form, scheme: Naming, row: Sequence[Place], state: State) -> None:
    """Everything to be answered, and the ways on; a practice pair that was answered shows what it teaches instead."""
    if lessons.show(form, row, lessons.Words(partial(_asks, scheme), partial(_named, scheme))):
        return
    for question in scheme.questions():
        with st.container(border=True, key=form.key(f"card-{question.part}"), gap="small"):
            if question.kind == "country":
                _country(store, form, scheme, question)
            else:
                _confidence(store, form, scheme, question)
    if form.view.check:
        show_check(store, form)
    show_comment(store, form, "", "Comment on the pair (optional)")
    aside.show(store, form)
    total = len(form.questions)
    done = f"{total - len(state.missing)} of {total} questions"
    trouble = state.trouble
    if state.gap:
        trouble = f"Not submitted yet. Still missing: {'; '.join(_wanted(scheme, one) for one in state.missing)}."
    ways(store, form, row, f"Saved: {done} answered. Not submitted yet." if state.draft else "", trouble)


def _country(store: Store, form: Form, scheme: Naming, question: Question) -> None:
    """One placeholder's country, from the list in the order that was drawn for this place."""
    names = {one.id: literal(one.name) for one in scheme.candidates}
    values = (*form.view.options, CANNOT_TELL)
    texts = distinct([*(names[one] for one in form.view.options), literal(scheme.cannot_tell)])
    part = form.part(question)
    start = form.start(part, form.shown(question))
    st.selectbox(
        _asks(scheme, question),
        values,
        index=None if start is None else values.index(start),
        format_func=dict(zip(values, texts, strict=True)).__getitem__,
        placeholder="Choose a country",
        key=form.key(part),
        on_change=clicks.keep,
        args=(store, form),
    )


def _named(scheme: Naming, _: Question, value: str) -> str:
    """A stored country or level as annotators read it, as Markdown."""
    names = {one.id: one.name for one in scheme.candidates} | {CANNOT_TELL: scheme.cannot_tell}
    return literal(names.get(value, value))


def _asks(scheme: Naming, question: Question) -> str:
    if question.kind != "country":
        return literal(scheme.confidence_question)
    placeholder = scheme.placeholders[0 if question.part == "x" else 1]
    return literal(fill(scheme.question, {"placeholder": placeholder}, "naming.question"))


def _confidence(store: Store, form: Form, scheme: Naming, question: Question) -> None:
    """How sure somebody is; switched off where neither country was named."""
    answers = clicks.answers_on_screen(form)
    levels = question._replace(values=question.values[:-1])
    words = ("Confidence", scheme.confidence_question)
    named = [f"{level} {text}" for level, text in zip(levels.values, scheme.confidence, strict=True)]
    ask(store, form, levels, words, named, False, disabled=not scheme.open(question, answers))


def _wanted(scheme: Naming, question: Question) -> str:
    if question.kind == "country":
        return literal(scheme.placeholders[0 if question.part == "x" else 1])
    return "A check" if question == CHECK else "how sure you are"
