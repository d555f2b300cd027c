"""Rules that are tried together find what each by itself would, in the order in which they stand."""

import re

from hypothesis import given
from hypothesis import strategies as st

from polibias.detectors.rules import Family, alternatives

RULES = [r"\bas so", r"\bas?\b", "s so+n", r"\b(?:so|n-a)", r"\bo(?= )", r"(?<=n)\.", r"\bnas\b[^.]{0,3}\."]
WORDS = st.text(st.sampled_from("as on.-"), max_size=30)


@given(WORDS)
def test_neighbours_that_begin_with_a_word_find_what_plain_alternatives_find(text: str) -> None:
    naive = re.compile("|".join(f"(?:{rule})" for rule in RULES), re.IGNORECASE)
    together = re.compile("|".join(alternatives(RULES)), re.IGNORECASE)
    assert [found.span() for found in together.finditer(text)] == [found.span() for found in naive.finditer(text)]


def families() -> list[Family]:
    from polibias.detectors import foreign, premise, refusal

    return [*refusal.FAMILIES, *(family for _, family in premise.FAMILIES), foreign.FOREIGN]


def test_rules_of_words_begin_with_one() -> None:
    """What looking only where a word begins rests on: nothing else may stand first, nor an alternative outside."""
    signs = [sign for sign in map(chr, range(32, 127)) if not re.match(r"\w", sign)] + ["", "’", "—", "\n"]
    for family in families():
        for rule in family.of_words:
            begin = re.compile(rf"\A(?:{rule})", re.IGNORECASE)
            assert not any(begin.match(f"{sign}{rest}") for sign in signs for rest in ("", " ", sign)), rule
            assert "|" not in outside(rule), rule


def outside(rule: str) -> str:
    """A rule without what stands in brackets of any kind."""
    bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "", rule)
    while (shorter := re.sub(r"\([^()]*\)", "", bare)) != bare:
        bare = shorter
    return bare
