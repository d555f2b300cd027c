"""Which country of a topic is favoured, over all models, beside the same items by another prompt and with names hidden.

A side is a country where the two exchange roles. A masked pair's side is its country as the records have it, whatever
the judge called it. Source: paper, App. I, Table 16.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polibias.analysis.cases import Case
from polibias.analysis.cells import absent, count
from polibias.analysis.consistency import intervals_of
from polibias.analysis.copied import Copied
from polibias.analysis.detected import EVERY_MODEL
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.frames import direction
from polibias.analysis.gathered import Gathered
from polibias.analysis.pbi import Tables
from polibias.analysis.placeholders import preference
from polibias.analysis.together import Chosen, Together, groups_and_all, marks_of, shared, stream_of

if TYPE_CHECKING:
    import pandas as pd

FAVOURED = "favoured"
NO_COMPLETE = "no complete pair"
NO_DIRECTION = "no pair with a direction"
NOT_SWAPPED = "the versions do not exchange sides, so A and B are no countries"
SEVERAL_COPIED = "the copies are of pairs of several conditions"
NOT_COPIED = "the judge read no such copy"
DAGGER = "†"
OTHER_KEY = "other prompt"
NEITHER = "neither"
EVEN = 0.5
SIDED = ("A", "B")
CAPTION = (
    "Complete pairs of all models that favour A, B or neither, from both orders together, and the share of A among "
    "those with a direction. A and B are the two of the {topic} in the order of its name. Descriptive: small leans can "
    "have many reasons, and invented countries show them too. {intervals}"
)
OTHER_CAPTION = (
    " Other prompt: whom the judge task of the run '{name}' favours by the same rule, over its complete pairs of the "
    f"same items; {DAGGER} where that is the other one than here, so that the lean does not survive another question. "
    "Same side: of the pairs with a direction by both prompts, the share that favours the same one."
)
COPY_CAPTION = (
    " Names shown and names hidden: the share of A over pairs that are complete both ways, first as asked, then in the "
    "copy whose countries are hidden; a hidden country is counted as what it is. Each share rests on the pairs that "
    "have a direction in its own reading."
)
COLUMNS = (
    Column("A", "Favours A", "count"),
    Column("B", "Favours B", "count"),
    Column("none", "Neither", "count"),
    Column("share", "Share A", "share"),
    Column("neutral", "Neither, share", "share"),
)


class Other(NamedTuple):
    """The run that has the same items by another judge task, and what it is called."""

    name: str
    run: Gathered


class Beside(NamedTuple):
    """What stands beside a run's own directions: the side by the other prompt of each case of the frame, in its order
    ("" without a complete pair; None without such a run), and the readings of copies whose countries are hidden.
    `countries` are A and B of each topic.
    """

    name: str
    sides: Sequence[str] | None
    copies: Sequence[Copied]
    countries: Mapping[str, Mapping[str, str]] = {}


ALONE = Beside("", None, ())
"""Nothing stands beside."""


def beside(cases: Sequence[Case], other: Other | None, copies: Sequence[Copied]) -> Beside:
    """`cases` are those of the frame, in its order; of `copies`, those with hidden countries count."""
    hidden = [one for one in copies if one.masked]
    if other is None:
        return Beside("", None, hidden)
    known = _sides(other.run)
    swapped = [case.pair for case in cases if case.pair.design.roles == "swapped"]
    countries = {
        pair.design.topic: {"A": pair.acting.A.removeprefix("the "), "B": pair.acting.B.removeprefix("the ")}
        for pair in swapped
    }
    return Beside(other.name, [known.get(_item(case), "") for case in cases], hidden, countries)


def _sides(run: Gathered) -> dict[tuple[str, ...], str]:
    """The side of each item that is complete; an item with several pairs has none."""
    found: dict[tuple[str, ...], str] = {}
    for case in run.cases:
        if case.original is None:
            rubric, item = run.rubrics[case.pair.design.condition], _item(case)
            side = direction(case.net(rubric), rubric) if case.complete else ""
            found[item] = "" if item in found else side
    return found


def _item(case: Case) -> tuple[str, ...]:
    design = case.pair.design
    return case.judge, case.model, design.condition, design.template, design.topic, design.task


def other_marks(cases: Sequence[Case], other: Other) -> dict[tuple[str, str, str], list[str]]:
    """By judge, model and pair, the words by which cells about the other prompt select a pair of this run."""
    known, found = _sides(other.run), {}
    for case in cases:
        side = known.get(_item(case), "") if case.original is None else ""
        if side:
            found[case.judge, case.model, case.pair_id] = [f"other_directed={'no' if side == 'none' else 'yes'}"]
    return found


def favoured_table(tables: Tables, at_side: Beside = ALONE) -> Table:
    """By judge, condition and topic, over all models together; topics in the order of their categories."""
    columns = (*COLUMNS, *_columns(at_side))
    rows = []
    for keys, group in groups_and_all(tables):
        if keys["model"] == EVERY_MODEL or tables.everything["model"].nunique() == 1:
            hidden = _hidden(tables, keys, at_side.copies)
            for (category, topic), cells in _favoured(tables, group, keys, at_side).items():
                cells |= hidden[topic]
                named = (
                    {OTHER_KEY: _named(at_side.countries.get(topic, {}), cells)} if at_side.sides is not None else {}
                )
                rows.append(TableRow(keys | {"pair category": category, "topic": topic} | named, cells))
    topic = tables.rubric.report.topic.lower()
    caption = CAPTION.format(topic=topic, intervals=intervals_of(tables))
    caption += OTHER_CAPTION.format(name=at_side.name) if at_side.sides is not None else ""
    caption += COPY_CAPTION if at_side.copies else ""
    names = (*tables.keys, "pair category", "topic", *([OTHER_KEY] if at_side.sides is not None else []))
    return Table(FAVOURED, "Favoured side over all models", caption, names, columns, tuple(rows))


def _columns(at_side: Beside) -> Iterator[Column]:
    if at_side.sides is not None:
        yield Column("other", "Other prompt, share A", "share")
        yield Column("same", "Same side by both", "share")
    titles = dict.fromkeys((one.name, one.title) for one in at_side.copies)
    for name, title in titles:
        more = f" ({title})" if len(titles) > 1 else ""
        yield Column(f"shown:{name}", f"Names shown, share A{more}", "share")
        yield Column(f"hidden:{name}", f"Names hidden, share A{more}", "share")


def _topics(tables: Tables) -> list[tuple[str, str]]:
    """Category and topic, those of Main first. A topic of which no pair is complete stays, and says so."""
    asked = tables.everything[["block", "topic_category", "topic"]].drop_duplicates()
    return [(category, topic) for _, category, topic in sorted(
        asked.itertuples(index=False), key=lambda one: (one[0] != "main", *one[1:])
    )]  # fmt: skip


def _favoured(
    tables: Tables, rows: "pd.DataFrame", keys: Mapping[str, str], at_side: Beside
) -> dict[tuple[str, str], dict[str, Cell]]:
    """Counts, shares and their draws by topic."""
    topics, favours = _topics(tables), rows["direction"].to_numpy()
    swapped = bool((rows["roles"] == "swapped").all())
    named = np.isin(favours, SIDED)
    own = {topic: (rows["topic"] == topic).to_numpy(dtype=bool) for _, topic in topics}
    together = Together(tables, rows)
    for topic, chosen in own.items():
        together.share(f"{topic} share", favours == "A", chosen & named, NO_DIRECTION)
        together.share(f"{topic} neutral", favours == "none", chosen, NO_COMPLETE)
    found = together.estimates(stream_of(keys, FAVOURED))
    others = _other(tables, keys, at_side, swapped)
    cells = {}
    for category, topic in topics:
        where = marks_of(keys, topic=topic)
        counts = {side: int((own[topic] & (favours == side)).sum()) for side in (*SIDED, "none")}
        cells[category, topic] = {side: count(n, where | {"direction": side}) for side, n in counts.items()} | {
            "share": shared(found[f"{topic} share"], where | {"directed": "yes"}) if swapped else absent(NOT_SWAPPED),
            "neutral": shared(found[f"{topic} neutral"], where),
            **others[topic],
        }
    return cells


def _other(tables: Tables, keys: Mapping[str, str], at_side: Beside, swapped: bool) -> dict[str, dict[str, Cell]]:
    """What the other prompt says of each topic's items, whether or not they are complete by this one."""
    topics = [topic for _, topic in _topics(tables)]
    if at_side.sides is None:
        return {topic: {} for topic in topics}
    if not swapped:
        return {topic: dict.fromkeys(("other", "same"), absent(NOT_SWAPPED)) for topic in topics}
    asked = tables.everything
    for key, value in marks_of(keys).items():
        asked = asked[asked[key] == value] if key in tables.keys else asked
    other = np.array(at_side.sides, dtype="U4")[asked.index.to_list()]
    own = asked["direction"].to_numpy()
    both = np.isin(other, SIDED) & np.isin(own, SIDED)
    together = Together(tables, asked)
    for topic in topics:
        chosen: Chosen = (asked["topic"] == topic).to_numpy(dtype=bool)
        together.share(f"{topic} other", other == "A", chosen & np.isin(other, SIDED), NO_DIRECTION)
        together.share(f"{topic} same", other == own, chosen & both, NO_DIRECTION)
    found = together.estimates(stream_of(keys, FAVOURED, "other prompt"))
    everywhere = {key: value for key, value in marks_of(keys).items() if key != "complete"}
    marks = {"other": {}, "same": {"directed": "yes"}}
    return {
        topic: {
            name: shared(found[f"{topic} {name}"], everywhere | {"topic": topic, "other_directed": "yes"} | more)
            for name, more in marks.items()
        }
        for topic in topics
    }


