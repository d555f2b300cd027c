"""What must hold of a [naming] table before annotators are asked by it."""

from collections.abc import Iterator, Sequence

from annotate_app.exposure import identity
from annotate_app.questions import CANNOT_TELL, Naming
from polibias.domain.display import visible
from polibias.domain.wording import placeholders
from polibias.errors import InputError

FEWEST = 2
ASKED_OF = frozenset({"placeholder"})


def check_naming(naming: Naming) -> None:
    """Raises InputError, with the first thing wrong, unless candidates, levels and placeholders can be told apart."""
    for problem in _problems(naming):
        raise InputError(f"the protocol's [naming]: {problem}")


def _problems(naming: Naming) -> Iterator[str]:
    ids = [one.id for one in naming.candidates]
    if len(ids) < FEWEST:
        yield "name at least two candidates, or none for all countries of data/countries"
    if CANNOT_TELL in ids:
        yield f"no candidate can have the id '{CANNOT_TELL}'"
    if twice := _twice(ids):
        yield f"the candidate '{twice}' stands there twice"
    if len(naming.confidence) < FEWEST:
        yield "name at least two levels of confidence"
    for what, texts in _told_apart(naming):
        if twice := _twice([identity(text) for text in texts]):
            yield f"two {what} read '{twice}'; annotators could not tell them apart"
        if blank := next((text for text in texts if not text.strip() or visible(text) != text), None):
            yield f"one of the {what}, {blank!a}, holds nothing or characters that cannot be seen"
    if unknown := sorted(placeholders(naming.question) - ASKED_OF):
        yield f"the question uses {{{unknown[0]}}}; known is {{placeholder}}"


def _told_apart(naming: Naming) -> Iterator[tuple[str, Sequence[str]]]:
    """The texts of which annotators choose one, by what they are."""
    yield "candidates", [*(one.name for one in naming.candidates), naming.cannot_tell]
    yield "levels of confidence", naming.confidence
    yield "placeholders", naming.placeholders


def _twice(names: Sequence[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")
