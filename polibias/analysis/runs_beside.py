"""Which run stands beside the one that a report is about: the first that it took replies over from, or else the first
that its study names for comparison.

The former counts in the state that `study.json` names. The latter counts as it is here, if it is sealed and whole and
asked the same of whom both asked. Where a run cannot be compared with, a note says why.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from polibias.analysis.ablations import official_of
from polibias.analysis.asked import judge_prompts, rubrics_of
from polibias.analysis.gathered import Gathered, gather, gather_judged
from polibias.errors import PoliBiasError
from polibias.records.documents import read_named
from polibias.records.ledger import read
from polibias.records.manifest import manifest_hash
from polibias.records.runs import STUDY_TAG, Run

MISSING = (
    "The run '{name}', from which replies were taken over, is not here in that state: nothing is compared with it."
)
NOT_COMPARED = "The run '{name}' {problem}: nothing is compared with it."
OTHERWISE = {
    "adapter": "through another adapter",
    "revision": "in another revision",
    "settings": "with other settings",
    "asks": "with other parameters",
}
FRAME = frozenset({"condition", "first", "second", "shown"})
"""What of a pair's sources makes its condition, and not its item."""


class Found(NamedTuple):
    """A run beside this one, with the hash of its manifest. `whole` is all of it, None where nothing but its verdicts
    counts; `other` is the run where another judge task read what both asked.
    """

    name: str
    manifest: str
    whole: Gathered | None
    other: Gathered | None


def run_beside(run: Run, about: Mapping[str, Any], own: Gathered, notes: list[str]) -> Found | None:
    """The first run that this one rests on, if this one asks anything that it did not, or asks judges otherwise.

    None for a run that holds the official pairs itself: they are the same ones. What cannot be compared with is noted.
    """
    return next(_taken_over(run, about, own, notes), None)


def _taken_over(run: Run, about: Mapping[str, Any], own: Gathered, notes: list[str]) -> Iterator[Found]:
    """Runs that replies were taken over from, then those that the study names beside them."""
    for name, manifest in about["reuse"].items():
        other = Run(run.folder.parent / name)
        try:
            its = read_named(other.study, STUDY_TAG)
            if _adds_nothing(about, its, own):
                return
            if manifest_hash(other.folder) == manifest:
                yield _read(other, about, its, own)
                return
        except PoliBiasError:
            pass
        notes.append(MISSING.format(name=name))
    for name in about.get("beside", ()):
        if name not in about["reuse"]:
            found, problems = _named(run, Run(run.folder.parent / name), about, own)
            notes.extend(NOT_COMPARED.format(name=name, problem=problem) for problem in problems)
            yield from found


def _named(run: Run, other: Run, about: Mapping[str, Any], own: Gathered) -> tuple[list[Found], list[str]]:
    """A run that the study names for comparison alone, none if it has nothing to compare with, and what forbids it."""
    if not other.sealed:
        return [], ["is not sealed yet" if other.study.exists() else "is not here"]
    try:
        its = read_named(other.study, STUDY_TAG)
        if problems := list(differences(about, its)):
            return [], problems
        if _adds_nothing(about, its, own):
            return [], []
        found, problems = _read(other, about, its, own), list(_other_data(run, other))
        found = found._replace(whole=found.whole and _of_models(found.whole, _parties(about, "models")))
    except PoliBiasError:
        return [], ["is not as it was sealed"]
    return ([] if problems else [found]), problems


def _of_models(run: Gathered, models: Collection[str]) -> Gathered:
    """The run without models that only it asked."""
    return run._replace(cases=[case for case in run.cases if case.model in models])


def differences(about: Mapping[str, Any], its: Mapping[str, Any]) -> Iterator[str]:
    """In which ways two runs asked otherwise what both asked: of models and judges, by which rubric and judge tasks."""
    for role in ("models", "judges"):
        ours, theirs = _parties(about, role), _parties(its, role)
        shared = [name for name in ours if name in theirs]
        if not shared:
            yield f"asked none of this run's {role}"
        for name in shared:
            how = next((said for part, said in OTHERWISE.items() if ours[name][part] != theirs[name][part]), "")
            if how:
                yield f"asked {role.removesuffix('s')} '{name}' {how}"
    if about["rubric"] != its["rubric"]:
        yield "was scored by another rubric"
    ours, theirs = ({task["id"]: task for task in one["judge_prompts"].values()} for one in (about, its))
    yield from (
        f"gave judges another text of the task '{id}'" for id in ours if id in theirs and ours[id] != theirs[id]
    )


def _parties(about: Mapping[str, Any], role: str) -> dict[str, dict[str, Any]]:
    """Models or judges by name, each with its settings."""
    both = zip(about[role], about["settings"][role], strict=True)
    return {entry["name"]: entry | {"settings": settings} for entry, settings in both}


def _other_data(run: Run, other: Run) -> Iterator[str]:
    """Whether items of the same name were made from other entries: template, task, pair or countries."""
    own, its = _items(run), _items(other)
    if changed := sum(own[item].isdisjoint(its[item]) for item in own if item in its):
        yield f"made {changed} of the items of both from other data"


def _items(run: Run) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """The hashes that each item was made from, in an order that does not depend on who is A. The run must be whole."""
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for row in (entry.row for entry in read(run.pairs()) if not entry.row.copy_of):
        made_from = sorted(hash for name, hash in row.sources.items() if name not in FRAME)
        found.setdefault((row.design.template, row.design.topic, row.design.task), set()).add(tuple(made_from))
    return found


def _adds_nothing(about: Mapping[str, Any], its: Mapping[str, Any], own: Gathered) -> bool:
    """Whether the other run has nothing to compare with: it asked the same, or this one has the official pairs."""
    if _otherwise(about, its, own.originals):
        return False
    titles = its["study"]["conditions"]
    return not set(own.originals) - set(titles) or official_of(own) in titles


def _read(other: Run, about: Mapping[str, Any], its: Mapping[str, Any], own: Gathered) -> Found:
    """The other run, as much of it as counts. Raises DamagedRecord unless it is what was sealed."""
    manifest, otherwise = manifest_hash(other.folder), _otherwise(about, its, own.originals)
    name, new = other.folder.name, set(own.originals) - set(its["study"]["conditions"])
    if not new and not _alike(own, its, otherwise):
        return Found(name, manifest, None, gather_judged(other, own.judges))
    found = gather(other)
    return Found(name, manifest, found, found if otherwise else None)


def _otherwise(about: Mapping[str, Any], its: Mapping[str, Any], conditions: Sequence[str]) -> list[str]:
    """The conditions that both runs asked and that another judge task read in each."""
    own, others = judge_prompts(about), judge_prompts(its)
    return [name for name in conditions if name in others and own[name] != others[name]]


def _alike(own: Gathered, its: Mapping[str, Any], conditions: Sequence[str]) -> bool:
    """Whether scores of the two tasks can be compared in some condition, so that the other run counts as a whole."""
    others = rubrics_of(its)
    return any(own.rubrics[name].dimension_ids == others[name].dimension_ids for name in conditions)
