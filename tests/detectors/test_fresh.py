"""Beginnings of responses, written before the rules were read or in order to get round them, and near misses."""

import json
from typing import Any

import pytest

from polibias.detectors.signals import signals
from tests.conftest import ROOT

FRESH = json.loads((ROOT / "tests" / "cases" / "detectors_fresh.json").read_text(encoding="utf-8"))
CASES = [case for part in ("cases", "held_out", "near_misses", "evasive") for case in FRESH[part]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_what_a_fresh_response_says(case: dict[str, Any]) -> None:
    found = signals(case["text"], case["task"])
    rating = found.rating.value if found.rating else None
    assert (found.refusal.label, found.premise.label, rating) == (case["refusal"], case["premise"], case["rating"])
