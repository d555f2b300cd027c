"""The shipped rubric and judge prompts, and one pair."""

from collections.abc import Callable

import pytest

from polibias import pairs
from polibias.domain.rows import PromptPair
from polibias.domain.rubric import Rubric
from polibias.domain.study import Items
from polibias.domain.wording import JudgePrompt
from polibias.sources.library import Library
from polibias.sources.rubrics import read_judge_prompt, read_rubric
from tests.conftest import ROOT

DATA = ROOT / "data"
LIBRARY = Library(DATA)


@pytest.fixture
def rubric() -> Rubric:
    return read_rubric(DATA, "poli-bias", "tests")


@pytest.fixture(params=["pair", "pair-brief"])
def asked(request: pytest.FixtureRequest) -> JudgePrompt:
    return read_judge_prompt(DATA, request.param, "tests")


@pytest.fixture
def build_pair() -> Callable[[str], PromptPair]:
    """A function that builds one pair in a condition."""

    def build(condition: str) -> PromptPair:
        items = LIBRARY.items((Items(("WC-DIS-001",), ("iran-israel",), ("T2",)),), "tests")
        return pairs.build(next(LIBRARY.scenarios([(items[0], 1.0)], [condition], "tests")))

    return build


@pytest.fixture
def pair(build_pair: Callable[[str], PromptPair]) -> PromptPair:
    return build_pair("official")
