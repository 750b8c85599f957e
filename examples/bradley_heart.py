"""No classifier is best everywhere: Bradley's heart disease figure, as Provost & Fawcett (2001) show it
=====================================================================================================

Bradley (1997) drew the ROC curves of six learners on six medical data sets. Provost & Fawcett: "on not one of
these data sets was there a dominating classifier"; their figures show his heart bleeding and Cleveland heart
disease data, without numbers. Nearest to the latter in public is Statlog's heart: 270 patients with the same
13 features. Bradley's multiscale classifier is in no library; the other five are here.

Ours: in nine of ten divisions into folds none dominates. The multilayer perceptron is on the hull in all ten,
the perceptron in seven and the quadratic Bayes classifier in six, k-NN and the tree in none. At the published
costs (a case missed 5, a false alarm 1) each of these three is best in some division. Run it::

    python examples/bradley_heart.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from _zoo import Problem, absolute, averaged, dominators, folds_of, score_bradley

import rochull as rh

COLOURS = {
    "Bayes": "#009E73",
    "k-NN": "#0072B2",
    "MLP": "#D55E00",
    "C4.5": "#E69F00",
    "perceptron": "#CC79A7",
}
DIVISIONS = 10

problem = Problem.load("heart")
hybrids = [averaged(problem, folds_of(problem, 10, seed), score_bradley) for seed in range(DIVISIONS)]
tables = [dominators(hybrid) for hybrid in hybrids]
print("Ten folds, curves averaged at fixed false positive rates; in-sample: hulls of the curves they judge")
for low, high, name in tables[0]:
    print(f"  {f'[{low:.3g}, {high:.3g}]':>16}  {name}")
print(f"  absolute dominator: {absolute(tables[0]) or 'none'}")

print(f"\nOver {DIVISIONS} divisions into folds")
for name in COLOURS:
    areas = [hybrid.hulls[name].auc() for hybrid in hybrids]
    owns = sum(any(name in row[2].split(", ") for row in table) for table in tables)
    print(
        f"  {name:10} on the hull in {owns:2}, area of its averaged hull {min(areas):.3f} to {max(areas):.3f}"
    )
print(f"  an absolute dominator in {sum(absolute(table) is not None for table in tables)}")

condition = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=float(problem.y.mean()))
best = [hybrid.at(condition) for hybrid in hybrids]
print(f"\nIts published costs, a case missed 5 and a false alarm 1: slope {condition.slope:.3f}")
print(f"  best in the ten divisions: {', '.join(sorted(point.classifiers[0] for point in best))}")
for name in COLOURS:
    lost = [hybrid.regret(condition)[name].value for hybrid in hybrids]
    print(f"  {name:10} alone costs {sum(lost) / DIVISIONS:.3f} more a case on average (in-sample)")

figure, axes = plt.subplots(figsize=(6.2, 5.6), layout="constrained")
for name, hull in hybrids[0].hulls.items():
    axes.plot(hull.fpr, hull.tpr, color=COLOURS[name], lw=1.3, label=name)
hull, best = hybrids[0].hull, best[0]
axes.plot(hull.fpr, hull.tpr, ":", color="black", lw=1.6, label="hull of all")
axes.plot(best.fpr, best.tpr, "*", ms=13, color="black", label=f"best at costs 1 : 5 ({best.classifiers[0]})")
axes.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
axes.set_title("Heart disease: hulls of Bradley's classifiers, averaged over ten folds", fontsize=11)
axes.legend(loc="lower right", frameon=False)
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "bradley_heart.png", dpi=120)
print(f"\npicture: {directory / 'bradley_heart.png'}")
