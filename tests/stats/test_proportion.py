"""A share's interval holds the share, down to none and up to all."""

import pytest

from polibias.stats.proportion import share


@pytest.mark.parametrize("n", [*range(1, 200), 1_000, 123_457])
def test_none_and_all_lie_in_their_own_intervals(n: int) -> None:
    assert share(0, n).low == 0.0
    assert share(n, n).high == 1.0
