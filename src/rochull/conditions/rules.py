"""Rules and operating points: pure values, no data.

A rule says what is done with a case, by the score of one classifier, or does so for each segment of the
population; an operating point is one rule, or a mixture of two, with the rates that it reaches.

What a rule means is said here and nowhere else. Whoever holds one asks it: what it does with scores, how much
of something it calls positive, how it is written in words, in JSON or in SQL.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from enum import IntEnum
from functools import lru_cache
from typing import Any, Literal, Protocol, Self, runtime_checkable

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.cards import Card, plane
from rochull._core.docstrings import Described, described, entries
from rochull._core.messages import Refusal, Setting, refused
from rochull._core.palette import COLOURS
from rochull._core.results import Result
from rochull._core.table_errors import names_listed
from rochull._core.validation import Array, probability
from rochull.conditions.keywords import takes_condition


class Action(IntEnum):
    """Action on a case. Arrays hold them as int8."""

    NEGATIVE = 0
    POSITIVE = 1
    REVIEW = 2

    @property
    def word(self) -> str:
        """Word that users get where a case may be reviewed."""
        return self.name.lower()


_POSITIVE = int(Action.POSITIVE)  # with which int8 are compared ten times as fast as with an Action
_EXACT = 8  # bytes of a float that thresholds are kept in
_WORDS = np.array([action.word for action in Action])


def decisions_of(actions: Array, can_review: bool = False) -> Array:
    """Actions (n,) as users get them: whether each case is called positive; words, if some are reviewed."""
    return np.asarray(_WORDS[actions] if can_review else actions == _POSITIVE)


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

    def at(self, rows: Array | slice) -> Scores:
        """Scores of some rows (m,), side by side: they are compared with many thresholds."""
        values = np.ascontiguousarray(self.values[rows])
        return Scores(values, None if self.nulls is None else np.ascontiguousarray(self.nulls[rows]))

    def reaching(self, end: Any, lower_is_positive: bool = False) -> Array:
        """Where there is a score of at least so much, or of at most (n,); see :func:`threshold_in`."""
        reached = np.asarray(self.values <= end if lower_is_positive else self.values >= end)
        return reached if self.nulls is None else reached & ~self.nulls


class SqlWriter(Protocol):
    """Writer of the parts of a rule in SQL: a dialect."""

    def action(self, action: Action) -> Any:
        """An action that is taken whatever the score."""

    def reaching(self, column: Any, threshold: float, lower_is_positive: bool = False) -> Any:
        """Whether there is a score in a column, and it is at least, or at most, the threshold; never NULL."""

    def first_of(self, tests: Mapping[Action, Any]) -> Any:
        """The word of the first action whose test is true, else that of the negative one."""


class PointCondition(Protocol):
    """Condition that a point was found for."""

    @property
    def lacks_prevalence(self) -> bool:
        """Whether it depends on a prevalence that it does not state."""


class Costs(Protocol):
    """Costs by which a point's cost is computed."""

    def at_prevalence(self, prevalence: float | None) -> Self:
        """The same at a prevalence, if it states none."""

    def cost_at(self, point: OperatingPoint) -> float:
        """The expected cost per case."""


