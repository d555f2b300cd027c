"""The registry: one file per known model in `data/models/`, dated price lists in `data/prices/`."""

from collections.abc import Mapping
from pathlib import Path

from polibias.domain.registry import ModelCard, Price, PriceList
from polibias.domain.study import AnyModel, Rate, Served
from polibias.errors import InputError
from polibias.sources.files import no_such, read_toml, toml_files


def read_models(folder: Path) -> dict[str, ModelCard]:
    """Every model of the data folder by its id. A file is named after the id it holds."""
    cards: dict[str, ModelCard] = {}
    taken: dict[tuple[str, str], str] = {}
    for path in toml_files(folder / "models"):
        card = read_toml(path, ModelCard)
        _check_card(path, card)
        for place in [*card.names.items(), *([("hub", card.hub)] if card.hub else [])]:
            if place in taken:
                raise InputError(f"{path}: '{taken[place]}' has the name {place[1]} at {place[0]} too; correct one")
            taken[place] = card.id
        cards[card.id] = card
    return cards


def _check_card(path: Path, card: ModelCard) -> None:
    _check_id(path, card.id)
    if card.open_weights != bool(card.hub):
        raise InputError(f"{path}: give a model its hub name if its weights are open, and only then")
    if card.revision and not card.hub:
        raise InputError(f"{path}: a revision needs the hub name that it belongs to")
    for provider in card.reasoning.body:
        if not card.name_at(provider):
            raise InputError(f"{path}: reasoning.body names {provider}, where the model has no name; add one to names")


def _check_id(path: Path, name: str) -> None:
    if name != path.stem:
        raise InputError(f"{path}: its id is '{name}'; rename the file to {name}.toml or correct the id")


def read_prices(folder: Path) -> PriceList:
    """The newest price list of the data folder. All lists are checked, the older ones too."""
    models = read_models(folder)
    lists: dict[str, PriceList] = {}
    for path in toml_files(folder / "prices"):
        prices = read_toml(path, PriceList)
        _check_prices(path, prices, models)
        if prices.as_of in lists:
            raise InputError(f"{path}: list '{lists[prices.as_of].id}' is of {prices.as_of} too; keep one per day")
        lists[prices.as_of] = prices
    return lists[max(lists)]


def _check_prices(path: Path, prices: PriceList, models: Mapping[str, ModelCard]) -> None:
    _check_id(path, prices.id)
    seen: set[tuple[str, str]] = set()
    for price in prices.price:
        if price.model not in models:
            raise no_such("model", price.model, models, str(path))
        where = f"{path}: the price of '{price.model}' at {price.provider}"
        if not models[price.model].name_at(price.provider):
            raise InputError(
                f"{where}: the model has no name there; add it to the model's names or correct the provider"
            )
        if (price.model, price.provider) in seen:
            raise InputError(f"{where} is given twice; keep one")
        if price.dated > prices.as_of:
            raise InputError(f"{where} is dated {price.dated}, after the list's own day {prices.as_of}; correct one")
        seen.add((price.model, price.provider))


def price_of(prices: PriceList, model: str, provider: str) -> Price | None:
    """What the list says about this model there; None where it says nothing."""
    for price in prices.price:
        if (price.model, price.provider) == (model, provider):
            return price
    return None


def rate_of(folder: Path, spec: AnyModel) -> Rate | None:
    """What a model costs: as declared, nothing if it runs here, else as listed; None where no price is known."""
    if spec.price is not None:
        return spec.price
    if not isinstance(spec, Served):
        return Rate(0.0, 0.0)
    provider = spec.billed_by
    if not provider or not (folder / "prices").is_dir():
        return None
    names = [card.id for card in read_models(folder).values() if (provider, spec.model) in card.names.items()]
    prices = read_prices(folder)
    found = next((price for name in names if (price := price_of(prices, name, str(provider)))), None)
    return None if found is None else Rate(found.input, found.output)
