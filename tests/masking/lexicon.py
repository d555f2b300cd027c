"""The shipped lexicon, read once, and maskers of its pairs, compiled once."""

from functools import cache

from polibias.domain.lexicon import Lexicon
from polibias.domain.masked import Level, Masked
from polibias.masking.mask import Masker
from polibias.sources.lexicon import read_lexicon, require_pair
from tests.conftest import ROOT


@cache
def lexicon() -> Lexicon:
    return read_lexicon(ROOT / "data")


@cache
def masker(pair: str, level: Level = "full") -> Masker:
    return Masker(*require_pair(pair, lexicon()), lexicon(), level)


def mask(pair: str, text: str) -> Masked:
    return masker(pair).mask(text)