class Benefits(Protocol):
    """Benefits by which a point's net benefit is computed."""

    def at_prevalence(self, prevalence: float | None) -> Self:
        """The same at a prevalence, if it states none."""

    def net_benefit(self, fpr: float, tpr: float) -> float:
        """The net benefit per case."""


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
    lower_is_positive : bool
        Positive iff the score is at most the threshold.

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

    kind: Literal["threshold", "never", "always", "segments", "band"]
    classifier: str | None = None
    threshold: float | None = None
    lower_is_positive: bool = False

    # --- what it needs -------------------------------------------------------------------------

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers whose scores the rule needs (tuple of str)."""
        return () if self.classifier is None else (self.classifier,)

    @property
    def constant(self) -> Action | None:
        """The action on every case; None if that depends on its score, or on its segment."""
        return _CONSTANTS.get(self.kind)

    @classmethod
    def at_level(cls, level: float, classifier: str | None = None, lower_is_positive: bool = False) -> Rule:
        """Make the rule of a :attr:`level`.

        Parameters
        ----------
        level : float or int
            The threshold; negated, where low scores are positive.
        classifier : str, optional
            Name of the classifier.
        lower_is_positive : bool, default=False
            Whether low scores are positive.
        """
        return Rule("threshold", classifier, 0 - level if lower_is_positive else level, lower_is_positive)

    @property
    def level(self) -> float:
        """The threshold among scores of which high ones are positive: negated, where low ones are.

        Thresholds are ordered, and counts and curves are kept, by it. An error if there is no threshold.
        """
        if self.threshold is None:
            raise ValueError("the rule has no threshold.")
        return 0 - self.threshold if self.lower_is_positive else self.threshold

    @property
    def _known(self) -> float:
        """The threshold, if there is one."""
        return 0 - self.level if self.lower_is_positive else self.level

    @property
    def differs_by_segment(self) -> bool:
        """Whether it has a rule for each segment, so that scores alone do not decide."""
        return False

    @property
    def can_review(self) -> bool:
        """Whether some cases may be reviewed, so that its decisions are words."""
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

    def rounded_in(self, dtype_of: Callable[[str | None], np.dtype[Any]]) -> Rule:
        """Round the threshold as scores may have been, where that makes a score miss it.

        A narrower type of floats rounds; and a score of float32 that was written as text is read as the
        number of the fewest digits that float32 tells from others.

        Parameters
        ----------
        dtype_of : callable
            Given a classifier's name, the type of its scores.
        """
        if self.threshold is None:
            return self
        dtype = dtype_of(self.classifier)
        found = self._rounded.get(dtype)
        if found is None:
            found = self._rounded[dtype] = self._rounded_to(dtype)
        return found

    @cached_property
    def _rounded(self) -> dict[np.dtype[Any], Rule]:
        """The same rounded for types of scores: services decide case by case."""
        return {}

    def _rounded_to(self, dtype: np.dtype[Any]) -> Rule:
        if self.threshold is None or dtype.kind != "f":
            return self
        with np.errstate(over="ignore"):
            narrow = np.dtype("f4" if dtype.itemsize >= _EXACT else dtype).type(self.threshold)
        rounded = float(narrow)
        if dtype.itemsize >= _EXACT:
            rounded = float(str(narrow)) if rounded == self.threshold else self.threshold
        misses = rounded > self.threshold if self.lower_is_positive else rounded < self.threshold
        return replace(self, threshold=rounded) if misses else self

    # --- what it does --------------------------------------------------------------------------

    @property
    def lowest(self) -> float:
        """The lowest :attr:`level` that is called positive: inf for "never", -inf for "always"."""
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
        threshold, lower, scores = self._known, self.lower_is_positive, scores_of(self.classifier)
        end = threshold_in(scores.values.dtype, threshold, lower)
        return scores.reaching(end, lower).view(np.int8)

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
            Given a classifier's name and a :attr:`level`, how much reaches it. A constant rule does not ask.

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
        """The rule in words; `spec` says how its threshold is written, without it by all of its digits.

        By significant digits ("g") it is rounded on the side on which an example with just this score passes.
        """
        if self.constant is not None:
            return self.kind
        digits = repr(self.threshold)
        if spec and self.threshold is not None:
            digits = format(self.threshold, spec)
            passes = (
                float(digits) >= self.threshold if self.lower_is_positive else float(digits) <= self.threshold
            )
            if not passes and spec.endswith("g"):
                side = ROUND_CEILING if self.lower_is_positive else ROUND_FLOOR
                near = Context(prec=int(spec[1:-1] or 6), rounding=side).create_decimal(str(self.threshold))
                digits = format(float(near), spec)
        return f"{self.classifier or 'score'} {'<=' if self.lower_is_positive else '>='} {digits}"

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
        threshold, lower = self._known, self.lower_is_positive
        return dialect.reaching(column_of(self.classifier), threshold, lower)

    def to_dict(self) -> dict[str, Any]:
        """Write the rule as JSON can hold it.

        Returns
        -------
        dict
            The attributes; an infinite threshold is a text, and `lower_is_positive` is left out where it
            is False. Of a constant rule the kind alone.
        """
        if self.constant is not None:
            return {"kind": self.kind}
        threshold = str(self._known) if math.isinf(self._known) else self._known
        lower = {"lower_is_positive": True} if self.lower_is_positive else {}
        return {"kind": self.kind, "classifier": self.classifier, "threshold": threshold, **lower}

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
        lower = bool(written.get("lower_is_positive"))
        return Rule(written["kind"], written.get("classifier"), number, lower)


@dataclass(frozen=True)
class SegmentedRule(Rule):
    """A rule for each segment of the population.

    Attributes
    ----------
    kind : {"segments"}
    classifier, threshold : None
        They may differ from segment to segment.
    lower_is_positive : False
        So may this.
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

    kind: Literal["threshold", "never", "always", "segments", "band"] = "segments"
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

    def rounded_in(self, dtype_of: Callable[[str | None], np.dtype[Any]]) -> SegmentedRule:
        return replace(self, rules=tuple(rule.rounded_in(dtype_of) for rule in self.rules))

    def of(self, segment: Hashable) -> Rule:
        """Give the rule of one segment.

        Parameters
        ----------
        segment : hashable
            One of `segments`; an error if it is none.
        """
        if segment not in self.segments:
            raise Refusal("{} is not one of {}.", Setting("segment", segment), names_listed(self.segments))
        return self.rules[self.segments.index(segment)]


