"""MulticlassCalibrator: binary calibrators against fitting them by hand, priors, decisions, documents."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

import rochull as rh
from refusals import refuses
from rochull._core.schemas import checksum, plain_labels
from rochull.multiclass import coupling

Array = np.ndarray[Any, Any]

WAYS: list[dict[str, Any]] = [
    {},
    {"method": "ovr"},
    {"coupling": "mean_llr"},
    {"contrast": "share", "calibrator": rh.PavCalibrator("linear", "elub")},
    {"calibrator": rh.PavCalibrator()},
    {"method": "ovr", "calibrator": rh.PavCalibrator()},
    {"calibrator": rh.LogisticCalibrator(targets="platt")},
    {"method": "ovr", "contrast": "share", "calibrator": rh.BetaCalibrator("am", targets="platt")},
]


def example(n: int = 200, n_classes: int = 3, seed: int = 0) -> tuple[Array, Array]:
    """Outputs of a classifier that is too sure, with labels."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    logits = 2 * (rng.normal(size=(n, n_classes)) + (y[:, None] == np.arange(n_classes)))
    p = np.exp(logits)
    return p / p.sum(axis=1, keepdims=True), y


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_two_classes_are_the_binary_calibrator(way: dict[str, Any]) -> None:
    p, y = example(120, 2)
    new = np.concatenate([p, example(50, 2, 1)[0], [[0.0, 1.0], [1.0, 0.0]]])
    if "Logistic" in str(way):
        new = new[:-2]
    scores = {
        "log_ratio": lambda q: np.log(q[:, 1] / q[:, 0]),
        "share": lambda q: q[:, 1] / (q[:, 0] + q[:, 1]),
    }[way.get("contrast", "log_ratio")]
    with np.errstate(divide="ignore"):
        known, at = scores(p), scores(new)
    binary = clone(way.get("calibrator", rh.PavCalibrator(bound="laplace"))).fit(known, y)
    found = rh.multiclass.MulticlassCalibrator(**way).fit(p, y)
    llr = found.llr(new)
    assert (llr[:, 1] - llr[:, 0]).tolist() == binary.llr(at).tolist()
    assert (llr.max(axis=1) == 0).all()
    assert found.posterior(new)[:, 1].tolist() == binary.transform(at).tolist()
    assert found.posterior(new, [3, 1])[:, 1].tolist() == binary.posterior(at, 0.25).tolist()
    np.testing.assert_allclose(found.posterior(new).sum(axis=1), 1, rtol=1e-15)
    assert found.priors_[1] == binary.prevalence_
    costs = [[0, 1], [5, 0]]
    condition = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.1)
    decided = found.decide(new, costs, priors=[0.9, 0.1])
    assert decided.tolist() == binary.decide(at, condition).astype(int).tolist()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_binary_calibrators_are_those_fitted_by_hand(way: dict[str, Any], weighted: bool) -> None:
    p, y = example()
    weight = np.random.default_rng(3).integers(1, 4, y.size) / 2 if weighted else None
    labels = np.array(["x", "y", "z"])
    found = rh.multiclass.MulticlassCalibrator(**way).fit(p, labels[y], weight)
    template = way.get("calibrator", rh.PavCalibrator(bound="laplace"))
    assert found.classes_.tolist() == ["x", "y", "z"]
    shares = np.bincount(y, weight) / (y.size if weight is None else weight.sum())
    np.testing.assert_allclose(found.priors_, shares)
    for key, fitted in found.calibrators_.items():
        if isinstance(key, tuple):
            i, j = "xyz".index(key[0]), "xyz".index(key[1])
            rows, of, against = (y == i) | (y == j), p[:, j], p[:, i]
            positive = y == j
        else:
            c = "xyz".index(key)
            rows, of, against = y >= 0, p[:, c], np.delete(p, c, axis=1).sum(axis=1)
            positive = y == c
        score = of / (of + against) if way.get("contrast") == "share" else np.log(of / against)
        known = clone(template).fit(score[rows], positive[rows], None if weight is None else weight[rows])
        np.testing.assert_allclose(fitted.llr(score), known.llr(score), rtol=1e-6, atol=1e-6)
    assert len(found.calibrators_) == 3


