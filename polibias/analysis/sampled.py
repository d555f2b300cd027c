"""Drawing a plan's sample from a sealed run: which pairs can be drawn, and how far apart the two judges are on each."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from polibias.analysis.asked import rubrics_of
from polibias.analysis.cases import Case, Judged, PairFacts
from polibias.domain.plan import Plan, SampleRule
from polibias.domain.rubric import Rubric
from polibias.domain.sample import DrawnStratum, Sample, SampledPair
from polibias.domain.sides import Order
from polibias.errors import InputError
from polibias.records.documents import read_named
from polibias.records.manifest import manifest_hash
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.shelf import located
from polibias.records.verify import require_whole
from polibias.samples import ALGORITHM, Chosen, Unit, choose, effective_n

INCOMPLETE = "not valid in both orders of every judge"
EXCLUDED = "named by an excluded file"


def draw_sample(run: Run, plan: Plan, excluded: Collection[str], files: Mapping[str, str]) -> Sample:
    """The plan's sample of the run. `excluded` are ids of pairs, which the `files` name (with the SHA-256 of each).

    Raises InputError unless the run is sealed and whole, has both judges, and enough pairs for every stratum.
    """
    rule = sample_rule(plan)
    if not run.sealed:
        raise InputError(f"{run.folder}: not sealed yet; a sample is drawn from what nobody can change any more")
    require_whole(run)
    about = read_named(run.study, STUDY_TAG)
    known = [entry["name"] for entry in about["judges"]]
    for judge in rule.judges:
        if judge not in known:
            raise InputError(f"{run.folder}: has no judge '{judge}'; it has {', '.join(known)}")
    facts = _pairs(run)
    condition = _condition(run, plan, facts)
    rubric = rubrics_of(about)[condition]
    own = {name: pair for name, pair in facts.items() if pair.design.condition == condition}
    units, left_out = _units(run, rule, own, rubric, excluded)
    chosen = choose(units, rule)
    return Sample(
        plan=plan.id,
        run=run.folder.resolve().name,
        manifest=manifest_hash(run.folder),
        condition=condition,
        algorithm=ALGORITHM,
        rule=rule,
        eligible=len(units),
        left_out=dict(left_out),
        excluded=dict(files),
        strata=tuple(_strata(rule, chosen)),
        effective_n=effective_n(chosen),
        pairs=tuple(SampledPair(one.unit.pair, one.unit.model, one.stratum, one.inclusion) for one in chosen),
    )


def sample_rule(plan: Plan) -> SampleRule:
    """How the plan draws. Raises InputError if it draws nothing."""
    if plan.sample is None:
        raise InputError(f"plan '{plan.id}' has no [sample]; say which pairs it draws")
    return plan.sample


def _pairs(run: Run) -> dict[str, PairFacts]:
    """The pairs that models were asked, by id; copies of them are no items of their own."""
    found = {}
    for mark, entry in located(run.pairs()):
        row = entry.row
        if not row.copy_of:
            found[entry.id] = PairFacts(row.design, row.parties, row.acting, row.facing, row.inclusion, "", "", mark)
    return found


def _condition(run: Run, plan: Plan, facts: Mapping[str, PairFacts]) -> str:
    known = sorted({pair.design.condition for pair in facts.values()})
    if plan.condition in known or (len(known) == 1 and not plan.condition):
        return plan.condition or known[0]
    wanted = f"no condition '{plan.condition}'" if plan.condition else "several conditions, and the plan names none"
    raise InputError(f"{run.folder}: has {wanted}; it has {', '.join(known)}")


def _units(
    run: Run, sampling: SampleRule, facts: Mapping[str, PairFacts], rubric: Rubric, excluded: Collection[str]
) -> tuple[list[Unit], Counter[str]]:
    """Every pair as each model answered it that all judges read validly in both orders, and how many are left out."""
    scores = [_scores(run, judge, facts, rubric) for judge in sampling.judges]
    units: list[Unit] = []
    left_out: Counter[str] = Counter()
    for name in sorted({name for found in scores for name in found}):
        pair, model = name
        read = [score for found in scores if (score := found.get(name)) is not None]
        if pair in excluded:
            left_out[EXCLUDED] += 1
        elif len(read) < len(scores):
            left_out[INCOMPLETE] += 1
        else:
            units.append(_unit(pair, model, facts[pair], max(read) - min(read)))
    return units, left_out


def _unit(pair: str, model: str, facts: PairFacts, disagreement: float) -> Unit:
    design = facts.design
    factors = (design.block, design.task, design.template, design.category, design.topic, design.topic_category)
    return Unit(pair, model, *factors, disagreement)


def _scores(
    run: Run, judge: str, facts: Mapping[str, PairFacts], rubric: Rubric
) -> dict[tuple[str, str], float | None]:
    """The pair score of everything that one judge read, None where an order is not valid; the latest call counts."""
    judged: dict[tuple[str, str], dict[Order, Judged]] = {}
    for mark, entry in located(run.judgments(judge)):
        row = entry.row
        if row.pair in facts:
            judged.setdefault((row.pair, row.model), {})[row.order] = Judged(row.outcome, row.verdict, mark)
    cases = {(pair, model): Case(pair, facts[pair], model, judge, {}, found) for (pair, model), found in judged.items()}
    return {name: case.total(rubric) if case.complete else None for name, case in cases.items()}


def _strata(sampling: SampleRule, chosen: Collection[Chosen]) -> Iterator[DrawnStratum]:
    for stratum in sampling.strata:
        own = [one for one in chosen if one.stratum == stratum.name]
        yield DrawnStratum(stratum.name, len(own), own[0].pool, effective_n(own))
