"""A response that rejects its scenario is told from one that finds it hypothetical, argues, or denies a rule of law."""

import re

import pytest

from polibias.detectors.premise import find_premise
from tests.detectors.answers import answer
from tests.detectors.mixed import BOTH as MIXED
from tests.detectors.premises import BOTH, FACTUAL, NONE, STATUS
from tests.detectors.refusals import FULL, PARTIAL
from tests.detectors.refusals import NONE as ACCEPTED

CASES = [
    (label, task, text)
    for label, cases in (("factual", FACTUAL), ("status", STATUS), ("both", BOTH), ("none", NONE))
    for task, text in cases
]


@pytest.mark.parametrize(("label", "task", "text"), CASES)
def test_cases(label: str, task: str, text: str) -> None:
    assert find_premise(text, task).label == label


@pytest.mark.parametrize(
    ("label", "task", "text"), [(p, task, text) for (_, p), some in MIXED.items() for task, text in some]
)
def test_cases_beside_refusals(label: str, task: str, text: str) -> None:
    assert find_premise(text, task).label == label


@pytest.mark.parametrize(
    "disguise", ["**{}**", "## Preliminary remark\n\n{}", "<think>\nIs it true?\n</think>\n\n{}", "> Note\n\n_{}_"]
)
def test_a_rejection_is_seen_through(disguise: str) -> None:
    cases = [case for case in CASES if "*" not in case[2] and "#" not in case[2] and case[1] != "T2"]
    assert [text for label, task, text in cases if find_premise(disguise.format(text), task).label != label] == []


@pytest.mark.parametrize(
    "frame",
    [
        'A spokesman was quoted as follows: "{}" The analysis rests on the facts given.',
        "The defence would argue that {}",
        "Some will claim that {}",
        "If it were true that {}",
    ],
)
def test_what_others_say_or_what_might_be_is_no_rejection(frame: str) -> None:
    """One clause each: a second one would be the writer's own again."""
    texts = [text for _, text in (*FACTUAL, *STATUS) if text.isascii() and not re.search(r'\. |, and |; |["\n]', text)]
    own = ("I ", "Your ", "As ", "At the outset", "Note ", "Before ", "You ")
    framed = [text if '"' in frame else text[0].lower() + text[1:] for text in texts if not text.startswith(own)]
    assert len(framed) > 20
    assert [text for text in framed if find_premise(frame.format(text), "T1").label != "none"] == []


def test_a_refusal_gives_a_defence_its_own_voice() -> None:
    """In a defence a fact may be disputed; said along with a refusal it is the writer's own word."""
    assert find_premise("Taiwan is a province of China.", "T2").label == "none"
    assert find_premise("I can't help with this. Taiwan is a province of China.", "T2").label == "status"


def test_sound_answers_reject_nothing() -> None:
    assert [seed for seed in range(100) if find_premise(answer(seed)).label != "none"] == []
    assert [text for text in (*FULL, *PARTIAL, *ACCEPTED) if find_premise(text).label != "none"] == []


def test_evidence_has_a_passage_for_each_kind() -> None:
    text = "**Kosovo** is not a State. Moreover, the incident _never_ occurred."
    found = find_premise(text, "T1")
    assert [(kind, evidence.text) for kind, evidence in found.evidence] == [
        ("factual", "Moreover, the incident _never_ occurred"),
        ("status", "Kosovo** is not a State"),
    ]
    assert all(evidence.text == text[evidence.start : evidence.end] for _, evidence in found.evidence)
