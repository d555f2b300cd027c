"""The registry: every entry loads, the paper's models are all there, and a mistake is one clear line."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from polibias.domain.registry import ModelCard
from polibias.errors import InputError
from polibias.sources.registry import price_of, read_models, read_prices
from tests.conftest import ROOT

DATA = ROOT / "data"
PAPER = {
    "gemma-4-31b",
    "gpt-oss-120b",
    "gpt-oss-20b",
    "mistral-small-3.2",
    "minimax-m2.7",
    "qwen3.5-122b",
    "qwen3.5-397b",
}


@pytest.fixture(scope="module")
def models() -> dict[str, ModelCard]:
    return read_models(DATA)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A registry that a test may spoil."""
    for folder in ("models", "prices"):
        shutil.copytree(DATA / folder, tmp_path / folder)
    return tmp_path


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_the_models_of_both_versions_and_the_judges_are_there(models: dict[str, ModelCard]) -> None:
    uses = Counter(use for card in models.values() for use in card.used_in)

    assert uses == {"paper": 7, "judge": 2, "version-1": 13}
    assert {card.id for card in models.values() if "paper" in card.used_in} == PAPER
    assert {card.id for card in models.values() if "judge" in card.used_in} == {"claude-opus-4.5", "glm-4.7"}


def test_no_judge_shares_its_family_with_an_evaluated_model(models: dict[str, ModelCard]) -> None:
    """The paper's rule for choosing judges."""
    families = {use: {card.family for card in models.values() if use in card.used_in} for use in ("paper", "judge")}

    assert families["paper"] & families["judge"] == set()


def test_sizes_of_one_family_differ_and_active_parameters_are_a_part(models: dict[str, ModelCard]) -> None:
    for family in ("gpt-oss", "qwen3.5"):
        sizes = [card.parameters_b for card in models.values() if card.family == family]
        assert len(sizes) >= 2
        assert len(set(sizes)) == len(sizes)
        assert None not in sizes
    for card in models.values():
        assert card.open_weights == (card.parameters_b is not None)
        assert (card.active_b or 0) <= (card.parameters_b or 0)


def test_every_model_has_a_name_and_the_least_reasoning_at_openrouter(models: dict[str, ModelCard]) -> None:
    """Version 1 asked every model there, so a body is missing only where nothing can be sent."""
    for card in models.values():
        assert card.name_at("openrouter")
        assert ("openrouter" in card.reasoning.body) == (card.reasoning.setting in ("off", "low"))


def test_open_weights_can_be_served_and_are_pinned(models: dict[str, ModelCard]) -> None:
    for card in models.values():
        assert card.name_at("vllm") == (card.hub or None)
        assert bool(card.revision) == card.open_weights


def test_every_price_is_of_a_known_model_and_dated(models: dict[str, ModelCard]) -> None:
    prices = read_prices(DATA)

    assert {price.model for price in prices.price} == set(models)
    for price in prices.price:
        assert price.input > 0
        assert price.output >= 0
        assert (price.dated or prices.as_of) <= prices.as_of


def test_a_price_is_found_or_said_to_be_unknown() -> None:
    prices = read_prices(DATA)
    judge = price_of(prices, "claude-opus-4.5", "anthropic")

    assert judge
    assert (judge.input, judge.output, judge.batch_discount) == (5, 25, 0.5)
    assert price_of(prices, "gpt-oss-120b", "vllm") is None
    assert price_of(prices, "no-such-model", "openrouter") is None


def test_the_newest_list_wins(data: Path) -> None:
    """Whatever the files are called."""
    older = data / "prices" / "z-first.toml"
    shutil.copy(data / "prices" / "2026-11.toml", older)
    replace(older, 'id = "2026-11"', 'id = "z-first"')
    replace(older, 'as_of = "2026-11-30"', 'as_of = "2026-10-01"')
    assert read_prices(data).id == "2026-11"

    replace(older, 'as_of = "2026-10-01"', 'as_of = "2026-12-01"')
    assert read_prices(data).id == "z-first"


