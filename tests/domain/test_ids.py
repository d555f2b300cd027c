"""Canonical form carries any text unchanged, and names nothing twice."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias.domain.ids import canonical, is_plain, plain, sorted_form, tagged_hash

anything = st.text(st.characters(exclude_categories=[]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | anything,
    lambda inner: st.lists(inner) | st.dictionaries(anything, inner),
)
plain_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(is_plain)
    | st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('\x00\x1f\x7f\x80é\u2028—🙂\\"/')),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)


@given(plain_values)
def test_the_quicker_form_is_canonical_form(value: object) -> None:
    assert sorted_form(value) == canonical(plain(value))


@pytest.mark.parametrize("number", [1e16, 1e-5, -3.2e-05, 5e-324, 1.7e308])
def test_numbers_of_two_forms_are_told(number: float) -> None:
    assert not is_plain(number)
    assert is_plain(0.0)
    assert is_plain(-1e-4)


def test_the_quicker_form_refuses_lone_surrogates() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        sorted_form("\ud800")


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
