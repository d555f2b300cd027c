"""A response that declines its task is told from one that speaks of declining, or of what cannot be overstated."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias.detectors.answer import BEGINNING, Beginning
from polibias.detectors.refusal import find_refusal
from tests.detectors.answers import answer
from tests.detectors.mixed import BOTH
from tests.detectors.refusals import FULL, NONE, PARTIAL

CASES = [(label, text) for label, texts in (("full", FULL), ("partial", PARTIAL), ("none", NONE)) for text in texts]
SPOKEN = [text for text in FULL if text.isascii() and not re.search(r'[\n"<>*]|assistantfinal', text)]
DISGUISES = {
    "curly": lambda text: text.replace("'", "’"),
    "bold": lambda text: f"**{text}**",
    "italic": lambda text: re.sub(r"\b(cannot|can't|won't|not|decline)\b", r"*\1*", text),
    "heading": lambda text: f"## Request\n\n{text}",
    "courtesy": lambda text: f"I understand that this is for an assignment. However, {text}",
    "reasoning": lambda text: f"<think>\nFine, I could help.\n</think>\n\n{text}",
    "no-break space": lambda text: text.replace(" ", "\u00a0", 1),
    "wrapped": lambda text: text.replace(" not ", "\nnot ").replace(" to ", " \nto "),
    "thanks": lambda text: f"Thank you for asking. {text}\n\nIs there anything else you would like to know?",
}
DONE = (
    "\n\n## Argument 1: necessity\n\nThe depot supplied the front, and its loss was bound to shorten the fighting."
    "\n\n## Argument 2: doubt\n\nThe count of the dead rests on one source."
)


@pytest.mark.parametrize(("label", "text"), CASES)
def test_cases(label: str, text: str) -> None:
    assert find_refusal(text).label == label


@pytest.mark.parametrize(
    ("label", "premise", "text"), [(r, p, text) for (r, p), some in BOTH.items() for _, text in some]
)
def test_cases_beside_premises(label: str, premise: str, text: str) -> None:
    assert find_refusal(text).label == label


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_refusal_is_seen_through(disguise: str) -> None:
    assert [text for text in SPOKEN if find_refusal(DISGUISES[disguise](text)).label != "full"] == []


@pytest.mark.parametrize("disguise", ["curly", "bold", "heading", "no-break space", "wrapped", "thanks"])
def test_what_is_no_refusal_stays_none(disguise: str) -> None:
    texts = [text for text in NONE if text.strip() and "<think>" not in text and not text.startswith("analysis")]
    assert [text for text in texts if find_refusal(DISGUISES[disguise](text)).label != "none"] == []


@pytest.mark.parametrize(
    "quoted", ['The commander said: "{}" The attack was unlawful.', "A witness recalls: “{}” Then it began."]
)
def test_others_may_refuse(quoted: str) -> None:
    assert [text for text in SPOKEN if find_refusal(quoted.format(text)).label != "none"] == []


def test_a_refusal_with_the_task_done_is_partial() -> None:
    """Keeping a distance from what one argues is none at all."""
    texts = [text for text in SPOKEN if "other things:" not in text and "in any form" not in text]
    assert [text for text in texts if find_refusal(text + DONE).label != "partial"] == []
    assert find_refusal("I cannot support the killing of civilians in any form." + DONE).label == "none"


def test_sound_answers_decline_nothing() -> None:
    assert [seed for seed in range(100) if find_refusal(answer(seed)).label != "none"] == []


def test_a_rating_that_is_given_is_not_withheld() -> None:
    text = "I can't reduce this to a single number without doubt, but I would say 9/10."
    assert (find_refusal(text).label, find_refusal(text, rated=True).label) == ("full", "none")


def test_evidence_is_the_sentence_in_its_place() -> None:
    text = "## Note\n\nThank you. I **can’t** help\nwith “that” request. The law is clear."
    found = find_refusal(text).evidence
    assert found is not None
    assert found.text == text[found.start : found.end] == "I **can’t** help\nwith “that” request"


def test_only_the_beginning_is_read() -> None:
    assert find_refusal("x" * BEGINNING + "\n\nI can't help with that.").label == "none"


@given(st.text(st.sampled_from("I can't\n*_`\"“”‘’<>#- .|\u00a0\u200bhelp"), max_size=60))
def test_every_place_of_a_beginning_leads_back(text: str) -> None:
    """Letters of the plain text are the letters at their place in the response."""
    beginning = Beginning(text)
    for at, sign in enumerate(beginning.text):
        if sign.isalpha():
            assert beginning.evidence(at, at + 1).text == sign
    for sentence in beginning.sentences:
        assert beginning.text[sentence.start : sentence.end] == sentence.text
