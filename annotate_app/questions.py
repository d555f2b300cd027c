"""What annotators are asked and what they answer: one scheme for each kind of study.

Every question has one answer, a short text in stored form: sides are A and B, countries are ids, never what stood
on the screen. A scheme knows which questions there are, which of them an answer closes, and what is still missing;
the database, the pages and the export ask it and know nothing else of the kind of study.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, Protocol

import msgspec

from polibias.domain.rubric import Dimension, Rubric
from polibias.domain.sides import SIDES, Favoured, Side
from polibias.domain.value import EntryId, Text, Value

Answers = Mapping[str, str | None]
Kind = Literal["score", "favoured", "A", "B", "country", "confidence", "answer"]
StudyKind = Literal["pairs", "reidentification"]

FAVOURED: tuple[Favoured, ...] = (*SIDES, "none")
CANNOT_TELL = "cannot_tell"
WHOLE = ""
CHECK_VALUES = ("1", "2", "3", "4", "5")


class Question(NamedTuple):
    """One question with one stored answer, which is one of `values`.

    `part` is what it belongs to: a dimension, a label, a placeholder. `kind` is `score` or `favoured` for a dimension;
    for a label it is the version whose response is asked about.
    """

    part: str
    kind: Kind
    values: tuple[str, ...]

    @property
    def id(self) -> str:
        return question_id(self.part, self.kind)


CHECK = Question("check", "answer", CHECK_VALUES)
"""An instructed response: the page says which value to choose. It is asked beside some items and is no result."""


class Quote(Value, frozen=True):
    """A passage of the response of one version, given as evidence."""

    side: Side
    text: Text


class Entry(Value, frozen=True):
    """Everything an annotator says about one item.

    `answers` are in stored form by question id, None where there is none. `comments` and `quotes` are kept by part,
    `WHOLE` being the item itself; a part without any has no entry.
    """

    answers: dict[str, str | None]
    comments: dict[str, str] = {}
    quotes: dict[str, tuple[Quote, ...]] = {}

    def with_quote(self, part: str, quote: Quote, wanted: bool) -> "Entry":
        """The same with this quote in a part, once, or without it."""
        others = tuple(one for one in self.quotes.get(part, ()) if one != quote)
        return Entry(self.answers, self.comments, self.quotes | {part: (*others, quote) if wanted else others})


class Scheme(Protocol):
    """What one kind of study asks."""

    def questions(self) -> tuple[Question, ...]:
        """Everything that is asked about one item, in the order of the page."""
        ...

    def open(self, question: Question, answers: Answers) -> bool:
        """Whether these answers leave the question to be asked. One that is not stands at `closed_value`."""
        ...

    def conflict(self, answers: Answers) -> str:
        """Why complete answers cannot be submitted as they stand, as one line; '' if they can."""
        ...


class Scoring(Value, frozen=True, tag="pairs"):
    """Blind pair scoring: a rubric's dimensions and labels for two responses side by side."""

    rubric: Rubric

    def questions(self) -> tuple[Question, ...]:
        """Score and favoured side of each dimension, then each label for both versions."""
        about = [one for dimension in self.rubric.dimensions for one in self._about(dimension)]
        labels = [label for label in self.rubric.labels if "human" in label.asked]
        of_each = [Question(one.id, side, tuple(each.id for each in one.options)) for one in labels for side in SIDES]
        return (*about, *of_each)

    def _about(self, dimension: Dimension) -> Iterator[Question]:
        if dimension.asks == "score":
            yield Question(dimension.id, "score", tuple(map(str, self.rubric.scale(dimension))))
        yield Question(dimension.id, "favoured", FAVOURED)

    def open(self, question: Question, answers: Answers) -> bool:
        """A score of zero may admit no favoured side."""
        scored_zero = answers.get(question_id(question.part, "score")) == "0"
        return not (question.kind == "favoured" and self.rubric.zero_favours_none and scored_zero)

    def conflict(self, _: Answers) -> str:
        return ""


class Candidate(Value, frozen=True):
    """A country that a masked one may be, as annotators read it."""

    id: EntryId
    name: Text


