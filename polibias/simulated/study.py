"""Writing a simulated study: the rows of a run, through the ledger and the seal that every run goes through.

Nothing is asked of anybody. Every response and judgment says `simulated` in its note, in its text and in who answered,
and `study.json` keeps the whole declaration. No clock is read: one declaration gives the same bytes every time.
"""

import json
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from polibias import __version__
from polibias.domain.ids import plain
from polibias.domain.rows import Request, Seen
from polibias.domain.study import AnyModel, Scripted
from polibias.errors import InputError
from polibias.flow import describe
from polibias.models.base import Model, Reply
from polibias.models.scripted import ScriptedModel
from polibias.planning import Plan
from polibias.planning import plan as planned
from polibias.records.documents import write_named
from polibias.records.ledger import Ledger
from polibias.records.manifest import seal
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.software import software
from polibias.simulated.answers import LONGEST, Writing, answered
from polibias.simulated.declaration import StudySimulation
from polibias.simulated.draws import drawn_pairs
from polibias.simulated.truth import World, as_declared, expected, fingerprint, world
from polibias.simulated.verdicts import judged_by
from polibias.sources.files import no_such
from polibias.sources.library import Library

AT = "2000-01-01T00:00:00.000Z"
"""The time at which every simulated study is begun and sealed: no clock is read."""
STUDY = """# Simulated by `polibias simulate study`: nobody was asked, and nothing in it is about any model or country.

id = {id}
title = {title}
rubric = "poli-bias"
judge_prompt = "pair"

[[items]]
templates = ["aggression/*", "crimes_against_humanity/*", "genocide/*", "maritime/*", "war_crimes/*"]
pairs = ["pairs/*"]
tasks = ["tasks/*"]

[draw]
seed = {draw_seed}
main = {main}
control = {control}

[analysis]
resamples = {resamples}
seed = {seed}
cluster = "{cluster}"
"""
SPEAKER = """
[[{role}]]
adapter = "scripted"
name = "{name}"
max_tokens = {longest}
"""


class Simulated(NamedTuple):
    """What was written: where, how many rows of each kind, the hash of the seal, and what a report should show."""

    run: Run
    rows: dict[str, int]
    manifest: str
    world: World


class Speaker(ScriptedModel):
    """Whoever a simulated study says has answered: the shipped fake, which nobody ever asks here."""

    provider = "simulated, no model"

    def __init__(self, spec: Scripted, declared: str) -> None:
        super().__init__(spec)
        self.revision = f"simulated-1 {declared[:16]}"
        self.settings = {"simulated": "yes", "declaration": declared[:16]}

    async def send(self, _request: Request, _address: int = 0) -> Reply:
        raise InputError(f"{self.name}: simulated; nobody can be asked")


def write_study(simulation: StudySimulation, out: Path, data: Path | None = None) -> Simulated:
    """Write the simulated study as a sealed run in the new folder `out`.

    Raises InputError if the folder is there, or if the declared numbers cannot come about.
    """
    if out.exists() or out.is_symlink():
        raise InputError(f"{out}: is there already, and nothing is overwritten; name another folder")
    plan = _plan(simulation, data)
    pairs = list(plan.prompt_pairs)
    found = world(simulation, [pair.design for pair in pairs], plan.rubric.dimension_ids)
    declared = as_declared(found)  # says whether all of it can come about, before anything is written
    library = Library(plan.data)
    if unknown := sorted(simulation.directions.favours_a.keys() - library.pairs.keys()):
        raise no_such("country pair", unknown[0], library.pairs, "favours_a")
    contested = frozenset(one.id for one in library.countries.values() if one.contested_statehood)
    run = Run(out)
    with run.locked():
        begun = {"software": software(), "started_at": AT, "providers_before": [], "reuse": {}, "simulated": declared}
        write_named(run.study, STUDY_TAG, plain(describe(plan) | begun))
        rows = _write_rows(Writing(plan, run, found, pairs, contested))
        manifest = seal(run, run.folder, {"study": simulation.id, "polibias": __version__}, at=AT)
    return Simulated(run, rows, manifest, found)


def _plan(simulation: StudySimulation, data: Path | None) -> Plan:
    """The study as declared, in which nobody can be asked."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{simulation.id}.toml"
        path.write_text(_study_text(simulation), "utf-8")
        plan = planned(str(path), data)
    declared, study = fingerprint(simulation), plan.study
    return plan._replace(models=_speakers(study.models, declared), judges=_speakers(study.judges, declared))


def _study_text(simulation: StudySimulation) -> str:
    """The study as it might stand in a file; JSON's way of writing a text is TOML's."""
    spec = simulation.analysis
    text = STUDY.format(
        id=json.dumps(simulation.id),
        title=json.dumps(simulation.title),
        draw_seed=simulation.draw_seed,
        main=simulation.main,
        control=simulation.control,
        resamples=spec.resamples,
        seed=spec.seed,
        cluster=spec.cluster,
    )
    models = [SPEAKER.format(role="models", name=model.name, longest=LONGEST) for model in simulation.models]
    judges = [SPEAKER.format(role="judges", name=judge.name, longest=0) for judge in simulation.judges]
    return "".join([text, *models, *judges])


def _speakers(specs: Sequence[AnyModel], declared: str) -> list[Model]:
    return [Speaker(spec, declared) for spec in specs if isinstance(spec, Scripted)]


def _write_rows(writing: Writing) -> dict[str, int]:
    """Every stream, model by model. Returns the number of rows of each kind."""
    simulation, run = writing.world.simulation, writing.run
    with Ledger(run.pairs()) as built:
        ids = [built.append(pair, Seen()) for pair in writing.pairs]
        built.commit()
    rows = {"pairs": len(ids), "responses": 0, "judgments": 0}
    with ExitStack() as stack:
        judged = [stack.enter_context(Ledger(run.judgments(judge.name))) for judge in simulation.judges]
        for place, model in enumerate(simulation.models):
            pairs = drawn_pairs(writing.world, model)
            with Ledger(run.responses(model.name)) as ledger:
                answers = list(answered(writing, place, ids, pairs, ledger))
                ledger.commit()
                rows["responses"] += ledger.head.rows
            for number, calls in enumerate(judged):
                judged_by(writing, place, number, ids, pairs, answers, calls)
        rows["judgments"] = sum(calls.head.rows for calls in judged)
    return rows


def summary(made: Simulated) -> str:
    """What was written, in words."""
    simulation = made.world.simulation
    counts = ", ".join(f"{number:,} {kind}" for kind, number in made.rows.items())
    lines = [
        f"{made.run.folder}: {len(simulation.models)} models × {made.rows['pairs']:,} pairs × "
        f"{len(simulation.judges)} judges, sealed ({counts}).",
        "Everything is simulated; nobody was asked, and no number is about any model or country.",
        "Declared, by the first judge:",
    ]
    first = simulation.judges[0].name
    means = [one for one in expected(made.world) if one.table == "pbi" and one.keys["judge"] == first]
    for model in simulation.models:
        own = (f"{one.column} {one.value:.2f}" for one in means if one.keys["model"] == model.name)
        lines.append(f"  {model.name}: {', '.join(own)}")
    return "\n".join([*lines, f"next: polibias report {made.run.folder}"])