_CONSTANTS = {"never": Action.NEGATIVE, "always": Action.POSITIVE}
NEVER, ALWAYS = Rule("never"), Rule("always")
_PREVALENCE = entries("""
prevalence : float, optional
    Proportion of positives among the cases to be decided; if not given, that of the point's data.
""")


@dataclass(frozen=True)
class OperatingPoint(Result, Described):
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
    prevalence : float or None
        Proportion of positives in these data, which stands for that of a condition which states none; None
        where only rates are known.
    prevalence_from : {"data", None}
        "data" where the point was found under such a condition.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> point = hull.at(rh.NeymanPearson(max_fpr=0.25))
    >>> print(point)
    fpr 0.25, tpr 0.75: score >= 0.9 (50%) or score >= 0.7 (50%)
    >>> point.precision(prevalence=0.1), point.lift(prevalence=0.1), point.alarm_rate(prevalence=0.1)
    (0.25, 2.5, 0.3)
    """

    parameters_told = entries("""
condition : ExpectedCost or Review
    With a single number for every parameter; if it states no prevalence, that of the data counts.
""")

    fpr: float
    tpr: float
    rules: tuple[tuple[Rule, float], ...]
    source: Literal["vertex", "edge", "curve", "inside"] = "vertex"
    prevalence: float | None = field(default=None, compare=False)
    prevalence_from: Literal["data"] | None = field(default=None, compare=False)

    def __str__(self) -> str:
        said = "" if self.prevalence_from is None else f" (at the data's prevalence, {self.prevalence:.4g})"
        return f"{self.rates_told}: {self.words}{said}"

    def _card(self) -> Card:
        shares = ["" if len(self.rules) == 1 else f" ({100 * share:.3g} %)" for _, share in self.rules]
        rows: list[tuple[str, Any]] = [("false positive rate", self.fpr), ("true positive rate", self.tpr)]
        rows += [(f"rule{share}", f"{rule:.4g}") for share, (rule, _) in zip(shares, self.rules, strict=True)]
        if self.prevalence is not None:
            rows.append(("prevalence", self.prevalence))
        name = type(self).__name__
        picture = plane([], [(self.fpr, self.tpr, COLOURS[0])], f"{name}: {self.rates_told}")
        what, values = (list(cells) for cells in zip(*rows, strict=True))
        return Card(name, [("", what), ("value", values)], picture=picture)

    @property
    def rates_told(self) -> str:
        """The rates in words."""
        return f"fpr {self.fpr:.6g}, tpr {self.tpr:.6g}"

    @property
    def words(self) -> str:
        """The rules in words, with their probabilities if there are several."""
        if len(self.rules) == 1:
            return str(self.rules[0][0])
        return " or ".join(f"{rule} ({100 * share:.3g}%)" for rule, share in self.rules)

    def under(self, condition: PointCondition) -> Self:
        """Say for what it was found.

        Parameters
        ----------
        condition : PointCondition
            As it was asked.

        Returns
        -------
        OperatingPoint
            The same point; if the condition states no prevalence, it says that it is that of the data.
        """
        return replace(self, prevalence_from="data") if condition.lacks_prevalence else self

    def named(self, classifier: str) -> Self:
        """Give the rules that need a classifier's scores, and name none, its name.

        Parameters
        ----------
        classifier : str
            The name.

        Returns
        -------
        OperatingPoint
            With rules of that name; rates are the same.
        """
        rules = tuple((rule.named(classifier) if rule.is_nameless else rule, p) for rule, p in self.rules)
        return replace(self, rules=rules)

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers whose scores the decision needs (tuple of str)."""
        return tuple(dict.fromkeys(name for rule, _ in self.rules for name in rule.classifiers))

    @described(_PREVALENCE)
    def alarm_rate(self, prevalence: float | None = None) -> float:
        """Compute the share of all cases that are called positive.

        Returns
        -------
        float
            ``prevalence tpr + (1 - prevalence) fpr``.
        """
        share = self._share(prevalence)
        return share * self.tpr + (1 - share) * self.fpr

    @described(_PREVALENCE)
    def precision(self, prevalence: float | None = None) -> float:
        """Compute the share of positives among the cases that are called positive.

        Returns
        -------
        float
            ``prevalence tpr / alarm_rate``; NaN where nothing is called positive.
        """
        share = self._share(prevalence)
        alarms = self.alarm_rate(share)
        return share * self.tpr / alarms if alarms else math.nan

    @described(_PREVALENCE)
    def lift(self, prevalence: float | None = None) -> float:
        """Compute how many times as many positives there are among the alarms as among all cases.

        Returns
        -------
        float
            ``tpr / alarm_rate``, which is the precision over the prevalence; NaN where nothing is called
            positive.
        """
        alarms = self.alarm_rate(prevalence)
        return self.tpr / alarms if alarms else math.nan

    def _share(self, prevalence: float | None) -> float:
        """The proportion of positives that is meant."""
        if prevalence is not None:
            return probability(prevalence, "prevalence")
        if self.prevalence is None:
            raise refused("prevalence", "is needed: the point has rates alone, of no data; give one.")
        return self.prevalence

    @property
    def can_review(self) -> bool:
        """Whether some cases may be reviewed, so that decisions are words."""
        return any(rule.can_review for rule, _ in self.rules)

    @property
    def called(self) -> tuple[float, float]:
        """The shares of the negatives and of the positives that the rules themselves call positive."""
        return self.fpr, self.tpr

    @property
    def reviewed(self) -> tuple[float, float]:
        """The shares of the negatives and of the positives that are reviewed."""
        return 0.0, 0.0

    @takes_condition
    def expected_cost(self, condition: Costs) -> float:
        """Compute the expected cost per case (Provost & Fawcett 2001, section 2).

        Returns
        -------
        float
            In the unit of the costs; in-sample, as the rates are.
        """
        return condition.at_prevalence(self.prevalence).cost_at(self)

    def net_benefit(self, condition: Benefits) -> float:
        """Compute the net benefit per case (Vickers & Elkin 2006); see :meth:`ExpectedCost.net_benefit`.

        Returns
        -------
        float
            In true positives per case; in-sample, as the rates are. It is -inf where there are false alarms,
            and misses cost nothing.
        """
        return condition.at_prevalence(self.prevalence).net_benefit(self.fpr, self.tpr)


