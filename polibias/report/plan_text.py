"""A plan as a document that a person, or a public registry, can read; every figure in it is the plan's own."""

import re
from collections.abc import Iterator

from polibias.domain.display import visible
from polibias.domain.lock import Lock
from polibias.domain.plan import ROLES, AnalysisRules, Comparison, LabelRules, Plan, SampleRule, Stratum
from polibias.domain.sample import Sample, Split

MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&$])")
ROLE_TITLES = {"primary": "Primary", "secondary": "Secondary", "exploratory": "Exploratory"}
ROLE_NOTES = {
    "primary": "What the plan decides.",
    "secondary": "Planned as well, and not what the plan decides.",
    "exploratory": "Named beforehand, and shown as exploratory wherever it is shown.",
}
DRAWN = {
    "uniform": "every pair with the same chance",
    "disagreement": "those on which the judges lie furthest apart, for certain",
    "proportional": "with a chance proportional to how far the judges lie apart",
}
INTERVALS = {"jackknife": "jackknife-t", "percentile": "percentile bootstrap"}


def md(text: str) -> str:
    """Foreign text within a line of Markdown: nothing hidden in it, and no mark of it means anything."""
    return MARKS.sub(r"\\\1", " ".join(visible(text).split()))


def code(text: str) -> str:
    """Foreign text as a piece of code within a line of Markdown."""
    line = " ".join(visible(text).split()).replace("`", "'")
    return f"`{line}`"


def plan_document(plan: Plan, lock: Lock | None, fingerprint: str, sample: Sample | None, split: Split | None) -> str:
    """The plan as Markdown. `fingerprint` is the lock's hash, "" for a plan that is not locked."""
    parts = [
        [f"# {md(plan.title)}", f"Plan `{plan.id}`. {_locked(lock, fingerprint)}"],
        [f"**Question.** {md(plan.question)}"] if plan.question else [],
        [*_pairs(plan, sample)],
        [*_held_out(plan, split)],
        [*_labels(plan)],
        [*_analysis(plan.analysis)] if plan.analysis else [],
        *([*_comparisons(plan, role)] for role in ROLES),
        [*_inputs(lock)] if lock else [],
    ]
    return "\n\n".join(line for part in parts for line in part) + "\n"


def _locked(lock: Lock | None, fingerprint: str) -> str:
    if lock is None:
        return "Not locked: this may still change."
    return f"Locked at {lock.at[:19].replace('T', ' ')} UTC. Fingerprint: `{fingerprint}`"


def _pairs(plan: Plan, sample: Sample | None) -> Iterator[str]:
    yield "## Pairs"
    if plan.sample is None:
        yield f"The pairs of the run `{plan.run}`, in the runs {', '.join(f'`{name}`' for name in plan.outcomes)}."
        return
    drawn = "not drawn yet" if sample is None else f"{len(sample.pairs)} of {sample.eligible:,} eligible"
    yield (
        f"Response pairs of the run `{plan.run}`, {drawn}; seed {plan.sample.seed}. Judges whose scores are compared: "
        f"{', '.join(f'`{name}`' for name in plan.sample.judges)}."
    )
    yield "\n".join(_strata(plan.sample))
    if sample is not None and sample.left_out:
        yield "Without a chance: " + "; ".join(f"{n:,} {reason}" for reason, n in sorted(sample.left_out.items())) + "."
    if plan.sample.exclude:
        yield f"Left out: the pairs of {', '.join(map(code, plan.sample.exclude))}."


def _strata(rule: SampleRule) -> Iterator[str]:
    yield "| stratum | block | pairs | drawn |\n|---|---|---|---|"
    for one in rule.strata:
        yield f"| {one.name} | {one.block or 'both'} | {one.pairs} | {_drawn(one)} |"


def _drawn(one: Stratum) -> str:
    even = f", even over {', '.join(one.over)}" if one.over and one.rule != "disagreement" else ""
    return DRAWN[one.rule] + even


def _held_out(plan: Plan, split: Split | None) -> Iterator[str]:
    rule = plan.split
    if rule is None:
        return
    yield "## Calibration and held-out pairs"
    sizes = f"{rule.calibration} for calibration, {rule.held_out or 'all others'} held out"
    done = "" if split is None else f" ({len(split.calibration)} and {len(split.held_out)} as split)"
    yield (
        f"{sizes}{done}; seed {rule.seed}, whole by {rule.together}. At most {rule.rounds} rounds of calibration, the "
        "rule of each written before its result. Labels of held-out pairs stay locked away until the judge prompt is "
        "frozen, and are then opened once; only they are analysed."
    )


