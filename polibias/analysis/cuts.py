"""Every table that cuts the scores another way, in the order of a report, and the words by which their cells select."""

from collections.abc import Iterator, Mapping, Sequence

from polibias.analysis.cases import Case
from polibias.analysis.conduct import Conducts, conduct_marks
from polibias.analysis.consistency import consistency_table, one_sided_behaviour_table
from polibias.analysis.dimension_relations import correlation_table, profile_table
from polibias.analysis.engaged import engaged_table
from polibias.analysis.favoured import ALONE, Beside, favoured_table
from polibias.analysis.findings import Table
from polibias.analysis.involvement import country_marks, involvement_table
from polibias.analysis.kinds import ModelKind, kind_marks, kinds_table
from polibias.analysis.main_results import heat_table, largest_gap_table
from polibias.analysis.neutrality import neutral_table
from polibias.analysis.pbi import Tables
from polibias.analysis.robustness import cuts_table, doubt_marks, two_ways_table
from polibias.domain.rubric import Rubric


def cut_tables(
    tables: Tables,
    cases: Sequence[Case],
    kinds: Mapping[str, ModelKind],
    scores: Table,
    dimensions: Table,
    by_topic: Table | None,
    scenarios: bool = True,
) -> Iterator[Table | None]:
    """None stands for a table that the study cannot have. Without `scenarios` the pairs are not about countries' acts:
    nothing is told of premises, of countries, and of what else only such pairs have.

    `cases` are those of `tables`, in its order; `scores`, `dimensions` and `by_topic` are its tables of mean scores.
    """
    yield largest_gap_table(tables, dimensions)
    yield heat_table(tables, by_topic)
    yield kinds_table(tables, scores, kinds)
    if not scenarios:
        return
    conducts = Conducts(tables, cases)
    yield engaged_table(tables, cases, conducts)
    yield one_sided_behaviour_table(tables, cases, conducts)
    yield consistency_table(tables, cases, conducts)
    yield two_ways_table(tables)
    yield cuts_table(tables, cases)
    yield correlation_table(tables, cases, conducts)
    yield profile_table(tables, cases, conducts)


def side_tables(tables: Tables, cases: Sequence[Case], at_side: Beside = ALONE) -> Iterator[Table | None]:
    """Which sides and countries scores are about, where pairs are about countries' acts.

    `at_side` is what stands beside the directions.
    """
    yield neutral_table(tables)
    yield favoured_table(tables, at_side)
    yield involvement_table(tables, cases)


def cut_marks(case: Case, rubric: Rubric, kinds: Mapping[str, ModelKind] = {}) -> Iterator[str]:
    """Everything that a cell of these tables may select a case by, as ``key=value`` words."""
    yield from conduct_marks(case, rubric)
    yield from doubt_marks(case)
    yield from country_marks(case)
    yield from kind_marks(case.model, kinds)
