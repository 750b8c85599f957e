"""Exact coordinate search: one weight at a time, by all its breakpoints.

With the other weights fixed, an example is called class j from some weight of j on, and what it is called
below does not change: sweeping one weight is a one-dimensional ROC.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rochull._core.threads import share_out
from rochull._core.validation import Array
from rochull.multiclass.examples import LabelledOutputs, scaled
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.search.goals import GoalWithin, Key, Sought, key_of, keys_of, least, ranked
from rochull.multiclass.search.greedy import greedy
from rochull.multiclass.search.rows import sweeper_for
from rochull.multiclass.search.sweeps import Room, Sweeper, between

_ROUNDS = 100
_MANY, _STEP = 1 << 16, 8  # from so many examples on, every eighth is searched first
# Within limits the weights of one class at a time get stuck where a limit and the objective pull apart.
_MANY_WITHIN = 1 << 13  # more searches, so that they are on fewer examples
_DRAWS, _DRAWN = 1000, 20  # draws of a greedy search, and how many of the best are started from
_BEST = 8  # of the ends, are moved by several weights at once
_MOVES, _PATIENCE, _KICKS = 240, 2, 10
_SPREADS = np.array([0.5, 0.15, 0.05, 0.015])  # standard deviations of the logarithms of moves


@dataclass(frozen=True, eq=False)
class Descent:
    """Coordinate search on given examples."""

    examples: LabelledOutputs
    goal: Sought
    sweeper: Sweeper
    coarse: Descent | None = None

    @classmethod
    def of(cls, examples: LabelledOutputs, goal: Sought) -> Descent:
        """The search on all examples, after one on fewer where there are many."""
        many = examples.outputs.shape[1] > (_MANY_WITHIN if isinstance(goal, GoalWithin) else _MANY)
        coarse = cls.of(examples.thinned(_STEP), goal) if many else None
        return cls(examples, goal, sweeper_for(examples, goal), coarse)

    def key(self, weights: Array) -> Key:
        """The value of a weight vector, by replaying its decisions."""
        return key_of(self.goal, self.examples.counted(weights), self.examples.classes)

    def run(self, start: Array, only: Sequence[int] | None = None) -> Array:
        """From one weight vector down to where no weight, of all or of `only` some, improves any more."""
        start = start if self.coarse is None else self.coarse.run(start, only)
        examples, room = self.examples, Room.of(self.examples)
        turns = list(range(examples.n_classes)) if only is None else list(only)
        weights = scaled(start[None])[0]
        key, since = self.key(weights), 0
        for turn in range(_ROUNDS * len(turns)):
            j = turns[turn % len(turns)]
            low, high, promised = self.sweeper.best(weights, j, room)
            since += 1
            movable = not low <= weights[j] < high
            if movable and (promised is None or promised < key):
                moved = weights.copy()
                moved[j] = between(np.array(low), np.array(high))
                moved = scaled(moved[None])[0]
                found = promised or self.key(moved)
                if found < key:
                    weights, key, since = moved, found, 0
            if since >= len(turns):
                break
        return np.asarray(weights)

    @property
    def coarsest(self) -> Descent:
        """The search on the fewest examples."""
        return self if self.coarse is None else self.coarse.coarsest

    def polished(self, start: Array, rng: np.random.Generator) -> Array:
        """From where no weight improves alone, on by moving some or all at once, and down again."""
        weights, failed = start, 0
        key = self.key(weights)
        while failed < _PATIENCE:
            vectors = np.concatenate([weights[None], _moves(weights, _MOVES, rng)])
            matrices = self.examples.weighed(self.examples.confusion_units(vectors))
            at = least(keys_of(self.goal, matrices, self.examples.classes))
            failed = 0 if at else failed + 1
            if at:
                weights = self.run(vectors[at])
        for kicked in _moves(np.ones(weights.size), _KICKS, rng):
            moved = self.run(weights * kicked)
            found = self.key(moved)
            if found < key:
                weights, key = moved, found
        return weights


def coordinate(
    examples: LabelledOutputs, goal: Sought, *, n_starts: int, keep: int, rng: np.random.Generator
) -> MulticlassPoints:
    """The points at which coordinate search ends from several starts, the best first."""
    descent = Descent.of(examples, goal)
    starts = first_vectors(examples, n_starts, rng)
    if isinstance(goal, GoalWithin):
        ends = np.array(_within(descent, starts, rng))
    else:
        ends = np.array(share_out(descent.run, list(starts)))
    found = examples.points(starts[:1]).merge(examples.points(ends))
    return ranked(found, goal)[:keep]


def first_vectors(examples: LabelledOutputs, n_starts: int, rng: np.random.Generator) -> Array:
    """All ones, which is argmax of the outputs; the classes' weights inverted; draws from the simplex."""
    starts = rng.dirichlet(np.ones(examples.n_classes), n_starts)
    starts[0] = 1.0
    starts[1:2] = scaled(1.0 / np.asarray(examples.totals, float)[None])
    return starts


def _within(descent: Descent, starts: Array, rng: np.random.Generator) -> list[Array]:
    """Ends of a search within limits: also from the best of a greedy search, and by moves of several weights.

    They are judged on the fewest examples. The best draw on all of them is among the starts, so that the best
    end is never worse.
    """
    few, examples, goal = descent.coarsest, descent.examples, descent.goal
    drawn = greedy(few.examples, goal, n_starts=_DRAWS, keep=_DRAWN, n_steps=5, rng=rng)
    draws = examples.points(rng.dirichlet(np.ones(examples.n_classes), _DRAWS))
    best_draw = draws.weights[least(keys_of(goal, draws.confusion, draws.classes))]
    vectors = np.concatenate([starts, drawn.weights, best_draw[None]])
    ends = few.examples.points(np.array(share_out(few.run, list(vectors))))
    chosen = ranked(ends.merge(ends[:0]), goal).weights[:_BEST]
    polished = share_out(few.polished, list(chosen), rng.spawn(len(chosen)))
    return [*share_out(descent.run, [*polished, best_draw]), best_draw]


def _moves(weights: Array, size: int, rng: np.random.Generator) -> Array:
    """Weights (size, C) near some: one or two of them moved, or all."""
    n_classes = weights.size
    steps = rng.standard_normal((size, n_classes)) * np.resize(_SPREADS, size)[:, None]
    rank = np.argsort(rng.random((size, n_classes)), axis=1)
    moved = np.resize(np.repeat([1, 2, n_classes], len(_SPREADS)), size)[:, None]
    return scaled(weights * np.exp(np.where(rank < moved, steps, 0.0)))
