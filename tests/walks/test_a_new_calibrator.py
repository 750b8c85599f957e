"""Walks: what CONTRIBUTING.md says of a change is made here, in a scratch module, and must be enough."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rochull as rh

GAUSSIAN = '''
"""The one new file: scores of both classes are normal, of one standard deviation."""

import numpy as np

from rochull._core.schemas import number
from rochull.calibration.base import Calibrator
from rochull.calibration.schema import calibrator_schema

FITTED = ("slope", "intercept", "prevalence")


class GaussianCalibrator(Calibrator):
    schema = calibrator_schema("gaussian", dict.fromkeys(FITTED, number()))
    takes = "finite scores"

    def __init__(self, pos_label=None):
        self.pos_label = pos_label

    def _fit(self, data):
        positive = data.positive == 1
        weights = np.ones(positive.size) if data.weights is None else data.weights
        high, low = (np.average(data.scores[own], weights=weights[own]) for own in (positive, ~positive))
        apart = data.scores - np.where(positive, high, low)
        self.slope_ = float((high - low) / np.average(apart**2, weights=weights))
        self.intercept_ = float(-self.slope_ * (high + low) / 2)
        self.prevalence_ = float(np.average(positive, weights=weights))

    def _llr(self, scores):
        return self.slope_ * scores.astype(float) + self.intercept_

    def steps(self):
        return None

    def _document(self):
        return {"kind": "gaussian", **{name: getattr(self, f"{name}_") for name in FITTED}}

    @classmethod
    def _restore(cls, document):
        found = cls()
        for name in FITTED:
            setattr(found, f"{name}_", document[name])
        return found
'''
LINE = "gaussian", "scratch_gaussian:GaussianCalibrator"  # the one line elsewhere


@pytest.fixture
def gaussian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The class of a new calibrator."""
    from rochull.calibration.kinds import KINDS, calibrator_class

    (tmp_path / "scratch_gaussian.py").write_text(GAUSSIAN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "scratch_gaussian", raising=False)
    monkeypatch.setitem(KINDS, *LINE)
    return calibrator_class("gaussian")


def test_a_new_calibrator(gaussian: Any, tmp_path: Path) -> None:
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    scores = rng.normal(2 * y)
    calibrator = gaussian().fit(scores, y)
    np.testing.assert_allclose(calibrator.llr([0.0, 1.0, 2.0]), [-2, 0, 2], atol=0.2)
    costs = rh.ExpectedCost(cost_fp=np.e, prevalence=0.5)
    assert calibrator.decide([1.2, 1.8], costs).tolist() == [False, True]
    # Saved and loaded.
    calibrator.save(tmp_path / "model.json")
    loaded = rh.load_calibrator(tmp_path / "model.json")
    assert type(loaded) is gaussian
    assert loaded.llr(scores).tolist() == calibrator.llr(scores).tolist()
    with pytest.raises(ValueError, match="of kind 'gaussian'; load_calibrator reads every kind"):
        rh.PavCalibrator.load(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    (tmp_path / "bad.json").write_text(text.replace('"slope"', '"slant"'), encoding="utf-8")
    with pytest.raises(ValueError, match="the calibrator is not valid at slope"):
        rh.load_calibrator(tmp_path / "bad.json")
    # In estimators, of two classes and of several.
    X = np.column_stack([scores, rng.normal(size=y.size)])
    model = rh.estimators.PavCalibratedClassifier(GaussianNB(), calibrator=gaussian()).fit(X, y)
    assert type(model.calibrator_) is gaussian
    probability = np.column_stack([1 - loaded.posterior(scores), loaded.posterior(scores)])
    several = rh.multiclass.MulticlassCalibrator(calibrator=gaussian()).fit(probability, y)
    assert several.posterior(probability).shape == (4000, 2)
    # In Spark.
    assert loaded.steps() is None


@pytest.mark.long
def test_a_new_calibrator_on_the_command_line(gaussian: Any, tmp_path: Path) -> None:
    rows = "\n".join(f"{i % 2},{i % 2 + i % 7}" for i in range(200))
    (tmp_path / "table.csv").write_text(f"label,score\n{rows}\n", encoding="utf-8")
    code = f"""
from rochull.calibration.kinds import KINDS
KINDS[{LINE[0]!r}] = {LINE[1]!r}
from rochull.cli.app import main
raise SystemExit(main())
"""
    options = ["--label", "label", "--score", "score", "--model", "model.json"]

    def run(*more: str) -> Any:
        command = [sys.executable, "-c", code, "calibrate", "table.csv", *options, *more]
        return subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)

    done = run("--method", "gaussian")
    assert done.returncode == 0, done.stderr
    assert type(rh.load_calibrator(tmp_path / "model.json")) is gaussian
    assert "--bound is for --method pav." in run("--method", "gaussian", "--bound", "elub").stderr


@pytest.mark.parametrize("missing", ["_fit", "_llr", "steps", "_document", "_restore"])
def test_an_incomplete_calibrator_says_what_is_missing(missing: str) -> None:
    from rochull.calibration.base import Calibrator

    names = {"_fit", "_llr", "steps", "_document", "_restore"} - {missing}
    kind: Any = type("Half", (Calibrator,), {name: lambda self, *_: None for name in names})
    with pytest.raises(TypeError, match=f"abstract class Half .*{missing}"):
        kind()


def test_a_calibrator_says_what_its_document_holds(gaussian: Any) -> None:
    from rochull.calibration.base import Calibrator

    names = ("_fit", "_llr", "steps", "_document", "_restore")
    kind: Any = type("Half", (Calibrator,), {name: lambda self, *_: None for name in names})
    with pytest.raises(
        TypeError, match="Half is not complete: it does not state the schema of its documents"
    ):
        kind()
    calibrator = gaussian().fit([0.1, 0.4, 0.3, 0.9], [0, 1, 0, 1])
    whole = calibrator._document()
    calibrator._document = lambda: {key: whole[key] for key in ("kind", "slope")}
    with pytest.raises(TypeError, match="is written without intercept, prevalence, which its schema names"):
        calibrator.to_json()
    calibrator._document = lambda: whole | {"slope": np.inf}
    with pytest.raises(ValueError, match="the document holds a number that JSON lacks; rochull"):
        calibrator.to_json()
