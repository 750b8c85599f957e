"""PAV and the ROC convex hull are the same thing: Table I and Figure 2 of Fawcett & Niculescu-Mizil (2007)
========================================================================================================

Fifteen instances, nine of them positive. The paper pools adjacent violators step by step; the blocks
that remain are the edges of the convex hull of the ROC curve. Run it::

    python examples/fawcett_table_1.py [directory for the picture]
"""

import sys
from fractions import Fraction
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import PercentFormatter

import rochull as rh

PAPER = ["1"] * 2 + ["3/4"] * 4 + ["2/3"] * 3 + ["1/2"] * 2 + ["1/3"] * 3 + ["0"]

y_true, y_score = rh.datasets.make_fawcett()
curve = rh.roc_curve(y_true, y_score)
hull = rh.RocHull.from_curve(curve)

print("block of scores    paper   rochull")
ours = []
for low, high, pos, neg in zip(
    hull.blocks.low, hull.blocks.high, hull.blocks.pos, hull.blocks.neg, strict=True
):
    value = Fraction(int(pos), int(pos + neg))
    paper = PAPER[len(ours)]
    ours += [str(value)] * int(pos + neg)
    print(f"{low:5.2f} to {high:5.2f}    {paper:>5}   {value!s:>5}")
assert ours == PAPER, "the blocks differ from the paper's last column"

skew = Fraction(int(y_true.sum()), int((1 - y_true).sum()))
print(f"\nTheorem 1: prediction = slope * skew / (1 + slope * skew), skew = {skew}")
for slope, posterior in zip(hull.slopes, hull.blocks.posterior, strict=True):
    odds = slope * float(skew)
    predicted = odds / (1 + odds) if odds < float("inf") else 1.0
    print(f"  slope {slope:6.4g}  prediction {posterior:.4f}  from the slope {predicted:.4f}")

figure, axes = plt.subplots(figsize=(5, 5), layout="constrained")
axes.plot(curve.fpr, curve.tpr, color="#0072B2", label=f"ROC curve, area {curve.auc():.3f}")
axes.plot(hull.fpr, hull.tpr, "--o", color="#D55E00", label=f"convex hull, area {hull.auc():.3f}")
axes.set(
    xlabel="false positive rate", ylabel="true positive rate", title="Figure 2: the instances of Table I"
)
for axis in (axes.xaxis, axes.yaxis):
    axis.set_major_formatter(PercentFormatter(1, symbol=" %"))
axes.set_aspect("equal")
axes.legend(loc="lower right")
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "fawcett_table_1.png", dpi=120)
print(f"\npicture: {directory / 'fawcett_table_1.png'}")
