"""The codebook: what was opened early, how the study was done, and what every column and value means.

Words that people wrote stand in Markdown as they are read: no mark in them means anything.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from annotate_app.exporting.cells import Column
from annotate_app.exporting.outcomes import STATUSES
from annotate_app.protocol import AnnotationProtocol, Reason
from polibias.domain.display import visible
from polibias.domain.rubric import Dimension, Label, Rubric
from polibias.records.openings import Opening

MARKS = re.compile(r"([\\`*_\[\]<>|~&#!$]|(?<=\w)@(?=\w)|:(?=//)|(?<=www)\.)")
MEANINGS = {
    "submitted": "every question was answered and the answers were submitted",
    "skipped": "the annotator left the item, for the reason given",
    "unsure": "the annotator could not say, for the reason given",
    "draft": "begun and not finished",
    "open": "not begun",
    "released": "given up, so that somebody else could have the place",
    "withdrawn": "the annotator withdrew",
}


class Facts(NamedTuple):
    """What the codebook tells beside the columns. `counts` are places by status, first showings and repeats apart.

    `manifest` names the run, `head` the last event of a chain of `events`.
    """

    project: str
    run: str
    manifest: str
    seed: int
    rubric: Rubric
    protocol: AnnotationProtocol
    interims: Sequence[Opening]
    closed_at: str
    first_at: str
    last_at: str
    annotators: int
    working: int
    withdrawn: int
    items: int
    pairs: int
    models: Sequence[str]
    named: int
    counts: dict[str, dict[str, int]]
    checks: tuple[int, int]
    events: int
    head: str


class Table(NamedTuple):
    """A file with columns, and what a line of it is."""

    files: str
    line: str
    columns: Sequence[Column]


def codebook(facts: Facts, tables: Iterable[Table]) -> bytes:
    """The whole codebook as Markdown."""
    text = [f"# Codebook: human annotations of project {literal(facts.project)}", ""]
    text += [*_opened(facts), *_methods(facts), *_counts(facts), *_values(facts.rubric), *_rules(facts.protocol)]
    for table in tables:
        text += ["", f"## {table.files}", "", table.line]
        text += ["", "| column | type | meaning |", "|---|---|---|"] if table.columns else []
        text += [f"| {one.name} | {one.kind} | {literal(one.meaning)} |" for one in table.columns]
    return ("\n".join([*text, "", *_cells(), ""])).encode("utf-8")


def literal(text: str) -> str:
    """Foreign text within a line of Markdown: hidden characters are seen, and no mark means anything."""
    return MARKS.sub(r"\\\1", " ".join(visible(text).split()))


def _opened(facts: Facts) -> Iterator[str]:
    """First of all: who looked before the study was over, and why."""
    if facts.interims:
        yield f"**Opened before the study closed, {_times(len(facts.interims))}:**"
        yield ""
        for one in facts.interims:
            yield f"- {_time(one.at)} UTC, {one.annotations} annotations: {literal(one.reason)}"
        yield ""
    if not facts.closed_at:
        yield "**The study is still open: these files are not its result.**"
        yield ""


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _time(at: str) -> str:
    return at[:16].replace("T", " ") or "never"


def _methods(facts: Facts) -> Iterator[str]:
    """The paragraphs that a paper can take over."""
    wanted = facts.protocol.assignment
    end = f"closed at {_time(facts.closed_at)} UTC" if facts.closed_at else "is open"
    seen = _many(wanted.overlap, "annotator") if wanted.overlap else "every annotator"
    share = f"{_many(wanted.items_each, 'item')} each" if wanted.items_each else "all items"
    yield "## Methods"
    yield ""
    yield (
        f"{facts.working} of {_many(facts.annotators, 'invited annotator')} worked on {_many(facts.items, 'item')} "
        f"({_many(facts.pairs, 'pair')}; models: {', '.join(map(literal, facts.models))}), from "
        f"{_time(facts.first_at)} to {_time(facts.last_at)} UTC; the study {end}. They saw both "
        f"prompts and both responses of an item side by side, without model, judge or design, and "
        f"answered the rubric '{literal(facts.rubric.id)}'. Each item was "
        f"meant for {seen}, each annotator was to get {share}. Order and the version shown first (balanced within "
        f"annotator and block){_hidden(facts.protocol)} were drawn by keyed hash from seed {facts.seed} and stored "
        "before the first page; this export drew them again and found them the same."
    )
    yield ""
    yield f"{_left_out(facts)} {_named(facts)}"
    yield ""
    if facts.protocol.withdrawal == "remove" and facts.withdrawn and facts.interims:
        yield (
            "No table holds what somebody who withdrew had answered. Rows that an export before the end wrote stay in "
            f"`{facts.project}.jsonl`, which only grows, superseded but readable: do not share that file."
        )
        yield ""
    yield f"- Run: {literal(facts.run)}, manifest {facts.manifest}"
    yield f"- Event chain: {facts.events} events, whole, last {facts.head}; the tables say what it tells"
    yield ""


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _hidden(protocol: AnnotationProtocol) -> str:
    """The repeats and instructed responses that a full share has, where there are any."""
    wanted, found = protocol.assignment, ""
    if wanted.repeats:
        found += (
            f", {_many(wanted.repeats, 'repeat')} at least {wanted.repeat_gap} places later with the versions exchanged"
        )
    return found + (f", {_many(wanted.checks, 'instructed response')} each" if wanted.checks else "")


def _left_out(facts: Facts) -> str:
    """Who is left out, and who is not."""
    kept = "left out" if facts.protocol.withdrawal == "remove" else "kept"
    gone = f"{_many(facts.withdrawn, 'annotator')} withdrew, and what they answered is {kept}, as the protocol says."
    passed, asked = facts.checks
    checks = (
        f"Of {_many(asked, 'answer')} to instructed responses {passed} were as instructed; nobody is excluded for a"
    )
    return f"{gone if facts.withdrawn else 'Nobody withdrew.'} {f'{checks} failed check.' if asked else ''}".strip()


def _named(facts: Facts) -> str:
    """How many items are not quite blind."""
    return f"Items in which a response names its own model (`names_itself`): {facts.named}."


def _counts(facts: Facts) -> Iterator[str]:
    yield "| status | first showings | repeats | meaning |"
    yield "|---|---:|---:|---|"
    for status in STATUSES:
        first, repeat = (facts.counts[showing].get(status, 0) for showing in ("first", "repeat"))
        yield f"| {status} | {first} | {repeat} | {MEANINGS[status]} |"
    first, repeat = (sum(facts.counts[showing].values()) for showing in ("first", "repeat"))
    yield f"| all | {first} | {repeat} | as many as in the database |"


def _values(rubric: Rubric) -> Iterator[str]:
    yield from ("", "## Questions and values", "", f"{literal(rubric.title)}. {literal(rubric.form.intro)}", "")
    for dimension in rubric.dimensions:
        yield from _dimension(rubric, dimension)
    zero = (
        " With a score of 0 nobody is asked who is favoured: the record says none." if rubric.zero_favours_none else ""
    )
    yield (
        f"**Favoured** ({literal(rubric.favoured.title)}): {literal(rubric.favoured.human)} A and B are the versions "
        f"of the pair as they are stored, whatever stood on the left; none is neither.{zero}"
    )
    if rubric.levels:
        yield from ("", f"**Score** ({literal(rubric.form.scale_question)}):")
        yield from ("", *(f"- {one.score}, {literal(one.title)}: {literal(one.human)}" for one in rubric.levels))
    for label in (label for label in rubric.labels if "human" in label.asked):
        yield from _label(label)


def _dimension(rubric: Rubric, one: Dimension) -> Iterator[str]:
    asks = "score and favoured version" if one.asks == "score" else "favoured version alone"
    yield f"- **{literal(one.id)}** ({literal(one.title)}; {asks}): {literal(one.human)}"
    if one is rubric.dimensions[-1]:
        yield ""


def _label(label: Label) -> Iterator[str]:
    """A label's options; those that ascend rate a response by their place."""
    yield ""
    yield f"**{literal(label.id)}** ({literal(label.title)}; of each response): {literal(label.human)}"
    yield ""
    for place, option in enumerate(label.options, start=1):
        rating = f", rating {place}" if label.ordinal else ""
        yield f"- `{option.id}`{rating}: {literal(option.human)}"


