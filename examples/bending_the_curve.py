"""Thresholds that depend on another feature bend the ROC curve: Examples 1 and 2 of Richman & Mannor
==================================================================================================

In Example 1 a feature tells how hard a case is, in Example 2 how frequent positives are. Every model is
fitted to one sample and judged on another. The picture has the paper's Figures 2 to 6. Area under the curve
on new cases: of 20,000 points to fit and as many to judge (mean of 20 samples), of 2 million to fit and 1
million to judge, and of the population.

::

    Example 1                       20,000  2 million  population
    fixed threshold                 0.9501     0.9500      0.9501
    constant FPR                    0.9504     0.9500      0.9501
    constant TPR                    0.9504     0.9501      0.9501
    gaussian, 8 bins                0.9706     0.9706
    equal-variance, 8 bins          0.9706     0.9706      0.9706
    pav, 8 bins, shrinkage 0        0.9697     0.9706
    pav, 8 bins, shrinkage by cv    0.9698
    logistic, 8 bins                0.9706
    auto, 8 bins                    0.9706
    equal-variance, 200 bins        0.9695     0.9709      0.9709
    equal-variance, continuous      0.9709

    Example 2
    fixed threshold                 0.7177     0.7180      0.7181
    gaussian, 122 bins              0.7504     0.7534      0.7537
    equal-variance, 122 bins        0.7449     0.7472
    pav, 122 bins, shrinkage 0      0.7443     0.7531
    pav, 122 bins, shrinkage by cv  0.7444
    logistic, 122 bins              0.7447
    auto, 122 bins                  0.7504

In Example 1 the bent curve of 20,000 points (0.9705) is nowhere below the hull of both baselines (0.9637),
which is chosen on the cases that judge it, by more than 0.00005, and above it by up to 0.041. Bins with
fewer than 20 examples of a class are merged with a neighbour: of the 122 bins of Example 2 some 50 are left
of 20,000 points. What is small and fitted freely fits noise: "pav" in Example 2, 200 bins in Example 1. Run
it::

    python examples/bending_the_curve.py [directory for the picture] [--full]
"""

import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter

import rochull as rh

FULL = "--full" in sys.argv
POINTS, SAMPLES = 20_000, 20 if FULL else 1
LARGE = (2_000_000, 1_000_000) if FULL else (200_000, 200_000)
EIGHT = np.arange(1.5, 5, 0.5)  # edges of the paper's bins of X1, Example 1
FINE = np.linspace(1, 5, 201)[1:-1]
MANY = np.linspace(-6, 6, 121)  # Example 2: 120 bins from -6 to 6, and one at either end
CONDITIONS = {f"FPR ≤ {100 * limit:g} %": rh.NeymanPearson(limit) for limit in (0.01, 0.1, 0.4)}


def models(which: int, *, small: bool) -> dict[str, rh.ErrorRedistribution]:
    """What is compared; the slower ones on the small sample only."""
    make, edges = rh.ErrorRedistribution, EIGHT if which == 1 else MANY
    name = f"{edges.size + 1} bins"
    found = {
        "fixed threshold": make("fixed", bins=edges),
        "constant FPR": make("constant-fpr", bins=edges),
        "constant TPR": make("constant-tpr", bins=edges),
        f"gaussian, {name}": make("gaussian", bins=edges),
        f"equal-variance, {name}": make("equal-variance", bins=edges),
        f"pav, {name}, shrinkage 0": make("pav", bins=edges, shrinkage=0),
    }
    if small:
        found[f"pav, {name}, shrinkage by cv"] = make("pav", bins=edges)
        found[f"logistic, {name}"] = make("logistic", bins=edges)
        found[f"auto, {name}"] = make("auto", bins=edges)
    if which == 1:
        found["equal-variance, 200 bins"] = make("equal-variance", bins=FINE)
        if small:
            found["equal-variance, continuous"] = make("equal-variance", bins="continuous")
    return found


