"""What is decided of cases of groups: which group each is of, and which point decides one of no group."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.keys import Lots
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.conditions.rules import OperatingPoint, decisions_of
from rochull.decisions.score_columns import ScoreColumns, warn_of_rounding


def classifiers_of(points: Iterable[OperatingPoint]) -> tuple[str, ...]:
    """The classifiers whose scores some of the points need, in the order in which they occur."""
    return tuple(dict.fromkeys(name for point in points for name in point.classifiers))


def decided(
    of_group: Mapping[Hashable, OperatingPoint],
    classifiers: tuple[str, ...],
    scores: Any,
    group: Any,
    *,
    key: Any,
    salt: str,
    random_state: Any,
    unseen: OperatingPoint | str,
) -> Array:
    """Whether each case (n,) is called positive; `classifiers` are those that `unseen` may leave unnamed."""
    if unseen != "raise" and not isinstance(unseen, OperatingPoint):
        raise ValueError(f"unseen must be 'raise' or an operating point, but is {unseen!r}.")
    which, strangers = codes(group, list(of_group))
    points = list(of_group.values())
    if strangers:
        if not isinstance(unseen, OperatingPoint):
            raise ValueError(f"{strangers} Give unseen=point to decide such cases by an operating point.")
        warn(f"{strangers} They are decided by unseen.")
        points.append(in_the_name_of(unseen, classifiers))  # code -1 is the last
    columns = ScoreColumns(scores, classifiers_of(points))
    if columns.size != which.size:
        raise ValueError(f"group must have shape ({columns.size},) like the scores, not ({which.size},).")
    columns.say_missing()
    lots = Lots(key, salt, random_state, columns.size)
    which = np.where(which < 0, len(points) - 1, which)
    found = np.zeros(columns.size, np.int8)
    rules = dict.fromkeys(rule for point in points for rule, _ in point.rules)
    outcomes = {rule: columns.outcome(rule) for rule in rules}
    rounded = np.zeros(columns.size, bool)
    for i, point in enumerate(points):
        rows, shares = np.flatnonzero(which == i), [share for _, share in point.rules]
        rounded[rows] = columns.rounded_away(rule for rule, _ in point.rules)[rows]
        found[rows] = lots.mixed([outcomes[rule][rows] for rule, _ in point.rules], shares, rows)
    warn_of_rounding(rounded)
    return decisions_of(found)


def in_the_name_of(point: OperatingPoint, classifiers: tuple[str, ...]) -> OperatingPoint:
    """The point; a rule without a name is that of the only classifier."""
    rules = []
    for rule, share in point.rules:
        if rule.differs_by_segment:
            raise ValueError(f"unseen: the rule {str(rule)!r} is of several segments.")
        if rule.is_nameless and len(classifiers) != 1:
            raise ValueError(f"unseen: the rule {str(rule)!r} does not name its classifier.")
        rules.append((rule.named(classifiers[0]) if rule.is_nameless else rule, share))
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
    return codes, f"group: {len(rows)} cases are of no group that has a rule ({shown}; first at {rows[0]})."


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
        raise validation.wrong_shape("group", "(n,)", group, "; join several columns" * bool(array.ndim))
    return list(array.tolist())
