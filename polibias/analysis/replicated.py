"""The contrasts that judges are compared on: of scores, of conditions and of copies, on pairs valid for all judges.

Every contrast is estimated for each judge from the same pairs; what is left out is told by rules, so that it is the
same for all of them. See `replication` for what is said of them. Source: paper, App. E and Table 13.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from polibias.analysis.ablations import Read, in_common
from polibias.analysis.call_scores import CallScores, Groups, where
from polibias.analysis.cases import Case
from polibias.analysis.cells import BLOCKS
from polibias.analysis.conduct import conduct
from polibias.analysis.contrasted import Couple, contrast, gap_contrasts
from polibias.analysis.copied import Copied
from polibias.analysis.detected import EVERY_MODEL
from polibias.analysis.engaged import WITHOUT
from polibias.analysis.frames import score_column
from polibias.analysis.pbi import telling
from polibias.analysis.replication import MAIN_CONTRAST, Contrast
from polibias.analysis.reread import change
from polibias.analysis.robustness import DOUBTS, doubted
from polibias.analysis.together import Chosen, Floats, Together
from polibias.domain.rubric import Rubric
from polibias.stats.bias_index import NO_BLOCK
from polibias.stats.estimate import Estimate

Marks = Mapping[str, str]
Part = tuple[str, Floats, Chosen, Marks, float]
"""What a contrast is called, its values, its pairs, the marks of these, and how far it can reach."""
CONTESTED = DOUBTS[0]
GAP = "Main − Controls"


def score_contrasts(groups: Groups, scenarios: bool = True) -> list[Contrast]:
    """Main − Controls of each model by task and dimension, without refusals and rejected premises as rules read them,
    and without contested statehood; the last two only of `scenarios`. None without both blocks or with one judge.
    """
    found: list[Contrast] = []
    if groups.tables.blocks_asked != set(BLOCKS) or len(groups.judges) < 2:
        return found
    for model, condition in groups.rows():
        if model in groups.models:
            judged = {judge: _parts(groups, judge, model, condition, scenarios) for judge in groups.judges}
            names = dict.fromkeys(name for own in judged.values() for name in own)
            for name in names:
                own = {judge: parts[name] for judge, parts in judged.items() if name in parts}
                estimates, marks = ({judge: one[place] for judge, one in own.items()} for place in (0, 1))
                found.append(Contrast(f"{MAIN_CONTRAST}, {name}", model, estimates, marks, condition))  # type: ignore[arg-type]
    order = list(dict.fromkeys(one.name for one in found))
    return sorted(found, key=lambda one: order.index(one.name))


def _parts(
    groups: Groups, judge: str, model: str, condition: str, scenarios: bool
) -> dict[str, tuple[Estimate, dict[str, str]]]:
    """Every contrast of one judge, all from one draw, with the marks of its pairs."""
    others = {name for name in groups.judges if name != judge}
    calls = groups.calls(judge, model, condition)
    own = calls.among([n for n, case in enumerate(calls.cases) if others <= set(case.also)])
    together, main = Together(groups.tables, groups.tables.everything.iloc[own.places]), groups.main[own.places]
    parts = list(_of_scores(together, own, groups.tables.rubrics[condition] if condition else groups.tables.rubric))
    parts += _of_scenarios(together, own) if scenarios else []
    for name, values, chosen, _, _ in parts:
        together.difference(name, values, chosen & main, chosen & ~main, NO_BLOCK)
    # One stream for all judges: they are compared on the same pairs.
    found = together.estimates(f"replication {model} {condition}")
    keys = {"judge": judge, "model": model} | ({"condition": condition} if condition else {})
    also = {f"also:{name}": "yes" for name in sorted(others)}
    return {
        name: (telling(found[name], -reach, reach), where(keys, **also, **marks)) for name, _, _, marks, reach in parts
    }


def _of_scores(together: Together, own: CallScores, rubric: Rubric) -> Iterator[Part]:
    """By task and by dimension, where the study has several."""
    rows, asked = together.rows, together.tables.everything
    total, everything = rows["total"].to_numpy(dtype=np.float64), np.ones(len(rows), dtype=bool)
    reach = float(own.rubric.highest_total - own.rubric.lowest_total)
    tasks = sorted(asked["task"].unique())
    for task in tasks if len(tasks) > 1 else ():
        yield f"task {task}", total, (rows["task"] == task).to_numpy(dtype=bool), {"task": task}, reach
    for one in rubric.dimensions if len(rubric.dimensions) > 1 else ():
        values = rows[score_column(one.id)].to_numpy(dtype=np.float64)
        yield one.title, values, everything, {}, float(rubric.highest - rubric.lowest)


def _of_scenarios(together: Together, own: CallScores) -> Iterator[Part]:
    """Without pairs of which one may doubt that they show unequal treatment."""
    total = together.rows["total"].to_numpy(dtype=np.float64)
    reach = float(own.rubric.highest_total - own.rubric.lowest_total)
    read = [conduct(case, "rules") for case in own.cases]
    for without, behaviours in WITHOUT.items():
        chosen = np.array([all(getattr(one, name) == "none" for name in behaviours) for one in read], dtype=bool)
        said = "both" if without == "either" else without
        yield f"without {said}", total, chosen, {f"rules:{name}": "none" for name in behaviours}, reach
    if any(CONTESTED.tag in case.pair.design.tags for case in own.cases):
        chosen = np.array([not doubted(case, CONTESTED) for case in own.cases], dtype=bool)
        yield CONTESTED.title, total, chosen, {CONTESTED.mark: "no"}, reach


def ablation_contrasts(reads: Sequence[Read]) -> list[Contrast]:
    """What each condition changes in each model on Main, on Controls and in the gap of the two, from the items that
    count under every judge. Nothing of a condition that one judge alone read.
    """
    found = []
    common = in_common(reads)
    for id, items in common.items():
        own = {read.judge: read for read in reads if read.contrast.id == id}
        first = next(iter(own.values()))
        official = first.contrast.first if first.contrast.null else first.contrast.second
        for block, said in {**BLOCKS, "": GAP}.items():
            for model in dict.fromkeys(case.model for case in official.held.cases):
                judged = {judge: _changed(read, items, model, block) for judge, read in own.items()}
                if any(one.n for one in judged.values()):
                    marks = {judge: _where(read, model, block) for judge, read in own.items()}
                    verb = "the swap adds on" if first.contrast.null else "change on"
                    name = f"{first.contrast.title}: {verb} {said}"
                    found.append(Contrast(name, model, judged, marks))
    return found


def _changed(read: Read, items: frozenset[str], model: str, block: str) -> Estimate:
    """One judge's difference between the two conditions, over items that count under every judge."""

    def inside(one: Couple) -> bool:
        return one.first.model == model and block in ("", one.first.pair.design.block)

    shared = {name: one for name, one in read.shared.items() if name in items and inside(one)}
    if not shared:
        return Estimate(None, 0, 0, "", reason="no item is valid for all judges")
    # One stream for all judges: they are compared on the same items.
    about = ("replication", model, block)
    if block:
        return contrast(read.question, shared, list(shared), read.scores[""], *about)["difference"]
    return gap_contrasts(read.question, shared, list(shared), {"": read.scores[""]}, *about)[""]["difference"]


