"""The stretch in which no difference can be measured: what the page must give, against case by case."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "stretches.json").read_text())


@pytest.mark.parametrize("given", VECTORS)
def test_ends_are_the_outermost_that_cannot_be_told_apart(given: dict[str, Any]) -> None:
    costs, totals = given["costs"], given["totals"]
    alarm, miss = costs["fp"] * (1 - costs["p"]), costs["fn"] * costs["p"]
    flagged = [
        np.array([np.arange(total) < count for count in given[name]])
        for name, total in (("fp", totals["negatives"]), ("tp", totals["positives"]))
    ]
    paid = [alarm * flagged[0], miss * ~flagged[1]]  # by each case, at each step
    means = sum(each.mean(axis=1) for each in paid)
    at = int(np.argmin(means))
    apart = [each - each[at] for each in paid]
    error = np.sqrt(sum(each.var(axis=1) / each.shape[1] for each in apart))
    alike = np.flatnonzero(np.abs(means - means[at]) <= 1.96 * error)
    assert [at, [alike[0], alike[-1]]] == [given["at"], given["ends"]]
    assert given["gap"] == (alike.size < alike[-1] - alike[0] + 1)


def test_some_step_in_between_can_be_told_apart() -> None:
    """So that the vectors tell this stretch from one that ends at the first such step."""
    assert [given["gap"] for given in VECTORS].count(True) > 1
