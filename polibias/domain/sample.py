"""A sample of response pairs as it was drawn, and everything by which it can be drawn again."""

from polibias.domain.plan import SampleRule
from polibias.domain.value import Value

SAMPLE_TAG = "sample/1"


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
