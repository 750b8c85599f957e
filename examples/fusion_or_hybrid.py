"""One fused score, or a choice among classifiers? Fusion beside the hybrid on the same held-out cases
======================================================================================================

A hybrid (Provost & Fawcett 2001) uses at each condition the classifier that is best there; a fusion
(Brümmer et al. 2007) adds the scores of all of them up, by a logistic regression, and its own hull decides.
Which costs less on new cases? Both learn from the same cases, and are judged on others at 50 conditions,
from false alarms that cost 50 times as much as misses to the reverse (fivefold; costs per case, the weights
of misses and false alarms sum to 1). "both" is a hybrid of the classifiers and of their fusion.

The number of cases to learn from, means over all conditions, and the difference of fusion and hybrid with
twice its standard error over the splits (corrected for their overlap, Nadeau & Bengio 2003), by --full
(five repeats)::

                                 best single    hybrid    fusion      both
    german_credit_scores     100    0.1397    0.1604    0.1582    0.1610  -0.0021 ± 0.0157
    german_credit_scores     300    0.1362    0.1418    0.1382    0.1402  -0.0035 ± 0.0048
    german_credit_scores     800    0.1345    0.1348    0.1343    0.1353  -0.0005 ± 0.0041
    adult_scores             100    0.0930    0.1046    0.1035    0.1074  -0.0011 ± 0.0141
    adult_scores             300    0.0835    0.0868    0.0866    0.0873  -0.0002 ± 0.0046
    adult_scores           1,000    0.0810    0.0818    0.0818    0.0816  -0.0001 ± 0.0015
    adult_scores           5,000    0.0794    0.0795    0.0796    0.0796  +0.0001 ± 0.0005
    rankers R_a, R_b         100    0.1366    0.1161    0.1488    0.1193  +0.0327 ± 0.0152
    rankers R_a, R_b       1,000    0.1280    0.1024    0.1375    0.1025  +0.0351 ± 0.0032
    independent systems      100    0.1190    0.1281    0.0903    0.0936  -0.0378 ± 0.0088
    independent systems    1,000    0.1135    0.1162    0.0807    0.0807  -0.0355 ± 0.0047

"Best single" is the classifier that turned out best on average, in hindsight. Scores of models that saw the
same columns (the first two) say nearly the same: fusion and hybrid cost the same within the error, and no
less than the best single one. Where each classifier is good in a region of its own (the rankers), the fusion
costs a third more, for a sum blurs what one of them knows. Where systems see different things, as independent
ones do, the hybrid costs two fifths more, for a choice throws away what the other knows. "Both" loses little
to the winner from a few hundred cases on, so it is the safe answer where nobody knows.

Run it::

    python examples/fusion_or_hybrid.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from _held_out import SLOPES, WEIGHTS, decide

import rochull as rh

FULL = "--full" in sys.argv
FOLDS, REPEATS, MOST = 5, 5 if FULL else 1, 4000
NAMES = ["boosted", "logistic", "naive_bayes", "knn", "tree"]
CONDITIONS = [rh.ExpectedCost(cost_fp=slope, cost_fn=1, prevalence=0.5) for slope in SLOPES]
WAYS = ("best single", "hybrid", "fusion", "both")


def log_odds(p):
    """Scores that add up: log-odds of probabilities, not nearer to 0 and 1 than one in a thousand."""
    p = np.clip(p, 1e-3, 1 - 1e-3)
    return np.log(p) - np.log1p(-p)


def shipped(name, label, positive):
    """Labels and log-odds of the five classifiers that come with a data set."""
    table = rh.datasets.load(name)
    return table[label] == positive, {n: log_odds(table[n]) for n in NAMES}


def costs(y, source, scores):
    """The cost of a hull's rules at each condition on other cases."""
    wrong = [decide(source.at(condition).rules[0][0], scores) != y for condition in CONDITIONS]
    return sum(w * np.array([each[y == label].mean() for each in wrong]) for label, w in enumerate(WEIGHTS))


