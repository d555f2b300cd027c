"""Placeholders are filled once, and no value can name another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias.domain.wording import fill
from polibias.errors import InputError


@given(st.text(), st.text())
def test_values_are_inert(a: str, b: str) -> None:
    assert fill("<{one}|{two}>", {"one": a, "two": b}, "test") == f"<{a}|{b}>"


def test_value_that_looks_like_a_placeholder_stays() -> None:
    assert fill("{one} {two}", {"one": "{two}", "two": "{one}"}, "test") == "{two} {one}"


def test_unknown_placeholder_is_named() -> None:
    with pytest.raises(InputError, match=r"judge prompt 'x': unknown placeholder \{thing\}; known are one"):
        fill("{thing}", {"one": ""}, "judge prompt 'x'")
