"""An object detector whose scores depend on the size of the box: a simulation shaped like Richman & Mannor's
==========================================================================================================

The paper's data are not public. `rochull.datasets.make_bounding_boxes` simulates what the paper says of
them: objects of all sizes among 100,000 boxes of background, most of them small; scores that rise with the
size in both classes, and vary less for large objects. As in the paper there are four bins of size, ten
folds, and as many objects as its Table 1 has. Areas are means over folds, p is of the one-sided sign test::

            objects  fixed    gaussian  gain  won      p   pav: gain   auto: gain   paper
    person     2358  0.97861   0.98124   12%    9  0.011          9%          12%     28%
    dog         253  0.97976   0.98144    8%    6  0.377         -9%           8%     23%
    car         625  0.98081   0.98235    8%    9  0.011          0%           7%     17%
    chair       400  0.98003   0.98175    9%    7  0.172         -3%           8%     23%

Gains are of 1 - AUC. The simulation's numbers were picked by hand so that there is something to gain, not to
match the paper's. A hundred positives in a bin are too few for "pav", even with its shrinkage chosen in
cross-validation. Run it, with --full for these figures::

    python examples/bounding_boxes.py [directory for the picture] [--full]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binomtest
from sklearn.model_selection import StratifiedKFold

import rochull as rh

FULL = "--full" in sys.argv
BACKGROUND = 100_000 if FULL else 20_000
EDGES = [32, 64, 128]
MODELS = (
    ["gaussian", "equal-variance", "logistic", "pav", "auto"] if FULL else ["gaussian", "logistic", "pav"]
)
OBJECTS = {"person": 2358, "dog": 253, "car": 625, "chair": 400}
PAPER = {  # fixed threshold and OER (gaussian)
    "person": (0.98663, 0.99043),
    "dog": (0.97827, 0.98329),
    "car": (0.99292, 0.99411),
    "chair": (0.99540, 0.99648),
}


def held_out(y, score, size, model):
    """Held-out ratios of all cases, and the areas in ten folds of a fixed threshold and of the model."""
    ratio, areas = np.empty(y.size), []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(score, y):
        found = rh.ErrorRedistribution(model, bins=EDGES).fit(
            score[train], y[train], aux={"size": size[train]}
        )
        ratio[test] = found.transform(score[test], aux={"size": size[test]})
        areas.append((rh.roc_auc(y[test], score[test]), rh.roc_auc(y[test], ratio[test])))
    return ratio, np.array(areas).T


print(
    f"{BACKGROUND:,} boxes of background, 4 bins of size, 10 folds; mean areas, and of 1 - AUC what is gained"
)
print(f"{'':8}{'objects':>8}  {'model':15}{'fixed':>8}{'bent':>9}{'gain':>8}{'won':>8}{'sign p':>8}   paper")
for seed, (name, count) in enumerate(OBJECTS.items()):
    y, score, size = rh.datasets.make_bounding_boxes(count, BACKGROUND, seed)
    for model in MODELS:
        ratio, (before, after) = held_out(y, score, size, model)
        won, lost = int((after > before).sum()), int((after < before).sum())
        p = binomtest(won, won + lost, alternative="greater").pvalue if won + lost else 1.0
        share = (after - before).mean() / (1 - before.mean())
        fixed, bent = PAPER[name]
        paper = f"{(bent - fixed) / (1 - fixed):.1%}" if model == "gaussian" else ""
        print(
            f"{name:8}{count:8}  {model:15}{before.mean():8.5f}{after.mean():9.5f}{share:8.1%}"
            f"{won:5}/10{p:8.3f}   {paper}"
        )
        if name == "person" and model == "gaussian":
            shown = y, score, size, ratio

y, score, size, ratio = shown
aux = {"size": np.log2(size)}
model = rh.ErrorRedistribution("gaussian", bins=np.log2(EDGES)).fit(score, y, aux=aux)
for label, (neg, pos) in model.counts_.items():
    print(f"  {label:20} {neg:7,} of background, {pos:5,} objects")
figure, axes = plt.subplots(3, 1, figsize=(8.5, 14), layout="constrained")
limits = {f"FPR ≤ {100 * limit:g} %": rh.NeymanPearson(limit) for limit in (0.001, 0.02, 0.2)}
rh.plotting.SegmentThresholdDisplay.from_predictions(
    y, score, aux, limits, redistribution=model, max_points=1500, ax=axes[0]
)
axes[0].set(title="Figure 12: score against size (simulated)", xlabel="log2 of the size in pixels")
methods = {"gaussian, 4 bins": ratio, "fixed": score}
rh.plotting.SegmentRocDisplay.from_predictions(y, score, aux, methods, zoom=(0.005, 0.15), ax=axes[1])
axes[1].set_title("Figures 10, 11: held out, all folds")
fresh = rh.datasets.make_bounding_boxes(OBJECTS["person"], BACKGROUND, 99)
rh.plotting.SegmentGainDisplay.from_predictions(
    fresh[0], fresh[1], {"size": np.log2(fresh[2])}, rh.NeymanPearson(0.02), redistribution=model, ax=axes[2]
)
axes[2].set_title("Where objects are gained at FPR ≤ 2 %, new cases")
directory = Path(next((a for a in sys.argv[1:] if a != "--full"), "build/examples"))
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "bounding_boxes.png", dpi=100)
print(f"\npicture: {directory / 'bounding_boxes.png'}")
