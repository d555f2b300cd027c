"""Does a response run in circles? Read from the text alone, so a full token budget is neither needed nor enough.

Three things are loops, and each says where to cut and what came round how often:

- `whitespace`: blank space without end.
- `cycle`: the same tokens follow each other again and again, exactly. White space between tokens does not count, a
  last turn that breaks off does no harm, and text after the loop does not excuse it.
- `drift`: nothing new is said although the text is not quite periodic: counters rise, or a few sentences return in
  changing order.

A token is a word, a digit group, symbols in a row, or one letter of a script that writes without spaces. An answer
given two or three times over, a refrain, a ruled line and a table are no loops; the constants below draw the line.
The paper regenerates a pair when a greedy response loops (Sec. 4.2) but does not say what looping is: this is our
definition. Time is linear for all practical purposes: `str.find`, comparison of slices, one pass over a dict.
"""

import re
from collections.abc import Iterator
from itertools import chain, islice, pairwise
from typing import Literal, NamedTuple
from zlib import crc32

Kind = Literal["whitespace", "cycle", "drift"]

BLANKS = 500
"""White space inside a text: more than the padding of any table cell, less than any loop a token limit stops."""
BLANKS_AT_END = 200
"""White space at the end pads nothing, so less is enough; more than this is what a verdict calls a whitespace loop."""

MANY_TURNS, MANY_TOKENS = 8, 60
"""Eight turns: writers repeat a line up to six times on purpose. Sixty tokens: eight turns of "no, " are speech."""
FEW_TURNS, FEW_TOKENS = 4, 480
"""Two or three copies of an answer are a duplicate; a fourth, if complete, is a loop when the whole is longer than
a refrain could be."""
MIN_CHARS = 200
"""Single letters and emoji are tokens too, and a shout or a garland of them is no loop."""
MIN_CHARS_WORDLESS = 500
"""Ruled lines have 80 to 200 characters and the rule under a wide table's head has up to 500."""

SHORTEST, STEP = 16, 24
"""Narrowest window that is looked for again, and least step between windows: 16 + 16 + 24 fit into sixty tokens."""

LONGEST_WORD = 30
"""A longer word, or longer row of symbols, is none: it is read sign by sign, so that a cycle inside it shows."""

LONGEST_TEXT = 400_000
"""So many last characters are looked at: four times what 16,000 tokens come to."""
MOST_TOKENS = 20_000
"""Drift is looked for in so many last tokens: no token here is less than one of the 16,000 a model may write."""
GRAM = 6
"""Tokens in a row that must return together: longer than set phrases of the field ("of the Rome Statute")."""
FEWEST_REPEATED = 20
"""The least cycle, 60 tokens in turns of seven, holds 27 at every second token; 20 of them are repeats."""
STRETCH, STRETCH_STEP = 24, 96
"""Bytes that return, and the step at which they are looked for: both and one turn fit into the shortest loop."""
SATED = 3
"""Said so often already, a gram is stale; three, so that an answer given three times over has nothing stale."""
STALE_WORDS = 360
"""Stale words in one stretch: twelve counts with the same thirty words, or fifty provisions with the same seven, are
lists that somebody may have asked for."""
STALE_TURNS = 8
"""As for exact cycles."""
FRESH_COSTS, CREDIT = 4, 100
"""One fresh gram weighs four stale ones: the stretch is at least four fifths stale, judged over about a hundred tokens.
A table of yes and no with one new name in each row stays below."""
COUNTED = 300
"""Numbers in a row, each one more than the last, with no words: an empty list that counts without end."""

