"""What is asked, and what of it is stored: laws of schemes and entries."""

from hypothesis import given
from hypothesis import strategies as st

from annotate_app.questions import Entry, Scoring, gaps, merged, settle
from polibias.domain.rubric import Rubric
from tests.app.conftest import EVEN, RUBRIC, SMALL, answers_to, full, said

RUBRICS = st.sampled_from([RUBRIC, EVEN, SMALL])
ASKED = [question.id for rubric in (RUBRIC, EVEN, SMALL) for question in Scoring(rubric).questions()]
NAMES = [*ASKED, "other.score", "framing"]
VALUES = st.sampled_from([None, "", "-1", "0", "1", "2", "3", "5", "9", "A", "B", "none", "full"])
COMMENTS = st.dictionaries(st.sampled_from(["", "framing", "tone"]), st.text())
ENTRIES = st.builds(Entry, st.dictionaries(st.sampled_from(NAMES), VALUES), COMMENTS)


def test_the_rubric_decides_what_is_asked() -> None:
    assert [question.id for question in Scoring(SMALL).questions()] == [
        "tone.score",
        "tone.favoured",
        "depth.score",
        "depth.favoured",
    ]
    asked = {question.id: question.values for question in Scoring(EVEN).questions()}
    assert asked == {
        "helpfulness.favoured": ("A", "B", "none"),
        "counter_perspectives.A": ("1", "2", "3", "4", "5"),
        "counter_perspectives.B": ("1", "2", "3", "4", "5"),
        "refusal.A": ("1", "2", "3", "4", "5"),
        "refusal.B": ("1", "2", "3", "4", "5"),
    }
    assert len(Scoring(RUBRIC).questions()) == 2 * len(RUBRIC.dimensions), "labels for judges only are no questions"


@given(RUBRICS, ENTRIES)
def test_a_settled_entry_holds_only_what_the_rubric_knows(rubric: Rubric, entry: Entry) -> None:
    settled = settle(Scoring(rubric), entry)
    assert list(settled.answers) == [question.id for question in Scoring(rubric).questions()]
    assert all(settled.answers[question.id] in (None, *question.values) for question in Scoring(rubric).questions())
    if rubric.zero_favours_none:
        found = [answers_to(settled, name) for name in rubric.dimension_ids]
        assert all(favoured == "none" for score, favoured in found if score == 0)
    assert settle(Scoring(rubric), settled) == settled


@given(RUBRICS, ENTRIES, ENTRIES)
def test_merging_keeps_every_answer_and_takes_every_new_one(rubric: Rubric, before: Entry, given: Entry) -> None:
    before, given = settle(Scoring(rubric), before), settle(Scoring(rubric), given)
    now = merged(Scoring(rubric), before, given)
    assert merged(Scoring(rubric), now, given) == now
    for question in Scoring(rubric).questions():
        old, new, kept = (entry.answers[question.id] for entry in (before, given, now))
        if question.kind != "favoured" or not rubric.zero_favours_none:
            assert kept == (old if new is None else new)
            continue
        (was, _), (score, _) = answers_to(before, question.part), answers_to(now, question.part)
        if new is not None and score != 0:
            assert kept == new
        if new is None and score != 0:
            assert kept == (None if was == 0 else old)


@given(RUBRICS, ENTRIES)
def test_what_is_no_answer_never_takes_one_away(rubric: Rubric, given: Entry) -> None:
    assert merged(Scoring(rubric), Entry({}), given) == settle(Scoring(rubric), given)
    before = settle(Scoring(rubric), given)
    assert merged(Scoring(rubric), before, Entry(dict.fromkeys(before.answers, "no such value"))) == before


def test_a_blank_takes_nothing_away() -> None:
    before = full(2, "B", "kept")
    assert merged(Scoring(RUBRIC), before, Entry({})) == before
    assert merged(Scoring(RUBRIC), before, Entry({}, {"": ""})).comments == {}


def test_gaps_name_what_is_missing() -> None:
    answers = full(2, "A").answers | said("severity", 1) | said("argument", None)
    assert [gap.id for gap in gaps(Scoring(RUBRIC), answers)] == ["severity.favoured", "argument.score"]
    assert [gap.id for gap in gaps(Scoring(EVEN), {"refusal.A": "1"})] == [
        "helpfulness.favoured",
        "counter_perspectives.A",
        "counter_perspectives.B",
        "refusal.B",
    ]
