"""Rules for prose, written so that people can read them, and tried only where they can fit."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from polibias.detectors.answer import Beginning, Sentence


class Fit(NamedTuple):
    """A rule fits `sentence.text[start:end]`; `said` is what stands there."""

    sentence: Sentence
    start: int
    end: int
    said: str


class Family:
    """Rules that say the same thing. A sentence is searched only if it holds one of the `signs`.

    Signs are lower case, separated by "|"; one that starts with a line break must start the sentence. <NAME> in a
    rule or phrase stands for the phrase of that name, and a space for a single space of plain prose. Rules see one
    sentence, and phrases are bounded in length, so the time grows with the text alone. With `first_person` a sentence
    in which the writer says "I" is searched as well.
    """

    def __init__(
        self, rules: Iterable[str], phrases: Mapping[str, str], signs: str = "", first_person: bool = False
    ) -> None:
        self._pattern = re.compile("|".join(f"(?:{_filled(rule, phrases)})" for rule in rules), re.IGNORECASE)
        self._signs = signs.split("|") if signs else []
        self._first_person = first_person

    def fits(self, beginning: Beginning) -> Iterator[Fit]:
        """Every fit in the sentences of a beginning."""
        signs = [sign for sign in self._signs if sign.lstrip("\n") in beginning.lower]
        if not signs and not (self._first_person and "I" in beginning.text):
            return
        for sentence in beginning.sentences:
            if (self._first_person and says_i(sentence.text)) or _signed(sentence.text, signs):
                for found in self._pattern.finditer(sentence.text):
                    yield Fit(sentence, *found.span(), found[0])


def _signed(sentence: str, signs: list[str]) -> bool:
    return bool(signs) and any(map(f"\n{sentence.lower()}".__contains__, signs))


_FIRST_PERSON = re.compile(r"I(?<![\w.(-]I)(?<!ocol I)(?<!tion I)(?<!AP I)(?<!icle I)(?=[ ',])")


def says_i(sentence: str) -> bool:
    """Whether the writer says "I"; the numeral of Protocol I is none."""
    return "I" in sentence and bool(_FIRST_PERSON.search(sentence))


def _filled(rule: str, phrases: Mapping[str, str]) -> str:
    """The rule with every <NAME> in it replaced."""
    while True:
        fuller = re.sub(r"<([A-Z_]+)>", lambda name: f"(?:{phrases[name[1]]})", rule)
        if fuller == rule:
            return rule
        rule = fuller
