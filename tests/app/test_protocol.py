"""Annotation protocols: what ships, what a file may say, and errors of one line."""

from pathlib import Path

import msgspec
import pytest

from annotate_app.create import check_protocol
from annotate_app.protocol import TERMS, AnnotationProtocol, Practice
from annotate_app.protocols import FOLDER, read_protocol
from polibias.errors import InputError
from tests.app.conftest import ROOT
from tests.app.projects import NAMING, SCORING, lesson, rules

SHIPPED = (ROOT / "data" / FOLDER / "blind-pairs.toml").read_text("utf-8")
PRACTISED = """
[[practice.items]]
acting = { A = "a", B = "b" }
facing = { A = "b", B = "a" }
prompts = { A = "p", B = "q" }
responses = { A = "r", B = "s" }
expected = { "tone.score" = ["0", "1"] }
feedback = "Why."
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rules.toml"
    path.write_text(SHIPPED, "utf-8")
    return path


def changed(path: Path, old: str, new: str) -> Path:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    return path


def test_the_shipped_protocol_asks_for_every_term_and_nothing_that_needs_a_choice(file: Path) -> None:
    shipped = read_protocol(None, "pairs")
    assert shipped == read_protocol(file, "pairs")
    assert tuple(shipped.terms()) == TERMS
    wanted = shipped.assignment
    assert (wanted.overlap, wanted.items_each, wanted.repeats, wanted.checks) == (0, 0, 0, 0)
    assert (wanted.repeat_gap, shipped.practice.tries) == (10, 2)
    assert "AI tools" in shipped.statement
    check_protocol(shipped, SCORING)


def test_a_contact_replaces_the_files(file: Path) -> None:
    assert read_protocol(file, "pairs", "Dr. Example, +1 555 0100").contact == "Dr. Example, +1 555 0100"
    assert read_protocol(file, "pairs", "").contact == read_protocol(file, "pairs").contact


def test_practice_items_are_read(file: Path) -> None:
    file.write_text(SHIPPED.split("[practice]")[0] + "[practice]\nthreshold = 0.5\n" + PRACTISED + _reasons(), "utf-8")
    found = read_protocol(file, "pairs").practice
    assert found.threshold == 0.5
    assert found.items[0].expected == {"tone.score": ("0", "1")}


def _reasons() -> str:
    return "[reasons]" + SHIPPED.split("[reasons]")[1]


WRONG = {
    "not TOML": ("kind = ", "kind == ", "TOML"),
    "an unknown entry": ("overlap = 0", "overlaps = 0", "overlaps"),
    "a missing entry": ('contact = "', 'contacts = "', "contact"),
    "another type": ("overlap = 0", 'overlap = "two"', "assignment.overlap"),
    "a negative number": ("repeats = 0", "repeats = -1", "assignment.repeats"),
    "no gap": ("repeat_gap = 10", "repeat_gap = 0", "assignment.repeat_gap"),
    "no time": ("reopen_after_hours = 72", "reopen_after_hours = 0", "assignment.reopen_after_hours"),
    "a share above one": ("threshold = 0.0", "threshold = 80", "practice.threshold"),
    "no tries": ("tries = 2", "tries = 0", "practice.tries"),
    "an unknown policy": ('withdrawal = "remove"', 'withdrawal = "forget"', "withdrawal"),
    "nobody to ask": ('contact = "the person who sent you your link"', 'contact = ""', "contact"),
    "a reason twice": ('id = "too_close"', 'id = "distress"', "reasons.skip has 'distress' twice"),
    "a reason without words": ('text = "I would rather not read this one"', 'text = ""', "reasons.skip"),
    "another kind": ('kind = "pairs"', 'kind = "reidentification"', "need one for pairs"),
    "no kind at all": ('kind = "pairs"', 'kind = "poetry"', "kind"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_file_is_said_in_one_line(file: Path, name: str) -> None:
    old, new, told = WRONG[name]
    with pytest.raises(InputError) as refused:
        read_protocol(changed(file, old, new), "pairs")
    message = str(refused.value)
    assert message.startswith(str(file))
    assert told in message
    assert message.isprintable()


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_protocol(tmp_path / "none.toml", "pairs")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        read_protocol(tmp_path / "binary.toml", "pairs")


PRACTICE = {
    "a question that is not asked": ({"charm.score": ("1",)}, "'charm.score', which is not asked"),
    "the instructed response": ({"check.answer": ("1",)}, "which is not asked"),
    "a value that answers nothing": ({"tone.score": ("9",)}, "'9' does not answer 'tone.score'; use 0, 1, 2"),
    "a value of another question": ({"tone.favoured": ("A", "2")}, "'2' does not answer"),
    "no acceptable answer": ({"tone.score": ()}, "no answer to 'tone.score' is acceptable"),
    "words that break the line": ({"tone\n.score": ("1",)}, "not asked"),
}


@pytest.mark.parametrize("name", PRACTICE)
def test_practice_that_asks_for_what_cannot_be_answered_is_refused_in_one_line(name: str) -> None:
    expected, told = PRACTICE[name]
    protocol = rules(Practice((lesson({"tone.score": ("1",)}), lesson(expected))))
    with pytest.raises(InputError) as refused:
        check_protocol(protocol, SCORING)
    assert str(refused.value).startswith("practice item 2: ")
    assert told in str(refused.value)
    assert str(refused.value).isprintable()


def test_a_threshold_needs_something_to_reach_it_with() -> None:
    for items in ((), (lesson({}),)):
        with pytest.raises(InputError, match="a threshold needs practice items"):
            check_protocol(rules(Practice(items, 0.5)), SCORING)


def test_practice_of_a_naming_study_expects_countries() -> None:
    check_protocol(rules(Practice((lesson({"x.country": ("france", "cannot_tell")}),), 1.0)), NAMING)
    with pytest.raises(InputError, match="'FRANCE' does not answer"):
        check_protocol(rules(Practice((lesson({"x.country": ("FRANCE",)}),))), NAMING)


def test_a_protocol_survives_being_stored() -> None:
    for protocol in (rules(Practice((lesson({"tone.score": ("1",)}),), 0.5), terms=True, repeats=2), rules()):
        again = msgspec.convert(msgspec.to_builtins(protocol), type=AnnotationProtocol)
        assert again == protocol