def test_posteriors_of_pairs_minimise_what_they_say() -> None:
    """The coupled vector at even priors against all others nearby."""
    p, y = example(300, 4)
    found = rh.multiclass.MulticlassCalibrator().fit(p, y)
    new, _ = example(20, 4, 5)
    even = found.posterior(new, np.ones(4))
    r = np.full((20, 4, 4), np.nan)
    for (i, j), binary in found.calibrators_.items():
        llr = binary.llr(np.log(new[:, j] / new[:, i]))
        r[:, j, i], r[:, i, j] = 1 / (1 + np.exp(-llr)), 1 / (1 + np.exp(llr))

    def loss(q: Array) -> Array:
        pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
        return np.asarray(sum((r[:, j, i] * q[:, i] - r[:, i, j] * q[:, j]) ** 2 for i, j in pairs))

    rng = np.random.default_rng(0)
    least = loss(even)
    for size in (1e-1, 1e-3):
        for _ in range(100):
            moved = np.abs(even + size * rng.normal(size=even.shape))
            assert (loss(moved / moved.sum(axis=1, keepdims=True)) >= least - 1e-15).all()


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_priors_change_as_bayes_says(way: dict[str, Any]) -> None:
    p, y = example(400)
    found = rh.multiclass.MulticlassCalibrator(**way).fit(p, y)
    new, _ = example(50, seed=9)
    at_training, priors = found.posterior(new), np.array([0.1, 0.7, 0.2])
    expected = at_training * priors / found.priors_
    total = expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.posterior(new, priors), expected / total, rtol=1e-9, atol=1e-300)
    assert np.array_equal(found.posterior(new, 10 * priors), found.posterior(new, priors / 1.0 * 10))
    with np.errstate(divide="ignore"):
        odds = found.llr(new) + np.log(priors)
    odds = np.exp(odds - odds.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        found.posterior(new, priors), odds / odds.sum(axis=1, keepdims=True), rtol=1e-12
    )
    without = found.posterior(new, [0.5, 0.5, 0])
    assert (without[:, 2] == 0).all()
    np.testing.assert_allclose(without.sum(axis=1), 1)
    assert np.array_equal(found.transform(new), at_training)


def test_llrs_of_pairs_are_free_of_the_training_proportions() -> None:
    """Every example of one class three times: PAV's LLRs of pairs stay what they are, to the last digits."""
    p, y = example()
    more = np.concatenate([np.arange(y.size), *[np.flatnonzero(y == 1)] * 2])
    one, other = (
        rh.multiclass.MulticlassCalibrator(calibrator=rh.PavCalibrator()).fit(p[s], y[s]) for s in (..., more)
    )
    new, _ = example(50, seed=2)
    np.testing.assert_allclose(one.llr(new), other.llr(new), rtol=1e-9, atol=1e-9)
    assert not np.allclose(one.posterior(new), other.posterior(new))