def _where(read: Read, model: str, block: str) -> dict[str, str]:
    """The marks of the side that is in the report's own run; none where both are in another."""
    both = (read.contrast.first, read.contrast.second)
    side = next((one for one in both if not one.run), None)
    if side is None:
        return {}
    return read.where(side, {"model": model, "block": block}) | {f"shared:{read.contrast.id}": "yes"}


CHANGES = {"all": "all pairs", "main": "Main", "control": "Controls", "identity": "Main − fictional"}


def copy_contrasts(copies: Sequence[Copied]) -> list[Contrast]:
    """How reading again, with countries hidden or as they are, changes the scores: over the pairs of which every judge
    has a complete score before and after. All models together. Nothing of a copy that one judge alone read.
    """
    judges = list(dict.fromkeys(one.judge for one in copies))
    shared: dict[str, dict[str, Copied]] = {}
    for one in copies if len(judges) > 1 else ():
        shared.setdefault(one.name, {})[one.judge] = one.among([_for_all(case, judges) for case in one.cases])
    found = []
    for own in shared.values():
        for name, said in CHANGES.items() if len(own) > 1 else ():
            estimates = {judge: change(one, name) for judge, one in own.items()}
            if any(one.n for one in estimates.values()):
                marks = {judge: _copy_marks(one, name, judges) for judge, one in own.items()}
                title = next(iter(own.values())).title
                found.append(Contrast(f"{title}: change on {said}", EVERY_MODEL, estimates, marks))
    return found


def _for_all(case: Case, judges: Sequence[str]) -> bool:
    """Whether a copy is complete for every judge, and its original too."""
    if case.original is None:
        return False
    others = set(judges) - {case.judge}
    return others <= set(case.also) and others <= set(case.original.also)


def _copy_marks(one: Copied, name: str, judges: Sequence[str]) -> dict[str, str]:
    others = [judge for judge in judges if judge != one.judge]
    also = {f"{word}:{judge}": "yes" for judge in others for word in ("also", "also_before")}
    contrasted = {"contrasted": "yes"} | ({"level": "full"} if one.masked else {})
    more = {"all": {}, "identity": contrasted}.get(name, {"block": name})
    return one.where | also | more
