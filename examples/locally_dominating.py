"""Who is best at which costs? Provost & Fawcett's table of locally dominating classifiers, on public data
=======================================================================================================

Provost & Fawcett (2001), last table: for each domain the classifiers on the hull, by slope. Their choices are
taken over (see `_zoo.py`): the minority class is positive, curves are averaged over ten folds. Their road
data are not public, and our copy of the text has lost the slopes and which k. By ascending slope::

    vehicle    paper  bagged trees
               ours   bagged trees, the absolute dominator
    crx        paper  bagged trees, naive Bayes, bagged trees, naive Bayes
               ours   bagged trees to 2.4, naive Bayes to 6.3, bagged trees (below 0.04 the rule "always")
    satimage   paper  naive Bayes, bagged trees, four of k-NN, bagged trees
               ours   bagged trees to 0.41, 5-NN to 2.7, 3-NN to 3.8, 5-NN to 5.8, 3-NN to 25, bagged trees
    adult      ours   naive Bayes to 5.7 (bagged trees from 0.001 to 0.003), bagged trees       (--full)
               ours   of 5,000 rows: naive Bayes to 1.8, bagged trees to 2.6, naive Bayes to 3.6, bagged trees
    waveform   ours   naive Bayes to 0.12 (bagged trees from 0.04 to 0.06), bagged trees; paper: "very close"
    german_credit     naive Bayes and bagged trees, tied, to 0.03, bagged trees to 0.11, naive Bayes to 1.3,
                      bagged trees; at its costs (slope 0.47) naive Bayes: 0.492 per case, bagged trees 0.530

Only vehicle has an absolute dominator; the paper found one in one of ten domains. Of 2,000 waves instead of
5,000, which is UCI's number, waveform has one too. Over ten divisions into folds (--full) vehicle has it in
eight, crx, satimage and german_credit never. Where paper and ours differ few cases decide: on crx naive Bayes
owns the upper end, as in the paper, if the bag has 10 trees instead of 25. On satimage it owns nothing at the
lower end with 5 to 50 trees; C4.5 prunes its trees, ours are not pruned.

The --full run takes all of Adult, and ten divisions of the other data sets. Run it::

    python examples/locally_dominating.py [directory for the picture] [--full]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from _zoo import COLOURS, Problem, absolute, averaged, dominators, folds_of
from matplotlib.ticker import PercentFormatter

import rochull as rh

FULL = "--full" in sys.argv
ROWS = {"adult": None if FULL else 5000, "waveform": 5000}  # of the others all
NAMES = ["vehicle", "crx", "satimage", "adult", "waveform", "german_credit"]
PAPER = {  # dominators by ascending slope; our copy of the text has lost the slopes and which k
    "vehicle": "bagged trees",
    "crx": "bagged trees, naive Bayes, bagged trees, naive Bayes",
    "satimage": "naive Bayes, bagged trees, k-NN, k-NN, k-NN, k-NN, bagged trees",
}


def report(problem, hybrid):
    """Print the paper's table and ours."""
    rows = dominators(hybrid)
    print(f"\n{problem.name}: {problem.y.size} cases, {problem.y.mean():.1%} positive (the minority class)")
    print(f"  paper: {PAPER.get(problem.name, 'not in the table')}")
    for low, high, name in rows:
        print(f"  {f'[{low:.3g}, {high:.3g}]':>16}  {name}")
    print(f"  absolute dominator: {absolute(rows) or 'none'}")
    if problem.name == "german_credit":
        condition = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=problem.y.mean())
        best = hybrid.at(condition)
        cost = best.expected_cost(condition)
        print(f"  its costs, 1 and 5 (slope {condition.slope:.3f}): {cost:.4f} per case")
        print(f"  by {best.classifiers[0]}; one classifier alone costs more (in-sample):")
        lost = {name: f"{regret.value:.4f}" for name, regret in hybrid.regret(condition).items()}
        print("  " + ", ".join(f"{name} {value}" for name, value in lost.items()))
    return rows


figure, axes = plt.subplots(4, 2, figsize=(10, 16), layout="constrained")
strip, rest = axes[-1]
print("Ten folds, curves averaged at fixed false positive rates; in-sample: hulls of the curves they judge")
for i, name in enumerate(NAMES):
    problem = Problem.load(name, ROWS.get(name))
    divisions = 10 if FULL and name != "adult" else 1
    hybrids = [averaged(problem, folds_of(problem, 10, seed)) for seed in range(divisions)]
    rows = report(problem, hybrids[0])
    if len(hybrids) > 1:
        tables = [dominators(hybrid) for hybrid in hybrids]
        print("  of ten divisions into folds, absolute dominators:", [absolute(table) for table in tables])
        shares = {n: sum(any(n in row[2].split(", ") for row in table) for table in tables) for n in COLOURS}
        print(f"  divisions in which it has a part of the hull: {shares}")
    ax = axes.flat[i]
    for classifier, hull in hybrids[0].hulls.items():
        ax.plot(hull.fpr, hull.tpr, color=COLOURS[classifier], lw=1.1, label=classifier)
    hull = hybrids[0].hull
    ax.plot(hull.fpr, hull.tpr, ":", color="black", lw=1.6, label="hull of all")
    ax.set(title=f"{name} ({problem.y.size:,} cases)", xlabel="false positive rate")
    ax.set(ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    for low, high, rule in rows:
        left, right = np.log10(np.clip([low, high], 0.01, 100))
        colours = [COLOURS.get(n, "#dddddd") for n in rule.split(", ")]
        for j, colour in enumerate(colours):  # several side by side
            height = 0.7 / len(colours)
            strip.barh(
                -i + 0.35 - height * (j + 0.5),
                right - left,
                height,
                left=left,
                color=colour,
                edgecolor="white",
            )
rest.set_axis_off()
rest.legend(*axes[0, 0].get_legend_handles_labels(), loc="center", frameon=False)
strip.set_yticks(-np.arange(len(NAMES)), NAMES)
strip.set_xticks([-2, -1, 0, 1, 2], ["≤ 1/100", "1/10", "1", "10", "≥ 100"])
strip.set(title="dominator by slope (grey: a constant rule)", xlabel="slope: false alarms over misses")
directory = Path(next((a for a in sys.argv[1:] if a != "--full"), "build/examples"))
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "locally_dominating.png", dpi=110)
print(f"\npicture: {directory / 'locally_dominating.png'}")
