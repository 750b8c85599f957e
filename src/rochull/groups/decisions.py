"""Which group a case is of, and how chance decides where a group's rules are mixed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import keys as _keys
from rochull._core import validation
from rochull._core.validation import Array
from rochull.conditions.rules import OperatingPoint


class Lots:
    """One number in [0, 1) a case: of its key, or drawn once at random."""

    def __init__(self, key: ArrayLike | None, salt: str, random_state: Any, size: int) -> None:
        self.lots = _keys.Lots(key, salt, None, size)
        self.drawn: Array | None = None
        self.random_state = random_state

    def below(self, share: float, rows: Array) -> Array:
        """Whether the number of each of some rows (m,) is below a share."""
        if self.lots.keys is not None:
            return self.lots.below(share, rows)
        if self.drawn is None:  # a generator moves on with every call
            self.drawn = _keys._uniform(self.random_state, self.lots.size)
        return np.asarray(self.drawn[rows] < share)


def mixed(passing: Sequence[Array], point: OperatingPoint, lots: Lots, rows: Array) -> Array:
    """Decisions (m,) of a mixture on some rows (m,)."""
    decided = passing[0].copy()
    disputed = np.flatnonzero(np.logical_or.reduce(passing) & ~np.logical_and.reduce(passing))
    for k, passed in enumerate(passing[1:], start=1):  # the last one keeps the lowest numbers
        share = sum(part for _, part in point.rules[k:])
        taken = disputed[lots.below(share, rows[disputed])] if disputed.size else disputed
        decided[taken] = passed[taken]
    return decided


def in_the_name_of(point: OperatingPoint, classifiers: tuple[str, ...]) -> OperatingPoint:
    """The point; a rule without a name is that of the only classifier."""
    rules = []
    for rule, share in point.rules:
        if rule.kind == "segments":
            raise ValueError(f"unseen: the rule {str(rule)!r} is of several segments.")
        if rule.kind == "threshold" and rule.classifier is None:
            if len(classifiers) != 1:
                raise ValueError(f"unseen: the rule {str(rule)!r} does not name its classifier.")
            rule = replace(rule, classifier=classifiers[0])
        rules.append((rule, share))
    return replace(point, rules=tuple(rules))


def codes(group: Any, names: Sequence[Hashable]) -> tuple[Array, str]:
    """The index (n,) of each case's group, -1 for a group that has none; and a sentence on those."""
    index = {name: i for i, name in enumerate(names)}
    values = _labels(group)
    try:
        codes = np.fromiter((index.get(value, -1) for value in values), np.intp, len(values))
    except TypeError:
        raise ValueError("group holds values that cannot be a group's name, such as lists.") from None
    rows = np.flatnonzero(codes < 0).tolist()
    if None in index:
        for i in rows:
            if validation.is_missing(values[i]):
                codes[i] = index[None]
        rows = [i for i in rows if codes[i] < 0]
    if not rows:
        return codes, ""
    found = dict.fromkeys("missing" if validation.is_missing(values[i]) else repr(values[i]) for i in rows)
    shown = ", ".join(list(found)[:5]) + (", ..." if len(found) > 5 else "")
    return codes, f"group: {len(rows)} cases are of no group that has a hull ({shown}; first at {rows[0]})."


def _labels(group: Any) -> list[Any]:
    """The groups of the cases as Python values."""
    if isinstance(group, (list, tuple)):
        return [value.item() if isinstance(value, np.generic) else value for value in group]
    if not isinstance(group, np.ndarray):
        import narwhals as nw

        series = nw.from_native(group, series_only=True, pass_through=True)
        if isinstance(series, nw.Series):
            return list(series.to_list())
    array = np.asarray(group)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"group must have shape (n,), but has shape {array.shape}; join several columns.")
    return list(array.tolist())