@pytest.mark.parametrize("method", ["pairwise", "ovr"])
def test_integer_weights_are_repetitions(method: str) -> None:
    p, y = example()
    weight = np.random.default_rng(1).integers(0, 4, y.size)
    plain = rh.multiclass.MulticlassCalibrator(method, rh.PavCalibrator())
    one = clone(plain).fit(p, y, weight)
    other = clone(plain).fit(np.repeat(p, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.posterior(p), other.posterior(p), rtol=1e-9, atol=1e-12)


def test_better_than_the_raw_outputs_on_vehicles() -> None:
    """Held out, of naive Bayes: the calibrated posteriors' log score and Cllr beat its own."""
    table = rh.datasets.load("vehicle")
    y = np.asarray(table.pop("Class")).astype(str)
    x = np.column_stack([np.asarray(column, float) for column in table.values()])
    part = np.random.default_rng(0).integers(0, 3, y.size)
    model = GaussianNB().fit(x[part == 0], y[part == 0])
    outputs = model.predict_proba(x)
    code = np.searchsorted(model.classes_, y)
    test = part == 2

    def log_score(q: Array) -> float:
        return float(-np.log(q[np.arange(len(q)), code[test]]).mean())

    raw = log_score(np.maximum(outputs[test], 1e-15))
    for way in ({}, {"method": "ovr"}, {"coupling": "mean_llr"}):
        found = rh.multiclass.MulticlassCalibrator(**way).fit(outputs[part == 1], y[part == 1])
        assert log_score(found.posterior(outputs[test])) < 0.5 * raw
        assert rh.multiclass.multiclass_cllr(y[test], found.llr(outputs[test])) < 0.9


def test_decisions_cost_least() -> None:
    p, y = example(300, 4)
    found = rh.multiclass.MulticlassCalibrator().fit(p, np.array(["a", "b", "c", "d"])[y])
    new, _ = example(60, 4, 3)
    rng = np.random.default_rng(0)
    costs, priors = rng.integers(0, 9, (4, 4)), [0.4, 0.3, 0.2, 0.1]
    posterior = found.posterior(new, priors)
    expected = []
    for row in posterior:
        losses = [sum(row[i] * costs[i, j] for i in range(4)) for j in range(4)]
        expected.append("abcd"[int(np.argmin(losses))])
    assert found.decide(new, costs, priors).tolist() == expected
    assert found.decide(new, rh.multiclass.CostMatrix(costs, priors)).tolist() == expected
    order = [2, 0, 3, 1]
    moved = rh.multiclass.CostMatrix(
        costs[np.ix_(order, order)], np.array(priors)[order], classes=[("a", "b", "c", "d")[k] for k in order]
    )
    assert found.decide(new, moved).tolist() == expected
    at_training = found.posterior(new) @ costs
    assert found.decide(new, costs).tolist() == ["abcd"[k] for k in at_training.argmin(axis=1).tolist()]
    # What ties to rounding is the first class.
    assert set(found.decide(new, np.ones((4, 4)) / 3).tolist()) == {"a"}
    assert found.decide(new, 1 - np.eye(4)).tolist() == [
        "abcd"[k] for k in found.posterior(new).argmax(axis=1).tolist()
    ]


def test_outputs_that_are_all_zero_say_as_much_as_equal_ones() -> None:
    p, y = example()
    for way in WAYS[:6]:
        found = rh.multiclass.MulticlassCalibrator(**way).fit(
            np.concatenate([p, np.zeros((3, 3))]), [*y, 0, 1, 2]
        )
        rows = found.posterior([[0, 0, 0], [1, 1, 1], [0.2, 0.2, 0.2]])
        assert np.array_equal(rows[0], rows[1])
        np.testing.assert_allclose(rows[0], rows[2])
        zeros = found.posterior([[0, 0, 1], [0, 1, 0], [1e308, 1e308, 1e308]])
        np.testing.assert_allclose(zeros.sum(axis=1), 1)


def test_many_rows_are_coupled_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from rochull.multiclass import calibration

    p, y = example()
    for way in WAYS[:3]:
        found = rh.multiclass.MulticlassCalibrator(**way).fit(p, y)
        whole = found.llr(p)
        monkeypatch.setattr(calibration, "_ROWS", 7)
        np.testing.assert_allclose(found.llr(p), whole, rtol=1e-12, atol=1e-12)


def test_nothing_is_modified() -> None:
    p, y = example()
    p[0] = 0
    kept, labels, weight = p.copy(), y.copy(), np.ones(y.size)
    template = rh.PavCalibrator(pos_label="yes")
    found = rh.multiclass.MulticlassCalibrator(calibrator=template).fit(p, y, weight)
    found.decide(p, np.eye(3), weight[:3])
    assert np.array_equal(p, kept)
    assert np.array_equal(y, labels)
    assert np.array_equal(weight, np.ones(y.size))
    assert template.pos_label == "yes"
    assert not hasattr(template, "hull_")


# --- bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "change", "message"),
    [
        ({"method": "all"}, {}, "method must be 'pairwise' or 'ovr', but is 'all'"),
        ({"coupling": "x"}, {}, "coupling must be None or 'least_squares' or 'mean_llr', but is 'x'"),
        ({"method": "ovr", "coupling": "mean_llr"}, {}, "with method='ovr' it must be None"),
        ({"contrast": "x"}, {}, "contrast must be 'log_ratio' or 'share', but is 'x'"),
        ({"calibrator": "pav"}, {}, "calibrator must be a calibrator of rochull, but is 'pav'"),
        ({"classes": [0, 1]}, {}, "classes must name 3 different columns"),
        ({"classes": [0, 1, 7]}, {}, "^y has the class 2, for which"),
        ({}, {"X": -np.ones((6, 3))}, "X has 18 negative values, the first in row 0, column 0"),
        ({}, {"X": np.full((6, 3), np.nan)}, "X has 18 NaN"),
        ({}, {"X": np.full((6, 3), np.inf)}, "X has 18 infinite values"),
        ({}, {"X": np.ones(6)}, r"X must have shape \(n, C\)"),
        ({}, {"X": np.ones((5, 3))}, "X and y must have the same length"),
        ({}, {"y": [0, 0, 0, 1, 1, 1]}, "^y has 2 classes, but outputs has 3 columns"),
        ({}, {"sample_weight": [1, 1, 1, 1, 0, 0]}, "class 2 has zero total weight"),
        ({}, {"sample_weight": [1]}, "X and sample_weight must have the same length"),
        ({}, {"sample_weight": [1, 1, 1, 1, 1, -1]}, "sample_weight has 1 negative values"),
    ],
)
def test_bad_input_to_fit(params: dict[str, Any], change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"X": np.ones((6, 3)), "y": [0, 0, 1, 1, 2, 2], **change}
    refuses(message, rh.multiclass.MulticlassCalibrator(**params).fit, **given)


