"""A look at scores part by part tells what a look at all of them at once tells."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.cli.look import Look


def told(calibrator: Any, parts: list[Any], capsys: pytest.CaptureFixture[str]) -> tuple[str, dict[str, Any]]:
    record: Any = SimpleNamespace(facts={"tests": {}})
    look = Look(calibrator, record)
    look.begin(sum(map(len, parts)))
    for part in parts:
        look.at(part)
    look.tell()
    return capsys.readouterr().out, record.facts["tests"]


def test_parts_are_told_as_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.3
    calibrator = rh.PavCalibrator().fit(rng.normal(1.5 * y), y)
    scores = rng.normal(1.5 * (rng.random(3000) < 0.3))
    for each in (scores, 100 * scores):
        whole = told(calibrator, [each], capsys)
        assert told(calibrator, np.array_split(each, 7), capsys) == whole
        assert "3,000 cases" in whole[0]
        assert "policy" not in whole[0]
        assert ("kind that the calibrator was made from" in whole[0]) == (each is scores)
    assert told(calibrator, [], capsys) == ("", {})


def test_several_columns_are_not_tested(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(1)
    y = rng.random(500) < 0.3
    X = rng.normal(np.c_[y, y])
    found = told(rh.LogisticFusion().fit(X, y), [X], capsys)
    assert found == ("Batch: 500 cases: scores not tested.\n", {})
