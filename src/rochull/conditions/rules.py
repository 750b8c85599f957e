"""Rules and operating points: pure values, no data.

A rule says what is done with a case, by the score of one classifier, or does so for each segment of the
population; an operating point is one rule, or a mixture of two, with the rates that it reaches.

What a rule means is said here and nowhere else. Whoever holds one asks it: what it does with scores, how much
of something it calls positive, how it is written in words, in JSON or in SQL.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from rochull._core.docstrings import Described, entries
from rochull._core.validation import Array

if TYPE_CHECKING:
    from rochull.conditions.costs import ExpectedCost


class Action(IntEnum):
    """What is done with a case, in the order of rising scores. Arrays hold them as int8."""

    NEGATIVE = 0
    POSITIVE = 1


def decisions_of(actions: Array) -> Array:
    """Actions (n,) as users get them: whether each case is called positive."""
    return np.asarray(actions == Action.POSITIVE)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one classifier.

    Attributes
    ----------
    values : (n,) numbers; NaN stands for a missing score.
    nulls : bool (n,) where a score is missing although there is a number, or None.
    """

    values: Array
    nulls: Array | None = None

    @property
    def present(self) -> Array:
        """Where there is a score (n,)."""
        here = ~np.isnan(self.values) if self.values.dtype.kind == "f" else np.ones(self.values.size, bool)
        return here if self.nulls is None else here & ~self.nulls

    def at(self, rows: Array) -> Scores:
        """Those of some rows (m,)."""
        return Scores(self.values[rows], None if self.nulls is None else self.nulls[rows])

    def reaching(self, least: Any) -> Array:
        """Where there is a score of at least so much (n,); see :func:`threshold_in`."""
        reached = np.asarray(self.values >= least)
        return reached if self.nulls is None else reached & ~self.nulls


class SqlWriter(Protocol):
    """What writes the parts of a rule in SQL: a dialect."""

    def action(self, action: Action) -> Any:
        """An action that is taken whatever the score."""

    def reaching(self, column: Any, threshold: float) -> Any:
        """Whether there is a score in a column, and it is at least the threshold; never NULL."""


