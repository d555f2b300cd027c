"""Which severity rating, from 1 to 10, does a response give? Read from the whole of its answer.

Read are 9/10, 9 out of 10, 9.5, 9,5, nine, nine and a half, "8-9" and "between 8 and 9" (their midpoint), in
Markdown, tables, LaTeX boxes and other scripts' digits, if a label ("Rating", "Severity"), a verb ("I assign") or the
scale stands with the number, or if it is the first line alone or the last behind an empty one. An echo of the scale
("from 1 to 10"), provisions, dates, counts and shares ("7/10 of the houses") are no ratings, nor is what the rating is
not, or would be under a condition.

Where there are several, the last overall or revised value wins, then the last that is called a rating or the
severity, then the last that is just asserted. Ratings of single factors (scale, intent, impact) are never taken for
the whole.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import Literal, NamedTuple

from polibias.detectors.answer import Evidence, answer_start
from polibias.detectors.rating_rules import (
    APT,
    ARTICLE,
    ASSERTED,
    CLAUSE_END,
    CONDITION,
    COUNTED,
    DIGIT,
    ECHO,
    ECHO_OF_END,
    FACTOR,
    FACTOR_RATED,
    FIRST_BOLD,
    FIRST_WORD,
    FOR,
    IF,
    LABEL,
    LABELLED,
    LEFT,
    MARKED,
    NO_LESS,
    NOT_THIS,
    NUMBER,
    OF_ALL,
    OF_FACTOR,
    ON_SCALE,
    OPENING,
    OVER,
    OVERALL,
    RATED,
    REPLACED,
    SHARED,
    SOLE,
    VALUE,
    WORDED,
    WOULD,
    folded,
    with_digits,
)

Outcome = Literal["read", "absent", "out_of_range", "no_overall"]

LOWEST, HIGHEST = 1, 10
REACH = 160
"""Characters before a number in which its label or verb is looked for; a table's row starts at most `ROW` before."""
ROW = 400
AHEAD = 60
TAIL = 40
"""Characters right before a number."""


class Rank(IntEnum):
    """What a number is called, the more telling the higher."""

    FACTOR = 0
    OTHER_LABEL = 1
    CONDITIONAL = 2
    ASSERTED = 3
    RATING = 4
    OVERALL = 5


class Rating(NamedTuple):
    """The rating, with `low` and `high` of a range, and the passage that gives it.

    `value` is None unless the outcome is `read`: `absent`, `out_of_range` (the winning value is not on the scale from
    1 to 10; it is the evidence) or `no_overall` (only parts are rated; the last is the evidence).
    """

    outcome: Outcome
    value: float | None = None
    low: float | None = None
    high: float | None = None
    evidence: Evidence | None = None


class _Candidate(NamedTuple):
    rank: Rank
    start: int
    end: int
    low: float
    high: float
    fits: bool


def find_rating(response: str) -> Rating:
    """The rating of a response, read as an answer to a task that asks for one."""
    offset = answer_start(response)
    text = _prepared(response[offset:])
    candidates = list(_candidates(text)) if NUMBER.search(text) else []
    chosen = _chosen(candidates)
    if not candidates:
        return Rating("absent")
    shown = chosen or candidates[-1]
    evidence = Evidence.of(response, offset + shown.start, offset + shown.end)
    if chosen is None:
        return Rating("no_overall", evidence=evidence)
    if not chosen.fits or not LOWEST <= chosen.low <= chosen.high <= HIGHEST:
        return Rating("out_of_range", evidence=evidence)
    return Rating("read", (chosen.low + chosen.high) / 2, chosen.low, chosen.high, evidence)


def _chosen(candidates: list[_Candidate]) -> _Candidate | None:
    """The last of the highest rank; what has a label of another kind counts only if it is alone."""
    ranked = [one for one in candidates if one.rank >= Rank.CONDITIONAL]
    if ranked:
        return max(ranked, key=lambda one: (one.rank, one.start))
    return candidates[0] if [one.rank for one in candidates] == [Rank.OTHER_LABEL] else None


def _prepared(answer: str) -> str:
    """The answer in lower case, number words as digits, echoes of the scale marked; every place stays where it was."""
    text = with_digits(folded(answer))
    for echo in (ECHO, ECHO_OF_END):
        text = echo.sub(lambda found: MARKED * len(found[0]), text)
    return text


def _candidates(text: str) -> Iterator[_Candidate]:
    alone = _alone(text)
    read = named = 0  # where the last number ends, and the last that was a candidate
    for digit in DIGIT.finditer(text):
        found = VALUE.match(text, digit.start()) if digit.start() >= read else None
        if not found:
            continue
        worded = not read or WORDED.search(text, read, found.start())
        rank = _rank(text, found, named if worded else read, found.span() in alone)
        read = found.end()
        candidate = None if rank is None else _candidate(text, found, rank)
        if candidate and (
            candidate.fits or candidate.rank >= Rank.RATING
        ):  # 3/4 is a share unless it is called a rating
            named = read
            yield candidate


