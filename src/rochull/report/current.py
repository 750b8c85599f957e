"""Today's rule, as somebody writes it: a score, ">=" or "<=", and a number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rochull._core.messages import refused
from rochull._core.table_errors import names_listed
from rochull.conditions.rules import Rule
from rochull.report.live_segments import counts

if TYPE_CHECKING:
    from rochull.hybrid.held_out import HeldOutRules
    from rochull.hybrid.hybrid import Hybrid

_SIGNS = (">=", "<=")


def rule_written(text: str, hybrid: Hybrid) -> Rule:
    """Read a rule such as ``boosted >= 0.5``.

    Parameters
    ----------
    text : str
        The name of a classifier, which may have spaces, a sign, and a number.
    hybrid : Hybrid
        It has the classifier.

    Raises
    ------
    ValueError
        If it is not such a rule, or the sign is not that of the score.
    """
    sign = next((each for each in _SIGNS if each in text), None)
    name, _, number = text.rpartition(sign or _SIGNS[0])
    name = name.strip()
    try:
        threshold = float(number)
    except ValueError:
        threshold = math.nan
    if sign is None or not name or not math.isfinite(threshold):
        raise refused(
            "current",
            "must be a score, >= or <=, and a number, such as {}, but is {}.",
            "'a >= 0.5'",
            repr(text),
        )
    if name not in hybrid.hulls:
        raise refused(
            "current",
            "{} is not one of the scores, which are {}.",
            repr(name),
            names_listed(list(hybrid.hulls)),
        )
    lower = hybrid.hulls[name].lower_is_positive
    if (sign == "<=") != lower:
        way = "<=" if lower else ">="
        raise refused("current", "must have {} after {}, but is {}.", way, repr(name), repr(text))
    return Rule("threshold", name, threshold, lower)


def count_of_rule(rule: Rule, hybrid: Hybrid, held_out: HeldOutRules | None) -> tuple[float, float]:
    """Count what a rule flags of the negatives and of the positives.

    Exactly where its examples were seen, or the threshold is one of 0, 0.01, ..., 1; else at the nearest one
    above it of those that are kept for drawing.
    """
    if held_out is not None and held_out.against == rule and held_out.against_counts is not None:
        return held_out.against_counts
    name = str(rule.classifier)
    usual, curve = hybrid.hundredths.get(name), hybrid.curves.get(name)
    if usual is not None and rule.level in usual.score:
        curve = usual
    if curve is None:
        raise refused("current", "has no effect on {}, whose curve is not known.", repr(name))
    place = int(np.searchsorted(-curve.score, -rule.level, side="right"))
    found = counts((curve.fp_units[[place]], curve.tp_units[[place]]), curve.units)
    return found["fp"][0], found["tp"][0]