@dataclass(frozen=True)
class Rule(Described):
    """Positive iff the classifier's score is at least the threshold; or never, or always.

    Attributes
    ----------
    kind : {"threshold", "never", "always"}
    classifier : str or None
        Name of the classifier; None for a constant rule, or where there is only one classifier.
    threshold : float or int or None
        A score that occurred in the data, exactly.

    Examples
    --------
    >>> import rochull as rh
    >>> rule = rh.conditions.Rule("threshold", "logistic", 0.25)
    >>> print(rule)
    logistic >= 0.25
    """

    parameters_told = entries("""
size : int
    How many cases.
scores_of : callable
    Given a classifier's name, its scores. A constant rule does not ask.
-> Rule
    The rule.
""")

    kind: Literal["threshold", "never", "always", "segments"]
    classifier: str | None = None
    threshold: float | None = None

    # --- what it needs -------------------------------------------------------------------------

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers whose scores the rule needs (tuple of str)."""
        return () if self.classifier is None else (self.classifier,)

    @property
    def constant(self) -> Action | None:
        """What is done with every case; None if that depends on its score, or on its segment."""
        return _CONSTANTS.get(self.kind)

    @property
    def level(self) -> float:
        """The threshold; an error if there is none."""
        if self.threshold is None:
            raise ValueError("the rule has no threshold.")
        return self.threshold

    @property
    def differs_by_segment(self) -> bool:
        """Whether it has a rule for each segment, so that scores alone do not decide."""
        return False

    @property
    def is_nameless(self) -> bool:
        """Whether it needs the scores of a classifier that it does not name."""
        return self.constant is None and self.classifier is None

    def named(self, classifier: str) -> Rule:
        """Give the rule a classifier's name; a constant rule needs none.

        Parameters
        ----------
        classifier : str
            The name.
        """
        return self if self.constant is not None else replace(self, classifier=classifier)

    # --- what it does --------------------------------------------------------------------------

    @property
    def lowest(self) -> float:
        """The lowest score that is called positive: inf for "never", -inf for "always"."""
        if self.constant is None:
            return float(self.level)
        return -math.inf if self.constant is Action.POSITIVE else math.inf

    def outcome(self, size: int, scores_of: Callable[[str | None], Scores]) -> Array:
        """Decide cases.

        Returns
        -------
        ndarray of int8, shape (n,)
            Actions. A missing score reaches no threshold.
        """
        if self.constant is not None:
            return np.full(size, self.constant, np.int8)
        level, scores = self.level, scores_of(self.classifier)
        return scores.reaching(threshold_in(scores.values.dtype, level)).view(np.int8)

    def passes(self, size: int, scores_of: Callable[[str | None], Scores]) -> Array:
        """Tell which cases are called positive.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where the action is positive.
        """
        return decisions_of(self.outcome(size, scores_of))

    def positives(self, everything: Any, reaching: Callable[[str | None, float], Any]) -> Any:
        """Count what is called positive, by whatever counts.

        Parameters
        ----------
        everything : number or ndarray
            How much there is.
        reaching : callable
            Given a classifier's name and a threshold, how much reaches it. A constant rule does not ask.

        Returns
        -------
        number or ndarray
            Nothing, everything, or what reaches the threshold.
        """
        if self.constant is not None:
            return everything if self.constant is Action.POSITIVE else 0 * everything
        return reaching(self.classifier, self.level)

    # --- how it is written ---------------------------------------------------------------------

    def __str__(self) -> str:
        return format(self, "")

    def __format__(self, spec: str) -> str:
        """The rule in words; `spec` says how its threshold is written, without it by all of its digits."""
        if self.constant is not None:
            return self.kind
        digits = format(self.threshold, spec) if spec and self.threshold is not None else repr(self.threshold)
        return f"{self.classifier or 'score'} >= {digits}"

    def to_sql(self, dialect: SqlWriter, column_of: Callable[[str | None], Any]) -> Any:
        """Write the rule in SQL.

        Parameters
        ----------
        dialect : SqlWriter
            Whose SQL.
        column_of : callable
            Given a classifier's name, the column of its scores.

        Returns
        -------
        expression
            As the dialect makes it: whether a row is called positive.
        """
        if self.constant is not None:
            return dialect.action(self.constant)
        level = self.level
        return dialect.reaching(column_of(self.classifier), level)

    def to_dict(self) -> dict[str, Any]:
        """Write the rule as JSON can hold it.

        Returns
        -------
        dict
            The attributes; an infinite threshold is a text. Of a constant rule the kind alone.
        """
        if self.constant is not None:
            return {"kind": self.kind}
        threshold = str(self.level) if math.isinf(self.level) else self.level
        return {"kind": self.kind, "classifier": self.classifier, "threshold": threshold}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Rule:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        written : mapping
            It may also hold None for what a constant rule lacks.
        """
        threshold = written.get("threshold")
        number = float(threshold) if isinstance(threshold, str) else threshold
        return Rule(written["kind"], written.get("classifier"), number)


@dataclass(frozen=True)
class SegmentedRule(Rule):
    """A rule for each segment of the population.

    Attributes
    ----------
    kind : {"segments"}
    classifier, threshold : None
        They may differ from segment to segment.
    segments : tuple of hashable
        What the segments are called; None stands for cases that belong to none of the others.
    rules : tuple of Rule
        The rule of each.

    Examples
    --------
    >>> import rochull as rh
    >>> web, shop = rh.conditions.Rule("threshold", None, 0.25), rh.conditions.Rule("never")
    >>> rule = rh.conditions.SegmentedRule(segments=("web", "shop"), rules=(web, shop))
    >>> print(rule, "|", rule.of("web"))
    web: score >= 0.25; shop: never | score >= 0.25
    """

    kind: Literal["threshold", "never", "always", "segments"] = "segments"
    segments: tuple[Hashable, ...] = ()
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        if len(self.segments) != len(self.rules):
            raise ValueError(f"there are {len(self.segments)} segments, but {len(self.rules)} rules.")

    @property
    def classifiers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for rule in self.rules for name in rule.classifiers))

    @property
    def level(self) -> float:
        raise ValueError(f"the rule {str(self)!r} differs by segment; take that of one segment.")

    @property
    def differs_by_segment(self) -> bool:
        return True

    @property
    def is_nameless(self) -> bool:
        return any(rule.is_nameless for rule in self.rules)

    def named(self, classifier: str) -> SegmentedRule:
        return replace(self, rules=tuple(rule.named(classifier) for rule in self.rules))

    def __format__(self, spec: str) -> str:
        named = zip(self.segments, self.rules, strict=True)
        return "; ".join(f"{'elsewhere' if name is None else name}: {rule:{spec}}" for name, rule in named)

    def of(self, segment: Hashable) -> Rule:
        """Give the rule of one segment.

        Parameters
        ----------
        segment : hashable
            One of `segments`; an error if it is none.
        """
        if segment not in self.segments:
            raise ValueError(f"segment={segment!r} is none of {', '.join(map(repr, self.segments))}.")
        return self.rules[self.segments.index(segment)]


