"""Names that masking left in a text: whole words, however they are cased, spaced or broken by characters unseen."""

import re
import unicodedata
from collections.abc import Iterable

from annotate_app.questions import Candidate
from polibias.domain.scenario import Country

UNSEEN = "Cf"


def country_names(candidates: Iterable[Candidate], known: Iterable[Country]) -> dict[str, tuple[str, ...]]:
    """Every name that gives a candidate away, by candidate: the one annotators read, and that of `data/countries`."""
    also = {country.id: country.name for country in known}
    return {one.id: tuple(dict.fromkeys((one.name, also.get(one.id, one.name)))) for one in candidates}


def names_left(text: str, names: Iterable[str]) -> list[str]:
    """Those of the names that stand in the text."""
    searched = _plain(text)
    return [name for name in names if re.search(_whole(_plain(name)), searched)]


def _plain(text: str) -> str:
    """A text as it is compared: compatible characters as one, no case, no unseen characters, single spaces."""
    same = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(one for one in same if unicodedata.category(one) != UNSEEN).split())


def _whole(name: str) -> str:
    """A pattern for the name with no letter on either side.

    A script without capitals may write words together or begin them with particles: there any place counts.
    """
    before = r"(?<![^\W\d_])" if _cased(name[:1]) else ""
    after = r"(?![^\W\d_])" if _cased(name[-1:]) else ""
    return before + re.escape(name) + after


def _cased(letter: str) -> bool:
    return letter.upper() != letter.lower()
