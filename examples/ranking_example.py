"""Which of two rankers is better? It depends on where the list is cut: R_a and R_b
================================================================================

Provost & Fawcett (2001): half of the cases are positive. R_a recognises an aspect that only positives have
and ranks those cases highest; R_b recognises one that only negatives have and ranks those lowest; each ranks
the rest at random. Which is better "depends entirely upon how far down the list the system will go before it
stops": R_a should be used if few cases are to be selected, R_b if many, and the curves cross in between. Our
copy of the text has lost the numbers. With a fifth of the cases recognised by each, as `make_rankers` does by
default, they cross where half of the cases are selected, at a false positive rate of 3/8.

Ours, on 10,000 cases: R_a finds more positives up to 51 % selected, R_b from there on. The hybrid finds more
than either between 20 % and 80 %, because it mixes them: 70 % of the positives at half of the cases, where
each alone finds 62 to 63 %; on 10,000 new cases 71 %. Run it::

    python examples/ranking_example.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter

import rochull as rh

COLOURS = {"r_a": "#0072B2", "r_b": "#D55E00"}
SHARE, N = 0.2, 10_000
CROSSING = (1 - 2 * SHARE) / (2 * (1 - SHARE)), 1 / (2 * (1 - SHARE))

y_true, scores = rh.datasets.make_rankers(N, share=SHARE)
y_new, new = rh.datasets.make_rankers(N, random_state=1, share=SHARE)
hybrid = rh.Hybrid()
for name, score in scores.items():
    hybrid.add(name, y_true, score)
    print(f"{name}: AUC {hybrid.auc[name]:.4f} (expected {0.5 + SHARE})")
print(f"hull of both: AUC {hybrid.hull.auc():.4f} (in-sample)")

percent = np.arange(1, 100)
found = {name: [] for name in COLOURS}
points = [hybrid.at(rh.Capacity(fraction=float(p) / 100, prevalence=0.5)) for p in percent]
for name, score in scores.items():
    in_order = np.cumsum(y_true[np.argsort(-score)]) / y_true.sum()  # its own list, cut there
    found[name] = in_order[percent * N // 100 - 1]
found["hybrid"] = np.array([point.tpr for point in points])

print("\nPositives found among the selected (in-sample)            of the hybrid, on new cases")
print(f"{'selected':>9}{'r_a':>8}{'r_b':>8}{'hybrid':>8}  {'by':13}{'selected':>18}{'found':>9}")
policy = hybrid.policy()
for p in (10, 20, 30, 40, 45, 50, 55, 60, 70, 80, 90):
    called = policy.decide(new, points[p - 1], key=np.arange(N))
    row = "".join(f"{tpr[p - 1]:8.3f}" for tpr in found.values())
    names = " and ".join(points[p - 1].classifiers)
    print(f"{p:8}%{row}  {names:13}{called.mean():18.3f}{called[y_new == 1].mean():9.3f}")
better = percent[found["r_a"] > found["r_b"]]
beaten = percent[found["hybrid"] > np.maximum(found["r_a"], found["r_b"]) + 0.005]
print(
    f"\nr_a finds more up to {better.max()} % selected, and at {better.size} of {better.max()} of these cuts."
)
print(
    f"The hybrid finds at least half a per cent more than either from {beaten.min()} % to {beaten.max()} %."
)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for name, colour in COLOURS.items():
    curve = rh.roc_curve(y_true, scores[name])
    left.plot(curve.fpr, curve.tpr, color=colour, lw=1.3, label=name)
    right.plot(percent, found[name], color=colour, lw=1.3, label=f"{name} alone")
left.plot(hybrid.hull.fpr, hybrid.hull.tpr, ":", color="black", lw=1.6, label="hull of both")
left.plot([0.1, 0.65], [0.9, 0.35], color="#bbbbbb", lw=0.8, label="half of the cases selected")
left.plot(*CROSSING, "o", ms=7, mfc="none", color="black", ls="", label="where they cross, expected")
left.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
for axis in (left.xaxis, left.yaxis):
    axis.set_major_formatter(PercentFormatter(1, symbol=" %"))
left.set_title("Two rankers")
left.legend(loc="lower right", frameon=False)
right.plot(percent, found["hybrid"], ":", color="black", lw=1.6, label="hybrid")
right.set(xlabel="share of the cases selected", ylabel="share of the positives found")
right.xaxis.set_major_formatter(PercentFormatter(100, symbol=" %"))
right.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
right.set_title("What a cut-off finds")
right.legend(loc="lower right", frameon=False)
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "ranking_example.png", dpi=110)
print(f"\npicture: {directory / 'ranking_example.png'}")