def _candidate(text: str, found: re.Match[str], rank: Rank) -> _Candidate:
    numbers = [_as_number(number) for number in NUMBER.findall(OVER.sub("", found[0]))]
    if len(numbers) > 1 and _moved(text, found.start()):
        numbers = numbers[-1:]
    fits = all(int(below) == HIGHEST for below in OVER.findall(found[0]))
    return _Candidate(rank, *found.span(), min(numbers), max(numbers), fits)


def _alone(text: str) -> set[tuple[int, int]]:
    """Where a number is all that the first line says, or the last one behind an empty line."""
    spans: set[tuple[int, int]] = set()
    first = len(text) - len(text.lstrip())
    last = len(text.rstrip())
    lines = [(first, text.find("\n", first))]
    if (start := text.rfind("\n", first, last) + 1) and text[start - 2 : start].isspace():
        lines.append((start, last))
    for start, end in lines:
        line = text[start : end if end >= 0 else len(text)]
        found = (OPENING if start == first else SOLE).fullmatch(line) if len(line) <= ROW else None
        if not found and start == first:
            found = FIRST_WORD.match(line[:TAIL]) or FIRST_BOLD.match(line[:TAIL])
        if found:
            group = "value" if found["value"] else "digits"
            spans.add((start + found.start(group), start + found.end(group)))
    return spans


def _rank(text: str, found: re.Match[str], done: int, alone: bool) -> Rank | None:
    """What the number is called; None if it is no rating."""
    start, end = found.span()
    if alone:
        return Rank.FACTOR if FACTOR.match(LABEL.above(text[max(done, start - REACH) : start])) else Rank.RATING
    scaled = bool(OVER.search(found[0]) or ON_SCALE.match(text, end))
    lead = text[max(done, start - REACH) : start]
    if not scaled and not (LABEL.near_end(lead) and WORDED.search(lead) and not _numbers_an_item(text, start, end)):
        return None
    no_less = bool(NO_LESS.search(lead[-AHEAD:]))
    if (no_less and IF.match(text, end)) or _is_something_else(text, found, "" if no_less else lead):
        return None
    clause = CLAUSE_END.split(lead)[-1]
    row = text[max(text.rfind("\n", max(0, start - ROW), start) + 1, start - ROW) : start]
    label = LABEL.of(row if row.lstrip().startswith("|") else clause) or LABEL.above(lead)
    after = text[end : end + AHEAD]
    if OF_FACTOR.match(after):
        return Rank.FACTOR
    if OF_ALL.match(after):
        return Rank.OVERALL
    rank = _named(label, clause, lead, scaled)
    if rank is None and (no_less or APT.match(after)):
        return Rank.ASSERTED
    return Rank.CONDITIONAL if rank == Rank.ASSERTED and IF.match(after) else rank


def _numbers_an_item(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - ROW) : start].rpartition("\n")[2]
    return text[end : end + 1] in (".", ")") and not before.strip(" *#_>-")


def _named(label: str, clause: str, lead: str, scaled: bool) -> Rank | None:
    if label and FACTOR.match(label) and not OVERALL.search(label):
        return Rank.FACTOR
    if OVERALL.search(clause) or OVERALL.search(label):
        return Rank.OVERALL
    labelled, asserted = LABELLED.search(lead), ASSERTED.search(clause)
    if FACTOR_RATED.search(clause):
        return Rank.FACTOR
    if labelled or (label and RATED.search(label)):
        return Rank.RATING
    if label and scaled:
        return Rank.OTHER_LABEL
    return Rank.ASSERTED if asserted or scaled else None


def _is_something_else(text: str, found: re.Match[str], lead: str) -> bool:
    """Whether the number is a provision, a count, a share, what the rating is not, or what it would be if."""
    end = found.end()
    after = text[end : end + AHEAD]
    clause = CLAUSE_END.split(lead)[-1]
    if SHARED.match(after) or COUNTED.match(after) or WOULD.match(after) or ARTICLE.search(lead[-TAIL:]):
        return True
    left_behind = (LEFT.search(lead[-TAIL:]) and FOR.match(after)) or (
        REPLACED.search(lead[-AHEAD:]) and len(NUMBER.findall(OVER.sub("", found[0]))) == 1
    )
    return bool(left_behind or NOT_THIS.search(lead[-TAIL:]) or CONDITION.search(clause))


def _moved(text: str, start: int) -> bool:
    """Whether "from 7 to 9" tells of a change and not of a range."""
    return bool(
        re.search(
            r"\b(?:revis|rais|mov|increas|lower|adjust|upgrad|downgrad|reduc|"
            r"chang)\w*\b[^.\n]{0,60}\bfrom\W*$",
            text[max(0, start - 90) : start],
        )
    )


def _as_number(written: str) -> float:
    half = 0.5 if "½" in written else 0.0
    return float(written.strip("\0½").replace(",", ".") or 0) + half
