"""The labels of a locked plan: read only once everything that must have come before them did, and all are there."""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from polibias.analysis.annotated import (
    LEFT_OUT,
    Drawn,
    Labels,
    drawn_from,
    judged,
    labelled,
    labels_by,
    read_annotations,
)
from polibias.analysis.asked import judge_prompts
from polibias.analysis.confirmed import Deviation, Measure
from polibias.analysis.label_statistics import measure_labels
from polibias.analysis.labelled import Labelled
from polibias.analysis.material import Material, rules_of
from polibias.analysis.measured import Measured, Measures
from polibias.analysis.planned_runs import begun_under
from polibias.domain.chains import Link, parse_chain
from polibias.domain.plan import Comparison, Plan, Raters
from polibias.domain.rows import Annotation
from polibias.domain.sample import SampledPair
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import read_named, reading
from polibias.records.heldout import chain_path, held_out
from polibias.records.ledger import Entry
from polibias.records.locks import LockedPlan
from polibias.records.manifest import read_manifest, require_unchanged
from polibias.records.openings import one_line, openings
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.samples import read_sample, read_split, sample_path, split_path
from polibias.simulate import PREFIX

FINISHED = ("submitted", "revised", "skipped", "unsure")
NOT_YET = "close the project and export it: polibias-annotate close {project}, then export {project}"


def of_people(found: LockedPlan, runs: Path, simulated: bool = False) -> Material:
    """The labels of the plan's project beside the judges' calls; of simulated raters only where that is said."""
    plan, run = found.lock.plan, Run(runs / found.lock.plan.run)
    assert plan.raters is not None
    drawn = drawn_from(run, read_sample(sample_path(found.path))[0])
    sampled = drawn.names(judged_pairs(found))
    chain = _chain(found, run)
    entries = read_annotations(run, plan.raters.project, {one.pair for one in sampled})
    _check_told(run, plan.raters.project, entries, chain)
    labels = labels_by(entries, plan.labels, plan.raters.names)
    if not simulated:
        _check_real(plan, labels)
    _check_reached(plan, labels, len(sampled))
    table = labelled(drawn, sampled, labels.scores, judged(_judged_run(found, runs), plan, drawn, sampled))
    deviations = [*_early(run, plan.raters.project), *_clocks(found, chain), *_numbers(plan.raters, entries, sampled)]
    facts, said = label_facts(plan, labels, sampled), said_of(plan, drawn, labels, sampled)
    return Material(by_labels(plan, table), facts, deviations, said, chain[-1].hash)


def _judged_run(found: LockedPlan, runs: Path) -> Run:
    """The run whose judgments are compared: the plan's own, or the one that its frozen judge task was used in."""
    plan, standing = found.lock.plan, held_out(found)
    run = begun_under(found, runs, plan.outcomes[0]) if plan.outcomes else Run(runs / plan.run)
    if standing is not None:
        used = set(judge_prompts(read_named(run.study, STUDY_TAG)).values())
        if not used & set(standing.frozen["judge_prompts"].values()):
            raise InputError(
                f"{run.folder}: was judged by another task than the frozen one; judge the pairs by that, in a run that "
                "the plan names under `outcomes`"
            )
    return run


def judged_pairs(found: LockedPlan) -> frozenset[str] | None:
    """The pairs whose labels count: those held out once they were opened; None for all of a plan without a split."""
    standing = held_out(found)
    if standing is None:
        return None
    if not standing.readable:
        raise InputError(
            f"{found.path}: its held-out labels are not opened (they are {standing.state}); "
            f"open them with polibias prereg open {found.lock.plan.id} --key FILE"
        )
    return frozenset(read_split(split_path(found.path))[0].held_out)


def _chain(found: LockedPlan, run: Run) -> list[Link]:
    """The event chain of the plan's project, which begins with the lock and ends with the project's closing."""
    raters = found.lock.plan.raters
    assert raters is not None
    about = _exported(run, raters.project)
    if about.get("lock") != found.hash:
        raise InputError(
            f"{run.annotations(raters.project).path}: these labels do not come after this lock; "
            f"make the project with polibias-annotate create {found.lock.plan.run} --plan {found.lock.plan.id}"
        )
    if about.get("log") not in found.fingerprints:
        raise DamagedRecord(
            f"{found.path}: its log does not know an entry that was there when the labels of '{raters.project}' left "
            "their project; restore the log and its lock from a copy"
        )
    path = chain_path(run, raters.project)
    with reading(path):
        lines = path.read_bytes().splitlines(keepends=True)
    chain = parse_chain(lines, found.hash, str(path))
    if not chain or chain[-1].hash != about["head"]:
        raise DamagedRecord(f"{path}: ends elsewhere than the export says; restore it from a copy")
    if not any(link.kind == "closed" for link in chain):
        raise InputError(f"{path}: the project is still open; {NOT_YET.format(project=raters.project)}")
    return chain


def _exported(run: Run, project: str) -> Mapping[str, str]:
    """What the seal of the annotations says of a project."""
    require_unchanged(run, run.annotations_folder)
    if not run.annotations(project).path.exists():
        raise InputError(f"{run.folder}: no labels of '{project}' yet; {NOT_YET.format(project=project)}")
    found: Mapping[str, str] = read_manifest(run.annotations_folder).about["projects"][project]
    return found


