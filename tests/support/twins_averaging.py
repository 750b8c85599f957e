"""Slow twins of averaging: loops over folds, thresholds and rows, from the definitions, in fractions."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

Counts = tuple[Fraction, Fraction, Fraction, Fraction]  # tp, fp, fn, tn

MEASURES: dict[str, Callable[[Counts], Fraction | None]] = {
    "fpr": lambda c: c[1] / (c[1] + c[3]),
    "tpr": lambda c: c[0] / (c[0] + c[2]),
    "precision": lambda c: c[0] / (c[0] + c[1]) if c[0] + c[1] else None,
    "error": lambda c: (c[1] + c[2]) / sum(c),
    "accuracy": lambda c: (c[0] + c[3]) / sum(c),
}


def confusion(y: Any, score: Any, threshold: Any, weights: Any = None) -> Counts:
    """What the rule "score >= threshold" does; None is the rule "never"."""
    tp = fp = fn = tn = Fraction(0)
    rows = zip(y, np.asarray(score).tolist(), [1] * len(y) if weights is None else weights, strict=True)
    for label, value, weight in rows:
        called = threshold is not None and value >= threshold
        weight = Fraction(float(weight))
        if label == 1:
            tp, fn = (tp + weight, fn) if called else (tp, fn + weight)
        else:
            fp, tn = (fp + weight, tn) if called else (fp, tn + weight)
    return tp, fp, fn, tn


def per_fold(
    rows: tuple[Any, Any, Any],
    thresholds: Sequence[Any],
    measure: Callable[[Counts], Any],
    weights: Any = None,
) -> list[list[Any]]:
    """Algorithm 1 of Paclík et al.: the measure of every fold (in sorted order) at every threshold."""
    y, score, folds = map(np.asarray, rows)
    table = []
    for fold in sorted(set(folds.tolist())):
        own = folds == fold
        mass = None if weights is None else np.asarray(weights)[own]
        table.append([measure(confusion(y[own], score[own], t, mass)) for t in thresholds])
    return table


def moments(table: list[list[Any]]) -> tuple[list[float], list[float], list[int]]:
    """Mean, standard deviation with n - 1, and number of the folds that are not None, of every column."""
    means, stds, counts = [], [], []
    for column in zip(*table, strict=True):
        held = [value for value in column if value is not None]
        counts.append(len(held))
        mean = sum(held, Fraction(0)) / len(held) if held else None
        means.append(float(mean) if mean is not None else np.nan)
        squares = sum((value - mean) ** 2 for value in held)
        stds.append(float(squares / (len(held) - 1)) ** 0.5 if len(held) > 1 else np.nan)
    return means, stds, counts


def curve(y: Any, score: Any) -> list[tuple[Any, Fraction, Fraction]]:
    """(score, fpr, tpr) of every point of a curve, beginning with (inf, 0, 0)."""
    points: list[tuple[Any, Fraction, Fraction]] = [(np.inf, Fraction(0), Fraction(0))]
    for threshold in sorted(set(np.asarray(score).tolist()), reverse=True):
        tp, fp, fn, tn = confusion(y, score, threshold)
        points.append((threshold, fp / (fp + tn), tp / (tp + fn)))
    return points


def roc_point_at_threshold(points: list[tuple[Any, Fraction, Fraction]], threshold: Any) -> tuple[Any, Any]:
    """Fawcett 2006, Algorithm 4: the first point whose score is not above the threshold."""
    i = 0
    while i < len(points) - 1 and points[i][0] > threshold:
        i += 1
    return points[i][1], points[i][2]


def tpr_for_fpr(points: list[tuple[Any, Fraction, Fraction]], fpr: Fraction) -> Fraction:
    """Fawcett 2006, Algorithm 3: the highest point at the rate, or what lies between two points."""
    i = 0
    while i < len(points) - 1 and points[i + 1][1] <= fpr:
        i += 1
    if points[i][1] == fpr:
        return points[i][2]
    slope = (points[i + 1][2] - points[i][2]) / (points[i + 1][1] - points[i][1])
    return points[i][2] + slope * (fpr - points[i][1])
