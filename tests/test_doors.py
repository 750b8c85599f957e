"""What every function of labels and scores does with them: types, weights, mistakes, and nothing to what is given.

Examples come in through one door (`rochull._core.validation`); here it is seen that each function uses it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import rochull as rh

pytestmark = [  # of the few rows here, and of probabilities where anything goes
    pytest.mark.filterwarnings("ignore:statistic=.auc. has too narrow"),
    pytest.mark.filterwarnings("ignore:llr. all values lie between 0 and 1"),
    pytest.mark.filterwarnings("ignore:auc_covariance finds too small|delong_test rejects too often"),
]

Call = Callable[..., Any]
COST = rh.ExpectedCost(cost_fn=3, prevalence=0.3)
PRIORS = np.array([0.4, 0.1, 0.9, 0.4])
PRIORS.flags.writeable = False
DRAWN: dict[str, Any] = {"n_resamples": 39, "random_state": 0}


@dataclass(frozen=True)
class Door:
    """A function of (labels, scores, keywords) that gives numbers, and what its scores are called.

    `weights` says what weights do: nothing if they are not taken; "count" if whole ones are as repeated
    examples; "vary" if what is estimated is how much weighted examples vary.
    """

    call: Call
    scores: str = "y_score"
    weights: str = "count"


def hull(y: Any, s: Any, **options: Any) -> Any:
    found = rh.roc_hull(y, s, **options)
    return [found.fpr, found.tpr]


def prior_curve(function: Call) -> Call:
    return lambda y, s, **options: np.append(
        *(getattr(function(y, s, **options), a) for a in ("actual", "minimum"))
    )


def ends(found: Any) -> Any:
    return [found.low, found.estimate, found.high]


def second(scores: Any) -> Any:
    """What another classifier says of the same examples: equal scores stay equal."""
    return np.array([hash(score) % 7 for score in np.ravel(scores).tolist()])


DOORS = {
    "tally": Door(lambda y, s, **o: rh.hull.tally(y, s, **o).pos),
    "roc_curve": Door(lambda y, s, **o: rh.roc_curve(y, s, **o).tpr),
    "roc_auc": Door(rh.roc_auc),
    "roc_hull": Door(hull),
    "min_cllr": Door(rh.min_cllr),
    "eer": Door(rh.eer),
    "min_dcf": Door(lambda y, s, **o: rh.min_dcf(y, s, PRIORS, **o)),
    "h_measure": Door(rh.h_measure),
    "cost_curve": Door(lambda y, s, **o: rh.scoring.cost_curve(y, s, **o).cost),
    "precision_recall_curve": Door(lambda y, s, **o: rh.precision_recall_curve(y, s, **o).achievable(PRIORS)),
    "average_precision": Door(rh.average_precision),
    "cumulative_gain": Door(lambda y, s, **o: rh.scoring.cumulative_gain(y, s, **o).lift),
    "expected_maximum_profit": Door(
        lambda y, s, **o: rh.scoring.expected_maximum_profit(y, s, rh.conditions.ChurnProfit(), **o).profit
    ),
    "cllr": Door(rh.cllr, "llr"),
    "dcf": Door(lambda y, s, **o: rh.dcf(y, s, PRIORS, **o), "llr"),
    "ece_curve": Door(prior_curve(rh.scoring.ece_curve), "llr"),
    "ape_curve": Door(prior_curve(rh.scoring.ape_curve), "llr"),
    "bayes_error_curve": Door(prior_curve(rh.scoring.bayes_error_curve), "llr"),
    "score_llr": Door(lambda y, s, **o: rh.LogScore().score_llr(y, s, 0.2, **o), "llr"),
    "calibration_loss_llr": Door(lambda y, s, **o: rh.Brier().calibration_loss_llr(y, s, 0.2, **o), "llr"),
    "score": Door(lambda y, s, **o: rh.Brier().score(y, s, **o), "probability"),
    "calibration_loss": Door(lambda y, s, **o: rh.LogScore().calibration_loss(y, s, **o), "probability"),
    "brier_curve": Door(lambda y, s, **o: rh.scoring.brier_curve(y, s, **o).cost, "probability"),
    "decompose": Door(lambda y, s, **o: rh.decompose(y, s, **o).discrimination, "probability"),
    "auc_interval": Door(lambda y, s, **o: ends(rh.auc_interval(y, s, **o)), weights="vary"),
    "average_precision_interval": Door(
        lambda y, s, **o: ends(rh.uncertainty.average_precision_interval(y, s, **o)), weights="vary"
    ),
    "decision_curve": Door(
        lambda y, s, **o: ends(rh.decision_curve(y, s, [0.2, 0.5], **o).net_benefit[None]), weights="vary"
    ),
    "auc_covariance": Door(
        lambda y, s, **o: rh.uncertainty.auc_covariance(y, {"a": s}, **o).covariance,
        "scores\\['a'\\]",
        "vary",
    ),
    "delong_test": Door(lambda y, s, **o: rh.delong_test(y, s, second(s), **o).pvalue, "score_a", "vary"),
    "venkatraman_test": Door(
        lambda y, s, **o: (
            rh.uncertainty.venkatraman_test(y, s, second(s), n_permutations=19, random_state=0, **o).pvalue
        ),
        "score_a",
        "",
    ),
    "rates_at_threshold": Door(
        lambda y, s, **o: ends(rh.uncertainty.rates_at_threshold(y, s, 0.5, **o).tpr), weights=""
    ),
    "bootstrap": Door(lambda y, s, **o: rh.bootstrap(y, s, **DRAWN, **o).replicates, weights="vary"),
    "roc_band": Door(lambda y, s, **o: ends(rh.roc_band(y, s, **DRAWN, **o)), weights="vary"),
    "hull_membership": Door(
        lambda y, s, **o: list(rh.uncertainty.hull_membership(y, s, **DRAWN, **o).vertex.values()),
        weights="vary",
    ),
    "optimism": Door(lambda y, s, **o: rh.optimism(y, s, COST, **DRAWN, **o).corrected, weights="vary"),
    "pooled_average": Door(lambda y, s, **o: rh.averaging.pooled_average(y, s, **o).tpr_mean),
}
doors = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
weighing = {name: door for name, door in DOORS.items() if door.weights}
with_weights = pytest.mark.parametrize("door", weighing.values(), ids=weighing)


def examples() -> tuple[Any, Any, Any]:
    """Labels, scores that are probabilities, and weights, some of them zero; with ties."""
    rng = np.random.default_rng(0)
    labels = np.tile([0, 1], 20)
    return labels, np.round(rng.beta(1 + labels, 2 - labels), 2), rng.integers(0, 4, 40)


@doors
def test_labels_and_scores_of_any_type(door: Door) -> None:
    labels, scores, _ = examples()
    expected = np.asarray(door.call(labels, scores)).tolist()
    words = np.where(labels == 1, "ill", "well")
    for y, options in ((labels == 1, {}), (2 * labels - 1, {}), (words, {"pos_label": "ill"})):
        assert np.asarray(door.call(y, scores, **options)).tolist() == expected
    assert np.asarray(door.call(labels.tolist(), scores.tolist())).tolist() == expected
    assert np.asarray(door.call(words.tolist(), scores[:, None], pos_label="ill")).tolist() == expected


@doors
def test_nothing_given_is_modified(door: Door) -> None:
    labels, scores, weights = examples()
    copies = labels.copy(), scores.copy(), weights.copy()
    for array in (labels, scores, weights):
        array.flags.writeable = False
    door.call(labels, scores)
    if door.weights:
        door.call(labels, scores, sample_weight=weights)
    for array, copy in zip((labels, scores, weights), copies, strict=True):
        assert array.tobytes() == copy.tobytes()


@with_weights
def test_examples_of_no_weight_are_left_out(door: Door) -> None:
    labels, scores, weights = examples()
    kept = weights > 0
    found = door.call(labels, scores, sample_weight=kept.astype(float))
    expected = door.call(labels[kept], scores[kept])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@with_weights
def test_whole_weights_are_repetitions(door: Door) -> None:
    labels, scores, weights = examples()
    found = np.asarray(door.call(labels, scores, sample_weight=weights))
    rows = np.repeat(np.arange(40), weights)
    sure = {"as_llr": True} if door.scores == "llr" else {}  # of so many rows it is clear what they are
    repeated = np.asarray(door.call(labels[rows], scores[rows], **sure))
    if door.weights == "count":
        np.testing.assert_allclose(found, repeated, rtol=1e-11, atol=1e-12)
    else:  # of repeated rows more would be known
        assert found.tolist() != repeated.tolist()
    assert found.tolist() != np.asarray(door.call(labels, scores)).tolist()


GOOD = [0.2, 0.5, 0.7, 0.4]


@doors
@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([0, 1, 0, 1], [0.5, 0.1, np.nan, 0.2], "{scores} has 1 NaN, the first at index 2"),
        ([0, 1, 0, 1], ["a", "b", "c", "d"], "{scores} must be numeric"),
        (
            [0, 1, 0],
            GOOD,
            "y_true and {scores} must have the same length, but y_true has 3 and {scores} has 4",
        ),
        ([1, 1, 1, 1], GOOD, "y_true has one class only: all 4 labels are positive"),
        ([0, 1, 2, 1], GOOD, "y_true must have two classes, but has 3: 0, 1, 2"),
        (["a", "b", "a", "b"], GOOD, "give pos_label"),
        ([0, 1, np.nan, 1], GOOD, "y_true has 1 NaN"),
    ],
)
def test_bad_examples(door: Door, labels: Any, scores: Any, message: str) -> None:
    if door is DOORS["decompose"] and "one class only" in message:
        assert door.call(labels, scores) == 0  # nothing to tell apart
        return
    if door is DOORS["score"] and "one class only" in message:
        assert door.call(labels, scores) > 0  # their mean loss
        return
    with pytest.raises(ValueError, match=message.format(scores=door.scores)):
        door.call(labels, scores)


@pytest.mark.parametrize(
    "name", [name for name in DOORS if name != "auc_covariance"]
)  # whose scores are a table
def test_masked_scores(name: str) -> None:
    with pytest.raises(ValueError, match=r"has 1 (masked values|null)"):
        DOORS[name].call([0, 1, 0, 1], np.ma.masked_array(GOOD, [True, False, False, False]))


@with_weights
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, 1], "y_true and sample_weight must have the same length, but y_true has 4"),
        ([1, -1, 1, 1], "sample_weight has 1 negative values, the first at index 1"),
        ([1, np.nan, 1, 1], "sample_weight has 1 values that are not finite, the first at index 1"),
        ([1, 0, 1, 0], "sample_weight: the positive class has zero total weight"),
    ],
)
def test_bad_weights(door: Door, weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        door.call([0, 1, 0, 1], GOOD, sample_weight=weights)


@pytest.mark.parametrize("value", [-1e-9, 1 + 1e-9, 7, np.inf])
@pytest.mark.parametrize("name", [name for name, door in DOORS.items() if door.scores == "probability"])
def test_what_is_no_probability_is_not_squashed(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=r"probability must lie between 0 and 1, but holds .* at index 2"):
        DOORS[name].call([0, 1, 0, 1], [0.5, 0.1, value, 0.2])
