"""All findings of a run, from its sealed records alone."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from polibias.analysis.asked import rubric_of, rubrics_of
from polibias.analysis.between_judges import between_judges_tables
from polibias.analysis.call_scores import Groups
from polibias.analysis.cases import Case
from polibias.analysis.cells import signed
from polibias.analysis.compared import Compared, Marks, compared
from polibias.analysis.cuts import cut_tables
from polibias.analysis.detected import detected_table
from polibias.analysis.findings import Cell, Findings, Table, TableRow
from polibias.analysis.frames import Collected, collect, tidy
from polibias.analysis.gathered import Gathered
from polibias.analysis.kinds import ModelKind, kinds_fact, known_kinds
from polibias.analysis.labels import one_sided_table, ratings_table
from polibias.analysis.main_results import with_ratio
from polibias.analysis.orders import directions_table, orders_table
from polibias.analysis.outcomes import copied_validity_table, masked_table, responses_table, validity_table
from polibias.analysis.pbi import Tables
from polibias.analysis.reading import read_study
from polibias.analysis.recovered import recovery_table, simulated_notes
from polibias.analysis.reidentified import reidentified_table
from polibias.analysis.reliability import reliability_tables
from polibias.analysis.replication import main_contrasts, replication_tables
from polibias.analysis.reread import SCORES, changes_in_words, copied_tables
from polibias.analysis.structured import graver_table, known_provisions, structure_table, table_fact
from polibias.analysis.use import use_facts, use_notes
from polibias.domain.rubric import Rubric
from polibias.domain.sides import SIDES
from polibias.domain.study import AnalysisSpec
from polibias.records.manifest import manifest_hash
from polibias.records.openings import opened_early, openings
from polibias.records.runs import Run
from polibias.stats.resampling import ALGORITHM

MANY = 0.05


class Analysed(NamedTuple):
    """The findings and the cases they came from.

    `rubrics` holds each condition's, as its judge task asks for it; `kinds` is what is known of the models; `marks` are
    words by which cells select a pair, beside those that every pair has.
    """

    findings: Findings
    cases: list[Case]
    rubrics: dict[str, Rubric]
    kinds: Mapping[str, ModelKind]
    marks: Marks


class _Read(NamedTuple):
    """A run as its tables are made from it; `found` are the cases that are no copies, `own` their rubrics."""

    about: dict[str, Any]
    rubrics: dict[str, Rubric]
    spec: AnalysisSpec
    collected: Collected
    found: list[Case]
    own: dict[str, Rubric]
    tables: Tables
    kinds: Mapping[str, ModelKind]
    provisions: Mapping[str, frozenset[str]]
    beside: Compared

    @property
    def conditions(self) -> dict[str, str]:
        titles: dict[str, str] = self.about["study"]["conditions"]
        return titles


def analyse(run: Run) -> Analysed:
    """Compute every table. The run must be sealed and whole: findings name the manifest they rest on."""
    read = _read(run)
    findings = _findings(run, read, tuple(_computed(read)))
    return Analysed(findings, read.collected.cases, read.rubrics, read.kinds, read.beside.marks)


def _read(run: Run) -> _Read:
    about, provisions = read_study(run), known_provisions()
    collected = collect(run, about, provisions)
    rubrics = rubrics_of(about)
    spec = msgspec.convert(about["analysis"], type=AnalysisSpec)
    found = [case for case in collected.cases if case.original is None]
    own = _of_originals(collected.cases, rubrics)
    beside = compared(run, about, Gathered(collected.cases, about["study"]["conditions"], rubrics), spec)
    tables, kinds = Tables(tidy(found, own), own, spec), known_kinds(about["models"])
    return _Read(about, rubrics, spec, collected, found, own, tables, kinds, provisions, beside)


def _computed(read: _Read) -> Iterator[Table]:
    """Every table that has something to say, those on copies last; links of the others leave copies out."""
    models, judges = ([entry["name"] for entry in read.about[role]] for role in ("models", "judges"))
    yielded = (
        *_scores(read),
        *_behaviour(read.tables, read.found, models, judges),
        *_reliability(Groups(read.tables, read.found)),
        *read.beside.tables,
    )
    computed = [one for one in yielded if one is not None]
    recovery = recovery_table(computed, read.about)
    computed += [recovery] if recovery is not None else []
    copies = len(read.found) < len(read.collected.cases)
    yield from map(of_originals, computed) if copies else computed
    if copies:
        found = _copied(read.collected.cases, read.conditions, read.rubrics, read.spec, judges[0])
        yield from (one for one in found if one is not None)


def _findings(run: Run, read: _Read, computed: tuple[Table, ...]) -> Findings:
    about, tables = read.about, read.tables
    return Findings(
        study=about["study"]["id"],
        title=about["study"]["title"],
        index=tables.rubric.report.index,
        about=_about(read.conditions, read.own, both=len(tables.columns) > 1),
        caution=tables.rubric.report.caution,
        manifest=manifest_hash(run.folder),
        facts={
            **_facts(about, rubric_of(about), read.spec, read.collected),
            "Table of provisions": table_fact(read.provisions),
            "Models known": kinds_fact(read.kinds),
        },
        models=tuple(_who(about, "models")),
        judges=tuple(_who(about, "judges")),
        tables=computed,
        notes=(*simulated_notes(about), *_notes(about, read.found), *_more_notes(run, read)),
        summary=(
            *(in_words(row, read.conditions) for row in computed[0].rows),
            *(sentence for table in computed if table.id == SCORES for sentence in changes_in_words(table)),
            *read.beside.sentences,
        ),
        titles=_titles(about, read.rubrics, read.found if len(read.own) < len(read.rubrics) else []),
        scales={
            "pbi": (tables.rubric.lowest_total, tables.rubric.highest_total),
            "dimensions": (tables.rubric.lowest, tables.rubric.highest),
        },
    )


def _more_notes(run: Run, read: _Read) -> Iterator[str]:
    yield from use_notes(read.about, read.collected.uses)
    yield from read.beside.notes
    yield from _opened(run)


def _of_originals(cases: list[Case], rubrics: dict[str, Rubric]) -> dict[str, Rubric]:
    """The rubrics of the conditions that are no copies."""
    copied = {case.pair.design.condition for case in cases if case.original is not None}
    return {name: rubric for name, rubric in rubrics.items() if name not in copied}


def of_originals(table: Table) -> Table:
    """The table with links that leave the copies out."""
    replace = msgspec.structs.replace

    def narrowed(one: Cell) -> Cell:
        return replace(one, where=one.where | {"copy": "original"}) if one.where else one

    rows = (replace(row, cells={name: narrowed(one) for name, one in row.cells.items()}) for row in table.rows)
    return replace(table, rows=tuple(rows))


def _copied(
    cases: list[Case], titles: dict[str, str], rubrics: dict[str, Rubric], spec: AnalysisSpec, judge: str
) -> Iterator[Table | None]:
    """What the copies of the pairs show."""
    yield from copied_tables(cases, titles, rubrics, spec)
    yield masked_table(cases, titles, judge)
    yield copied_validity_table(cases, titles)
    yield reidentified_table(cases, titles)


def _scores(read: _Read) -> Iterator[Table | None]:
    """Mean scores, whole, by factor and cut in other ways, and the direction."""
    tables = read.tables
    topic = tables.rubric.report.topic
    scores, dimensions = with_ratio(tables, tables.main_table()), tables.dimension_table()
    by_topic = tables.factor_table("topic", f"By {topic.lower()}")
    yield scores
    yield dimensions
    yield tables.factor_table("category", "By category")
    yield tables.factor_table("task", "By task")
    yield by_topic
    yield directions_table(tables, topic)
    own = not read.about["pair_set"]
    yield from cut_tables(tables, read.found, read.kinds, scores, dimensions, by_topic, own)


def _reliability(groups: Groups) -> Iterator[Table]:
    """How far judges agree with themselves and with each other, and what that means for every contrast."""
    yield from reliability_tables(groups)
    yield from between_judges_tables(groups)
    yield from replication_tables(main_contrasts(groups), groups.judges, groups.tables.unit)


def _behaviour(tables: Tables, found: list[Case], models: list[str], judges: list[str]) -> Iterator[Table | None]:
    """What responses do, and how calls ended."""
    yield one_sided_table(tables)
    yield detected_table(tables, found)
    yield structure_table(tables, found)
    yield graver_table(tables, found)
    yield ratings_table(tables)
    yield validity_table(found, models, judges)
    yield orders_table(found, models, judges)
    yield responses_table(found, models, judges[0])


def _titles(about: dict[str, Any], rubrics: dict[str, Rubric], found: list[Case]) -> dict[str, str]:
    """What tables call the values of a key, and keys themselves."""
    candidates: dict[str, str] = about["reidentify"]["candidates"] if about["reidentify"] else {}
    pairs = [case.pair for case in found if case.pair.design.roles == "swapped"]
    countries = {pair.parties[side]: pair.acting[side].removeprefix("the ") for pair in pairs for side in SIDES}
    categories = sorted({case.pair.design.topic_category for case in found})
    dimensions = [dimension for rubric in rubrics.values() for dimension in rubric.dimensions]
    return {
        **{f"dimension:{dimension.id}": dimension.title for dimension in dimensions},
        **{f"condition:{name}": title for name, title in about["study"]["conditions"].items()},
        **{f"country:{id}": name for id, name in sorted((candidates | countries).items())},
        **{f"pair category:{name}": name.replace("_", " ") for name in categories},
        "key:topic": next(iter(rubrics.values())).report.topic,
    }


def _about(titles: dict[str, str], rubrics: dict[str, Rubric], both: bool) -> dict[str, str]:
    """What was asked, by the titles of the conditions that it was asked in; alike conditions share a text."""
    found: dict[str, list[str]] = {}
    for name, rubric in rubrics.items():
        words = rubric.report
        text = f"{words.about} {words.reading}" if both and words.reading else words.about
        found.setdefault(text, []).append(titles[name])
    return {"; ".join(names): text for text, names in found.items()}


def _who(about: dict[str, Any], role: str) -> Iterator[dict[str, str]]:
    """Name, provider, revision and settings of each model of a role."""
    for entry, provider, settings in zip(about[role], about["providers"][role], about["settings"][role], strict=True):
        said = ", ".join(f"{name} {value}" for name, value in settings.items())
        named = {name: entry[name] for name in ("name", "adapter", "revision")}
        yield {**named, "provider": provider, "settings": said}


def _facts(about: dict[str, Any], rubric: Rubric, spec: AnalysisSpec, collected: Collected) -> dict[str, str]:
    found, first, last = collected.cases, _readable(collected.first), _readable(collected.last)
    designs = {case.pair.design for case in found}
    conditions = about["study"]["conditions"]
    copies = Counter({case.pair_id: case.pair.design.condition for case in found if case.original}.values())
    return {
        "Study": about["study"]["id"],
        "Asked and judged": f"{first} to {last}, UTC",
        "Pairs per model": str(len({case.pair_id for case in found}) - copies.total()),
        **({"Copies of pairs per model": _counted(copies, conditions)} if copies else {}),
        "Templates": str(len({design.template for design in designs})),
        f"{rubric.report.topic}s": str(len({design.topic for design in designs})),
        "Conditions": "; ".join(title for name, title in conditions.items() if name not in copies),
        **{f"Pair set: {name}": value for name, value in about["pair_set"].items()},
        "Rubric": rubric.id,
        "Judge task": ", ".join(dict.fromkeys(task["id"] for task in about["judge_prompts"].values())),
        "Bootstrap": f"{spec.resamples} resamples, seed {spec.seed}, {ALGORITHM}",
        **use_facts(about, collected.uses),
        "Software": f"polibias {about['software']['polibias']}",
    }


def _counted(copies: Counter[str], titles: Mapping[str, str]) -> str:
    return "; ".join(f"{titles[name]}: {number}" for name, number in copies.items())


def _readable(time: str) -> str:
    return time[:19].replace("T", " ") or "never"


def _notes(about: dict[str, Any], found: list[Case]) -> Iterator[str]:
    """What a reader must know before any number."""
    ended = [response.outcome for case in found for response in case.responses.values()]
    cut = ended.count("truncated") / len(ended) if ended else 0.0
    if cut >= MANY:
        yield f"{cut:.0%} of the responses reached the token cap and end in mid-sentence; they were judged as they are."
    yield from _loop_notes(about, found)
    adapters = {entry["adapter"] for role in ("models", "judges") for entry in about[role]}
    if "scripted" in adapters:
        yield "This run used the scripted fake in place of a model. Its numbers are evidence about nothing."
    if any("SmolLM2-135M" in provider for found in about["providers"].values() for provider in found):
        yield (
            "This run used a model with 135 million parameters. It shows that the machinery works; "
            "its answers and its judgments are no evidence about anything else, least of all about larger models."
        )
    models, judges = (
        {(entry["adapter"], entry["revision"]) for entry in about[role] if entry["revision"] != "unpinned"}
        for role in ("models", "judges")
    )
    if models & judges and "scripted" not in adapters:
        yield "A judge of this run is also an evaluated model: it scored its own responses."


def _opened(run: Run) -> Iterator[str]:
    """Who looked at human annotations before they were complete."""
    for project, known in openings(run.annotations_folder).items():
        if known:
            yield opened_early(project, known)


def _loop_notes(about: dict[str, Any], found: list[Case]) -> Iterator[str]:
    """How many pairs do not rest on the declared decoding."""
    by_pair = {(case.model, case.pair_id): case.responses.values() for case in found}
    again = sum(any(response.fallback for response in responses) for responses in by_pair.values())
    lost = sum(any(response.outcome == "loop" for response in responses) for responses in by_pair.values())
    if again:
        heat = about["loops"]["temperature"]
        yield (
            f"{again / len(by_pair):.1%} of the pairs ({again}) were answered again, both sides, at temperature "
            f"{heat:g} because a response looped."
        )
    if lost:
        yield f"{lost} pairs loop in every attempt and have no score."


def in_words(row: TableRow, conditions: Mapping[str, str] = {}) -> str:
    """The main comparison as a sentence, with what it does and does not show; one block alone is only described.

    `conditions` holds their titles.
    """
    who = f"{row.keys['model']}, judged by {row.keys['judge']}"
    if "condition" in row.keys:
        who += f", {conditions.get(row.keys['condition'], row.keys['condition'])}"
    if "difference" not in row.cells:
        return f"{who}: {_alone(next(iter(row.cells.values())))}."
    main, control, difference = (row.cells[name] for name in ("main", "control", "difference"))
    if main.value is None or control.value is None or difference.value is None:
        missing = difference.reason or main.reason or control.reason
        return f"{who}: Main and Controls cannot be compared ({missing})."
    values = f"Main {main.value:.2f} (n = {main.n}), Controls {control.value:.2f} (n = {control.n})"
    if difference.low is None or difference.high is None:
        return f"{who}: {values}, difference {signed(difference.value)}. Nothing follows from it: {difference.reason}."
    bounds = f"95% interval {signed(difference.low)} to {signed(difference.high)}"
    if difference.low <= 0 <= difference.high:
        found = f"no difference was shown{_detectable(difference)}"
        return f"{who}: {values}, difference {signed(difference.value)}, {bounds}: {found}."
    where = "Main" if difference.value > 0 else "Control"
    return f"{who}: {values}, difference {signed(difference.value)}, {bounds}: {where} pairs were treated less evenly."


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
