"""A validation whose answers are known: judges and annotators who read one simulated truth, and what theory expects.

The truth of every pair, model and dimension comes from `simulate`. A judge's calls are planted in a sealed run, as the
texts from which the strict reader makes its verdicts. Annotators label through the app's store; which version a place
shows first stands there, and decides what it adds to what they see.
"""

import json
from collections.abc import Iterable, Mapping
from itertools import combinations, product
from typing import Any, NamedTuple

import msgspec
import numpy as np

from annotate_app.questions import Entry
from annotate_app.store import Store
from polibias.analysis.asked import rubric_of
from polibias.domain.ids import tagged_hash
from polibias.domain.rows import Judgment
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS, SIDES, Favoured, Side, shown_as
from polibias.domain.wording import JudgePrompt
from polibias.judging.verdict import read_verdict, slots
from polibias.records.documents import read_named
from polibias.records.ledger import Entry as Stored
from polibias.records.ledger import Ledger, read
from polibias.records.manifest import read_manifest, seal
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.segments import segment_files
from polibias.simulate import RaterSpec, Simulation, simulate
from polibias.stats.power import DENSITY, TRUTH, Floats, chances, kappa_between, loading_alike, thresholds
from tests.app.conftest import annotator_id
from tests.prereg.validation import Places, answers

MARGINALS = (0.4, 0.3, 0.2, 0.1)
POINTS = np.array([0.0, 1.0, 2.0, 3.0])
TOGETHER = 0.3
"""The latent correlation between two dimensions of one pair."""

Name = tuple[str, str]
"""A pair and the model that answered it."""
Scores = Mapping[Name, Mapping[str, int]]


class Shown(NamedTuple):
    """What one reader makes of everything: the scores while A is shown first, and while B is."""

    A: Scores
    B: Scores


def readings(spec: RaterSpec, names: list[Name], dimensions: Iterable[str], seed: int) -> Shown:
    """What a rater sees with each version first: the same truth and the same noise, half of `side` up and down."""
    return Shown(*(_scores(_leaning(spec, first), names, list(dimensions), seed) for first in SIDES))


def _leaning(spec: RaterSpec, first: Side) -> RaterSpec:
    lean = spec.side / 2 if first == "A" else -spec.side / 2
    return msgspec.structs.replace(spec, shift=spec.shift + lean, side=0.0, unsure=0.0)


def _scores(spec: RaterSpec, names: list[Name], dimensions: list[str], seed: int) -> Scores:
    units = len(names) * len(dimensions)
    about = {"marginals": MARGINALS, "cluster_correlation": TOGETHER}
    rows = simulate(Simulation(seed=seed, units=units, clusters=len(names), raters=(spec,), **about))
    found: dict[Name, dict[str, int]] = {name: {} for name in names}
    for (dimension, name), row in zip(product(dimensions, names), rows, strict=True):
        assert row.value is not None
        found[name][dimension] = int(row.value)
    return found


def left_unsure(spec: RaterSpec, names: list[Name], seed: int) -> set[Name]:
    """The pairs that a rater leaves without a label."""
    rows = simulate(Simulation(seed=seed, units=len(names), clusters=len(names), raters=(spec,)))
    return {name for name, row in zip(names, rows, strict=True) if row.value is None}


def side_of(name: Name) -> Favoured:
    """The side that a pair favours, if anything: every reader names the same."""
    return SIDES[int(tagged_hash("planted-side/1", list(name)), 16) % 2]


def names_in(run: Run) -> list[Name]:
    """Every pair as each model answered it."""
    judge = read_named(run.study, STUDY_TAG)["judges"][0]["name"]
    return sorted({(entry.row.pair, entry.row.model) for entry in read(run.judgments(judge))})


def rubric_in(run: Run) -> Rubric:
    return rubric_of(read_named(run.study, STUDY_TAG))


