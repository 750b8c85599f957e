"""No classifier is best everywhere: Bradley's figures, as Provost & Fawcett (2001) show them
=============================================================================================

Bradley (1997) drew the ROC curves of six learners on six medical data sets. Provost & Fawcett: "on not one of
these data sets was there a dominating classifier"; their figures show his heart bleeding and Cleveland heart
disease data, without numbers. Nearest to the latter in public is Statlog's heart: 270 patients with the same
13 features. Wisconsin's breast cancer, another of the six, is public too: 699 patients, nine features.
Bradley's multiscale classifier is in no library; the other five are here.

Ours: on either no classifier dominates in nine of ten divisions into folds. On heart the multilayer
perceptron is on the hull in all ten, the perceptron in seven and the quadratic Bayes classifier in six, k-NN
and the tree in none; at the published costs (a case missed 5, a false alarm 1) each of these three is best in
some division. On breast cancer the multilayer perceptron and the perceptron are on it in nine, k-NN in seven,
Bayes in four. Run it::

    python examples/bradley_heart.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from _zoo import Problem, absolute, averaged, dominators, folds_of, score_bradley
from matplotlib.ticker import PercentFormatter

import rochull as rh

COLOURS = {
    "Bayes": "#009E73",
    "k-NN": "#0072B2",
    "MLP": "#D55E00",
    "C4.5": "#E69F00",
    "perceptron": "#CC79A7",
}
DIVISIONS = 10
COSTS = {"heart": "published", "breast_w": "ours, for none are published"}


def report(problem, hybrids):
    """Print who owns which part of the hull, in ten divisions into folds, and what one classifier loses."""
    tables = [dominators(hybrid) for hybrid in hybrids]
    print(f"\n{problem.name}: {problem.y.size} patients, {problem.y.mean():.1%} positive")
    for low, high, name in tables[0]:
        print(f"  {f'[{low:.3g}, {high:.3g}]':>16}  {name}")
    print(f"  absolute dominator: {absolute(tables[0]) or 'none'}")
    print(f"  over {DIVISIONS} divisions into folds")
    for name in COLOURS:
        areas = [hybrid.hulls[name].auc() for hybrid in hybrids]
        owns = sum(any(name in row[2].split(", ") for row in table) for table in tables)
        area = f"area of its averaged hull {min(areas):.3f} to {max(areas):.3f}"
        print(f"    {name:10} on the hull in {owns:2}, {area}")
    print(f"    an absolute dominator in {sum(absolute(table) is not None for table in tables)}")
    condition = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=float(problem.y.mean()))
    best = [hybrid.at(condition) for hybrid in hybrids]
    print(
        f"  costs, a case missed 5 and a false alarm 1 ({COSTS[problem.name]}): slope {condition.slope:.3f}"
    )
    print(f"    best in the ten divisions: {', '.join(sorted(point.classifiers[0] for point in best))}")
    for name in COLOURS:
        lost = [hybrid.regret(condition)[name].value for hybrid in hybrids]
        print(f"    {name:10} alone costs {sum(lost) / DIVISIONS:.3f} more per case on average (in-sample)")
    return best[0]


print("Ten folds, curves averaged at fixed false positive rates; in-sample: hulls of the curves they judge")
figure, panels = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
titles = {"heart": "Heart disease (Statlog)", "breast_w": "Breast cancer (Wisconsin)"}
for axes, (name, title) in zip(panels, titles.items(), strict=True):
    problem = Problem.load(name)
    hybrids = [averaged(problem, folds_of(problem, 10, seed), score_bradley) for seed in range(DIVISIONS)]
    best = report(problem, hybrids)
    for classifier, hull in hybrids[0].hulls.items():
        axes.plot(hull.fpr, hull.tpr, color=COLOURS[classifier], lw=1.3, label=classifier)
    hull, owner = hybrids[0].hull, best.classifiers[0]
    axes.plot(hull.fpr, hull.tpr, ":", color="black", lw=1.6, label="hull of all")
    axes.plot(best.fpr, best.tpr, "*", ms=13, color="black", label=f"best at costs 1 : 5 ({owner})")
    axes.set(xlabel="false positive rate", ylabel="true positive rate", title=title)
    near = 1.02 if name == "heart" else 0.3
    axes.set(xlim=(-0.02 * near, near), ylim=(1 - near if name == "breast_w" else -0.02, 1.01))
    axes.legend(loc="lower right", frameon=False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1, 0, symbol=" %"))
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "bradley_heart.png", dpi=110)
print(f"\npicture: {directory / 'bradley_heart.png'}")
