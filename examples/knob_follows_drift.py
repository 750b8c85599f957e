"""A knob that outcomes turn: a capacity and a precision kept while the population and the scores drift
====================================================================================================

A classifier of high incomes (Adult, boosted trees) was measured on one half of the data. The other half is
the stream: 1,000 cases a day for a year, among which positives become commoner, from 1% to 10% (days 60 to
160). On day 220 a new version of the classifier gives higher scores to everybody, on day 300 prevalence falls
back to 4% at once. Nobody tells the knobs: they see how many alarms there were, and how many were false.

One knob has a capacity of 30 alarms a day. Its regret is counted against a clairvoyant, who knows each day's
population and takes the best setting of the same hull: alarms beyond the capacity are left lying, hands
without an alarm are idle. The other knob has a target precision of 60%, and its recall is compared with the
clairvoyant's. The setting that was right on the first day, never turned, shows what drift costs. Run it::

    python examples/knob_follows_drift.py [directory for the picture]
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

warnings.filterwarnings("ignore", category=rh.MisfitWarning)  # drift is what this example is about

DAYS, CASES, CAPACITY, PRECISION = 360, 1_000, 30, 0.6
KNOB, FIXED, BEST = "#0072B2", "#999999", "#000000"
CHANGES = [60, 160, 220, 300]

table = rh.datasets.load("adult_scores")
odds = table["boosted"].astype(float)
odds = np.log(odds / (1 - odds))
positive, measured = table["income"] == ">50K", table["fold"] % 2 == 0
hull = rh.roc_hull(positive[measured], odds[measured])
pools = [odds[~measured & ~positive], odds[~measured & positive]]
ordered = [np.sort(pool) for pool in pools]


def prevalence(day):
    """Proportion of positives."""
    return 0.04 if day >= 300 else float(np.interp(day, [60, 160], [0.01, 0.10]))


def shift(day):
    """What the classifier's version adds to the score."""
    return 1.0 if day >= 220 else 0.0


def rates_of(point, day):
    """True (fpr, tpr) of an operating point on a day."""
    rates = np.zeros(2)
    for rule, share in point.rules:
        if rule.threshold is None:
            rates += share * (rule.kind == "always")
        else:
            passed = [1 - np.searchsorted(pool, rule.threshold - shift(day)) / pool.size for pool in ordered]
            rates += share * np.array(passed)
    return rates


def outcome(point, day):
    """(alarms, true alarms, positives found within the capacity) of a case, in expectation."""
    pi, (fpr, tpr) = prevalence(day), rates_of(point, day)
    alarms = (1 - pi) * fpr + pi * tpr
    return alarms, pi * tpr, pi * tpr * min(1.0, CAPACITY / CASES / max(alarms, 1e-12))


def clairvoyant(day):
    """What the best setting finds: within the capacity, and with the precision."""
    found = np.array([outcome(point, day) for point in settings])
    precise = found[:, 1] >= PRECISION * found[:, 0]
    return found[:, 2].max(), found[precise, 1].max()


def run(knob, turned):
    """Live through all days; (alarms, true alarms, found) of each, in expectation."""
    rng = np.random.default_rng(2026)
    days = []
    for day in range(DAYS):
        days.append(outcome(knob.at(), day))
        cases = rng.random(CASES) < prevalence(day)
        drawn = np.where(cases, rng.choice(pools[1], CASES), rng.choice(pools[0], CASES)) + shift(day)
        called = knob.decide(drawn, random_state=rng)
        if turned:
            alarms, false_alarms = int(called.sum()), int(np.sum(called & ~cases))
            knob.feedback(presented=CASES, alarms=alarms, false_alarms=false_alarms)
    return np.array(days)


settings = [rh.Knob(hull).at(t) for t in np.linspace(0, 1, 301)]
states = [(prevalence(day), shift(day)) for day in range(DAYS)]
known = {state: clairvoyant(states.index(state)) for state in dict.fromkeys(states)}
best = np.array([known[state] for state in states])
known_at_first = {"prevalence": prevalence(0)}
start = rh.Knob(hull, alarm_rate=CAPACITY / CASES, **known_at_first).position
precise = rh.Knob(hull, precision=PRECISION, **known_at_first)
runs = {
    "knob": run(rh.Knob(hull, capacity=CAPACITY, position=start, **known_at_first), True),
    "never turned": run(rh.Knob(hull, position=start), False),
}
precise_runs = {
    "never turned": run(rh.Knob(hull, position=precise.position), False),
    "knob": run(precise, True),
}
regret = {name: np.cumsum(CASES * (best[:, 0] - found[:, 2])) for name, found in runs.items()}
total = CASES * best[:, 0].sum()
print(f"capacity of {CAPACITY} alarms a day; a clairvoyant setting finds {total:.0f} positives in a year")
for name, found in runs.items():
    print(
        f"  {name:13} {CASES * found[:, 0].mean():6.1f} alarms a day, "
        f"regret {regret[name][-1]:6.0f} positives ({regret[name][-1] / total:.1%})"
    )
print(f"precision of {PRECISION:.0%}; a clairvoyant setting finds {CASES * best[:, 1].sum():.0f}")
for name, found in precise_runs.items():
    print(
        f"  {name:13} precision {found[:, 1].sum() / found[:, 0].sum():.1%} over the year, "
        f"finds {CASES * found[:, 1].sum():.0f}"
    )

figure, axes = plt.subplots(2, 2, figsize=(10.5, 6.6), layout="constrained", sharex=True)
(alarms, precision), (regrets, recall) = axes
pi = np.array([prevalence(day) for day in range(DAYS)])
for name, colour in (("never turned", FIXED), ("knob", KNOB)):
    alarms.plot(CASES * runs[name][:, 0], color=colour, lw=1.2, label=name)
    regrets.plot(regret[name], color=colour, lw=1.6, label=name)
    found = precise_runs[name]
    precision.plot(found[:, 1] / found[:, 0], color=colour, lw=1.2, label=name)
    recall.plot(found[:, 1] / pi, color=colour, lw=1.2, label=name)
recall.plot(best[:, 1] / pi, ":", color=BEST, lw=1.4, label="clairvoyant")
alarms.axhline(CAPACITY, color=BEST, lw=1, ls=":", label="target")
precision.axhline(PRECISION, color=BEST, lw=1, ls=":", label="target")
for axis in axes.flat:
    for day in CHANGES:
        axis.axvline(day, color="#dddddd", lw=0.8, zorder=0)
    axis.legend(frameon=False, fontsize=9)
alarms.set(ylabel="alarms a day (expected)", yscale="log")
alarms.set_yticks([10, 20, 30, 50, 100], labels=["10", "20", "30", "50", "100"])
alarms.minorticks_off()
alarms.set_title(f"Target: a capacity of {CAPACITY} alarms a day", fontsize=10)
regrets.set(ylabel="positives missed against a clairvoyant", xlabel="day", ylim=(0, None))
precision.set(ylabel="precision (expected)", ylim=(0, 1))
precision.set_title(f"Target: a precision of {100 * PRECISION:.0f} %", fontsize=10)
recall.set(ylabel="recall (expected)", xlabel="day", ylim=(0, 1))
for share in (precision, recall):
    share.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
for day, text in zip([62, 222, 302], ["1 % to 10 %", "new scores", "4 %"], strict=True):
    alarms.text(day, 1.02 * alarms.get_ylim()[0], text, fontsize=8, color="#555555", va="bottom")
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "knob_follows_drift.png", dpi=120)
print(f"\npicture: {directory / 'knob_follows_drift.png'}")
