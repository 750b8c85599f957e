"""What inference gives back: an interval, or a test."""

from __future__ import annotations

from dataclasses import dataclass

from rochull._validation import Array


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float or ndarray
        Its ends.
    estimate : float or ndarray
        The value on the data themselves.
    level : float
        Nominal coverage, such as 0.95.
    method : str
        How it was made.

    Examples
    --------
    >>> import rochull as rh
    >>> found = rh.rate_interval(9, 10, "wilson")
    >>> round(found.low, 3), found.estimate, round(found.high, 3)
    (0.596, 0.9, 0.982)
    """

    low: float | Array
    high: float | Array
    estimate: float | Array
    level: float
    method: str


@dataclass(frozen=True)
class TestResult:
    """A two-sided test.

    Attributes
    ----------
    statistic : float or ndarray
        z, t or whatever `method` says.
    pvalue : float or ndarray
        Two-sided.
    estimate : float or ndarray
        The difference that is tested.
    method : str
        The test.
    df : float or None
        Degrees of freedom; None for a normal or resampled reference.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> found = rh.delong_test(table["class"] == "bad", table["boosted"], table["tree"])
    >>> round(found.estimate, 3), found.pvalue < 0.001
    (0.057, True)
    """

    __test__ = False  # not a test case, whatever pytest thinks of the name

    statistic: float | Array
    pvalue: float | Array
    estimate: float | Array
    method: str
    df: float | None = None
