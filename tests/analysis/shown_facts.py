"""What single cases are, counted from their rows in loops, and which of it the columns of a report's tables show."""

from collections.abc import Mapping, Sequence
from typing import Any

from polibias.analysis.structured import TITLES
from polibias.detectors.signals import RATED, behaviour
from polibias.detectors.structure import structure
from polibias.domain.rows import Judgment, Response
from polibias.domain.sides import ORDERS, SIDES, Order, Side
from tests.analysis.judged_cases import SIGN

Facts = dict[str, Any]
COUNTING = {"refusal": ("full",), "premise": ("factual", "status", "both")}
BEHAVIOURS = tuple(COUNTING)
ASKED = {
    "refusal": (0, ("full", "partial")),
    "full": (0, ("full",)),
    "partial": (0, ("partial",)),
    "premise": (1, COUNTING["premise"]),
}
EVERYTHING = "complete"
NEARLY = 0.8 * 15
"""The fact that all others rest on."""


def facts(responses: Mapping[Side, Response], judgments: Mapping[Order, Judgment]) -> Facts:
    """Everything that a table may count of one case, by name."""
    found: Facts = {f"judgment:{order}": judgments[order].outcome if order in judgments else "" for order in ORDERS}
    verdicts = {order: row.verdict for order, row in judgments.items() if row.verdict}
    found |= _quotes(responses, judgments)
    for side, row in responses.items():
        found[f"response:{side}"] = row.outcome
    found |= _structures(list(responses.values()))
    read = {side: behaviour(row.text, row.design.task) for side, row in responses.items()}
    found[EVERYTHING] = len(verdicts) == len(ORDERS)
    if not found[EVERYTHING]:
        return found
    first, second = (verdicts[order] for order in ORDERS)
    found["total"] = (first.total + second.total) / 2
    found["nearly"] = found["total"] >= NEARLY
    found["apart"], found["same"] = abs(first.total - second.total), first.total == second.total
    named = [(one.favoured, order[0]) for order in ORDERS for one in verdicts[order].scores.values()]
    found["first"] = sum(side == shown for side, shown in named), sum(side != "none" for side, _ in named)
    nets = [sum(one.score * SIGN[one.favoured] for one in verdict.scores.values()) for verdict in (first, second)]
    mean = sum(nets) / 2
    found["direction"] = "A" if mean > 1 else "B" if mean < -1 else "none"
    found["opposed:net"] = (nets[0] > 0) - (nets[0] < 0), (nets[1] > 0) - (nets[1] < 0)
    for name in first.scores:
        both = first.scores[name], second.scores[name]
        found[f"score:{name}"] = sum(one.score for one in both) / 2
        found[f"calls:{name}"] = [one.score for one in both]
        found[f"opposed:dimension:{name}"] = [SIGN[one.favoured] * (one.score > 0) for one in both]
    found["calls"] = [found[f"calls:{name}"] for name in first.scores]
    found["opposed:any"] = [found[f"opposed:dimension:{name}"] for name in first.scores]
    judged = [
        {side: [verdict.labels[label][side] for label in BEHAVIOURS] for side in SIDES} for verdict in (first, second)
    ]
    ruled = [{side: [read[side].refusal, read[side].premise] for side in SIDES}]
    return (
        found
        | _conduct("judge", judged, found["direction"])
        | _conduct("rules", ruled, found["direction"])
        | _beside(ruled[0], judged)
    )


def _structures(rows: Sequence[Response]) -> Facts:
    """What is counted in two texts, and the smaller number as a share of the larger."""
    read = [structure(row.text, {}, row.design.task == RATED) for row in rows]
    found: Facts = {"texts": [(one.words, one.rating.value) for one in read]}
    for name in ("words", "arguments", "hedges", "provisions"):
        counts = [len(one.provisions) if name == "provisions" else getattr(one, name) for one in read]
        found[f"levels:{name}"] = counts
        found[f"ratio:{name}"] = min(counts) / max(counts) if counts and max(counts) else None
    found["levels:overlap"] = found["ratio:overlap"] = [one.provisions for one in read]
    found["levels:rating"] = found["ratio:rating"] = [one.rating.value for one in read]
    return found


def _conduct(reading: str, read: list[dict[Side, list[str]]], direction: str) -> Facts:
    """Which of the two responses do something: one answer per order of a judge, or one by rules."""
    found: Facts = {}
    for name, (place, counting) in ASKED.items():
        found[f"{reading}:{name}"] = [[one[side][place] in counting for side in SIDES] for one in read]
    answering = [not any(one) for one in found[f"{reading}:full"]]
    found[f"{reading}:paired"] = all(answering) and direction == "none", len(set(map(tuple, found[f"{reading}:full"])))
    found[f"{reading}:either"] = found[f"{reading}:full"], found[f"{reading}:premise"]
    for kind in ("factual", "status", "both"):
        found[f"{reading}:{kind}"] = [[one[side][1] for side in SIDES] for one in read]
    return found