class Naming(Value, frozen=True, tag="reidentification"):
    """Masked re-identification: which country each placeholder stands for, and how sure the annotator is.

    `placeholders` are the words that stand in the texts, in the order X, Y. `question` may use {placeholder}.
    `confidence` names the levels 1, 2, …
    """

    title: Text
    intro: Text
    question: Text
    cannot_tell: Text
    same_country: Text
    confidence_question: Text
    confidence: tuple[Text, ...]
    candidates: tuple[Candidate, ...]
    placeholders: tuple[Text, Text] = ("Country X", "Country Y")

    def questions(self) -> tuple[Question, ...]:
        """The country behind X, the country behind Y, and the confidence in both."""
        ids = (*(one.id for one in self.candidates), CANNOT_TELL)
        levels = tuple(str(level) for level in range(1, len(self.confidence) + 1))
        named = (Question("x", "country", ids), Question("y", "country", ids))
        return (*named, Question("naming", "confidence", (*levels, "none")))

    def open(self, question: Question, answers: Answers) -> bool:
        """Nobody is asked how sure they are who could name neither country."""
        return question.kind != "confidence" or any(answers.get(f"{part}.country") != CANNOT_TELL for part in "xy")

    def conflict(self, answers: Answers) -> str:
        x, y = answers.get("x.country"), answers.get("y.country")
        return self.same_country if x == y and x != CANNOT_TELL else ""


AnyScheme = Scoring | Naming


def question_id(part: str, kind: Kind) -> str:
    """The name of a question's answer."""
    return f"{part}.{kind}"


def asked(scheme: Scheme, checked: bool) -> tuple[Question, ...]:
    """Everything asked about one item, the instructed response last where there is one."""
    return (*scheme.questions(), CHECK) if checked else scheme.questions()


def settle(scheme: Scheme, entry: Entry) -> Entry:
    """The entry as it is stored: no value that answers nothing, closed questions at their value, no empty notes."""
    questions = asked(scheme, CHECK.id in entry.answers)
    known = {question.id: _known(question, entry.answers) for question in questions}
    settled = {one.id: known[one.id] if scheme.open(one, known) else "none" for one in questions}
    comments = {part: text for part, text in entry.comments.items() if text}
    return Entry(settled, comments, {part: quotes for part, quotes in entry.quotes.items() if quotes})


def _known(question: Question, answers: Answers) -> str | None:
    """The value, if it answers the question. A closed question about confidence stands at "none", which nobody says."""
    value = answers.get(question.id)
    unsaid = question.kind == "confidence" and value == "none"
    return value if value in question.values and not unsaid else None


def merged(scheme: Scheme, before: Entry, given: Entry) -> Entry:
    """What is stored once `given` is said: nothing answered before is lost to a blank.

    A choice cannot be taken back on the page, so a blank only means that this window has not seen the answer yet.
    A comment or quotes are replaced where `given` has them, by nothing too.
    """
    answers: dict[str, str | None] = {}
    for question in asked(scheme, CHECK.id in before.answers or CHECK.id in given.answers):
        answered = _known(question, before.answers) if scheme.open(question, before.answers) else None
        answers[question.id] = _known(question, given.answers) or answered
    return settle(scheme, Entry(answers, before.comments | given.comments, before.quotes | given.quotes))


def gaps(scheme: Scheme, answers: Answers, checked: bool = False) -> list[Question]:
    """What is still to be answered before these answers can be submitted, in the order of the page.

    Who is favoured is not missed before the score is given.
    """
    missing = [question for question in asked(scheme, checked) if answers.get(question.id) is None]
    unscored = {question.part for question in missing if question.kind == "score"}
    return [question for question in missing if question.kind == "score" or question.part not in unscored]


def difference(before: Entry, after: Entry) -> dict[str, object]:
    """The new value of everything that differs, as plain JSON: answers by question, notes by part."""
    changed: dict[str, object] = {
        name: value for name, value in after.answers.items() if value != before.answers.get(name)
    }
    comments = _changed(before.comments, after.comments, "")
    quotes = _changed(before.quotes, after.quotes, ())
    notes = {"comments": comments, "quotes": msgspec.to_builtins(quotes)}
    return changed | {name: value for name, value in notes.items() if value}


def _changed(before: Mapping[str, object], after: Mapping[str, object], empty: object) -> dict[str, object]:
    return {part: after.get(part, empty) for part in sorted({*before, *after}) if before.get(part) != after.get(part)}
