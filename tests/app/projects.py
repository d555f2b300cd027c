"""Projects made straight from a list of items, and whole entries for them: what the tests of the core stand on."""

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from annotate_app.blind import human_wording
from annotate_app.create import Created, Wanted, create
from annotate_app.enrolment import Invitation, invite
from annotate_app.exposure import barred_pairs, enrolling
from annotate_app.origins import Material, Source
from annotate_app.protocol import AnnotationProtocol, Practice, PracticeItem
from annotate_app.questions import AnyScheme, Candidate, Entry, Naming, Scoring
from annotate_app.sealed import AnyOrigin, MaskedOrigin, PairOrigin
from annotate_app.store import Place, Store, open_store
from polibias.domain.rows import Design
from polibias.domain.sides import Both
from tests.app.conftest import ADDRESS, SHIPPED, SMALL, WITHOUT_TERMS

SCORING = Scoring(human_wording(SMALL))
NAMING = Naming(
    title="Which countries?",
    intro="Two countries are masked.",
    question="Which country is {placeholder}?",
    cannot_tell="Cannot tell",
    same_country="One country cannot be both.",
    confidence_question="How sure are you?",
    confidence=("guessing", "fairly", "certain"),
    candidates=tuple(Candidate(id, id.title()) for id in ("france", "germany", "israel", "iran")),
)
NO_PRACTICE = Practice()


def rules(practice: Practice = NO_PRACTICE, terms: bool = False, **assignment: Any) -> AnnotationProtocol:
    """A protocol, without terms unless asked for, with other entries under [assignment] and [practice]."""
    base = SHIPPED if terms else WITHOUT_TERMS
    wanted = msgspec.structs.replace(base.assignment, **assignment)
    return msgspec.structs.replace(base, assignment=wanted, practice=practice)


def lesson(expected: dict[str, tuple[str, ...]]) -> PracticeItem:
    """A practice item with these acceptable answers."""
    texts = Both("one", "other")
    return PracticeItem(texts, texts, texts, texts, expected, "Because it says so.")


def make(
    folder: Path,
    protocol: AnnotationProtocol = WITHOUT_TERMS,
    scheme: AnyScheme = SCORING,
    items: int = 4,
    name: str = "study",
    controls: int = 0,
) -> Created:
    """A project of so many items, the last ones of another stratum; item number n is of one pair in every project."""
    blocks = ["main"] * (items - controls) + ["control"] * controls
    found = [_material(number, block, scheme) for number, block in enumerate(blocks)]
    source = Source("a-run", "0" * 64, scheme, "1" * 64, found)
    if isinstance(scheme, Naming):
        protocol = msgspec.structs.replace(protocol, kind="reidentification", naming=scheme)
    return create(source, Wanted(name, protocol, ADDRESS, 7), folder / "projects", folder / "sealed")


def made(folder: Path, protocol: AnnotationProtocol = WITHOUT_TERMS, *names: str, **wanted: Any) -> Store:
    """The store of a new project with these people in it."""
    store = open_store(make(folder, protocol, **wanted).database)
    if names:
        invited(store, *names)
    return store


def _material(number: int, block: str, scheme: AnyScheme) -> Material:
    pair = f"secret-pair-{number}"
    texts = {part: Both(f"{part} A {number}", f"{part} B {number}") for part in ("acting", "facing")}
    texts |= {part: Both(f"{part} A {number}", f"{part} B {number}") for part in ("prompts", "responses")}
    origin: AnyOrigin = MaskedOrigin(pair, "secret-model", "france", "germany", "secret-category")
    if isinstance(scheme, Scoring):
        design = Design("secret-template", "c", f"t{number}", "active", "main", "secret-task", "plain", "swapped", ())
        origin = PairOrigin(pair, "secret-model", Both("secret-response-a", "secret-response-b"), design)
    return Material(texts, f"secret-{block}", origin)


def invited(store: Store, *names: str, more: int = 0, hours: float = 0) -> list[Invitation]:
    """Invite as the command does, as if `hours` had gone by."""
    with enrolling(store.path.parent.parent):
        barred = {name: barred_pairs(store.path, name) for name in names}
        with store.writing() as session:
            return invite(session, store, names, None, barred, more, lambda: _later(hours))


def _later(hours: float) -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=hours)


def complete(scheme: AnyScheme = SCORING, check: str = "", pick: int = 1, comment: str = "") -> Entry:
    """An entry without gaps; `pick` says which value of each question it takes."""
    answers: dict[str, str | None] = {}
    for place, question in enumerate(scheme.questions()):
        shift = place if question.kind == "country" else 0
        answers[question.id] = question.values[(pick + shift) % len(question.values)]
    if check:
        answers["check.answer"] = check
    return Entry(answers, {"": comment} if comment else {})


def codes(store: Store, places: Sequence[Place]) -> list[str]:
    """The items at these places."""
    return [store.view(place).item.code for place in places]
