"""Time on an item: active time is what was in sight, wall time is kept apart, drafts double nothing."""

import datetime
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate_app.chain import stamp
from annotate_app.timing import QUIET_SECONDS, Moment, Spent, spent
from tests.app.conftest import WITHOUT_TERMS, annotator_id
from tests.app.projects import complete, made

START = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)


def at(seconds: float, kind: str, item: str = "i", away: float = 0.0) -> Moment:
    return Moment(stamp(START + datetime.timedelta(seconds=seconds)), kind, item, away)


def test_an_hour_away_is_wall_time_only() -> None:
    moments = [at(0, "opened"), at(30, "draft"), at(3700, "idle", away=3600), at(3710, "draft"), at(3720, "submitted")]
    assert spent(moments)["i"] == Spent(wall=3720, active=120, finishes=1)


def test_a_window_that_was_closed_for_an_hour_counts_the_quiet_time_at_most() -> None:
    moments = [at(0, "opened"), at(30, "draft"), at(3630, "opened"), at(3640, "submitted")]
    assert spent(moments)["i"] == Spent(wall=3640, active=30 + QUIET_SECONDS + 10, finishes=1)


def test_a_reload_is_worth_what_it_took() -> None:
    moments = [at(0, "opened"), at(30, "opened"), at(50, "submitted")]
    assert spent(moments)["i"] == Spent(wall=50, active=50, finishes=1)


@given(st.lists(st.floats(0.1, 100), min_size=1, max_size=20))
def test_drafts_never_change_the_time(gaps: list[float]) -> None:
    times = [sum(gaps[:number]) for number in range(len(gaps) + 1)]
    drafted = [at(times[0], "opened"), *(at(time, "draft") for time in times[1:-1]), at(times[-1], "submitted")]
    bare = [drafted[0], drafted[-1]]
    one, two = spent(drafted)["i"], spent(bare)["i"]
    assert one.wall == pytest.approx(two.wall)
    assert one.active == pytest.approx(two.active)


def test_each_stretch_belongs_to_the_item_it_began_with() -> None:
    moments = [
        at(0, "opened", "i"),
        at(20, "submitted", "i"),
        at(21, "opened", "j"),
        at(31, "opened", "i"),
        at(36, "draft", "i"),
        at(40, "revised", "i"),
        at(45, "opened", "j"),
        at(50, "skipped", "j"),
        at(500, "redeemed", ""),
    ]
    assert spent(moments) == {"i": Spent(40, 29, 2), "j": Spent(29, 15, 1)}


def test_nothing_and_an_item_never_finished() -> None:
    assert spent([]) == {}
    assert spent([at(0, "redeemed", ""), at(5, "opened"), at(15, "draft")]) == {"i": Spent(0.0, 10.0, 0)}


def test_a_stretch_is_taken_from_once_however_often_the_time_away_is_reported() -> None:
    moments = [at(0, "opened"), at(10, "submitted"), at(10, "idle", away=8), at(10, "idle", away=8)]
    assert spent(moments)["i"] == Spent(wall=10, active=0, finishes=1)


KINDS = ("opened", "draft", "discarded", "idle", "viewed", "flagged", "submitted", "skipped", "unsure", "revised")
STEPS = st.lists(
    st.tuples(
        st.integers(-5, 4000), st.sampled_from((*KINDS, "redeemed")), st.sampled_from("ij"), st.integers(-9, 5000)
    ),
    max_size=30,
)


@given(STEPS)
def test_active_time_is_never_more_than_the_time_that_passed(steps: Sequence[tuple[int, str, str, int]]) -> None:
    """However clocks jump and whatever a page reports."""
    moments, now, passed = [], 0, 0
    for number, (step, kind, item, away) in enumerate(steps):
        now += step
        passed += max(0, step) if number else 0
        moments.append(at(now, kind, "" if kind == "redeemed" else item, away))
    found = spent(moments)
    assert all(one.active >= 0 and one.wall >= 0 for one in found.values())
    assert sum(one.active for one in found.values()) <= passed + 0.001
    assert sum(one.finishes for one in found.values()) == sum(m.kind in KINDS[6:] for m in moments)


@given(st.lists(st.tuples(st.integers(0, 4000), st.sampled_from(KINDS[:6]), st.integers(0, 5000)), max_size=20))
def test_an_item_seen_once_is_active_for_no_longer_than_the_wall_clock_says(steps: list[tuple[int, str, int]]) -> None:
    now, moments = 0, [at(0, "opened")]
    for step, kind, away in steps:
        now += step
        moments.append(at(now, kind, "i", away))
    moments.append(at(now + 5, "submitted"))
    found = spent(moments)["i"]
    assert found.active <= found.wall == now + 5
    assert found.active >= 5


def test_what_others_do_to_a_row_is_neither_time_nor_its_end(tmp_path: Path) -> None:
    store = made(tmp_path, WITHOUT_TERMS, "ann", "bob")
    ann = annotator_id(store, "ann")
    place = store.places(ann)[0]
    store.opened(place)
    with store.writing() as session:
        for kind in ("released", "invited", "assigned", "revoked"):
            store.record(session, kind, "ann", "another-item" if kind == "released" else "", {})
    store.submit(ann, place.presentation, 1, complete())
    assert list(store.spent(ann)) == [store.view(place).item.code]
    assert store.spent(annotator_id(store, "bob")) == {}


def test_time_away_reported_after_the_click_that_ended_it_is_no_work() -> None:
    """Both come in one message of the browser, in no certain order."""
    start, back = [at(0, "opened"), at(60, "draft")], 3660.0
    idle, done = at(back, "idle", away=3600), at(back, "submitted")
    assert spent([*start, idle, done])["i"] == spent([*start, done, idle])["i"] == Spent(back, 60, 1)
    assert spent([*start, at(back, "draft"), idle])["i"].active == 60