def _check_told(run: Run, project: str, entries: Sequence[Entry[Annotation]], chain: Sequence[Link]) -> None:
    """Every label has its event, with the very answers, in the chain that the lock began."""
    told = {}
    for link in chain:
        if link.kind in FINISHED:
            body = json.loads(link.body)
            told[link.annotator, link.item, body["revision"]] = body["answers"]
    for entry in entries:
        row = entry.row
        answers = told.get((row.annotator, row.item, row.revision))
        if row.status != "withdrawn" and (answers is None or not _says(answers, row)):
            raise DamagedRecord(
                f"{run.annotations(project).path}: a label of '{row.annotator}' of which the project's events do not "
                "tell; restore it from a copy"
            )


def _says(answers: Mapping[str, str | None], row: Annotation) -> bool:
    """Whether these are the answers that a label was made from: its sides, and its scores where they were asked."""
    return all(
        answers.get(f"{name}.favoured") == score.favoured
        and answers.get(f"{name}.score", str(score.score)) == str(score.score)
        for name, score in row.scores.items()
    )


def _check_real(plan: Plan, labels: Labels) -> None:
    """Raises InputError for simulated raters: nothing of theirs is ever confirmed."""
    for name in labels.scores:
        if name.startswith(PREFIX):
            raise InputError(
                f"plan '{plan.id}': '{name}' is a simulated rater; rehearse the plan with polibias prereg rehearse"
            )


def planned_labels(plan: Plan, pairs: int) -> int:
    """How many labels the plan needs before anything is computed from them."""
    return math.ceil(pairs * (plan.raters.each_pair if plan.raters else 0) * plan.stopping.share - 1e-9)


def _check_reached(plan: Plan, labels: Labels, pairs: int) -> None:
    wanted = planned_labels(plan, pairs)
    if labels.done < wanted:
        raise InputError(
            f"plan '{plan.id}': {labels.done} of {wanted} planned labels are there; nothing is computed from fewer"
        )


def _numbers(
    raters: Raters, entries: Sequence[Entry[Annotation]], sampled: Sequence[SampledPair]
) -> Iterator[Deviation]:
    """Where more or fewer people were done with a pair than the plan has."""
    rows = [one.row for one in entries if one.row.status != "withdrawn"]
    counted = Counter((row.pair, row.model) for row in rows if not raters.names or row.annotator in raters.names)
    each = [counted[one.pair, one.model] for one in sampled]
    more, fewer = (sum(n > raters.each_pair for n in each), sum(n < raters.each_pair for n in each))
    for word, number in (("more", more), ("fewer", fewer)):
        if number:
            of = f"Of {len(each)} pairs {number}"
            yield Deviation(f"{of} have labels of {word} people than the {raters.each_pair} of the plan.", "", "")


def _early(run: Run, project: str) -> Iterator[Deviation]:
    """Looks at labels before their project was closed."""
    for one in openings(run.annotations_folder).get(project, ()):
        yield Deviation("Labels were looked at before the project was closed.", one_line(one.reason), one.at)


def _clocks(found: LockedPlan, chain: Sequence[Link]) -> Iterator[Deviation]:
    """A clock that cannot be right; order does not rest on it."""
    times = [link.at for link in chain]
    if times and times[0] < found.lock.at:
        what = "The annotation server's clock was behind that of the lock. Order is proved by hashes, not by clocks."
        yield Deviation(what, "", times[0])
    if any(later < earlier for earlier, later in pairwise(times)):
        yield Deviation("The annotation server's clock ran backwards: its times are not reliable.", "", "")


def by_labels(plan: Plan, table: Labelled) -> Measure:
    """How comparisons of labels are measured."""

    def measure(comparison: Comparison) -> tuple[Measures, list[Measured]]:
        return measure_labels(table, comparison, rules_of(plan), plan.judges, plan.labels.missing, check=True)

    return measure


def label_facts(plan: Plan, labels: Labels, sampled: Sequence[SampledPair]) -> dict[str, str]:
    """n reached against n planned, and every label that does not count."""
    wanted = planned_labels(plan, len(sampled))
    left = [f"{count} {LEFT_OUT[reason]}" for reason, count in sorted(labels.left_out.items())]
    return {
        "Response pairs": str(len(sampled)),
        "Annotators": ", ".join(labels.scores),
        "Labels": f"{labels.done} done, {wanted} planned",
        "Labels that do not count": "; ".join(left) or "none",
        "Labelled": f"{_minute(labels.first_at)} to {_minute(labels.last_at)}, UTC",
    }


def _minute(at: str) -> str:
    return at[:16].replace("T", " ") or "never"


def said_of(plan: Plan, drawn: Drawn, labels: Labels, sampled: Sequence[SampledPair]) -> str:
    """Who labelled what, as a paper says it."""
    strata: dict[str, int] = {}
    for one in sampled:
        strata[one.stratum] = strata.get(one.stratum, 0) + 1
    parts = ", ".join(f"{name} {count}" for name, count in strata.items())
    held = "held-out " if plan.split else ""
    every, couples = "only if every annotator gave it", "for every couple of raters that both gave it"
    missing = f"a unit counts {every if plan.labels.missing == 'listwise' else couples}"
    return (
        f"{len(labels.scores)} annotators independently scored {len(sampled)} {held}response pairs ({parts}; seed "
        f"{drawn.sample.rule.seed}) blind and in their own order, {labels.done} labels in all; {missing}."
    )
