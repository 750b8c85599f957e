"""Which operating points of three classes can 300 examples tell apart? Handwritten digits 2, 3 and 5
==================================================================================================

Paclík et al. (2008, section 4.3) reduce six morphological features to three principal components, train a
quadratic classifier in a rotation of ten folds, and search for weights of the classes whose largest error is
small: 1,000 random vectors, five greedy steps, the best 100 kept. At a point of interest they test each of
the three per-class errors; circles mark the points where no null hypothesis is rejected (their Figure 3).
Run it::

    python examples/three_digits.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rochull as rh

DIGITS, SEEDS, BLUE, RED, GREY = (2, 3, 5), range(20), "#1f5fa8", "#b5342a", "#9a9a9a"
AS_PRINTED, DEPENDENT = "2n-2", "n-1"  # degrees of freedom
MODEL = make_pipeline(PCA(3), QuadraticDiscriminantAnalysis())
# Standardised, the components follow features that hardly vary in some of the digits: a class's covariance
# matrix is singular without some regularisation.
SCALED = make_pipeline(StandardScaler(), PCA(3), QuadraticDiscriminantAnalysis(reg_param=0.001))

table = rh.datasets.load("mfeat_mor")
FEATURES = np.column_stack([column for name, column in table.items() if name != "class"])
LABELS = table["class"] - 1
ANYWHERE = np.random.default_rng(0).dirichlet(np.ones(3), 1000)  # the same weights for every sample


def drawn(n_per_class, seed):
    """So many examples of each digit, in random order."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.permutation(np.flatnonzero(d == LABELS))[:n_per_class] for d in DIGITS])
    return FEATURES[rows], LABELS[rows]


def averaged(n_per_class, seed=0, model=MODEL):
    """Ten folds, the best 100 points of the greedy search; the point with the smallest largest mean error."""
    average = rh.multiclass.cross_validate_multiclass(
        model, *drawn(n_per_class, seed), cv=10, random_state=seed
    )
    return average, int(np.argmin(average.errors_mean.max(axis=1)))


def others_like(average, i, df):
    """How many other points are indistinguishable from point i."""
    return int(average.indistinguishable(i, df=df).sum()) - 1


def like_anywhere(average, i, df=AS_PRINTED):
    """How many of 1,000 random weight vectors are indistinguishable from point i."""
    at = np.vstack([average.weights[i], ANYWHERE])
    stacked = average.stacked
    everywhere = rh.multiclass.multiclass_average(stacked.y, stacked.scores, stacked.folds, at)
    return others_like(everywhere, 0, df)


def written(errors, spread=None):
    """Three errors, and the standard deviations of their means."""
    ends = [""] * 3 if spread is None else [f" ± {s:.3f}" for s in spread]
    return ", ".join(f"{d}: {e:.3f}{end}" for d, e, end in zip(DIGITS, errors, ends, strict=True))


def describe(n_per_class, average, i):
    """Print the point of interest, and how many are like it."""
    held_out = average.held_out().sum(axis=0)
    print(f"\n{n_per_class} examples per class; marked: weights {np.round(average.weights[i], 3).tolist()}")
    print(f"  errors of digits {written(average.errors_mean[i], average.errors_sem[i])}")
    print(f"  with weights chosen on the other folds {written(1 - np.diag(held_out) / held_out.sum(axis=1))}")
    for df, who in ((AS_PRINTED, "as printed"), (DEPENDENT, "of the dependent test")):
        like, anywhere = others_like(average, i, df), like_anywhere(average, i, df)
        print(f"  indistinguishable, df {df} ({who}): {like} of the 99 other points;")
        print(f"    of 1,000 random weight vectors {anywhere}")


def draw(ax, n_per_class, average, i):
    """The errors of the points (Figure 3), with circles on those that are like the marked one."""
    errors = average.errors_mean
    printed, dependent = (average.indistinguishable(i, df=df) for df in (AS_PRINTED, DEPENDENT))
    ax.scatter(*errors.T, s=9, color=BLUE, depthshade=False, label="100 best points")
    for marked, colour, what in (
        (printed, RED, f"indistinguishable ({printed.sum() - 1} others), df 2n - 2"),
        (dependent & ~printed, GREY, f"with df n - 1 also ({(dependent & ~printed).sum()})"),
    ):
        ring = {"s": 62, "facecolors": "none", "edgecolors": colour, "depthshade": False}
        ax.scatter(*errors[marked].T, **ring, label=what)
    cross = {"s": 130, "marker": "x", "color": "black", "linewidths": 2.6, "depthshade": False}
    ax.scatter(*errors[i], **cross, label="selected", zorder=9)
    for axis, digit in zip("xyz", DIGITS, strict=True):
        getattr(ax, f"set_{axis}label")(f"error of digit {digit}", labelpad=8)
        getattr(ax, f"set_{axis}lim")(0.2, 0.36)
        getattr(ax, f"set_{axis}ticks")(np.arange(0.22, 0.35, 0.04))  # none in a corner that axes share
        getattr(ax, f"{axis}axis").set_major_formatter(PercentFormatter(1, 0, symbol=" %"))
    ax.view_init(elev=22, azim=38)
    ax.set_box_aspect((1, 1, 0.85), zoom=1.05)
    ax.set_title(f"{n_per_class} examples per class")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.05), fontsize=9, ncols=2)


print('Figure 3. Paper (100 per class): "the available sample size is insufficient in order to distinguish')
print('differences between the operating points in the demarcated neighborhood."')
figure = plt.figure(figsize=(11.5, 6.2))
for panel, n_per_class in enumerate((100, 200)):
    average, i = averaged(n_per_class)
    describe(n_per_class, average, i)
    draw(figure.add_subplot(1, 2, panel + 1, projection="3d", computed_zorder=False), n_per_class, average, i)
figure.suptitle("Per-class errors of the 100 best operating points, means of ten folds (chosen in-sample)")
figure.subplots_adjust(left=0.05, right=0.95, bottom=0.16, top=0.9, wspace=0.16)

# One sample may be lucky; many tell what its size does. Of all 200 per class it is the folds that differ.
print(
    f"\nMedians over {len(SEEDS)} samples (of all 200: divisions into folds) of points like the best, df 2n-2"
)
for name, model in (("as the paper", MODEL), ("standardised first", SCALED)):
    for n_per_class in (100, 200):
        runs = [averaged(n_per_class, seed, model) for seed in SEEDS]
        like = np.median([others_like(average, i, AS_PRINTED) for average, i in runs])
        anywhere = np.median([like_anywhere(average, i) for average, i in runs])
        worst = np.median([average.errors_mean[i].max() for average, i in runs])
        print(
            f"  {name}, {n_per_class} per class: {like:.0f} of the 99 best, {anywhere:.0f} of 1,000 "
            f"anywhere; largest error {worst:.3f}"
        )
print(
    "The 100 best crowd together as examples become more, so most of them stay alike; of weights anywhere on"
)
print("the simplex fewer are. Standardised first, it is another classifier, and a worse one.")

directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "three_digits.png", dpi=120)
print(f"\npicture: {directory / 'three_digits.png'}")
