"""How sure is an operating point? Highleyman's data, averaged over ten folds
==========================================================================

Paclík et al. (2008) estimate the ROC curve of a Gaussian density of class 1 in a rotation, and the standard
deviation at each operating point (their Figure 1). At a point of interest they ask which other points the
data cannot tell from it (their Figure 2): with more examples these are fewer. Run it::

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


def describe(n_per_class, average, i, circles):
    """Print the point of interest, and the points like it."""
    others = np.flatnonzero(circles & (np.arange(len(average)) != i))
    low, high = average.fpr_mean[circles].min(), average.fpr_mean[circles].max()
    print(f"\n{n_per_class} examples per class, selected: score >= {average.thresholds[i]:.3f}")
    print(f"  TPR {average.tpr_mean[i]:.3f} ± {average.tpr_sem[i]:.3f}")
    print(f"  FPR {average.fpr_mean[i]:.3f} ± {average.fpr_sem[i]:.3f}")
    print(f"  not significantly different in FPR: {others.size} of {len(average) - 1} other points,")
    print(f"  which together with it span FPR {low:.3f} to {high:.3f}")


figure, axes = plt.subplots(1, 3, figsize=(12, 4.4), layout="constrained")
average = averaged(100)
rh.plotting.MeanRocDisplay.from_average(average, ax=axes[0])
axes[0].set_title("Figure 1: 100 examples per class")
print("Figure 1: 10 folds, 100 examples per class, standard deviations of the mean")
print(f"  largest of the FPR {average.fpr_sem.max():.3f}, of the TPR {average.tpr_sem.max():.3f}")
print('\nFigure 2. Paper: with 200 per class "the selected operating point is significantly different from')
print('the neighboring points"; with 50 it is not.')

for ax, n_per_class, letter in zip(axes[1:], (50, 200), "ab", strict=True):
    # Without a condition the display selects as the paper does: TPR >= 0.9 at the lowest FPR.
    display = rh.plotting.SignificanceDisplay.from_average(averaged(n_per_class), ax=ax)
    describe(n_per_class, display.average, display.point, display.indistinguishable)
    ax.set_title(f"Figure 2 {letter}: {n_per_class} examples per class")

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
