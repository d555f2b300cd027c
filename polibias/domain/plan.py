"""A plan of validation, as written in `prereg/*.toml`: which pairs people see, and what is computed from their labels.

Everything that decides a number stands here, so that it can be fixed before there is one: the draw, the raters, what
leaves a label out, each comparison with its statistic and its decision, and the one engine of intervals.
"""

from typing import Annotated, Literal

import msgspec

from polibias.domain.study import Name, Seed
from polibias.domain.value import Text, Value

Drawing = Literal["uniform", "disagreement", "proportional"]
FACTORS = ("model", "task", "template", "category", "topic", "topic_category")
Role = Literal["primary", "secondary", "exploratory"]
ROLES: tuple[Role, ...] = ("primary", "secondary", "exploratory")
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Counted = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]


class Stratum(Value, frozen=True):
    """A part of the sample: `pairs` response pairs of one block, or of all.

    `uniform` gives every pair the same chance and spreads the pairs evenly over the factors `over`, each alone and all
    together. `disagreement` takes the pairs whose two judges' scores lie furthest apart, for certain. `proportional`
    draws with a probability proportional to that distance.
    """

    name: Name
    pairs: Counted
    rule: Drawing = "uniform"
    block: Literal["", "main", "control"] = ""
    over: tuple[str, ...] = ("model", "task")


class SampleRule(Value, frozen=True):
    """How response pairs are drawn from a sealed run: stratum by stratum, each from what those before it left.

    What is taken for certain comes first, whatever the order of writing, so that every other pair's chance is known.
    `judges` are the one or two that are compared; a pair must be complete in all, and only two can disagree.
    `exclude` names files that list pairs no annotator may get: earlier samples, calibration pairs, practice items.
    """

    seed: Seed
    judges: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=2)]
    strata: Annotated[tuple[Stratum, ...], msgspec.Meta(min_length=1)]
    exclude: tuple[Text, ...] = ()


class SplitRule(Value, frozen=True):
    """How the sample's pairs are split: so many for calibration, and so many (0 for all the rest) held out.

    Everything of a pair stays together: all models' responses, annotators, dimensions, labels, and its masked copies.
    `together` keeps more together: all pairs of a template, or of a topic; then a set has at most what was asked. Sets
    are spread evenly over the factors `over`. A judge prompt is calibrated in at most `rounds` rounds.
    """

    seed: Seed
    calibration: Annotated[int, msgspec.Meta(ge=1)]
    held_out: Annotated[int, msgspec.Meta(ge=0)] = 0
    together: Literal["pair", "template", "topic"] = "pair"
    over: tuple[str, ...] = ("block",)
    rounds: Annotated[int, msgspec.Meta(ge=0, le=100)] = 2


class Raters(Value, frozen=True):
    """Who labels: the annotators of one project of the app, `each_pair` of them for every pair.

    `names` are the aliases that they are invited under; left out, whoever is invited counts.
    """

    project: Name
    each_pair: Counted = 2
    names: tuple[Text, ...] = ()


class LabelRules(Value, frozen=True):
    """Which labels count. What an annotator skips or is unsure about is missing, never a score.

    `missing`: a unit counts for every couple of raters that both gave it (`pairwise`), or only if every rater did
    (`listwise`). `withdrawn` says whether the labels of who leaves stay; the project's protocol must say the same.
    Labels are left out of items reported for one of `flags`, of items whose responses name their own model
    (`self_naming`), of annotators who answered more than `failed_checks` instructed responses wrongly, and of items
    that were before somebody for less than `least_seconds`.
    """

    missing: Literal["pairwise", "listwise"] = "pairwise"
    withdrawn: Literal["keep", "remove"] = "remove"
    flags: tuple[Text, ...] = ()
    self_naming: bool = False
    failed_checks: Annotated[int, msgspec.Meta(ge=0)] | None = None
    least_seconds: Annotated[float, msgspec.Meta(ge=0)] = 0.0


class Stopping(Value, frozen=True):
    """When collecting ends: once this share of the planned labels is there and the project is closed; not before."""

    share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0