def _rules(protocol: AnnotationProtocol) -> Iterator[str]:
    """What annotators were told and could choose from."""
    yield from ("", "## The protocol", "")
    for term, words in protocol.terms().items():
        yield f"- {term}: {literal(words)}"
    yield f"- withdrawal ({protocol.withdrawal}): {literal(protocol.withdrawal_note)}"
    practice, wanted = protocol.practice, protocol.assignment
    yield (
        f"- practice: {len(practice.items)} items, {practice.threshold:.0%} of the expected answers to pass, "
        f"at most {practice.tries} attempts"
    )
    yield f"- a place that nobody touched for {wanted.reopen_after_hours:g} hours could go to another annotator"
    for name in ("skip", "unsure", "flag"):
        reasons: tuple[Reason, ...] = getattr(protocol.reasons, name)
        yield f"- reasons to {'be unsure' if name == 'unsure' else name}:"
        yield from (f"  - `{one.id}`: {literal(one.text)}" for one in reasons)


def _cells() -> Iterator[str]:
    yield "## Cells"
    yield ""
    yield "CSV files are UTF-8 with one header line; an empty cell is a missing value. A cell that a spreadsheet could"
    yield "run as a formula has one apostrophe more in front. The Parquet file has none of these."
    yield "A text with a sign that not every reader gives back (NUL, carriage return, a lone surrogate) stands as a"
    yield "JSON string, and `escaped` names its column."
