"""The card of a fitted calibrator in a notebook: what it says of scores, and a picture of that."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from rochull._core.cards import Card, plane
from rochull._core.palette import COLOURS
from rochull._core.validation import Array

_LINES, _POINTS = 8, 201  # of a map without steps


class Fitted(Protocol):
    """A fitted calibrator."""

    @property
    def prevalence_(self) -> float:
        """Proportion of positives in the data that it was fitted on."""


class Map(Fitted, Protocol):
    """A fitted map of one score."""

    def steps(self) -> tuple[Array, Array] | None:
        """Where its steps begin (k - 1,), and a score in each (k,)."""

    def llr(self, scores: Array) -> Array:
        """The log-likelihood-ratio (n,)."""

    def posterior(self, scores: Array) -> Array:
        """The posterior (n,) at the training prevalence."""


def map_card(calibrator: Map, low: float, high: float) -> Card:
    """A card of a map of one score, shown from `low` to `high`: its steps, or some scores evenly apart."""
    steps = calibrator.steps()
    if steps is None:
        shown = inside = np.linspace(low, high, _LINES)
        x = np.linspace(low, high, _POINTS)
    else:
        begin, inside = steps
        shown = np.append(-np.inf, begin)
        x = np.concatenate([[low], np.repeat(np.clip(begin, low, high), 2), [high]])
    y = calibrator.posterior(x if steps is None else np.repeat(inside, 2))
    table = [
        ("score" if steps is None else "score at least", shown.tolist()),
        ("posterior", calibrator.posterior(inside).tolist()),
        ("LLR", calibrator.llr(inside).tolist()),
    ]
    said = f"Posterior against the score, from {low:.4g} to {high:.4g}"
    drawn = plane([((x - low) / (high - low), y, COLOURS[0])], (), said, chance=False)
    return Card(titled(calibrator), table, (f"Picture: {said}.",), picture=drawn)


def titled(calibrator: Fitted) -> str:
    """The first line of a card."""
    return f"{type(calibrator).__name__}, fitted at prevalence {calibrator.prevalence_:.4g}"
