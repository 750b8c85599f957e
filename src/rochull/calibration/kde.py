"""Calibration by kernel density estimates of both classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from rochull._core import validation
from rochull._core.messages import refused
from rochull._core.schemas import items, number, optional, record
from rochull._core.validation import Array, Labelled
from rochull.calibration.base import Calibrator
from rochull.calibration.calibrator_schema import INSIDE, calibrator_schema
from rochull.calibration.gaussian import class_samples, mean_and_deviation, positives_share

_KERNELS = 2048  # different scores of a class, from which on neighbours are one, at their mean
_FINE = 16  # parts of a bandwidth in which they are neighbours: that changes a density by 1e-4 of itself
_CELLS = 1 << 21  # scores times kernels that are held at a time

_CLASS = record({
    "at": items(number(), 1), "weight": items(number(above=0), 1), "bandwidth": number(above=0),
})  # fmt: skip


class KdeCalibrator(Calibrator):
    """Calibration by the quotient of two kernel density estimates, with Gaussian kernels.

    Parameters
    ----------
    bandwidth : float, optional
        Standard deviation of the kernels, of both classes; by Silverman's rule for each if not given.
    pos_label : object, optional
        The label of the positive class.
    lower_is_positive : bool, default=False
        Low scores mean positive, as those of a distance do.
    bound : {"laplace", "focal", "misleading", "elub", "invariance"}, optional
        LLRs are clipped to what the data bear out, by :func:`llr_bounds` of the examples' own LLRs. Without a
        bound they rest on the kernels' tails where there are no data.

    Attributes
    ----------
    bandwidth_ : tuple of float
        Of the negatives and of the positives.
    prevalence_ : float
        Proportion of positives in the data that it was fitted on.

    See Also
    --------
    PavCalibrator : Assumes that the map rises, and nothing else.

    Notes
    -----
    Silverman's rule is ``(4 / (3 n)) ** (1/5)`` times the standard deviation of the class; of weighted
    examples n is ``sum(w)**2 / sum(w**2)``. The map need not rise. Of more than 2,048 different scores of a
    class, those within a sixteenth of a bandwidth are one kernel. An infinite score gets ±inf, for the class
    with the wider kernels; of equal ones for the class whose scores reach further.

    References
    ----------
    Silverman 1986, Density estimation for statistics and data analysis.

    Examples
    --------
    >>> import rochull as rh
    >>> made = rh.calibration.KdeCalibrator(1.0).fit([-1.0, 0.0, 1.0, 1.0, 2.0, 3.0], [0, 0, 0, 1, 1, 1])
    >>> made.llr([0.0, 1.0, 2.0]).round(3).tolist()
    [-1.078, 0.0, 1.078]
    """

    takes = "finite scores"
    schema = calibrator_schema(
        "kde", {"classes": items(_CLASS, 2), "prevalence": INSIDE, "given": optional(number(above=0))}
    )

    def __init__(
        self,
        bandwidth: float | None = None,
        pos_label: object = None,
        lower_is_positive: bool = False,
        *,
        bound: str | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.pos_label = pos_label
        self.lower_is_positive = lower_is_positive
        self.bound = bound

    def _fit(self, data: Labelled) -> None:
        given = None if self.bandwidth is None else validation.positive(self.bandwidth, "bandwidth")
        samples = class_samples(data)
        self.bandwidth_ = tuple(given or _silverman(*sample) for sample in samples)
        self._kernels = [
            _thinned(*sample, width / _FINE) for sample, width in zip(samples, self.bandwidth_, strict=True)
        ]
        self.prevalence_ = positives_share(samples)

    def _llr(self, scores: Array) -> Array:
        from scipy.special import logsumexp

        x, found = scores.astype(float), np.empty(scores.size)
        step = max(1, _CELLS // max(at.size for at, _ in self._kernels))
        for begin in range(0, x.size, step):
            part = slice(begin, begin + step)
            neg, pos = (
                logsumexp(-0.5 * ((x[part, None] - at) / width) ** 2, b=weight / weight.sum(), axis=1)
                - np.log(width)
                for (at, weight), width in zip(self._kernels, self.bandwidth_, strict=True)
            )
            with np.errstate(invalid="ignore"):
                found[part] = pos - neg
        for i in np.flatnonzero(~np.isfinite(x)).tolist():
            found[i] = self._beyond(bool(x[i] > 0))
        return found

    def _beyond(self, above: bool) -> float:
        """The LLR of an infinite score."""
        (neg, _), (pos, _) = self._kernels
        by_width = np.sign(self.bandwidth_[1] - self.bandwidth_[0])
        reach = np.sign(pos.max() - neg.max() if above else neg.min() - pos.min())
        sign = float(by_width or reach)
        return sign * np.inf if sign else 0.0

    def _reach(self) -> tuple[float, float]:
        ends = [
            (at.min() - width, at.max() + width)
            for (at, _), width in zip(self._kernels, self.bandwidth_, strict=True)
        ]
        return float(min(ends)[0]), float(max(high for _, high in ends))

    def steps(self) -> None:
        return None  # the map is smooth

    def _document(self) -> dict[str, Any]:
        classes = [
            {"at": at.tolist(), "weight": weight.tolist(), "bandwidth": width}
            for (at, weight), width in zip(self._kernels, self.bandwidth_, strict=True)
        ]
        return {
            "kind": "kde", "classes": classes, "prevalence": self.prevalence_,
            "given": None if self.bandwidth is None else float(self.bandwidth),
        }  # fmt: skip

    @classmethod
    def _restore(cls, fields: Mapping[str, Any]) -> Self:
        classes = fields["classes"]
        if len(classes) != 2 or any(len(each["at"]) != len(each["weight"]) for each in classes):
            raise ValueError(
                "the calibrator is not valid at classes: a weight for each kernel of two classes."
            )
        restored = cls(fields["given"])
        restored._kernels = [(np.array(each["at"]), np.array(each["weight"])) for each in classes]
        restored.bandwidth_ = tuple(each["bandwidth"] for each in classes)
        restored.prevalence_ = fields["prevalence"]
        return restored


def _silverman(scores: Array, weights: Array) -> float:
    effective = float(weights.sum() ** 2 / (weights**2).sum())
    width: float = float(mean_and_deviation(scores, weights)[1]) * (4 / (3 * effective)) ** 0.2
    if not width:
        raise refused("X", "has equal scores in all of a class: give a bandwidth.")
    return width


def _thinned(scores: Array, weights: Array, near: float) -> tuple[Array, Array]:
    """Different scores (k,), ascending, and their weights; of many, means of those within so much."""
    at, which = np.unique(scores, return_inverse=True)
    weight = np.bincount(which, weights)
    if at.size > _KERNELS:
        cell = np.unique(np.floor((at - at[0]) / near), return_inverse=True)[1]
        mass = np.bincount(cell, weight)
        at, weight = np.bincount(cell, weight * at) / mass, mass
    return at, weight
