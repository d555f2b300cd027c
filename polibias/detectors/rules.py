"""Rules for prose, written so that people can read them, and tried only where they can fit."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick

from polibias.detectors.answer import Beginning, Sentence

WORD = r"\b"


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

    A rule that begins with "\\b" goes on with a letter or a digit and has no bar outside brackets: it is tried where
    a word begins, together with its neighbours. `of_words` are these, filled in.
    """

    def __init__(
        self, rules: Iterable[str], phrases: Mapping[str, str], signs: str = "", first_person: bool = False
    ) -> None:
        filled = [_filled(rule, phrases) for rule in rules]
        self.of_words = [rule for rule in filled if rule.startswith(WORD)]
        self._pattern = re.compile("|".join(alternatives(filled)), re.IGNORECASE)
        self._signs = AhoCorasick([sign for sign in signs.split("|") if sign])
        self._first_person = first_person

    def fits(self, beginning: Beginning) -> Iterator[Fit]:
        """Every fit in the sentences of a beginning."""
        signed = {beginning.number(at) for _, at, _ in self._signs.find_matches_as_indexes(beginning.lower)}
        if self._first_person:
            signed |= beginning.first_person
        for number in sorted(signed):
            sentence = beginning.sentences[number]
            for found in self._pattern.finditer(sentence.text):
                yield Fit(sentence, *found.span(), found[0])


def alternatives(rules: Iterable[str]) -> Iterator[str]:
    """The rules in their order, neighbours that begin with a word behind one look for where a word begins."""
    for of_words, group in groupby(rules, lambda rule: rule.startswith(WORD)):
        if of_words:
            yield rf"{WORD}(?=\w)(?:{'|'.join(f'(?:{rule.removeprefix(WORD)})' for rule in group)})"
        else:
            yield from (f"(?:{rule})" for rule in group)


def _filled(rule: str, phrases: Mapping[str, str]) -> str:
    """The rule with every <NAME> in it replaced."""
    while True:
        fuller = re.sub(r"<([A-Z_]+)>", lambda name: f"(?:{phrases[name[1]]})", rule)
        if fuller == rule:
            return rule
        rule = fuller
