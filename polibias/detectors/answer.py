"""What a response says to its reader: where its answer starts, and the beginning of it as plain prose.

Reasoning that a server left in the text is no part of the answer. The beginning is where refusals and rejected
premises are looked for (paper, App. C): the first 1,500 characters, without Markdown, with one kind of apostrophe,
quotation mark, hyphen and space, and with longer quotations emptied, since they are somebody else's words. Every
place in it leads back to a place in the response.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

BEGINNING = 1_500
"""Characters of the answer that are its beginning."""
SHORT_QUOTE = 3
"""Words in quotation marks that are still the writer's own: 'not a "country"'."""

_FINAL = re.compile(
    r"<\|channel\|>final(?:<\|[a-z_]{1,20}\|>[^<]{0,40})?<\|message\|>|"
    r"assistant(?:<\|channel\|>)?final"
)
_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning|analysis|reflection|scratchpad)>", re.IGNORECASE)
_THINKING = re.compile(r"\s*+<(?:think|thinking|thought|reasoning|analysis|reflection|scratchpad)>", re.IGNORECASE)
_CHANNEL = re.compile(r"\s*+(?:<\|start\|>assistant)?(?:<\|channel\|>(?:analysis|commentary)|analysis(?=[A-Z]))")

_QUOTES = '"“”„‟«»「」『』'
_NOISE = re.compile(
    rf"""(?P<break>(?:\A(?=(?:\#{{1,6}}|[*+•‣▪–-])\s|>)|\s{{2,}}+|[^\S ])
    (?P<mark>\#{{1,6}}(?=\s)|[*+•‣▪–-](?=\s)|>[ >]*+)?)
    |(?P<quote>[{_QUOTES}](?P<said>(?:[^{_QUOTES}\n]|\n(?!\s)){{1,600}}+)[{_QUOTES}])
    |(?P<single>(?<![\w'’])['‘](?=\w)(?P<held>(?:[^'‘’\n]|(?<=\w)['’](?=\w)){{1,600}}+)['’](?!\w))
    |(?P<none>[*`~\u00ad\u200b-\u200f\u2060-\u2064\ufeff]++|</?[A-Za-z]{{1,10}}\ ?/?>|(?<![^\W_])_++|_++(?![^\W_]))
    |(?P<cell>\|)""",
    re.VERBOSE,
)
_PLAIN = re.compile(r"[^A-Za-z0-9 .,;:()/!?%&-]")
"""Whatever may be noise starts with such a character, or with a space before another."""
_DOUBLE = re.compile(r" \s")
_FIRST_PERSON = re.compile(r"I(?<![\w.(-]I)(?<!ocol I)(?<!tion I)(?<!AP I)(?<!icle I)(?=[ ',])")
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼʹ′´＇", "'"),
        **dict.fromkeys("“”„‟«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        "…": ".",
    }
)
_SENTENCE_END = re.compile(
    r"[.!?。！？\n](?:(?<=[\n。！？])|[.!?]*+(?<!\bArt\.)(?<!\bArts\.)(?<!\bNo\.)(?<!\bpara\.)(?<!\be\.g\.)(?<!\bi\.e\.)"
    r"(?<!\bvs\.)(?<!\bcf\.)[\"')\]]*+(?=\s|\Z))"
)


class Evidence(NamedTuple):
    """`text` is what stands in the response from character `start` up to `end`."""

    start: int
    end: int
    text: str

    @classmethod
    def of(cls, response: str, start: int, end: int) -> "Evidence":
        return cls(start, end, response[start:end])


class Sentence(NamedTuple):
    """`Beginning.text[start:end]`, without what ends it. `lower` is the same in lower case, behind a line break.

    `first_person` says that the writer says "I" in it; the numeral of Protocol I is none.
    """

    start: int
    end: int
    text: str
    lower: str
    first_person: bool


