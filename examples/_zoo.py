"""The classifiers of Provost, Fawcett & Kohavi (1998), as near as scikit-learn comes, and the data they saw.

Not an example itself. The paper names MLC++'s decision tree MC4, the same bagged, naive Bayes on features
that were discretised by entropy, and 1, 3 and 5 nearest neighbours weighted by inverse distance. The tree
here is unpruned CART with entropy, two cases in a leaf or more, and the paper's Laplace correction.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from types import SimpleNamespace

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import Perceptron
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import rochull as rh

# Okabe and Ito's colours, and the minority class of each data set, which is the positive one.
COLOURS = {
    "tree": "#E69F00", "naive Bayes": "#009E73", "1-NN": "#56B4E9", "3-NN": "#0072B2", "5-NN": "#CC79A7",
    "bagged trees": "#D55E00",
}  # fmt: skip
POSITIVE = {
    "vehicle": ("Class", "van"), "crx": ("class", "+"), "satimage": ("class", 4),
    "adult": ("income", ">50K"), "german_credit": ("class", "bad"), "heart": ("class", "present"),
    "breast_w": ("Class", "malignant"),
}  # fmt: skip
NOT_FEATURES = {"fnlwgt", "education", "split"}  # of adult; education_num says the same as education


@dataclass(frozen=True)
class Problem:
    """Features as numbers, NaN where missing; of a categorical one the code of its value."""

    name: str
    X: np.ndarray
    y: np.ndarray
    n_values: tuple[int, ...]  # of a categorical feature, 0 for a number

    @classmethod
    def load(cls, name, rows=None, seed=0):
        """Read a data set, or a random part of it with so many rows."""
        if name == "waveform":
            X, y = make_waveform(rows or 5000, seed)
            return cls(name, X, y, (0,) * X.shape[1])
        label, positive = POSITIVE[name]
        table = {key: column for key, column in rh.datasets.load(name).items() if key not in NOT_FEATURES}
        y = (table.pop(label) == positive).astype(int)
        chosen = np.sort(np.random.default_rng(seed).permutation(y.size)[:rows])
        columns, n_values = [], []
        for column in table.values():
            values = np.unique(column.astype(str)) if column.dtype == object else ()
            columns.append(np.searchsorted(values, column.astype(str)) if len(values) else column)
            n_values.append(len(values))
        return cls(name, np.column_stack(columns).astype(float)[chosen], y[chosen], tuple(n_values))


def make_waveform(rows, seed=0):
    """Breiman et al.'s (1984) waves, of which UCI's file is a sample: 21 features, one class of three."""
    rng = np.random.default_rng(seed)
    base = np.maximum(6 - np.abs(np.arange(1, 22) - np.array([[11], [15], [7]])), 0)
    kind, u = rng.integers(0, 3, rows), rng.random((rows, 1))
    first, second = base[[0, 0, 1]][kind], base[[1, 2, 2]][kind]
    return u * first + (1 - u) * second + rng.normal(size=(rows, 21)), (kind == 0).astype(int)


class LaplaceTree(DecisionTreeClassifier):
    """A decision tree whose leaf of k positives among n cases says (k + 1) / (n + 2)."""

    def predict_proba(self, X):
        """Return the corrected proportions; inside a bag a case counts as often as it was drawn."""
        share, n = self.tree_.value[:, 0, :], self.tree_.weighted_n_node_samples[:, None]
        share = share / share.sum(axis=1, keepdims=True)
        return ((share * n + 1) / (n + share.shape[1]))[self.apply(X)]


def entropy_cuts(x, y):
    """Fayyad & Irani's cuts of one feature: split by entropy while the description gets shorter."""
    order = np.argsort(x)
    x, counts = x[order], np.cumsum(np.eye(2)[y[order]], axis=0)
    parts, cuts = [(0, x.size)], []
    while parts:
        start, end = parts.pop()
        before = counts[start - 1] if start else np.zeros(2)
        at = start + 1 + np.flatnonzero(np.diff(x[start:end]))  # a cut lies before case i of these
        if at.size == 0:
            continue
        left, whole = counts[at - 1] - before, counts[end - 1] - before
        (a, b, c), n = map(_entropy, (left, whole - left, whole)), end - start
        after = (a * (at - start) + b * (end - at)) / n
        i = int(np.argmin(after))
        kinds = [np.count_nonzero(part) for part in (whole, left[i], whole - left[i])]
        price = np.log2(3.0 ** kinds[0] - 2) - (kinds[0] * c - kinds[1] * a[i] - kinds[2] * b[i])
        if c - after[i] > (np.log2(n - 1) + price) / n:
            cuts.append((x[at[i] - 1] + x[at[i]]) / 2)
            parts += [(start, at[i]), (at[i], end)]
    return np.sort(cuts)


