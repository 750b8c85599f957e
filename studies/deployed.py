"""Whether a stated confidence holds for the classifier that decides, where folds have set thresholds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import inf, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

import rochull as rh
from studies import simulation
from studies.simulation import Array, Found

_LIMIT = 0.1
_TEST = 20_000
BEFORE, AFTER = "trained again on all", "RocchClassifier"


@dataclass(frozen=True)
class Deployed:
    """A classifier, on normal features of which all are shifted alike."""

    classifier: str
    n: int
    cv: int
    features: int = 5
    shift: float = 0.7

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Features and labels."""
        y = (np.arange(n) < n / 2).astype(int)
        return rng.standard_normal((n, self.features)) + self.shift * y[:, None], y

    @property
    def template(self) -> Any:
        """A classifier, not fitted."""
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC

        return {
            "logistic, C = 0.001": LogisticRegression(C=1e-3),
            "logistic": LogisticRegression(),
            "linear SVM": LinearSVC(),
            "forest": RandomForestClassifier(30, min_samples_leaf=5, random_state=0),
        }[self.classifier]


SCENES = (
    Deployed("logistic, C = 0.001", 200, 2),
    Deployed("logistic, C = 0.001", 200, 2, 5, 1.5),
    Deployed("logistic, C = 0.001", 1000, 5),
    Deployed("logistic, C = 0.001", 1000, 5, 5, 1.5),
    Deployed("logistic", 200, 2),
    Deployed("logistic", 1000, 5),
    Deployed("linear SVM", 200, 2, 40, 0.3),
    Deployed("linear SVM", 1000, 5, 40, 0.3),
    Deployed("forest", 200, 2),
    Deployed("forest", 1000, 5),
)


def trial(scene: Deployed, rng: np.random.Generator) -> Iterator[Found]:
    """The false positive rate beside the limit ("covered" if kept), and the recall, as the estimate."""
    X, y = scene.draw(scene.n, rng)
    condition = rh.NeymanPearson(_LIMIT, confidence=0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        free = rh.RocchClassifier([("one", scene.template)], cv=scene.cv).fit(X, y)
        kept = rh.RocchClassifier([("one", scene.template)], condition, cv=scene.cv).fit(X, y)
    for name, model, point in (
        (BEFORE, free, free.hybrid_.at(condition)),
        (AFTER, kept, kept.decision_rule()),
    ):
        fpr, tpr = _rates(scene, model.estimators_.get("one"), point.rules[0][0])
        yield Found("FPR", name, fpr, tpr, -inf, _LIMIT)


def _rates(scene: Deployed, fitted: Any, rule: Any) -> tuple[float, float]:
    """Of a rule of a fitted classifier in the population: exactly if it is linear, else on many examples."""
    if rule.threshold is None or fitted is None:
        return (0.0, 0.0) if rule.kind == "never" else (1.0, 1.0)
    if hasattr(fitted, "coef_"):
        weight = fitted.coef_[0]
        at = (rule.threshold - float(fitted.intercept_[0])) / sqrt(weight @ weight)
        apart = scene.shift * float(weight.sum()) / sqrt(weight @ weight)
        return 1 - NormalDist().cdf(at), 1 - NormalDist(apart).cdf(at)
    X, y = _others(scene)
    called = fitted.predict_proba(X)[:, 1] >= rule.threshold
    return float(called[y == 0].mean()), float(called[y == 1].mean())


@cache
def _others(scene: Deployed) -> tuple[Array, Array]:
    return scene.draw(_TEST, np.random.default_rng(1))


def report(draws: int, cores: int) -> Iterator[str]:
    """How often the limit was broken, and the mean recall."""
    found = simulation.run(trial, SCENES, draws, cores)
    yield f"FPR at most {_LIMIT:g} with 90 % confidence: how often broken (mean recall), {draws:,} draws"
    yield ""
    yield f"| classifier | features, shift | n | cv | {BEFORE} | {AFTER} |"
    yield "|---|---:|---:|---:|---:|---:|"
    for scene in SCENES:
        each = (found[scene, "FPR", name] for name in (BEFORE, AFTER))
        cells = " | ".join(f"{1 - one.coverage:.3f} ({one.estimate.mean():.2f})" for one in each)
        yield (
            f"| {scene.classifier} | {scene.features}, {scene.shift:g} | {scene.n:,} | {scene.cv} | {cells} |"
        )