def _labels(plan: Plan) -> Iterator[str]:
    raters, rules = plan.raters, plan.labels
    if raters is None:
        return
    yield "## Labels"
    who = f"named {', '.join(md(name) for name in raters.names)}" if raters.names else "whoever is invited"
    yield f"{raters.each_pair} annotators for each pair ({who}), from the project `{raters.project}`."
    yield "\n".join(f"- {line}" for line in _rules(rules, plan))


def _rules(rules: LabelRules, plan: Plan) -> Iterator[str]:
    yield "What is skipped or unsure is missing; it is never a score."
    if rules.missing == "listwise":
        yield "A unit counts only if every annotator gave it."
    else:
        yield "A unit counts for every couple of raters that both gave it."
    yield f"Labels of who withdraws are {'kept' if rules.withdrawn == 'keep' else 'removed'}."
    if rules.flags:
        yield f"Left out: items reported as {', '.join(md(name) for name in rules.flags)}."
    if rules.self_naming:
        yield "Left out: items whose responses name their own model."
    if rules.failed_checks is not None:
        yield f"Left out: annotators who fail more than {rules.failed_checks} instructed responses."
    if rules.least_seconds:
        yield f"Left out: items in sight for less than {rules.least_seconds:g} seconds."
    share = f"{plan.stopping.share:.0%}"
    yield f"Nothing is computed before {share} of the planned labels are there and the project is closed."


def _analysis(rules: AnalysisRules) -> Iterator[str]:
    yield "## How numbers are made"
    other = "percentile" if rules.interval == "jackknife" else "jackknife"
    weighed = "by one over the probability of their draw" if rules.sampling_weights else "alike"
    over = "a mean" if rules.pooling == "mean" else "pooled"
    calls = "each call of both orders" if rules.judge_score == "calls" else "the mean of both orders"
    lines = (
        f"Intervals: 95% {INTERVALS[rules.interval]}, the {INTERVALS[other]} interval beside it; clusters are "
        f"resampled by {rules.cluster}. {rules.resamples:,} resamples, seed {rules.seed}.",
        f"Kappa has {rules.weights} weights. Over annotators it is {over}. Of a judge {calls} is compared.",
        f"Pairs are weighed {weighed}.",
    )
    yield "\n".join(f"- {line}" for line in lines)


def _comparisons(plan: Plan, role: str) -> Iterator[str]:
    own = [one for one in plan.comparisons if one.role == role]
    if own:
        yield f"## {ROLE_TITLES[role]}"
        yield ROLE_NOTES[role]
        yield "\n".join(_comparison(plan, one) for one in own)


def _comparison(plan: Plan, one: Comparison) -> str:
    details = [f"statistic {code(one.statistic)}", f"judges {', '.join(one.judges or plan.judges)}"]
    details += [f"strata {', '.join(one.strata)}"] if one.strata else []
    details += [f"by {one.by}"] if one.by else []
    details += [f"condition {md(one.condition)}"] if one.condition else []
    details += [f"against {md(one.against)}"] if one.against else []
    details += [f"block {one.block}"] if one.block else []
    text = f"- **{md(one.title)}** ({'; '.join(details)})."
    if one.decision is None:
        return text
    rule = one.decision
    return f"{text} If {rule.rule} of `{one.measure}`: {md(rule.holds)} Otherwise: {md(rule.fails)}"


def _inputs(lock: Lock) -> Iterator[str]:
    yield "## What was fixed"
    lines = [f"plan file `{lock.source}`", f"rubric `{lock.rubric}`"]
    lines += [f"judge task of {md(name)} `{value}`" for name, value in sorted(lock.judge_prompts.items())]
    lines += [f"sample `{lock.sample}`"] if lock.sample else []
    lines += [f"split `{lock.split}`"] if lock.split else []
    lines += [f"run {one.name}, manifest `{one.manifest}`, {len(one.files)} files" for one in lock.inputs]
    lines += [f"code `{lock.code}`", f"lock before this one `{lock.previous or 'none'}`"]
    lines += [f"key of who opens held-out labels `{lock.holder}`"] if lock.holder else []
    yield "\n".join(f"- {line}" for line in lines)
