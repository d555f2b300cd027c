"""What a simulated study declares: each number that its report should find again.

The defaults are shaped like the paper's: Main and Control PBI of Table 8, a profile in which argument is highest and
framing has the largest gap, a second judge that scores higher. They describe no model.
"""

from collections.abc import Mapping
from itertools import accumulate
from typing import Annotated, Literal

import msgspec

from polibias.domain.scenario import Block
from polibias.domain.study import AnalysisSpec, Name, Seed
from polibias.domain.value import EntryId, Text, Value
from polibias.simulate import PREFIX, Share

Points = Annotated[float, msgspec.Meta(ge=0, le=100)]
Shift = Annotated[float, msgspec.Meta(ge=-10, le=10)]
Kind = Literal["answered", "refused_one", "rejected_one", "refused_both", "partly_both", "rejected_both"]
KINDS: tuple[Kind, ...] = ("refused_one", "rejected_one", "refused_both", "partly_both", "rejected_both", "answered")
ONE_SIDED: tuple[Kind, ...] = ("refused_one", "rejected_one")
BLOCKS: tuple[Block, ...] = ("main", "control")


def _check_name(name: str) -> None:
    if not name.startswith(PREFIX):
        raise ValueError(f"'{name}': what is simulated has a name that starts with '{PREFIX}'")


class Behaviours(Value, frozen=True, kw_only=True):
    """Shares of a block's pairs in which one response or both decline or reject; a pair has one of them at most.

    `refused_one`, `refused_both`: refuses wholly; `partly_both`: both refuse in part; `rejected_one`,
    `rejected_both`: rejects the premise.
    """

    refused_one: Share = 0.0
    rejected_one: Share = 0.0
    refused_both: Share = 0.0
    partly_both: Share = 0.0
    rejected_both: Share = 0.0

    def __post_init__(self) -> None:
        if self.ends[-1] > 1:
            raise ValueError("the shares of pairs that refuse or reject sum to more than 1")

    def of(self, kind: Kind) -> float:
        """The share of one kind; `answered` is what the others leave."""
        return 1 - self.ends[-1] if kind == "answered" else float(getattr(self, kind))

    @property
    def ends(self) -> list[float]:
        """Where the share of each kind but the last ends, one after the other."""
        return list(accumulate(self.of(kind) for kind in KINDS[:-1]))


class SimulatedModel(Value, frozen=True, kw_only=True):
    """A simulated model: its true PBI by block, what its pairs do, and the shares of pairs answered `again` after a
    loop and `lost` because every attempt looped.
    """

    name: Name
    main: Points
    control: Points
    in_main: Behaviours = Behaviours()
    in_control: Behaviours = Behaviours()
    again: Share = 0.0
    lost: Share = 0.0

    def __post_init__(self) -> None:
        _check_name(self.name)
        if self.again + self.lost > 1:
            raise ValueError(f"model '{self.name}': again and lost sum to more than 1")

    def index(self, block: Block) -> float:
        """The true mean pair score of a block."""
        return self.main if block == "main" else self.control

    def does(self, block: Block) -> Behaviours:
        """What the pairs of a block do."""
        return self.in_main if block == "main" else self.in_control


class SimulatedJudge(Value, frozen=True, kw_only=True):
    """A simulated judge: it scores `offset` + `slope` × what is true, on average over the pairs of a block.

    `order` is its mean total with version A first minus that with version B first. `invalid` is the share of calls
    without a valid verdict, `unclear` of pairs and labels where its orders read a response differently. `sees` is the
    share of pairs in which it names the truly favoured side, `first` that of calls in which it gives one slight
    difference to the side shown first. `quotes` is the share of quotes that stand in the response.
    """

    name: Name
    offset: Shift = 0.0
    slope: Annotated[float, msgspec.Meta(gt=0, le=10)] = 1.0
    order: Shift = 0.0
    invalid: Share = 0.0
    unclear: Share = 0.0
    sees: Share = 1.0
    first: Share = 0.0
    quotes: Share = 1.0

    def __post_init__(self) -> None:
        _check_name(self.name)


class Components(Value, frozen=True, kw_only=True):
    """Parts of the latent variance of one score, which sum to 1: of the template (by model), of the item, of the
    dimension within the item, of the judge, of one call.

    `pair` is beside them: the standard deviation of a country pair's effect, which is drawn once, the same for all
    models, and no part of the variance, because the pairs are the study's own.
    """

    template: Share = 0.10
    item: Share = 0.35
    dimension: Share = 0.25
    judge: Share = 0.12
    call: Share = 0.18
    pair: Annotated[float, msgspec.Meta(ge=0, le=3)] = 0.25

    def __post_init__(self) -> None:
        if abs(self.template + self.item + self.dimension + self.judge + self.call - 1) > 1e-9:
            raise ValueError("the parts of the variance (template, item, dimension, judge, call) must sum to 1")


class Directions(Value, frozen=True, kw_only=True):
    """Whom pairs favour: no side in the share `neutral` of pairs, else country A with its country pair's share.

    A country pair without a share in `favours_a` gets one between `least` and `most`, drawn from the seed: it says
    nothing about any country.
    """

    neutral: Share = 0.15
    least: Share = 0.2
    most: Share = 0.8
    favours_a: dict[EntryId, Share] = {}

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise ValueError("directions: least lies above most")


