"""A text as terms are looked for in it, with the way back to the source.

Accents, kinds of hyphen, apostrophe and space are folded onto ASCII; what cannot be seen, marks of Markdown, tags and
character references are taken away; hyphens and single line breaks become spaces, so that one spelling of a term
finds it however it was broken. Letters keep their case. Other scripts stay. Time is linear in the text.
"""

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator
from functools import cache
from typing import NamedTuple

HYPHENS = frozenset("-‐‑‒–−﹘﹣－")
OTHER_SCRIPTS, WITHOUT_SPACES = "\u0250", "\u2e80"
"""Where other alphabets begin, and after them scripts that write words together."""

PARAGRAPH = "\x1f"
"""Stands for an empty line, which no term goes across."""

_APOSTROPHES = "'’‘ʼʻ′`´＇ʾʿ"
_QUOTES = "“”„«»‟"
_LETTERS = dict(zip("øØđĐłŁıðÐħĦ", "oOdDlLidDhH", strict=True)) | {
    "ß": "ss",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
}
_SAME_LENGTH = (
    *(("’", "'"), ("‘", "'"), ("“", '"'), ("”", '"'), ("—", ","), ("–", "-"), ("‑", "-"), ("…", "."), ("•", ".")),
    *(("\u00a0", " "), ("\u202f", " ")),
)
"""What typeset English has most of: replaced at once, before anything is looked at one by one."""

_MARKUP = frozenset("*`~\\")
_CUT = _MARKUP | {"\r", " "}
_CLOSER = re.compile(rb"[*`~\\_\t\r\n&<?\x00-\x08\x0b-\x1f\x7f]")
_MARKED = bytes(0 if _CLOSER.match(bytes([code])) else code for code in range(256))
"""Zero for every character that must be looked at closer. A question mark also stands for what is not ASCII."""

_RUNS = dict.fromkeys(_MARKUP, re.compile(r"[*`~\\]*+")) | {" ": re.compile(" *+")}
_BEFORE_BREAK, _AFTER_BREAK = frozenset(" \t-\u00ad"), frozenset(" \t\r>\n")
_BREAKS = frozenset("\t\r\n")
_BLANK = re.compile(r"[ \t\r\n>]*")
_REFERENCE = re.compile(r"&(?:[A-Za-z]{2,24}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]{0,15})(?:\s[^<>]{0,300}|/)?>")
_INLINE = re.compile(
    r"(?:a|abbr|b|bdi|code|del|em|font|i|ins|mark|q|s|small|span|strong|sub|sup|tt|u|wbr)\Z", re.IGNORECASE
)
_COMMENT = re.compile(r"<!--[^<>]{0,300}?-->")
_LETTERS_AT = re.compile(r"[^\W\d_]{1,30}")
_SEPARATORS = str.maketrans({"-": " ", "_": " ", "\n": " ", "\t": " "})


@cache
def folded(character: str) -> str:
    """What one character of a text becomes; nothing if it cannot be seen."""
    category = unicodedata.category(character)
    if category in ("Mn", "Me", "Cf", "Cc"):
        return ""
    if character in HYPHENS or category == "Zs":
        return " "
    if category in ("Zl", "Zp"):
        return PARAGRAPH
    if character in _APOSTROPHES:
        return "'"
    if character in _QUOTES:
        return '"'
    if category in ("Cs", "Cn", "Co"):
        return "\ufffd"
    same = unicodedata.normalize("NFKD", character)
    letters = "".join(_LETTERS.get(one, one) for one in same if not unicodedata.combining(one))
    return letters or character


