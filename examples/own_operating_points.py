"""Operating points of your own: rules with two thresholds, averaged over ten folds
===================================================================================

Paclík et al. (2008) average any "operating point", whatever it is: a threshold, a weight for each class, or a
rule of your own. A rule's decisions are scores of 0 and 1, and their one threshold is the operating point: so
`rh.operating_point_average` takes any rule, and `compare(..., other=...)` tests one rule against another in
the same folds.

Here a case of Highleyman's data is taken for class 1 if its density under class 1 is high enough *and* that
under class 2 is low enough. These rules have no order: there is no score of which they are thresholds.

Ours, with 100 examples per class and a true positive rate of at least 0.9: the second threshold brings the
false positive rate from 0.30 to 0.02 (dependent t-test, p = 0.00009; both rules were chosen on these data),
and 28 of the 195 other rules cannot be told from the best one in either rate. Run it::

    python examples/own_operating_points.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter
from scipy.stats import multivariate_normal
from sklearn.model_selection import StratifiedKFold

import rochull as rh

X, y = rh.datasets.make_highleyman(100, 0)
fold, log_density = np.empty(y.size, int), np.empty((2, y.size))
for f, (train, test) in enumerate(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y)):
    fold[test] = f
    for row, label in enumerate((1, 0)):  # class 1 is positive, class 2 is not
        seen = X[train][y[train] == label]
        log_density[row, test] = multivariate_normal(seen.mean(axis=0), np.cov(seen.T)).logpdf(X[test])
target, other = log_density

# A grid of rules: the first column of `highest` is "whatever the density under class 2".
lowest = np.quantile(target, np.linspace(0, 0.55, 14))
highest = np.append(np.inf, np.quantile(other, np.linspace(0.95, 0.35, 13)))
rules = [(a, b) for a in lowest for b in highest]


def averaged(rule):
    """The rule's rates in ten folds: its decisions are the scores, 1 is the operating point."""
    called = (target >= rule[0]) & (other <= rule[1])
    return rh.operating_point_average(y, called.astype(float), fold, operating_points=[1.0])


def rates(average):
    """Mean rates of the rule; point 0 is "never"."""
    return average.fpr_mean[1], average.tpr_mean[1]


averages = [averaged(rule) for rule in rules]
fpr, tpr = np.array([rates(average) for average in averages]).T
single = np.array([b == np.inf for _, b in rules])


def best(allowed):
    """The rule of least false positive rate that finds 90 % of class 1."""
    return min(np.flatnonzero(allowed & (tpr >= 0.9)), key=lambda i: (fpr[i], -tpr[i]))


selected, alone = best(np.ones(single.size, bool)), best(single)
print(f"{len(rules)} rules, ten folds of {y.size} examples; TPR of at least 0.9, chosen on these data")
for name, i in (("one threshold", alone), ("two thresholds", selected)):
    found = averages[i]
    print(f"  {name:15} FPR {fpr[i]:.3f} ± {found.fpr_sem[1]:.3f}, TPR {tpr[i]:.3f} ± {found.tpr_sem[1]:.3f}")
test = averages[selected].compare(1, 1, "fpr", other=averages[alone])
print(f"  difference of the FPR {test.estimate:.3f}, p = {test.pvalue:.3g} (dependent t-test)")

# The paper's circles: neither rate differs from the selected rule's at the 5 % level.
like = np.array([
    all(averages[selected].compare(1, 1, rate, other=average).pvalue > 0.05 for rate in ("fpr", "tpr"))
    for average in averages
])  # fmt: skip
print(f"  {like.sum() - 1} of {len(rules) - 1} other rules are not told from it in either rate")

figure, (plane, grid) = plt.subplots(1, 2, figsize=(11.5, 4.9), layout="constrained")
plane.plot(fpr[~single], tpr[~single], ".", color="#bbbbbb", label="two thresholds")
plane.plot(fpr[single], tpr[single], "o-", ms=4, color="#0072B2", label="density of class 1 alone")
plane.plot(
    fpr[like], tpr[like], "o", ms=9, mfc="none", color="#D55E00", label="not distinguished from the selected"
)
plane.errorbar(
    fpr[selected], tpr[selected], averages[selected].tpr_sem[1], averages[selected].fpr_sem[1],
    color="black", lw=1.4, label="selected, ± one standard deviation",
)  # fmt: skip
plane.axhline(0.9, ls=":", lw=1, color="#666666")
plane.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(0.3, 1.02))
for axis in (plane.xaxis, plane.yaxis):
    axis.set_major_formatter(PercentFormatter(1, symbol=" %"))
plane.set_title("Mean rates of every rule")
plane.legend(frameon=False, loc="lower right")

shown = np.where(tpr >= 0.9, fpr, np.nan).reshape(lowest.size, highest.size)
image = grid.imshow(shown, origin="lower", cmap="viridis_r", vmin=0)
percent = PercentFormatter(1, symbol=" %")
figure.colorbar(image, ax=grid, label="false positive rate where TPR ≥ 90 %", format=percent)
row, column = np.divmod(np.flatnonzero(like), highest.size)
grid.plot(column, row, "o", ms=12, mfc="none", mew=1.6, color="#D55E00")
grid.plot(selected % highest.size, selected // highest.size, "x", ms=9, mew=2, color="black")
grid.set_xticks([0, highest.size - 1], ["no limit", "strictest"])
grid.set_yticks([0, lowest.size - 1], ["lowest", "highest"])
grid.set(xlabel="largest log density under class 2", ylabel="least log density under class 1")
grid.set_title("The same rules by their two thresholds")
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "own_operating_points.png", dpi=110)
print(f"\npicture: {directory / 'own_operating_points.png'}")
