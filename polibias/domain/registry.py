"""Known models and what they cost: frozen values read from `data/models/` and `data/prices/`.

Source: paper sections 4.1 to 4.3, and the summary of its first version.
"""

from typing import Annotated, Any, Literal

import msgspec

from polibias.domain.study import Name
from polibias.domain.value import EntryId, Text, Value

Region = Literal["United States", "Europe", "China"]
Provider = Literal["alibaba", "anthropic", "google", "minimax", "mistral", "openrouter", "vllm", "xai", "zai"]
Use = Literal["paper", "judge", "version-1"]

DAY = r"\d{4}-\d\d-\d\d"
Checked = Annotated[str, msgspec.Meta(pattern=rf"^{DAY}\Z", description="a day as YYYY-MM-DD")]
Dated = Annotated[str, msgspec.Meta(pattern=rf"^({DAY})?\Z", description="a day as YYYY-MM-DD, or empty")]
Released = Annotated[str, msgspec.Meta(pattern=r"^(\d{4}-\d\d(-\d\d)?)?\Z", description="a day, a month, or empty")]
Revision = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{40})?\Z", description="a full commit hash, or empty")]
HubName = Annotated[str, msgspec.Meta(pattern=r"^([\w.-]+/[\w.-]+)?\Z", description="owner/name, or empty")]
Billions = Annotated[float, msgspec.Meta(gt=0)]


class Reasoning(Value, frozen=True):
    """How little a model can be made to reason, and the request fields that make it so at each provider.

    `off`: switched off. `low`: it cannot be, this is the lowest level. `fixed`: it always reasons and nothing
    controls how much. `none`: it has no reasoning to switch.
    """

    setting: Literal["off", "low", "fixed", "none"]
    body: dict[Provider, dict[str, Any]] = {}


class ModelCard(Value, frozen=True, kw_only=True):
    """A model that a study may ask. An empty field, or no number, means: not known.

    `family` groups the sizes of one release. Parameters are the developer's own round numbers, in billions; a dense
    model uses all of them for every token. `revision` is one that exists on the hub and can be pinned; which one the
    paper used is not known. `sources` names where the facts were read, on the day `checked`.
    """

    id: Name
    title: Text
    developer: Text
    region: Region
    family: EntryId
    parameters_b: Billions | None = None
    active_b: Billions | None = None
    open_weights: bool
    licence: str = ""
    released: Released = ""
    hub: HubName = ""
    revision: Revision = ""
    names: dict[Provider, Text] = {}
    reasoning: Reasoning
    used_in: tuple[Use, ...]
    note: str = ""
    checked: Checked
    sources: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]

    def name_at(self, provider: Provider) -> str | None:
        """What to call the model there; a server of one's own knows open weights by their hub name."""
        own = self.hub if provider == "vllm" else ""
        return self.names.get(provider) or own or None


class Price(Value, frozen=True, kw_only=True):
    """US dollars per million tokens for one model at one provider.

    `batch_discount` is the share that the provider's batch interface takes off. `dated` is the day that the source
    gives for this price; empty where it gives none.
    """

    model: Name
    provider: Provider
    input: Annotated[float, msgspec.Meta(gt=0)]
    output: Annotated[float, msgspec.Meta(ge=0)]
    batch_discount: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    dated: Dated = ""
    source: Text
    note: str = ""


class PriceList(Value, frozen=True, kw_only=True):
    """Prices as they were known on one day. A model that is not in it has no known price."""

    id: EntryId
    as_of: Checked
    currency: Literal["USD"] = "USD"
    source: Text
    price: tuple[Price, ...]
