"""Two prompts collapsed to what differs: the stretches that are the same, those that are not, those left out.

Texts are aligned by their longest common subsequence of tokens, found exactly with one big integer per row (Hyyrö
2004), so that a thousand scattered differences cost no more than one. Where the table of two texts would have more
than `LARGEST` bits, both are first cut at rows of `ROW` tokens that stand once in each; what is still larger counts as
different throughout. So the time is bounded, and nothing that differs is ever called the same.

A token is a word, white space or one sign; where a script has no spaces, each letter is a word. Combining marks belong
to what they stand on.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, takewhile
from typing import Literal, NamedTuple

Kind = Literal["same", "different", "elided"]
Place = tuple[int, int]

CONTEXT = 10
"""How much stays around a difference: a word counts two, a letter of a script without spaces one."""
LEAST = 10
"""Less than this is not left out: to say so would be as long."""
LARGEST = 10**8
"""Bits: 12.5 MB and some tens of milliseconds, for two texts of ten thousand tokens."""
ROW = 8

# Scripts without spaces between words: South-East Asian, Tibetan, kana and Han.
_LETTERS = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# What changes the sign before it without being a mark: joiners, Korean vowels and finals, skin tones, tags.
_JOINED = "\u200c\u200d\u1160-\u11ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"


class Stretch(NamedTuple):
    """A stretch of both texts. `first` and `second` are equal unless it is `different`; then one of them may be empty.

    An `elided` stretch is the same in both and holds its whole text, which need not be shown.
    """

    kind: Kind
    first: str
    second: str

    @property
    def words(self) -> int:
        """How many words the first text has here."""
        return sum(map(_is_word, tokens(self.first)))

    def swapped(self) -> "Stretch":
        return Stretch(self.kind, self.second, self.first)


class _Run(NamedTuple):
    """Tokens of both texts in a row that are all the same, or all are not."""

    same: bool
    first: Sequence[str]
    second: Sequence[str]


def differences(first: str, second: str) -> tuple[Stretch, ...]:
    """Both texts from start to end: the `first` of all stretches joined are the first text, and so for the second.

    No stretch is empty. Swapped texts give swapped stretches. Equal texts have no `different` stretch.
    """
    if first > second:
        return tuple(stretch.swapped() for stretch in differences(second, first))
    return tuple(_elided([*_folded([*_runs(tokens(first), tokens(second))])]))


def tokens(text: str) -> list[str]:
    """The text in the pieces that are never cut; joined, they are the text."""
    return [match[0] for match in _TOKEN.finditer(text)]


def _mark_ranges() -> str:
    """All combining marks as the inside of a character class."""
    places = (*range(0x300, 0x1F000), *range(0xE0100, 0xE01F0))
    marks = [code for code in places if unicodedata.category(chr(code)).startswith("M")]
    groups = [[code for _, code in group] for _, group in groupby(enumerate(marks), lambda pair: pair[1] - pair[0])]
    return "".join(f"{chr(group[0])}-{chr(group[-1])}" for group in groups)


def _token() -> re.Pattern[str]:
    marks, letter = f"[{_mark_ranges()}{_JOINED}]", rf"[^\W{_LETTERS}]"
    word = rf"{letter}(?:{letter}|{marks}|['’](?={letter}))*+"
    sign = rf"(?:\s+|[\U0001f1e6-\U0001f1ff]{{2}}|.){marks}*+"
    return re.compile(rf"{word}|{sign}(?:(?<=\u200d).{marks}*+)*+", re.DOTALL)


_TOKEN = _token()
_UNSPACED = re.compile(f"[{_LETTERS}]")


def _is_word(token: str) -> bool:
    return token[0].isalnum()


def _weight(token: str) -> int:
    return 0 if not _is_word(token) else 1 if _UNSPACED.match(token) else 2


def _elided(runs: Sequence[_Run]) -> Iterator[Stretch]:
    """The runs as stretches; of what is the same, that which is far from every difference is left out."""
    for at, run in enumerate(runs):
        if not run.same:
            yield Stretch("different", "".join(run.first), "".join(run.second))
            continue
        start = _context(run.first) if at > 0 else 0
        end = len(run.first) - (_context(run.first[::-1]) if at < len(runs) - 1 else 0)
        parts: list[tuple[Kind, Sequence[str]]] = [("same", run.first)]
        if sum(map(_weight, run.first[start:end])) >= LEAST:
            parts = [("same", run.first[:start]), ("elided", run.first[start:end]), ("same", run.first[end:])]
        yield from (Stretch(kind, "".join(part), "".join(part)) for kind, part in parts if part)


def _context(run: Sequence[str]) -> int:
    """How many tokens at the start of a run are kept."""
    total = 0
    for at, token in enumerate(run):
        total += _weight(token)
        if total >= CONTEXT:
            return at + 1
    return len(run)


def _folded(runs: Sequence[_Run]) -> Iterator[_Run]:
    """The runs, where a space or sign between two differences is no reason to call them two."""
    inner = range(1, len(runs) - 1)
    told = [run._replace(same=run.same and (at not in inner or _has_word(run.first))) for at, run in enumerate(runs)]
    for same, group in groupby(told, lambda run: run.same):
        firsts, seconds = zip(*((run.first, run.second) for run in group), strict=True)
        yield _Run(same, [*chain(*firsts)], [*chain(*seconds)])


def _has_word(run: Iterable[str]) -> bool:
    return any(map(_is_word, run))


def _runs(first: Sequence[str], second: Sequence[str]) -> Iterator[_Run]:
    i = j = 0
    matches = enumerate(_matches(first, second))
    for _, group in groupby(matches, lambda match: (match[1][0] - match[0], match[1][1] - match[0])):
        places = [place for _, place in group]
        a, b = places[0]
        if (i, j) != (a, b):
            yield _Run(False, first[i:a], second[j:b])
        i, j = a + len(places), b + len(places)
        yield _Run(True, first[a:i], second[b:j])
    if (i, j) != (len(first), len(second)):
        yield _Run(False, first[i:], second[j:])


def _matches(first: Sequence[str], second: Sequence[str], cut: bool = False) -> Iterator[Place]:
    """Where equal tokens stand opposite each other, in order. `cut` says that the texts are what lies between rows."""
    head = _shared(first, second)
    tail = _shared(first[head:][::-1], second[head:][::-1])
    i, j = len(first) - tail, len(second) - tail
    yield from ((at, at) for at in range(head))
    yield from ((head + a, head + b) for a, b in _unlike(first[head:i], second[head:j], cut))
    yield from ((i + at, j + at) for at in range(tail))


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """How many tokens are equal from the start on."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _unlike(first: Sequence[str], second: Sequence[str], cut: bool) -> Iterable[Place]:
    """The matches of texts that neither start nor end alike."""
    if len(first) * len(second) <= LARGEST:
        return _longest(first, second)
    return () if cut else _between_rows(first, second)


