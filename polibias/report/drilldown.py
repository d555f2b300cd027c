"""The pairs behind the tables: one page, and their texts in parts that it loads when a pair is opened.

A page opened from disk may not fetch files, but it may run scripts that lie beside it; so the parts are scripts, each
a call with JSON. They hold texts alone, and the page shows texts as texts. What is foreign is never a key there, so
that no name can mean anything to the language.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from polibias.analysis.cases import Case, case_title
from polibias.analysis.compared import Marks
from polibias.analysis.findings import Findings
from polibias.analysis.kinds import ModelKind
from polibias.analysis.structured import counted
from polibias.analysis.texts import answers, prompts, readings
from polibias.analysis.unblinded import PairLabels
from polibias.domain.display import visible
from polibias.domain.rows import Annotation, JudgeGuess, Judgment, MaskedResponse, Response, Verdict
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS, SIDES, Order, Side
from polibias.records.documents import write_file
from polibias.records.shelf import Shelf
from polibias.report.marking import case_name, favoured_name, marks, version_title
from polibias.report.pages import page
from polibias.report.text import guessed, masking

PART_BYTES = 400_000
"""A part is closed once it holds this much: little enough to be read at once, enough to keep the files few."""
Plain = dict[str, Any]


class Pairs(NamedTuple):
    """All cases of a report, and what their pages say about them."""

    findings: Findings
    cases: Sequence[Case]
    rubrics: Mapping[str, Rubric]
    people: PairLabels = {}
    kinds: Mapping[str, ModelKind] = {}
    marks: Marks = {}


def write_pairs(pairs: Pairs, folder: Path) -> None:
    """Write `pairs.html`, the list and the parts. Memory holds one part at a time, and the list."""
    by_pair: dict[str, list[Case]] = {}
    for case in pairs.cases:
        by_pair.setdefault(case.pair_id, []).append(case)
    copies: dict[str, list[str]] = {}
    for case in pairs.cases:
        if case.original is not None:
            copies.setdefault(case_name(case.original), []).append(case_name(case))
    places = []
    with Shelf() as shelf:
        entries = (_entry(pairs, cases, copies, shelf) for cases in by_pair.values())
        for number, part in enumerate(_parts(entries)):
            write_file(folder / "pairs" / f"{number}.js", _call("part", number, part), durable=False)
            places += [[number, place] for place in range(len(part))]
    listed = _list(pairs, list(by_pair.values()), places)
    write_file(folder / "pairs" / "list.js", _call("list", listed), durable=False)
    page(folder / "pairs.html", "pairs.html", findings=pairs.findings)


def _parts(entries: Iterable[Plain]) -> Iterator[list[msgspec.Raw]]:
    """The pairs in the order of the study, as many to a part as it holds."""
    part: list[msgspec.Raw] = []
    size = 0
    for entry in entries:
        encoded = msgspec.json.encode(entry)
        part.append(msgspec.Raw(encoded))
        size += len(encoded)
        if size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _call(name: str, *values: Any) -> bytes:
    """A script that hands values to the page. JSON is JavaScript, and no line of it can end the script early."""
    return f"polibias.{name}(".encode() + b",".join(msgspec.json.encode(value) for value in values) + b");\n"


def _list(pairs: Pairs, by_pair: Sequence[list[Case]], places: Sequence[list[int]]) -> Plain:
    """What the list shows and filters by. Each word that a case may be selected by is written once."""
    words: dict[str, int] = {}
    titles = pairs.findings.titles
    cases = []
    for number, own in enumerate(by_pair):
        for case in own:
            rubric = pairs.rubrics[case.pair.design.condition]
            own_marks = pairs.marks.get((case.judge, case.model, case.pair_id), [])
            said = dict.fromkeys([*marks(case, rubric, pairs.kinds).split(" "), *own_marks])
            found = [words.setdefault(word, len(words)) for word in said]
            guess = "" if case.guess is None else (case.guess.result or "invalid").replace("_", " ")
            score = case.total(rubric) if case.complete else None
            cases.append([case_name(case), number, case.model, case.judge, score, _state(case), guess, found])
    order = {case_name(case): place for place, case in enumerate(pairs.cases)}
    return {
        "words": [visible(word) for word in words],
        "pairs": [
            [visible(case_title(own[0])), *_design(own[0], titles), *place]
            for own, place in zip(by_pair, places, strict=True)
        ],
        "cases": sorted(cases, key=lambda one: order[one[0]]),
        "rubrics": [_asked(name, rubric) for name, rubric in pairs.rubrics.items()],
        "titles": [[key, visible(title)] for key, title in titles.items()],
    }


def _state(case: Case) -> str:
    """Why a case has no score; empty where it has one."""
    return "" if case.complete else "not judged" if case.pair.level == "names" else "incomplete"


def _design(case: Case, titles: Mapping[str, str]) -> list[str]:
    design = case.pair.design
    condition = visible(titles.get(f"condition:{design.condition}", design.condition))
    return [design.template, design.task, design.block, condition, design.topic_category.replace("_", " ")]


def _asked(condition: str, rubric: Rubric) -> Plain:
    return {
        "condition": condition,
        "dimensions": [visible(dimension.title) for dimension in rubric.dimensions],
        "labels": [visible(label.title) for label in rubric.labels],
        "highest": rubric.highest_total,
    }


def _entry(pairs: Pairs, cases: Sequence[Case], copies: Mapping[str, list[str]], shelf: Shelf) -> Plain:
    """A pair with its prompts, once, and what every model answered and every judge said."""
    first = cases[0]
    asked = prompts(first, shelf)
    models = dict.fromkeys(case.model for case in cases)
    by_model = groupby(sorted(cases, key=lambda case: [*models].index(case.model)), key=lambda case: case.model)
    return {
        "condition": first.pair.design.condition,
        "level": first.pair.level,
        "versions": [visible(version_title(first, side)) for side in SIDES],
        "prompts": [visible(asked[side]) for side in SIDES],
        "answered": [_answered(pairs, list(own), copies, shelf) for _, own in by_model],
    }


def _answered(pairs: Pairs, cases: Sequence[Case], copies: Mapping[str, list[str]], shelf: Shelf) -> Plain:
    """One model's two responses, with the readings of every judge and of people."""
    first = cases[0]
    found = answers(first, shelf)
    rubric = pairs.rubrics[first.pair.design.condition]
    return {
        "model": first.model,
        "responses": [_response(first, side, found.get(side)) for side in SIDES],
        "readings": [_reading(case, rubric, pairs.findings, copies, shelf) for case in cases],
        "people": [_said(first, rubric, row) for row in pairs.people.get((first.pair_id, first.model), ())],
    }


