"""The pages without a browser: what is asked, what is stored, what is said when it cannot be."""

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextArea

from annotate_app import settings
from annotate_app.app_pages import visit
from annotate_app.questions import Entry
from annotate_app.store import Store
from polibias.errors import StorageError
from tests.app.conftest import RUBRIC, Place, annotator_id, answers_to
from tests.app.window import heading, press, question, said, signed_in, window

SCORES = [f"{level.score}" for level in RUBRIC.levels]


@pytest.fixture
def store(project: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The store that the page opens, with ann enrolled and signed in."""
    with signed_in(project, "ann", monkeypatch) as store:
        yield store


@pytest.fixture
def page(store: Store) -> AppTest:
    return window()


def score(page: AppTest, title: str, value: int) -> None:
    question(page, title, "how large").set_value(str(value)).run()


def comment(page: AppTest) -> TextArea:
    return next(area for area in page.text_area if area.label.startswith("Comment on the pair"))


def favour(page: AppTest, title: str, shown: str) -> None:
    question(page, title, "which country").set_value(shown).run()


def fill(page: AppTest, value: int = 2, shown: str = "1") -> None:
    for dimension in RUBRIC.dimensions:
        score(page, dimension.title, value)
        if value:
            favour(page, dimension.title, shown)


def entry(store: Store, position: int = 1) -> Entry:
    return store.view(store.places(annotator_id(store, "ann"))[position - 1]).entry


def stored(store: Store, dimension: str, position: int = 1) -> tuple[int | None, str | None]:
    return answers_to(entry(store, position), dimension)


def test_the_form_is_the_rubric_and_nothing_is_chosen(page: AppTest) -> None:
    assert heading(page) == "Pair 1 of 8"
    assert len(page.radio) == 2 * len(RUBRIC.dimensions)
    assert [radio.value for radio in page.radio] == [None] * len(page.radio)
    first = question(page, RUBRIC.dimensions[0].title, "how large")
    assert [option[0] for option in first.options] == SCORES
    for dimension in RUBRIC.dimensions:
        assert dimension.human in said(page)


def test_submitting_too_early_names_what_is_missing(page: AppTest, store: Store) -> None:
    fill(page)
    score(page, "Severity", 1)
    press(page, "Submit")
    assert heading(page) == "Pair 2 of 8"
    score(page, "Severity", 1)
    press(page, "Submit")
    assert heading(page) == "Pair 2 of 8"
    missing = page.error[0].value
    assert "**Framing** (a score)" in missing
    assert "**Severity** (which country comes out better, or None)" in missing
    favour(page, "Severity", "none")
    assert "Severity" not in page.error[0].value
    assert stored(store, "severity", 2) == (1, "none")


def test_submitting_a_blank_page_names_everything(page: AppTest, store: Store) -> None:
    press(page, "Submit")
    assert all(f"**{dimension.title}** (a score)" in page.error[0].value for dimension in RUBRIC.dimensions)
    assert store.places(annotator_id(store, "ann"))[0].draft is None


def test_a_score_of_zero_asks_for_no_country_and_none_is_never_put_into_anybodys_mouth(
    page: AppTest, store: Store
) -> None:
    score(page, "Framing", 0)
    assert question(page, "Framing", "which country").disabled
    assert "this counts as None" in said(page)
    assert stored(store, "framing") == (0, "none")
    again = window()
    for shown in (page, again):
        score(shown, "Framing", 2)
        assert question(shown, "Framing", "which country").value is None
        assert not question(shown, "Framing", "which country").disabled
        assert stored(store, "framing") == (2, None)
        score(shown, "Framing", 0)


def test_a_country_chosen_before_a_score_of_zero_counts_again_after_it(page: AppTest, store: Store) -> None:
    score(page, "Framing", 2)
    favour(page, "Framing", "none")
    score(page, "Framing", 0)
    assert stored(store, "framing") == (0, "none")
    score(page, "Framing", 1)
    assert question(page, "Framing", "which country").value == "none"
    assert stored(store, "framing") == (1, "none")


def test_a_new_window_shows_what_was_chosen(page: AppTest) -> None:
    score(page, "Framing", 3)
    favour(page, "Framing", "2")
    score(page, "Severity", 0)
    comment(page).set_value("half-way").run()
    again = window()
    assert question(again, "Framing", "how large").value == "3"
    assert question(again, "Framing", "which country").value == "2"
    assert question(again, "Severity", "how large").value == "0"
    assert question(again, "Argument", "how large").value is None
    assert comment(again).value == "half-way"
    assert "Saved: 2 of 5" in said(again)


def test_the_last_click_on_a_choice_counts(page: AppTest, store: Store) -> None:
    for value in (3, 1, 3, 2):
        score(page, "Framing", value)
    assert stored(store, "framing")[0] == 2


@pytest.mark.parametrize("shown", ["1", "2", "none"])
def test_the_screen_speaks_of_1_and_2_and_the_record_of_a_and_b(page: AppTest, store: Store, shown: str) -> None:
    fill(page, 1, shown)
    first = store.view(store.places(annotator_id(store, "ann"))[0]).first
    second = "B" if first == "A" else "A"
    assert stored(store, "framing")[1] == {"1": first, "2": second, "none": "none"}[shown]


def test_all_pairs_then_thanks_then_a_revision(page: AppTest, store: Store) -> None:
    for position in range(1, 9):
        assert heading(page) == f"Pair {position} of 8"
        fill(page, 0)
        press(page, "Submit")
    assert heading(page) == "Thank you"
    assert "all 8 pairs" in said(page)
    page.selectbox[0].set_value(store.places(annotator_id(store, "ann"))[2].presentation).run()
    assert heading(page) == "Pair 3 of 8"
    score(page, "Framing", 3)
    favour(page, "Framing", "1")
    assert "count once you submit them" in said(page)
    assert heading(window()) == "Pair 3 of 8"
    press(page, "Submit the changes")
    assert heading(page) == "Thank you"
    assert stored(store, "framing", 3)[0] == 3
    assert store.places(annotator_id(store, "ann"))[2].finished == 2


def test_back_and_forth_changes_nothing(page: AppTest, store: Store) -> None:
    fill(page)
    press(page, "Submit")
    before = store.places(annotator_id(store, "ann"))
    press(page, "Back to pair 1")
    assert heading(page) == "Pair 1 of 8"
    assert question(page, "Framing", "how large").value == "2"
    press(page, "Submit the changes")
    assert "Nothing was changed" in said(page)
    assert heading(page) == "Pair 2 of 8"
    assert store.places(annotator_id(store, "ann")) == before
    assert not any(button.label.startswith("Forward") for button in page.button)


def test_a_draft_revision_can_be_dropped(page: AppTest, store: Store) -> None:
    fill(page)
    press(page, "Submit")
    press(page, "Back to pair 1")
    score(page, "Framing", 3)
    press(page, "Keep the answers I submitted before")
    assert question(page, "Framing", "how large").value == "2"
    assert store.places(annotator_id(store, "ann"))[0].draft is None


def test_another_window_that_was_quicker_is_said_and_nothing_is_lost(page: AppTest, store: Store) -> None:
    other = window()
    fill(page)
    press(page, "Submit")
    score(other, "Framing", 3)
    assert "in another window, when" in said(other)
    assert stored(store, "framing")[0] == 2
    assert heading(other) == "Pair 2 of 8"


def test_what_two_windows_answer_adds_up(page: AppTest, store: Store) -> None:
    other = window()
    score(page, "Framing", 0)
    score(page, "Argument", 2)
    comment(page).set_value("from the first window").run()
    score(other, "Severity", 1)
    assert [stored(store, name)[0] for name in ("framing", "severity", "argument")] == [0, 1, 2]
    assert question(other, "Framing", "how large").value == "0"
    assert question(other, "Argument", "how large").value == "2"
    assert comment(other).value == "from the first window"
    assert not other.warning


def test_a_window_left_open_never_takes_back_what_was_said_elsewhere(page: AppTest, store: Store) -> None:
    score(page, "Framing", 1)
    comment(page).set_value("first words").run()
    phone = window()
    score(phone, "Framing", 2)
    comment(phone).set_value("better words").run()
    page.checkbox[0].check().run()
    assert stored(store, "framing")[0] == 2
    assert entry(store).comments == {"": "better words"}
    assert question(page, "Framing", "how large").value == "2"
    assert comment(page).value == "better words"


def test_the_first_click_in_a_stale_window_takes_nothing_back(page: AppTest, store: Store) -> None:
    score(page, "Framing", 1)
    stale = window()
    score(page, "Framing", 2)
    score(stale, "Severity", 1)
    assert [stored(store, name)[0] for name in ("framing", "severity")] == [2, 1]
    assert question(stale, "Framing", "how large").value == "2"


def test_a_drawing_sets_no_value_that_did_not_change(page: AppTest) -> None:
    """What is set overwrites a choice or a word that its reader gives while the page is still being drawn."""
    score(page, "Framing", 1)
    comment(page).set_value("first words").run()
    page.run()
    assert not [field.proto.label for field in (*page.radio, *page.text_area) if field.proto.set_value]
    other = window()
    score(other, "Framing", 2)
    page.run()
    assert [field.proto.label for field in page.radio if field.proto.set_value] == [
        question(page, "Framing", "how large").label
    ]


def test_a_stale_window_shows_what_was_changed_before_it_can_submit(page: AppTest, store: Store) -> None:
    fill(page, 1, "1")
    phone = window()
    score(phone, "Framing", 3)
    press(page, "Submit")
    assert heading(page) == "Pair 1 of 8"
    assert "Another window of yours" in said(page)
    assert question(page, "Framing", "how large").value == "3"
    assert store.places(annotator_id(store, "ann"))[0].finished == 0
    press(page, "Submit")
    assert heading(page) == "Pair 2 of 8"
    assert stored(store, "framing")[0] == 3


def test_a_comment_can_be_taken_away(page: AppTest, store: Store) -> None:
    comment(page).set_value("too hasty").run()
    score(page, "Framing", 1)
    comment(page).set_value("").run()
    score(page, "Severity", 1)
    assert comment(page).value == ""
    assert comment(window()).value == ""


def test_a_blank_on_the_screen_is_never_submitted_for_somebody(page: AppTest, store: Store) -> None:
    """A window that has not seen an answer from elsewhere shows it before it can be submitted."""
    other = window()
    fill(page)
    press(other, "Submit")
    assert heading(other) == "Pair 1 of 8"
    assert question(other, "Framing", "how large").value == "2"
    assert store.places(annotator_id(store, "ann"))[0].finished == 0
    press(other, "Submit")
    assert heading(other) == "Pair 2 of 8"


def test_a_refused_write_is_said_and_keeps_the_choices(
    page: AppTest, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StorageError("disk full")

    score(page, "Framing", 1)
    with monkeypatch.context() as broken:
        broken.setattr(Store, "keep", refuse)
        broken.setattr(Store, "submit", refuse)
        score(page, "Framing", 3)
        assert "could not be saved" in said(page)
        assert "Saved" not in said(page)
        assert question(page, "Framing", "how large").value == "3"
        press(page, "Submit")
        assert "could not be submitted" in said(page)
        assert heading(page) == "Pair 1 of 8"
        assert stored(store, "framing")[0] == 1
    page.run()
    assert stored(store, "framing")[0] == 3
    assert "Saved: 0 of 5" in said(page)


def test_a_visit_that_ended_loses_only_the_last_click(
    page: AppTest, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    score(page, "Framing", 1)
    monkeypatch.setattr(visit, "person", lambda _: None)
    score(page, "Severity", 1)
    assert heading(page) == "Please open your personal link"
    assert "not saved" in said(page)
    assert (stored(store, "framing")[0], stored(store, "severity")[0]) == (1, None)


def test_widget_keys_say_nothing_about_the_item(page: AppTest, store: Store) -> None:
    """Neither that an item comes back nor that somebody else has it: a key has the place's own number only."""
    keys = {str(widget.key) for kind in ("radio", "button", "text_area", "selectbox") for widget in page.get(kind)}
    number = store.places(annotator_id(store, "ann"))[0].presentation
    assert all(re.match(rf"p{number}-1-0-", key) for key in keys - {"leave"})
    item = store.view(store.places(annotator_id(store, "ann"))[0]).item.code
    assert not any(item in key for key in keys)


def test_without_serve_the_page_shows_only_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(settings.DATABASE, raising=False)
    page = window()
    assert "polibias-annotate serve" in page.error[0].value
    assert not page.radio


def test_a_database_that_cannot_be_read_is_said_calmly(
    page: AppTest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise StorageError("blind.db: gone")

    monkeypatch.setattr(Store, "places", refuse)
    page.run()
    assert "cannot be opened right now" in page.error[0].value
    assert not page.radio
    assert "blind.db: gone" in capsys.readouterr().err


def test_an_older_draft_does_not_catch_who_has_just_submitted_another_pair(page: AppTest) -> None:
    fill(page)
    press(page, "Submit")
    press(page, "Back to pair 1")
    score(page, "Framing", 3)
    press(page, "Forward to pair 2")
    fill(page)
    press(page, "Submit")
    assert heading(page) == "Pair 3 of 8"


def test_the_own_record_says_why_a_pair_was_skipped(page: AppTest, store: Store) -> None:
    person = annotator_id(store, "ann")
    for place in store.places(person):
        store.leave(person, place.presentation, 1, "skipped", "too_close", Entry({}, {}))
    page.run()
    assert heading(page) == "Thank you"
    assert said(page).count("skipped: I am too close to what it is about") == 8
