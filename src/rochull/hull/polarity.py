"""Scores that seem to be the wrong way round: an area below one half that chance does not explain."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from rochull._core.messages import Message, Parameter, Setting, named
from rochull._core.validation import Labelled
from rochull._core.warned import warn
from rochull.hull.curve import area_fraction
from rochull.hull.tallies import Tally, tally_of

_CHANCE = 1e-4  # how often scores that are no worse than chance are suspected, at most
_LOOKED_AT = 1 << 12  # rows
_THE_AUC = "the AUC is"


def say_if_reversed(data: Labelled, name: str, groups: Tally | None = None) -> None:
    """Warn of scores of which low ones seem to mean positive: by all groups, or else by a few of many rows.

    Weights make an example of the heaviest count as one, and lighter ones as less.
    """
    if groups is None and data.scores.size > _LOOKED_AT:
        each = data.scores.size / _LOOKED_AT
        jitter = np.random.default_rng(0).random(_LOOKED_AT)
        data = data.part(((np.arange(_LOOKED_AT) + jitter) * each).astype(np.int64))
        if np.ptp(data.positive) == 0:
            return
    if groups is None:
        groups = tally_of(data, both_classes=False)
    from rochull.hull.refine import area_of

    twice, of_pos, of_neg = area_of(groups)
    if twice >= of_pos * of_neg:
        return
    positive, sizes = data.positive == 1, []
    for own in (~positive, positive):
        mass = own if data.weights is None else data.weights * own
        sizes.append(float(mass.sum() / mass.max()))
    area = area_fraction(twice, of_pos, of_neg)
    say_if_below_chance(area, sizes[0], sizes[1], name, data.lower_is_positive)


def say_if_below_chance(
    area: float, n_neg: float, n_pos: float, name: str, lower_is_positive: bool = False
) -> None:
    """Warn of an area below one half that so many examples of each class do not have by chance.

    Hoeffding (1963, section 5): whatever the distributions, an area of m and n examples is t below its
    expectation with a probability of at most exp(-2 min(m, n) t**2).
    """
    if 0.5 - area > math.sqrt(-math.log(_CHANCE) / (2 * min(n_neg, n_pos))):
        way, remedy = ("high", "leave out") if lower_is_positive else ("low", "declare that by")
        warn(
            Message(
                "{}: {} {}, below one half by more than chance, so {} scores seem to mean positive: {} "
                "{}, or give the other class as {}.",
                named(name),
                _THE_AUC,
                f"{area:.3g}",
                way,
                remedy,
                Setting("lower_is_positive", True),
                Parameter("pos_label"),
            )
        )


@contextmanager
def already_said() -> Iterator[None]:
    """Say nothing of reversed scores: that was done when all examples were looked at."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", f".*: {_THE_AUC} ", UserWarning)
        yield
