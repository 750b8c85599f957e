"""The benchmarks of a third action: the frontier of reviews beside the hull, held-out costs, and a peer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rochull as rh
from benchmarks.clock import clocked, medians
from benchmarks.suite import WARM_UP, Benchmark, Setup, slowdown, speedup
from benchmarks.table import Row, at_least, at_most

_SEED = 20051007
_ROUNDS = 100
COSTS = rh.Review(cost_fp=1, cost_fn=2, cost_review=0.25)
MODELS = {
    "by cost": {},
    "share <= 0.1": {"cost_review": 0.0, "max_share": 0.1},
    "error <= 0.05": {"max_error": 0.05},
    "the same, assured at 90 %": {"max_error": 0.05, "confidence": 0.9},
}
DATA = {
    "german_credit_scores": ("class", "bad"), "adult_scores": ("income", ">50K"),
    "breast_w": ("Class", "malignant"), "crx": ("class", "+"), "german_credit": ("class", "bad"),
    "heart": ("class", "present"), "mfeat_mor": ("class", 4), "satimage": ("class", 4),
    "vehicle": ("Class", "saab"),
}  # fmt: skip


def _normal(rows: int) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    rng = np.random.default_rng(_SEED)
    labels = (rng.random(rows) < 0.2).astype(np.int8)
    return labels, rng.standard_normal(rows) + 1.2 * labels


def warm_up(setup: Setup) -> Iterator[Row]:
    """Compile what the others use."""
    rh.roc_hull(*_normal(2_000_000)).review_frontier(COSTS)
    yield from ()


def frontier(setup: Setup) -> Iterator[Row]:
    """The whole frontier with its hull, beside the hull alone."""
    labels, scores = _normal(setup.rows)
    hull = rh.roc_hull(labels, scores)
    for each in (COSTS, rh.Review(max_share=0.05), rh.Review(max_error=0.02)):
        hull.at(each)
    found = medians(
        setup.repeats,
        {
            "hull": clocked(lambda: rh.roc_hull(labels, scores)),
            "both": clocked(lambda: rh.roc_hull(labels, scores).review_frontier(COSTS)),
        },
    )
    yield slowdown(
        f"review_frontier with its hull, n = {setup.rows:.0e}", found["both"], found["hull"], at_most(1.3),
        f"{len(hull)} vertices",
    )  # fmt: skip


def _scored(data: str, label: str, positive: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Labels with the shipped scores of boosting, or with out-of-fold ones of a logistic regression."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    if data.endswith("_scores"):
        columns = rh.datasets.load(data, [label, "boosted"])
        return (columns[label] == positive).astype(int), columns["boosted"].astype(float)
    import pandas as pd

    table = pd.DataFrame(rh.datasets.load(data))
    y = (table.pop(label) == positive).to_numpy().astype(int)
    numbers, texts = (
        make_column_selector(dtype_include="number"),
        make_column_selector(dtype_exclude="number"),
    )
    prepared = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), texts),
    )
    model = make_pipeline(prepared, LogisticRegression(max_iter=5000))
    return y, cross_val_predict(model, table, y, cv=10, method="predict_proba")[:, 1]


def held_out(setup: Setup) -> Iterator[Row]:
    """Pietraszek's three models on halves of the shipped sets that did not choose the rule."""
    for data, (label, positive) in DATA.items():
        y, s = _scored(data, label, positive)
        for name, change in MODELS.items():
            found = _halves(y, s, change)
            with_review, without, share, error, wrong = (float(np.mean(each)) for each in found)
            note = f"cost {with_review:.4f} beside {without:.4f}; {share:.3f} reviewed, {error:.4f} errors "
            note += f"of the decided beside {wrong:.4f} of all"
            if "max_error" in change:
                above = int(np.sum(found[3] > change["max_error"]))
                note += f"; above {change['max_error']:g} in {above} of {_ROUNDS} splits"
            target = None if "max_error" in change else at_most(1.0)
            yield Row(f"{data}, {name}: held-out cost", with_review / without, target, note=note)


def _halves(y: NDArray[Any], s: NDArray[Any], change: Mapping[str, Any]) -> NDArray[np.float64]:
    """By split: held-out cost with reviews and without, share reviewed, errors of the decided, and of all.

    Where everything is reviewed, nothing that is decided is wrong.
    """
    rng, rows = np.random.default_rng(_SEED), []
    for _ in range(_ROUNDS):
        half = rng.permutation(y.size) < y.size // 2
        review = rh.Review(**{"cost_fp": 1, "cost_fn": 2, "cost_review": 0.25, **change})
        made = rh.RocHull.from_curve(rh.roc_curve(y[half], s[half]))
        policy = rh.Policy.from_hull(made)
        keys, truth = np.flatnonzero(~half), y[~half]
        decided = policy.decide(s[~half], made.at(review), key=keys)
        plain = policy.decide(s[~half], made.at(rh.ExpectedCost(1, 2)))
        wrong = (decided == "positive") != truth
        reviewed = decided == "review"
        cost = np.where(reviewed, review.cost_review, wrong * np.where(truth, 2, 1)).mean()
        without = ((plain != truth) * np.where(truth, 2, 1)).mean()
        errors = wrong[~reviewed].mean() if not reviewed.all() else 0.0
        rows.append((cost, without, reviewed.mean(), errors, (plain != truth).mean()))
    return np.array(rows).T


def peer(setup: Setup) -> Iterator[Row]:
    """scikit-fallback's rate of rejection at the same share: cost and time, on the scores' own labels."""
    from skfb.estimators import RateFallbackClassifierCV
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Scores(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        """Returns the probabilities that it is given."""

        def fit(self, X: Any, y: Any) -> Scores:
            self.classes_, self.is_fitted_ = np.unique(y), True
            return self

        def predict_proba(self, X: Any) -> Any:
            return np.column_stack([1 - X[:, 0], X[:, 0]])

        def predict(self, X: Any) -> Any:
            return self.classes_[(X[:, 0] > 0.5).astype(int)]

    rows = min(setup.rows, 10**5)
    labels, scores = _normal(rows)
    posterior = 1 / (1 + np.exp(-(1.2 * scores - 0.72 + np.log(0.25))))
    X, share = posterior[:, None], 0.1
    review = rh.Review(cost_review=0.0, max_share=share)

    def ours() -> Any:
        policy = rh.Policy.from_hull(rh.roc_hull(labels, posterior))
        return policy.decide(posterior, policy.at(review), key=np.arange(rows))

    def theirs() -> Any:
        model = RateFallbackClassifierCV(Scores(), fallback_rate=share, cv=2, fallback_mode="return")
        return model.fit(X, labels).predict(X)

    found = medians(setup.repeats, {"ours": clocked(ours), "theirs": clocked(theirs)})
    decided, told = ours(), np.asarray(theirs())
    cost = np.mean(((decided == "positive") != labels) & (decided != "review"))
    other = np.mean((told != labels) & (told != -1))
    note = f"{np.mean(decided == 'review'):.4f} and {np.mean(told == -1):.4f} reviewed"
    yield Row(f"errors at share {share}, beside scikit-fallback", cost / other, at_most(1.0), note=note)
    yield speedup("fit and decide, beside scikit-fallback", found["ours"], found["theirs"], at_least(1))


BENCHMARKS: dict[str, Benchmark] = {
    WARM_UP: warm_up,
    "frontier": frontier,
    "held_out": held_out,
    "peer": peer,
}