def _entropy(counts):
    """In bits, along the last axis."""
    share = counts / counts.sum(axis=-1, keepdims=True)
    return -(share * np.log2(np.where(share > 0, share, 1))).sum(axis=-1)


class EntropyBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes on features that are discretised on the training data; missing is a value of its own."""

    def __init__(self, n_values=()):
        self.n_values = n_values

    def fit(self, X, y):
        """Find the cuts and count; every count starts at 1."""
        known, self.cuts_ = ~np.isnan(X), {}
        for j in np.flatnonzero(np.equal(self.n_values, 0)):
            self.cuts_[j] = entropy_cuts(X[known[:, j], j], y[known[:, j]])
        sizes = [n or len(self.cuts_[j]) + 2 for j, n in enumerate(self.n_values)]
        self.model_ = CategoricalNB(min_categories=sizes).fit(self._codes(X), y)
        self.classes_ = self.model_.classes_
        return self

    def _codes(self, X):
        codes = X.copy()
        for j, cuts in self.cuts_.items():
            codes[:, j] = np.where(np.isnan(X[:, j]), len(cuts) + 1, np.searchsorted(cuts, X[:, j]))
        return codes.astype(int)

    def decision_function(self, X):
        """Return the log odds: unlike posteriors they do not run together near 0 and 1."""
        log = self.model_.predict_joint_log_proba(self._codes(X))
        return log[:, 1] - log[:, 0]


def numbers(problem, train, rows):
    """Features of some rows for trees and neighbours, prepared on the training rows.

    A number becomes its place in the training range, a missing one the median; a categorical feature a column
    for each value, so that two values are as far apart as the ends of a number's range.
    """
    columns = []
    for x, n in zip(problem.X.T, problem.n_values, strict=True):
        if n:
            columns += [np.sqrt(0.5) * (x[rows] == value) for value in range(n)]
        else:
            known = x[train][~np.isnan(x[train])]
            filled = np.where(np.isnan(x[rows]), np.median(known), x[rows])
            columns.append((filled - known.min()) / max(np.ptp(known), 1e-12))
    return np.column_stack(columns)


def score(problem, train, test, trees=25, seed=0):
    """Fit the six classifiers on some rows and score others: dict of name to scores."""
    y, known, new = problem.y[train], numbers(problem, train, train), numbers(problem, train, test)
    tree = LaplaceTree(criterion="entropy", min_samples_leaf=2, random_state=seed)
    bayes = EntropyBayes(problem.n_values).fit(problem.X[train], y)
    models = {"tree": tree, "bagged trees": BaggingClassifier(tree, trees, random_state=seed)}
    models |= {f"{k}-NN": KNeighborsClassifier(k, weights="distance") for k in (1, 3, 5)}
    found = {name: model.fit(known, y).predict_proba(new)[:, 1] for name, model in models.items()}
    found["naive Bayes"] = bayes.decision_function(problem.X[test])
    return {name: found[name] for name in COLOURS}


def score_bradley(problem, train, test, seed=0):
    """Do the same with Bradley's (1997) classifiers, all but his multiscale one, which nobody packages.

    Settings are ours: 11 neighbours, six hidden units, and the Laplace-corrected tree for C4.5.
    """
    y, known, new = problem.y[train], numbers(problem, train, train), numbers(problem, train, test)
    network = MLPClassifier((6,), solver="lbfgs", alpha=1.0, max_iter=2000, random_state=seed)
    return {
        "Bayes": QuadraticDiscriminantAnalysis().fit(known, y).decision_function(new),
        "k-NN": KNeighborsClassifier(11).fit(known, y).predict_proba(new)[:, 1],
        "MLP": network.fit(known, y).predict_proba(new)[:, 1],
        "C4.5": LaplaceTree(criterion="entropy", min_samples_leaf=2, random_state=seed)
        .fit(known, y)
        .predict_proba(new)[:, 1],
        "perceptron": Perceptron(random_state=seed).fit(known, y).decision_function(new),
    }


def folds_of(problem, k, seed=0):
    """The fold of each case: stratified and shuffled."""
    fold = np.empty(problem.y.size, int)
    splitter = StratifiedKFold(k, shuffle=True, random_state=seed)
    for f, (_, test) in enumerate(splitter.split(problem.X, problem.y)):
        fold[test] = f
    return fold


def shared_out(task, items):
    """The task's results for the items, by two threads: scikit-learn's own loops do not hold the lock."""
    with threadpool_limits(1), ThreadPoolExecutor(2) as pool:
        return list(pool.map(task, items))


def out_of_fold(problem, fold, scorer=score):
    """Scores of every case from a fit on the other folds: dict of name to scores."""
    parts = [np.flatnonzero(fold == f) for f in range(fold.max() + 1)]

    def task(part):
        return scorer(problem, np.setdiff1d(np.arange(fold.size), part), part)

    tables = shared_out(task, parts)
    order = np.argsort(np.concatenate(parts))
    return {name: np.concatenate([table[name] for table in tables])[order] for name in tables[0]}


def averaged(problem, fold, scorer=score):
    """The hybrid of the classifiers' curves, averaged over folds at fixed false positive rates."""
    hybrid = rh.Hybrid()
    for name, scores in out_of_fold(problem, fold, scorer).items():
        mean = rh.averaging.vertical_average(problem.y, scores, fold)
        # No threshold reaches the points of such an average; the false positive rate names them.
        curve = SimpleNamespace(fpr=mean.fpr_mean, tpr=mean.tpr_mean, thresholds=-mean.fpr_mean)
        hybrid.add_curve(name, curve)
    return hybrid


