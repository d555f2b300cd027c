"""A sample of response pairs as it was drawn, its split, and everything by which either can be drawn again."""

from polibias.domain.plan import SampleRule, SplitRule
from polibias.domain.value import Value

SAMPLE_TAG, SPLIT_TAG = "sample/1", "split/1"


class SampledPair(Value, frozen=True):
    """A pair as one model answered it, with the stratum it was drawn in and the probability with which it was."""

    pair: str
    model: str
    stratum: str
    inclusion: float


class DrawnStratum(Value, frozen=True):
    """How many pairs a stratum has, of how many it was drawn, and how many equally weighted ones it is worth."""

    name: str
    pairs: int
    pool: int
    effective_n: float


class Sample(Value, frozen=True):
    """A drawn sample. `manifest` is the hash that names the run's sealed state, `eligible` how many pairs had a chance.

    `left_out` counts the others by reason; `excluded` holds the files that named pairs, with the SHA-256 of each.
    """

    plan: str
    run: str
    manifest: str
    condition: str
    algorithm: str
    rule: SampleRule
    eligible: int
    left_out: dict[str, int]
    excluded: dict[str, str]
    strata: tuple[DrawnStratum, ...]
    effective_n: float
    pairs: tuple[SampledPair, ...]


class Alike(Value, frozen=True):
    """A calibration pair and a held-out one with responses in nearly the same words.

    `share` is that of all five-character runs of words which the two responses have in common.
    """

    calibration: str
    held_out: str
    model: str
    share: float


class Split(Value, frozen=True):
    """A sample's pairs in two sets, by pair id; `copies` names every copy of a pair, which goes where its pair goes.

    `left` are the pairs of the sample in neither set. `templates` are those that both sets have, `alike` the couples of
    pairs across the sets of which responses are nearly the same.
    """

    plan: str
    sample: str
    algorithm: str
    rule: SplitRule
    calibration: tuple[str, ...]
    held_out: tuple[str, ...]
    left: tuple[str, ...]
    copies: dict[str, tuple[str, ...]]
    templates: tuple[str, ...]
    alike: tuple[Alike, ...]