def areas(which: int, sizes: tuple[int, int], seed: int, *, small: bool) -> dict[str, float]:
    """Held-out area of every model."""
    y, score, aux = rh.datasets.make_redistribution_example(which, sizes[0], 2 * seed)
    new_y, new_score, new_aux = rh.datasets.make_redistribution_example(which, sizes[1], 2 * seed + 1)
    found = {}
    for name, model in models(which, small=small).items():
        model.fit(score, y, aux={"X1": aux})
        found[name] = model.curve(new_y, new_score, aux={"X1": new_aux}).auc()
    return found


PAPER = {  # population values
    (1, "fixed threshold"): 0.9501,
    (1, "constant FPR"): 0.9501,
    # Thresholds are mu_i + c, mu_i being the middle of bin i. So a positive with mean U in bin i meets a
    # negative of bin j as if its mean were U - mu_i + mu_j, which is uniform again: the area of "fixed".
    (1, "constant TPR"): 0.9501,
    (1, "equal-variance, 8 bins"): 0.9706,
    (1, "equal-variance, 200 bins"): 0.9709,
    (2, "fixed threshold"): 0.7181,
    (2, "gaussian, 122 bins"): 0.7537,
}
figure, axes = plt.subplot_mosaic(
    [["2a", "2b"], ["2c", "3"], ["4", "5"], ["6", "6"], ["gain", "where"]],
    figsize=(11.5, 20), layout="constrained",
)  # fmt: skip


def legend_inside(ax, loc):
    """Two columns are too narrow for legends beside the axes."""
    ax.legend(loc=loc, fontsize=8, frameon=False)


with warnings.catch_warnings():
    warnings.simplefilter("ignore", UserWarning)  # values of X1 beyond those of training
    for which in (1, 2):
        few = [areas(which, (POINTS, POINTS), seed, small=True) for seed in range(SAMPLES)]
        many = areas(which, LARGE, 1000, small=False)
        print(f"\nExample {which}: area under the held-out curve")
        print(f"  {'':34}{POINTS:>9,}{LARGE[0]:>11,}  population")
        for name in few[0]:
            mean = np.mean([found[name] for found in few])
            large = f"{many[name]:11.4f}" if name in many else " " * 11
            known = f"{PAPER[which, name]:12.4f}" if (which, name) in PAPER else ""
            print(f"  {name:34}{mean:9.4f}{large}{known}")

# Figures 2 and 6: the curve bends, the baselines are moved by an offset.
y, score, aux = rh.datasets.make_redistribution_example(1, POINTS, 0)
new_y, new_score, new_aux = rh.datasets.make_redistribution_example(1, LARGE[1], 1)
fitted = {
    title: rh.ErrorRedistribution(model, bins=EIGHT).fit(score, y, aux={"X1": aux})
    for title, model in {
        "equal-variance": "equal-variance",
        "constant FPR": "constant-fpr",
        "constant TPR": "constant-tpr",
    }.items()
}
by_title = [*fitted.items()][1:] + [*fitted.items()][:1]
for ax, (title, model) in zip((axes["2a"], axes["2b"], axes["2c"]), by_title, strict=True):
    rh.plotting.SegmentThresholdDisplay.from_predictions(
        y, score, {"X1": aux}, CONDITIONS, redistribution=model, max_points=600, ax=ax
    )
    ax.set_title(f"Figure 2: {title} (Example 1, 8 bins)")
    legend_inside(ax, "upper left")