# Scripts without spaces between words (South-East Asian, kana, Han) and pictographs: each sign is a token.
_SIGNS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2600-\u27bf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U0001f000-\U0003ffff"
)
_SPACES = b" \t\n\r\f\v"
_READ_ALIKE = bytes(48 if 48 <= byte < 58 else byte + 32 if 65 <= byte < 91 else byte for byte in range(256))
_TOKEN = re.compile(rf"[^\W_{_SIGNS}]+|[{_SIGNS}]|(?:[^\w\s{_SIGNS}]+|_+)++")
_WORD = re.compile(rf"[{_SIGNS}]|[^\W_]")
_CLOSING = ".,;:!?…)]}\"'”’»。，；：！？）」، "  # what sound text may end with, and each turn too
_BLANK = re.compile(r"\s{2,}")
_COUNTER = re.compile(
    r"(?=\w{1,8}$)\w*\d\w*|[^\W\d_]|[ivxlcdm]+"  # not the digests and codes that hold a digit
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen(?:th)?|(?:twen|thir|for|fif|six|seven|eigh|nine)t(?:y|ieth)"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred(?:th)?|thousand(?:th)?"
    r"|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
)


class Loop(NamedTuple):
    """`text[:start]` is what came before; from there `period` tokens return `repeats` times, the last perhaps in part.

    For `whitespace` both count characters; for `drift` they are the typical distance and how often it fits.
    """

    kind: Kind
    start: int
    period: int
    repeats: int

    @property
    def said(self) -> str:
        """The loop in words."""
        if self.kind == "whitespace":
            return f"loops: {self.repeats} characters of white space from character {self.start}"
        how = "much the same" if self.kind == "drift" else "the same"
        return f"loops: {how} {self.period} tokens {self.repeats} times from character {self.start}"


def find_loop(text: str) -> Loop | None:
    """The first loop of a text: exact ones before drifting ones; None if it does not loop. Empty text does not."""
    if len(text) > LONGEST_TEXT:
        found = find_loop(text[-LONGEST_TEXT:])
        return found and found._replace(start=found.start + len(text) - LONGEST_TEXT)
    if _varied(text):
        return None
    tokens: list[str] = _TOKEN.findall(text)
    exact = [loop for loop in (_whitespace(text), _cycle(text, tokens)) if loop]
    return min(exact, key=lambda loop: loop.start) if exact else _drift(text, tokens)


def may_loop(text: str) -> bool:
    """A first look, ten times as fast as `find_loop`: does any stretch of 24 bytes return, spaces and digits aside?

    False means that there is no loop but, at most, a list counted in words, letters or Roman numerals whose constant
    parts are shorter than that. Good enough for a reply that came to its own end; one that was cut needs the full look.
    """
    data = text.encode("utf-8", "surrogatepass").translate(_READ_ALIKE, _SPACES)
    if len(text) - len(data) > len(text) // 2:
        return True
    return any(
        data.find(data[at : at + STRETCH], 0, at + STRETCH - 1) >= 0
        for at in range(STRETCH_STEP, len(data) - STRETCH + 1, STRETCH_STEP)
    )


def _varied(text: str) -> bool:
    """Whether a text repeats so few of its grams that it cannot loop; this is cheap, and most texts end here.

    Any sixty tokens that loop hold a place, one in every `STEP`, at which a gram stands that was there before.
    """
    words = text.split()
    blanks = len(text) - len("".join(words))
    if blanks - len(words) + 2 > BLANKS_AT_END:
        return False
    code = "".join(map(CODES.__getitem__, words))
    for at in range(STEP, len(code) - GRAM + 1, STEP):
        if code.find(code[at : at + GRAM], 0, at + GRAM - 1) >= 0:
            break
    else:
        return True
    grams = [code[at : at + GRAM] for at in range(0, len(code) - GRAM + 1, 2)]
    return len(grams) - len(set(grams)) < FEWEST_REPEATED


class _Codes(dict[str, str]):
    """A Latin-1 character for each of a word's tokens, the same for tokens that drift reads as the same.

    Tokens share characters by accident; then a text merely looks less varied than it is. One byte per character is
    what makes looking fast. Common words are kept, so many and no longer ones.
    """

    MOST, LONGEST = 1 << 14, 100

    def __missing__(self, word: str) -> str:
        read = map(_without_counter, _letters(_TOKEN.findall(word)))
        code = "".join(chr(crc32(token.encode("utf-8", "surrogatepass")) & 0xFF) for token in read)
        if len(self) < self.MOST and len(word) <= self.LONGEST:
            self[word] = code
        return code


