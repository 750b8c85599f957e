"""The benchmarks of constraints between groups, beside fairlearn's ThresholdOptimizer on its grid."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rochull as rh
from benchmarks.clock import clocked, medians
from benchmarks.suite import WARM_UP, Benchmark, Setup, speedup
from benchmarks.table import Row, at_least, at_most

_ROWS = 10**5
_GROUPS = 4
_SEED = 20161005
_THEIRS = {  # our constraint -> fairlearn's
    "demographic_parity": "demographic_parity",
    "equal_tpr": "true_positive_rate_parity",
    "equal_fpr": "false_positive_rate_parity",
    "equalised_odds": "equalized_odds",
}


@dataclass(frozen=True)
class Population:
    """Labels, scores and groups (n,)."""

    labels: NDArray[np.int64]
    scores: NDArray[np.float64]
    groups: NDArray[Any]

    @property
    def condition(self) -> rh.Accuracy:
        """Accuracy at the prevalence of the examples: fairlearn's objective."""
        return rh.Accuracy(float(self.labels.mean()))

    def hulls(self) -> dict[Any, rh.RocHull]:
        """A hull for each group."""
        parts = ((name, self.groups == name) for name in np.unique(self.groups).tolist())
        return {name: rh.roc_hull(self.labels[part], self.scores[part]) for name, part in parts}


def population(rows: int) -> Population:
    """Normal scores in groups that differ in prevalence, in how well they are told apart, and in level."""
    rng = np.random.default_rng(_SEED)
    group = rng.integers(0, _GROUPS, rows)
    labels = (rng.random(rows) < 0.2 + 0.1 * (group % 3)).astype(np.int64)
    scores = rng.standard_normal(rows) + labels * (0.8 + 0.3 * group) - 0.2 * group
    return Population(labels, scores, group)


def adult(score: str, group: str) -> Population:
    """Out-of-fold scores of a classifier on the census records, by sex or race."""
    columns = rh.datasets.load("adult_scores", ["income", score, group])
    labels = (columns["income"] == ">50K").astype(np.int64)
    return Population(labels, columns[score].astype(float), columns[group].astype(str))


def fairlearn(people: Population, constraint: str) -> Any:
    """A fitted ThresholdOptimizer with fairlearn's usual grid."""
    from fairlearn.postprocessing import ThresholdOptimizer
    from sklearn.base import BaseEstimator

    class Scores(BaseEstimator):  # type: ignore[misc]
        """Returns the scores that it is given."""

        fitted_ = True

        def fit(self, X: Any, y: Any) -> Scores:
            return self

        def predict(self, X: Any) -> Any:
            return X[:, 0]

    optimizer = ThresholdOptimizer(
        estimator=Scores(), constraints=_THEIRS[constraint], prefit=True, predict_method="predict"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return optimizer.fit(people.scores[:, None], people.labels, sensitive_features=people.groups)


def error_rate(people: Population, optimizer: Any) -> float:
    """The expected error rate of a fitted ThresholdOptimizer on its examples."""
    chance = optimizer._pmf_predict(people.scores[:, None], sensitive_features=people.groups)[:, 1]
    return float(np.where(people.labels == 1, 1 - chance, chance).mean())


def warm_up(setup: Setup) -> Iterator[Row]:
    """Compile and start threads, so that no measured call has to; no rows."""
    people = population(_ROWS)
    for constraint in _THEIRS:
        rh.constrain_groups(people.hulls(), people.condition, constraint, tolerance=0.01)
    yield from ()


def speed(setup: Setup) -> Iterator[Row]:
    """Hulls of all groups and the best point of each, beside fairlearn's fit."""
    rows = min(setup.rows, _ROWS)
    people = population(rows)
    for constraint, target in (("equalised_odds", 50.0), ("demographic_parity", 10.0), ("equal_tpr", 10.0)):

        def ours(constraint: str = constraint) -> rh.groups.GroupRule:
            return rh.constrain_groups(people.hulls(), people.condition, constraint)

        def theirs(constraint: str = constraint) -> Any:
            return fairlearn(people, constraint)

        found = medians(setup.repeats, {"ours": clocked(ours), "theirs": clocked(theirs)})
        name = f"{constraint}, {_GROUPS} groups, n={rows:.0e}"
        yield speedup(name, found["ours"], found["theirs"], at_least(target))


def objective(setup: Setup) -> Iterator[Row]:
    """The error rate under each constraint beside that of fairlearn, on several data sets."""
    people: Mapping[str, Population] = {
        "simulated": population(min(setup.rows, _ROWS)),
        **{f"Adult {s} by {g}": adult(s, g) for s in ("logistic", "boosted") for g in ("sex", "race")},
    }
    for constraint in _THEIRS:
        worst, where, gaps = 0.0, "", []
        for name, part in people.items():
            ours = rh.constrain_groups(part.hulls(), part.condition, constraint).cost
            theirs = error_rate(part, fairlearn(part, constraint))
            gaps.append(theirs - ours)
            if ours / theirs > worst:
                worst, where = ours / theirs, name
        note = (
            f"largest of {len(people)}, for {where}; the grid costs {min(gaps):.1e} to {max(gaps):.1e} a case"
        )
        yield Row(f"{constraint}: error rate vs fairlearn", worst, at_most(1), note=note)


BENCHMARKS: dict[str, Benchmark] = {WARM_UP: warm_up, "speed": speed, "objective": objective}
