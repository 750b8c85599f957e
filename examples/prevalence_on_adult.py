"""Prevalence from unlabelled scores on Adult, from 1 % to 90 %, and decisions that follow it
==========================================================================================

PAV is fitted on 8,000 rows of Adult. Batches of the other rows, drawn without replacement to a given
prevalence, are estimated from their scores alone: by EM (Saerens, Latinne & Decaestecker 2002), which takes
the likelihood ratios as known, and by `rochull.estimate_prevalence`, which does not. Every split has a
calibrator of its own, so that the calibrator's error is in the coverage. Every batch is a mixture of the two
classes, so each `rochull.MisfitWarning` is a false alarm: their share is told beside the nominal 1%. Run it::

    python examples/prevalence_on_adult.py [directory for the picture] [number of splits, such as 400]
"""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter

import rochull as rh

PREVALENCES = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9)
SIZES = (200, 2_000, 10_000)
CLASSIFIERS = ("boosted", "knn")
splits = int(sys.argv[2]) if len(sys.argv) > 2 else 25

table = rh.datasets.load("adult_scores")
y = np.asarray(table["income"] == ">50K")
rng = np.random.default_rng(0)


class Known:
    """The same likelihood ratios, of which nothing else is known."""

    def __init__(self, calibrator: rh.PavCalibrator) -> None:
        self.llr = calibrator.llr


