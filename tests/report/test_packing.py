"""What a page holds of its facts are these facts: packed in Python, unpacked in a browser."""

import json
from typing import Any

import numpy as np
import pytest

import report_cases as cases
import rochull as rh
from engine import engine
from rochull.report.packing import packed

ODD: list[Any] = [
    None, [], [True, 1, 2, 3], [False, "AAAA"], [False, None], {"__proto__": [1, 2, 3, 4], "": {}}, ["inf", "-inf"],
    [5, 4, 3, 2**53, 1], [2**60, 2**60 + 1024, 0, 1, 2], [0.1, "inf", "-inf", 1, -2.5e-300], [{}, {}, {}, {}],
    [{"a": 1, "b": [{"c": 0.1}] * 5}, {"a": 2, "b": None}, {"a": 4, "b": []}, {"a": 8, "b": 7}],
    [{"a": 1}, {"b": 1}, {"a": 1}, {"a": 2}], ["text"] * 9, [None, 1, 2, 3, 4], [[1, 2, 3, 4, 5]] * 5, [-1, -2, 5, 5, 5],
    [True] * 5, [None] * 4, [False, False, False, False, True], [7] * 9, ["inf"] * 4, [0.5] * 4, [[]] * 4, [1, 1, 1, 1.0], [0.0, -0.0, 0.0, -0.0],
]  # fmt: skip


def unpacked(facts: Any) -> Any:
    with engine() as made:
        text = made.evaluate(
            "text => JSON.stringify(rochullFacts.unpacked(JSON.parse(text)))", json.dumps(packed(facts))
        )
    return json.loads(text, parse_int=float)


def test_nothing_is_lost() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        size = int(rng.integers(0, 40))
        doubles = rng.integers(0, 2**63, size).view(np.float64)
        ODD.append(doubles[np.isfinite(doubles)].tolist())
        ODD.append(np.cumsum(rng.integers(0, 900, size)).tolist())
    assert unpacked(ODD) == json.loads(json.dumps(ODD), parse_int=float)


@pytest.mark.parametrize("make", [cases.weighted, cases.low_is_positive, cases.long_integers])
def test_a_report_is_what_it_was_and_shorter(make: Any) -> None:
    facts = rh.Report(make(), rh.ExpectedCost(1, 3)).facts
    assert unpacked(facts) == json.loads(json.dumps(facts), parse_int=float)
    assert len(json.dumps(packed(facts))) < len(json.dumps(facts)) - 2_000