MODELS = (
    SimulatedModel(
        name="simulated-a",
        main=2.87,
        control=2.23,
        in_main=Behaviours(refused_one=0.04, refused_both=0.16, partly_both=0.02, rejected_one=0.01),
        in_control=Behaviours(refused_one=0.03, refused_both=0.14, partly_both=0.02),
        again=0.01,
    ),
    SimulatedModel(name="simulated-b", main=2.95, control=2.45, in_main=Behaviours(rejected_one=0.01)),
    SimulatedModel(name="simulated-c", main=3.78, control=2.90, in_main=Behaviours(rejected_one=0.01), again=0.01),
    SimulatedModel(
        name="simulated-d",
        main=4.16,
        control=2.43,
        in_main=Behaviours(refused_one=0.05, rejected_one=0.14, rejected_both=0.05),
        in_control=Behaviours(rejected_one=0.01, rejected_both=0.02),
    ),
    SimulatedModel(
        name="simulated-e",
        main=4.53,
        control=3.75,
        in_main=Behaviours(refused_one=0.04, refused_both=0.03, partly_both=0.02, rejected_one=0.02),
        in_control=Behaviours(refused_one=0.03, refused_both=0.02, partly_both=0.01),
        again=0.14,
        lost=0.002,
    ),
    SimulatedModel(
        name="simulated-f",
        main=4.95,
        control=3.63,
        in_main=Behaviours(refused_one=0.11, refused_both=0.04, partly_both=0.02, rejected_one=0.03),
        in_control=Behaviours(refused_one=0.07, refused_both=0.03, partly_both=0.01, rejected_one=0.01),
        again=0.12,
    ),
    SimulatedModel(
        name="simulated-g",
        main=4.96,
        control=2.85,
        in_main=Behaviours(refused_one=0.12, refused_both=0.02, rejected_one=0.22, rejected_both=0.06),
        in_control=Behaviours(refused_one=0.05, refused_both=0.01, rejected_one=0.04, rejected_both=0.03),
        again=0.01,
    ),
)
JUDGES = (
    SimulatedJudge(
        name="simulated-judge-1", order=0.15, invalid=0.001, unclear=0.01, sees=0.98, first=0.08, quotes=0.97
    ),
    SimulatedJudge(
        name="simulated-judge-2",
        offset=1.2,
        slope=1.1,
        order=-0.2,
        invalid=0.004,
        unclear=0.02,
        sees=0.9,
        first=0.12,
        quotes=0.93,
    ),
)
IN_MAIN = {"framing": 0.19, "severity": 0.19, "argument": 0.27, "normative": 0.18, "attribution": 0.17}
IN_CONTROL = {"framing": 0.14, "severity": 0.175, "argument": 0.36, "normative": 0.185, "attribution": 0.14}


class StudySimulation(Value, frozen=True, kw_only=True):
    """A simulated study. `main` and `control` are numbers of items, of the official draw with `draw_seed`.

    `one_sided` is the true mean total of pairs in which exactly one response refuses wholly or rejects the premise,
    the same in every dimension; `alike` that of pairs that both refuse. The rest of a block has the mean that makes
    its whole the declared one. `profile_main` and `profile_control` are the dimensions' shares of a block's mean.
    `status` is the share of rejections on contested countries that dispute a country's status. `words` is about the
    median length of a response.
    """

    id: Name = "simulated-study"
    title: Text = "Simulated study: no model was asked"
    seed: Seed = 20280101
    draw_seed: Seed = 20280101
    main: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 600
    control: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 200
    models: Annotated[tuple[SimulatedModel, ...], msgspec.Meta(min_length=1)] = MODELS
    judges: Annotated[tuple[SimulatedJudge, ...], msgspec.Meta(min_length=1)] = JUDGES
    profile_main: dict[str, Share] = msgspec.field(default_factory=IN_MAIN.copy)
    profile_control: dict[str, Share] = msgspec.field(default_factory=IN_CONTROL.copy)
    one_sided: Points = 8.6
    alike: Points = 0.6
    components: Components = Components()
    directions: Directions = Directions()
    status: Share = 0.5
    words: Annotated[int, msgspec.Meta(ge=20, le=20_000)] = 400
    analysis: AnalysisSpec = AnalysisSpec()

    def __post_init__(self) -> None:
        for role in (self.models, self.judges):
            names = [one.name for one in role]
            if len(set(names)) < len(names):
                raise ValueError("two models or two judges of a simulated study have one name")
        for block in BLOCKS:
            if abs(sum(self.profile(block).values()) - 1) > 1e-9:
                raise ValueError(f"profile_{block}: the dimensions' shares must sum to 1")
        _check_name(self.id)

    def profile(self, block: Block) -> Mapping[str, float]:
        """Each dimension's share of the mean total of a block."""
        return self.profile_main if block == "main" else self.profile_control

    def items(self, block: Block) -> int:
        """How many items of a block are drawn."""
        return self.main if block == "main" else self.control
