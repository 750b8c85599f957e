"""Draw the documentation's pictures that displays draw: python scripts/draw_pictures.py."""

from __future__ import annotations

import doctest
import re
import runpy
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import rochull as rh

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"


def hybrid() -> None:
    """The README's picture is that of the gallery example."""
    sys.argv[1:] = [str(IMAGES)]
    runpy.run_path(str(ROOT / "examples" / "german_credit_hybrid.py"))


def surface() -> None:
    """Three classes of vehicles, as in docs/multiclass.md."""
    table = rh.datasets.load("vehicle")
    y = table.pop("Class")
    X = np.column_stack(list(table.values()))
    X, y = X[y != "bus"], y[y != "bus"]
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    outputs = cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=folds, method="predict_proba")
    display = rh.plotting.ErrorSurfaceDisplay.from_predictions(y, outputs)
    display.figure_.savefig(IMAGES / "multiclass_surface.png", dpi=120)


def tutorial(page: str, saved: str, picture: str) -> None:
    """The code of a tutorial itself, from the top to where it saves its figure."""
    text = (ROOT / "docs" / "tutorials" / page).read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        code = doctest.script_from_examples(block) if block.startswith(">>>") else block
        if "savefig" in code:
            exec(
                code.replace(f'"{saved}"', "place"),
                names | {"place": IMAGES / picture},
            )
            return
        exec(code, names)


def plane(ax: Axes, title: str) -> rh.RocHull:
    """The ROC plane with Fawcett & Niculescu-Mizil's fifteen cases: their curve and its hull."""
    y_true, y_score = rh.datasets.make_fawcett()
    hull = rh.roc_hull(y_true, y_score)
    curve = rh.roc_curve(y_true, y_score)
    ax.plot(curve.fpr, curve.tpr, ".-", color="0.65", label="every threshold")
    ax.plot(hull.fpr, hull.tpr, "o-", color="C0", label="hull")
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.05), aspect="equal", title=title)
    ax.set(xlabel="false positive rate", ylabel="true positive rate")
    return hull


def concepts() -> None:
    """Costs as slopes, limits as regions, and the hull beside PAV, for docs/concepts.md."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained")
    hull = plane(left, "costs are a slope")
    for colour, (cost_fp, cost_fn) in zip(("C1", "C3"), ((3, 1), (1, 2)), strict=True):
        condition = rh.ExpectedCost(cost_fp, cost_fn, prevalence=0.5)
        point, slope = hull.at(condition), cost_fp / cost_fn
        dearer = "a false alarm costs three misses" if cost_fp > cost_fn else "a miss costs two false alarms"
        left.axline(
            (point.fpr, point.tpr),
            slope=slope,
            color=colour,
            ls="--",
            lw=1.2,
            label=f"slope {slope:g}: {dearer}",
        )
        left.plot(point.fpr, point.tpr, "o", ms=11, mfc="none", mec=colour, mew=2)
    left.legend(loc="lower right", fontsize=7.5)
    hull = plane(right, "limits cut a region out")
    limits = [rh.FalsePositiveRate() <= 0.25, rh.Precision(prevalence=0.3) >= 0.48]
    point = hull.at(rh.Within(rh.Recall(), limits))
    right.axvspan(0.25, 1.03, color="C1", alpha=0.2, lw=0, label="false positive rate above 0.25")
    steepest = 0.48 * 0.7 / (0.52 * 0.3)  # of the line from the origin on which the precision is 0.48
    right.fill_between(
        [0, 1.03], [0, 1.03 * steepest], color="C3", alpha=0.2, lw=0, label="precision below 0.48"
    )
    right.plot(point.fpr, point.tpr, "o", ms=11, mfc="none", mec="k", mew=2, label="most recall within both")
    right.legend(loc="lower right", fontsize=8)
    figure.savefig(IMAGES / "concepts_conditions.png", dpi=110)

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained")
    hull = plane(left, "edges of the hull ...")
    blocks = hull.blocks
    for i in range(len(blocks.posterior)):
        left.plot(hull.fpr[i : i + 2], hull.tpr[i : i + 2], color=f"C{i}", lw=4, solid_capstyle="butt")
        low, high = blocks.low[i], blocks.high[i]
        right.plot(
            [low - 0.012, high + 0.012], 2 * [blocks.posterior[i]], color=f"C{i}", lw=4, solid_capstyle="butt"
        )
    y_true, y_score = rh.datasets.make_fawcett()
    right.plot(y_score, y_true, "|", color="0.5", ms=12)
    right.set(
        title="... are the blocks of PAV", xlabel="score", ylabel="share of positives", ylim=(-0.05, 1.05)
    )
    figure.savefig(IMAGES / "concepts_pav.png", dpi=110)


if __name__ == "__main__":
    mpl.use("Agg")
    concepts()
    hybrid()
    surface()
    tutorial("forensic.md", "validation.png", "forensic_validation.png")
    tutorial("research.md", "figure.png", "research_figure.png")
