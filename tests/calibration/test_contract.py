"""What every calibrator and every repair of scores does, whatever it fits."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import rochull as rh
from calibrator_cases import CALIBRATORS, LABELS, PROBABILITY, SEVERAL, SUM, scores_for
from rochull.calibration import kinds

SCORES = PROBABILITY
ONE = [*CALIBRATORS, rh.VennAbers(), rh.ConcavityRepair(0.001)]  # that read one column
EVERY = [*ONE, SEVERAL]

every = pytest.mark.parametrize("made", EVERY, ids=repr)
of_one = pytest.mark.parametrize("made", ONE, ids=repr)
calibrators = pytest.mark.parametrize("made", [*CALIBRATORS, SEVERAL], ids=repr)
weighted = pytest.mark.parametrize(
    "made", [made for made in EVERY if not isinstance(made, rh.VennAbers)], ids=repr
)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kinds.CALIBRATORS, *SUM)


def fitted(made: Any, **options: Any) -> Any:
    return clone(made).fit(scores_for(made), LABELS, **options)


def readings(made: Any) -> list[str]:
    """The methods that take new scores, and no more."""
    names = "transform", "llr", "posterior", *(["interval"] if isinstance(made, rh.VennAbers) else [])
    return [name for name in names if hasattr(made, name)]


@every
def test_values_do_not_depend_on_how_they_are_asked_for(made: Any) -> None:
    given = scores_for(made)
    scores, labels = given.copy(), LABELS.copy()
    scores.flags.writeable = labels.flags.writeable = False
    found = clone(made)
    values = found.fit_transform(scores.reshape(16, -1), labels)
    assert np.array_equal(scores, given)
    assert np.array_equal(labels, LABELS)
    assert not np.shares_memory(values, scores)
    assert found.transform(scores).tolist() == values.tolist()
    assert found.transform(scores.tolist()).tolist() == values.tolist()
    if hasattr(found, "posterior"):
        assert found.posterior(scores).tolist() == values.tolist()
    assert found.fit(scores, labels).transform(scores).tolist() == values.tolist()
    order = np.random.default_rng(1).permutation(16)
    again = clone(made).set_params(pos_label="bad").fit(scores[order], np.where(labels, "bad", "good")[order])
    assert again.transform(scores).tolist() == values.tolist()
    # Sums over columns may be rounded otherwise where rows lie otherwise.
    np.testing.assert_allclose(found.transform(scores[::-1])[::-1], values, rtol=1e-14)
    alone = [found.transform(scores[i : i + 1])[0] for i in range(16)]
    np.testing.assert_allclose(alone, values, rtol=1e-14)
    assert found.n_features_in_ == again.n_features_in_ == scores.size // 16


@calibrators
def test_posteriors_decisions_and_llrs_agree(made: Any) -> None:
    found = fitted(made)
    scores = scores_for(made)
    llr = found.llr(scores)
    for prevalence in (None, 0.1):
        expected = rh.conditions.posterior_from_llr(llr, prevalence or found.prevalence_)
        np.testing.assert_allclose(found.posterior(scores, prevalence), expected, rtol=1e-9)
    condition = rh.ExpectedCost(cost_fp=3, prevalence=0.4)
    assert found.decide(scores, condition).tolist() == (llr > np.log(4.5)).tolist()
    if made.get_params().get("bound") != "laplace":  # which adds examples
        assert found.prevalence_ == 0.5


@calibrators
def test_posteriors_at_several_prevalences_and_llrs_of_base_10(made: Any) -> None:
    found, scores = fitted(made), scores_for(made)
    several = found.posterior(scores, prevalence=[0.1, 0.5])
    assert several.shape == (16, 2)
    for column, prevalence in zip(several.T, (0.1, 0.5), strict=True):
        assert column.tolist() == found.posterior(scores, prevalence).tolist()
    assert found.llr(scores, base=10).tolist() == (found.llr(scores) / np.log(10)).tolist()
    with pytest.raises(ValueError, match="base must be above 1, but is 1"):
        found.llr(scores, base=1)
    with pytest.raises(ValueError, match="prevalence must"):
        found.posterior(scores, prevalence=[0.1, 1.0])


# Maps that rise in every last place.
RISING = [made for made in CALIBRATORS if not isinstance(made, rh.calibration.FourParameterCalibrator)]


@pytest.mark.parametrize("made", RISING, ids=repr)
def test_the_inverse_is_the_lowest_score_that_will_do(made: Any) -> None:
    found = fitted(made)
    wanted = np.append(found.llr([0.1, 0.4, 0.8]), [np.inf, -np.inf, 0.0])
    scores = found.inverse(wanted)
    known = ~np.isnan(scores)
    probabilities = found.takes == "probabilities"
    assert known.tolist() == (found.llr([1.0 if probabilities else np.inf])[0] >= wanted).tolist()
    assert (found.llr(scores[known]) >= wanted[known]).all()
    lower = np.nextafter(scores[known], -np.inf)
    some = (lower >= 0) if probabilities else (lower < scores[known])
    assert (found.llr(lower[some]) < wanted[known][some]).all()
    turned = clone(made).set_params(lower_is_positive=True)
    if not probabilities:
        turned.fit(-PROBABILITY, LABELS)
        np.testing.assert_array_equal(turned.inverse(wanted), -scores)


def test_no_inverse_of_several_columns() -> None:
    with pytest.raises(ValueError, match="reads several columns, so no LLR has one score"):
        fitted(SEVERAL).inverse([0.0])


@pytest.mark.parametrize("made", [rh.PavCalibrator(), rh.BetaCalibrator()], ids=repr)
def test_a_calibrator_that_says_nothing_is_not_saved_without_a_word(made: Any, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="low scores"):
        made.fit(np.linspace(0.9, 0.1, 200), np.arange(200) >= 100)
    with pytest.warns(UserWarning, match="says the same of every score: its LLRs are 0"):
        made.save(tmp_path / "model.json")
    assert rh.load_calibrator(tmp_path / "model.json").llr([0.3]).tolist() == [0.0]


@every
def test_copies_are_alike(made: Any) -> None:
    assert clone(made).get_params() == made.get_params()
    found = fitted(made)
    scores, copy = scores_for(made), pickle.loads(pickle.dumps(found))
    for name in readings(found):
        np.testing.assert_array_equal(getattr(copy, name)(scores), getattr(found, name)(scores))


@every
def test_as_a_step_of_scikit_learn(made: Any) -> None:
    scores = scores_for(made)
    table = scores.reshape(16, -1)
    values, name = fitted(made).transform(scores), f"{type(made).__name__.lower()}0"
    assert fitted(made).get_feature_names_out().tolist() == [name]
    frame = clone(made).set_output(transform="pandas").fit_transform(table, LABELS)
    assert frame[name].tolist() == values.tolist()
    pipeline = make_pipeline("passthrough", clone(made)).fit(table, LABELS)
    assert pipeline.transform(table).tolist() == values.tolist()
    assert pipeline.get_feature_names_out(["x", "y"][: table.shape[1]]).tolist() == [name]


@weighted
def test_weights_are_routed(made: Any) -> None:
    scores, weights = scores_for(made), np.random.default_rng(0).uniform(0.5, 2, 16)
    with config_context(enable_metadata_routing=True):
        step = clone(made).set_fit_request(sample_weight=True)
        pipeline = make_pipeline("passthrough", step).fit(
            scores.reshape(16, -1), LABELS, sample_weight=weights
        )
    direct = fitted(made, sample_weight=weights)
    assert pipeline.transform(scores.reshape(16, -1)).tolist() == direct.transform(scores).tolist()


# Those of scikit-learn's checks that give no table.
CHECKS = [
    "check_estimator_cloneable", "check_estimator_tags_renamed", "check_valid_tag_types",
    "check_estimator_repr", "check_no_attributes_set_in_init", "check_mixin_order",
    "check_parameters_default_constructible", "check_get_params_invariance", "check_set_params",
    "check_estimators_unfitted", "check_set_output_transform",
    "check_do_not_raise_errors_in_init_or_set_params",
]  # fmt: skip
CASES = [(made, check) for made in ONE for check in CHECKS]
CASES += [(made, "check_transformer_get_feature_names_out") for made in CALIBRATORS]
CASES += [(SEVERAL, check) for check in CHECKS if check != "check_set_output_transform"]  # of three columns


@pytest.mark.parametrize(("made", "check"), CASES, ids=str)
def test_checks_of_scikit_learn(made: Any, check: str) -> None:
    getattr(estimator_checks, check)(type(made).__name__, clone(made))


@calibrators
def test_a_saved_calibrator_is_the_same_and_knows_how_it_was_made(made: Any, tmp_path: Path) -> None:
    found = fitted(made)
    found.save(tmp_path / "model.json")
    loaded = rh.load_calibrator(tmp_path / "model.json")
    assert (type(loaded), repr(loaded)) == (type(found), repr(found))
    asked = scores_for(made, np.array([0.0, *SCORES, 0.5, 1.0]))
    for same in (loaded, clone(loaded).fit(scores_for(made), LABELS)):
        for name in readings(found):
            assert getattr(same, name)(asked).tolist() == getattr(found, name)(asked).tolist()


FINE = [0.1, 0.2]


@of_one
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([0.1, np.nan], [0, 1], "X has 1 NaN, the first at index 1"),
        (FINE, [1, 1], "y has one class only: all 2 labels are positive"),
        (FINE, [0, 1, 1], "X and y must have the same length, but X has 2 and y has 3"),
        ([[0.1, 0.9], [0.2, 0.8]], [0, 1], r"X must have shape \(n,\) or \(n, 1\), but has shape \(2, 2\)"),
        (FINE, [0, 2], "y takes the values 0, 2; give pos_label"),
        (FINE, ["a", "b"], "give pos_label"),
        ([], [], "y is empty"),
        (["low", "high"], [0, 1], "X must be numeric"),
    ],
)
def test_bad_examples(made: Any, X: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        clone(made).fit(X, y)


@weighted
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "X and sample_weight must have the same length, but X has 2 and sample_weight has 1"),
        ([1.0, -1.0], "sample_weight has 1 negative values"),
        ([1.0, 0.0], "sample_weight: the positive class has zero total weight"),
    ],
)
def test_bad_weights(made: Any, weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        clone(made).fit(scores_for(made, FINE), [0, 1], sample_weight=weights)


@every
def test_a_label_that_does_not_occur(made: Any) -> None:
    with pytest.raises(ValueError, match="pos_label=3 does not occur in y"):
        clone(made).set_params(pos_label=3).fit(scores_for(made, FINE), [0, 1])


@of_one
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.5, np.nan], "(X|scores) has 1 NaN, the first at index 1"),
        ([[0.5, 0.1]], "(X|scores) must have shape"),
        (["high"], "(X|scores) must be numeric"),
        ([], "(X|scores) is empty"),
    ],
)
def test_bad_new_scores(made: Any, scores: Any, message: str) -> None:
    found = fitted(made)
    asked = [getattr(found, name) for name in readings(found)]
    if made in CALIBRATORS:
        asked.append(lambda scores: found.decide(scores, rh.Accuracy(0.5)))
    for method in asked:
        with pytest.raises(ValueError, match=f"^{message}"):
            method(scores)


@every
def test_unfitted(made: Any, tmp_path: Path) -> None:
    for name in readings(made):
        with pytest.raises(NotFittedError):
            getattr(clone(made), name)(scores_for(made))
    if hasattr(made, "decide"):
        with pytest.raises(NotFittedError):
            clone(made).decide(scores_for(made), rh.Accuracy(0.5))
        with pytest.raises(NotFittedError):
            clone(made).save(tmp_path / "model.json")


@calibrators
@pytest.mark.parametrize("prevalence", [0, 1, -0.5, 2.0, np.nan, "all"])
def test_bad_prevalences(made: Any, prevalence: Any) -> None:
    with pytest.raises(ValueError, match="prevalence must"):
        fitted(made).posterior(scores_for(made, [0.5]), prevalence)


@calibrators
def test_other_conditions_are_refused(made: Any) -> None:
    with pytest.raises(TypeError, match="condition must be an ExpectedCost"):
        fitted(made).decide(scores_for(made, [0.5]), rh.NeymanPearson(0.1))
    with pytest.raises(rh.ImpreciseConditionError):
        fitted(made).decide(scores_for(made, [0.5]), rh.ExpectedCost(prevalence=(0.1, 0.2)))
