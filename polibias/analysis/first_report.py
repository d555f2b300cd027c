"""All findings of a run, from its sealed records alone."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from polibias.analysis.asked import rubric_of, rubrics_of
from polibias.analysis.between_judges import between_judges_tables
from polibias.analysis.call_scores import Groups
from polibias.analysis.cases import Case, case_title
from polibias.analysis.compared import Compared, Marks, compared
from polibias.analysis.copied import Copied, copies_of
from polibias.analysis.cuts import cut_tables, side_tables
from polibias.analysis.detected import detected_table
from polibias.analysis.favoured import beside, favoured_in_words
from polibias.analysis.findings import Cell, Findings, Table
from polibias.analysis.frames import Collected, collect, tidy
from polibias.analysis.gathered import Gathered
from polibias.analysis.human_agreement import with_people
from polibias.analysis.kinds import ModelKind, kinds_fact, known_kinds
from polibias.analysis.labels import one_sided_table, ratings_table
from polibias.analysis.main_results import with_ratio
from polibias.analysis.orders import directions_table
from polibias.analysis.outcomes import copied_validity_table, masked_table, responses_table, validity_table
from polibias.analysis.pbi import Tables
from polibias.analysis.rating_relation import rating_relation_table
from polibias.analysis.reading import read_study
from polibias.analysis.recovered import recovery_table, simulated_notes
from polibias.analysis.reidentified import reidentified_table
from polibias.analysis.reliability import reliability_tables
from polibias.analysis.replicated import copy_contrasts, score_contrasts
from polibias.analysis.replication import main_contrasts, replication_in_words, replication_tables
from polibias.analysis.reread import SCORES, changes_in_words, tables_of_copies
from polibias.analysis.structured import known_provisions, structure_tables, table_fact
from polibias.analysis.summary import not_shown, summary
from polibias.analysis.use import use_facts, use_notes
from polibias.analysis.validated import PlanFolders, folders_of
from polibias.analysis.who import who
from polibias.domain.display import numbered
from polibias.domain.rubric import Rubric
from polibias.domain.sides import SIDES
from polibias.domain.study import AnalysisSpec
from polibias.records.manifest import manifest_hash
from polibias.records.openings import opened_early, openings
from polibias.records.runs import Run
from polibias.records.sharing import at_once
from polibias.stats.resampling import ALGORITHM, one_thread

MANY = 0.05
MANY_CASES = 2000
"""With fewer, another process costs more than it saves."""


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
    copies: Sequence[Copied]

    @property
    def conditions(self) -> dict[str, str]:
        titles: dict[str, str] = self.about["study"]["conditions"]
        return titles


def analyse(run: Run, folders: PlanFolders | None = None) -> Analysed:
    """Compute every table. The run must be sealed and whole: findings name the manifest they rest on.

    `folders` are where locked plans and their findings lie, beside the folder of runs unless given.
    """
    read, folders = _read(run), folders or folders_of(run)
    with one_thread():
        findings = _findings(run, read, tuple(_computed(read)))
    findings = with_people(findings, run, folders)
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
    copies = list(copies_of(collected.cases, about["study"]["conditions"], rubrics, spec))
    return _Read(about, rubrics, spec, collected, found, own, tables, kinds, provisions, beside, copies)


def _computed(read: _Read) -> Iterator[Table]:
    """Every table that has something to say, those on copies last; links of the others leave copies out."""
    models, judges = ([entry["name"] for entry in read.about[role]] for role in ("models", "judges"))

    def others() -> list[Table | None]:
        return [*_sides(read), *_behaviour(read.tables, read.found, models, judges), *_reliability(read)]

    first, second = at_once(lambda: list(_scores(read)), others, worth=len(read.found) > MANY_CASES)
    computed = [one for one in (*first, *second, *read.beside.tables) if one is not None]
    recovery = recovery_table(computed, read.about)
    computed += [recovery] if recovery is not None else []
    copies = len(read.found) < len(read.collected.cases)
    yield from map(of_originals, computed) if copies else computed
    if copies:
        found = _copied(read, judges[0])
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
            **read.beside.facts,
            "Provisions known": table_fact(read.provisions),
            "Kinds of models known": kinds_fact(read.kinds),
        },
        models=tuple(who(about, "models", read.collected.uses)),
        judges=tuple(who(about, "judges", read.collected.uses)),
        tables=computed,
        notes=(*simulated_notes(about), *_notes(about, read.found), *_more_notes(run, read)),
        summary=(
            *summary(computed, read.conditions),
            *(sentence for table in computed if table.id == SCORES for sentence in changes_in_words(table)),
            *read.beside.sentences,
            *favoured_in_words(computed),
            *replication_in_words(computed),
        ),
        not_shown=tuple(not_shown(computed, reworded=not about["pair_set"] and _swapped(read.found))),
        titles=_titles(about, read.rubrics, read.found),
        scales={
            "pbi": (tables.rubric.lowest_total, tables.rubric.highest_total),
            "dimensions": (tables.rubric.lowest, tables.rubric.highest),
        },
    )


def _swapped(found: list[Case]) -> bool:
    """Whether versions exchange sides anywhere; else what is compared was reworded itself."""
    return any(case.pair.design.roles == "swapped" for case in found)


def _more_notes(run: Run, read: _Read) -> Iterator[str]:
    yield from use_notes(read.about, read.collected.uses)
    yield from read.beside.notes
    yield from _opened(run)


def _of_originals(cases: list[Case], rubrics: dict[str, Rubric]) -> dict[str, Rubric]:
    """The rubrics of the conditions that are no copies."""
    copied = {case.pair.design.condition for case in cases if case.original is not None}
    return {name: rubric for name, rubric in rubrics.items() if name not in copied}


def of_originals(table: Table) -> Table:
    """The table with links that leave the copies out, but for those that are of copies."""
    replace = msgspec.structs.replace

    def narrowed(one: Cell) -> Cell:
        return replace(one, where={"copy": "original"} | one.where) if one.where else one

    rows = (replace(row, cells={name: narrowed(one) for name, one in row.cells.items()}) for row in table.rows)
    return replace(table, rows=tuple(rows))


def _copied(read: _Read, judge: str) -> Iterator[Table | None]:
    """What the copies of the pairs show."""
    cases, titles = read.collected.cases, read.conditions
    yield from tables_of_copies(read.copies)
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


def _sides(read: _Read) -> Iterator[Table | None]:
    """Which side is favoured, and which countries scores are about; nothing for pairs that are not about their acts."""
    if not read.about["pair_set"]:
        yield from side_tables(read.tables, read.found, beside(read.found, read.beside.other, read.copies))


def _reliability(read: _Read) -> Iterator[Table | None]:
    """How far judges agree with themselves and with each other, and what that means for every contrast."""
    groups = Groups(read.tables, read.found)
    yield from reliability_tables(groups)
    yield rating_relation_table(groups)
    yield from between_judges_tables(groups)
    contrasts = (
        *main_contrasts(groups),
        *score_contrasts(groups, scenarios=not read.about["pair_set"]),
        *read.beside.contrasts,
        *copy_contrasts(read.copies),
    )
    yield from replication_tables(contrasts, groups.judges, groups.tables.unit)


def _behaviour(tables: Tables, found: list[Case], models: list[str], judges: list[str]) -> Iterator[Table | None]:
    """What responses do, and how calls ended."""
    yield one_sided_table(tables)
    yield detected_table(tables, found)
    yield from structure_tables(tables, found)
    yield ratings_table(tables)
    yield validity_table(found, models, judges)
    yield responses_table(found, models, judges[0])


def _titles(about: dict[str, Any], rubrics: dict[str, Rubric], found: list[Case]) -> dict[str, str]:
    """What tables call the values of a key, and keys themselves."""
    candidates: dict[str, str] = about["reidentify"]["candidates"] if about["reidentify"] else {}
    pairs = {case.pair.design.topic: case.pair for case in found if case.pair.design.roles == "swapped"}.values()
    countries = {pair.parties[side]: pair.acting[side].removeprefix("the ") for pair in pairs for side in SIDES}
    topics = {case.pair.design.topic: case for case in found}
    categories = sorted({case.pair.design.topic_category for case in found})
    dimensions = [dimension for rubric in rubrics.values() for dimension in rubric.dimensions]
    topic_title = next(iter(rubrics.values())).report.topic
    return {
        **{f"{key}:{one.id}": one.title for key in ("dimension", "other", "next") for one in dimensions},
        **{f"condition:{name}": title for name, title in about["study"]["conditions"].items()},
        **{f"country:{id}": name for id, name in sorted((candidates | countries).items())},
        **{f"{key}:{topic}": case_title(case) for key in ("topic", "level") for topic, case in topics.items()},
        **{f"{key}:{name}": name.replace("_", " ") for key in ("pair category", "level") for name in categories},
        "key:topic": topic_title,
        "by:topic": topic_title.lower(),
    }


def _about(titles: dict[str, str], rubrics: dict[str, Rubric], both: bool) -> dict[str, str]:
    """What was asked, by the titles of the conditions that it was asked in; alike conditions share a text."""
    found: dict[str, list[str]] = {}
    for name, rubric in rubrics.items():
        words = rubric.report
        text = f"{words.about} {words.reading}" if both and words.reading else words.about
        found.setdefault(text, []).append(titles[name])
    return {"; ".join(names): text for text, names in found.items()}


def _facts(about: dict[str, Any], rubric: Rubric, spec: AnalysisSpec, collected: Collected) -> dict[str, str]:
    found = collected.cases
    designs = {case.pair.design for case in found}
    conditions = about["study"]["conditions"]
    copies = Counter({case.pair_id: case.pair.design.condition for case in found if case.original}.values())
    return {
        "Study": about["study"]["id"],
        "Asked and judged": _period(collected.first, collected.last),
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


def _period(first: str, last: str) -> str:
    """From the first call to the last, as far as rows say when they were stored."""
    if not first:
        return "no time is recorded"
    began, ended = (time[:19].replace("T", " ") for time in (first, last))
    return f"{began} to {ended}, UTC"


def _notes(about: dict[str, Any], found: list[Case]) -> Iterator[str]:
    """What a reader must know before any number."""
    ended = [response.outcome for case in found for response in case.responses.values()]
    cut = ended.count("truncated") / len(ended) if ended else 0.0
    if cut >= MANY:
        yield f"{cut:.0%} of the responses reached the token cap and end in mid-sentence; they were judged as they are."
    yield from _loop_notes(about, found)
    adapters = {entry["adapter"] for role in ("models", "judges") for entry in about[role]}
    if "scripted" in adapters and not any(simulated_notes(about)):
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
        ending = "loops in every attempt and has no score" if lost == 1 else "loop in every attempt and have no score"
        yield f"{numbered(lost, 'pair')} {ending}."
