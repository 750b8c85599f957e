"""Four and six classes with a cost matrix: does it pay to search weights of the classes?
======================================================================================

Vehicle and satimage have no published costs, so they are drawn by the scheme of Domingos 1999 (MetaCost): to
call class i class j costs a uniform number from 0 to 1000 P(j) / P(i), to call it i nothing. Three matrices
are drawn, with a seed. Held out over 10 folds, the expected cost of a case is compared between

- the largest probability of the classifier (argmax),
- the Bayes decision from scikit-learn's calibrated probabilities, by sigmoids and by isotonic regression,
- weights of the classes, searched for the expected cost on out-of-fold probabilities.

Differences are tested over the folds, with the variance enlarged for training parts that overlap (Nadeau &
Bengio 2003). What comes out: searched weights cost less than argmax everywhere, and less than sigmoids for
four of six classifiers. Against isotonic regression there is no winner: weights are far better for the
quadratic discriminant on satimage, whose probabilities are extreme, and worse for the tree there (64 to 49).
CalibratedClassifierCV averages the trees of its inner folds; with ensemble=False it has the same tree as the
weights, and costs 56: for costs of any form the Bayes rule can do what one weight for each class cannot. Run
it::

    python examples/multiclass_costs.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import rochull as rh
from rochull.averaging.paired_tests import DependentTest

LABEL = {"vehicle": "Class", "satimage": "class"}
CLASSIFIERS = {
    "naive Bayes": GaussianNB(),
    "quadratic discriminant": QuadraticDiscriminantAnalysis(reg_param=1e-3),
    "decision tree": DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
}
METHODS = ["argmax", "sigmoid, Bayes", "isotonic, Bayes", "searched weights"]
COLOURS = ["#999999", "#E69F00", "#0072B2", "#D55E00"]
MATRICES, FOLDS, INNER, STARTS = 3, 10, 3, 5


threadpool_limits(1)  # matrices are small: threads of the linear algebra would wait for each other


def draw(y, rng):
    """A cost matrix by the scheme of Domingos: row i is what to call class i costs."""
    prior = np.unique(y, return_counts=True)[1] / len(y)
    costs = rng.uniform(0, 1000 * prior[None, :] / prior[:, None])
    np.fill_diagonal(costs, 0)
    return costs


def held_out(X, y, estimator, matrices):
    """Mean cost of a case in each fold (folds, methods), over all matrices."""
    classes, codes = np.unique(y, return_inverse=True)
    found = np.zeros((FOLDS, len(METHODS)))
    objectives = [rh.multiclass.CostMatrix(costs) for costs in matrices]
    model = rh.estimators.MulticlassThresholdClassifier(
        estimator, objectives[0], cv=INNER, n_starts=STARTS, random_state=0
    )
    for fold, (train, test) in enumerate(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y)):
        model.fit(X[train], y[train])
        points = [model.point_, *map(model.operating_point, objectives[1:])]
        calibrated = []
        for how in ("sigmoid", "isotonic"):
            calibrator = CalibratedClassifierCV(estimator, method=how, cv=INNER).fit(X[train], y[train])
            calibrated.append(calibrator.predict_proba(X[test]))
        plain = model.predict_proba(X[test]).argmax(axis=1)
        for costs, point in zip(matrices, points, strict=True):
            weighed = np.searchsorted(classes, model.predict(X[test], condition=point))
            calls = [plain, *((p @ costs).argmin(axis=1) for p in calibrated), weighed]
            found[fold] += [costs[codes[test], called].mean() / len(matrices) for called in calls]
    return found


results, tests = {}, {}
for name, label in LABEL.items():
    table = rh.datasets.load(name)
    y = table.pop(label)
    X = np.column_stack([np.asarray(column, float) for column in table.values()])
    rng = np.random.default_rng(1999)
    matrices = [draw(y, rng) for _ in range(MATRICES)]
    for kind, estimator in CLASSIFIERS.items():
        costs = results[name, kind] = held_out(X, y, estimator, matrices)
        mean, error = costs.mean(axis=0), costs.std(axis=0, ddof=1) / np.sqrt(FOLDS)
        print(f"\n{name}, {kind}: held-out expected cost per case (mean of {FOLDS} folds, standard error)")
        test = tests[name, kind] = DependentTest(overlap=1 / (FOLDS - 1))(costs[:, 3:], costs[:, :3])
        for m, method in enumerate(METHODS):
            line = f"  {method:18} {mean[m]:7.2f} ({error[m]:.2f})"
            if m < 3:
                line += f"   weights less this: {test.estimate[m]:+7.2f}, p = {test.pvalue[m]:.3f}"
            print(line)

wins = [min(range(4), key=lambda m, c=costs: c.mean(axis=0)[m]) for costs in results.values()]
print("\nlowest mean cost:", ", ".join(f"{METHODS[m]} {wins.count(m)} of {len(wins)}" for m in set(wins)))


def tally(m):
    """How often searched weights cost less than a method, and more, and how often p is below 0.05."""
    less = [test.estimate[m] < 0 for test in tests.values()]
    clear = [test.pvalue[m] < 0.05 for test in tests.values()]
    won = sum(a and b for a, b in zip(less, clear, strict=True))
    return (
        f"less than {METHODS[m]} in {sum(less)} of {len(less)} ({won} with p < 0.05), "
        f"more in {len(less) - sum(less)} ({sum(clear) - won} with p < 0.05)"
    )


summary = "Searched weights cost\n" + "\n".join(map(tally, range(3)))
print("\n" + summary)
figure, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
for ax, name in zip(axes, LABEL, strict=True):
    for m, method in enumerate(METHODS):
        costs = np.stack([results[name, kind][:, m] for kind in CLASSIFIERS])
        at = np.arange(len(CLASSIFIERS)) + 0.2 * (m - 1.5)
        spread = costs.std(axis=1, ddof=1) / np.sqrt(FOLDS)
        ax.bar(at, costs.mean(axis=1), 0.19, color=COLOURS[m], label=method, yerr=spread, error_kw={"lw": 1})
    ax.set_xticks(range(len(CLASSIFIERS)), CLASSIFIERS)
    ax.set(title=name, ylabel="held-out expected cost per case")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
title = f"{MATRICES} cost matrices, drawn as by Domingos (1999); {FOLDS} folds, standard errors"
figure.suptitle(f"{title}\n{summary}", fontsize=10)
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "multiclass_costs.png", dpi=120)
print(f"\npicture: {directory / 'multiclass_costs.png'}")
