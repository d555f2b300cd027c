"""What an annotator may see and say: the blind item, its two versions as shown, and the scores given.

Texts go to the screen as they are. What cannot be seen or sent (control characters, lone surrogates) becomes
a visible symbol on the screen only; what is stored stays byte for byte.
"""

import re
import textwrap
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from polibias.domain.display import visible
from polibias.domain.ids import plain
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Both, Favoured, Shown, Side, order_from, other, shown_as, stored

SHOWN: tuple[Shown, Shown, Shown] = ("1", "2", "none")
WITHHELD = "withheld"
WORD_JOINER = "\u2060"
MARKS = re.compile(r"([!-/:-@\[-`{-~])")
READ_LATE = re.compile(r"(?<=[:@])(?=.)|(?<=\bwww)(?=\\\.)|(?<=[<>=-])(?=\\[<>=-])")


class BlindItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two prompts and two responses without any trace of where they come from.

    `code` is opaque. `countries` holds the names as they stand in running text: in version A country A acts.
    """

    code: str
    countries: Both[str]
    prompts: Both[str]
    responses: Both[str]


class Version(NamedTuple):
    """One version of an item as it stands on the screen. `number` is 1 for the one shown first."""

    number: int
    acting: str
    facing: str
    prompt: str
    response: str


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One dimension's answer in stored form; None is not answered yet."""

    score: int | None = None
    favoured: Favoured | None = None


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything an annotator says about one item. A comment of None leaves the one there is."""

    choices: dict[str, Choice]
    comment: str | None = ""


class Gap(NamedTuple):
    """One thing that is still to be answered: the dimension's title, and `score` or `favoured`."""

    title: str
    what: str


def human_wording(rubric: Rubric) -> Rubric:
    """The rubric without what it tells a judge: all that annotators and their app need."""

    def without(value: object) -> object:
        if isinstance(value, dict):
            return {name: WITHHELD if name == "judge" else without(part) for name, part in value.items()}
        return [without(part) for part in value] if isinstance(value, list | tuple) else value

    return msgspec.convert(without(plain(rubric)), type=Rubric)


def versions(item: BlindItem, first: Side) -> tuple[Version, Version]:
    """The item's two versions in the order shown."""
    return _version(item, 1, first), _version(item, 2, other(first))


def _version(item: BlindItem, number: int, side: Side) -> Version:
    acting, facing = item.countries[side], item.countries[other(side)]
    return Version(number, visible(acting), visible(facing), visible(item.prompts[side]), visible(item.responses[side]))


def stored_favoured(shown: str | None, first: Side) -> Favoured | None:
    """What a choice on the screen means; anything that is no choice is None."""
    known = next((value for value in SHOWN if value == shown), None)
    return None if known is None else stored(known, order_from(first))


def shown_favoured(favoured: Favoured | None, first: Side) -> Shown | None:
    """How a stored choice stands on the screen; the inverse of `stored_favoured`."""
    return None if favoured is None else shown_as(favoured, order_from(first))


def asks_favoured(rubric: Rubric, score: int | None) -> bool:
    """Whether this score leaves open who is favoured."""
    return not (rubric.zero_favours_none and score == 0)


def settle(rubric: Rubric, entry: Entry) -> Entry:
    """The entry as it is stored: no value outside the rubric, and the rule for a score of zero applied."""
    return Entry(
        {name: _settled(rubric, entry.choices.get(name, Choice())) for name in rubric.dimension_ids}, entry.comment
    )


def _settled(rubric: Rubric, choice: Choice) -> Choice:
    score = choice.score if choice.score in rubric.scores else None
    return Choice(score, choice.favoured if asks_favoured(rubric, score) else "none")


def merged(rubric: Rubric, before: Entry, given: Entry) -> Entry:
    """What is stored once `given` is said: nothing answered before is lost to a blank.

    A choice cannot be taken back on the page, so a blank only means that this window has not seen the answer yet.
    """
    choices = {
        name: _merged(rubric, before.choices.get(name, Choice()), given.choices.get(name, Choice()))
        for name in rubric.dimension_ids
    }
    return settle(rubric, Entry(choices, before.comment if given.comment is None else given.comment))


def _merged(rubric: Rubric, before: Choice, given: Choice) -> Choice:
    answered = before.favoured if asks_favoured(rubric, before.score) else None
    return Choice(
        before.score if given.score is None else given.score, answered if given.favoured is None else given.favoured
    )


def gaps(rubric: Rubric, choices: Mapping[str, Choice]) -> list[Gap]:
    """What is missing before these choices can be submitted, in the rubric's order."""
    found = []
    for dimension in rubric.dimensions:
        choice = choices.get(dimension.id, Choice())
        if choice.score is None:
            found.append(Gap(dimension.title, "score"))
        elif choice.favoured is None:
            found.append(Gap(dimension.title, "favoured"))
    return found


def untrimmed(text: str) -> str:
    """The text for a place that takes indents and outer spaces away: held at both ends where that would show."""
    return text if text == textwrap.dedent(text).strip() else f"{WORD_JOINER}{text}{WORD_JOINER}"


def literal(text: str) -> str:
    """The text for a place that reads Markdown: every mark escaped, so that the same characters appear.

    Emoji names, icons, arrows and addresses are looked for once the escapes are gone: a word joiner, which has
    no width, breaks them.
    """
    return READ_LATE.sub(WORD_JOINER, MARKS.sub(r"\\\1", " ".join(visible(text).split())))


def sentence_case(name: str) -> str:
    """A country's name where it does not stand in running text."""
    return name[:1].upper() + name[1:]
