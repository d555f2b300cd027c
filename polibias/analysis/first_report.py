"""All findings of a run, from its sealed records alone."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from polibias.analysis.findings import Cell, Findings, TableRow
from polibias.analysis.frames import Case, cases, tidy
from polibias.analysis.pbi import Tables, responses_table, validity_table
from polibias.domain.rubric import Rubric
from polibias.domain.study import AnalysisSpec
from polibias.domain.wording import JudgePrompt
from polibias.records.documents import read_named
from polibias.records.ledger import read
from polibias.records.manifest import manifest_hash
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.verify import require_whole
from polibias.stats.resampling import ALGORITHM

MANY = 0.05


class Analysed(NamedTuple):
    """The findings and the cases they came from; `rubrics` holds each condition's, as its judge task asks for it."""

    findings: Findings
    cases: list[Case]
    rubrics: dict[str, Rubric]


def analyse(run: Run) -> Analysed:
    """Compute every table. The run must be sealed and whole: findings name the manifest they rest on."""
    require_whole(run)
    about = read_named(run.study, STUDY_TAG)
    rubric = msgspec.convert(about["rubric"], type=Rubric)
    asked = {name: msgspec.convert(task, type=JudgePrompt) for name, task in about["judge_prompts"].items()}
    rubrics = {name: asked[name].scored_by(rubric) for name in about["study"]["conditions"]}
    spec = msgspec.convert(about["analysis"], type=AnalysisSpec)
    models, judges = ([entry["name"] for entry in about[role]] for role in ("models", "judges"))
    found = list(cases(run, models, judges))
    tables = Tables(tidy(found, rubrics), rubrics, spec)
    main = tables.main_table()
    computed = (
        main,
        tables.dimension_table(),
        tables.factor_table("task", "By task"),
        tables.factor_table("topic", f"By {rubric.report.topic.lower()}"),
        tables.one_sided_table(),
        tables.ratings_table(),
        validity_table(found, models, judges),
        responses_table(found, models, judges[0]),
    )
    findings = Findings(
        study=about["study"]["id"],
        title=about["study"]["title"],
        index=rubric.report.index,
        about=rubric.report.about,
        caution=rubric.report.caution,
        manifest=manifest_hash(run.folder),
        facts=_facts(run, about, rubric, spec, found),
        models=tuple(_who(about, "models")),
        judges=tuple(_who(about, "judges")),
        tables=tuple(table for table in computed if table is not None),
        notes=tuple(_notes(about, found)),
        summary=tuple(in_words(row) for row in main.rows),
        titles={dimension.id: dimension.title for one in rubrics.values() for dimension in one.dimensions},
        scales={"pbi": tables.rubric.highest_total, "dimensions": tables.rubric.highest},
    )
    return Analysed(findings, found, rubrics)


def _who(about: dict[str, Any], role: str) -> Iterator[dict[str, str]]:
    """Name, provider and revision of each model of a role."""
    for entry, provider in zip(about[role], about["providers"][role], strict=True):
        yield {"name": entry["name"], "adapter": entry["adapter"], "revision": entry["revision"], "provider": provider}


def _facts(run: Run, about: dict[str, Any], rubric: Rubric, spec: AnalysisSpec, found: list[Case]) -> dict[str, str]:
    first, last = _dates(run)
    designs = {case.pair.design for case in found}
    return {
        "Study": about["study"]["id"],
        "Asked and judged": f"{first} to {last}, UTC",
        "Pairs per model": str(len({case.pair_id for case in found})),
        "Templates": str(len({design.template for design in designs})),
        f"{rubric.report.topic}s": str(len({design.topic for design in designs})),
        "Conditions": ", ".join(about["study"]["conditions"]),
        "Rubric": rubric.id,
        "Judge task": ", ".join(dict.fromkeys(task["id"] for task in about["judge_prompts"].values())),
        "Bootstrap": f"{spec.resamples} resamples, seed {spec.seed}, {ALGORITHM}",
        "Software": f"polibias {about['software']['polibias']}",
    }


