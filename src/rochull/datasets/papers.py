"""The papers' own small examples, as arrays."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from rochull._core.docstrings import described, entries

_TOLD = entries("""
random_state : int, numpy.random.Generator or None, default 0
    The seed or source of the random numbers; None draws a fresh one from the system.
""")


def make_fawcett() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the 15 instances of Table I of Fawcett and Niculescu-Mizil (2007).

    Six negatives and nine positives, no ties. The PAV algorithm pools them into the groups of the table's
    last column, whose posteriors are 1, 3/4, 2/3, 1/2, 1/3 and 0; the convex hull of Figure 2 has the same
    segments.

    Returns
    -------
    y_true : ndarray of int64, shape (15,)
        The labels, 1 for a positive instance, in the table's order.
    y_score : ndarray of float64, shape (15,)
        The scores, in the table's order: from high to low.

    References
    ----------
    T. Fawcett and A. Niculescu-Mizil. Technical Note: PAV and the ROC Convex Hull. 2007. Table I.

    Examples
    --------
    >>> from rochull import datasets
    >>> y_true, y_score = datasets.make_fawcett()
    >>> y_true
    array([1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0])
    >>> y_score[:4]
    array([0.9, 0.8, 0.7, 0.6])
    """
    y_true = np.array([1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0], dtype=np.int64)
    y_score = np.array([0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3, 0.27, 0.2, 0.18, 0.1, 0.02])
    return y_true, y_score


