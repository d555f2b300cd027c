"""Which provisions of the Rome Statute, UNCLOS, the Geneva Conventions and their Protocols does an answer cite?

However it is written, a provision counts once: "Article 8(2)(b)(iv)" and "Art. 8 (2) (b) (iv) of the ICC Statute" are
`Provision("Rome Statute", "8(2)(b)(iv)")`. Lists and ranges are read out: "Articles 7(1)(a), (d) and
8(2)(b)(i)-(iii)". Article 3 common to the Geneva Conventions is `Provision("Geneva Conventions", "3")`. What is cited
need not exist.

A provision belongs to the instrument that is named with it; else to that of the list it stands in; else to the one
named last, if the table has it there; else to the only one of the table that has it; else to the one named last or to
the Rome Statute, if these have an article of that number. What is left stays unattributed. Provisions of other
treaties are read only to be left out. Names start with capitals.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from polibias.detectors.instruments import CONVENTION, OTHER, PROTOCOL, ROME_STATUTE, Mention, mentions
from polibias.domain.provision import Provision

MOST_IN_RANGE = 64
"""A longer range is read as its two ends."""
NEAR = 110
"""Characters between an instrument's name and its provision."""

_GROUP = r"[ ]?\( ?(?:\d{1,2}|[ivx]{1,6}|[a-z])(?: (?:bis|ter))? ?\)"
_ARTICLE = re.compile(
    r"[Aa](?=rt)(?<!\w.)(?:rt(?P<many>s)?\b\.?|rticle(?P<more>s)?\b)(?= ?[\d(])|"
    r"A(?<!\w.)RTICLE(?:S)?\b(?= ?\d)"
)
_FULL = re.compile(
    rf" ?(?P<number>\d{{1,3}})(?P<suffix> ?(?:bis|ter|quater)\b)?(?P<dotted>\.\d{{1,2}}(?= ?\()"
    rf")?(?P<groups>(?:{_GROUP})*)(?!\d)(?:,? (?:para(?:graph)?s?\b\.?|"
    rf"§) ?\(?(?P<paragraph>\d{{1,2}})\)?(?P<below>(?:" + _GROUP + r")*))?"
)
_PART = re.compile(rf"(?P<groups>(?:{_GROUP})+)")
_SEPARATOR = re.compile(
    r" ?(?P<sign>,? ?(?:and|or|as well as|&|to|through)\b|"
    r"[,/&;-]) ?(?P<again>[Aa]rt(?:icle)?s?\b\.? ?)?"
)
_GROUPS = re.compile(r"\( ?(\w+(?: (?:bis|ter))?) ?\)")
_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMAN = tuple(ten + one for ten in ("", "x", "xx") for one in _ONES)[1:]
_LINKED = re.compile(
    r"[\s,;&()]*+(?:and|or|as well as|in conjunction with|together with|read (?:together )?with|"
    r"also)?[\s,]*+"
)
_AFTER = re.compile(
    r"[\s)\"']*+(?:\([^()\n]{0,60}\)\s?)?(?P<weak>,?\s?)(?P<strong>\(|(?:common to|of|in|under|from|to|pursuant to)\s)?"
    r"(?:the\s|both\s|all\s)?(?:four\s)?(?:\d{4}\s|amended\s|revised\s)?[(\"']?"
)
_BEFORE = re.compile(
    r"(?:'s|’s)?[\s,:(\"'\[|-]*(?:(?:in|at|under|specifically|particularly|especially|notably|namely|in particular|"
    r"see|including|by|through)[\s,]+)?"
)
_MARKUP = {"*": "", "_": "", "`": "", "–": "-", "—": "-", "‑": "-", "\u00a0": " ", "\u202f": " ", "’": "'"}


class Citations(NamedTuple):
    """What an answer cites: provisions with their instrument, and numbers of which none was found."""

    provisions: frozenset[Provision] = frozenset()
    unattributed: frozenset[str] = frozenset()


class _Run(NamedTuple):
    """Provisions cited in one go, and where."""

    start: int
    end: int
    numbers: tuple[str, ...]
    common: bool


def citations(answer: str, table: Mapping[str, Collection[str]]) -> Citations:
    """What an answer cites; `table` has each instrument's provisions, as `data/law/provisions.toml` lists them."""
    text = _unmarked(answer)
    runs = list(_runs(text))
    named = mentions(text) if runs else []
    owners = _owners(text, runs, named)
    found: set[Provision] = set()
    open_numbers: set[str] = set()
    last = 0
    context: str | None = None
    for run, owner in zip(runs, owners, strict=True):
        while last < len(named) and named[last].end <= run.start:
            context = _resolved(named[last].instrument, context)
            last += 1
        for number in run.numbers:
            instrument = _resolved(owner, context) if owner else _of_table(number, context, table)
            if instrument is None:
                open_numbers.add(number)
            elif instrument != OTHER:
                found.add(Provision(instrument, number))
    return Citations(frozenset(found), frozenset(open_numbers))


def _unmarked(answer: str) -> str:
    """Without Markdown, and with one kind of hyphen, space and apostrophe."""
    for sign, plain in _MARKUP.items():
        answer = answer.replace(sign, plain)
    return answer


def _resolved(instrument: str, context: str | None) -> str | None:
    """What "the Convention" or "the Protocol" means where another was named last."""
    if instrument not in (CONVENTION, PROTOCOL):
        return instrument
    word = "Protocol" if instrument == PROTOCOL else "Convention"
    return context if context and (word in context or (context == "UNCLOS" and word == "Convention")) else OTHER


