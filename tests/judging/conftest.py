"""The shipped rubric and judge prompts, and one pair."""

import pytest

from polibias import pairs
from polibias.domain.rows import PromptPair
from polibias.domain.rubric import Rubric
from polibias.domain.study import Items
from polibias.domain.wording import JudgePrompt
from polibias.sources.library import Library
from tests.conftest import ROOT

LIBRARY = Library(ROOT / "data")


@pytest.fixture
def rubric() -> Rubric:
    return LIBRARY.rubric("poli-bias", "tests")


@pytest.fixture(params=["pair", "pair-brief"])
def asked(request: pytest.FixtureRequest) -> JudgePrompt:
    return LIBRARY.judge_prompt(request.param, "tests")


@pytest.fixture
def pair() -> PromptPair:
    items = (Items(("WC-DIS-001",), ("iran-israel",), ("T2",)),)
    return pairs.build(LIBRARY.scenarios(items, "official", "tests")[0])
