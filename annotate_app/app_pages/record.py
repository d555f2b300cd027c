"""An annotator's own record: what they answered, as they saw it, to read and to take away."""

import csv
import html
import io
from collections.abc import Mapping, Sequence

import streamlit as st

from annotate_app.blind import shown_answer, shown_number
from annotate_app.questions import CANNOT_TELL, AnyScheme, Naming, Question
from annotate_app.sheets import Place
from annotate_app.store import Store, View
from polibias.domain.display import visible

HEADINGS = ("Pair", "State", "Last saved (UTC)", "Answers", "Comments", "Passages")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def show(store: Store, person: int) -> None:
    """Draw the record as a table, and offer it as a file."""
    row = [place for place in store.places(person) if place.role != "practice"]
    reasons = _reasons(store, person)
    lines = [_line(store, place, reasons) for place in row if place.finished or place.draft]
    st.header("Your own record", anchor=False)
    if not lines:
        st.text("You have not answered anything.")
        return
    head = "".join(f'<th scope="col">{heading}</th>' for heading in HEADINGS)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in line)}</tr>" for line in lines)
    st.html(
        f'<div class="record" role="region" aria-label="Your own record" tabindex="0"><table><thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )
    st.download_button(
        "Download your record", _csv(lines), "my-annotations.csv", "text/csv", key="record", on_click="ignore"
    )


def _reasons(store: Store, person: int) -> dict[tuple[int, int], str]:
    """Why pairs were skipped or marked as unsure, in the words of the page."""
    given = store.protocol.reasons
    texts = {one.id: visible(one.text) for one in (*given.skip, *given.unsure)}
    return {where: texts.get(reason, reason) for where, reason in store.reasons(person).items()}


def _line(store: Store, place: Place, reasons: Mapping[tuple[int, int], str]) -> tuple[str, ...]:
    view = store.view(place)
    why = reasons.get((place.presentation, place.finished))
    state = (f"{place.state}: {why}" if why else place.state) if place.finished and not place.draft else "draft"
    said = [answer for question in store.scheme.questions() if (answer := _said(store, view, question))]
    comments = [visible(text) for text in view.entry.comments.values()]
    quotes = [
        f"version {shown_number(quote.side, view.first)}: {visible(quote.text)}"
        for quotes in view.entry.quotes.values()
        for quote in quotes
    ]
    at = place.touched_at[:16].replace("T", " ")
    return str(place.number), state, at, "; ".join(said), " | ".join(comments), " | ".join(quotes)


def _said(store: Store, view: View, question: Question) -> str:
    """An answer in the words of its page: versions 1 and 2, never A and B."""
    value = shown_answer(question, view.entry.answers.get(question.id), view.first)
    if value is None or not store.scheme.open(question, view.entry.answers):
        return ""
    title, words = in_words(store.scheme, question, value)
    if question.kind == "favoured":
        return f"{title}: favours {'no side' if value == 'none' else f'version {value}'}"
    if question.kind == "A" or question.kind == "B":
        return f"{title}, version {shown_number(question.kind, view.first)}: {words}"
    return f"{title}: {words}"


def in_words(scheme: AnyScheme, question: Question, value: str) -> tuple[str, str]:
    """What a question is about and what a value says, as their page has them."""
    if isinstance(scheme, Naming):
        names = {one.id: one.name for one in scheme.candidates} | {CANNOT_TELL: scheme.cannot_tell}
        titles = {"x": scheme.placeholders[0], "y": scheme.placeholders[1], "naming": "Confidence"}
        return titles[question.part], visible(names.get(value, value))
    parts = {one.id: one.title for one in scheme.rubric.dimensions}
    options = {(one.id, option.id): option.human for one in scheme.rubric.labels for option in one.options}
    parts |= {one.id: one.title for one in scheme.rubric.labels}
    return visible(parts[question.part]), visible(options.get((question.part, value), value))


def _csv(lines: Sequence[Sequence[str]]) -> bytes:
    """The same as a file that a spreadsheet opens without running anything in it."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(HEADINGS)
    writer.writerows([f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell for cell in line] for line in lines)
    return out.getvalue().encode("utf-8-sig")