def second_file(data: Path) -> None:
    shutil.copy(data / "models" / "glm-4.7.toml", data / "models" / "glm-copy.toml")


def second_name(data: Path) -> None:
    replace(
        data / "models" / "gpt-oss-20b.toml", 'openrouter = "openai/gpt-oss-20b"', 'openrouter = "openai/gpt-oss-120b"'
    )


def unknown_provider(data: Path) -> None:
    replace(data / "models" / "grok-4.5.toml", "xai =", "xia =")


def missing_field(data: Path) -> None:
    replace(data / "models" / "glm-4.7.toml", 'region = "China"\n', "")


def short_revision(data: Path) -> None:
    replace(data / "models" / "glm-4.7.toml", "602d01efcdd332c5238ca4bcede555defbe83eb7", "602d01e")


def closed_with_hub(data: Path) -> None:
    replace(data / "models" / "glm-4.7.toml", "open_weights = true", "open_weights = false")


def revision_of_nothing(data: Path) -> None:
    replace(data / "models" / "grok-4.5.toml", "open_weights = false", f'open_weights = false\nrevision = "{"0" * 40}"')


def body_without_name(data: Path) -> None:
    replace(data / "models" / "grok-4.5.toml", 'xai = "grok-4.5"\n', "")


def unknown_model(data: Path) -> None:
    replace(data / "prices" / "2026-11.toml", 'model = "gpt-oss-20b"', 'model = "gpt-oss-20"')


def price_nowhere(data: Path) -> None:
    replace(data / "prices" / "2026-11.toml", 'provider = "xai"', 'provider = "zai"')


def price_twice(data: Path) -> None:
    replace(data / "prices" / "2026-11.toml", 'provider = "xai"', 'provider = "openrouter"')


def price_of_tomorrow(data: Path) -> None:
    replace(data / "prices" / "2026-11.toml", 'dated = "2026-08-18"', 'dated = "2026-12-24"')


def price_for_nothing(data: Path) -> None:
    replace(data / "prices" / "2026-11.toml", "input = 5", "input = 0")


def list_without_day(data: Path) -> None:
    replace(data / "prices" / "2026-11.toml", 'as_of = "2026-11-30"\n', "")


def two_lists_of_a_day(data: Path) -> None:
    shutil.copy(data / "prices" / "2026-11.toml", data / "prices" / "again.toml")
    replace(data / "prices" / "again.toml", 'id = "2026-11"', 'id = "again"')


@pytest.mark.parametrize(
    ("spoil", "file", "says"),
    [
        (second_file, "glm-copy.toml", "rename the file to glm-4.7.toml"),
        (second_name, "gpt-oss-20b.toml", "openai/gpt-oss-120b at openrouter too"),
        (unknown_provider, "grok-4.5.toml", "xia"),
        (missing_field, "glm-4.7.toml", "region"),
        (short_revision, "glm-4.7.toml", "revision"),
        (closed_with_hub, "glm-4.7.toml", "if its weights are open"),
        (revision_of_nothing, "grok-4.5.toml", "a revision needs the hub name"),
        (body_without_name, "grok-4.5.toml", "reasoning.body names xai"),
        (unknown_model, "2026-11.toml", "did you mean gpt-oss-20b"),
        (price_nowhere, "2026-11.toml", "'grok-4.5' at zai: the model has no name there"),
        (price_twice, "2026-11.toml", "'grok-4.5' at openrouter is given twice"),
        (price_of_tomorrow, "2026-11.toml", "dated 2026-12-24, after"),
        (price_for_nothing, "2026-11.toml", "price number 1.input"),
        (list_without_day, "2026-11.toml", "as_of"),
        (two_lists_of_a_day, "again.toml", "keep one per day"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_file(
    data: Path, spoil: Callable[[Path], None], file: str, says: str
) -> None:
    spoil(data)

    with pytest.raises(InputError) as caught:
        read_prices(data)

    assert file in str(caught.value)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