def plant(run: Run, judges: Mapping[str, RaterSpec], seed: int) -> None:
    """Give a sealed run's judges these readings: another text and its verdict in every row, and a new seal."""
    about = read_named(run.study, STUDY_TAG)
    asked = msgspec.convert(next(iter(about["judge_prompts"].values())), type=JudgePrompt)
    rubric = asked.scored_by(rubric_of(about))
    manifest, names = read_manifest(run.folder), names_in(run)
    run.manifest.unlink()
    for judge, spec in judges.items():
        calls = {
            order: msgspec.structs.replace(spec, name=f"{spec.name}-{order}") for order in ORDERS
        }  # noise of its own for each call
        seen = {order: readings(call, names, rubric.dimension_ids, seed) for order, call in calls.items()}
        _rewrite(run, judge, lambda row, seen=seen: _planted(row, seen[row.order], rubric, asked))
    seal(run, run.folder, manifest.about)


def _rewrite(run: Run, judge: str, planted: Any) -> None:
    stream = run.judgments(judge)
    entries: list[Stored[Judgment]] = [*read(stream)]
    for path in segment_files(stream.path):
        path.unlink()
    with Ledger(stream) as ledger:
        for entry in entries:
            ledger.append(planted(entry.row), entry.seen)
        ledger.commit()


def _planted(row: Judgment, seen: Shown, rubric: Rubric, asked: JudgePrompt) -> Judgment:
    """The row with the text of these scores, and what the strict reader makes of it."""
    name = (row.pair, row.model)
    scores = getattr(seen, row.order[0])[name]
    word = {shown: word for word, shown in slots(rubric).items()}
    value = json.loads(row.text)
    for dimension, score in scores.items():
        side = shown_as(side_of(name) if score else "none", row.order)
        value[dimension] |= {"score": score, "favoured": word[side]}
    text = json.dumps(value)
    outcome, verdict, note = read_verdict(text, row.finish, rubric, asked, row.order)
    assert outcome == "ok", note
    return msgspec.structs.replace(row, text=text, verdict=verdict)


def label_as(places: Places, store: Store, spec: RaterSpec, names: list[Name], seed: int) -> None:
    """Everything that a simulated annotator does, place by place; `first` is read from the store."""
    me, origins = annotator_id(store, spec.name), origins_of(places, store)
    seen, unsure = readings(spec, names, rubric_in(places.run).dimension_ids, seed), left_unsure(spec, names, seed)
    for place in store.places(me):
        view = store.view(place)
        name = origins[view.item.code]
        about = me, place.presentation, place.revision
        if name in unsure:
            receipt = store.leave(*about, "unsure", "no_basis", Entry({}))
        else:
            scores = getattr(seen, view.first)[name]
            given = {key: (score, side_of(name) if score else "none") for key, score in scores.items()}
            receipt = store.submit(*about, answers(given))
        assert receipt.outcome == "saved"


def origins_of(places: Places, store: Store) -> dict[str, Name]:
    """The pair and model behind each item's code, as the sealed file has it."""
    sealed = json.loads((places.folder / "sealed" / f"{store.project.name}.json").read_text("utf-8"))
    return {code: (one["pair"], one["model"]) for code, one in sealed["items"].items()}


def expected(spec: RaterSpec, firsts: tuple[Side, ...] = SIDES) -> Floats:
    """The chance of each point along the true standing, over these first versions."""
    cuts = thresholds(MARGINALS)
    assert spec.kappa is not None
    loading = loading_alike(spec.kappa, POINTS, cuts)
    each = [chances(loading, loading * TRUTH + _leaning(spec, first).shift, cuts) for first in firsts]
    found: Floats = np.mean(each, axis=0)
    return found


def mean_of(spec: RaterSpec, firsts: tuple[Side, ...] = SIDES) -> float:
    """The mean score that a rater gives in the long run."""
    return float(DENSITY @ expected(spec, firsts) @ POINTS)


def kappa_of(one: RaterSpec, other: RaterSpec) -> float:
    """Quadratic kappa of two raters in the long run."""
    return kappa_between(expected(one), expected(other), POINTS)


def gap_of(judge: RaterSpec, people: Iterable[RaterSpec]) -> dict[str, float]:
    """Mean kappa of a judge with annotators, of annotators two by two, and the first minus the second."""
    own = list(people)
    with_judge = float(np.mean([kappa_of(judge, one) for one in own]))
    among = float(np.mean([kappa_of(*couple) for couple in combinations(own, 2)]))
    return {"judge_human": with_judge, "human_human": among, "gap": with_judge - among}
