"""Concavities of ROC curves: leave them, tie them (PAV), or turn them round (Flach & Wu)?
=======================================================================================

Flach & Wu ("Repairing concavities in ROC curves", IJCAI 2005) invert the ranking inside a concavity. They
report very encouraging results on 23 UCI data sets, particularly for naive Bayes: significant improvements on
more than half of them, with only one loss, when two validation folds were used. On the data that a repair is
fitted on it always helps. What counts is new data, so here the classifier is trained on one third of the
examples, the repair is fitted on another, and the remaining third judges.

What comes out: most concavities of a fitted classifier are noise, those of naive Bayes here too. Then a tie
costs a little, and an inversion about twice that, for of two scores in one range a tie is exactly half-way.
(PAV ties scores outside concavities too, at pure ends, and can lose by that what an inversion does not.)
Where a classifier is really perverse an inversion gains twice what a tie gains: a linear discriminant of a
digit that lies between others (6 and 9), or income by age, which falls again in old age. Inverting only large
concavities keeps the gain and avoids most of the cost. Run it::

    python examples/repair_concavities.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import rochull as rh

SEEDS = 5  # each split is used both ways round
LARGE = 0.005  # of the unit square
TREATMENTS = ["tied by PAV", "all inverted", f"above {LARGE} inverted"]
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]
TWO_CLASSES = [("breast_w", "Class"), ("heart", "class"), ("crx", "class"), ("german_credit", "class")]
MORE_CLASSES = [("vehicle", "Class"), ("mfeat_mor", "class"), ("satimage", "class")]
SHIPPED = [("adult_scores", "income", ">50K"), ("german_credit_scores", "class", "bad")]


def tied(labels, scores, new):
    """PAV's posterior of new scores."""
    return rh.PavCalibrator().fit(scores, labels).posterior(new)


def inverted(labels, scores, new, min_area=0.0):
    """Flach & Wu's repair of new scores."""
    return rh.ConcavityRepair(min_area).fit(scores, labels).transform(new)


def one_against_rest(data, label):
    """Yield (name, labels, numeric features) of each class of a data set; of one class if there are two."""
    table = rh.datasets.load(data)
    classes = table.pop(label).astype(str)
    features = np.column_stack([column for column in table.values() if column.dtype.kind in "if"]).astype(
        float
    )
    complete = ~np.isnan(features).any(axis=1)
    names = np.unique(classes)
    for name in names[-1:] if names.size == 2 else names:
        shown = f"digit {int(name) - 1}" if data == "mfeat_mor" else name
        yield f"{data}: {shown}", (classes == name)[complete], features[complete]


def column_of(data, label, positive, column):
    """(name, labels, scores) of a column of a data set."""
    table = rh.datasets.load(data, [label, column])
    return f"{data.removesuffix('_scores')}: {column}", table[label] == positive, table[column]


def splits(labels, data, classifier):
    """Yield (labels, scores) to fit a repair on and (labels, scores) to judge it on, by seeded splits."""
    for seed in range(SEEDS):
        order = np.random.default_rng(seed).permutation(labels.size)
        if classifier is None:
            scores, (first, second) = data, np.array_split(order, 2)
        else:
            train, first, second = np.array_split(order, 3)
            log = classifier.fit(data[train], labels[train]).predict_log_proba(data)
            scores = log[:, 1] - log[:, 0]
        for fit, new in ((first, second), (second, first)):
            yield (labels[fit], scores[fit]), (labels[new], scores[new])


def effects(labels, data, classifier):
    """AUC of raw scores, its change by each treatment, and the in-sample one by inversion: (splits, 5)."""
    rows = []
    for known, (truth, new) in splits(labels, data, classifier):
        treated = tied(*known, new), inverted(*known, new), inverted(*known, new, LARGE)
        raw = rh.roc_auc(truth, new)
        in_sample = rh.roc_auc(known[0], inverted(*known, known[1])) - rh.roc_auc(*known)
        rows.append([raw, *(rh.roc_auc(truth, scores) - raw for scores in treated), in_sample])
    return np.array(rows)