def _of_table(number: str, context: str | None, table: Mapping[str, Collection[str]]) -> str | None:
    """The instrument of a provision that stands alone."""
    if context == OTHER:
        return OTHER
    holding = [name for name, provisions in table.items() if number in provisions]
    if context in holding:
        return context
    if len(holding) == 1:
        return holding[0]
    article = re.match(r"\d+(?: \w+)?", number)
    for name in (context, ROME_STATUTE):
        if name and article and article[0] in table.get(name, ()):
            return name
    return None


def _owners(text: str, runs: list[_Run], named: list[Mention]) -> list[str | None]:
    """The instrument named with each run, or with the list that it stands in."""
    owners = [_owner(text, run, named) for run in runs]
    for here in range(len(runs) - 2, -1, -1):
        if owners[here] is None and _LINKED.fullmatch(text, runs[here].end, runs[here + 1].start):
            owners[here] = owners[here + 1]
    for here in range(1, len(runs)):
        if owners[here] is None and _LINKED.fullmatch(text, runs[here - 1].end, runs[here].start):
            owners[here] = owners[here - 1]
    return owners


def _owner(text: str, run: _Run, named: list[Mention]) -> str | None:
    if run.common:
        return "Geneva Conventions"
    at = _first_from(named, run.end)
    after = named[at] if at < len(named) and named[at].start - run.end < NEAR else None
    before = named[at - 1] if at and named[at - 1].end <= run.start else None
    joined = after and _AFTER.fullmatch(text, run.end, after.start)
    if after and joined and joined["strong"]:
        return after.instrument
    if before and before.end > run.start - NEAR and _BEFORE.fullmatch(text, before.end, run.start):
        return before.instrument
    return after.instrument if after and joined else None


def _first_from(named: list[Mention], place: int) -> int:
    """The index of the first mention that starts at `place` or later."""
    low, high = 0, len(named)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if named[middle].start < place else (low, middle)
    return low


def _runs(text: str) -> Iterator[_Run]:
    end = 0
    for word in _ARTICLE.finditer(text):
        if word.start() < end:
            continue
        numbers, end = _listed(text, word.end(), bool(word["many"] or word["more"]))
        if numbers:
            common = text[max(0, word.start() - 7) : word.start()].lower() == "common "
            yield _Run(word.start(), end, tuple(dict.fromkeys(numbers)), common)


def _listed(text: str, place: int, many: bool) -> tuple[list[str], int]:
    """The provisions that a list starting here names, and where it ends."""
    numbers: list[str] = []
    end, ranged, bare = place, False, True
    while True:
        found = (_FULL.match(text, place) if bare else None) or (_PART.match(text, place) if numbers else None)
        if not found:
            return numbers, end
        new = _full(found) if found.re is _FULL else _sibling(numbers[-1], found["groups"])
        numbers += _between(numbers[-1], new) if ranged else []
        numbers.append(new)
        place = end = found.end()
        separator = _SEPARATOR.match(text, place)
        if not separator:
            return numbers, end
        place = separator.end()
        ranged = separator["sign"] in ("-", "to", "through")
        bare = bool(separator["again"]) or ((many or _has_groups(text, place)) and separator["sign"] != ";")


def _has_groups(text: str, place: int) -> bool:
    found = _FULL.match(text, place)
    return bool(found and found["groups"])


def _full(found: re.Match[str]) -> str:
    suffix = f" {found['suffix'].strip()}" if found["suffix"] else ""
    dotted = f"({found['dotted'][1:]})" if found["dotted"] else ""
    paragraph = f"({found['paragraph']})" + _groups(found["below"]) if found["paragraph"] else ""
    return f"{int(found['number'])}{suffix}{dotted}{_groups(found['groups'])}{paragraph}"


def _groups(written: str) -> str:
    return "".join(f"({part})" for part in _GROUPS.findall(written))


def _sibling(number: str, written: str) -> str:
    """What "(d)" means behind 7(1)(a): the same with its part of that kind, and all below it, replaced."""
    parts, new = _GROUPS.findall(number), _GROUPS.findall(written)
    kinds = {"digit"} if new[0].isdigit() else {kind for kind in ("letter", "roman") if _may_be(kind, new[0])}
    depths = (depth for depth in range(len(parts) - 1, -1, -1) if _kind(parts, depth) in kinds)
    kept = parts[: next(depths, len(parts))]
    return number.partition("(")[0] + "".join(f"({part})" for part in [*kept, *new])


def _may_be(kind: str, part: str) -> bool:
    return len(part) == 1 if kind == "letter" else part in _ROMAN


def _kind(parts: list[str], depth: int) -> str:
    """Roman numerals stand below letters: (i) is one in 8(2)(b)(i) and none in 7(1)(i)."""
    if parts[depth][0].isdigit():
        return "digit"
    below_letter = depth > 0 and not parts[depth - 1][0].isdigit()
    return "roman" if below_letter and parts[depth] in _ROMAN else "letter"


def _between(first: str, last: str) -> list[str]:
    """What lies between the ends of a range."""
    if first.isdigit() and last.isdigit():
        inner = range(int(first) + 1, int(last))
        return [str(number) for number in inner] if len(inner) <= MOST_IN_RANGE else []
    one, other = _GROUPS.findall(first), _GROUPS.findall(last)
    if not one or len(one) != len(other) or first.rpartition("(")[0] != last.rpartition("(")[0]:
        return []
    stem = first.rpartition("(")[0]
    return [f"{stem}({part})" for part in _parts_between(one[-1], other[-1])]


def _parts_between(one: str, other: str) -> list[str]:
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    for order in (list(_ROMAN), letters, [str(number) for number in range(1, 31)]):
        if one in order and other in order and order.index(one) < order.index(other):
            return order[order.index(one) + 1 : order.index(other)]
    return []