class Folded(NamedTuple):
    """A folded text, its source, and the places where their lengths part.

    Event n ends at `ends[n]` in the text and at `sources[n]` in the source; it left a character or more if `wide[n]`.
    """

    source: str
    text: str
    ends: list[int]
    sources: list[int]
    wide: list[bool]

    def start(self, place: int) -> int:
        """Where the character at `place` begins in the source."""
        event = bisect_right(self.ends, place) - 1
        return self.sources[event] + place - self.ends[event]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` stands in the source, with the accents that belong to it."""
        ends = self.ends
        event = bisect_right(ends, start)
        shift = self.sources[event - 1] - ends[event - 1]
        if event == len(ends) or ends[event] > end:
            return start + shift, end + shift
        return start + shift, self._end(end)

    def _end(self, place: int) -> int:
        """Where the character before `place` ends in the source, with the accents that belong to it."""
        event = bisect_left(self.ends, place)
        if event < len(self.ends) and self.ends[event] == place and self.wide[event]:
            return self.sources[event]
        end = self.start(place - 1) + 1
        while end < len(self.source) and self.source[end] > "\u02ff" and unicodedata.combining(self.source[end]):
            end += 1
        return end

    def next_in_source(self, end: int) -> str:
        """What follows `text[:end]` in the source: one character, or nothing."""
        place = self._end(end)
        return self.source[place : place + 1]


def fold(source: str, words: Container[str] = frozenset()) -> Folded:
    """The text as terms are looked for in it. `words`, in lower case, are those a hyphen at a line's end may split."""
    text = source
    for old, new in _SAME_LENGTH:
        text = text.replace(old, new)
    pieces: list[str] = []
    ends, sources, wide = [0], [0], [False]
    length = done = 0
    for start, end in _places(text):
        left = ""
        if text[start] not in _CUT:
            if start < done:
                continue
            start, end, left = _event(text, start, end, done, words)
        pieces.append(text[done:start] + left if left else text[done:start])
        length += start - done + len(left)
        done = end
        if len(left) != end - start:
            ends.append(length)
            sources.append(end)
            wide.append(left != "")
    pieces.append(text[done:])
    return Folded(source, "".join(pieces).translate(_SEPARATORS), ends, sources, wide)


def _places(text: str) -> Iterator[tuple[int, int]]:
    """What must be looked at closer, in order. Long runs are one place, so that the time stays linear."""
    marked = text.encode("ascii", "replace").translate(_MARKED).replace(b"  ", b" \0")
    at = marked.find(0)
    while at >= 0:
        character, end = text[at], at + 1
        if character in _MARKUP or character == " ":
            run = _RUNS[character].match(text, end)
            end = run.end() if run else end
        if character == "\n":
            if text[at - 1 : at] in _BEFORE_BREAK or text[end : end + 1] in _AFTER_BREAK:
                yield at, end
        elif character == " ":
            if text[end : end + 1] not in _BREAKS:
                yield at, end
        elif character != "?":
            yield at, end
        at = marked.find(0, end)


def _event(text: str, start: int, end: int, done: int, words: Container[str]) -> tuple[int, int, str]:
    """Which stretch of the text is to be replaced here, and by what. Nothing before `done` may be."""
    character = text[start]
    if character == "\n":
        return _line_break(text, start, done, words)
    if character == "_":
        return _underscore(text, start)
    if character == "\t":
        return start, end, "" if text[start - 1 : start] == " " else " "
    if character in "&<":
        return _markup(text, start)
    return start, end, folded(character)


def _line_break(text: str, at: int, done: int, words: Container[str]) -> tuple[int, int, str]:
    """A line break with the blanks around it: one space, nothing within a split word, or a paragraph's end."""
    blank = _BLANK.match(text, at)
    start, end = at, blank.end() if blank else at + 1
    while start > done and text[start - 1] in " \t":
        start -= 1
    if text.count("\n", at, end) > 1:
        return start, end, PARAGRAPH
    if start == at > done and text[at - 1] in HYPHENS:
        return (at - 1 if _splits(text, at - 1, end, words) else at), end, ""
    return start, end, " "


def _splits(text: str, hyphen: int, after: int, words: Container[str]) -> bool:
    """Whether the hyphen here splits a known word at the end of its line."""
    begin = hyphen
    while begin > max(0, hyphen - 30) and text[begin - 1].isalpha():
        begin -= 1
    rest = _LETTERS_AT.match(text, after)
    return rest is not None and begin < hyphen and plain(text[begin:hyphen] + rest[0]).lower() in words


def _underscore(text: str, at: int) -> tuple[int, int, str]:
    """Emphasis goes; what joins two words is a space."""
    end = at + 1
    while text[end : end + 1] == "_":
        end += 1
    joins = at > 0 and text[at - 1].isalnum() and text[end : end + 1].isalnum()
    return at, end, " " if joins else ""


def _markup(text: str, at: int) -> tuple[int, int, str]:
    """A tag that may stand within a word goes, others are a space; a character reference is its character."""
    if tag := _TAG.match(text, at):
        return at, tag.end(), "" if _INLINE.match(tag[1]) else " "
    if comment := _COMMENT.match(text, at):
        return at, comment.end(), ""
    if reference := _REFERENCE.match(text, at):
        return at, reference.end(), "".join(map(folded, html.unescape(reference[0])))
    return at, at + 1, text[at]


def plain(term: str) -> str:
    """A term as it stands in a folded text."""
    return fold(term).text
