"""What every calibrator has from its base class, shown on the smallest one: the identity."""

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.utils import get_tags

import rochull as rh
from adversaries import Array
from calibrator_cases import SUM
from rochull._core.schemas import VERSION, checksum
from rochull._core.validation import Labelled
from rochull.calibration.base import Calibrator
from rochull.calibration.calibrator_schema import LOGISTIC
from rochull.calibration.kinds import CALIBRATORS, calibrator_of
from sum_of_scores import SumCalibrator


class Identity(Calibrator):
    """Scores that are LLRs already."""

    def __init__(self, pos_label: object = None) -> None:
        self.pos_label = pos_label

    def _fit(self, data: Labelled) -> None:
        self.data_ = data
        self.prevalence_ = float(np.average(data.positive == 1, weights=data.weights))

    def _llr(self, scores: Array) -> Array:
        return scores.astype(float)

    def steps(self) -> None:
        pass

    schema = LOGISTIC

    def _document(self) -> dict[str, Any]:
        return {"kind": "logistic", "slope": 1.0, "intercept": 0.0, "prevalence": self.prevalence_,
                "fitted_at": None, "targets": "labels"}  # fmt: skip

    @classmethod
    def _restore(cls, fields: Mapping[str, Any]) -> Self:
        raise NotImplementedError


def fitted(**params: Any) -> Any:
    return Identity(**params).fit([1.0, 2.0, 3.0, 4.0], [0, 0, 0, 1])


def test_fit_gives_validated_examples() -> None:
    calibrator = Identity(pos_label="b")
    found: Self | Identity = calibrator.fit([[1], [2], [3]], ["b", "a", "a"], sample_weight=[1, 0, 2])
    assert found is calibrator
    assert calibrator.data_.positive.tolist() == [1, 0, 0]
    assert calibrator.data_.scores.tolist() == [1, 2, 3]
    assert calibrator.data_.scores.dtype == np.int64
    assert calibrator.data_.weights is not None
    assert calibrator.data_.weights.tolist() == [1.0, 0.0, 2.0]
    assert (calibrator.n_features_in_, calibrator.prevalence_) == (1, 1 / 3)


def test_readings() -> None:
    calibrator = fitted()
    assert calibrator.llr([0, -1, np.inf]).tolist() == [0.0, -1.0, np.inf]
    np.testing.assert_allclose(calibrator.posterior([0.0, math.log(3)]), [0.25, 0.5], rtol=1e-15)
    np.testing.assert_allclose(calibrator.posterior([0.0], prevalence=0.5), [0.5])
    assert calibrator.transform([0.5]).tolist() == calibrator.posterior([0.5]).tolist()
    condition = rh.ExpectedCost(cost_fp=2.0, prevalence=0.5)
    assert calibrator.decide([0.69, 0.7], condition).tolist() == [False, True]
    assert calibrator.get_feature_names_out().tolist() == ["identity0"]
    assert calibrator.get_feature_names_out(["x"]).tolist() == ["identity0"]


def test_a_document() -> None:
    text = fitted().to_json(about={"who": "me"})
    document = json.loads(text)
    assert (document["format"], document["version"]) == ("rochull-calibrator", VERSION)
    assert document["checksum"] == checksum(document)
    assert (document["about"], document["pos_label"], document["prevalence"]) == ({"who": "me"}, None, 0.25)
    assert text.endswith("}\n")
    assert json.loads(fitted().to_json())["about"] == {}


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    calibrator = fitted()
    calibrator.save(path, about={"who": "me"})
    before = path.read_text(encoding="utf-8")
    assert before == calibrator.to_json(about={"who": "me"})
    assert rh.load_calibrator(path).about == {"who": "me"}

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        calibrator.save(path)
    assert path.read_text(encoding="utf-8") == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        calibrator.save(tmp_path / "none" / "model.json")


@pytest.mark.parametrize("about", [{"a": 1}, {1: "a"}, {"a": None}])
def test_about_is_text(about: Any) -> None:
    with pytest.raises(ValueError, match=r"about.* must (be a string, but is|hold texts under strings)"):
        fitted().to_json(about=about)


@pytest.mark.parametrize("label", [(1, 2), math.nan, math.inf, b"yes", np.datetime64("2020-01-01")])
def test_labels_that_json_has_not(label: Any) -> None:
    calibrator = fitted()
    calibrator.pos_label = label
    with pytest.raises(ValueError, match="pos_label must be a string, a number or None to be saved, but is"):
        calibrator.to_json()


@pytest.mark.parametrize("label", [np.int8(1), np.float32(1.5), np.str_("yes"), np.bool_(True), "yes", None])
def test_labels_of_numpy_are_written_as_those_of_python(label: Any) -> None:
    calibrator = fitted()
    calibrator.pos_label = label
    found = json.loads(calibrator.to_json())["pos_label"]
    assert found == label
    assert type(found) in (int, float, str, bool, type(None))


def test_what_is_missing_is_named() -> None:
    kind: Any = type("Half", (Calibrator,), {"_fit": Identity._fit, "_llr": Identity._llr})
    with pytest.raises(TypeError, match=r"Half.* _document.*_restore.*steps"):
        kind()


def test_tags() -> None:
    tags = get_tags(Identity())
    assert tags.input_tags.one_d_array
    assert not tags.input_tags.two_d_array  # as IsotonicRegression: the generic checks give tables
    assert tags.target_tags.required
    assert tags.transformer_tags is not None


A, B, BOTH = [1.0, 2.0, 3.0, 4.0], [0.0, 5.0, 0.0, 1.0], [0, 0, 0, 1]
ROWS = np.column_stack([A, B])