def test_bad_input_afterwards() -> None:
    p, y = example()
    found = rh.multiclass.MulticlassCalibrator().fit(p, y)
    refuses(r"X has 2 features, but .* is expecting 3 features", found.posterior, p[:, :2])
    for priors, message in (
        ([1, 1], "priors has 2 values, but there are 3 classes"),
        ([0, 0, 0], "priors are all zero"),
        ([1, -1, 1], "priors has 1 negative values"),
        ([1, np.nan, 1], "priors has 1 values that are not finite"),
    ):
        refuses(message, found.posterior, p, priors)
    refuses("costs", found.decide, p, np.ones((2, 2)))
    refuses("outputs has 1 negative values", found.llr, [[1, 1, -1]])
    with pytest.raises(ValueError, match="coupling='mean_llr' needs finite LLRs"):
        rh.multiclass.MulticlassCalibrator(calibrator=rh.PavCalibrator(), coupling="mean_llr").fit(p, y).llr(
            [[1.0, 0.0, 0.0]]
        )


# --- documents ----------------------------------------------------------------------------------------


@pytest.mark.crossed
@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("labels", [["a", "b", "c"], [3, 1, 2], [True, "yes", 2.5], ["a", "b"]], ids=str)
def test_documents_keep_every_number(way: dict[str, Any], labels: list[Any], tmp_path: Path) -> None:
    p, y = example(n_classes=len(labels))
    names = np.empty(y.size, object)
    names[:] = [labels[k] for k in y]
    found = rh.multiclass.MulticlassCalibrator(**way, classes=labels).fit(p, names)
    found.about = {"from": "a test"}
    found.save(tmp_path / "calibrator.json")
    loaded = rh.multiclass.MulticlassCalibrator.load(tmp_path / "calibrator.json")
    new, _ = example(40, len(labels), 7)
    for priors in (None, np.arange(1, len(labels) + 1)):
        assert np.array_equal(loaded.posterior(new, priors), found.posterior(new, priors))
    assert np.array_equal(loaded.llr(new), found.llr(new))
    costs = 1 - np.eye(len(labels))
    assert loaded.decide(new, costs).tolist() == found.decide(new, costs).tolist()
    assert [type(label) for label in loaded.classes_.tolist()] == [
        type(label) for label in found.classes_.tolist()
    ]
    assert loaded.about == {"from": "a test"}
    assert loaded.n_features_in_ == len(labels)
    assert loaded.to_json() == found.to_json() == (tmp_path / "calibrator.json").read_text(encoding="utf-8")
    again = clone(loaded).fit(p, names)
    np.testing.assert_allclose(again.llr(new), found.llr(new), atol=1e-9)


