"""Alarms in time: the hull for activity monitoring
===================================================

Provost & Fawcett (2001) note that they extended the convex hull to activity monitoring: accounts are watched
day by day, an alarm is worth more the sooner it comes, and false alarms count per time. Their AMOC curve
(Fawcett & Provost 1999) puts the benefit of timely alarms against the rate of false alarms. It is no ROC
curve, but what a hull needs is there: points in the unit square, mixtures by drawing lots, and an expected
cost that is linear in both coordinates.

Simulated: 600 accounts over 100 days, half of them defrauded from some day on. Two detectors see the same
daily scores: one acts on today's, one on the mean of eight days. An alarm d days after the fraud began saves
1 - d / 20 of the damage, or 1 - d / 5.

Ours: judged as classifiers of account-days, the mean of eight days is best at every slope. By the AMOC curves
it is best only where false alarms are dear (slopes above 6.8, and above 91 if the damage is done within 5
days); below, today's score is, for the mean comes late. With at most one false alarm in 100 days the best is
a mixture of both. Run it::

    python examples/activity_monitoring.py [directory for the picture]
"""

import sys
from pathlib import Path
from types import SimpleNamespace

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter

import rochull as rh

ACCOUNTS, DAYS, MEMORY, SHIFT = 600, 100, 8, 1.6
COLOURS = {"today": "#0072B2", "mean of 8 days": "#D55E00"}

rng = np.random.default_rng(0)
fraud = np.arange(ACCOUNTS) % 2 == 0
begin = np.where(fraud, rng.integers(20, 80, ACCOUNTS), DAYS)  # the first day of fraud; never in the others
day = np.arange(DAYS)
active = day >= begin[:, None]
today = rng.normal(size=(ACCOUNTS, DAYS)) + SHIFT * active
sums = np.cumsum(np.pad(today, ((0, 0), (MEMORY, 0))), axis=1)
mean = (sums[:, MEMORY:] - sums[:, :-MEMORY]) / MEMORY
detectors = {"today": today, "mean of 8 days": mean}


def amoc(score, horizon):
    """Rates of false alarms per quiet day, mean share of the damage saved, and the thresholds."""
    thresholds = np.quantile(score, np.linspace(1, 0, 400))
    quiet = ~active
    false = [float((score >= t)[quiet].mean()) for t in thresholds]
    saved = []
    for t in thresholds:
        alarmed = (score >= t) & active
        delay = np.where(alarmed.any(axis=1), alarmed.argmax(axis=1) - begin, horizon)
        saved.append(float(np.clip(1 - delay[fraud] / horizon, 0, 1).mean()))
    return SimpleNamespace(fpr=np.array(false), tpr=np.array(saved), thresholds=thresholds)


def monitored(horizon):
    """Both detectors' AMOC curves as one hybrid."""
    hybrid = rh.Hybrid()
    for name, score in detectors.items():
        hybrid.add_curve(name, amoc(score, horizon))
    return hybrid


def owners(hybrid):
    """Who is best, by ascending slope."""
    rows = []
    for row in hybrid.dominance_table().rows:
        if rows and rows[-1][2] == row.rule:
            rows[-1] = (rows[-1][0], row.high, row.rule)
        else:
            rows.append((row.low, row.high, row.rule))
    return rows


hybrids = {f"damage within {horizon} days": monitored(horizon) for horizon in (20, 5)}
as_classifier = rh.Hybrid()
for name, score in detectors.items():
    as_classifier.add(name, active.ravel(), score.ravel())
for title, hybrid in {**hybrids, "as a classifier of account-days": as_classifier}.items():
    print(title)
    for low, high, name in owners(hybrid):
        print(f"  slope {low:8.3g} to {high:8.3g}: {name}")

# A fraud costs 1,000 if nothing is saved, an alarm 2 to look into; a quiet account has 100 days.
hybrid = hybrids["damage within 20 days"]
condition = rh.ExpectedCost(cost_fp=2 * DAYS, cost_fn=1000, prevalence=0.01)
point = hybrid.at(condition)
print("\nOne account in a hundred is defrauded, for 1,000 if nothing is saved; to look at an alarm costs 2")
print(
    f"  best: {point.classifiers[0]}, {100 * point.fpr:.2f} false alarms in 100 days, {point.tpr:.1%} saved"
)
print(f"  expected cost per account {point.expected_cost(condition):.2f}")
for name, lost in hybrid.regret(condition).items():
    print(f"  {name} alone costs {lost.value:.2f} more (in-sample)")
limit = rh.NeymanPearson(max_fpr=0.01)
point = hybrid.at(limit)
shares = ", ".join(f"{share:.0%} {rule.classifier}" for rule, share in point.rules)
print(f"  at most one false alarm in 100 days: {point.tpr:.1%} saved, by {shares}")

figure, axes = plt.subplots(1, 3, figsize=(11.5, 4.3), layout="constrained")
for ax, (title, hybrid) in zip(axes, hybrids.items(), strict=False):
    for name, score in detectors.items():
        curve = amoc(score, 20 if "20" in title else 5)
        ax.plot(curve.fpr, curve.tpr, color=COLOURS[name], lw=1.3, label=name)
    hull = hybrid.hull
    ax.plot(hull.fpr, hull.tpr, ":", color="black", lw=1.6, label="hull of both")
    ax.set(xlabel="false alarms per quiet day", ylabel="share of the damage saved", title=f"AMOC: {title}")
for name, score in detectors.items():
    curve = rh.roc_curve(active.ravel(), score.ravel())
    axes[2].plot(curve.fpr, curve.tpr, color=COLOURS[name], lw=1.3, label=name)
axes[2].plot(as_classifier.hull.fpr, as_classifier.hull.tpr, ":", color="black", lw=1.6, label="hull of both")
axes[2].set(xlabel="false positive rate", ylabel="true positive rate", title="ROC of account-days")
for ax in axes:
    ax.set(xlim=(-0.005, 0.3), ylim=(-0.02, 1.02))
    ax.legend(frameon=False, loc="lower right")
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
axes[2].xaxis.set_major_formatter(PercentFormatter(1, 0, symbol=" %"))
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "activity_monitoring.png", dpi=110)
print(f"\npicture: {directory / 'activity_monitoring.png'}")