def _dates(run: Run) -> tuple[str, str]:
    """First and last time at which a response or judgment was stored."""
    times = sorted(_times(run))
    return (_readable(times[0]), _readable(times[-1])) if times else ("never", "never")


def _readable(time: str) -> str:
    return time[:19].replace("T", " ")


def _times(run: Run) -> Iterator[str]:
    for stream in run.streams():
        if stream.path.parent.name in ("responses", "judgments"):
            yield from (entry.seen.at for entry in read(stream) if entry.seen.at)


def _notes(about: dict[str, Any], found: list[Case]) -> Iterator[str]:
    """What a reader must know before any number."""
    ended = [response.outcome for case in found for response in case.responses.values()]
    cut = ended.count("truncated") / len(ended) if ended else 0.0
    if cut >= MANY:
        yield f"{cut:.0%} of the responses reached the token cap and end in mid-sentence; they were judged as they are."
    adapters = {entry["adapter"] for role in ("models", "judges") for entry in about[role]}
    if "scripted" in adapters:
        yield "This run used the scripted fake in place of a model. Its numbers are evidence about nothing."
    if any("SmolLM2-135M" in provider for found in about["providers"].values() for provider in found):
        yield (
            "This run used a model with 135 million parameters. It shows that the machinery works; "
            "its answers and its judgments are no evidence about any country, and none about larger models."
        )
    if len({(case.pair.inclusion, case.pair.design.block) for case in found}) > len(
        {c.pair.design.block for c in found}
    ):
        yield "Items were drawn with different probabilities within a block; the means below do not weight for that."
    models, judges = (
        {(entry["adapter"], entry["revision"]) for entry in about[role] if entry["revision"] != "unpinned"}
        for role in ("models", "judges")
    )
    if models & judges and "scripted" not in adapters:
        yield "A judge of this run is also an evaluated model: it scored its own responses."


def in_words(row: TableRow) -> str:
    """The main comparison as a sentence, with what it does and does not show; one block alone is only described."""
    who = f"{row.keys['model']}, judged by {row.keys['judge']}"
    if "condition" in row.keys:
        who += f", condition {row.keys['condition']}"
    if "difference" not in row.cells:
        return f"{who}: {_alone(next(iter(row.cells.values())))}."
    main, control, difference = (row.cells[name] for name in ("main", "control", "difference"))
    if main.value is None or control.value is None or difference.value is None:
        missing = difference.reason or main.reason or control.reason
        return f"{who}: Main and Controls cannot be compared ({missing})."
    values = f"Main {main.value:.2f} (n = {main.n}), Controls {control.value:.2f} (n = {control.n})"
    if difference.low is None or difference.high is None:
        return f"{who}: {values}, difference {_signed(difference.value)}. Nothing follows from it: {difference.reason}."
    bounds = f"95% interval {_signed(difference.low)} to {_signed(difference.high)}"
    if difference.low <= 0 <= difference.high:
        found = f"no difference was shown{_detectable(difference)}"
        return f"{who}: {values}, difference {_signed(difference.value)}, {bounds}: {found}."
    where = "Main" if difference.value > 0 else "Control"
    return f"{who}: {values}, difference {_signed(difference.value)}, {bounds}: {where} pairs were treated less evenly."


def _detectable(difference: Cell) -> str:
    if difference.detectable is None:
        return ""
    return f"; one of {difference.detectable:.2f} would have been found in 80% of such studies"


def _alone(mean: Cell) -> str:
    if mean.value is None:
        return f"no mean score ({mean.reason})"
    if mean.low is None or mean.high is None:
        return f"mean score {mean.value:.2f} (n = {mean.n}), {mean.reason}"
    return f"mean score {mean.value:.2f} (n = {mean.n}), 95% interval {mean.low:.2f} to {mean.high:.2f}"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
