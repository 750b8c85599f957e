"""How sure is an operating point? Highleyman's data, averaged over ten folds.

Paclík et al. (2008) estimate the ROC curve of a Gaussian density of class 1 in a rotation, and the standard
deviation at each operating point (their Figure 1). At a point of interest they ask which other points the
data cannot tell from it (their Figure 2): with more examples these are fewer. Run it:

    python examples/highleyman_averaging.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import multivariate_normal
from sklearn.base import BaseEstimator

import rochull as rh

POINTS, LEAST_TPR, SEEDS = 30, 0.9, range(100)
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"


class GaussianDetector(BaseEstimator):
    """The Gaussian density of the positive class.

    Its logarithm is the score: the same order as the density, so the same operating points, but no underflow.
    """

    def fit(self, X, y):
        """Estimate mean and covariance from the positive examples alone."""
        target = X[y == 1]
        self.density_ = multivariate_normal(target.mean(axis=0), np.cov(target.T))
        return self

    def decision_function(self, X):
        """Return the log density."""
        return self.density_.logpdf(X)


def averaged(n_per_class, seed=0):
    """Ten folds, thirty operating points (point 0, "never", comes before them)."""
    X, y = rh.datasets.make_highleyman(n_per_class, seed)
    return rh.cross_validate_roc(GaussianDetector(), X, y, cv=10, operating_points=POINTS)


def chosen(average):
    """The first point that finds at least 90 % of class 1."""
    return int(np.argmax(average.tpr_mean >= LEAST_TPR))


def draw(axes, average, title):
    """The mean curve, with crosses of one standard deviation of the mean."""
    axes.plot(average.fpr_mean, average.tpr_mean, color=BLUE, lw=1)
    axes.errorbar(
        average.fpr_mean, average.tpr_mean, average.tpr_sem, average.fpr_sem,
        fmt="none", ecolor=BLUE, elinewidth=0.9, label="mean ± its standard deviation",
    )  # fmt: skip
    axes.set(title=title, xlabel="false positive rate", ylabel="true positive rate")
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")


def describe(n_per_class, average, i, circles):
    """Print the point of interest, and the points like it."""
    others = np.flatnonzero(circles & (np.arange(len(average)) != i))
    low, high = average.fpr_mean[circles].min(), average.fpr_mean[circles].max()
    print(f"\n{n_per_class} examples per class, selected: score >= {average.thresholds[i]:.3f}")
    print(f"  TPR {average.tpr_mean[i]:.3f} ± {average.tpr_sem[i]:.3f}")
    print(f"  FPR {average.fpr_mean[i]:.3f} ± {average.fpr_sem[i]:.3f}")
    print(f"  not significantly different in FPR: {others.size} of {len(average) - 1} other points,")
    print(f"  which together with it span FPR {low:.3f} to {high:.3f}")


figure, axes = plt.subplots(1, 3, figsize=(13.5, 4.9), layout="constrained")
average = averaged(100)
draw(axes[0], average, "Figure 1: 100 examples per class")
axes[0].legend(loc="lower right", frameon=False)
print("Figure 1: 10 folds, 100 examples per class, standard deviations of the mean")
print(f"  largest of the FPR {average.fpr_sem.max():.3f}, of the TPR {average.tpr_sem.max():.3f}")
print('\nFigure 2. Paper: with 200 per class "the selected operating point is significantly different from')
print('the neighboring points"; with 50 it is not.')

for ax, n_per_class, letter in zip(axes[1:], (50, 200), "ab", strict=True):
    average = averaged(n_per_class)
    i = chosen(average)
    circles = average.indistinguishable(i, ["fpr"], level=0.95)
    describe(n_per_class, average, i, circles)
    draw(ax, average, f"Figure 2 {letter}: {n_per_class} examples per class")
    ax.plot(
        average.fpr_mean[circles], average.tpr_mean[circles], "o", ms=8, mfc="none", color=GREEN,
        label="FPR not significantly different",
    )  # fmt: skip
    ax.plot(average.fpr_mean[i], average.tpr_mean[i], "X", ms=9, color=ORANGE, label="selected, TPR ≥ 0.9")
    ax.legend(loc="lower right", frameon=False)

# One sample may be lucky; many tell what the sample size does.
print(f"\nOver {len(SEEDS)} samples, the median of")
for n_per_class in (50, 200):
    counts, widths = [], []
    for seed in SEEDS:
        average = averaged(n_per_class, seed)
        circles = average.indistinguishable(chosen(average))
        counts.append(circles.sum() - 1)
        widths.append(np.ptp(average.fpr_mean[circles]))
    like, width = np.median(counts), np.median(widths)
    print(f"  {n_per_class:3} per class: {like:.0f} other points, FPR range {width:.3f}")

directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "highleyman_averaging.png", dpi=120)
print(f"\npicture: {directory / 'highleyman_averaging.png'}")