CODES = _Codes()


def _whitespace(text: str) -> Loop | None:
    for blank in _BLANK.finditer(text):
        start, end = blank.span()
        if end - start > (BLANKS_AT_END if end == len(text) else BLANKS):
            return Loop("whitespace", start, 1, end - start)
    return None


# --- exact cycles ---------------------------------------------------------------------------------------------------


def _cycle(text: str, words: list[str]) -> Loop | None:
    tokens = _letters(words)
    runs = [run for run in _runs(_as_string(tokens)) if _often_enough(*run)]
    if not runs:
        return None
    starts = _starts(text)
    for first, end, period in sorted(runs, key=lambda run: (run[0], run[2])):
        start, stop = starts[first], starts[end - 1] + len(tokens[end - 1])
        wordless = not any(map(_WORD.match, tokens[first : first + period]))
        if stop - start >= (MIN_CHARS_WORDLESS if wordless else MIN_CHARS):
            closing = 0 if wordless else next(at for at in range(period) if tokens[first + at].strip(_CLOSING))
            return Loop("cycle", starts[first + closing], period, (end - first) // period)
    return None


def _often_enough(first: int, end: int, period: int) -> bool:
    tokens = end - first
    turns = tokens // period
    return (turns >= MANY_TURNS and tokens >= MANY_TOKENS) or (turns >= FEW_TURNS and tokens >= FEW_TOKENS)


def _letters(words: list[str]) -> list[str]:
    if max(map(len, words), default=0) <= LONGEST_WORD:
        return words
    return list(chain.from_iterable(word if len(word) > LONGEST_WORD else (word,) for word in words))


def _starts(text: str) -> list[int]:
    """Where each of `_letters` starts."""
    starts: list[int] = []
    for found in _TOKEN.finditer(text):
        start, end = found.span()
        starts.extend(range(start, end) if end - start > LONGEST_WORD else (start,))
    return starts


def _as_string(tokens: list[str]) -> str:
    """One character for each token, so that `str` finds and compares token sequences at the speed of C."""
    names = {token: chr(number) for number, token in enumerate(dict.fromkeys(tokens))}
    return "".join(map(names.__getitem__, tokens))


def _runs(code: str) -> set[tuple[int, int, int]]:
    """Maximal periodic stretches (first, end, period), among them every one that is often enough.

    A window at least as long as the period, inside the stretch, returns after exactly one period and not before (Fine
    and Wilf 1965). Windows double in width; the period is above half the width, or at most 16. So four turns always
    hold a window, its return and the step to the next window, and with 16 and 32 the least number of tokens does.
    """
    runs: set[tuple[int, int, int]] = set()
    width = SHORTEST
    while width <= max(SHORTEST, len(code) // 2):
        deep = bytearray(len(code))
        for run in runs:
            _mark(deep, run, width)
        for here in range(0, len(code) - width, max(STEP, width // 2)):
            period = 0 if deep[here] else _return(code, here, width)
            if not period or 2 * period <= width > SHORTEST:
                continue  # known, no return, or a narrower window's business
            if _promising(code, here, period, width):
                run = here - _back(code, here, period), here + period + _ahead(code, here, period), period
                _mark(deep, run, width)
                runs.add(run)
        width *= 2
    return runs


def _promising(code: str, here: int, period: int, width: int) -> bool:
    """False only if the stretch is too short, or goes on too briefly because an earlier window lay in it."""
    # At least 44 tokens of a short cycle, or three periods, equal the token one period later. From the first window
    # on it is 21 of them, or two periods; and then either a few more before or a few more after.
    sure, more = (20, 12) if width == SHORTEST else (2 * period, period // 2)
    return _returns(code, here, sure, period) and (
        _returns(code, here - more, more, period) or _returns(code, here + sure, more, period)
    )


def _returns(code: str, at: int, length: int, period: int) -> bool:
    return at >= 0 and code[at : at + length] == code[at + period : at + period + length]


def _mark(deep: bytearray, run: tuple[int, int, int], width: int) -> None:
    """Mark where a window of this width and its return would lie inside the run, so that they tell nothing new."""
    length = run[1] - run[0] - 2 * width
    if length > 0:
        deep[run[0] : run[0] + length] = b"\1" * length


def _return(code: str, here: int, width: int) -> int:
    """After how many tokens, at most `width`, the window returns; 0 if it does not."""
    # CPython's `find` is sure to be linear only if the text is long and over three times the window (bpo-41972).
    reach = 2 * width if width < 1000 else 13 * width // 4
    there = code.find(code[here : here + width], here + 1, here + reach)
    return there - here if 0 < there <= here + width else 0


def _ahead(code: str, here: int, period: int) -> int:
    """How many tokens from `here` on equal the token one period later."""
    at, step, most = here, 64, len(code) - period
    while step:
        if at + step <= most and code[at : at + step] == code[at + period : at + period + step]:
            at, step = at + step, 2 * step
        else:
            step //= 2
    return at - here


def _back(code: str, here: int, period: int) -> int:
    """How many tokens before `here` equal the token one period later."""
    at, step = here, 64
    while step:
        if at >= step and code[at - step : at] == code[at + period - step : at + period]:
            at, step = at - step, 2 * step
        else:
            step //= 2
    return here - at


# --- drifting loops -------------------------------------------------------------------------------------------------


def _drift(text: str, words: list[str]) -> Loop | None:
    """The first stretch of stale text. Counters of any kind are read as the same token."""
    skipped = max(0, len(words) - MOST_TOKENS)
    tokens = words[skipped:]
    read = {token: _without_counter(token) for token in set(tokens)}
    code = _as_string([read[token] for token in tokens])
    grams = [code[at : at + GRAM] for at in range(len(code) - GRAM + 1)]
    if len(grams) - len(set(grams)) < COUNTED:
        return None  # most texts end here
    wordy = [read[token] not in ("0", "") and token[0].isalpha() for token in tokens]
    for first, end, stale in _stretches(grams, wordy):
        period = _distance(grams, first, end)
        turns = (end - first) // period
        if turns >= STALE_TURNS and (stale >= STALE_WORDS or _counts_on(tokens[first:end])):
            start = next(islice(_TOKEN.finditer(text), skipped + max(0, first - SATED * period), None)).start()
            return Loop("drift", start, period, SATED + turns)
    return None


def _without_counter(token: str) -> str:
    folded = token.casefold()
    return "0" if _COUNTER.fullmatch(folded) else folded


def _stretches(grams: list[str], wordy: list[bool]) -> Iterator[tuple[int, int, int]]:
    """Stretches of mostly stale grams (first, end, stale words): stale grams fill a credit, fresh ones use it up."""
    seen: dict[str, int] = {}
    first = credit = words = 0
    for at, gram in enumerate(grams):
        times = seen.get(gram, 0)
        seen[gram] = times + 1
        if times >= SATED:
            credit = min(credit + 1, CREDIT)
            words += wordy[at + GRAM - 1]
        elif credit > FRESH_COSTS:
            credit -= FRESH_COSTS
        else:
            if credit:
                yield first, at, words
            first, credit, words = at + 1, 0, 0
    if credit:
        yield first, len(grams), words


def _distance(grams: list[str], first: int, end: int) -> int:
    """The typical distance (upper median) between two occurrences of a gram within a stretch; its length if none."""
    last: dict[str, int] = {}
    distances = []
    for at in range(first, end):
        if grams[at] in last:
            distances.append(at - last[grams[at]])
        last[grams[at]] = at
    return sorted(distances)[len(distances) // 2] if distances else end - first


def _counts_on(tokens: list[str]) -> bool:
    """At least `COUNTED` steps of one from number to number, and no fewer than four fifths of all steps."""
    numbers = [int(token) for token in tokens if token.isdecimal() and len(token) < LONGEST_WORD]
    ones = sum(later == earlier + 1 for earlier, later in pairwise(numbers))
    return ones >= COUNTED and 5 * ones >= 4 * len(numbers)
