"""Canonical form carries any text unchanged, and names nothing twice."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias.domain.ids import canonical, tagged_hash

anything = st.text(st.characters(exclude_categories=[]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | anything,
    lambda inner: st.lists(inner) | st.dictionaries(anything, inner),
)


@given(values)
def test_canonical_round_trip(value: object) -> None:
    """Every string survives, NUL and lone surrogates included, and one value has one form."""
    data = canonical(value)
    assert json.loads(data) == value
    assert canonical(json.loads(data)) == data
    assert b"\n" not in data


def test_canonical_refuses_what_json_cannot_say() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(float("nan"))


def test_golden_hash() -> None:
    """A changed serialisation would orphan every stored key."""
    value = {"b": ["é", 1.5, None, True], "a": {"z": "\ud800", "y": "\x00"}}
    assert canonical(value) == b'{"a":{"y":"\\u0000","z":"\\ud800"},"b":["\\u00e9",1.5,null,true]}'
    assert tagged_hash("response/1", value) == "bfa651c2be8edab9e91722f62f9169b421188526f7003bcb5f3436ca7484d315"
    assert tagged_hash("judgment/1", value) != tagged_hash("response/1", value)
