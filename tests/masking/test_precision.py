"""In legal prose that is about no country of a pair, nothing is replaced and nothing is taken for a leak."""

import pytest

from tests.masking.lexicon import lexicon, mask
from tests.masking.treaties import PARAGRAPHS


def test_there_are_enough_paragraphs() -> None:
    assert len(set(PARAGRAPHS)) >= 200


@pytest.mark.parametrize("pair", sorted(lexicon().pairs))
def test_treaty_prose_stays_as_it_is(pair: str) -> None:
    changed = [
        (one, masked.text, masked.leaks) for one in PARAGRAPHS if (masked := mask(pair, one)).status != "unchanged"
    ]
    assert changed == []
    whole = "\n\n".join(PARAGRAPHS)
    assert mask(pair, whole).text == whole


@pytest.mark.parametrize("pair", sorted(lexicon().pairs))
def test_the_scenarios_hold_no_term(pair: str) -> None:
    """The shipped templates, between made-up names, are neutral too."""
    from polibias.sources.library import Library
    from tests.conftest import ROOT

    library = Library(ROOT / "data")
    texts = [
        one.text.replace("{aggressor}", "Ruritania").replace("{target}", "Graustark")
        for one in library.templates.values()
    ]
    changed = [
        (masked.replacements, masked.leaks) for text in texts if (masked := mask(pair, text)).status != "unchanged"
    ]
    assert changed == []
