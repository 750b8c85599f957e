"""Walks: what CONTRIBUTING.md says of a change is made here, in a scratch module, and must be enough."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import rochull as rh
import sum_of_scores
from calibrator_cases import SUM

GAUSSIAN = '''
"""The one new file: scores of both classes are normal, of one standard deviation."""

import numpy as np

from rochull._core.schemas import number
from rochull.calibration.base import Calibrator
from rochull.calibration.calibrator_schema import calibrator_schema

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
    from rochull.calibration.kinds import CALIBRATORS, calibrator_class

    (tmp_path / "scratch_gaussian.py").write_text(GAUSSIAN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "scratch_gaussian", raising=False)
    monkeypatch.setitem(CALIBRATORS, *LINE)
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
from rochull.calibration.kinds import CALIBRATORS
CALIBRATORS[{LINE[0]!r}] = {LINE[1]!r}
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
    assert "--strict is for --method pav." in run("--method", "gaussian", "--strict").stderr


# --- one that reads two columns ------------------------------------------------------------------


@pytest.fixture
def of_two(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The class of a new calibrator of two columns, and its twin: the formula."""
    from rochull.calibration.kinds import CALIBRATORS, calibrator_class

    monkeypatch.setitem(CALIBRATORS, *SUM)
    return calibrator_class("sum")


def twin(y: Any, a: Any, b: Any) -> Any:
    """Twice a less b, less what lies midway between the means of the classes."""
    total = 2 * a - b
    return total - (total[y == 1].mean() + total[y == 0].mean()) / 2


@pytest.fixture
def cases() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    return y, rng.normal(y), rng.normal(size=400) - y


def test_a_new_calibrator_of_two_columns(of_two: Any, cases: Any, tmp_path: Path) -> None:
    y, a, b = cases
    expected = twin(y, a, b)
    calibrator = of_two().fit({"a": a, "b": b}, y)
    np.testing.assert_allclose(calibrator.llr({"b": b, "a": a}), expected, rtol=0, atol=1e-14)
    llr = calibrator.llr(np.column_stack([a, b]))
    for prior in (0.001, 0.1, 0.5, 0.9):
        posterior = 1 / (1 + np.exp(-llr) * (1 - prior) / prior)
        np.testing.assert_allclose(calibrator.posterior({"a": a, "b": b}, prior), posterior, rtol=1e-12)
        costs = rh.ExpectedCost(cost_fp=2, cost_fn=3, prevalence=prior)
        called = (llr > np.log(2 / 3) + np.log((1 - prior) / prior)).tolist()
        assert calibrator.decide({"b": b, "a": a}, costs).tolist() == called
    calibrator.save(tmp_path / "model.json")
    loaded = rh.load_calibrator(tmp_path / "model.json")
    assert loaded.feature_names_in_.tolist() == ["a", "b"]
    assert loaded.llr({"b": b, "a": a}).tolist() == llr.tolist()
    with pytest.raises(ValueError, match="scores has no column 'b'; it has 'a'"):
        loaded.llr({"a": a})
    rows = pa.table({"a": a, "b": b})
    told = duckdb.from_arrow(rows).project(f"{loaded.to_sql({}, 'duckdb', 'llr')} AS llr").fetchnumpy()
    np.testing.assert_allclose(told["llr"], llr, rtol=0, atol=1e-13)


def test_two_columns_in_an_estimator(of_two: Any, cases: Any) -> None:
    from sklearn.base import clone
    from sklearn.ensemble import StackingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    y, a, b = cases
    X = np.column_stack([a, b])
    members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
    both = StackingClassifier(members, LogisticRegression(), cv=2)
    model = rh.estimators.PavCalibratedClassifier(both, calibrator=of_two()).fit(X, y)
    scores = np.empty((400, 2))
    for train, test in StratifiedKFold(5).split(X, y):
        scores[test] = clone(both).fit(X[train], y[train]).transform(X[test])
    np.testing.assert_array_equal(model.out_of_fold_scores_, scores)
    assert model.calibrator_.llr(scores).tolist() == of_two().fit(scores, y).llr(scores).tolist()
    asked = model.estimator_.transform(X)
    assert model.predict_llr(X).tolist() == model.calibrator_.llr(asked).tolist()
    assert model.predict_proba(X)[:, 1].tolist() == model.calibrator_.posterior(asked).tolist()
    costs = rh.ExpectedCost(prevalence=0.3)
    assert model.decide(X, costs).tolist() == model.calibrator_.decide(asked, costs).tolist()
    with pytest.raises(ValueError, match=r"estimator's transform gives .* but GaussianNB has none"):
        rh.estimators.PavCalibratedClassifier(GaussianNB(), calibrator=of_two()).fit(X, y)


def test_the_prevalence_of_cases_with_two_scores(of_two: Any, cases: Any) -> None:
    y, a, b = cases
    calibrator = of_two().fit({"a": a, "b": b}, y)
    labelled = {"y_true": y, "y_score": {"b": b, "a": a}}
    some = slice(None, None, 2)
    found = rh.estimate_prevalence({"a": a[some], "b": b[some]}, calibrator, **labelled)
    llr = calibrator.llr(np.column_stack([a, b]))

    class Itself:
        llr = staticmethod(np.asarray)

    same = rh.estimate_prevalence(llr[some], Itself(), y_true=y, y_score=llr)
    assert (found.estimate, found.low, found.high) == (same.estimate, same.low, same.high)
    with pytest.raises(ValueError, match="y_score has no column 'b'"):
        rh.estimate_prevalence({"a": a, "b": b}, calibrator, y_true=y, y_score={"a": a})


