"""How the held-out cost of a hybrid is measured, for `hybrid_held_out.py`. Not an example itself."""

import numpy as np

import rochull as rh

SLOPES = np.geomspace(1 / 50, 50, 50)
CONDITIONS = [rh.ExpectedCost(cost_fp=slope, cost_fn=1, prevalence=0.5) for slope in SLOPES]
WEIGHTS = SLOPES / (1 + SLOPES), 1 / (1 + SLOPES)  # of the false positive rate and of the misses; sum 1
HYBRID = "hybrid"


def decide(rule, scores):
    """Apply a rule to the scores of all classifiers."""
    if rule.kind != "threshold":
        return np.full(next(iter(scores.values())).size, rule.kind == "always")
    return scores[rule.classifier] >= rule.threshold


def errors(y, fold, parts):
    """Whether each case, held out, is an error: dict of name to bools (conditions, cases)."""
    found = {}
    for f, (inner, outer) in enumerate(parts):
        inside, hybrid = fold != f, rh.Hybrid()
        for name, scores in inner.items():
            hybrid.add(name, y[inside], scores[inside])
        held_out = {name: scores[~inside] for name, scores in outer.items()}
        for name, source in [*hybrid.hulls.items(), (HYBRID, hybrid)]:
            table = found.setdefault(name, np.empty((len(SLOPES), y.size), bool))
            for c, condition in enumerate(CONDITIONS):
                rule = source.at(condition).rules[0][0]  # for expected costs one rule, no mixture
                table[c, ~inside] = decide(rule, held_out) != y[~inside]
    return found


def rates(wrong, y, members=slice(None)):
    """Expected cost at each condition, from errors or their differences, of some cases: (conditions,)."""
    return sum(w * wrong[:, members][:, y[members] == label].mean(axis=1) for label, w in enumerate(WEIGHTS))


def behind(costs, wrong):
    """The hybrid's errors less those of the best in hindsight at each condition: (conditions, cases)."""
    singles = [name for name in costs if name != HYBRID]
    best = np.argmin([costs[name] for name in singles], axis=0)
    return wrong[HYBRID] - np.stack([wrong[singles[b]][c] for c, b in enumerate(best)])


def by_case(paired, y):
    """Standard error of the mean of paired differences, case by case within the classes; rules as given."""
    parts = [paired[:, y == label] for label in (0, 1)]
    variances = [w**2 * d.var(axis=1, ddof=1) / d.shape[1] for w, d in zip(WEIGHTS, parts, strict=True)]
    return np.sqrt(sum(variances))


def by_split(paired, y, folds):
    """The same from the splits, corrected for their overlap (Nadeau & Bengio 2003); new rules in each."""
    splits = [
        rates(d, y, fold == f) for d, fold in zip(paired, folds, strict=True) for f in range(fold.max() + 1)
    ]
    overlap = 1 / folds[0].max()  # of k folds one is tested and k - 1 are learnt from
    return np.sqrt((1 / len(splits) + overlap) * np.var(splits, axis=0, ddof=1))


def judge(y, folds, repeats):
    """What the repeats say: three readings of "within two standard errors", costs, and the pooled difference.

    Returns bools (readings, conditions), for the first reading shares; a dict of name to costs; and the
    hybrid's cost less that of the best in hindsight with its standard error by split, (conditions,) each.
    """
    repeats = [{name: wrong.astype(np.float32) for name, wrong in found.items()} for found in repeats]
    each = [{name: rates(wrong, y) for name, wrong in found.items()} for found in repeats]
    alone = [behind(costs, found) for costs, found in zip(each, repeats, strict=True)]
    costs = {name: np.mean([one[name] for one in each], axis=0) for name in each[0]}
    paired = [behind(costs, found) for found in repeats]
    pooled, error = sum(paired) / len(paired), by_split(paired, y, folds)
    readings = (
        np.mean([rates(d, y) <= 2 * by_case(d, y) + 1e-7 for d in alone], axis=0),
        rates(pooled, y) <= 2 * error + 1e-7,
        rates(pooled, y) <= 2 * by_case(pooled, y) + 1e-7,
    )
    return readings, costs, rates(pooled, y), error
