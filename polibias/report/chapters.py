"""In which order a report tells its tables, under which headings, and which chart belongs to which table."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from polibias.analysis.findings import Table
from polibias.report.drawing import Chart


class Chapter(NamedTuple):
    """A heading, one sentence on what it answers, and its tables by id."""

    id: str
    title: str
    lead: str
    tables: tuple[str, ...]


TRUSTED = "reliability"
"""The chapter that begins with what plans found of agreement with people."""
CHAPTERS = (
    Chapter(
        "results",
        "Main results",
        "How large is the index, beyond what control pairs show, and where?",
        (
            *("pbi", "recovery", "dimensions", "largest_gap", "by_task", "by_category", "heat", "by_topic"),
            "model_kinds",
        ),
    ),
    Chapter(
        "conditions",
        "Baselines and conditions",
        "What changes when prompts, texts or users change and the items stay the same?",
        (
            *("null", "null_dimensions", "ablations", "copied_scores", "copied_agreement", "copied_sides"),
            *("masked", "copied_validity", "reidentified"),
            *("sycophancy", "sycophancy_outcomes", "sycophancy_change", "sycophancy_texts", "sycophancy_rates"),
        ),
    ),
    Chapter(
        "robustness",
        "Robustness",
        "Does the result hold without pairs in doubt, with other clusters, and without a judge?",
        ("engaged", "two_ways", "cuts", "structure", "correlations", "one_sided_profile"),
    ),
    Chapter(
        "conduct",
        "Refusals, premises and other behaviour",
        "What do the responses do, by rules and by the judge?",
        ("one_sided_behaviour", "consistency", "one_sided", "ratings", "detected", "responses"),
    ),
    Chapter(
        "direction",
        "Direction",
        "Which side is favoured where one is? Counts that describe, without tests.",
        ("directions", "favoured", "neutral", "graver", "involvement"),
    ),
    Chapter(
        TRUSTED,
        "Can the judge be trusted?",
        "Does a judge agree with itself, with another judge, and with the texts that it quotes?",
        (
            *("people", "people_shares", "people_counts"),
            *(
                "validity",
                "order_effects",
                "order_sides",
                "quotes",
                "length",
                "rating_relation",
                "between_judges",
                "between_models",
            ),
            *("replication", "replication_totals"),
        ),
    ),
)
OTHER = Chapter("other", "More", "", ())
DRAWN_FROM = {
    "difference": ("pbi",),
    "scores": ("pbi",),
    "profile": ("dimensions",),
    "heat": ("heat", "by_topic"),
    "orders": ("order_effects",),
    "judges": ("between_judges",),
}
"""The tables that a chart may stand at, by the first part of its id; a chart without an entry has its table's id."""


class Told(NamedTuple):
    """A table with the charts that stand above it."""

    table: Table
    charts: tuple[Chart, ...]


def chaptered(tables: Sequence[Table], charts: Sequence[Chart]) -> Iterator[tuple[Chapter, list[Told]]]:
    """Every table with its charts, by chapter. Chapters without a table are left out; nothing else ever is."""
    known = {id for chapter in CHAPTERS for id in chapter.tables}
    rest = OTHER._replace(tables=tuple(table.id for table in tables if table.id not in known))
    drawn = _by_table(tables, charts)
    by_id = {table.id: table for table in tables}
    for chapter in (*CHAPTERS, rest):
        own = [Told(by_id[id], tuple(drawn.get(id, ()))) for id in chapter.tables if id in by_id]
        if own:
            yield chapter, own


def _by_table(tables: Sequence[Table], charts: Sequence[Chart]) -> dict[str, list[Chart]]:
    """The charts of each table; a chart whose table is not there stands at the first table."""
    there = {table.id for table in tables}
    found: dict[str, list[Chart]] = {}
    for chart in charts:
        head = chart.id.split("_")[0]
        place = next((id for id in DRAWN_FROM.get(head, (head,)) if id in there), tables[0].id)
        found.setdefault(place, []).append(chart)
    return found