def tampered(change: dict[str, Any], seal: bool = True) -> str:
    p, y = example()
    document = json.loads(rh.multiclass.MulticlassCalibrator().fit(p, y).to_json())
    document.update(change)
    if seal:
        document["checksum"] = checksum(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "rochull-policy"}, "this is not a multi-class calibrator document"),
        ({"version": 2}, "has version 2; this rochull reads version 1"),
        ({"method": "x"}, "not valid at method"),
        ({"extra": 1}, "not valid at extra"),
        ({"classes": [0, 1, 1]}, "a class occurs twice"),
        ({"classes": [0, 1]}, "priors are not 2 numbers that sum to 1"),
        ({"classes": [0, 1, None]}, r"not valid at classes.2: it must be a text, a truth value or a number"),
        ({"priors": [0.5, 0.4, 0.3]}, "priors are not 3 numbers that sum to 1"),
        ({"priors": [0.5, 0.5, 0.0]}, "not valid at priors.2"),
        ({"coupling": None}, "coupling belongs to pairs"),
        ({"method": "ovr"}, "coupling belongs to pairs"),
        ({"calibrators": []}, "calibrators are 0 instead of 3"),
        ({"calibrators": [{}, {}, {}]}, r"not valid at calibrators.0: "),
        ({"about": {"a": 1}}, "not valid at about.a"),
    ],
)
def test_documents_that_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        rh.multiclass.MulticlassCalibrator.from_json(tampered(change))
    assert "\n" not in str(caught.value)
    (tmp_path / "a.json").write_text(tampered(change), encoding="utf-8")
    refuses(r"a\.json: ", rh.multiclass.MulticlassCalibrator.load, tmp_path / "a.json")


def test_documents_are_sealed() -> None:
    with pytest.raises(ValueError, match="was changed after it was written"):
        rh.multiclass.MulticlassCalibrator.from_json(tampered({"priors": [0.2, 0.3, 0.5]}, seal=False))
    refuses("not valid", rh.multiclass.MulticlassCalibrator.from_json, "nothing")
    document = json.loads(tampered({}))
    document["calibrators"][1]["blocks"][0]["pos"] += 1
    document["checksum"] = checksum(document)
    with pytest.raises(ValueError, match=r"calibrators\.1: the calibrator was changed"):
        rh.multiclass.MulticlassCalibrator.from_json(json.dumps(document))


@pytest.mark.parametrize("label", [2**70, float("inf"), (1, 2)], ids=str)
def test_labels_that_no_document_holds(label: Any) -> None:
    refuses("classes: a document holds texts, truth values and finite numbers", plain_labels, [label])


def test_about_is_text() -> None:
    p, y = example()
    found = rh.multiclass.MulticlassCalibrator().fit(p, y)
    refuses("about", found.to_json, about={"a": 1})
    assert json.loads(found.to_json(about={"a": "b"}))["about"] == {"a": "b"}


# --- scikit-learn -------------------------------------------------------------------------------------


class AnyColumns(rh.multiclass.MulticlassCalibrator):
    """Takes tables and any labels, as scikit-learn's generic checks give them: a column for each class."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        X, y = validate_data(self, X, y)
        check_non_negative(X, f"X in {type(self).__name__}")
        if np.unique(y).size > 4:
            y = (y > np.median(y)).astype(int)
        self._size = np.unique(y).size
        super().fit(self._columns(X), y, sample_weight)
        self.n_features_in_ = X.shape[1]
        return self

    def _columns(self, X: Array) -> Array:
        """As many as there are classes."""
        return X[:, np.arange(max(2, self._size)) % X.shape[1]]

    def _outputs(self, outputs: Any) -> Array:
        return coupling.usable(np.asarray(outputs, float))

    def transform(self, X: Any) -> Array:
        check_is_fitted(self)
        return super().transform(self._columns(validate_data(self, X, reset=False)))


@pytest.mark.parametrize(
    "params", [{}, {"method": "ovr", "calibrator": rh.PavCalibrator()}, {"coupling": "mean_llr"}], ids=str
)
@pytest.mark.filterwarnings("ignore")  # of what scikit-learn does to provoke errors
def test_checks_of_scikit_learn(params: Any) -> None:
    failed, run = {}, set()
    for estimator, check in estimator_checks_generator(AnyColumns(**params)):
        name = check.func.__name__
        if name == "check_array_api_input":  # skips itself, because an environment variable is not set
            continue
        run.add(name)
        try:
            check(estimator)
        except Exception as error:
            failed[name] = error
    assert len(run) > 40
    # An added example weighs the mean weight of its class: two rows are not one row of weight two then.
    with_bound = set() if "calibrator" in params else {"check_sample_weight_equivalence_on_dense_data"}
    assert set(failed) == with_bound, failed


def test_as_a_step_of_scikit_learn() -> None:
    import pandas as pd

    p, y = example()
    calibrator = rh.multiclass.MulticlassCalibrator("ovr", contrast="share")
    assert calibrator.get_params()["contrast"] == "share"
    assert clone(calibrator).get_params() == calibrator.get_params()
    piped = make_pipeline(FunctionTransformer(), calibrator).fit(p, y)
    assert np.array_equal(piped.transform(p), calibrator.fit(p, y).transform(p))
    names = ["multiclasscalibrator0", "multiclasscalibrator1", "multiclasscalibrator2"]
    assert calibrator.get_feature_names_out().tolist() == names
    frame = pd.DataFrame(p, columns=["a", "b", "c"])
    refuses("no column 0 for the class 0", rh.multiclass.MulticlassCalibrator().fit, frame, y)
    fitted = (
        rh.multiclass.MulticlassCalibrator(classes=[0, 1, 2]).set_output(transform="pandas").fit(frame, y)
    )
    assert list(fitted.transform(frame).columns) == names
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
    refuses("feature names", fitted.transform, frame[["b", "a", "c"]])


@given(st.integers(0, 2**32), st.integers(3, 5), st.sampled_from(range(6)))
def test_posteriors_are_probabilities(seed: int, n_classes: int, way: int) -> None:
    """Whatever the outputs are: few values, zeros, ties."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 30)])
    outputs = rng.integers(0, 4, (y.size, n_classes)) * 10.0 ** rng.integers(-300, 300, (y.size, 1))
    params = WAYS[way]
    if params.get("coupling") == "mean_llr" or "calibrator" not in params:
        params = {**params, "calibrator": rh.PavCalibrator("linear", "misleading")}
    found = rh.multiclass.MulticlassCalibrator(**params).fit(outputs, y)
    for priors in (None, rng.random(n_classes)):
        p = found.posterior(outputs, priors)
        assert p.min() >= 0
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert (found.llr(outputs).max(axis=1) == 0).all()