def dominators(hybrid):
    """Rows (low, high, name) by ascending slope, of some width: means of rates that tie are rounded."""
    rows = []
    for row in hybrid.dominance_table().rows:
        if rows and rows[-1][2] == row.rule:
            rows[-1] = (rows[-1][0], row.high, row.rule)
        elif row.high > row.low * (1 + 1e-9):
            rows.append((row.low, row.high, row.rule))
    return rows


def absolute(rows):
    """The one classifier of the table, constant rules aside, or None."""
    names = {name for *_, name in rows} - {"always", "never"}
    return names.pop() if len(names) == 1 else None


def nested(problem, fold, scorer=score):
    """Yield (scores of the rows outside a fold, scores of the fold) for each fold, leak-free.

    Both are dicts of name to scores of all cases, NaN elsewhere. The rows outside are scored out of fold:
    those of fold j by models that were fitted without i and j, which serve outer fold j as well.
    """
    k = int(fold.max()) + 1
    left_out = [(i, i) for i in range(k)] + list(combinations(range(k), 2))

    def task(pair):
        test = np.isin(fold, pair)
        return scorer(problem, np.flatnonzero(~test), np.flatnonzero(test))

    tables = dict(zip(left_out, shared_out(task, left_out), strict=True))
    for i in range(k):
        inner, held_out = ({name: np.full(fold.size, np.nan) for name in tables[0, 0]} for _ in range(2))
        for j in range(k):
            pair, into = (min(i, j), max(i, j)), held_out if i == j else inner
            members = fold[np.isin(fold, pair)] == j
            for name, scores in tables[pair].items():
                into[name][fold == j] = scores[members]
        yield inner, held_out
