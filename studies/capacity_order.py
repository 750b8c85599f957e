"""Which cases fill a capacity: those with the best scores, or those drawn by lot inside the edge?

PAV makes one block of scores between two vertices, and says that all of its cases are alike. A hull is made
from one half of the data, the k best of the other half are presented in both orders, and the positives among
them are counted. The lots' number is their exact expectation, so the difference of one split is free
of their noise. Differences are paired by split; splits of one data set overlap, so the standard error over
them is that of the splits, not of the data set.

    python -m studies order [--draws SPLITS]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rochull as rh

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)  # of the cases that are presented


def sets() -> Iterator[tuple[str, Any, Any]]:
    """Names, labels, and scores that were not trained on the same examples."""
    for name, label, positive in (
        ("german_credit_scores", "class", "bad"),
        ("adult_scores", "income", ">50K"),
    ):
        table = rh.datasets.load(name)
        every = np.asarray(table[label]) == positive
        rows = np.random.default_rng(0).permutation(every.size)[:4000]
        for column in ("logistic", "boosted", "knn", "bayes"):
            if column in table:
                yield (
                    f"{name.removesuffix('_scores')}, {column}",
                    every[rows],
                    np.asarray(table[column])[rows],
                )
    small = [
        ("breast cancer", *load_breast_cancer(return_X_y=True), lambda y: y == 0),
        ("digits 8", *load_digits(return_X_y=True), lambda y: y == 8),
        ("digits > 6", *load_digits(return_X_y=True), lambda y: y > 6),
        ("wine 1", *load_wine(return_X_y=True), lambda y: y == 1),
    ]
    trees = RandomForestClassifier(50, min_samples_leaf=3, random_state=0)
    for name, x, y, positive in small:
        noisy = x + np.random.default_rng(1).normal(size=x.shape) * x.std(axis=0) * 1.5
        for called, model in (
            ("forest", trees),
            ("bayes", GaussianNB()),
            ("logistic", make_pipeline(StandardScaler(), LogisticRegression())),
        ):
            found = cross_val_predict(model, noisy, positive(y), cv=5, method="predict_proba")[:, 1]
            yield f"{name}, {called}", positive(y), found
    rng = np.random.default_rng(2)
    for prevalence in (0.05, 0.3):
        y = rng.random(4000) < prevalence
        yield f"normal, {prevalence}", y, rng.normal(1.0 * y)
        yield (
            f"not concave, {prevalence}",
            y,
            np.where(y, rng.normal(0.5, 2, y.size), rng.normal(size=y.size)),
        )


def positives(y: Any, score: Any, test: Any, hull: rh.RocHull, k: int) -> tuple[float, float]:
    """How many positives are among k cases: by score, and by lot, in expectation; ties are lots in both."""
    s, p = score[test], y[test]
    cuts = [np.inf, *hull.thresholds[1:-1].tolist(), -np.inf]
    called = [int(np.count_nonzero(s >= cut)) for cut in cuts]
    right = next((i for i, n in enumerate(called) if n > k), len(cuts) - 1)
    low, high = cuts[right], cuts[right - 1]
    inside = (s >= low) & (s < high)
    room = k - int(np.count_nonzero(s >= high))
    sure = int(np.count_nonzero(p[s >= high]))
    by_lot = sure + room * p[inside].mean() if inside.any() else float(sure)
    kth = np.sort(s)[::-1][k - 1]
    above, at = s > kth, s == kth
    by_score = p[above].sum() + (k - above.sum()) * p[at].mean()
    return float(by_score), float(by_lot)


def report(splits: int) -> Iterator[str]:
    """A line for each data set, and one for all."""
    yield f"{'data, classifier':<28}{'positives':>10}  by score - by lot, in % of the latter, at a share of"
    yield " " * 38 + "".join(f"{share:>15.0%}" for share in SHARES)
    total = []
    for name, y, score in sets():
        rows = []
        for seed in range(splits):
            order = np.random.default_rng(seed).permutation(y.size)
            train, test = order[: y.size // 2], order[y.size // 2 :]
            hull = rh.roc_hull(y[train], score[train])
            ks = [max(1, round(share * test.size)) for share in SHARES]
            rows.append([positives(y, score, test, hull, k) for k in ks])
        found = np.array(rows)
        difference = found[..., 0] - found[..., 1]
        scale = 100 / np.maximum(found[..., 1].mean(axis=0), 1e-9)
        mean, error = difference.mean(axis=0) * scale, difference.std(axis=0, ddof=1) / splits**0.5 * scale
        total.append(mean)
        cells = "".join(f"{m:>8.2f} ±{e:>5.2f}" for m, e in zip(mean, error, strict=True))
        yield f"{name:<28}{int(y.sum()):>10}{cells}"
    every = np.array(total)
    error = every.std(axis=0, ddof=1) / len(every) ** 0.5
    cells = "".join(f"{m:>8.2f} ±{e:>5.2f}" for m, e in zip(every.mean(axis=0), error, strict=True))
    yield f"{'mean of all':<38}{cells}"