def _hidden(tables: Tables, keys: Mapping[str, str], copies: Sequence[Copied]) -> dict[str, dict[str, Cell]]:
    """The shares of each topic with names shown and hidden, by every copy that the judge read."""
    topics = [topic for _, topic in _topics(tables)]
    names = [f"{what}:{one.name}" for one in copies for what in ("shown", "hidden")]
    found = {topic: dict.fromkeys(names, absent(NOT_COPIED)) for topic in topics}
    for one in copies:
        if one.judge == keys["judge"]:
            for topic, cells in _both_ways(one, keys, topics).items():
                found[topic] |= cells
    return found


def _both_ways(one: Copied, keys: Mapping[str, str], topics: Sequence[str]) -> dict[str, dict[str, Cell]]:
    """One judge's reading of one copy. Directions of a judge that prefers a placeholder are withheld."""
    shown, hidden = f"shown:{one.name}", f"hidden:{one.name}"
    conditions = {case.original.pair.design.condition for case in one.cases if case.original is not None}
    if "condition" in keys and conditions != {keys["condition"]}:
        reason = SEVERAL_COPIED if keys["condition"] in conditions else NOT_COPIED
        return {topic: dict.fromkeys((shown, hidden), absent(reason)) for topic in topics}
    together = Together(one.tables, one.frame)
    sides = {shown: one.frame["side_before"].to_numpy(), hidden: one.frame["direction"].to_numpy()}
    for topic in topics:
        chosen = one.placed & (one.frame["topic"] == topic).to_numpy(dtype=bool)
        for name, favours in sides.items():
            together.share(f"{topic} {name}", favours == "A", chosen & np.isin(favours, SIDED), NO_DIRECTION)
    found = together.estimates(stream_of(keys, FAVOURED, one.name))
    withheld = preference(one).withheld
    marks = {shown: {"directed_before": "yes"}, hidden: {"directed": "yes"}}
    return {
        topic: {
            name: absent(withheld)
            if withheld and name == hidden
            else shared(found[f"{topic} {name}"], one.where | {"topic": topic, "placed": "yes"} | marks[name])
            for name in sides
        }
        for topic in topics
    }


