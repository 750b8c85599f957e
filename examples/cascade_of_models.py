"""A cheap score for every case, boosted trees where they are worth their price: Adult, German credit, truth
=========================================================================================================

A logistic regression on a few columns comes first; boosting on all columns is asked at a price. The cascade
is learnt from out-of-fold scores of the training part of each fold, and what it costs, calls included, is
measured on the test part. Beside it: each classifier alone, both for all, and what is commonly done: the
cases whose cheap score is nearest to the cheap threshold are asked, as many, and the dear score's threshold
decides them. Mean cost per case, held out, in percent of the cheap score alone::

    budget of calls       5%     10%     20%     30%     50%   what pays   dear for all   both for all
    adult, cascade      93.7    89.9    83.8    78.6    71.4    70.7           74.5           77.1
      nearest           93.3    89.8    85.2    78.9    73.5    73.3
    german, cascade     99.8    98.5    96.1    97.1    97.2    97.2          103.8          100.3
      nearest           98.8    98.2    97.9    97.0    96.8    96.8

Adult is 4,000 rows; 3 folds each. On German credit boosting knows hardly more than the logistic regression:
differences of 2% are noise there. Where boosting supersedes the cheap score, one threshold for all that are
asked is as good as one per stratum, and the cases nearest to the cheap threshold are nearly the right ones.

In the simulation both scores are normal and independent within the classes, so that the least cost of any
cascade is known for every number of calls. On new cases the cascade costs
0.4% to 1.3% more than that, learnt from 20,000. Run it, with --full for all of Adult::

    python examples/cascade_of_models.py [directory for the picture] [--full]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter
from scipy.stats import norm
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import rochull as rh

FULL = "--full" in sys.argv
FOLDS, INNER, TREES = (10, 5, 100) if FULL else (3, 3, 30)
SHARES = np.array([0.05, 0.1, 0.2, 0.3, 0.5])  # budgets of calls
DATA = {  # target, its positive label, rows, columns of the cheap score, costs of errors, price of a call
    "adult": (
        *("income", ">50K", 48_842 if FULL else 4_000),
        *(["age", "education_num", "hours_per_week"], (1, 3), 0.05),
    ),
    "german_credit": (
        *("class", "bad", 1_000),
        *(["duration", "credit_amount", "age", "checking_status"], (1, 5), 0.05),
    ),
}


def models(X, few):
    """A logistic regression on a few columns, and boosted trees on all."""
    texts = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    numbers = [name for name in X if name not in texts]
    cheap = make_column_transformer(
        (StandardScaler(), [name for name in few if name in numbers]),
        (OneHotEncoder(handle_unknown="ignore"), [name for name in few if name in texts]),
    )
    coded = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    every = make_column_transformer((coded, texts), ("passthrough", numbers))
    trees = HistGradientBoostingClassifier(max_iter=TREES, max_leaf_nodes=6, random_state=0)
    return {"cheap": make_pipeline(cheap, LogisticRegression()), "dear": make_pipeline(every, trees)}


def split_scores(made, X, y, train, test):
    """Scores of the training part out of fold, and of the test part from the models of the whole."""
    inner = StratifiedKFold(INNER, shuffle=True, random_state=1)
    held, new = {}, {}
    for name, model in made.items():
        fit, part = X.iloc[train], X.iloc[test]
        held[name] = cross_val_predict(model, fit, y[train], cv=inner, method="predict_proba")[:, 1]
        new[name] = model.fit(fit, y[train]).predict_proba(part)[:, 1]
    return held, new


def paid(y, decided, asked, costs, price):
    """What each case costs, its call included."""
    return np.where(y == 1, costs.cost_fn * ~decided, costs.cost_fp * decided) + price * asked


def compared(held, y, new, new_y, terms):
    """What each way to decide costs a new case; of the cascade, and the common way, at each budget."""
    costs, price = terms
    cut = {name: rh.roc_hull(y, held[name]).at(costs).rules[0][0].lowest for name in held}
    alone = {name: new[name] >= cut[name] for name in held}
    cascade = rh.Cascade({"cheap": 0, "dear": price}).fit(held, y)
    policy, none, all_ = cascade.policy(), np.zeros(new_y.size, bool), np.ones(new_y.size, bool)
    found = {
        "cheap": paid(new_y, alone["cheap"], none, costs, price).mean(),
        "dear": paid(new_y, alone["dear"], all_, costs, price).mean(),
    }
    both = rh.ErrorRedistribution().fit(held["dear"], y, aux={"cheap": held["cheap"]})
    rule = both.policy().decide(new["dear"], costs, aux={"cheap": new["cheap"]})
    found["both"] = paid(new_y, rule, all_, costs, price).mean()
    near = np.argsort(np.argsort(np.abs(new["cheap"] - cut["cheap"]))) / new_y.size
    for share in [*SHARES, None]:
        point = cascade.at(costs, max_calls=share)
        keys = np.arange(new_y.size)
        asked = policy.needs_score("dear", new, point, key=keys)
        found["cascade", share] = paid(new_y, policy.decide(new, point, key=keys), asked, costs, price).mean()
        found["calls", share] = asked.mean()
        band = near < asked.mean()
        common = np.where(band, alone["dear"], alone["cheap"])
        found["near", share] = paid(new_y, common, band, costs, price).mean()
    return found


def experiment(name):
    """The mean costs over the folds of a data set."""
    target, positive, rows, few, (cost_fp, cost_fn), price = DATA[name]
    table = pd.DataFrame(rh.datasets.load(name))
    table = table.iloc[np.sort(np.random.default_rng(0).permutation(len(table))[:rows])]
    y = (table[target] == positive).to_numpy().astype(int)
    X = table.drop(columns=[target, *(["split", "fnlwgt"] if name == "adult" else [])])
    X = X.fillna("missing")  # texts alone are missing
    costs, folds = rh.ExpectedCost(cost_fp, cost_fn, float(y.mean())), []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        held, new = split_scores(models(X, few), X, y, train, test)
        folds.append(compared(held, y[train], new, y[test], (costs, price)))
    return {key: np.mean([fold[key] for fold in folds]) for key in folds[0]}


def truth(price, costs, calls):
    """The least cost of any cascade with so many calls, of normal scores with means 0 and 1, and 0 and 2."""
    s = np.linspace(-8, 9, 20_001)
    step, share = s[1] - s[0], costs.prevalence
    pos, neg = share * norm.pdf(s - 1), (1 - share) * norm.pdf(s)
    miss, alarm = costs.cost_fn * pos, costs.cost_fp * neg
    t = 1 + (np.log(alarm) - np.log(miss)) / 2  # where the dear score's threshold is
    now = np.minimum(miss, alarm)
    saved = now - miss * norm.cdf(t - 2) - alarm * norm.sf(t) - price * (pos + neg)
    order = np.argsort(-saved / (pos + neg))
    order = order[saved[order] > 0]
    asked, gain = np.cumsum((pos + neg)[order]) * step, np.cumsum(saved[order]) * step
    return now.sum() * step - np.interp(calls, asked, gain, left=0)


def simulated(costs, price, rows, rng):
    y = (rng.random(rows) < costs.prevalence).astype(int)
    return {"cheap": rng.normal(y), "dear": rng.normal(2 * y)}, y


results = {name: experiment(name) for name in DATA}
for name, found in results.items():
    base = found["cheap"]
    print(
        f"\n{name}: cost per case in percent of the cheap score alone ({base:.4f}), held out, {FOLDS} folds"
    )
    print(f"  boosting for all {found['dear'] / base:.1%}, both for all {found['both'] / base:.1%}")
    for share in [*SHARES, None]:
        budget = "what pays" if share is None else f"{share:.0%}"
        ours, common = (f"{found[key, share] / base:6.1%}" for key in ("cascade", "near"))
        asked = f"{found['calls', share]:6.1%}"
        print(f"  budget {budget:>9}: asked {asked}  cascade {ours}  nearest {common}")

costs, price, rng = rh.ExpectedCost(1, 2, 0.3), 0.1, np.random.default_rng(0)
cascade = rh.Cascade({"cheap": 0, "dear": price}).fit(*simulated(costs, price, 20_000, rng))
new, y = simulated(costs, price, 200_000, rng)
calls, measured = [], []
for budget in [0, *SHARES, None]:
    point, keys = cascade.at(costs, max_calls=budget), np.arange(y.size)
    asked = cascade.policy().needs_score("dear", new, point, key=keys)
    calls.append(asked.mean())
    measured.append(paid(y, cascade.policy().decide(new, point, key=keys), asked, costs, price).mean())
calls, measured = np.array(calls), np.array(measured)
print("\nsimulation: calls per case, cost on 200,000 new cases, least cost of any cascade with as many calls")
for row in zip(calls, measured, truth(price, costs, calls), strict=True):
    print("  {:6.1%}  {:.4f}  {:.4f}".format(*row))

figure, axes = plt.subplots(1, 3, figsize=(12, 4.4), layout="constrained")
for ax, (name, found) in zip(axes, results.items(), strict=False):
    x = [0, *(found["calls", share] for share in [*SHARES, None])]
    for key, label in (("cascade", "cascade"), ("near", "nearest to the threshold")):
        ax.plot(x, [found["cheap"], *(found[key, share] for share in [*SHARES, None])], "o-", label=label)
    ax.plot(1, found["dear"], "s", label="boosting for all")
    ax.plot(1, found["both"], "^", label="both for all")
    ax.set_title(f"{name.replace('_', ' ')}, held out")
frontier = cascade.frontier(costs)
grid = np.linspace(0, calls.max(), 200)
axes[2].plot(grid, truth(price, costs, grid), color="black", label="truth")
axes[2].plot(frontier.calls, frontier.cost, "--", label="frontier (in-sample)")
axes[2].plot(calls, measured, "o", label="cascade on new cases")
axes[2].set_title("simulation, 20,000 training cases")
for ax in axes:
    ax.set(xlabel="share of the cases that are asked for", ylabel="cost per case, calls included")
    ax.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.legend(frameon=False)
directory = Path(next((a for a in sys.argv[1:] if a != "--full"), "build/examples"))
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "cascade_of_models.png", dpi=110)
print(f"\npicture: {directory / 'cascade_of_models.png'}")