@described(_TOLD)
def make_rankers(
    n: int = 1000, random_state: int | np.random.Generator | None = 0, *, share: float = 0.2
) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
    """Make the two rankers of Provost and Fawcett (2001), each the better one at one end of the list.

    The cases are class-balanced. Ranker ``r_a`` recognises an aspect that only positives have, in a `share`
    of all cases, and ranks these highest; ``r_b`` recognises an aspect that only negatives have, in as large
    a share, and ranks these lowest. Each ranks the other cases at random.

    Parameters
    ----------
    n : int, default 1000
        The number of cases, even and at least 2: half of them are positive.
    share : float, default 0.2
        The fraction of all cases that each ranker recognises, from 0 (both rank at random) to 0.5 (both rank
        perfectly). The default is our choice where our copy of the paper's text lacks the number.

    Returns
    -------
    y_true : ndarray of int64, shape (n,)
        The labels, 1 for a positive case, in random order.
    scores : dict of str to ndarray of float64, shape (n,)
        The scores of ``"r_a"`` and ``"r_b"``: ranks from 0 to ``n - 1``, divided by `n`, without ties.

    Notes
    -----
    In expectation the ROC curves are straight after a vertical start of ``2 * share`` (``r_a``), and before a
    horizontal end (``r_b``). They cross on the descending diagonal, at ``tpr = 1 / (2 * (1 - share))``:
    ``r_a`` is better where fewer than half of the cases are selected. Both have the AUC ``1/2 + share``.

    References
    ----------
    F. Provost and T. Fawcett. Robust Classification for Imprecise Environments. Machine Learning 42(3), 2001.

    Examples
    --------
    The best hundred of a thousand cases, then the worst hundred:

    >>> import numpy as np
    >>> from rochull import datasets
    >>> y_true, scores = datasets.make_rankers()
    >>> best, worst = np.argsort(-scores["r_a"])[:100], np.argsort(scores["r_b"])[:100]
    >>> int(y_true[best].sum()), int(y_true[worst].sum())
    (100, 0)
    """
    if not _is_count(n) or n % 2:
        raise ValueError(f"n: expected an even integer of at least 2, got {n!r}.")
    if not 0.0 <= share <= 0.5:
        raise ValueError(f"share: expected a fraction from 0 to 0.5, got {share!r}.")
    rng = np.random.default_rng(random_state)
    y_true = rng.permutation(np.repeat(np.array([0, 1], dtype=np.int64), n // 2))
    recognised = min(round(share * n), n // 2)
    positives = rng.permutation(np.flatnonzero(y_true == 1))[:recognised]
    negatives = rng.permutation(np.flatnonzero(y_true == 0))[:recognised]
    # From the lowest rank to the highest.
    order_a = np.concatenate([rng.permutation(np.setdiff1d(np.arange(n), positives)), positives])
    order_b = np.concatenate([negatives, rng.permutation(np.setdiff1d(np.arange(n), negatives))])
    return y_true, {"r_a": np.argsort(order_a) / n, "r_b": np.argsort(order_b) / n}


@described(_TOLD)
def make_highleyman(
    n_per_class: int = 100, random_state: int | np.random.Generator | None = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make Highleyman's two Gaussian classes, as Paclík et al. (2008) define them.

    Class 1 has mean (1, 1) and covariance diag(1, 0.25), class 2 mean (2, 0) and covariance diag(0.01, 4).

    Parameters
    ----------
    n_per_class : int, default 100
        The number of examples of each class, at least 1.

    Returns
    -------
    X : ndarray of float64, shape (2 * n_per_class, 2)
        The examples, in random order.
    y : ndarray of int64, shape (2 * n_per_class,)
        The labels: 1 for class 1, which the paper's detector looks for, and 0 for class 2.

    References
    ----------
    P. Paclík, C. Lai, J. Novovičová and R. P. W. Duin. Variance estimation for two-class and multi-class ROC
    analysis using operating point averaging. 2008. Section 4.1.
    W. Highleyman. Linear decision functions, with application to pattern recognition. Proceedings of the IRE
    49, 1961.

    Examples
    --------
    >>> from rochull import datasets
    >>> X, y = datasets.make_highleyman(1000)
    >>> X[y == 1].mean(axis=0).round(1), X[y == 0].std(axis=0).round(1)
    (array([1., 1.]), array([0.1, 2. ]))
    """
    if not _is_count(n_per_class):
        raise ValueError(f"n_per_class: expected a positive integer, got {n_per_class!r}.")
    rng = np.random.default_rng(random_state)
    first = rng.normal([1.0, 1.0], [1.0, 0.5], (n_per_class, 2))
    second = rng.normal([2.0, 0.0], [0.1, 2.0], (n_per_class, 2))
    order = rng.permutation(2 * n_per_class)
    y = np.repeat(np.array([1, 0], dtype=np.int64), n_per_class)
    return np.concatenate([first, second])[order], y[order]


@described(_TOLD)
def make_redistribution_example(
    which: int = 1, n: int = 20_000, random_state: int | np.random.Generator | None = 0
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Make an example of Richman and Mannor: a score that another feature makes easier or harder to read.

    Half of the cases are positive, at random. In example 1 the auxiliary feature is uniform on [1, 5] in both
    classes; the score is normal with variance 1, its mean the auxiliary feature for a positive and 0 for a
    negative. In example 2 both are independent normals: for a positive the score has mean 1, the auxiliary
    feature mean 0, and both have variance 2; for a negative they have mean 0 and variance 1.

    Parameters
    ----------
    which : {1, 2}, default 1
        Example 1: the difficulty varies. Example 2: the prior varies.
    n : int, default 20_000
        The number of cases, at least 2; the default is the paper's.

    Returns
    -------
    y_true : ndarray of int64, shape (n,)
        The labels, 1 for a positive case; both classes occur.
    y_score : ndarray of float64, shape (n,)
        The paper's X2, which is the classifier's score.
    aux : ndarray of float64, shape (n,)
        The paper's X1, the auxiliary feature.

    Notes
    -----
    A fixed threshold has the area 0.9501 in example 1 and 0.7181 in example 2; the best thresholds that
    depend on the auxiliary feature have 0.9709 and 0.7537.

    References
    ----------
    O. Richman and S. Mannor. Bending the Curve: Improving the ROC Curve Through Error Redistribution.
    Examples 1 and 2.

    Examples
    --------
    >>> from rochull import datasets
    >>> y_true, y_score, aux = datasets.make_redistribution_example(1)
    >>> hard = aux < 2
    >>> [float(y_score[part & (y_true == 1)].mean().round(1)) for part in (hard, ~hard)]
    [1.5, 3.5]
    """
    if which not in (1, 2) or isinstance(which, bool):
        raise ValueError(f"which: there are the examples 1 and 2, got {which!r}.")
    if not _is_count(n) or n < 2:
        raise ValueError(f"n: expected an integer of at least 2, got {n!r}.")
    rng = np.random.default_rng(random_state)
    y_true = rng.integers(0, 2, n)
    y_true[0], y_true[-1] = 0, 1  # a class that is missing would make no problem
    y_true = rng.permutation(y_true)
    if which == 1:
        aux = rng.uniform(1.0, 5.0, n)
        return y_true, rng.normal(aux * y_true, 1.0), aux
    spread = np.sqrt(1.0 + y_true)
    return y_true, rng.normal(y_true, spread), rng.normal(0.0, spread)


@described(_TOLD)
def make_bounding_boxes(
    n_positive: int = 2358,
    n_background: int = 100_000,
    random_state: int | np.random.Generator | None = 0,
    *,
    distance: float = 1.0,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Make scores of an object detector on bounding boxes, shaped like Table 1 of Richman and Mannor.

    The paper's data, a detector's scores on PASCAL, are not public; the numbers here are ours. What the paper
    says of them holds: objects are about as frequent at every size, while nearly all boxes of the background
    are small; scores rise with the size, in both classes alike; those of the objects vary less in larger
    boxes, those of the background as much.

    Parameters
    ----------
    n_positive : int, default 2358
        The number of boxes with an object; the paper's: person 2358, dog 253, car 625, chair 400.
    n_background : int, default 100_000
        The number of boxes of background.
    distance : float, default 1.0
        How much higher objects score in the mean.

    Returns
    -------
    y_true : ndarray of int64, shape (n,)
        The labels, 1 for an object, in random order.
    y_score : ndarray of float64, shape (n,)
        The detector's scores.
    size : ndarray of float64, shape (n,)
        The size of the box in pixels, from 16 to 256; the paper's four bins end at 32, 64 and 128 here.

    Notes
    -----
    With t = log2(size / 16), from 0 to 4, scores are normal: of the background with mean -1 + t / 20 and
    standard deviation 0.3, of objects with mean -1 + `distance` + t / 20 and standard deviation 0.5 - t / 20.
    t is uniform for objects. For the background it is uniform within each quarter, whose shares are 0.8,
    0.14, 0.045 and 0.015.

    References
    ----------
    O. Richman and S. Mannor. Bending the Curve: Improving the ROC Curve Through Error Redistribution.
    Section 5, Table 1.

    Examples
    --------
    >>> from rochull import datasets
    >>> y_true, y_score, size = datasets.make_bounding_boxes()
    >>> [float((size[y_true == label] > 128).mean().round(2)) for label in (1, 0)]
    [0.25, 0.02]
    """
    for name, count in (("n_positive", n_positive), ("n_background", n_background)):
        if not _is_count(count):
            raise ValueError(f"{name}: expected a positive integer, got {count!r}.")
    rng = np.random.default_rng(random_state)
    y_true = rng.permutation(np.repeat(np.array([0, 1], dtype=np.int64), [n_background, n_positive]))
    quarter = rng.choice(4, y_true.size, p=[0.8, 0.14, 0.045, 0.015])
    t = np.where(y_true == 1, 4 * rng.random(y_true.size), quarter + rng.random(y_true.size))
    mean = -1 + t / 20 + distance * y_true
    return y_true, rng.normal(mean, np.where(y_true == 1, 0.5 - t / 20, 0.3)), 16 * 2**t


def _is_count(n: object) -> TypeGuard[int]:
    """Whether n is a positive integer, no bool."""
    return isinstance(n, int | np.integer) and not isinstance(n, bool) and bool(n >= 1)
