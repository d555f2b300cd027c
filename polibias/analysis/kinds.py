"""Of what kind the models of a study are, as far as the data folder's files on models know, and means over each kind.

A run keeps a model's name and how it was asked, and not who made it. A model is found by the name under which it was
served, else by the name that the study gives it. One that no file knows is of unknown kind, and so is the size of a
model whose developer does not say it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from polibias.analysis.cells import cell
from polibias.analysis.findings import Cell, Table, TableRow
from polibias.analysis.pbi import Tables
from polibias.analysis.together import marks_of
from polibias.domain.registry import ModelCard
from polibias.errors import InputError
from polibias.sources.files import data_folder
from polibias.sources.registry import read_models
from polibias.stats.estimate import Estimate

UNKNOWN = "unknown"
SIZES = ((40.0, "up to 40 billion"), (200.0, "40 to 200 billion"))
LARGEST = "over 200 billion"
CAPTION = (
    "{scale}: plain means over the models of a kind, each model counting once. Descriptive: the models were chosen and "
    "not drawn, so there are no intervals, and a difference between kinds is one between these models. Kinds as the "
    "data folder's files on models give them; sizes are parameters in all."
)


class ModelKind(NamedTuple):
    """A model's kind in each respect, in words."""

    family: str = UNKNOWN
    size: str = UNKNOWN
    region: str = UNKNOWN
    openness: str = UNKNOWN


def kind_of(card: ModelCard) -> ModelKind:
    """The kind of a known model."""
    return ModelKind(
        card.family, size_class(card.parameters_b), card.region, "open weights" if card.open_weights else "closed"
    )


def size_class(billions: float | None) -> str:
    """Parameters in three classes, each without its lower end and with its upper."""
    if billions is None:
        return UNKNOWN
    return next((title for highest, title in SIZES if billions <= highest), LARGEST)


def kinds_of(entries: Sequence[Mapping[str, Any]], cards: Mapping[str, ModelCard]) -> dict[str, ModelKind]:
    """The kind of each model of a run's `study.json`, by its name there."""
    served = {name: card for card in cards.values() for name in (*card.names.values(), card.hub) if name}
    found = {entry["name"]: served.get(str(entry.get("model"))) or cards.get(entry["name"]) for entry in entries}
    return {name: ModelKind() if card is None else kind_of(card) for name, card in found.items()}


def known_kinds(entries: Sequence[Mapping[str, Any]]) -> dict[str, ModelKind]:
    """As `kinds_of`, from the data folder; all unknown where it has no files on models."""
    try:
        cards = read_models(data_folder()) if (data_folder() / "models").is_dir() else {}
    except InputError:
        cards = {}
    return kinds_of(entries, cards)


def kinds_fact(kinds: Mapping[str, ModelKind]) -> str:
    """How many models the files know, and which they do not."""
    unknown = [name for name, kind in kinds.items() if kind == ModelKind()]
    said = f"{len(kinds) - len(unknown)} of {len(kinds)}"
    return f"{said}; unknown: {', '.join(unknown)}" if unknown else said


def kind_marks(model: str, kinds: Mapping[str, ModelKind]) -> Iterator[str]:
    """The words by which cells of the table of kinds select a model's cases."""
    for respect, value in kinds.get(model, ModelKind())._asdict().items():
        yield f"{respect}={_word(value)}"


def _word(value: str) -> str:
    """Marks are told apart by spaces."""
    return value.replace(" ", "-")


def kinds_table(tables: Tables, scores: Table, kinds: Mapping[str, ModelKind]) -> Table | None:
    """Means over the rows of `scores`, the table of mean scores by model; None with a single model."""
    names = list(dict.fromkeys(row.keys["model"] for row in scores.rows))
    if len(names) < 2:
        return None
    rows = [
        TableRow(
            keys | {"respect": respect, "kind": value, "models": ", ".join(row.keys["model"] for row in own)}, cells
        )
        for keys, group in _judged(tables, scores)
        for respect in ModelKind._fields
        for value, own in _by_kind(group, respect, kinds)
        for cells in [{one.id: _mean(own, one.id, {**keys, respect: _word(value)}) for one in tables.columns}]
    ]
    keys = (*(key for key in tables.keys if key != "model"), "respect", "kind", "models")
    caption = CAPTION.format(scale=tables.scale)
    return Table("model_kinds", "By kind of model", caption, keys, tables.columns, tuple(rows))


def _judged(tables: Tables, scores: Table) -> Iterator[tuple[dict[str, str], list[TableRow]]]:
    """The rows of all models, by everything else that tells groups apart."""
    found: dict[tuple[str, ...], list[TableRow]] = {}
    names = [key for key in tables.keys if key != "model"]
    for row in scores.rows:
        found.setdefault(tuple(row.keys[name] for name in names), []).append(row)
    for values, rows in found.items():
        yield dict(zip(names, values, strict=True)), rows


def _by_kind(
    rows: Sequence[TableRow], respect: str, kinds: Mapping[str, ModelKind]
) -> Iterator[tuple[str, list[TableRow]]]:
    """The rows of each kind: sizes from the smallest, others by name, what is unknown last."""
    own = {row.keys["model"]: getattr(kinds.get(row.keys["model"], ModelKind()), respect) for row in rows}
    sizes = [title for _, title in SIZES] + [LARGEST]
    order = sizes if respect == "size" else sorted(Counter(own.values()))
    for value in [*(one for one in order if one != UNKNOWN), UNKNOWN]:
        chosen = [row for row in rows if own[row.keys["model"]] == value]
        if chosen:
            yield value, chosen


def _mean(rows: Sequence[TableRow], column: str, keys: Mapping[str, str]) -> Cell:
    """The mean over models of one column; not estimable if a model has no value there."""
    marks = {"block": column} if column != "difference" else {}
    return cell(mean_of_cells([(row.keys["model"], row.cells[column]) for row in rows]), marks_of(keys, **marks))


def mean_of_cells(found: Sequence[tuple[str, Cell]]) -> Estimate:
    """The plain mean over models, each counting once. It has no interval: nobody drew them."""
    n, models = sum(one.n for _, one in found), len(found)
    missing = [f"{name}: {one.reason}" for name, one in found if one.value is None]
    if missing or not found:
        return Estimate(None, n, models, "", reason="; ".join(missing) or "no model")
    value = sum(one.value for _, one in found if one.value is not None) / models
    return Estimate(value, n, models, "mean over models", reason=CHOSEN if models > 1 else ALONE)


CHOSEN = "no interval: models were chosen, not drawn"
ALONE = "no interval here: one model; its own row has it"