def report(title, classifier, problems):
    """Print the table of some problems; return mean changes and counts of the better and the worse."""
    names = "".join(f"{name:>24}" for name in TREATMENTS)
    print(f"\n{title:28}{'raw AUC':>9}{names}    (in-sample, all inverted)")
    means, counts = [], np.zeros((2, 3), int)
    for name, labels, data in problems:
        found = effects(labels, data, classifier)
        mean, sd = found.mean(axis=0), found.std(axis=0, ddof=1)
        cells = "".join(f"{f'{m:+.4f} ± {s:.4f}':>24}" for m, s in zip(mean[1:4], sd[1:4], strict=True))
        print(f"{name:28}{mean[0]:9.4f}{cells}    ({mean[4]:+.4f})")
        means.append(mean[1:4])
        often = len(found) - 1
        counts += [(found[:, 1:4] > 0).sum(axis=0) >= often, (found[:, 1:4] < 0).sum(axis=0) >= often]
    for word, row in zip(("better", "worse"), counts, strict=True):
        print(
            f"{word + ' in 9 of 10 splits or more':37}" + "".join(f"{n:>18} of {len(means):2}" for n in row)
        )
    return np.array(means), counts


bayes = [problem for source in TWO_CLASSES + MORE_CLASSES for problem in one_against_rest(*source)]
digits = list(one_against_rest("mfeat_mor", "class"))
models = ["naive_bayes", "logistic", "knn", "tree", "boosted"]
scored = [column_of(*source, model) for source in SHIPPED for model in models]
features = [
    column_of("adult", "income", ">50K", "age"),
    column_of("german_credit", "class", "bad", "credit_amount"),
]
print(f"Change of the AUC on held-out data: mean ± standard deviation of {2 * SEEDS} splits")
reports = {
    "naive Bayes": report("naive Bayes", GaussianNB(), bayes),
    "linear discriminant": report("linear discriminant", LinearDiscriminantAnalysis(), digits),
    "out-of-fold scores": report("out-of-fold scores", None, scored),
    "feature as a score": report("feature as a score", None, features),
}
counts = reports["naive Bayes"][1][:, 1]
print(f"""
Flach & Wu, naive Bayes, 23 data sets: better on more than half, worse on one (two validation folds).
Here, naive Bayes, {len(bayes)} problems of 7 data sets, all concavities inverted (one validation fold):
better on {counts[0]}, worse on {counts[1]}.""")

figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.9), layout="constrained")
name, labels, data = next(problem for problem in digits if problem[0].endswith("digit 6"))
known, (truth, new) = next(splits(labels, data, LinearDiscriminantAnalysis()))
curves = {"raw": new, "tied by PAV": tied(*known, new), "inverted": inverted(*known, new, LARGE)}
for (label, scores), colour in zip(curves.items(), ["#777777", *COLOURS], strict=False):
    curve = rh.roc_curve(truth, scores)
    left.plot(curve.fpr, curve.tpr, color=colour, lw=1.6, label=f"{label} (AUC {curve.auc():.3f})")
left.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
for axis in (left.xaxis, left.yaxis):
    axis.set_major_formatter(PercentFormatter(1, symbol=" %"))
left.set_title("A real concavity: linear discriminant, digit 6\n(one split, held-out data)", fontsize=10)
left.legend(loc="lower right", frameon=False)
reach = np.array([-0.025, 0.03])
right.plot(reach, 2 * reach, ":", color="#777777", lw=1, label="inverting = twice tying")
right.axhline(0, color="#bbbbbb", lw=0.8)
right.axvline(0, color="#bbbbbb", lw=0.8)
for (group, (means, _)), colour, marker in zip(reports.items(), COLOURS, "os^D", strict=True):
    right.plot(means[:, 0], means[:, 1], marker, color=colour, ms=6, alpha=0.8, ls="", label=group)
right.set(xlabel="AUC gained by PAV's tie", ylabel="AUC gained by inverting all concavities")
right.set(xlim=reach, ylim=(-0.03, 0.07))
right.set_title("Each problem: mean change on held-out data", fontsize=10)
right.legend(loc="lower right", frameon=False)
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "repair_concavities.png", dpi=120)
print(f"\npicture: {directory / 'repair_concavities.png'}")