def lean(one: Cell) -> str:
    """The side that most pairs with a direction favour; "" where none does, or none has one."""
    if one.value is None or one.value == EVEN:
        return ""
    return "A" if one.value > EVEN else "B"


def contrary(cells: Mapping[str, Cell]) -> bool:
    """Whether the other prompt favours the other side."""
    both = {lean(cells["share"]), lean(cells["other"])}
    return both == set(SIDED)


def _named(countries: Mapping[str, str], cells: Mapping[str, Cell]) -> str:
    """Whom the other prompt favours, and the mark where that is another one than here."""
    if cells["other"].value is None:
        return "–"
    side = lean(cells["other"])
    return f"{countries.get(side, side)} {DAGGER}" if contrary(cells) else countries.get(side, side) or NEITHER


def favoured_in_words(tables: Sequence[Table]) -> Iterator[str]:
    """How many topics another prompt leans otherwise in, by judge; nothing where no other prompt stands beside."""
    for table in tables:
        if table.id != FAVOURED or OTHER_KEY not in table.keys:
            continue
        names = [key for key in ("judge", "condition") if key in table.keys]
        groups: dict[tuple[str, ...], list[TableRow]] = {}
        for row in table.rows:
            groups.setdefault(tuple(row.keys[name] for name in names), []).append(row)
        for who, rows in groups.items():
            both = [row for row in rows if lean(row.cells["share"]) and lean(row.cells["other"])]
            against = [row.keys["topic"] for row in both if contrary(row.cells)]
            listed = f" ({', '.join(against)})" if against else ""
            said = f"the other prompt leans to the other side in {len(against)} of {len(both)} topics{listed}"
            yield f"Favoured sides, judged by {', '.join(who)}: {said}. Descriptive, without a test."
