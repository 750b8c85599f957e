"""Every transaction costs what it costs: example-dependent costs by `sample_weight`, end to end
=============================================================================================

Provost & Fawcett (2001) assume that all errors of one kind cost the same, and name a way out: "duplicating
instances in proportion to their costs". A weight is a duplication that needs no room. Here a missed fraud
costs its amount and a false alarm a fee. With these as weights the loss of a rule is

::

    W_neg fpr + W_pos (1 - tpr),   rates by weight, W_neg = fee x honest cases, W_pos = sum of stolen amounts,

so the condition is that of equal costs at the weighted prevalence W_pos / (W_pos + W_neg), which is what
`hybrid.prevalence` returns. The same weights go into the training. The paper prints no numbers for this.

Ours, on made-up card transactions (ten data sets, euros lost per thousand new transactions): without alarms
1782. The classifier that was trained without weights learns the many small frauds; with its threshold from
average costs it loses 1836, with each case's own cost 1763. The one that was trained with weights loses 294
and 273. Of both, a hull by cases picks the wrong one (1836), a hull by money the right one (273 ± 7). Weights
in whole euros equal repetition bit for bit, which the script checks. Run it::

    python examples/transaction_costs.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter
from sklearn.linear_model import LogisticRegression

import rochull as rh

FEE, N, SEEDS = 5, 60_000, range(10)
COLOURS = {"plain fit": "#0072B2", "weighted fit": "#D55E00"}
BY_AVERAGE, BY_CASE = "average costs", "cost of each case"


def transactions(seed):
    """Make card transactions: features, whether each is a fraud, and amounts in whole euros.

    Of 1.5 % frauds four in five try a stolen card out with little, in quick succession; the others loot it,
    far from home.
    """
    rng = np.random.default_rng(seed)
    kind = rng.choice(3, N, p=[0.985, 0.012, 0.003])  # honest, trying out, looting
    log_amount = rng.normal(np.array([3.5, 1.5, 6.0])[kind], np.array([1.0, 0.8, 0.8])[kind])
    amount = np.ceil(np.exp(log_amount)).astype(int)
    haste = rng.normal(np.array([0, 2.0, 1.0])[kind])
    distance = rng.normal(np.array([0, 0.5, 1.5])[kind])
    X = np.column_stack([np.log(amount), haste, distance, rng.normal(size=(N, 2))])
    y = (kind > 0).astype(int)
    return X, y, amount, np.where(y == 1, amount, FEE)


def hybrid_of(y, scores, weight=None):
    """The hull of some classifiers, weighted or not."""
    hybrid = rh.Hybrid()
    for name, column in scores.items():
        hybrid.add(name, y, column, sample_weight=weight)
    return hybrid


def losses(seed):
    """Euros lost per thousand new transactions, by what was trained and how the threshold was chosen."""
    X, y, _, weight = transactions((seed, 0))
    models = {
        "plain fit": LogisticRegression().fit(X, y),
        "weighted fit": LogisticRegression().fit(X, y, sample_weight=weight),
    }
    X, y, amount, weight = transactions((seed, 1))  # for the hull
    X_new, y_new, _, cost = transactions((seed, 2))  # what comes later
    known, new = ({name: m.decision_function(x) for name, m in models.items()} for x in (X, X_new))
    average = rh.ExpectedCost(cost_fp=FEE, cost_fn=amount[y == 1].mean(), prevalence=y.mean())
    found = {"never an alarm": 1000 * np.mean(cost * y_new)}
    for title, names in [*((name, [name]) for name in models), ("hybrid", list(models))]:
        some = {name: known[name] for name in names}
        for how, w in ((BY_AVERAGE, None), (BY_CASE, weight)):
            hybrid = hybrid_of(y, some, w)
            condition = average if w is None else rh.Accuracy(hybrid.prevalence)
            called = hybrid.policy().decide(new, condition)
            found[f"{title}, {how}"] = 1000 * np.mean(cost * (called != y_new))
    return found, (y, known, weight)


def check_duplication(y, scores, weight):
    """Whole weights are repetition, exactly: the same rates, thresholds and optimum, bit for bit."""
    weighted = rh.roc_hull(y, scores, sample_weight=weight)
    repeated = rh.roc_hull(np.repeat(y, weight), np.repeat(scores, weight))
    for name in ("fpr", "tpr", "thresholds", "slopes"):
        assert np.array_equal(getattr(weighted, name), getattr(repeated, name)), name
    prevalence = np.average(y, weights=weight)
    assert weighted.at(rh.Accuracy(prevalence)) == repeated.at(rh.Accuracy(prevalence))
    print(f"{y.size:,} weighted cases and {weight.sum():,} repeated ones have the same hull, bit for bit")


table = [losses(seed) for seed in SEEDS]
check_duplication(table[0][1][0], table[0][1][1]["plain fit"], table[0][1][2])
names = list(table[0][0])
euros = np.array([[found[name] for name in names] for found, _ in table])
means, errors = euros.mean(axis=0), euros.std(axis=0, ddof=1) / np.sqrt(len(SEEDS))
print(f"\nEuros lost per thousand new transactions: mean of {len(SEEDS)} data sets ± its standard error")
for name, mean, error in zip(names, means, errors, strict=True):
    print(f"  {name:32} {mean:7.0f} ± {error:.0f}")
for first, second in (
    ("plain fit, " + BY_AVERAGE, "plain fit, " + BY_CASE),
    ("weighted fit, " + BY_AVERAGE, "weighted fit, " + BY_CASE),
    ("hybrid, " + BY_AVERAGE, "hybrid, " + BY_CASE),
):
    saved = euros[:, names.index(first)] - euros[:, names.index(second)]
    print(
        f"  saved by weighting the hull of the {first.split(',')[0]:12} {saved.mean():6.0f}"
        f" ± {saved.std(ddof=1) / np.sqrt(saved.size):.0f}, in {np.sum(saved > 0)} of {saved.size}"
    )

y, known, weight = table[0][1]
figure, (left, right) = plt.subplots(1, 2, figsize=(11.5, 4.8), layout="constrained", width_ratios=[1, 1.1])
for name, scores in known.items():
    for w, style, how in ((None, "--", "cases"), (weight, "-", "money")):
        curve = rh.roc_curve(y, scores, sample_weight=w)
        left.plot(curve.fpr, curve.tpr, style, color=COLOURS[name], lw=1.4, label=f"{name}, share of {how}")
left.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
for axis in (left.xaxis, left.yaxis):
    axis.set_major_formatter(PercentFormatter(1, symbol=" %"))
left.set_title("The same scores, by cases and by money")
left.legend(loc="lower right", frameon=False)
colours = ["#999999", *(c for c in (*COLOURS.values(), "#009E73") for _ in range(2))]
right.barh(names[::-1], means[::-1], xerr=errors[::-1], color=colours[::-1], height=0.7)
right.set(xlabel="euros lost per thousand transactions (held out)", title="What comes of it")
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "transaction_costs.png", dpi=110)
print(f"\npicture: {directory / 'transaction_costs.png'}")