@runtime_checkable
class ChosePoint(Protocol):
    """A choice of one point, such as an assured one, which is made further up."""

    @property
    def point(self) -> OperatingPoint | None:
        """The point."""


@runtime_checkable
class ComparedPoints(Protocol):
    """A comparison of rules over a range of conditions, such as a table of regrets."""

    @property
    def minimax(self) -> OperatingPoint | None:
        """The rule that risks least."""


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
        own = [rule.constant is None and rule.classifier == name for rule in rules]
        dtype, at = scores.values.dtype, of_row[rows]
        for lower in {rule.lower_is_positive for rule, is_own in zip(rules, own, strict=True) if is_own}:
            ends = [
                threshold_in(dtype, rule.threshold, lower)
                if is_own and rule.lower_is_positive == lower
                else None
                for rule, is_own in zip(rules, own, strict=True)
            ]
            # No integer reaches what is beyond its type.
            some = np.array([x is not None and (dtype.kind == "f" or not math.isinf(x)) for x in ends])
            cuts = np.array([x if has else 0 for x, has in zip(ends, some, strict=True)], dtype)
            reached = some[at] & scores.reaching(cuts[at], lower)
            found[rows[reached]] = Action.POSITIVE
    return found


@lru_cache(maxsize=1024, typed=True)
def threshold_in(dtype: np.dtype[Any], threshold: float | None, lower_is_positive: bool = False) -> Any:
    """The smallest value of a type that is at least the threshold: comparing with it is exact.

    Where low scores are positive, the largest that is at most the threshold.
    """
    if threshold is None:
        raise ValueError("the rule has no threshold.")
    if lower_is_positive and dtype.kind == "f":
        return -threshold_in(dtype, -threshold)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if lower_is_positive:
            if threshold < info.min:
                return -math.inf
            return info.max if threshold >= info.max else dtype.type(math.floor(threshold))
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


def brief(point: OperatingPoint) -> str:
    """An operating point for reading: rates and rules."""
    return f"{point.rates_told}: {rules_in_words(point)}"


def rules_in_words(point: OperatingPoint, digits: str = "g") -> str:
    """The rule of a point for reading, or its mixture."""
    (first, _), *others = point.rules
    if not others:
        return f"{first:{digits}}"
    return " or ".join(f"{rule:{digits}} ({100 * share:.3g}%)" for rule, share in point.rules)
