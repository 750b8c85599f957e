"""Five classifiers, one hull: German credit with its published costs
==================================================================

A bad risk accepted costs 5, a good one refused 1. No single classifier is best under all conditions;
the convex hull of all five says which one is best where. Run it::

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

table = rh.datasets.load("german_credit_scores")
hybrid = rh.Hybrid()
for name in NAMES:
    hybrid.add(name, table["class"], table[name], pos_label="bad", curve=True)
prevalence = float(np.mean(table["class"] == "bad"))
condition = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=prevalence)
best = hybrid.at(condition)

print(hybrid.dominance_table())
print(f"\nbest at the published costs (slope {condition.slope:.3f}): {best}")
print(f"expected cost per case (in-sample): {best.expected_cost(condition):.4f}")
for name, regret in hybrid.regret(condition).items():
    print(f"  {name:12} alone costs {regret.value:.4f} more")

figure, axes = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
hybrid.plot(condition, ax=axes)
axes.set_title("German credit: potentially optimal classifiers (out-of-fold scores)")
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "german_credit_hybrid.png", dpi=120)
print(f"\npicture: {directory / 'german_credit_hybrid.png'}")
