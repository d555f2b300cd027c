"""A small validation, step by step: a scripted run, a plan with its sample and split, people who label, a report."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from annotate_app.cli import main as annotate
from annotate_app.database import find
from annotate_app.questions import Entry
from annotate_app.store import Store, open_store
from polibias.cli import main
from polibias.records.runs import Run
from polibias.records.samples import read_split, split_path
from tests.app.conftest import annotator_id, full

ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001", "AGG-FLT-001", "CAH-DEP-001"]
pairs = ["russia-ukraine", "iran-israel", "france-germany", "aurelia-ferrum"]
tasks = ["T1", "T2"]
"""
MODELS = "".join(f'[[models]]\nadapter = "scripted"\nname = "m{n}"\nmax_tokens = 50\n' for n in (1, 2))
JUDGES = "".join(f'[[judges]]\nadapter = "scripted"\nname = "{name}"\n' for name in ("one", "two"))
PLAN = """
id = "{id}"
title = "A small validation"
question = "Do the judges agree with people?"
run = "small"

[sample]
seed = 3
judges = ["one", "two"]
{exclude}
[[sample.strata]]
name = "even"
pairs = {pairs}
over = ["model", "task"]

[[sample.strata]]
name = "contested"
pairs = 4
rule = "disagreement"
{split}
[raters]
project = "{id}"
each_pair = 2

[labels]
flags = ["broken"]

[analysis]
seed = 5
resamples = 200

[[comparisons]]
id = "gap"
title = "Kappa of judge and annotators, minus that of annotators"
role = "primary"
statistic = "kappa_gap"
measure = "gap"

[comparisons.decision]
bound = "low"
above = -0.1
holds = "It agrees as well as people do."
fails = "It was not shown that it agrees as well as people do."

[[comparisons]]
id = "directions"
title = "Favoured side"
role = "secondary"
statistic = "direction_agreement"

[[comparisons]]
id = "totals"
title = "Pair totals"
role = "exploratory"
statistic = "icc_totals"
"""
SPLIT = """
[split]
seed = 4
calibration = 4
"""
PEOPLE = ("ann", "bob")
MARK = "a comment that only held-out labels have"


class Places(NamedTuple):
    """Where everything of a validation lies, and the run that its pairs come from."""

    folder: Path
    run: Run

    @property
    def prereg(self) -> Path:
        return self.folder / "prereg"

    @property
    def validations(self) -> Path:
        return self.folder / "validations"

    @property
    def key(self) -> Path:
        return self.folder / "holder.key"

    def plan(self, id: str = "mine") -> Path:
        return self.prereg / f"{id}.toml"

    @property
    def options(self) -> list[str]:
        """Where commands on plans find things."""
        return [
            *("--prereg", str(self.prereg)),
            *("--runs", str(self.run.folder.parent)),
            *("--validations", str(self.validations)),
        ]

    @property
    def app_options(self) -> list[str]:
        """Where commands of the app find things."""
        return [*("--projects", str(self.folder / "projects")), *("--sealed", str(self.folder / "sealed"))]

    def prereg_command(self, action: str, *more: str, id: str = "mine") -> int:
        return main(["prereg", action, str(self.plan(id)), *self.options, *more])

    def findings(self, id: str = "mine") -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.validations / id / "findings.json").read_text("utf-8"))
        return found

    def store(self, id: str = "mine") -> Store:
        return open_store(find(id, self.folder / "projects"))


def write_plan(
    places: Places, split: bool = False, id: str = "mine", pairs: int = 8, exclude: str = "", plan: str = PLAN
) -> Path:
    """A plan, its sample drawn, and split if it holds pairs out."""
    places.prereg.mkdir(exist_ok=True)
    text = plan.format(id=id, pairs=pairs, split=SPLIT if split else "", exclude=exclude)
    places.plan(id).write_text(text, "utf-8")
    runs = ["--runs", str(places.run.folder.parent)]
    assert main(["sample", str(places.plan(id)), *runs]) == 0
    if split:
        assert main(["split", str(places.plan(id)), *runs]) in (0, 1)  # scripted responses are much alike
    return places.plan(id)


def lock(places: Places, split: bool = False, id: str = "mine") -> str:
    """Lock a plan and return its fingerprint."""
    holder = []
    if split:
        from polibias.records.boxes import make_key

        holder = ["--holder", make_key(places.key)]
    assert places.prereg_command("lock", *holder, id=id) == 0
    found: str = json.loads((places.prereg / f"{id}.lock.json").read_text("utf-8"))["hash"]
    return found


def create(places: Places, people: Sequence[str] = PEOPLE, id: str = "mine") -> Store:
    """A project of the plan with these people in it, its terms agreed to."""
    wanted = ["create", str(places.run.folder), "--project", id, "--plan", str(places.plan(id)), "--seed", "7"]
    assert annotate([*wanted, *places.app_options]) == 0
    assert annotate(["invite", id, *people, "--projects", str(places.folder / "projects")]) == 0
    store = places.store(id)
    for name in people:
        store.assent(annotator_id(store, name), dict.fromkeys(store.protocol.terms(), "yes"))
    return store


def label(store: Store, name: str, entry: Callable[[Store, str, int], Entry] | None = None) -> None:
    """Submit every place of a person."""
    me = annotator_id(store, name)
    for number, place in enumerate(store.places(me), start=1):
        given = entry(store, name, number) if entry else varied(number)
        assert store.submit(me, place.presentation, place.revision, given).outcome == "saved"


def give_all(places: Places, store: Store, mark: str, id: str = "mine") -> None:
    """Submit every place of everybody, with this comment on those of held-out pairs alone."""
    held = {*read_split(split_path(places.plan(id)))[0].held_out}
    items = json.loads((places.folder / "sealed" / f"{id}.json").read_text("utf-8"))["items"]

    def entry(store: Store, name: str, number: int) -> Entry:
        place = store.places(annotator_id(store, name))[number - 1]
        hidden = items[store.view(place).item.code]["pair"] in held
        return full(number % 4, "A" if number % 4 else "none", mark if hidden else "")

    for name in PEOPLE:
        label(store, name, entry)


def varied(number: int) -> Entry:
    """An entry that differs from one place to the next."""
    return full(number % 4, ("A", "B")[number % 2] if number % 4 else "none")


def finish(places: Places, id: str = "mine") -> None:
    """Close the project and export it."""
    projects = ["--projects", str(places.folder / "projects")]
    assert annotate(["close", id, *projects]) == 0
    assert export(places, id) == 0


def export(places: Places, id: str = "mine", *more: str) -> int:
    """What `polibias-annotate export` does."""
    return annotate(["export", id, *places.app_options, *exported(places), *more])


def exported(places: Places) -> list[str]:
    return ["--runs", str(places.run.folder.parent), "--prereg", str(places.prereg)]


def answers(scores: Mapping[str, tuple[int, str]]) -> Entry:
    """An entry with a score and a favoured side (A, B, none) for each dimension."""
    found: dict[str, str | None] = {}
    for name, (score, side) in scores.items():
        found |= {f"{name}.score": str(score), f"{name}.favoured": side}
    return Entry(found)
