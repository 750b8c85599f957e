"""A look at a batch before a decision promises something: are its scores of the kind that the policy knows,
and is the share that it flags the one that was stated.

A policy knows counts: of its classifiers' scores, and of the examples that a rule calls positive. The
batch is counted by the same rules, whoever counts: NumPy, DuckDB or Spark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rochull._core.messages import Refusal, Setting, refused
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull._core.warned import Notice, warn
from rochull.conditions.rules import Scores
from rochull.decisions.excess import counted_rate, excess_pvalue, rate_in_mixture
from rochull.decisions.score_columns import ScoreColumns
from rochull.decisions.score_kind import OUTSIDE, ScoreKind

LEAST_CASES = 50  # in smaller batches nothing is tested
ENOUGH = 100_000  # cases: a sample of them tells as much as a policy's own examples let be known
UNUSUAL = 5e-4  # a p-value of scores, which is an upper bound
_TOO_MANY = 2e-4  # that of a share: thresholds promise a little more on the examples that chose them
REMEDY = "Check that they are computed as in training; where the classes have changed, label some new cases."
_MISFITS = ("keep", "warn", "refuse", "ignore")
_FITS = 0.01  # a p-value of changed scores by which they look as they should
_POSSIBLE = 1e-9  # one by which they may have drifted too
_FAR_BETTER = 1e10  # how many times that of the scores as they were given


class MisfitWarning(Notice):
    """A batch is not what a policy was made from: its scores, or the share of it that is flagged.

    Parameters
    ----------
    template : str or Message
        The sentence, with ``{}`` for each part.
    *parts : object
        What is put in, worded where the message is shown.

    Examples
    --------
    >>> import warnings
    >>> import rochull as rh
    >>> warnings.simplefilter("error", rh.MisfitWarning)  # rather no estimate than a wrong one
    """


class ShareWarning(MisfitWarning):
    """More cases are flagged than the share that was stated; the scores may be of the same kind."""


class MisfitError(Refusal):
    """The same where such a batch is to be refused.

    Parameters
    ----------
    template : str or Message
        The sentence, with ``{}`` for each part.
    *parts : object
        What is put in, worded where the message is shown.
    """


@dataclass(frozen=True)
class BatchCheck(Result):
    """A batch as a policy sees it.

    Attributes
    ----------
    n : int
        Number of cases.
    pvalue : float
        Of the scores as a mixture of the policy's two classes, at any prevalence. It is an upper bound: small
        only where the scores are of another kind. NaN where that is not tested: below 50 cases, and by a
        policy that does not hold the numbers of its examples.
    classifier : str or None
        Whose scores have this p-value.
    looks : str or None
        What scores of another kind look like: "percent", "logits", "probabilities", "reversed", "constant".
    share : float
        Of the cases, those that are called positive; NaN if nothing was decided.
    expected_share : float
        The share that the policy's counts give at the condition's prevalence; NaN if it has none.
    share_pvalue : float
        Of a share as large as this, where the condition limits it; NaN where it does not, or as above.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.2
    >>> policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)))
    >>> batch = rng.normal(1.5 * (rng.random(500) < 0.6))  # more positives: still the same two classes
    >>> print(policy.check(batch))
    500 cases: scores of the kind that the policy was made from (p = 1)
    >>> print(policy.check(100 * batch))
    500 cases: scores of another kind (p = 1e-05)
    """

    n: int
    pvalue: float = math.nan
    classifier: str | None = None
    looks: str | None = None
    share: float = math.nan
    expected_share: float = math.nan
    share_pvalue: float = math.nan

    @property
    def other_kind(self) -> bool:
        """Whether the scores are of another kind, beyond chance (bool)."""
        return self.pvalue < UNUSUAL

    @property
    def other_share(self) -> bool:
        """Whether more is flagged than was stated, beyond chance (bool)."""
        return self.share_pvalue < _TOO_MANY

    def __str__(self) -> str:
        if math.isnan(self.pvalue):
            kind = "scores not tested"
        else:
            looks = f", which look like {_LOOKS[self.looks]}" if self.looks and self.other_kind else ""
            of = "another kind" if self.other_kind else "the kind that the policy was made from"
            kind = f"scores of {of} (p = {self.pvalue:.2g}){looks}"
        share = "" if math.isnan(self.share) else f"; flagged {self.share:.3g}"
        expected = "" if math.isnan(self.expected_share) else f", expected {self.expected_share:.3g}"
        return f"{self.n:,} cases: {kind}{share}{expected}"

    def facts(self) -> dict[str, Any]:
        """Give the tests as plain values.

        Returns
        -------
        dict
            By name; None where nothing was tested.
        """
        share = {"pvalue": self.share_pvalue, "achieved": self.share, "expected": self.expected_share}
        told = {name: None if math.isnan(value) else value for name, value in share.items()}
        pvalue = None if math.isnan(self.pvalue) else self.pvalue
        kind = {
            "pvalue": pvalue,
            "other": self.other_kind,
            "classifier": self.classifier,
            "looks": self.looks,
        }
        return {"kind": kind, "share": told | {"other": self.other_share}}

    def warnings(self) -> list[MisfitWarning]:
        """Give the warnings that are due.

        Returns
        -------
        list of MisfitWarning
            In the order of their weight.
        """
        found: list[MisfitWarning] = []
        if self.other_kind:
            found.append(
                MisfitWarning(
                    "scores{} are not a mixture of the two classes that were learnt, at any prevalence "
                    "(p = {}).{} {}",
                    "" if self.classifier is None else f" of {self.classifier!r}",
                    f"{self.pvalue:.1g}",
                    f" They look like {_LOOKS[self.looks]}." if self.looks else "",
                    REMEDY,
                )
            )
        if self.other_share:
            why = "more positives" + ", or other scores" * math.isnan(self.pvalue)
            found.append(
                ShareWarning(
                    "{} of {} cases are flagged where the rule was to flag {} (p = {}): {}. A number "
                    "of cases that no batch exceeds is given by {}.",
                    f"{100 * self.share:.3g} %",
                    f"{self.n:,}",
                    f"{100 * self.expected_share:.3g} %",
                    f"{self.share_pvalue:.1g}",
                    "the scores are of another kind" if self.other_kind else f"there are {why}",
                    Setting("cases", math.floor(self.expected_share * self.n)),
                )
            )
        return found

    def heeded(self, on_misfit: str = "keep") -> BatchCheck:
        """Say what is due.

        Parameters
        ----------
        on_misfit : {"keep", "warn", "refuse"}, default="keep"
            The last raises, the others warn.

        Returns
        -------
        BatchCheck
            Itself.

        Raises
        ------
        MisfitError
            If something is due and is to be refused.
        """
        noted = _NOTED.get()
        if noted is not None:
            noted.append(self)
        for warning in self.warnings():
            if on_misfit == "refuse":
                raise MisfitError(warning.message)
            warn(warning)
        return self


_NOTED: ContextVar[list[BatchCheck] | None] = ContextVar("_NOTED", default=None)  # within `checks_noted`


@contextmanager
def checks_noted() -> Iterator[list[BatchCheck]]:
    """Collect what was found of the batches that are decided within it."""
    found: list[BatchCheck] = []
    before = _NOTED.set(found)
    try:
        yield found
    finally:
        _NOTED.reset(before)


_LOOKS = {
    "percent": "percentages, where they were shares",
    "logits": "log-odds, where they were probabilities",
    "probabilities": "probabilities, where they were log-odds",
    "reversed": "the scores of the other class: low ones for high ones",
    "constant": "one number for all cases",
    None: "",
}


@dataclass(frozen=True, eq=False)
class Promise:
    """Facts about a decision that are known beforehand.

    Attributes
    ----------
    pos, neg : (examples that it calls positive, examples) of each class; may be parts of examples.
    prevalence : of the cases, or None if nothing tells it.
    limited : whether the share that is flagged was limited.
    """

    pos: tuple[float, int]
    neg: tuple[float, int]
    prevalence: float | None = None
    limited: bool = False

    def told(self, check: BatchCheck, called: int) -> BatchCheck:
        """The check, with the share of the cases that are called positive."""
        n, share = check.n, called / check.n if check.n else math.nan
        found = replace(check, share=share)
        if self.prevalence is not None:
            rates = [count / total for count, total in (self.pos, self.neg)]
            found = replace(
                found, expected_share=self.prevalence * rates[0] + (1 - self.prevalence) * rates[1]
            )
        if n < LEAST_CASES:
            return found
        (called, rest), size = _few(n, [called, n - called])
        outside = min(1.0, 2 * min(self._beyond(called, size), self._beyond(rest, size, "less")))
        tests = [outside] if math.isnan(check.pvalue) else [outside, check.pvalue]
        found = replace(found, pvalue=min(1.0, len(tests) * min(tests)))
        if not self.limited or self.prevalence is None:
            return found
        mean, variance = rate_in_mixture(self.prevalence, self.pos, self.neg)
        return replace(found, share_pvalue=excess_pvalue(called, size, float(mean), float(variance)))

    def _beyond(self, count: int, size: int, side: str = "more") -> float:
        """The p-value of a count beyond the rates of both classes, whatever the prevalence."""
        found = []
        for own, total in (self.pos, self.neg):
            own = own if side == "more" else total - own
            found.append(excess_pvalue(count, size, *counted_rate(own, total)))
        return max(found)


def checked_choice(on_misfit: str) -> None:
    """Raise unless it is known what is to be done with a batch of another kind."""
    if on_misfit not in _MISFITS:
        raise refused(
            "on_misfit", 'must be "keep", "warn", "refuse" or "ignore", but is {}.', repr(on_misfit)
        )


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of a batch, whoever counted.

    Attributes
    ----------
    size : how many cases there are.
    called : for each classifier, how many cases have a score, and how many of these its cuts call positive.
    positive : how many cases are decided to be positive, or None if nothing was decided.
    some : given what is known of a classifier, some of its scores: looked at where they are of another kind.
    """

    size: int
    called: Mapping[Any, tuple[int, Sequence[int]]]
    positive: int | None
    some: Callable[[ScoreKind], Scores | None]

    @classmethod
    def of_columns(cls, kinds: Sequence[ScoreKind], held: ScoreColumns, positive: int | None) -> Counted:
        """Count columns; of many cases an evenly drawn sample."""
        step, columns = -(-held.size // ENOUGH), {}
        for kind in kinds if held.size >= LEAST_CASES else ():
            scores = held.columns.get(kind.classifier)
            if scores is not None:
                columns[kind.classifier] = scores if step == 1 else scores.at(slice(None, None, step))
        called = {
            kind.classifier: _called(kind, columns[kind.classifier])
            for kind in kinds
            if kind.classifier in columns
        }
        return cls(held.size, called, positive, lambda kind: columns.get(kind.classifier))


@dataclass(frozen=True, eq=False)
class Watch:
    """Facts that are known before a batch is decided, and looked at in each.

    Attributes
    ----------
    kinds : what is known of the scores.
    promise : what is known of the decision, or None.
    on_misfit : what is done where the batch is of another kind.
    """

    kinds: tuple[ScoreKind, ...] = ()
    promise: Promise | None = None
    on_misfit: str = "keep"

    def __call__(self, held: ScoreColumns, decided: Array | None) -> BatchCheck:
        """Check a batch, and say what is due."""
        if self.on_misfit == "ignore":
            return BatchCheck(held.size)
        return self.checked(held, decided).heeded(self.on_misfit)

    def checked(self, held: ScoreColumns, decided: Array | None) -> BatchCheck:
        """Check a batch, of which it may be known how each case is decided (n,)."""
        positive = None
        if decided is not None and self.promise is not None and decided.dtype == bool:
            positive = int(np.count_nonzero(decided))
        return self.judged(Counted.of_columns(self.kinds, held, positive))

    def judged(self, counted: Counted) -> BatchCheck:
        """Check a batch by its counts."""
        found = [
            (kind.pvalue(*_few(size, called)), kind)
            for kind in self.kinds
            for size, called in [counted.called.get(kind.classifier, (0, ()))]
            if size >= LEAST_CASES
        ]
        check = BatchCheck(counted.size)
        if found:
            pvalue, kind = min(found, key=lambda each: each[0])
            check = BatchCheck(counted.size, min(1.0, len(found) * pvalue), kind.classifier)
            scores = counted.some(kind) if check.other_kind else None
            check = check if scores is None else replace(check, looks=look(kind, scores))
        if self.promise is None or counted.positive is None:
            return check
        return self.promise.told(check, counted.positive)


def _few(size: int, called: Sequence[int]) -> tuple[list[int], int]:
    """Counts (c,) among so many cases as are enough, and how many these are."""
    part = min(1.0, ENOUGH / size)
    return [math.floor(part * count) for count in called], math.floor(part * size)


def _called(kind: ScoreKind, scores: Scores) -> tuple[int, list[int]]:
    size = scores.values.size
    present = int(np.count_nonzero(scores.present))
    return present, [int(np.count_nonzero(rule.passes(size, lambda _: scores))) for rule in kind.cuts]


def _fit(kind: ScoreKind, scores: Scores) -> float:
    size, called = _called(kind, scores)
    return kind.pvalue(called, size) if size >= LEAST_CASES else 0.0


def look(kind: ScoreKind, scores: Scores) -> str | None:
    """Name what some scores of another kind look like; None if like nothing that is known."""
    values = np.asarray(scores.values[scores.present], float)
    if not values.size:
        return None
    if values.min() == values.max():
        return "constant"
    learnt = [rule.threshold for rule in kind.rules if rule.threshold is not None]
    shares = bool(learnt) and min(learnt) >= 0 and max(learnt) <= 1
    changed: Mapping[str, Array] = {}
    with np.errstate(over="ignore", divide="ignore"):
        if shares and values.min() >= 0 and values.max() <= 100:
            changed = {"percent": values / 100, "reversed": 1 - values}
        elif shares:
            changed = {"logits": 1 / (1 + np.exp(-values))}
        elif values.min() >= 0 and values.max() <= 1:
            changed = {"probabilities": np.log(values) - np.log1p(-values)}
        else:
            changed = {"reversed": -values}
    fits = {name: _fit(kind, Scores(own)) for name, own in changed.items()}
    best = max(fits, key=lambda name: fits[name])
    # Where even the right scores have drifted, what makes them far more likely is still what they look like.
    found, given = (fit - OUTSIDE for fit in (fits[best], _fit(kind, scores)))
    fits_far_better = found >= max(_POSSIBLE, _FAR_BETTER * given)
    return best if fits[best] >= _FITS or fits_far_better else None
