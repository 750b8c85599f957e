"""What is fetched ahead."""

import numpy as np
import pytest

from rochull._core.kernels.prefetch import fetch_ahead


@pytest.mark.parametrize("index", [-(10**12), -1, 0, 2, 10**12])
def test_it_may_be_nowhere(index: int) -> None:
    values = np.arange(6.0)[::2]
    fetch_ahead(values, index)
    assert values.tolist() == [0, 2, 4]
