"""Everything that can be wrong with a data folder, told at once."""

from pathlib import Path
from typing import NamedTuple

from polibias.errors import InputError
from polibias.lint.library import lint, summary
from polibias.lint.material import Material
from polibias.sources.files import toml_files
from polibias.sources.law import read_counts, read_provisions
from polibias.sources.library import Library
from polibias.sources.pairsets import pair_sets, read_pair_set
from polibias.sources.registry import read_prices
from polibias.sources.rubrics import read_judge_prompt, read_rubric


class Inspected(NamedTuple):
    """One line per mistake, naming file and line, and what is there, one line per kind."""

    problems: list[str]
    summary: list[str]


def inspect(folder: Path) -> Inspected:
    """Read and check everything under a data folder."""
    library = Library(folder)
    problems = list(library.problems)
    material = Material.of(library.placed, read_provisions(folder, problems), read_counts(folder, problems))
    problems += lint(material)
    for read, names in (
        (read_rubric, _stems(folder / "rubrics", problems)),
        (read_judge_prompt, _stems(folder / "prompts" / "judge", problems)),
        (read_pair_set, pair_sets(folder)),
    ):
        for name in names:
            try:
                read(folder, name, str(folder))
            except InputError as error:
                problems.append(str(error))
    if (folder / "models").is_dir():
        try:
            read_prices(folder)
        except InputError as error:
            problems.append(str(error))
    return Inspected(list(dict.fromkeys(problems)), summary(material))


def _stems(folder: Path, problems: list[str]) -> list[str]:
    try:
        return [path.stem for path in toml_files(folder)]
    except InputError as error:
        problems.append(str(error))
        return []
