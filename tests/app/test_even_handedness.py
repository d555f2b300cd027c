"""Another rubric through the whole app: a side without a score, and labels that people give each response."""

import csv
import io
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from streamlit.testing.v1 import AppTest

from annotate_app import assignment
from annotate_app.blind import distinct, literal
from annotate_app.export import export
from annotate_app.exporting.pair_table import NAMES
from annotate_app.origins import human_rubric
from annotate_app.questions import Entry, Scoring, asked
from annotate_app.store import Store
from polibias.domain.ids import canonical, plain
from polibias.domain.rows import Annotation, Score
from polibias.domain.rubric import Sides
from polibias.domain.sides import Both, Side, other
from polibias.errors import InputError
from polibias.records.ledger import read
from polibias.records.verify import verify
from tests.app.conftest import (
    EVEN,
    MODELS,
    RUBRIC,
    SHORT,
    SMALL,
    Place,
    Topic,
    annotator_id,
    build_run,
    enrol,
    hostile_words,
    make_on,
    make_project,
    place_in,
    task,
)
from tests.app.window import heading, press, question, said, signed_in, window

OPINION = {
    "helpfulness.favoured": "B",
    "counter_perspectives.A": "1",
    "counter_perspectives.B": "4",
    "refusal.A": "5",
    "refusal.B": "2",
}
"""What somebody thinks of every pair, in stored form."""


@pytest.fixture
def even(tmp_path: Path) -> Place:
    """A project of three pairs by one model, under the even-handedness rubric."""
    return make_project(tmp_path, SHORT, MODELS[:1], EVEN)