_CONSTANTS = {"never": Action.NEGATIVE, "always": Action.POSITIVE}
NEVER, ALWAYS = Rule("never"), Rule("always")


@dataclass(frozen=True)
class OperatingPoint(Described):
    """Rates, and the rules that reach them.

    Attributes
    ----------
    fpr, tpr : float
        False and true positive rate on the data that the hull was made from (in-sample).
    rules : tuple of (Rule, float)
        One rule with probability 1, or two that are mixed at random, case by case; three for a point
        strictly below the hull, which a constraint on groups may ask for.
    source : {"vertex", "edge", "curve", "inside"}
        A vertex of the hull, a mixture on one of its edges, a single threshold of the raw curve, or a
        mixture strictly below the hull.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> point = hull.at(rh.NeymanPearson(max_fpr=0.25))
    >>> print(point)
    fpr 0.25, tpr 0.75: score >= 0.9 (50%) or score >= 0.7 (50%)
    """

    parameters_told = entries("condition : ExpectedCost\n    With a single number for every parameter.")

    fpr: float
    tpr: float
    rules: tuple[tuple[Rule, float], ...]
    source: Literal["vertex", "edge", "curve", "inside"] = "vertex"

    def __str__(self) -> str:
        if len(self.rules) == 1:
            text = str(self.rules[0][0])
        else:
            text = " or ".join(f"{rule} ({100 * share:.3g}%)" for rule, share in self.rules)
        return f"fpr {self.fpr:.6g}, tpr {self.tpr:.6g}: {text}"

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers whose scores the decision needs (tuple of str)."""
        return tuple(dict.fromkeys(name for rule, _ in self.rules for name in rule.classifiers))

    def expected_cost(self, condition: ExpectedCost) -> float:
        """Compute the expected cost a case (Provost & Fawcett 2001, section 2).

        Returns
        -------
        float
            In the unit of the costs; in-sample, as the rates are.
        """
        return condition.cost(self.fpr, self.tpr)

    def net_benefit(self, condition: ExpectedCost) -> float:
        """Compute the net benefit a case (Vickers & Elkin 2006); see :meth:`ExpectedCost.net_benefit`.

        Returns
        -------
        float
            In true positives a case; in-sample, as the rates are. It is -inf where there are false alarms,
            and misses cost nothing.
        """
        return condition.net_benefit(self.fpr, self.tpr)


def edge_ends(left: tuple[Rule, ...], right: tuple[Rule, ...]) -> tuple[Rule, Rule]:
    """One rule for each end of an edge: of one classifier, if one reaches both."""
    names = {rule.classifier for rule in right}
    first = next((rule for rule in left if rule.classifier in names), left[0])
    second = next((rule for rule in right if rule.classifier == first.classifier), right[0])
    return first, second


def outcome_by_row(rules: Sequence[Rule], of_row: Array, scored: Mapping[str, tuple[Array, Scores]]) -> Array:
    """Actions (n,) where each row has one of several rules; see :meth:`Rule.outcome`.

    Parameters
    ----------
    rules : r rules.
    of_row : int (n,) which of them is that of each row.
    scored : by classifier, which rows (m,) need its scores, and these.
    """
    constants = [rule.constant or Action.NEGATIVE for rule in rules]
    found = np.array(constants, np.int8)[of_row]
    for name, (rows, scores) in scored.items():
        dtype = scores.values.dtype
        least = [
            threshold_in(dtype, rule.level) if rule.constant is None and rule.classifier == name else None
            for rule in rules
        ]
        # No integer reaches what is beyond its type.
        some = np.array([x is not None and (dtype.kind == "f" or x != math.inf) for x in least])
        cuts = np.array([x if has else 0 for x, has in zip(least, some, strict=True)], dtype)
        at = of_row[rows]
        reached = some[at] & scores.reaching(cuts[at])
        found[rows[reached]] = Action.POSITIVE
    return found


def threshold_in(dtype: np.dtype[Any], threshold: float | None) -> Any:
    """The smallest value of a type that is at least the threshold: comparing with it is exact."""
    if threshold is None:
        raise ValueError("the rule has no threshold.")
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if threshold > info.max:
            return math.inf
        if threshold <= info.min:
            return info.min
        return dtype.type(math.ceil(threshold))
    with np.errstate(over="ignore"):
        value = dtype.type(threshold)
    if float(value) < threshold:  # as Python numbers: NumPy would round the threshold first
        value = np.nextafter(value, dtype.type(np.inf))
    return value
