"""Draw the documentation's pictures that displays draw: python scripts/draw_pictures.py."""

from __future__ import annotations

import doctest
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

import rochull as rh
from rochull._core.palette import COLOURS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
IMAGES = DOCS / "images"


def hybrid() -> None:
    """The README's picture is that of the gallery example."""
    sys.argv[1:] = [str(IMAGES)]
    runpy.run_path(str(ROOT / "examples" / "german_credit_hybrid.py"))


def reliability() -> None:
    """Naive Bayes on Adult, for docs/calibration.md."""
    table = rh.datasets.load("adult_scores", ["income", "naive_bayes"])
    display = rh.plotting.ReliabilityDisplay.from_predictions(
        table["income"] == ">50K", table["naive_bayes"], name="naive Bayes"
    )
    display.figure_.savefig(IMAGES / "reliability_adult.png", dpi=115)


def page_names(page: str, last: str) -> dict[str, Any]:
    """What the code of a page defines, from the top to the block that has `last` in it."""
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL):
        if not block.startswith(">>>"):
            exec(block, names)
            if last in block:
                return names
    raise ValueError(f"{page} has no block with {last!r}.")


def several_classes() -> None:
    """Three classes of vehicles, by the code of docs/multiclass.md."""
    names = page_names("multiclass.md", "point = found[0]")
    display = rh.plotting.ErrorSurfaceDisplay.from_predictions(names["y"], names["outputs"])
    display.figure_.savefig(IMAGES / "multiclass_surface.png", dpi=120)
    matrix = rh.plotting.MulticlassConfusionDisplay.from_point(names["point"], subject_to=names["limits"])
    matrix.figure_.savefig(IMAGES / "multiclass_confusion.png", dpi=120)


def tutorial(page: str, saved: str, picture: str) -> None:
    """The code of a tutorial itself, from the top to where it saves its figure."""
    text = (DOCS / "tutorials" / page).read_text(encoding="utf-8")
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
        [0, 1.03], [0, 1.03 * steepest], color="C2", alpha=0.2, lw=0, label="precision below 0.48"
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
    with mpl.rc_context({"axes.prop_cycle": mpl.cycler(color=COLOURS)}):
        concepts()
    hybrid()
    reliability()
    several_classes()
    tutorial("forensic.md", "validation.png", "forensic_validation.png")
    tutorial("research.md", "figure.png", "research_figure.png")