def test_several_columns_are_read_by_name(frame_module: Any) -> None:
    found = SumCalibrator().fit(frame_module({"a": A, "b": B}), BOTH)
    assert (found.n_features_in_, found.feature_names_in_.tolist()) == (2, ["a", "b"])
    expected = SumCalibrator().fit(ROWS, BOTH).llr(ROWS).tolist()
    assert expected == (2 * ROWS[:, 0] - ROWS[:, 1] + found.intercept_).tolist()
    for given in ({"b": B, "a": A}, frame_module({"x": B, "b": B, "a": A}), ROWS, ROWS.tolist()):
        assert found.llr(given).tolist() == expected
        assert found.decide(given, rh.Accuracy(0.5)).tolist() == [value > 0 for value in expected]
    again = found.fit(ROWS, BOTH)  # to columns without names
    assert not hasattr(again, "feature_names_in_")
    import pandas as pd

    assert again.llr(pd.DataFrame(ROWS)).tolist() == expected
    with pytest.raises(
        ValueError, match="scores has named columns, but SumCalibrator was fitted to columns wi"
    ):
        again.llr({"a": A, "b": B})


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({"a": A, "c": B}, "^scores has no column 'b'; it has 'a', 'c'"),
        ({}, "^scores has no column 'a'; it has no named columns"),
        ({"a": A, "b": [1.0]}, "must have the same length, but column 'a' of scores has 4 and"),
        ({"a": A, "b": [1, 2, None, 4]}, "column 'b' has 1 null in 4 rows"),
        (
            {"a": A, "b": np.array([1, 2, math.nan, 4])},
            "column 'b' of scores has 1 NaN, the first at index 2",
        ),
        ({"a": A, "b": [1, 2, 2**53 + 1, 4]}, "column 'b' of scores has integers beyond 2\\*\\*53"),
        (A, "SumCalibrator reads 2 columns of scores, but scores has 1"),
        ([[1, 2, 3]], "SumCalibrator reads 2 columns of scores, but scores has 3"),
        (np.zeros((4, 2, 1)), r"scores must have shape \(n, k\), but has shape \(4, 2, 1\)"),
        (np.zeros((0, 2)), "column 0 of scores is empty"),
        ([["a", "b"]], "column 0 of scores must be numeric, but index 0 holds 'a'"),
        (3, r"scores must be an array of shape \(n, k\), but is an int"),
        ("scores.csv", "scores is a path"),
    ],
)
def test_several_columns_that_are_none(scores: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SumCalibrator().fit({"a": A, "b": B}, BOTH).llr(scores)


def test_bad_examples_of_several_columns() -> None:
    for X, message in (
        (A, "SumCalibrator reads 2 columns of scores, but X has 1"),
        ({}, "X has no columns"),
        (ROWS[:3], "X and y must have the same length, but X has 3 and y has 4"),
    ):
        with pytest.raises(ValueError, match=message):
            SumCalibrator().fit(X, BOTH)


def test_as_many_columns_as_it_is_fitted_to() -> None:
    class Mean(Identity):
        n_columns = None

        def _llr(self, scores: Array) -> Array:
            return np.asarray(scores.mean(axis=1))

    for columns in (1, 2, 3):
        X = np.repeat(ROWS[:, :1], columns, axis=1)
        found = Mean().fit(X, BOTH)
        assert (found.n_features_in_, found.llr(X).tolist()) == (columns, A)
    with pytest.raises(ValueError, match="Mean reads 3 columns of scores, but scores has 2"):
        found.llr(ROWS)
    assert Mean().fit(A, BOTH).llr(A).tolist() == A
    assert json.loads(found.to_json())["columns"] == 3


def test_documents_of_several_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CALIBRATORS, *SUM)
    named = SumCalibrator().fit({"a": A, "b": B}, BOTH)
    whole = named.to_dict()
    assert whole["columns"] == ["a", "b"]
    assert calibrator_of(whole).llr({"b": B, "a": A}).tolist() == named.llr(ROWS).tolist()
    assert SumCalibrator().fit(ROWS, BOTH).to_dict()["columns"] == 2
    assert "columns" not in fitted().to_dict()  # as before
    for columns, message in (
        (["a"], "the calibrator is not valid at columns: SumCalibrator reads 2"),
        (1, "the calibrator is not valid at columns: SumCalibrator reads 2"),
        (["a", "a"], "the calibrator is not valid at columns: a name occurs twice"),
        ([1, 2], r"the calibrator is not valid at columns\.0: it must be text"),
        ("a", "the calibrator is not valid at columns: it must be a whole number"),
    ):
        changed = whole | {"columns": columns}
        with pytest.raises(ValueError, match=message):
            calibrator_of(changed | {"checksum": checksum(changed)})
    changed = fitted().to_dict() | {"columns": ["a"]}
    with pytest.raises(ValueError, match="not valid at columns: LogisticCalibrator reads 1"):
        calibrator_of(changed | {"checksum": checksum(changed)})


def test_tags_of_several_columns() -> None:
    tags = get_tags(SumCalibrator())
    assert (tags.input_tags.one_d_array, tags.input_tags.two_d_array) == (False, True)


def test_held_out_probabilities_by_cross_val_predict() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.4
    x = rng.normal(size=300) + y
    found = cross_val_predict(rh.LogisticCalibrator(), x, y, cv=KFold(3))
    for train, test in KFold(3).split(x):
        twin = rh.LogisticCalibrator().fit(x[train], y[train]).posterior(x[test])
        assert found[test].tolist() == twin.tolist()
