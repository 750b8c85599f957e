"""Five classifiers, one hull: German credit with its published costs.

A bad risk accepted costs 5, a good one refused 1. No single classifier is best under all conditions;
the convex hull of all five says which one is best where. Run it:

    python examples/german_credit_hybrid.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rochull as rh

NAMES = ["boosted", "logistic", "naive_bayes", "knn", "tree"]
COLOURS = dict(zip(NAMES, ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9"], strict=True))

table = rh.datasets.load("german_credit_scores")
hybrid = rh.Hybrid()
for name in NAMES:
    hybrid.add(name, table["class"], table[name], pos_label="bad")
prevalence = float(np.mean(table["class"] == "bad"))
condition = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=prevalence)
best = hybrid.at(condition)

print(hybrid.dominance_table())
print(f"\nbest at the published costs (slope {condition.slope:.3f}): {best}")
print(f"expected cost a case (in-sample): {best.expected_cost(condition):.4f}")
for name, regret in hybrid.regret(condition).items():
    print(f"  {name:12} alone costs {regret.value:.4f} more")

figure, axes = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
for name in NAMES:
    curve = rh.roc_curve(table["class"], table[name], pos_label="bad")
    axes.plot(curve.fpr, curve.tpr, color=COLOURS[name], lw=1, alpha=0.75, label=name)
hull = hybrid.hull
axes.plot(hull.fpr, hull.tpr, color="black", lw=1.2, label="convex hull of all")
for i, rules in enumerate(hull.owners):
    owner = rules[0].classifier
    axes.plot(hull.fpr[i], hull.tpr[i], "o", ms=5, color=COLOURS.get(owner, "black"))
x = np.array([0, 1])
axes.plot(x, best.tpr + condition.slope * (x - best.fpr), ":", color="#D55E00", label="iso-performance line")
axes.plot(
    best.fpr, best.tpr, "*", ms=15, color="#D55E00", label=f"best at costs 1 : 5 ({best.classifiers[0]})"
)
axes.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
axes.set_title("German credit: potentially optimal classifiers (out-of-fold scores)")
axes.legend(loc="lower right", frameon=False)
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "german_credit_hybrid.png", dpi=120)
print(f"\npicture: {directory / 'german_credit_hybrid.png'}")