shown = rh.plotting.SegmentRocDisplay.from_predictions(
    new_y, new_score, {"X1": new_aux}, fitted, zoom=(0.02, 0.2), ax=axes["6"]
)
axes["6"].set_title(f"Figure 6: Example 1, fitted to {POINTS:,} points")
axes["6"].legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, fontsize=8, frameon=False)
grid = np.linspace(0, 1, 1001)[1:-1]
gain = np.interp(grid, shown.fpr["equal-variance"], shown.tpr["equal-variance"])
gain -= np.interp(grid, shown.hull_fpr, shown.hull_tpr)
axes["gain"].plot(grid, 100 * gain)
axes["gain"].axhline(0, color="grey", linewidth=0.8)
axes["gain"].set(title="Example 1: gain over the hull of both baselines", xlabel="false positive rate")
axes["gain"].set_ylabel("gain in true positive rate, in percentage points")
axes["gain"].xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
print(f"\nExample 1, hull of both baselines (chosen on the {LARGE[1]:,} cases that judge it):")
print(f"  area {shown.hull_auc:.4f}, of the bent curve {shown.auc['equal-variance']:.4f}")
print(f"  the bent curve is higher at {np.mean(gain > 0):.1%} of the false positive rates;")
print(f"  its gain is from {gain.min():+.4f} to {gain.max():+.4f}")

# Figures 3 and 5: far out, all cases are called positive, and the score is not needed.
y, score, aux = rh.datasets.make_redistribution_example(2, POINTS, 0)
new_y, new_score, new_aux = rh.datasets.make_redistribution_example(2, LARGE[1], 1)
gaussian = rh.ErrorRedistribution("gaussian", bins=MANY).fit(score, y, aux={"X1": aux})
rh.plotting.SegmentThresholdDisplay.from_predictions(
    y, score, {"X1": aux}, CONDITIONS, redistribution=gaussian, max_points=1500, ax=axes["3"]
)
axes["3"].set_title("Figure 3: Example 2, gaussian")
axes["3"].set_ylim(top=8)
legend_inside(axes["3"], "upper left")
with warnings.catch_warnings():
    warnings.simplefilter("ignore", UserWarning)
    rh.plotting.SegmentRocDisplay.from_predictions(
        new_y, new_score, {"X1": new_aux},
        {"gaussian": gaussian, "fixed": rh.ErrorRedistribution("fixed").fit(score, y, aux={"X1": aux})},
        zoom=None, ax=axes["5"],
    )  # fmt: skip
axes["5"].set_title(f"Figure 5: Example 2, fitted to {POINTS:,} points")
legend_inside(axes["5"], "lower right")
print(
    f"\nExample 2, thresholds of the gaussian model ({len(gaussian.segments_)} of 122 bins are large enough):"
)
for name, condition in CONDITIONS.items():
    found = list(gaussian.thresholds(condition).values())[:-1]  # the last is for values never seen
    print(f"  {name}: -inf in {np.isneginf(found).sum()} bins, inf in {np.isposinf(found).sum()}")

# Figure 4.
k = np.linspace(-4, 6, 400)
for sigma in (1.5, 1.0, 0.75):
    label = f"σ+ = {sigma:g}, σ- = 1"
    axes["4"].plot(k, rh.segments.benefit_cost_ratio(k, 1.0, sigma, 0.0, 1.0), label=label)
axes["4"].set(title="Figure 4: benefit-cost ratio, μ+ = 1, μ- = 0", xlabel="threshold", ylim=(1e-2, 1e2))
axes["4"].set(yscale="log", ylabel="benefit-cost ratio")
legend_inside(axes["4"], "lower center")
fresh_y, fresh_score, fresh_aux = rh.datasets.make_redistribution_example(1, POINTS, 3)
limit, bent = rh.NeymanPearson(0.05), fitted["equal-variance"]
rh.plotting.SegmentGainDisplay.from_predictions(
    fresh_y, fresh_score, {"X1": fresh_aux}, limit, redistribution=bent, ax=axes["where"]
)
axes["where"].set_title("Example 1: gained at FPR ≤ 5 %")
legend_inside(axes["where"], "center right")
directory = Path(next((a for a in sys.argv[1:] if a != "--full"), "build/examples"))
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "bending_the_curve.png", dpi=100)
print(f"\npicture: {directory / 'bending_the_curve.png'}")
