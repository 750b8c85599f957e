"""Kinds of cases, as policies that tell segments, groups or several classes apart know them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.validation import Array
from rochull.conditions.rules import Rule, decisions_of, outcome_by_row
from rochull.decisions.kinds import LearntKind, Sight
from rochull.decisions.plans import Among, Largest
from rochull.decisions.promises import LEAST_CASES, beyond
from rochull.decisions.score_kind import WIDE, NestedKind

_MOST_POINTS = 6  # of several classes, that are compared with one another


@dataclass(frozen=True, eq=False)
class SegmentKind(NestedKind):
    """The counts that a policy has of vertices, at which each segment has a threshold of one classifier.

    They are of all segments together: where these have other shares of the cases, that is another kind.

    Attributes
    ----------
    plan : that finds a case's segment.
    rules_at : given a vertex, the rule of each segment (s,).
    """

    rules: Sequence[int]
    plan: Among
    rules_at: Callable[[int], Sequence[Rule]]

    def counted(self, sight: Sight) -> list[int] | None:
        scores = sight.columns.get(self.classifier)
        if scores is None or sight.cases is None:
            return None
        codes = sight.cases.place(self.plan, sight.rows)
        rows = np.flatnonzero((codes >= 0) & (codes < len(self.plan.bins)))
        codes, scores = codes[rows], scores.at(rows)
        if not scores.present.all():  # perhaps those are missing that no rule needs: a segment's
            return None
        scored = {str(self.classifier): (np.arange(rows.size), scores)}
        outcomes = (outcome_by_row(self.rules_at(vertex), codes, scored) for vertex in self.cuts)
        return [rows.size, *(int(np.count_nonzero(decisions_of(found))) for found in outcomes)]


@dataclass(frozen=True, eq=False)
class GroupKind(LearntKind):
    """The counts that a policy has of what each group's rule calls positive.

    Attributes
    ----------
    plan : that finds a case's group.
    called : (g,) of each class (examples called positive, examples); None of a group where nobody knows.
    """

    plan: Among
    called: Sequence[tuple[tuple[float, int], tuple[float, int]] | None]
    classifier: Any = None

    def counted(self, sight: Sight) -> list[int] | None:
        if sight.cases is None or sight.decided is None:
            return None
        codes = sight.cases.place(self.plan, sight.rows)
        sides = codes >= 0, (codes >= 0) & sight.decided
        every = [np.bincount(codes[rows], minlength=len(self.called)) for rows in sides]
        return [int(count) for count in np.stack(every, axis=1).ravel()]

    def judged(self, counts: Sequence[int]) -> float:
        """The p-value of the groups' sizes and of what is called positive of each."""
        of_groups = zip(self.called, counts[::2], counts[1::2], strict=True)
        found = [
            beyond(positive, size, known)
            for known, size, positive in of_groups
            if known is not None and size >= LEAST_CASES
        ]
        return min(1.0, len(found) * min(found)) if found else math.nan


@dataclass(frozen=True, eq=False)
class ClassKind(LearntKind):
    """The confusion matrices that a policy has of its points, of several classes.

    At whatever prevalences, the share of the cases that a point calls c is a mean of those of the classes.
    Where a sum of the shares at one point equals a share at another one in every class, it does in the batch.

    Attributes
    ----------
    labels : (C,)
    weights : (k, C)
    confusion : (k, C, C) counts.
    """

    labels: tuple[Any, ...]
    weights: Array
    confusion: Array
    classifier: Any = None

    @cached_property
    def _rates(self) -> Array:
        return np.asarray(self.confusion / self.confusion.sum(axis=2, keepdims=True))

    @cached_property
    def chosen(self) -> list[int]:
        """Which points are compared: first the one that parts the classes best, and others evenly."""
        parts = np.linalg.svd(self._rates, compute_uv=False)[:, -1]
        best = int(np.argmax(parts))
        others = np.delete(np.arange(len(parts)), best)
        step = max(1, -(-others.size // (_MOST_POINTS - 1)))
        return [best, *others[::step].tolist()]

    def counted(self, sight: Sight) -> list[int] | None:
        if sight.cases is None:
            return None
        found = []
        for k in self.chosen:
            plan = Largest(self.labels, tuple(self.weights[k].tolist()))
            decided = plan.outcome(sight.cases, sight.rows)
            found += np.bincount(decided, minlength=len(self.labels)).tolist()
        return found

    def judged(self, counts: Sequence[int]) -> float:
        """The p-value of how many cases each point calls each class (k C,)."""
        called = np.array(counts).reshape(-1, len(self.labels))
        size = int(called[0].sum())
        if size < LEAST_CASES:
            return math.nan
        examples = self.confusion[0].sum(axis=1).tolist()
        found = [
            beyond(int(count), size, tuple(zip(of_class.tolist(), examples, strict=True)))
            for k, own in zip(self.chosen, called, strict=True)
            for count, of_class in zip(own, self.confusion[k].T, strict=True)
        ]
        found += self._sums(called / size, size)
        return min(1.0, len(found) * min(found))

    def _sums(self, shares: Array, size: int) -> list[float]:
        """P-values of the shares at other points, given those at the first: Bernstein's bound."""
        first, *others = self.chosen
        base, examples = self._rates[first], self.confusion[first].sum(axis=1)
        noise = np.sqrt(len(examples) / (4 * examples.min()))
        if np.linalg.svd(base, compute_uv=False)[-1] < WIDE * noise:
            return []  # who knows whether it tells the classes apart
        inverse = np.linalg.inv(base)
        guess = np.clip(shares[0] @ inverse, 0, 1)
        spread = _smooth(shares[0], size) / size
        spread = spread + (guess**2 / examples) @ _smooth(base, examples[:, None])
        most = np.minimum(1.0, guess + WIDE * np.sqrt(spread @ inverse**2))
        found = []
        for place, k in enumerate(others, 1):
            for c, rate in enumerate(self._rates[k].T):
                sums = inverse @ rate
                apart = abs(shares[place, c] - shares[0] @ sums)
                reach = 1 + np.ptp(sums)
                of_batch = _spread(shares[place, c], shares[0], sums, size) / size
                of_classes = [_spread(rate[i], base[i], sums, n) / n for i, n in enumerate(examples.tolist())]
                variance = of_batch + most**2 @ np.array(of_classes)
                step = reach * max(1 / size, float(np.max(most / examples)))
                found.append(min(1.0, 2 * math.exp(-(apart**2) / (2 * (variance + apart * step / 3)))))
        return found


def _smooth(share: Array, size: Any) -> Array:
    """A share that is not 0, nor 1, as its variance is not."""
    return np.asarray((share * size + 1) / (size + 2))


def _spread(share: float, shares: Array, sums: Array, size: int) -> float:
    """At most the variance of being called so at one point, less a sum of what it is called at another."""
    rate, rates = float(_smooth(np.array(share), size)), _smooth(shares, size)
    mean = float(rates @ sums / rates.sum())
    of_sums = float(rates @ (sums - mean) ** 2)
    return (math.sqrt(rate * (1 - rate)) + math.sqrt(of_sums)) ** 2
