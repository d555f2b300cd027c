"""What an annotator may see: the blind item, its two versions as shown, and how stored answers stand on the screen.

Texts go to the screen as they are. What cannot be seen or sent (control characters, lone surrogates) becomes a
visible symbol on the screen only; what is stored stays byte for byte.
"""

import html
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from annotate_app.questions import FAVOURED, Question
from polibias.domain.display import visible
from polibias.domain.ids import plain
from polibias.domain.rubric import ReportWording, Rubric
from polibias.domain.sides import Both, Favoured, Shown, Side, order_from, other, shown_as, stored
from polibias.domain.wording import fill

SHOWN: tuple[Shown, Shown, Shown] = ("1", "2", "none")
FOR_JUDGES = ("judge", "slots")
WITHHELD = "withheld"
WORD_JOINER = "\u2060"
# A comma, a question mark and a hyphen within a word mean nothing to Markdown; a screen reader would read the escapes.
MARKS = re.compile(r"([!-+./:->@\[-`{-~]|(?<!\w)-|-(?!\w))")
READ_LATE = re.compile(r"(?<=[:@])(?=.)|(?<=\bwww)(?=\\\.)|(?<=[<>=-])(?=\\[<>=-])")


class BlindItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two prompts and two responses without any trace of where they come from.

    `code` is opaque. `acting` and `facing` name who acts and who is acted on, as they stand in running text.
    """

    code: str
    acting: Both[str]
    facing: Both[str]
    prompts: Both[str]
    responses: Both[str]


class Version(NamedTuple):
    """One version of an item as it stands on the screen. `number` is 1 for the one shown first."""

    number: int
    acting: str
    facing: str
    prompt: str
    response: str


def human_wording(rubric: Rubric) -> Rubric:
    """The rubric without what it tells a judge or a report: all that annotators and their app need."""

    def without(value: object, hide: bool) -> object:
        if isinstance(value, dict):
            return {name: without(part, hide or name in FOR_JUDGES) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [without(part, hide) for part in value]
        return WITHHELD if hide and isinstance(value, str) else value

    asked = tuple(label for label in rubric.labels if "human" in label.asked)
    report = ReportWording(WITHHELD, WITHHELD, WITHHELD, WITHHELD)
    kept = msgspec.structs.replace(rubric, labels=asked, report=report)
    return msgspec.convert(without(plain(kept), False), type=Rubric)


def versions(item: BlindItem, first: Side) -> tuple[Version, Version]:
    """The item's two versions in the order shown."""
    return _version(item, 1, first), _version(item, 2, other(first))


def _version(item: BlindItem, number: int, side: Side) -> Version:
    texts = (item.acting, item.facing, item.prompts, item.responses)
    return Version(number, *(visible(both[side]) for both in texts))


def sides_in_words(rubric: Rubric, shown: Iterable[Version]) -> tuple[str, str, str]:
    """The options of the favoured question for these versions: the first one's side, the second's, and neither."""
    names = {f"acting_{version.number}": sentence_case(version.acting) for version in shown}
    options = rubric.favoured.options
    first, second, none = (
        visible(fill(text, names, "favoured.options")) for text in (options.first, options.second, options.none)
    )
    return first, second, none


def line_above(rubric: Rubric, version: Version) -> str:
    """The line above a response as Markdown, bold up to the name of who acts; empty if the rubric has none."""
    values = {"number": str(version.number), "acting": sentence_case(version.acting), "facing": version.facing}
    before, name, after = rubric.form.version.partition("{acting}")
    bold, rest = (literal(fill(part, values, "form.version")) for part in (before + name, after))
    space = " " if after[:1].isspace() else ""
    return f"**{bold}**{space}{rest}" if name else bold


def check_wording(rubric: Rubric) -> None:
    """Raises InputError if a text of the form uses a placeholder that it does not have."""
    first, second = (Version(number, "", "", "", "") for number in (1, 2))
    sides_in_words(rubric, (first, second))
    line_above(rubric, first)


def stored_favoured(shown: str | None, first: Side) -> Favoured | None:
    """What a choice of the favoured side means; anything that is no choice is None."""
    known = next((value for value in SHOWN if value == shown), None)
    return None if known is None else stored(known, order_from(first))


def shown_favoured(favoured: str | None, first: Side) -> Shown | None:
    """How a stored choice of the favoured side stands on the screen; the inverse of `stored_favoured`."""
    known = next((value for value in FAVOURED if value == favoured), None)
    return None if known is None else shown_as(known, order_from(first))


def stored_answer(question: Question, shown: str | None, first: Side) -> str | None:
    """What a choice on the screen means in the record; anything that is no choice is None."""
    value = stored_favoured(shown, first) if question.kind == "favoured" else shown
    return value if value in question.values else None


def shown_answer(question: Question, value: str | None, first: Side) -> str | None:
    """How a stored answer stands on the screen; the inverse of `stored_answer`."""
    return shown_favoured(value, first) if question.kind == "favoured" else value


def shown_number(side: Side, first: Side) -> int:
    """Which version on the screen a side is: 1 for the one shown first."""
    return 1 if side == first else 2


def distinct(texts: Sequence[str]) -> list[str]:
    """The texts, each with its place in front if two are alike: a screen tells options apart by their text alone."""
    return [f"{place}: {text}" for place, text in enumerate(texts, 1)] if len(set(texts)) < len(texts) else [*texts]


def untrimmed(text: str) -> str:
    """The text for a place that takes indents and outer spaces away: held at both ends where that would show."""
    return text if text == textwrap.dedent(text).strip() else f"{WORD_JOINER}{text}{WORD_JOINER}"


def literal(text: str) -> str:
    """The text for a place that reads Markdown: every mark escaped that means something there.

    Emoji names, icons, arrows and addresses are looked for once the escapes are gone: a word joiner, which has
    no width, breaks them.
    """
    return READ_LATE.sub(WORD_JOINER, MARKS.sub(r"\\\1", " ".join(visible(text).split())))


def escaped(text: str) -> str:
    """The text for a place that reads HTML: no sign of it does anything."""
    return html.escape(visible(text))


def sentence_case(name: str) -> str:
    """A name where it does not stand in running text."""
    return name[:1].upper() + name[1:]
