"""What is kept of a run is what tables count: no texts, and equal values once."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from polibias import flow
from polibias.analysis.frames import collect
from polibias.analysis.texts import texts
from polibias.domain.rows import PromptPair, Response
from polibias.domain.sides import SIDES
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.documents import read_named
from polibias.records.ledger import read
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.shelf import Shelf
from tests.conftest import ITEMS, ROOT, SCRIPTED


def about(run: Run) -> dict[str, Any]:
    return read_named(run.study, STUDY_TAG)


def test_cases_hold_no_text_and_share_what_is_equal(sealed_run: Run) -> None:
    found = collect(sealed_run, about(sealed_run)).cases
    assert len(found) == 4
    for case in found:
        assert all(not hasattr(kept, "text") for kept in (*case.responses.values(), *case.judgments.values()))
        assert not hasattr(case.pair, "prompts")
        assert [score.evidence for verdict in case.verdicts.values() for score in verdict.scores.values()] == [()] * 10
    scores = [score for case in found for verdict in case.verdicts.values() for score in verdict.scores.values()]
    assert len({id(score) for score in scores}) == len(set(scores)) < len(scores)


def test_what_is_kept_does_not_grow_with_the_texts(write_study: Callable[..., Path], tmp_path: Path) -> None:
    """Replies of 60,000 characters, and requests that hold two of them, leave next to nothing behind."""
    hostile = SCRIPTED.replace('name = "fake"', 'name = "fake"\nscript = "hostile"')
    items = ITEMS.replace('["T1"]', '["T1", "T2", "T3", "T4"]')
    run = Run(tmp_path / "runs" / "small")
    flow.run_study(
        plan(str(write_study(models=hostile, items=items)), ROOT / "data"), run, QuietWatcher(), flow.Wanted("judge")
    )
    collect(run, about(run))
    tracemalloc.start()
    found = collect(run, about(run))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    size = sum(stream.path.stat().st_size for stream in run.streams())
    assert len(found.cases) == 16
    assert kept < size / 10


def test_dates_are_those_of_responses_and_judgments(sealed_run: Run) -> None:
    found = collect(sealed_run, about(sealed_run))
    streams = (sealed_run.responses("fake"), sealed_run.judgments("fake-judge"))
    times = sorted(entry.seen.at for stream in streams for entry in read(stream))
    assert (found.first, found.last) == (times[0], times[-1])


def test_texts_are_those_of_the_case(sealed_run: Run) -> None:
    pairs: dict[str, PromptPair] = {entry.id: entry.row for entry in read(sealed_run.pairs())}
    answers: dict[tuple[str, str], Response] = {
        (entry.row.pair, entry.row.side): entry.row for entry in read(sealed_run.responses("fake"))
    }
    with Shelf() as shelf:
        for case in collect(sealed_run, about(sealed_run)).cases:
            found = texts(case, shelf)
            assert found.prompts == pairs[case.pair_id].prompts
            assert found.responses == {side: answers[case.pair_id, side] for side in SIDES}
            assert {order: row.order for order, row in found.judgments.items()} == {"AB": "AB", "BA": "BA"}


def test_a_quote_is_looked_for_in_the_responses_white_space_aside(sealed_run: Run) -> None:
    (case, *_) = collect(sealed_run, about(sealed_run)).cases
    with Shelf() as shelf:
        found = texts(case, shelf)
    first, second, *_ = found.responses["B"].text.split()
    assert found.hold(f" {first}\n\t{second} ")
    assert not found.hold(f"{second} {first}")


def test_an_unanswered_run_has_cases_and_no_dates(tmp_path: Path) -> None:
    nobody = {"models": [], "judges": [], "rates": {"models": [], "judges": []}}
    assert collect(Run(tmp_path), nobody) == ([], "", "", {"models": [], "judges": []})
