"""Made-up cases for tables: pairs of two blocks as models answered and judges read them, drawn from a seeded stream."""

from collections.abc import Sequence

import numpy as np

from polibias.analysis.cases import Answered, Case, Judged, PairFacts
from polibias.analysis.frames import tidy
from polibias.analysis.pbi import Tables
from polibias.detectors.signals import Behaviour
from polibias.domain.rows import Design, Score, Verdict
from polibias.domain.sides import ORDERS, SIDES, Both
from polibias.domain.study import AnalysisSpec
from polibias.sources.rubrics import read_rubric
from tests.conftest import ROOT

RUBRIC = read_rubric(ROOT / "data", "poli-bias", "tests")
DIMENSIONS = RUBRIC.dimension_ids
RUBRICS = {"official": RUBRIC}
QUIET = Behaviour("none", "none")

TOPICS = (
    ("iran-israel", "active", "main"),
    ("china-taiwan", "tension", "main"),
    ("india-china", "active", "main"),
    ("france-germany", "no_conflict", "control"),
    ("meridia-arcturus", "fictional", "control"),
)

Labels = tuple[str, str]
PLAIN: Labels = ("none", "none")


def facts(
    topic: str = "iran-israel",
    category: str = "active",
    block: str = "main",
    template: str = "T-1",
    tags: tuple[str, ...] = (),
    kind: str = "war_crimes",
    inclusion: float = 1.0,
) -> PairFacts:
    design = Design(template, kind, topic, category, block, "T1", "official", "swapped", tags)  # type: ignore[arg-type]
    a, _, b = topic.partition("-")
    return PairFacts(design, Both(a, b), Both(a, b), Both(b, a), inclusion, "", "", None)  # type: ignore[arg-type]


def verdict(
    scores: Sequence[int], favoured: Sequence[str] = (), refusal: Labels = PLAIN, premise: Labels = PLAIN
) -> Verdict:
    sides = [*favoured, *["none"] * (len(DIMENSIONS) - len(favoured))]
    found = {name: Score(score, side) for name, score, side in zip(DIMENSIONS, scores, sides, strict=True)}  # type: ignore[arg-type]
    return Verdict(found, {"refusal": Both(*refusal), "premise": Both(*premise)})


def case(
    name: str,
    pair: PairFacts,
    verdicts: Sequence[Verdict],
    behaviours: Sequence[Behaviour] = (QUIET, QUIET),
    model: str = "m",
    judge: str = "j",
    fallback: int = 0,
) -> Case:
    """One verdict makes an incomplete pair."""
    answered = {
        side: Answered("ok", fallback, None, read)  # type: ignore[arg-type]
        for side, read in zip(SIDES, behaviours, strict=True)
    }
    judged = {order: Judged("ok", one, None) for order, one in zip(ORDERS, verdicts, strict=False)}  # type: ignore[arg-type]
    return Case(name, pair, model, judge, answered, judged)


def crowd(
    models: Sequence[str] = ("m1", "m2"),
    judges: Sequence[str] = ("j1", "j2"),
    pairs: int = 90,
    templates: int = 11,
    seed: int = 3,
    topics: Sequence[tuple[str, str, str]] = TOPICS,
) -> list[Case]:
    """Scores, sides, labels and behaviours at random; some pairs incomplete, tagged or asked again."""
    dice = np.random.Generator(np.random.PCG64(seed))
    kinds = ("war_crimes", "aggression")
    designs = []
    for number in range(pairs):
        topic, category, block = topics[number % len(topics)]
        tags = ("contested_statehood",) if topic == "china-taiwan" else ()
        template = f"T-{int(dice.integers(templates))}"
        inclusion = 0.5 if block == "main" else 0.8
        designs.append(facts(topic, category, block, template, tags, kinds[number % 2], inclusion))

    def labels(options: Sequence[str], shares: Sequence[float]) -> Labels:
        a, b = dice.choice(len(options), 2, p=shares)
        return options[a], options[b]

    def refusals() -> Labels:
        return labels(("none", "partial", "full"), (0.7, 0.12, 0.18))

    def premises() -> Labels:
        return labels(("none", "factual", "status", "both"), (0.76, 0.1, 0.1, 0.04))

    def read() -> Verdict:
        scores = dice.choice(4, len(DIMENSIONS), p=(0.45, 0.3, 0.15, 0.1)).tolist()
        sides = dice.choice(["A", "B", "none"], len(DIMENSIONS)).tolist()
        return verdict(scores, sides, *said)

    found = []
    for judge in judges:
        for model in models:
            for number, pair in enumerate(designs):
                said = refusals(), premises()
                verdicts = [read()]
                if dice.random() < 0.3:
                    said = refusals(), premises()
                if dice.random() < 0.95:
                    verdicts.append(read())
                refusal, premise = refusals(), premises()
                rules = [Behaviour(refusal[n], premise[n]) for n in (0, 1)]  # type: ignore[arg-type]
                again = int(dice.random() < 0.1)
                found.append(case(f"p{number}", pair, verdicts, rules, model, judge, again))
    return found


def tables_of(cases: list[Case], resamples: int = 60, cluster: str = "template") -> Tables:
    spec = AnalysisSpec(resamples=resamples, cluster=cluster)  # type: ignore[arg-type]
    return Tables(tidy(cases, RUBRICS), RUBRICS, spec)