def _longest(first: Sequence[str], second: Sequence[str]) -> list[Place]:
    """A longest common subsequence. Bit `b` of row `a` is 0 if the first `a` tokens gain by token `b` of the second."""
    stands: dict[str, int] = {}
    for at, token in enumerate(second):
        stands[token] = stands.get(token, 0) | 1 << at
    full = (1 << len(second)) - 1
    rows = [full]
    for token in first:
        row = rows[-1]
        hits = row & stands.get(token, 0)
        rows.append((row + hits | row - hits) & full)
    return _traced(first, second, rows)


def _traced(first: Sequence[str], second: Sequence[str], rows: Sequence[int]) -> list[Place]:
    """The matches behind the rows, found from the end."""
    found: list[Place] = []
    a, b = len(first), len(second)
    while a and b:
        if first[a - 1] == second[b - 1]:
            a, b = a - 1, b - 1
            found.append((a, b))
        elif rows[a] >> (b - 1) & 1:
            b -= 1
        else:
            a -= 1
    return found[::-1]


def _between_rows(first: Sequence[str], second: Sequence[str]) -> Iterator[Place]:
    i = j = 0
    for a, b in _rising(_rows(first, second)):
        if i < a and j < b:
            yield from ((i + x, j + y) for x, y in _matches(first[i:a], second[j:b], cut=True))
        yield a, b
        i, j = a + 1, b + 1
    yield from ((i + x, j + y) for x, y in _matches(first[i:], second[j:], cut=True))


def _rows(first: Sequence[str], second: Sequence[str]) -> list[Place]:
    """Where rows of tokens begin that stand once in each text, in the order of the first."""
    theirs = _once(second)
    return [(at, theirs[row]) for row, at in _once(first).items() if row in theirs]


def _once(text: Sequence[str]) -> dict[tuple[str, ...], int]:
    rows = [tuple(text[at : at + ROW]) for at in range(len(text) - ROW + 1)]
    counts = Counter(rows)
    return {row: at for at, row in enumerate(rows) if counts[row] == 1}


def _rising(places: Sequence[Place]) -> list[Place]:
    """The longest choice of places that rises in the second text too (patience sorting)."""
    lowest: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (_, b) in enumerate(places):
        pile = bisect_left(lowest, b)
        lowest[pile : pile + 1], last[pile : pile + 1] = [b], [at]
        before.append(last[pile - 1] if pile else -1)
    found: list[Place] = []
    at = last[-1] if last else -1
    while at >= 0:
        found.append(places[at])
        at = before[at]
    return found[::-1]