def split(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows to calibrate on, and the other positives and negatives, in random order."""
    order = rng.permutation(y.size)
    rest = order[rows:]
    return order[:rows], rest[y[rest]], rest[~y[rest]]


def batch_of(size: int, prevalence: float, pos: np.ndarray, neg: np.ndarray) -> np.ndarray:
    """Rows of a batch whose number of positives is binomial."""
    k = rng.binomial(size, prevalence)
    return np.concatenate((pos[:k], neg[: size - k]))


def heard(call: Callable[..., Any], *given: Any, **options: Any) -> tuple[Any, bool]:
    """What is returned, and whether it was warned that the batch is not a mixture of the classes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", rh.MisfitWarning)
        found = call(*given, **options)
    return found, any(issubclass(warning.category, rh.MisfitWarning) for warning in caught)


def study(name: str) -> np.ndarray:
    """Estimates, interval ends, and whether tested and warned (size, prevalence, split, method, 5)."""
    score = table[name]
    found = np.empty((len(SIZES), len(PREVALENCES), splits, 2, 5))
    for s in range(splits):
        train, pos, neg = split(8_000)
        calibrator = rh.PavCalibrator(bound="laplace").fit(score[train], y[train])
        for i, size in enumerate(SIZES):
            for j, prevalence in enumerate(PREVALENCES):
                rows = batch_of(size, prevalence, pos, neg)
                for k, made in enumerate((Known(calibrator), calibrator)):
                    one, warned = heard(rh.estimate_prevalence, score[rows], made)
                    found[i, j, s, k] = one.estimate, one.low, one.high, not np.isnan(one.pvalue), warned
    return found


def summary(found: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bias, standard deviation and coverage (size, prevalence, method)."""
    estimate, low, high = np.moveaxis(found[..., :3], -1, 0)
    truth = np.array(PREVALENCES)[None, :, None, None]
    covered = (low <= truth) & (truth <= high)
    return (estimate - truth).mean(axis=2), estimate.std(axis=2), covered.mean(axis=2)


studies = {name: study(name) for name in CLASSIFIERS}
results = {name: summary(found) for name, found in studies.items()}
for name, (bias, deviation, covered) in results.items():
    print(
        f"\n{name}: PAV on 8,000 rows, {splits} splits; bias, standard deviation, coverage of 95% intervals"
    )
    print(
        f"{'batch':>7} {'prevalence':>10}"
        + "".join(f"{who:>9}: bias      sd  covers" for who in ("EM", "here"))
    )
    for i, size in enumerate(SIZES):
        for j, prevalence in enumerate(PREVALENCES):
            cells = zip(bias[i, j], deviation[i, j], covered[i, j], strict=True)
            line = "".join(f"{b:+15.4f}{d:8.4f}{c:8.1%}" for b, d, c in cells)
            print(f"{size:7} {prevalence:10.0%}{line}")

print("\nFalse alarms, that a batch is not a mixture of the two classes (nominal: 1.0%):")
for name, found in studies.items():
    for k, who in enumerate(("EM", "here")):
        tested, warned = found[..., k, 3:].sum(axis=(0, 1, 2))
        share = f"{warned:.0f} of {tested:,.0f} batches, {warned / tested:.1%}" if tested else "not tested"
        print(f"  {name:8}{who:>5}: {share}")

# A policy of three classifiers, and a population that drifts: 60 batches of 500.
train, pos, neg = split(10_000)
hybrid = rh.Hybrid()
for name in ("boosted", "logistic", "tree"):
    hybrid.add(name, y[train], table[name][train])
policy, condition = hybrid.policy(), rh.ExpectedCost(cost_fp=1, cost_fn=3, prevalence=hybrid.prevalence)
time = np.arange(60)
truth = np.exp(np.interp(time, [0, 20, 40, 59], np.log([0.24, 0.02, 0.9, 0.1])))
estimates, alarms = [], 0
costs = {"prevalence of training": 0.0, "estimated, batch by batch": 0.0, "known": 0.0}
for prevalence in truth:
    k = rng.binomial(500, prevalence)
    rows = np.concatenate((rng.choice(pos, k), rng.choice(neg, 500 - k)))
    batch = {name: table[name][rows] for name in policy.classifiers}
    one, warned = heard(policy.estimate_prevalence, batch)
    estimates.append(one)
    alarms += warned
    for how, used in zip(costs, (None, "estimate", float(prevalence)), strict=True):
        called, _ = heard(policy.decide, batch, condition, prevalence=used)
        costs[how] += float(np.mean(called & ~y[rows]) + 3 * np.mean(~called & y[rows])) / len(truth)
print("\nCost per case as the population drifts (a false alarm costs 1, a miss 3), by the prevalence used:")
for how, cost in costs.items():
    print(f"  {how:26}{cost:.4f}")
print(f"  False alarms, that a batch is not a mixture: {alarms} of {len(truth)} (nominal: 1.0%)")

figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
bias, deviation, covered = results["boosted"]
for i, (size, colour) in enumerate(zip(SIZES, ("tab:green", "tab:orange", "tab:blue"), strict=True)):
    for k, style in enumerate(("--", "-")):
        label = f"{size:,}{' (EM)' if k == 0 else ''}"
        axes[0].plot(PREVALENCES, bias[i, :, k] / deviation[i, :, k], style, color=colour, label=label)
        axes[1].plot(PREVALENCES, covered[i, :, k], style, color=colour, label=label)
axes[0].axhline(0, color="grey", linewidth=0.8)
axes[0].set(title="Bias (boosted)", xlabel="prevalence of the batch", ylabel="in standard deviations")
axes[1].axhline(0.95, color="grey", linewidth=0.8)
axes[1].set(title=f"Coverage of 95 % intervals, {splits} splits", ylim=(0.6, 1.01))
axes[1].set_xlabel("prevalence of the batch")
for axis in axes[:2]:
    axis.set_xscale("logit")
    axis.set_xticks(PREVALENCES, [f"{100 * p:.0f} %" for p in PREVALENCES])
    axis.minorticks_off()
    axis.tick_params(axis="x", labelsize=8)
axes[1].legend(title="cases in a batch")
axes[2].plot(time, truth, color="black", label="truth")
middle = np.array([one.estimate for one in estimates])
ends = np.array([(one.estimate - one.low, one.high - one.estimate) for one in estimates]).T
axes[2].errorbar(
    time, middle, ends, fmt=".", color="tab:blue", linewidth=0.8, label="estimate, 95 % interval"
)
axes[2].axhline(hybrid.prevalence, color="tab:red", linestyle=":", label="prevalence of training")
axes[2].set(title="A drifting population, batches of 500", xlabel="batch", ylabel="prevalence", ylim=(0, 1))
axes[2].legend(loc="upper left", fontsize=8, frameon=False)
for ax in axes[1:]:
    ax.yaxis.set_major_formatter(PercentFormatter(1, 0, symbol=" %"))
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "prevalence_on_adult.png", dpi=110)
print(f"picture: {directory / 'prevalence_on_adult.png'}")
