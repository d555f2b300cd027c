"""Laws of the one map between what is stored and what is shown."""

from hypothesis import given
from hypothesis import strategies as st

from polibias.domain.sides import ORDERS, Both, order_from, other, shown_as, stored

shown = st.sampled_from(["1", "2", "none"])
orders = st.sampled_from(ORDERS)


@given(shown, orders)
def test_stored_then_shown_is_identity(choice: str, order: str) -> None:
    assert shown_as(stored(choice, order), order) == choice


@given(orders)
def test_flipping_the_order_swaps_what_1_means(order: str) -> None:
    """The same stored side appears under the other number in the other order."""
    flipped = "BA" if order == "AB" else "AB"
    for side in ("A", "B"):
        assert {shown_as(side, order), shown_as(side, flipped)} == {"1", "2"}
    assert stored("1", order) == stored("2", flipped)


@given(st.text(), st.text(), orders)
def test_in_order_puts_the_first_shown_first(a: str, b: str, order: str) -> None:
    first, second = Both(a, b).in_order(order)
    assert Both(first, second).in_order(order) == (a, b)
    assert order_from(order[0]) == order
    assert other(other("A")) == "A"
