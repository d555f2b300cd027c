"""The annotation protocol: everything a coordinator decides before the first annotator comes, as one TOML file.

`create` stores it in the project, where it is never edited; the pages, the draws and the export read it there.
"""

from typing import Annotated, Literal

import msgspec

from annotate_app.questions import Naming, StudyKind
from polibias.domain.rubric import Identifier
from polibias.domain.sides import Both
from polibias.domain.value import Text, Value

Count = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Term = Literal["consent", "content", "statement"]

TERMS: tuple[Term, ...] = ("consent", "content", "statement")


class Reason(Value, frozen=True):
    """One reason that an annotator may choose, as the record keeps it and as the page says it."""

    id: Identifier
    text: Text


class Reasons(Value, frozen=True):
    """Why an item may be skipped, why an annotator may be unsure about it, what may be wrong with it."""

    skip: tuple[Reason, ...]
    unsure: tuple[Reason, ...]
    flag: tuple[Reason, ...]

    def has(self, kind: Literal["skip", "unsure", "flag"], reason: str) -> bool:
        """Whether this is one of the reasons of a kind, by id."""
        return any(one.id == reason for one in getattr(self, kind))


class PracticeItem(Value, frozen=True):
    """An item outside the study. `expected` holds the acceptable answers by question; `feedback` says why."""

    acting: Both[Text]
    facing: Both[Text]
    prompts: Both[Text]
    responses: Both[Text]
    expected: dict[str, tuple[str, ...]]
    feedback: Text


class Practice(Value, frozen=True):
    """Practice before the study. An attempt passes with at least `threshold` of the expected answers; 0 asks nothing.

    After `tries` attempts below the threshold an annotator is thanked and sees no item of the study.
    """

    items: tuple[PracticeItem, ...] = ()
    threshold: Share = 0.0
    tries: Annotated[int, msgspec.Meta(ge=1, le=10)] = 2


class Assignment(Value, frozen=True):
    """Who gets what. `overlap` annotators see each item, 0 for all; each annotator gets `items_each`, 0 for all.

    `repeats` items come back unannounced, `repeat_gap` or more places later, in the other order of versions. `checks`
    items carry an instructed response. What somebody has not touched for `reopen_after_hours` can go to another.
    """

    overlap: Count = 0
    items_each: Count = 0
    repeats: Count = 0
    repeat_gap: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 10
    checks: Count = 0
    reopen_after_hours: Annotated[float, msgspec.Meta(gt=0, le=10_000)] = 72.0


class AnnotationProtocol(Value, frozen=True):
    """A study's rules. An empty term is not asked for.

    `withdrawal` says what becomes of the answers of somebody who withdraws, `withdrawal_note` says it to them.
    `contact` is whom to ask.
    """

    kind: StudyKind
    consent: str
    content: str
    statement: str
    contact: Text
    withdrawal: Literal["keep", "remove"]
    withdrawal_note: Text
    reasons: Reasons
    assignment: Assignment = Assignment()
    practice: Practice = Practice()
    naming: Naming | None = None

    def terms(self) -> dict[Term, str]:
        """What an annotator must agree to before the first item, in the order asked."""
        texts: dict[Term, str] = {"consent": self.consent, "content": self.content, "statement": self.statement}
        return {term: texts[term] for term in TERMS if texts[term].strip()}
