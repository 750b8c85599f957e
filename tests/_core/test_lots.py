"""How chance divides the cases of a group among the rules that are mixed."""

import numpy as np
import pytest

from rochull._core.keys import Lots


@pytest.mark.parametrize("key", [None, np.arange(4000)])
@pytest.mark.parametrize("parts", [(0.5, 0.3, 0.2), (0.2, 0.3, 0.5), (0.1, 0.9)])
def test_each_rule_decides_its_share_of_the_cases(parts: tuple[float, ...], key: np.ndarray | None) -> None:
    rows = np.arange(4000)
    lots = Lots(key, "salt", 0, rows.size)
    own = np.array([
        lots.mixed([np.full(rows.size, i == j) for i in range(len(parts))], parts, rows)
        for j in range(len(parts))
    ])  # fmt: skip
    assert own.sum(axis=0).tolist() == [1] * rows.size  # one rule each, the same each time
    assert own.mean(axis=1) == pytest.approx(parts, abs=0.03)


@pytest.mark.parametrize("random_state", ["x", -1, 1.5])
def test_a_random_state_that_is_none_is_named(random_state: object) -> None:
    with pytest.raises(ValueError, match=f"random_state must be an integer.* but is {random_state!r}"):
        _ = Lots(None, "", random_state, 3).drawn