@pytest.fixture
def store(even: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    with signed_in(even, "ann", monkeypatch) as store:
        yield store


def rows_of(place: Place) -> list[Annotation]:
    return [entry.row for entry in read(place.run.annotations("first"))]


def table(place: Place) -> list[dict[str, str]]:
    text = (place.run.annotations_folder / "first.csv").read_text("utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def choose(page: AppTest, title: str, words: str, shown: str) -> None:
    question(page, title, words).set_value(shown).run()


def shown_first(page: AppTest) -> Side:
    """Which version this reader sees first, told from the responses on the page alone."""
    texts = [str(text.value) for text in page.text]
    of_a, of_b = next(
        (texts.index(topic.texts[0]), texts.index(topic.texts[1])) for topic in SHORT if topic.texts[0] in texts
    )
    return "A" if of_a < of_b else "B"


def answer(page: AppTest) -> None:
    """Say on the page what `OPINION` says of the two responses."""
    sides = {"1": shown_first(page), "2": other(shown_first(page))}
    better = next(number for number, side in sides.items() if side == OPINION["helpfulness.favoured"])
    choose(page, "Help", "which response", better)
    for title, label in (("Counter-perspectives", "counter_perspectives"), ("Refusal", "refusal")):
        for number, side in sides.items():
            choose(page, title, f"Version {number}", OPINION[f"{label}.{side}"])


def test_the_form_asks_for_a_side_and_for_both_responses_labels(store: Store) -> None:
    page = window()
    assert heading(page) == "Pair 1 of 3"
    assert [radio.label for radio in page.radio] == [
        "Help: which response helps more?",
        "Counter-perspectives: Version 1",
        "Counter-perspectives: Version 2",
        "Refusal: Version 1",
        "Refusal: Version 2",
    ]
    assert [radio.value for radio in page.radio] == [None] * 5
    assert page.radio[0].options == ["Version 1", "Version 2", "Both alike"]
    assert page.radio[3].options == [" ".join(option.human.split()) for option in EVEN.labels[1].options]
    assert EVEN.form.intro in said(page)
    assert page.expander[0].label == "How to score: the response that helps more, what to look for"
    shown = said(page) + "".join(str(one.value) for one in [*page.markdown, *page.header])
    for word in ("countr", "acting", "The scale", "{"):
        assert word not in shown, word


def test_what_is_missing_and_what_is_saved_is_said_in_the_rubrics_words(store: Store) -> None:
    page = window()
    seen = set()
    for position in (1, 2, 3):
        assert heading(page) == f"Pair {position} of 3"
        seen.add(shown_first(page))
        choose(page, "Refusal", "Version 2", "3")
        assert "Saved: 0 of 3 questions answered." in said(page)
        choose(page, "Refusal", "Version 1", "1")
        assert "Saved: 1 of 3 questions answered." in said(page)
        press(page, "Submit")
        missing = page.error[0].value
        assert "**Help** (which response helps more, or Both alike)" in missing
        assert "**Counter-perspectives** (version 1, version 2)" in missing
        assert "Refusal" not in missing
        choose(page, "Help", "which response", "none")
        choose(page, "Counter-perspectives", "Version 2", "1")
        assert page.error[0].value.endswith("**Counter-perspectives** (version 1).")
        choose(page, "Counter-perspectives", "Version 1", "1")
        press(page, "Submit")
    assert seen == {"A", "B"}, "both orders must be tried"


def test_a_reload_shows_every_label_under_its_response(store: Store) -> None:
    answer(window())
    again = window()
    first = shown_first(again)
    for number, side in (("1", first), ("2", other(first))):
        assert question(again, "Refusal", f"Version {number}").value == OPINION[f"refusal.{side}"]
    assert question(again, "Help", "which").value == ("1" if first == "B" else "2")
    assert "Saved: 3 of 3 questions answered." in said(again)


def test_what_is_said_on_the_page_is_exported_for_the_right_response(even: Place, store: Store) -> None:
    page = window()
    seen = []
    for position in (1, 2, 3):
        assert heading(page) == f"Pair {position} of 3"
        seen.append(shown_first(page))
        answer(page)
        press(page, "Submit")
    assert heading(page) == "Thank you"
    assert set(seen) == {"A", "B"}, "both orders must be tried"
    export(store, even.sealed, even.run, "a look")
    rows = rows_of(even)
    assert [row.first for row in rows] == seen
    for row in rows:
        assert row.scores == {"helpfulness": Score(1, "B")}
        assert row.labels == {"counter_perspectives": Both("1", "4"), "refusal": Both("5", "2")}
    lines = [line for line in table(even) if line["position"] == "1"]
    unit = f"{rows[0].pair[:12]}:{rows[0].model}"
    assert [tuple(line[name] for name in ("unit", "dimension", "score", "favoured", "option")) for line in lines] == [
        (f"{unit}:helpfulness", "helpfulness", "", "B", ""),
        (f"{unit}:counter_perspectives:A", "counter_perspectives", "1", "", "1"),
        (f"{unit}:counter_perspectives:B", "counter_perspectives", "4", "", "4"),
        (f"{unit}:refusal:A", "refusal", "5", "", "5"),
        (f"{unit}:refusal:B", "refusal", "2", "", "2"),
    ]
    assert tuple(lines[0]) == NAMES
    assert verify(even.run) == []


@pytest.mark.parametrize("favoured", ["A", "B", "none"])
def test_a_side_without_a_score_counts_as_one_or_none(even: Place, favoured: str) -> None:
    store = even.store
    enrol(store, "ann")
    ann = annotator_id(store, "ann")
    given = Entry(OPINION | {"helpfulness.favoured": favoured})
    assert store.submit(ann, store.places(ann)[0].presentation, 1, given).outcome == "saved"
    export(store, even.sealed, even.run, "a look")
    assert rows_of(even)[0].scores == {"helpfulness": Score(int(favoured != "none"), favoured)}


def test_the_order_of_showing_changes_nothing_but_what_it_says_of_itself(
    even: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law of sides: turn every presentation round, and the same opinions export the same bytes."""
    turned_folder = shutil.copytree(even.folder, tmp_path / "turned", ignore=shutil.ignore_patterns("turned"))
    there = [_worked(even, monkeypatch)]
    drawn = assignment.first_sides
    monkeypatch.setattr(assignment, "first_sides", lambda *given: {k: other(v) for k, v in drawn(*given).items()})
    there.append(_worked(place_in(turned_folder, even), monkeypatch))
    (rows, lines), (turned_rows, turned_lines) = there
    assert [row.first for row in turned_rows] == [other(row.first) for row in rows]
    assert [_bytes(row) for row in turned_rows] == [_bytes(row) for row in rows]
    own = dict.fromkeys(("first", "at", "active_seconds", "wall_seconds"), "")
    assert [line | own for line in turned_lines] == [line | own for line in lines]


def _worked(place: Place, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Annotation], list[dict[str, str]]]:
    with signed_in(place, "ann", monkeypatch) as store:
        page = window()
        for _ in SHORT:
            answer(page)
            press(page, "Submit")
        export(store, place.sealed, place.run, "a look")
    return rows_of(place), table(place)


def _bytes(row: Annotation) -> bytes:
    return canonical(plain(msgspec.structs.replace(row, first="A")))


def test_the_database_refuses_what_the_rubric_does_not_know(even: Place) -> None:
    with closing(sqlite3.connect(even.made.database, isolation_level=None)) as database:
        known = database.execute("SELECT question_id, value FROM choice ORDER BY rowid").fetchall()
        assert sorted(known) == sorted((one.id, value) for one in asked(Scoring(EVEN), True) for value in one.values)


def test_labels_that_do_not_ascend_are_exported_by_name(tmp_path: Path) -> None:
    refusal = msgspec.structs.replace(RUBRIC.labels[0], asked=("human",))
    rubric = msgspec.structs.replace(SMALL, labels=(refusal, RUBRIC.labels[1]))
    place = make_project(tmp_path, SHORT[:1], MODELS[:1], rubric)
    store = place.store
    assert [one.id for one in store.scheme.questions()][-2:] == ["refusal.A", "refusal.B"]
    enrol(store, "ann")
    ann = annotator_id(store, "ann")
    answers = {one.id: one.values[-1] for one in Scoring(rubric).questions()} | {"refusal.A": "partial"}
    store.submit(ann, store.places(ann)[0].presentation, 1, Entry(answers))
    export(store, place.sealed, place.run, "a look")
    assert rows_of(place)[0].labels == {"refusal": Both("partial", "full")}
    assert [line["option"] for line in table(place) if line["dimension"] == "refusal"] == ["partial", "full"]


def test_hostile_words_of_a_rubric_are_options_like_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rubric = hostile_words()
    with signed_in(make_project(tmp_path, SHORT, MODELS[:1], rubric), "ann", monkeypatch) as store:
        page = window()
        assert heading(page) == "Pair 1 of 3"
        refusal = rubric.labels[1]
        first = shown_first(page)
        radio = next(radio for radio in page.radio if radio.label == f"{literal(refusal.title)}: Version 1")
        assert radio.options == [literal(option.human) for option in refusal.options]
        radio.set_value("4").run()
        page.radio[0].set_value("2").run()
        stored = store.view(store.places(annotator_id(store, "ann"))[0]).entry.answers
        assert stored[f"refusal.{first}"] == "4"
        assert stored["helpfulness.favoured"] == other(first)


def test_a_placeholder_that_the_form_does_not_have_is_found_before_anybody_is_invited(tmp_path: Path) -> None:
    for spoilt in (
        msgspec.structs.replace(SMALL, form=msgspec.structs.replace(SMALL.form, version="{acting} of {place}")),
        msgspec.structs.replace(
            SMALL, favoured=msgspec.structs.replace(SMALL.favoured, options=Sides("{acting_1}", "{place}", "None"))
        ),
    ):
        with pytest.raises(InputError, match=r"unknown placeholder \{place\}"):
            make_project(tmp_path / str(spoilt.favoured.options.second == "{place}"), SHORT, MODELS[:1], spoilt)
    assert not list(tmp_path.glob("*/projects"))


def test_options_with_the_same_text_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two versions in which the same country acts, under options that name who acts."""
    topic = Topic("main", "same", ("Iran", "Iran"), SHORT[0].texts)
    with signed_in(make_project(tmp_path, [topic], MODELS[:1], SMALL), "ann", monkeypatch) as store:
        page = window()
        favoured = question(page, "Tone", "which country")
        assert favoured.options == distinct(["Iran", "Iran", "None"]) == ["1: Iran", "2: Iran", "3: None"]
        for shown in ("1", "2"):
            choose(page, "Tone", "which country", shown)
            side = shown_first(page) if shown == "1" else other(shown_first(page))
            assert store.view(store.places(annotator_id(store, "ann"))[0]).entry.answers["tone.favoured"] == side


def test_a_condition_with_a_favoured_rule_of_its_own_asks_by_it(tmp_path: Path) -> None:
    null = task("null")
    run = build_run(tmp_path / "runs" / "r", SHORT, MODELS[:1], study={"judge_prompts": {"condition-secret": null}})
    human = human_rubric(run)
    assert null.favoured
    assert human.favoured.options == Sides("Version 1", "Version 2", "None")
    assert human.favoured.question == null.favoured.question
    assert human.favoured.judge == "withheld"
    assert [one.id for one in Scoring(human).questions()] == [one.id for one in Scoring(RUBRIC).questions()]
    made = make_on(run, tmp_path, name="p")
    place = Place(tmp_path, run, made)
    assert place.store.scheme == Scoring(human)
    enrol(place.store, "ann")
    assert export(place.store, place.sealed, run, "a look").rows == 0


def test_a_task_that_keeps_the_rule_or_reads_other_pairs_changes_nothing(tmp_path: Path) -> None:
    tasks = {"condition-secret": task("pair"), "elsewhere": task("null")}
    run = build_run(tmp_path / "runs" / "r", SHORT, MODELS[:1], study={"judge_prompts": tasks})
    assert human_rubric(run) == human_rubric(build_run(tmp_path / "runs" / "plain", SHORT, MODELS[:1]))


def test_conditions_that_ask_in_different_ways_are_refused(tmp_path: Path) -> None:
    topics = [SHORT[0], SHORT[1]._replace(condition="null")]
    study = {"judge_prompts": {"condition-secret": task("pair"), "null": task("null")}}
    run = build_run(tmp_path / "runs" / "r", topics, MODELS[:1], study=study)
    with pytest.raises(InputError, match="condition 'null' asks who is favoured in another way") as refused:
        make_on(run, tmp_path, name="p")
    assert "run a study of each" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "projects").exists()


def test_a_study_file_without_a_readable_rubric_is_refused(tmp_path: Path) -> None:
    run = build_run(tmp_path / "runs" / "r", SHORT, MODELS[:1], study={"rubric": {}})
    with pytest.raises(InputError, match="holds no rubric"):
        human_rubric(run)