def _beside(rules: dict[Side, list[str]], judged: list[dict[Side, list[str]]]) -> Facts:
    """For each behaviour, what the table of rules beside the judge counts."""
    found: Facts = {}
    for place, name in enumerate(BEHAVIOURS):
        said = {side: {one[side][place] != "none" for one in judged} for side in SIDES}
        clear = [side for side in SIDES if len(said[side]) == 1]
        found[f"unclear:{name}"] = len(SIDES) - len(clear)
        found[f"agreement:{name}"] = [(rules[side][place] != "none", said[side]) for side in clear]
        for who, read in (("rules", [rules]), ("judge", judged)):
            alone = {tuple(one[side][place] in COUNTING[name] for side in SIDES) for one in read}
            found[f"{who} alone:{name}"] = [a != b for a, b in alone] if len(alone) == 1 else None
    return found


def _quotes(responses: Mapping[Side, Response], judgments: Mapping[Order, Judgment]) -> Facts:
    """How many quotes a case's judgments give, and how many stand in their own response, in the other, in neither."""
    given = quotes_of(responses, judgments)
    own = sum(quote in texts[0] for quote, texts in given)
    elsewhere = sum(quote in texts[1] and quote not in texts[0] for quote, texts in given)
    return {"quotes": len(given), "own": own, "elsewhere": elsewhere, "nowhere": len(given) - own - elsewhere}


def quotes_of(responses: Mapping[Side, Response], judgments: Mapping[Order, Judgment]) -> list[tuple[str, list[str]]]:
    """Every quote with the text it was asked from, then the other."""
    found = []
    for order, row in judgments.items():
        for score in row.verdict.scores.values() if row.verdict else ():
            for number, quote in enumerate(score.evidence):
                texts = [" ".join(responses[side].text.split()) for side in order]  # type: ignore[index]
                found.append((" ".join(quote.split()), texts if number == 0 else texts[::-1]))
    return found


SCORES = {
    *("pbi", "by_category", "by_task", "by_topic", "heat", "model_kinds", "two_ways", "involvement"),
}
"""Tables in which every column shows totals."""
JOINTLY = {"recovery", "between_models", "replication", "largest_gap", "length", "rating_relation"}
"""Tables with columns that are about many cases by definition: ranks, decisions, the largest of several. Such a cell
changes only if a case of it changed, but may stay as it was."""
OF_TABLES = {"replication_totals"}
"""Tables that count rows of another table and lead to no pairs."""
MEDIANS = ("median", "level", "readable")
"""Columns that the middle of many values, or a reading that succeeded before and after, may leave as they were."""


def shows(table: str, keys: Mapping[str, str], column: str) -> set[str]:
    """The facts of a case that a cell shows, if it selects the case. A table that is new has to be added here."""
    reading = keys.get("reading", "")
    if table in SCORES:
        return {"total"}
    if table == "dimensions":
        return {f"score:{keys['dimension']}"}
    if table == "correlations":
        return {f"score:{keys['dimension']}", f"score:{keys['other']}"}
    if table == "cuts":
        return set() if column.startswith("out_") else {"total"}
    if table == "engaged":
        labels = {"refusals": ["refusal"], "rejected premises": ["premise"], "either": ["refusal", "premise"]}
        read = {f"{reading}:{one}" for one in labels[keys["without"]]}
        return {"change": {"total"} | read, "kept": read}.get(column, {"total"})
    if table == "rating_relation":
        return {column.replace("dimension:", "score:"), "texts"}
    if table == "length":
        return {"total", "texts"}
    if table == "one_sided_profile":
        return {column} if column in ("total", "nearly") else {column.replace("score_", "score:")}
    if table == "one_sided_behaviour":
        does = {"refusal": "full", "contested": "premise"}.get(column, column)
        return {f"{reading}:{does}"}
    if table == "consistency":
        own = {"unrefused": "refusal", "partial": "partial", "rejecting": "premise", "paired": "paired"}
        return {f"{reading}:{own.get(column, 'full')}"}
    if table == "one_sided":
        return {f"judge alone:{column.rpartition('_')[2]}"}
    if table == "detected":
        label = "refusal" if keys["behaviour"] == "Refusal" else "premise"
        return {
            {"rules": "rules alone", "judge": "judge alone", "unclear": "unclear"}.get(column, "agreement")
            + f":{label}"
        }
    if table in ("directions", "neutral", "favoured"):
        return {"direction"}
    if table == "structure":
        measure = next(name for name, title in TITLES.items() if title == keys["measure"])
        return {f"levels:{measure}" if column.startswith("level") else f"ratio:{measure}"}
    if table == "graver":
        return {"texts"}
    if table == "validity":
        return {EVERYTHING} if column == "complete" else {f"judgment:{order}" for order in ORDERS}
    if table == "responses":
        return {f"response:{side}" for side in SIDES}
    if table == "order_effects":
        own = {"kappa": "calls", "same": "same", "apart": "apart"}.get(column)
        return {own or column.replace("dimension:", "calls:")}
    if table == "order_sides":
        return {"first"} if column == "first" else {f"opposed:{column}"}
    if table == "quotes":
        return {"quotes", column}
    if table == "between_judges":
        totals = {"icc_a_1": "total", "icc_c_1": "total", "difference": "total", "kappa": "calls"}
        return {totals.get(column, column.replace("dimension:", "calls:"))}
    assert table in JOINTLY | OF_TABLES, f"{table}: say here what its columns show"
    return set()
