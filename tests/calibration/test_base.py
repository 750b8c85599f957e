"""What every calibrator has from its base class, shown on the smallest one: the identity."""

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from sklearn.utils import get_tags

import rochull as rh
from adversaries import Array
from rochull._core.schemas import VERSION, checksum
from rochull._core.validation import Labelled
from rochull.calibration.base import Calibrator
from rochull.calibration.schema import LOGISTIC


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
