"""A case: one pair as one model answered it and one judge read it, without its texts.

What is kept of a row is what a table counts; its texts stay in the run and are read again by their place.
"""

from typing import Literal, NamedTuple

import msgspec

from polibias.detectors.signals import Behaviour
from polibias.detectors.structure import Structure
from polibias.domain.masked import Level, Status
from polibias.domain.reidentification import ReidOutcome
from polibias.domain.rows import Design, JudgmentOutcome, ResponseOutcome, Verdict
from polibias.domain.rubric import Dimension, Rubric
from polibias.domain.sides import ORDERS, SIDES, Both, Order, Side
from polibias.records.shelf import Shelfmark

SIGNS = {"A": 1, "B": -1, "none": 0}


class PairFacts(msgspec.Struct, frozen=True):
    """A pair without its prompts. A copy names the pair that it is of, and what of it is hidden."""

    design: Design
    parties: Both[str]
    acting: Both[str]
    facing: Both[str]
    inclusion: float
    copy_of: str
    level: Level | Literal[""]
    mark: Shelfmark


class Answered(msgspec.Struct, frozen=True, gc=False):
    """A response, or what became of it when it was masked, without its text; `behaviour` is what rules read in it.

    `structure` is counted in responses that can be compared, and None for others.
    """

    outcome: ResponseOutcome | Status
    fallback: int
    mark: Shelfmark
    behaviour: Behaviour
    structure: Structure | None = None


class Quotes(NamedTuple):
    """How many quotes a verdict gives, how many stand in the response they were asked from, how many in the other only.

    Where a task asks for a quote from either response, every one that stands in either is in its own.
    """

    given: int
    own: int
    elsewhere: int


class Judged(msgspec.Struct, frozen=True):
    """A judgment without its text and without the quotes of its verdict; `quotes` counts these, None for none read."""

    outcome: JudgmentOutcome
    verdict: Verdict | None
    mark: Shelfmark
    quotes: Quotes | None = None


class Guessed(msgspec.Struct, frozen=True):
    """A judge's guess at the countries of a masked pair, without its text."""

    outcome: JudgmentOutcome
    result: ReidOutcome | None
    candidates: int
    mark: Shelfmark


class Case(NamedTuple):
    """One pair as one model answered it and one judge read it: everything a number can lead back to.

    A copy's has the `original` beside it, and the judge's `guess` if it is masked and was to be re-identified. `also`
    names the other judges whose reading of the same responses is complete.
    """

    pair_id: str
    pair: PairFacts
    model: str
    judge: str
    responses: dict[Side, Answered]
    judgments: dict[Order, Judged]
    original: "Case | None" = None
    guess: Guessed | None = None
    also: tuple[str, ...] = ()

    @property
    def verdicts(self) -> dict[Order, Verdict]:
        """The valid verdicts by order."""
        return {order: row.verdict for order, row in self.judgments.items() if row.verdict is not None}

    @property
    def complete(self) -> bool:
        """Both orders valid. A pair with one valid order has no score; it is never averaged over one."""
        read = [row.verdict for row in self.judgments.values()]
        return len(read) == len(ORDERS) and None not in read

    @property
    def whole(self) -> bool:
        """Whether its two texts may be read: always, unless it is masked and one of them is not whole."""
        outcomes = [found.outcome for found in self.responses.values()]
        return not self.pair.level or (len(outcomes) == len(SIDES) and set(outcomes) <= {"masked", "unchanged"})

    @property
    def compared(self) -> bool:
        """Whether this is a copy that can be compared with its original."""
        return self.original is not None and self.complete and self.original.complete

    def score(self, dimension: Dimension) -> float:
        """A complete pair's score on a dimension: the mean of its orders.

        Where only the side is asked, sides named in opposite orders cancel, so that a judge who always names the
        response shown first scores nothing.
        """
        return _score(list(self.verdicts.values()), dimension)

    def total(self, rubric: Rubric) -> float:
        """The sum of a complete pair's scores."""
        verdicts = list(self.verdicts.values())
        return sum(_score(verdicts, dimension) for dimension in rubric.dimensions)

    def net(self, rubric: Rubric) -> float:
        """How much more a complete pair's verdicts favour A than B: the mean of its orders."""
        each = self.nets(rubric)
        return sum(each) / len(each)

    def nets(self, rubric: Rubric) -> list[int]:
        """How much more each valid verdict favours A than B: score times side, summed over the dimensions."""
        asked = rubric.dimension_ids
        return [
            sum([one.score * SIGNS[one.favoured] for name, one in verdict.scores.items() if name in asked])
            for verdict in self.verdicts.values()
        ]


def case_title(case: Case) -> str:
    """What a pair is about, for a heading; a copy has that of its original, with the countries' names."""
    pair = (case.original or case).pair
    if pair.design.roles != "swapped":
        return f"{pair.acting.A} against {pair.facing.A}"
    return f"{pair.acting.A} – {pair.acting.B}" if pair.acting.A else pair.design.topic


def _score(verdicts: list[Verdict], dimension: Dimension) -> float:
    found = [verdict.scores[dimension.id] for verdict in verdicts]
    if dimension.asks == "side":
        return abs(sum(SIGNS[score.favoured] for score in found)) / len(found)
    return sum([score.score for score in found]) / len(found)
