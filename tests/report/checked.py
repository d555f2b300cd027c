"""What holds in every report, whatever was studied: read from its folder as other programs and readers read it."""

import csv
import html
import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

import msgspec
from pyarrow import parquet

from polibias.analysis.findings import Findings
from polibias.records.runs import Run
from tests.report.parts import marks

LEVELS = ("level_main", "level_control")
OF_SINGLE_RESPONSES = ("valid", "responses", "first", "agreement", "kappa", "unclear", *LEVELS)
"""Columns whose n counts responses or calls; their links lead to the pairs that these belong to."""
PER_PAIR = {"masked": ("whole",), "validity": ("complete",), "copied_validity": ("complete",), "responses": ()}
"""Tables that count single responses or calls, with the columns in which they count pairs."""
NO_NUMBER = re.compile(r"(?<![\w.-])(nan|NaN|inf|Infinity|None|null)(?![\w-])")
WRONG_NUMBER = re.compile(r"(?<![\d.,])1 (pairs|clusters|calls|items|models|judges|fields|responses|rows|attempts)\b")
CLAIM = "treated less evenly"
WITHIN = {"share": (0.0, 1.0), "p": (0.0, 1.0)}
"""The ends of what a unit can be."""
CORRELATIONS = {"rho", "kappa", "pearson", "spearman", "kendall_tau_b", "icc_a_1", "icc_c_1"}


def check_report(run: Run) -> dict[str, Any]:
    """Check everything about the report of a run, and return its findings."""
    text = (run.report / "findings.json").read_text("utf-8")
    findings: dict[str, Any] = json.loads(text, parse_constant=_refuse)
    msgspec.convert(findings, Findings, strict=True)
    for table, row, column, cell in cells_of(findings):
        place = table["id"], row["keys"], column["id"]
        problem = _problem(cell, column)
        assert not problem, (place, problem, cell)
    _check_links(run, findings)
    _check_claims(findings)
    _check_files(run, findings)
    _check_page(run)
    return findings


def _refuse(constant: str) -> float:
    raise AssertionError(f"{constant} is no number")


def cells_of(findings: dict[str, Any]) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Every table, row, column and cell."""
    for table in findings["tables"]:
        for row in table["rows"]:
            assert set(row["keys"]) == set(table["keys"])
            assert set(row["cells"]) == {column["id"] for column in table["columns"]}
            for column in table["columns"]:
                yield table, row, column, row["cells"][column["id"]]


def _problem(cell: dict[str, Any], column: dict[str, Any]) -> str:
    value, low, high = cell["value"], cell["low"], cell["high"]
    if value is None:
        return "" if cell["reason"] and low is None and high is None else "no value, and no reason or an interval"
    if not all(isfinite(one) for one in (value, low or 0.0, high or 0.0, cell["detectable"] or 0.0)):
        return "not finite"
    if (low is None) != (high is None) or (low is not None and not low < high):
        return "no interval"
    if column["unit"] not in ("count", "p") and low is None and not (cell["reason"] or cell["method"]):
        return "no interval and no reason"
    if not 0 <= cell["clusters"] <= cell["n"]:
        return "more clusters than units"
    ends = (-1.0, 1.0) if column["id"] in CORRELATIONS else WITHIN.get(column["unit"])
    if column["unit"] == "share" and column["id"].endswith(("change", "difference")):
        ends = (-1.0, 1.0)  # of two shares
    if ends and not all(ends[0] <= one <= ends[1] for one in (value, low, high) if one is not None):
        return "outside its scale"
    return ""


def _check_links(run: Run, findings: dict[str, Any]) -> None:
    """The link behind each score or share selects as many pairs as the cell's n says."""
    rows = marks(run.report)
    for table, row, column, cell in cells_of(findings):
        if not cell["where"]:
            continue
        wanted = {f"{key}={value}" for key, value in cell["where"].items()}
        selected = sum(wanted <= words for words in rows)
        per_pair = column["id"] in PER_PAIR.get(table["id"], (column["id"],))
        if per_pair and column["id"] not in OF_SINGLE_RESPONSES and not (cell["n"] == 0 and cell["value"] is None):
            assert selected == cell["n"], (table["id"], row["keys"], column["id"], selected, cell)


def _check_claims(findings: dict[str, Any]) -> None:
    """A sentence claims a difference only for a row with an interval that excludes zero."""
    scores = findings["tables"][0]
    apart = [
        row["keys"]
        for row in scores["rows"]
        if (gap := row["cells"].get("difference")) and gap["low"] is not None and not gap["low"] <= 0 <= gap["high"]
    ]
    claims = [one for one in findings["summary"] if CLAIM in one and not one.startswith("Of ")]
    assert len(claims) == len(apart)
    for sentence, keys in zip(sorted(claims), sorted(apart, key=lambda one: (one["model"], one["judge"])), strict=True):
        assert sentence.startswith(f"{keys['model']}, judged by {keys['judge']}")
    for sentence in findings["summary"]:
        assert CLAIM not in sentence or apart


def _check_files(run: Run, findings: dict[str, Any]) -> None:
    for table in findings["tables"]:
        place = run.report / "tables" / table["id"]
        written = list(csv.DictReader(place.with_suffix(".csv").read_text("utf-8").splitlines()))
        assert parquet.read_table(place.with_suffix(".parquet")).num_rows == len(written)
        assert len(written) == len(table["rows"]) * len(table["columns"])
        for line in written:
            assert not any(NO_NUMBER.search(line[name] or "") for name in ("value", "low", "high", "n", "reason"))
        tex = place.with_suffix(".tex").read_text("utf-8").partition("\\midrule")[2]
        assert not NO_NUMBER.search(tex), (table["id"], NO_NUMBER.search(tex))


def _check_page(run: Run) -> None:
    """Nothing on the first page is a number that is none, and no table is all dashes."""
    page = (run.report / "index.html").read_text("utf-8")
    seen = visible_text(page)
    assert not (found := WRONG_NUMBER.search(seen)), seen[max(0, found.start() - 60) : found.end() + 20]
    for body in re.findall(r"<tbody>(.*?)</tbody>", page, re.DOTALL):
        figures = re.findall(r'<td class="figure">(.*?)</td>', body, re.DOTALL)
        values = [re.sub(r'<span class="n">.*?</span>|<[^>]*>', "", one).strip() for one in figures]
        assert not any(NO_NUMBER.search(one) for one in values)
        assert not figures or any(re.search(r"\d", one) for one in values), body[:600]


def visible_text(page: str) -> str:
    """What a reader sees of a page, and hears of its drawings."""
    labels = " ".join(re.findall(r'aria-label="([^"]*)"', page))
    text = re.sub(r"<svg.*?</svg>|<style.*?</style>|<script.*?</script>|<[^>]+>", " ", page, flags=re.DOTALL)
    return html.unescape(f"{text} {labels}")
