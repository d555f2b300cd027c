"""Splitting a drawn sample, and looking for what would leak from one set into the other."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from polibias.domain.plan import SplitRule
from polibias.domain.rows import PromptPair
from polibias.domain.sample import Alike, Sample, Split
from polibias.domain.sides import SIDES
from polibias.errors import InputError
from polibias.lint.duplicates import runs_of
from polibias.records.ledger import read
from polibias.records.manifest import manifest_hash
from polibias.records.runs import Run
from polibias.records.verify import require_whole
from polibias.splits import ALGORITHM, Member, Sets, divide

NEARLY = 0.8
"""Responses that share so much of their wording are one text to a reader."""


def divide_sample(run: Run, sample: Sample, name: str, rule: SplitRule) -> Split:
    """The split of a sample, which `name` is the hash of, with what it keeps together and what both sets have.

    Raises InputError unless the run is the one that the sample was drawn from.
    """
    if not run.sealed or manifest_hash(run.folder) != sample.manifest:
        raise InputError(f"{run.folder}: is not the run that the sample was drawn from, or not in that state")
    require_whole(run)
    wanted = {one.pair for one in sample.pairs}
    pairs: dict[str, PromptPair] = {}
    copies: dict[str, list[str]] = {}
    for entry in read(run.pairs()):
        if entry.id in wanted:
            pairs[entry.id] = entry.row
        elif entry.row.copy_of in wanted:
            copies.setdefault(entry.row.copy_of, []).append(entry.id)
    sets = divide((_member(id, pair) for id, pair in pairs.items()), rule)
    of_calibration, of_held_out = ({pairs[id].design.template for id in ids} for ids in sets[:2])
    return Split(
        plan=sample.plan,
        sample=name,
        algorithm=ALGORITHM,
        rule=rule,
        calibration=sets.calibration,
        held_out=sets.held_out,
        left=sets.left,
        copies={id: tuple(found) for id, found in copies.items()},
        templates=tuple(sorted(of_calibration & of_held_out)),
        alike=tuple(_alike(run, sample, sets)),
    )


def _member(id: str, pair: PromptPair) -> Member:
    design = pair.design
    return Member(id, design.block, design.task, design.template, design.category, design.topic, design.topic_category)


def _alike(run: Run, sample: Sample, sets: Sets) -> Iterator[Alike]:
    """Every couple of pairs across the sets of which one model's responses are nearly the same, the likest first."""
    found = []
    for model in sorted({one.model for one in sample.pairs}):
        own = {one.pair for one in sample.pairs if one.model == model}
        runs = _runs_of_responses(run, model, own)
        for one, other in product(*([id for id in ids if id in runs] for ids in sets[:2])):
            share = max(_share(a, b) for a, b in product(runs[one], runs[other]))
            if share >= NEARLY:
                found.append(Alike(one, other, model, round(share, 4)))
    yield from sorted(found, key=lambda one: (-one.share, one.calibration, one.held_out))


def _runs_of_responses(run: Run, model: str, wanted: set[str]) -> Mapping[str, Sequence[frozenset[str]]]:
    """The runs of words of both latest responses to each pair."""
    rows = (entry.row for entry in read(run.responses(model)) if entry.row.pair in wanted)
    latest = {(row.pair, row.side): row.text for row in rows}
    return {
        pair: [runs_of(latest[pair, side]) for side in SIDES if (pair, side) in latest]
        for pair in sorted({pair for pair, _ in latest})
    }


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one & other)
    return both / (len(one) + len(other) - both or 1)