def test_a_frame_called_like_the_classes_is_taken_by_name() -> None:
    import pandas as pd

    p, y = example()
    names = [f"c{label}" for label in np.unique(y).tolist()]
    labels = np.array([f"c{label}" for label in y.tolist()])
    frame = pd.DataFrame(p, columns=names)[names[::-1]]
    plain, named = (
        rh.multiclass.MulticlassCalibrator().fit(p, labels),
        rh.multiclass.MulticlassCalibrator().fit(frame, labels),
    )
    assert named.classes_.tolist() == names
    np.testing.assert_array_equal(named.posterior(frame), plain.posterior(p))
    assert named.feature_names_in_.tolist() == names[::-1]


def test_a_fit_that_fails_leaves_what_was_fitted() -> None:
    p, y = example()
    calibrator = rh.multiclass.MulticlassCalibrator(calibrator=rh.LogisticCalibrator()).fit(p, y)
    before, document = calibrator.posterior(p), calibrator.to_json()
    zero = p.copy()
    zero[-1, -1] = 0
    refuses(r"outputs of 0.* contrast='share', PavCalibrator, or", calibrator.fit, zero, y)
    refuses("y has", calibrator.fit, np.column_stack([p, p]), y)
    assert calibrator.to_json() == document
    np.testing.assert_array_equal(calibrator.posterior(p), before)


def test_priors_by_label():
    y, outputs = ["a", "b", "c"] * 4, [[6, 3, 1], [2, 5, 3], [2, 3, 5], [3, 4, 1]] * 3
    calibrator = rh.multiclass.MulticlassCalibrator().fit(outputs, y)
    wanted = calibrator.posterior(outputs, priors=[0.2, 0.3, 0.5])
    assert calibrator.posterior(outputs, priors={"c": 0.5, "a": 0.2, "b": 0.3}).tolist() == wanted.tolist()
    refuses("priors has no value for class 'b'", calibrator.posterior, outputs, priors={"a": 0.2, "c": 0.8})
    with pytest.raises(ValueError, match="priors has 'x', which is not a class"):
        calibrator.posterior(outputs, priors={"a": 0.2, "b": 0.3, "c": 0.4, "x": 0.1})
    refuses("priors has 1 value, but", calibrator.posterior, outputs, priors=[1])


def test_labels_that_no_document_holds_are_refused_by_fit() -> None:
    outputs = np.random.default_rng(0).random((30, 3))
    with pytest.raises(ValueError, match="y has the label 100000000000000000000, which is beyond 64 bits"):
        rh.multiclass.MulticlassCalibrator().fit(outputs, np.array([10**20, 4, 5] * 10, object))
