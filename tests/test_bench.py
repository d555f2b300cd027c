"""What the bench of the annotation app reads out of what it saw: pure functions, checked on made-up sights."""

import asyncio
from collections.abc import Sequence

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.app.conftest import RUBRIC
from tests.bench.annotation import quantile
from tests.bench.load import Click, Committed, delays
from tests.bench.our_app import option_of, questions
from tests.bench.wire_client import Window


def begin(run: str, *fragments: str) -> ForwardMsg:
    message = ForwardMsg()
    message.new_session.page_script_hash = "page"
    message.metadata.run.script_run_id = run
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def radio(path: Sequence[int], label: str, fragment: str = "", default: int | None = None) -> ForwardMsg:
    message = ForwardMsg(hash=f"hash of {label}")
    message.metadata.delta_path.extend(path)
    message.delta.fragment_id = fragment
    element = message.delta.new_element.radio
    element.id, element.label = f"id of {label}", label
    element.options.extend(["no", "yes"])
    if default is not None:
        element.default = default
    return message


def finish(status: "ForwardMsg.ScriptFinishedStatus.ValueType") -> ForwardMsg:
    return ForwardMsg(script_finished=status)


def after(*messages: ForwardMsg) -> Window:
    """A window that has heard these messages."""
    window = Window("http://127.0.0.1:1", "")

    async def hear() -> None:
        for message in messages:
            await window._hear(message)

    asyncio.run(hear())
    return window


def labels(window: Window) -> list[str]:
    return [one.label for one in window.elements("radio")]


def test_a_finished_run_leaves_only_what_it_drew() -> None:
    first = (begin("1"), radio([0, 1], "old"), radio([0, 0], "kept"), finish(ForwardMsg.FINISHED_SUCCESSFULLY))
    assert labels(after(*first)) == ["kept", "old"]
    second = (begin("2"), radio([0, 0], "new"))
    assert labels(after(*first, *second)) == ["new", "old"]
    assert labels(after(*first, *second, finish(ForwardMsg.FINISHED_EARLY_FOR_RERUN))) == ["new", "old"]
    assert labels(after(*first, *second, finish(ForwardMsg.FINISHED_SUCCESSFULLY))) == ["new"]


def test_the_run_of_a_fragment_leaves_the_rest_of_the_page_alone() -> None:
    whole = (begin("1"), radio([0, 0], "page"), radio([0, 1, 0], "inside", "f"), radio([0, 1, 1], "gone", "f"))
    part = (begin("2", "f"), radio([0, 1, 0], "again", "f"), finish(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY))
    assert labels(after(*whole, finish(ForwardMsg.FINISHED_SUCCESSFULLY), *part)) == ["page", "again"]


def test_an_element_that_is_only_named_comes_from_the_cache() -> None:
    large, named = radio([0, 0], "large"), ForwardMsg(ref_hash="hash of large")
    large.metadata.cacheable = True
    named.metadata.delta_path.extend([0, 3])
    assert labels(after(begin("1"), large, begin("2"), named, finish(ForwardMsg.FINISHED_SUCCESSFULLY))) == ["large"]


def test_a_window_sends_what_a_widget_starts_from() -> None:
    window = after(begin("1"), radio([0], "chosen", default=1), radio([1], "open"))
    assert {name: state.string_value for name, state in window._states.items()} == {"id of chosen": "yes"}


def test_a_click_is_answered_by_the_first_event_of_its_kind_after_it() -> None:
    clicks = [Click("ann", 10.0, 1, "q", 1, 0.0), Click("ann", 15.0, 1, "", 0, 0.0), Click("bob", 10.0, 1, "q", 1, 0.0)]
    commits = [
        Committed(9.0, "ann", "draft"),
        Committed(10.1, "ann", "draft"),
        Committed(10.3, "bob", "opened"),
        Committed(15.2, "ann", "submitted"),
    ]
    assert delays(clicks, commits) == pytest.approx([100.0, 200.0])


def test_quantiles_are_values_that_were_seen() -> None:
    values = [float(value) for value in range(20, 0, -1)]
    assert (quantile(values, 0.5), quantile(values, 0.95), quantile(values, 1.0)) == (10.0, 19.0, 20.0)
    assert quantile([], 0.5) != quantile([], 0.5)


def test_a_stored_side_is_read_as_its_reader_saw_it() -> None:
    score, favoured, *_ = questions(RUBRIC)
    assert [option_of(score, value, "B") for value in ("0", "3")] == [0, 3]
    assert [option_of(favoured, value, "B") for value in ("B", "A", "none")] == [0, 1, 2]
