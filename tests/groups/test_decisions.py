"""How chance divides the cases of a group among the rules that are mixed."""

import numpy as np
import pytest

from rochull.conditions.rules import NEVER, OperatingPoint
from rochull.groups.decisions import Lots, mixed


@pytest.mark.parametrize("key", [None, np.arange(4000)])
@pytest.mark.parametrize("parts", [(0.5, 0.3, 0.2), (0.2, 0.3, 0.5), (0.1, 0.9)])
def test_each_rule_decides_its_share_of_the_cases(parts: tuple[float, ...], key: np.ndarray | None) -> None:
    rows = np.arange(4000)
    point = OperatingPoint(0.0, 0.0, tuple((NEVER, part) for part in parts))
    lots = Lots(key, "salt", 0, rows.size)
    own = np.array([
        mixed([np.full(rows.size, i == j) for i in range(len(parts))], point, lots, rows)
        for j in range(len(parts))
    ])  # fmt: skip
    assert own.sum(axis=0).tolist() == [1] * rows.size  # one rule each, the same each time
    assert own.mean(axis=1) == pytest.approx(parts, abs=0.03)
