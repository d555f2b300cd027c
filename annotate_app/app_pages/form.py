"""One place as it stands on the screen of one window: its widgets' names, what they start from, what they say."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from annotate_app.app_pages.window import memory, values
from annotate_app.blind import shown_answer, shown_number, stored_answer
from annotate_app.questions import AnyScheme, Entry, Question, asked, settle
from annotate_app.store import Store, View

DROPS, BREAKS, KNOWN = "form.drops", "form.breaks", "form.known"
BLANK = (None, "")


class Form(NamedTuple):
    """One place at one revision as it stands on the screen. Widget keys carry only the place's number and revision.

    `drops` counts the drafts dropped in this window: widgets after one are new ones. `breaks` counts how often its
    choices came out blank after a broken connection: choices after that are new ones.
    """

    scheme: AnyScheme
    view: View
    drops: int = 0
    breaks: int = 0

    @property
    def name(self) -> str:
        """The page's name in keys: a number that is this annotator's alone.

        The item's code would show which item comes back, and that two people have the same one.
        """
        place = self.view.place
        return f"p{place.presentation}-{place.revision}-{self.drops}"

    @property
    def questions(self) -> tuple[Question, ...]:
        return asked(self.scheme, bool(self.view.check))

    def key(self, part: str) -> str:
        return f"{self.name}-{part}"

    def part(self, question: Question) -> str:
        """A question's place on the screen, which speaks of versions 1 and 2 only."""
        kind = question.kind
        asked = shown_number(kind, self.view.first) if kind == "A" or kind == "B" else kind
        return f"{question.part}-{asked}" + (f"-{self.breaks}" if self.breaks else "")

    def shown(self, question: Question) -> str | None:
        """What a question shows at first; a value that only follows from another answer is no answer to it."""
        answers = self.view.entry.answers
        if not self.scheme.open(question, answers):
            return None
        return shown_answer(question, answers.get(question.id), self.view.first)

    def start(self, part: str, stored: str | None) -> str | None:
        """What a widget starts from, to be asked before it is drawn.

        A widget that this window shows keeps what was chosen here. Where nothing was, it follows what is stored, which
        another window may have changed.
        """
        key = self.key(part)
        known = self._known
        if key in st.session_state:
            mine, follows = st.session_state[key], part in known and st.session_state[key] == known[part]
            # A value that is set, even to what it is, overwrites what is clicked until the page has been drawn.
            if stored not in (*BLANK, mine) and (mine in BLANK or follows):
                st.session_state[key] = stored
        known[part] = stored
        return None if key in st.session_state else stored

    def on_screen(self) -> Entry:
        """What the reader has before them. A blank says nothing: only its own callback takes a comment away."""
        return self._entry(self._values())

    def said_here(self) -> Entry:
        """What on the screen was said in this window and is not known to be stored."""
        known = self._known
        return self._entry(
            {part: said for part, said in self._values().items() if part not in known or said != known[part]}
        )

    def heard(self) -> None:
        """All that was said here is stored: what is said from now on differs from that, not from the last drawing.

        Of two quick clicks the second may be back at what was drawn last.
        """
        self._known.update({part: said for part, said in self._values().items() if said not in BLANK})

    @property
    def _known(self) -> dict[str, str | None]:
        """What was last known to be stored, by widget: what differs from it was said here."""
        by_page: dict[str, dict[str, str | None]] = memory().setdefault(KNOWN, {})
        return by_page.setdefault(self.name, {})

    def _values(self) -> dict[str, Any]:
        """What each choice and each comment says, by its place on the screen; None or empty where nothing does."""
        held = values()
        parts = (*map(self.part, self.questions), *map(commented, self._commented))
        return {part: held.get(self.key(part)) for part in parts}

    @property
    def _commented(self) -> tuple[str, ...]:
        """What there can be a comment on; "" is the whole item."""
        return (*dict.fromkeys(question.part for question in self.questions), "")

    def _entry(self, said: Mapping[str, Any]) -> Entry:
        """What is said, in stored form, of the choices and comments that are given."""
        answers = {one.id: stored_answer(one, said.get(self.part(one)), self.view.first) for one in self.questions}
        comments = {part: text for part in self._commented if (text := said.get(commented(part)))}
        return settle(self.scheme, Entry(answers, comments))

    @property
    def chosen(self) -> int:
        """How many choices the screen shows, as far as the server knows.

        A connection that broke in the middle of a drawing can leave them blank; then the page's hand reports it.
        """
        said = self._values()
        return sum(1 for one in self.questions if (said[self.part(one)] or self.shown(one)) is not None)


def commented(part: str) -> str:
    """The place of the comment on a part."""
    return f"comment-{part}"


def form_for(store: Store, view: View) -> Form:
    """The form of a view in this window."""
    return Form(store.scheme, view, memory().get(DROPS, 0), memory().get(BREAKS, 0))