class Beginning:
    """The beginning of a response's answer as plain prose; a line break in `text` is one that separates.

    `lower` holds the sentences alone, in lower case, each behind a line break; `first_person` the numbers of those in
    which the writer says "I".

    A heading starts with "# ", an item of a list with "- ". `sentences` are those that say something. `goes_on` says
    that the answer is longer than its beginning.
    """

    def __init__(self, response: str) -> None:
        self._response = response
        start = answer_start(response)
        window = response[start : start + BEGINNING]
        self.goes_on = len(response) - start > BEGINNING and not response[start + BEGINNING :].isspace()
        self.text, self._clean, self._raw = _plain(window, start)
        self.sentences = tuple(sentences(self.text))
        # Halves of surrogate pairs, which are no characters, become question marks.
        self.lower = "".join(sentence.lower for sentence in self.sentences).encode("utf-8", "replace").decode()
        self._ends = list(accumulate(len(sentence.lower) for sentence in self.sentences))
        self.first_person = {n for n, sentence in enumerate(self.sentences) if sentence.first_person}

    def number(self, at: int) -> int:
        """The number of the sentence that holds `lower[at]`."""
        return bisect_right(self._ends, at)

    def evidence(self, start: int, end: int) -> Evidence:
        """The passage of the response behind `text[start:end]`."""
        last = max(start, end - 1)
        return Evidence.of(self._response, self._place(start), self._place(last) + 1)

    def _place(self, at: int) -> int:
        piece = bisect_right(self._clean, at) - 1
        return self._raw[piece] + at - self._clean[piece]


def answer_start(response: str) -> int:
    """Where the answer starts, behind any reasoning; the response's end if it never came to an answer."""
    signs = ((_FINAL, "final"), (_THOUGHT, "</"))
    ends = [found.end() for pattern, sign in signs if sign in response for found in pattern.finditer(response)]
    if ends:
        return max(ends)
    return len(response) if _THINKING.match(response) or _CHANNEL.match(response) else 0


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of plain prose: what lies between full stops, or between line breaks."""
    start = 0
    for end in (*(found.span() for found in _SENTENCE_END.finditer(text)), (len(text), len(text))):
        sentence = text[start : end[0]]
        bare = sentence.strip()
        if any(map(str.isalpha, bare)):  # the number of an item is none
            first = start + sentence.index(bare[0])
            yield Sentence(first, first + len(bare), bare, f"\n{bare.lower()}", _says_i(bare))
        start = end[1]


def _says_i(sentence: str) -> bool:
    return "I" in sentence and bool(_FIRST_PERSON.search(sentence))


def _plain(window: str, offset: int) -> tuple[str, list[int], list[int]]:
    """The window as plain prose, and where its pieces start in it and in the response."""
    pieces: list[str] = []
    clean: list[int] = [0]
    raw: list[int] = [offset]
    length, done = 0, 0

    def add(piece: str, place: int) -> None:
        nonlocal length
        if piece:
            clean.append(length)
            raw.append(offset + place)
            pieces.append(piece)
            length += len(piece)

    for noise in _noises(window):
        add(window[done : noise.start()], done)
        add(*_replacement(noise, window))
        done = noise.end()
    add(window[done:], done)
    return "".join(pieces).translate(_ALIKE), clean, raw


def _noises(window: str) -> Iterator[re.Match[str]]:
    if _DOUBLE.search(window):
        yield from _NOISE.finditer(window)
        return
    done = -1
    for place in (0, *(found.start() for found in _PLAIN.finditer(window))):
        noise = _NOISE.match(window, place) if place > done else None
        if noise:
            done = max(noise.end() - 1, place)
            yield noise


def _replacement(noise: re.Match[str], window: str) -> tuple[str, int]:
    """What stands for a piece of noise, and where it stood."""
    kind = noise.lastgroup if noise.lastgroup in ("none", "cell") else ""
    if kind:
        return (" " if kind == "cell" else ""), noise.start()
    said = noise["said"] or noise["held"]
    if said:
        whole = noise.start() == len(window) - len(window.lstrip()) and noise.end() == len(window.rstrip())
        own = whole or len(said.split()) < SHORT_QUOTE
        return (said, noise.start() + 1) if own else ('""', noise.start())
    return _line_break(noise, window), noise.start()


def _line_break(noise: re.Match[str], window: str) -> str:
    white, mark = noise["break"], noise["mark"] or ""
    goes_on = window[noise.end() : noise.end() + 1].islower() and white.count("\n") < 2 and not mark
    if noise.start() and ("\n" not in white or goes_on):
        return " " + mark.strip()
    if not mark:
        return "\n" if noise.start() else ""
    return "\n" + ("#" if mark[0] == "#" else ">" if mark[0] == ">" else "-")