def test_where_a_map_of_one_score_is_needed(of_two: Any, cases: Any) -> None:
    y, a, b = cases
    with pytest.raises(ValueError, match="'sum' reads several columns of scores, but what is drawn is a map"):
        rh.plotting.ScoreToLlrDisplay.compute(y, a, calibrators={"sum": of_two()})
    outputs = np.exp(np.column_stack([a, b]))
    with pytest.raises(ValueError, match="calibrator must read one column of scores, but SumCalibrator"):
        rh.multiclass.MulticlassCalibrator(calibrator=of_two()).fit(outputs, y)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_two_columns_in_spark(
    local_spark: Any, of_two: Any, cases: Any, request: pytest.FixtureRequest
) -> None:
    import pyarrow as pa
    from pyspark import cloudpickle

    # Nobody has installed the new module where Spark's workers look.
    cloudpickle.register_pickle_by_value(sum_of_scores)
    request.addfinalizer(lambda: cloudpickle.unregister_pickle_by_value(sum_of_scores))
    y, a, b = cases
    gone = np.arange(y.size) % 100
    table = pa.table({"a": pa.array(a, mask=gone == 7), "b``": np.where(gone == 9, np.nan, b), "n": y})
    df = local_spark.createDataFrame(table)
    calibrator = of_two().fit({"a": a, "n": y}, y)
    places = {"a": "a", "n": "b``"}  # scores of n stand in another column
    found = rh.policies.spark_calibrate(df, calibrator, places, what="llr", column="llr").toArrow()["llr"]
    known = (gone != 7) & (gone != 9)
    assert found.is_valid().to_pylist() == known.tolist()
    assert found.drop_null().to_pylist() == calibrator.llr({"a": a[known], "n": b[known]}).tolist()
    unnamed = of_two().fit(np.column_stack([a, y]), y)  # integers beside floats
    found = rh.policies.spark_calibrate(df, unnamed, ["a", "n"], prevalence=0.1).toArrow()["posterior"]
    rows = np.column_stack([a, y])[gone != 7]
    assert found.drop_null().to_pylist() == unnamed.posterior(rows, 0.1).tolist()
    for score, message in (
        (
            ["a", "b``"],
            "SumCalibrator reads 'a', 'n'; where one of them is in a column of another name, give a",
        ),
        (["a", "n", "n"], "table has no column 'n'"),
        ({"a": "x"}, "table has no column 'x'"),
    ):
        with pytest.raises(ValueError, match=message):
            rh.policies.spark_calibrate(df.select("a", "`b`````"), calibrator, score)
    with pytest.raises(ValueError, match="reads 2 columns, but score names 1"):
        rh.policies.spark_calibrate(df, unnamed, "a")


@pytest.mark.long
def test_two_columns_on_the_command_line(of_two: Any, cases: Any, tmp_path: Path) -> None:
    import pandas as pd

    y, a, b = cases
    pd.DataFrame({"label": y, "a": a, "b": b}).to_csv(tmp_path / "table.csv", index=False)
    pd.DataFrame({"b": b, "x": a}).to_csv(tmp_path / "new.csv", index=False)
    code = f"""
import sys
sys.path.append({str(Path(sum_of_scores.__file__).parent)!r})
from rochull.calibration.kinds import CALIBRATORS
CALIBRATORS[{SUM[0]!r}] = {SUM[1]!r}
from rochull.cli.app import main
raise SystemExit(main())
"""

    def run(*arguments: str) -> Any:
        command = [sys.executable, "-c", code, "calibrate", *arguments]
        return subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)

    fit = ["table.csv", "--label", "label", "--method", "sum", "--score", "a", "--score", "b"]
    done = run(*fit, "--model", "model.json", "--held-out", "--output", "fitted.csv")
    assert done.returncode == 0, done.stderr
    calibrator = rh.load_calibrator(tmp_path / "model.json")
    expected = calibrator.llr({"a": a, "b": b})
    np.testing.assert_allclose(expected, twin(y, a, b), rtol=0, atol=1e-14)
    held_out = pd.read_csv(tmp_path / "fitted.csv")["llr"]
    assert np.ptp(held_out - expected) < 0.5  # of other intercepts
    apply = ["--apply", "model.json", "--output", "out.csv"]
    done = run("new.csv", *apply, "--column", "a=x", "--prevalence", "0.1")
    assert done.returncode == 0, done.stderr
    assert "Calibrated 400 scores of columns 'x', 'b' at prevalence 0.1." in done.stdout
    written = pd.read_csv(tmp_path / "out.csv")
    assert written["llr"].tolist() == expected.tolist()
    assert written["posterior"].tolist() == calibrator.posterior({"a": a, "b": b}, 0.1).tolist()
    (tmp_path / "gaps.csv").write_text("a,b\n1,\n,1\n1,1\n", encoding="utf-8")
    done = run("gaps.csv", *apply)
    assert "2 of them are missing" in done.stdout
    assert pd.read_csv(tmp_path / "out.csv")["llr"].isna().tolist() == [True, True, False]
    for arguments, message in (
        (
            ["new.csv", *apply],
            "has no column 'a'; it has 'b', 'x'. Say which of them it is: --column a=<its c",
        ),
        (
            ["new.csv", *apply, "--score", "x"],
            "--score: the model reads 'a', 'b'; --column a=COLUMN says where",
        ),
        (["new.csv", *apply, "--column", "c=x"], "--column must be NAME=COLUMN, but is 'c=x'"),
        (fit[:-2], "--method sum reads 2 columns: give --score for each of them."),
        ([*fit, "--column", "a=x"], "--column has no effect without --apply."),
    ):
        assert message in " ".join(run(*arguments).stderr.split())


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
