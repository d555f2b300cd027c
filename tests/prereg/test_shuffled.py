"""Rehearsing on real labels: dealt out anew among each annotator's own pairs, and of held-out pairs none at all."""

import json
import shutil
from collections import Counter
from math import sqrt
from pathlib import Path

import pytest

from annotate_app.questions import Entry
from polibias.analysis.rehearsal import Scores, shuffled
from polibias.domain.rows import Annotation, Score
from polibias.records.heldout import box_path
from polibias.records.ledger import read
from polibias.records.samples import read_sample, read_split, sample_path, split_path
from tests.app.conftest import annotator_id, full
from tests.prereg.validation import PLAN, Places, create, finish, label, lock, write_plan

MARK = "only held-out labels say this"
PAIRS, SEEDS = 12, 1500
MEANS = (
    PLAN
    + """
[[comparisons]]
id = "means"
title = "Judge minus annotators"
role = "secondary"
statistic = "mean_difference"
"""
)


def labels(raters: int = 2) -> Scores:
    """Labels of which each is told from every other by its score."""
    return {
        f"rater-{rater}": {(f"pair-{pair}", "m"): {"tone": Score(pair, "A")} for pair in range(PAIRS)}
        for rater in range(raters)
    }


def dealt(rater: str, seed: int) -> list[int]:
    """Whose label each pair got, in the order of the pairs."""
    found = shuffled(labels(), seed)[rater]
    return [found[f"pair-{pair}", "m"]["tone"].score for pair in range(PAIRS)]


def test_every_annotator_keeps_exactly_the_own_labels() -> None:
    for seed in range(20):
        for rater, own in shuffled(labels(), seed).items():
            assert own.keys() == labels()[rater].keys()
            assert Counter(map(repr, own.values())) == Counter(map(repr, labels()[rater].values()))


def test_a_label_stays_with_its_pair_as_often_as_chance_has_it() -> None:
    """One label in the mean, whatever their number, with a variance of one; and each pair one time in twelve."""
    stays = [[pair for pair, source in enumerate(dealt("rater-0", seed)) if pair == source] for seed in range(SEEDS)]
    assert abs(sum(map(len, stays)) / SEEDS - 1) < 4 / sqrt(SEEDS)
    each = Counter(pair for found in stays for pair in found)
    assert all(abs(each[pair] - SEEDS / PAIRS) < 5 * sqrt(SEEDS / PAIRS) for pair in range(PAIRS))


def test_two_annotators_are_dealt_apart() -> None:
    """Else what they agree on would be kept: their labels of one pair would only move to another pair together."""
    both = [zip(dealt("rater-0", seed), dealt("rater-1", seed), strict=True) for seed in range(SEEDS)]
    together = [sum(one == other for one, other in pairs) for pairs in both]
    assert abs(sum(together) / SEEDS - 1) < 4 / sqrt(SEEDS)


def test_the_order_in_which_labels_are_stored_decides_nothing() -> None:
    backwards = {rater: dict(reversed(own.items())) for rater, own in reversed(labels().items())}
    assert shuffled(backwards, 5) == shuffled(labels(), 5)


@pytest.fixture
def boxed(places: Places) -> Places:
    """A plan with held-out pairs, labelled by people, closed and exported."""
    write_plan(places, split=True, plan=MEANS)
    lock(places, split=True)
    store = create(places)
    held = held_out(places)
    sealed = json.loads((places.folder / "sealed" / "mine.json").read_text("utf-8"))["items"]
    for name in ("ann", "bob"):
        by_number = {
            place.number: sealed[store.view(place).item.code]["pair"]
            for place in store.places(annotator_id(store, name))
        }
        label(store, name, lambda _store, name, number, by=by_number: answer(name, number, by[number] in held))
    finish(places)
    return places


def answer(name: str, number: int, held: bool) -> Entry:
    score = (number + (name == "bob") * (number % 3 == 0)) % 4
    return full(score, "AB"[number % 2] if score else "none", MARK if held else "")


def held_out(places: Places) -> set[str]:
    return {*read_split(split_path(places.plan()))[0].held_out}


def rows(places: Places) -> list[Annotation]:
    return [entry.row for entry in read(places.run.annotations("mine"))]


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_held_out_labels_are_never_read(boxed: Places) -> None:
    """The rehearsal finds the same without the project, its sealed file and the box."""
    assert boxed.prereg_command("rehearse") == 0
    first = files(boxed.validations)
    assert {row.pair for row in rows(boxed)} & held_out(boxed) == set()
    facts = boxed.findings("mine-rehearsal-shuffled")["facts"]
    assert facts["Labels"].startswith(f"{len(rows(boxed))} done, ")
    assert not any(MARK.encode() in data for data in first.values())
    for name in ("projects", "sealed"):
        shutil.rmtree(boxed.folder / name)
    box_path(boxed.run, "mine").unlink()
    assert boxed.prereg_command("rehearse") == 0
    assert files(boxed.validations) == first


def test_means_are_real_and_the_report_says_so(boxed: Places) -> None:
    """What follows from each annotator's shares alone cannot be hidden by dealing labels out anew."""
    assert boxed.prereg_command("rehearse") == 0
    findings = boxed.findings("mine-rehearsal-shuffled")
    table = next(one for one in findings["results"] if one["id"] == "means")["table"]
    scores = {name: [_total(row) for row in rows(boxed) if row.annotator == name] for name in ("ann", "bob")}
    real = sum(sum(own) / len(own) for own in scores.values()) / 2 / 5
    assert table["rows"][0]["cells"]["annotators_mean"]["value"] == pytest.approx(real)
    assert "every difference of means or of shares is that of the labels" in findings["methods"]


def test_a_named_annotator_counts_alone(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    """As in the plan's own run: who is not named is no part of it."""
    write_plan(places, plan=MEANS.replace("each_pair = 2", 'each_pair = 2\nnames = ["ann", "bob"]'))
    lock(places)
    store = create(places, ("ann", "bob", "guest"))
    for name in ("ann", "bob", "guest"):
        label(store, name)
    finish(places)
    assert places.prereg_command("rehearse") == 0
    facts = places.findings("mine-rehearsal-shuffled")["facts"]
    assert facts["Annotators"] == "ann, bob"
    assert facts["Labels"] == "24 done, 24 planned"
    assert "means and shares" in capsys.readouterr().out


def test_simulated_raters_are_shuffled_while_labels_are_held_out(places: Places) -> None:
    """Once they are opened the plan is rehearsed on the labels as they are."""
    people = ("simulated-1", "simulated-2")
    write_plan(places, split=True)
    lock(places, split=True)
    store = create(places, people)
    for name in people:
        label(store, name)
    finish(places)
    assert places.prereg_command("rehearse") == 0
    assert places.findings("mine-rehearsal-shuffled")["methods"].startswith("Labels are simulated")
    assert places.prereg_command("freeze") == 0
    assert places.prereg_command("open", "--key", str(places.key)) == 0
    assert places.prereg_command("rehearse") == 0
    held = sum(one.pair in held_out(places) for one in read_sample(sample_path(places.plan()))[0].pairs)
    assert places.findings("mine-rehearsal-project")["facts"]["Labels"] == f"{2 * held} done, {2 * held} planned"


def _total(row: Annotation) -> int:
    return sum(score.score for score in row.scores.values())