def split(y, scores, learn, test):
    """The costs (50,) of each way, learnt from some cases and judged on others."""
    inner, outer = ({n: s[part] for n, s in scores.items()} for part in (learn, test))
    fusion = rh.LogisticFusion(0.5, penalty=1e-3).fit(inner, y[learn])
    hybrid, both = rh.Hybrid(), rh.Hybrid().add("fusion", y[learn], fusion.llr(inner))
    for name, s in inner.items():
        hybrid.add(name, y[learn], s)
        both.add(name, y[learn], s)
    seen = outer | {"fusion": fusion.llr(outer)}
    singles = [costs(y[test], hull, outer) for hull in hybrid.hulls.values()]
    return {
        "best single": np.min([single.mean() for single in singles]) + np.zeros(SLOPES.size),
        "hybrid": costs(y[test], hybrid, outer),
        "fusion": costs(y[test], both.hulls["fusion"], seen),
        "both": costs(y[test], both, seen),
    }


def study(y, scores, size):
    """Costs of each way in each split (splits, 50), of so many cases to learn from."""
    found = {way: [] for way in WAYS}
    for repeat in range(REPEATS):
        rng = np.random.default_rng(repeat)
        fold = rng.permutation(y.size) % FOLDS
        for f in range(FOLDS):
            learn = rng.permutation(np.flatnonzero(fold != f))[:size]
            for way, cost in split(y, scores, learn, np.flatnonzero(fold == f)[:MOST]).items():
                found[way].append(cost)
    return {way: np.array(cost) for way, cost in found.items()}


def line(name, size, found):
    """The means, and how sure the difference of fusion and hybrid is."""
    apart = (found["fusion"] - found["hybrid"]).mean(axis=1)
    error = np.sqrt(apart.var(ddof=1) * (1 / apart.size + 1 / (FOLDS - 1)))
    means = "  ".join(f"{found[way].mean():8.4f}" for way in WAYS)
    return f"    {name:21} {size:>6,}  {means}  {apart.mean():+.4f} ± {2 * error:.4f}"


def independent(n, rng):
    """Two systems that see different things: normal scores, independent within each class."""
    y = rng.random(n) < 0.5
    return y, {name: rng.normal(1.5 * y) for name in ("first", "second")}


RANKERS = rh.datasets.make_rankers(4000, random_state=1)
DATA = {
    "german_credit_scores": (*shipped("german_credit_scores", "class", "bad"), (100, 300, 800)),
    "adult_scores": (*shipped("adult_scores", "income", ">50K"), (100, 300, 1000, 5000)),
    "rankers R_a, R_b": (*RANKERS, (100, 1000)),
    "independent systems": (*independent(4000, np.random.default_rng(1)), (100, 1000)),
}

print(" " * 33 + "  ".join(f"{way:>8}" for way in WAYS))
curves = {}
for name, (y, scores, sizes) in DATA.items():
    for size in sizes if FULL else sizes[-1:]:
        curves[name] = found = study(np.asarray(y, int), scores, size)
        print(line(name, size, found), flush=True)

figure, axes = plt.subplots(1, len(curves), figsize=(9.6, 3.4), layout="constrained")
for plane, (name, found) in zip(axes, curves.items(), strict=True):
    for way, colour in zip(("hybrid", "fusion", "both"), ("#D55E00", "#0072B2", "#009E73"), strict=True):
        relative = found[way].mean(axis=0) / found["hybrid"].mean(axis=0)
        plane.plot(SLOPES, relative, color=colour, label=way)
    plane.set(xscale="log", xlabel="slope", title=name)
axes[0].set_ylabel("cost, the hybrid's being 1")
axes[2].legend()
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "fusion_or_hybrid.png", dpi=120)
print(f"\npicture: {directory / 'fusion_or_hybrid.png'}")