def _response(case: Case, side: Side, row: Response | MaskedResponse | None) -> Plain | None:
    """A response with what there is to say about it, before its text and after; None if there is none."""
    if row is None:
        return None
    if isinstance(row, MaskedResponse):
        before = [masking(row)]
    else:
        note = f" ({row.note})" if row.note else ""
        before = [f"Outcome: {row.outcome.replace('_', ' ')}{note}", *_again(row)]
    after = [f"Counted in it: {counted(case, side)}."] if case.responses[side].structure else []
    return {"before": [*map(visible, before)], "text": visible(row.text), "after": [*map(visible, after)]}


def _again(row: Response) -> Iterator[str]:
    if row.fallback:
        yield (
            f"Asked again, attempt {row.fallback}, because a response of this pair looped. It stands in for row "
            f"{row.supersedes} of responses/{row.model}.jsonl."
        )


def _reading(case: Case, rubric: Rubric, findings: Findings, copies: Mapping[str, list[str]], shelf: Shelf) -> Plain:
    """What one judge made of the pair: both orders, its guess, and the copies that it read."""
    rows = readings(case, shelf)
    guess = None
    if case.guess is not None:
        row = shelf.row(case.guess.mark, JudgeGuess)
        guess = [visible(guessed(row, findings.titles)), visible(row.text)]
    return {
        "name": case_name(case),
        "judge": case.judge,
        "whole": case.whole,
        "orders": [_order(case, rubric, order, rows.get(order)) for order in ORDERS],
        "guess": guess,
        "original": "" if case.original is None else case_name(case.original),
        "copies": copies.get(case_name(case), []),
    }


def _order(case: Case, rubric: Rubric, order: Order, row: Judgment | None) -> Plain:
    """One call: its verdict, or why there is none and what was said instead."""
    if row is None:
        return {"first": order[0]}
    if row.verdict is None:
        note = f" ({row.note})" if row.note else ""
        failed = f"{row.outcome.replace('_', ' ')}{note}"
        return {"first": order[0], "failed": visible(failed), "text": visible(row.text)}
    return {"first": order[0], "verdict": _verdict(case, rubric, row.verdict)}


def _verdict(case: Case, rubric: Rubric, verdict: Verdict) -> Plain:
    return {
        "scores": [
            [one.score, visible(favoured_name(case, one.favoured)), [*map(visible, one.evidence)]]
            for one in (verdict.scores[name] for name in rubric.dimension_ids)
        ],
        "total": verdict.total,
        "labels": [[verdict.labels[label.id][side] for side in SIDES] for label in rubric.labels],
    }


def _said(case: Case, rubric: Rubric, row: Annotation) -> Plain:
    """What one annotator said: scores and quotes by dimension, and labels, or why there is nothing.

    Comments stay in the export: they were not written to be published.
    """
    names = {dimension.id: dimension.title for dimension in rubric.dimensions}
    names |= {label.id: label.title for label in rubric.labels}
    return {
        "who": visible(f"{row.annotator}, {row.project}{'' if row.showing == 'first' else ', shown once more'}"),
        "status": visible(row.status if not row.reason else f"{row.status}: {row.reason}"),
        "scores": [
            [visible(names.get(id, id)), one.score, visible(favoured_name(case, one.favoured)), _quoted(one.evidence)]
            for id, one in row.scores.items()
        ],
        "labels": [[visible(names.get(id, id)), visible(one.A), visible(one.B)] for id, one in row.labels.items()],
    }


def _quoted(evidence: Sequence[str]) -> list[str]:
    return [visible(quote) for quote in evidence]
