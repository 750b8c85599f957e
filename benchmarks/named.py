"""The benchmarks of conditions: known by name, beside scikit-learn and a loop; and several limits at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rochull as rh
from benchmarks.clock import clocked, medians
from benchmarks.suite import WARM_UP, Benchmark, Setup, speedup
from benchmarks.table import Row, at_least, at_most, seconds

_SEED = 19500101
_LOOP = 99  # thresholds that a loop tries
_VERTICES = 10_000
Array = NDArray[Any]


def _normal(rows: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(_SEED)
    labels = (rng.random(rows) < 0.2).astype(np.int8)
    return labels, rng.standard_normal(rows) + 1.2 * labels


def _counts(y: Array, s: Array) -> tuple[Array, Array, Array, int, int]:
    """False and true positives at every threshold, by scikit-learn, and the totals."""
    from sklearn.metrics import roc_curve

    fpr, tpr, at = roc_curve(y, s, drop_intermediate=False)
    n_pos = int(y.sum())
    return fpr * (y.size - n_pos), tpr * n_pos, at, y.size - n_pos, n_pos


def _youden(y: Array, s: Array) -> float:
    fp, tp, at, n_neg, n_pos = _counts(y, s)
    return float(at[np.argmax(tp / n_pos - fp / n_neg)])


def _f1(y: Array, s: Array) -> float:
    from sklearn.metrics import precision_recall_curve

    precision, recall, at = precision_recall_curve(y, s)
    with np.errstate(invalid="ignore"):
        f1 = 2 * precision * recall / (precision + recall)
    return float(at[np.nanargmax(f1[:-1])])


def _mcc(y: Array, s: Array) -> float:
    fp, tp, at, n_neg, n_pos = _counts(y, s)
    called = tp + fp
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (tp * n_neg - fp * n_pos) / np.sqrt(n_pos * n_neg * called * (y.size - called))
    return float(at[np.nanargmax(found)])


def _credit(y: Array, s: Array) -> float:
    """The sum of Verbraken et al. 2014 over the hull that SciPy finds of scikit-learn's curve."""
    from scipy.spatial import ConvexHull

    fp, tp, _, n_neg, n_pos = _counts(y, s)
    points = np.column_stack([fp / n_neg, tp / n_pos])
    upper = points[np.sort(ConvexHull(np.vstack([points, [1, 0]])).vertices)[:-1]]
    f1, f0 = upper.T
    roi, p0, p1, share = 0.2644, 0.55, 0.1, n_pos / y.size
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = (1 - share) * roi / share * np.diff(f1) / np.diff(f0)
    below = np.where(np.isfinite(steps), steps, np.inf)
    below = below[below < 1]
    low, high = np.append(0.0, below), np.append(below, 1.0)
    f0, f1 = f0[: low.size], f1[: low.size]
    profit = np.sum((1 - p0 - p1) * (high - low) * (share * f0 * (high + low) / 2 - roi * f1 * (1 - share)))
    return float(profit + p1 * (share * f0[-1] - roi * f1[-1] * (1 - share)))


def _ours(goal: Any) -> Callable[[Array, Array], float]:
    def found(y: Array, s: Array) -> float:
        return float(rh.roc_hull(y, s).at(goal).rules[0][0].level)

    return found


def _maximum(y: Array, s: Array) -> float:
    return rh.scoring.expected_maximum_profit(y, s, rh.conditions.CreditProfit()).profit


# What is found, by us and on scikit-learn's curve: a threshold, or an expected maximum profit.
CASES: dict[str, tuple[Callable[[Array, Array], float], Callable[[Array, Array], float]]] = {
    "Youden": (_ours(rh.Youden()), _youden),
    "F1": (_ours(rh.FBeta()), _f1),
    "MCC": (_ours(rh.MCC()), _mcc),
    "EMP, credit": (_maximum, _credit),
}


def warm_up(setup: Setup) -> Iterator[Any]:
    """Compile what the others use."""
    rh.roc_hull(*_normal(2_000_000)).at(rh.MCC())
    yield from ()


def curves(setup: Setup) -> Iterator[Any]:
    """Over all thresholds: the same threshold, or the same profit, and how long it took."""
    y, s = _normal(setup.rows)
    for name, (ours, theirs) in CASES.items():
        mine, other = ours(y, s), theirs(y, s)
        if not np.isclose(mine, other, rtol=1e-9, atol=0):
            raise AssertionError(f"{name}: {mine!r} here, {other!r} on scikit-learn's curve")
        found = medians(
            setup.repeats,
            {"ours": clocked(lambda f=ours: f(y, s)), "peer": clocked(lambda f=theirs: f(y, s))},
        )
        what = "all thresholds of scikit-learn's curve"
        yield speedup(
            f"{name} beside {what}, n = {setup.rows:.0e}", found["ours"], found["peer"], at_least(1)
        )


def loop(setup: Setup) -> Iterator[Any]:
    """Beside a loop over some thresholds with scikit-learn's metrics, which is never better."""
    from sklearn.metrics import f1_score, matthews_corrcoef

    rows = min(setup.rows, 10**5)
    y, s = _normal(rows)
    tried = np.quantile(s, np.arange(1, _LOOP + 1) / (_LOOP + 1))
    for name, score in (("F1", f1_score), ("MCC", matthews_corrcoef)):
        ours = CASES[name][0]
        best = max(score(y, s >= at) for at in tried)
        if score(y, s >= ours(y, s)) < best:
            raise AssertionError(f"{name}: the loop found {best!r}")

        def looped(score: Any = score) -> float:
            return float(tried[np.argmax([score(y, s >= at) for at in tried])])

        found = medians(setup.repeats, {"ours": clocked(lambda f=ours: f(y, s)), "peer": clocked(looped)})
        what = f"a loop over {_LOOP} thresholds, n = {rows:.0e}"
        yield speedup(f"{name} beside {what}", found["ours"], found["peer"], at_least(1))


def _many_vertices() -> rh.RocHull:
    """A hull whose edges are so many different fractions."""
    rng = np.random.default_rng(_SEED)
    steps = rng.integers(1, 2000, (4 * _VERTICES, 2))
    steps = steps[np.unique(steps[:, 1] / steps[:, 0], return_index=True)[1]][: _VERTICES - 1]
    scores = np.repeat(np.arange(len(steps)), 2)  # the ratios of positives to negatives ascend
    return rh.roc_hull(np.tile([0, 1], len(steps)), scores, sample_weight=steps.ravel())


def limits(setup: Setup) -> Iterator[Any]:
    """The best point within five limits, of a hull that was asked before."""
    hull, p = _many_vertices(), 0.1
    five = [
        rh.FalsePositiveRate() <= 0.3, rh.NeymanPearson(0.25), rh.Recall() >= 0.3,
        rh.Precision(prevalence=p) >= 0.1, rh.AlarmRate(prevalence=p) <= 0.35,
    ]  # fmt: skip
    for goal in (rh.Recall(), rh.ExpectedCost(1, 5, p)):
        hull.at(goal, subject_to=five)
        run = clocked(lambda goal=goal: hull.at(goal, subject_to=five))
        took = medians(20 * setup.repeats, {"at": run})["at"]
        name = f"{type(goal).__name__} within five limits, {len(hull)} vertices"
        yield Row(name, took, at_most(0.002), "s", ours=seconds(took))


BENCHMARKS: dict[str, Benchmark] = {WARM_UP: warm_up, "curves": curves, "loop": loop, "limits": limits}
