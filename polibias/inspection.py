"""Everything that can be wrong with a data folder, told at once."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from polibias.domain.scenario import Condition
from polibias.errors import InputError
from polibias.lint.library import lint, summary
from polibias.lint.material import Material
from polibias.sources.files import no_such
from polibias.sources.law import read_counts, read_provisions
from polibias.sources.lexicon import lexicon_problems, names_by_country
from polibias.sources.library import Library
from polibias.sources.pairsets import pair_sets, read_pair_set
from polibias.sources.registry import read_prices
from polibias.sources.rubrics import problems_of


class Inspected(NamedTuple):
    """One line per mistake, naming file and line, and what is there, one line per kind."""

    problems: list[str]
    summary: list[str]


def inspect(folder: Path) -> Inspected:
    """Read and check everything under a data folder."""
    library = Library(folder)
    problems = list(library.problems)
    counts = read_counts(folder, problems)
    provisions = read_provisions(folder, problems)
    problems += lexicon_problems(folder)
    material = Material.of(library.placed, provisions, counts.numbers, counts.files, names_by_country(folder))
    problems += lint(material)
    problems += problems_of(folder)
    judged = {path.stem for path in (folder / "prompts" / "judge").glob("*.toml")}
    for placed in library.placed[Condition]:
        if placed.entry.judge_prompt not in judged:
            what = f"{placed.where}: condition '{placed.entry.id}'"
            problems.append(str(no_such("judge prompt", placed.entry.judge_prompt, judged, what)))
    for name in pair_sets(folder):
        _try(partial(read_pair_set, folder, name, str(folder)), problems)
    models = folder / "models"
    if models.is_dir():
        _try(partial(read_prices, folder), problems)
    kept = {"rubric": folder / "rubrics", "judge task": folder / "prompts" / "judge", "model": models}
    files = [f"{kind}: {n}" for kind, place in kept.items() if (n := len(list(place.glob("*.toml"))))]
    sets = [f"pair set: {len(pair_sets(folder))}"] if pair_sets(folder) else []
    return Inspected(list(dict.fromkeys(problems)), [*summary(material), *files, *sets])


def _try(read: Callable[[], object], problems: list[str]) -> None:
    try:
        read()
    except InputError as error:
        problems.append(str(error))