class Decision(Value, frozen=True, kw_only=True):
    """What a comparison decides: on which side of one threshold a bound of its interval, or its value, lies.

    `holds` and `fails` are what is then said. A comparison without an estimate decides nothing.
    """

    bound: Literal["value", "low", "high"]
    above: float | None = None
    below: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    holds: Text
    fails: Text

    def __post_init__(self) -> None:
        if sum(limit is not None for limit in (self.above, self.below, self.at_least, self.at_most)) != 1:
            raise ValueError("a decision needs exactly one of above, below, at_least and at_most")

    def decides(self, value: float) -> bool:
        """Whether the value is on the side of the threshold that `holds` speaks of."""
        if self.above is not None:
            return value > self.above
        if self.below is not None:
            return value < self.below
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is not None and value <= self.at_most

    @property
    def rule(self) -> str:
        """The rule in words."""
        what = {"value": "the value", "low": "the lower bound", "high": "the upper bound"}[self.bound]
        known = (
            ("above", self.above),
            ("below", self.below),
            ("at least", self.at_least),
            ("at most", self.at_most),
        )
        side, limit = next((side, limit) for side, limit in known if limit is not None)
        return f"{what} is {side} {limit:g}".replace("-", "−")


class Comparison(Value, frozen=True, kw_only=True):
    """One planned computation: a statistic, of which judges and pairs, and what it decides.

    Without `judges` every judge of the plan is compared, one after the other; without `strata` all pairs are. `by`
    repeats it for each dimension. `measure` is the one of the statistic's estimates that `decision` is about. Of runs,
    `condition` and `against` name what is compared with what, and `block` keeps to Main or Controls.
    """

    id: Name
    title: Text
    role: Role
    statistic: Text
    judges: tuple[Name, ...] = ()
    strata: tuple[Name, ...] = ()
    by: Literal["", "dimension"] = ""
    condition: str = ""
    against: str = ""
    block: Literal["", "main", "control"] = ""
    measure: str = ""
    decision: Decision | None = None


class AnalysisRules(Value, frozen=True):
    """How numbers are made, for every comparison alike.

    `cluster` is what is resampled. `weights` are those of kappa. `pooling` and `judge_score` are the rules of
    `stats/gap.py`. `sampling_weights` weighs pairs by one over the probability of their draw; without it strata are
    pooled as they are, which describes the sample alone. Decisions use `interval`; the other one is printed beside it.
    """

    seed: Seed
    resamples: Annotated[int, msgspec.Meta(ge=100, le=1_000_000)] = 10_000
    cluster: Literal["pair", "template", "topic"] = "pair"
    interval: Literal["jackknife", "percentile"] = "jackknife"
    weights: Literal["quadratic", "linear", "none"] = "quadratic"
    pooling: Literal["mean", "pooled"] = "mean"
    judge_score: Literal["calls", "mean"] = "calls"
    sampling_weights: bool = False


class Plan(Value, frozen=True):
    """One validation.

    `run` is the name of the sealed run whose pairs are drawn, `condition` the one of its conditions that they come
    from, which must be said only if there are several. A plan about people has a `sample` and `raters`; their labels
    come after the lock. A plan about runs names them in `outcomes`: they are begun after the lock. `older` are
    projects whose labels were there before and are inputs too.
    """

    id: Name
    title: Text
    run: Name
    question: str = ""
    sample: SampleRule | None = None
    split: SplitRule | None = None
    condition: str = ""
    raters: Raters | None = None
    labels: LabelRules = LabelRules()
    stopping: Stopping = Stopping()
    outcomes: tuple[Name, ...] = ()
    older: tuple[Name, ...] = ()
    analysis: AnalysisRules | None = None
    comparisons: tuple[Comparison, ...] = ()

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges that are compared: the sample's, and those that a comparison names."""
        own = self.sample.judges if self.sample else ()
        return tuple(dict.fromkeys((*own, *(name for one in self.comparisons for name in one.judges))))
