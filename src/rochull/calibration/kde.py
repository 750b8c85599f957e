"""Calibration by kernel density estimates of both classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rochull._core import validation
from rochull._core.messages import refused
from rochull._core.schemas import items, number, optional, record
from rochull._core.validation import Array, Labelled
from rochull.calibration.base import Calibrator
from rochull.calibration.calibrator_schema import INSIDE, calibrator_schema
from rochull.calibration.gaussian import INFINITE, class_samples, mean_and_deviation, positives_share
from rochull.calibration.kernel_sums import KernelSums

if TYPE_CHECKING:
    from rochull.calibration.streamed import Survey
    from rochull.scanning.row_passes import RowPasses

_KERNELS = 2048  # different scores of a class, from which on neighbours are one, at their mean
_FINE = 16  # parts of a bandwidth in which they are neighbours: that changes a density by 1e-4 of itself

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
    class, those within a sixteenth of a bandwidth are one kernel. Sums over kernels are exact to 1e-12.
    An infinite score gets ±inf, for the class
    with the wider kernels; of equal ones for the class whose scores reach further.

    References
    ----------
    Silverman 1986, Density estimation for statistics and data analysis.

    Examples
    --------
    >>> import rochull as rh
    >>> made = rh.calibration.KdeCalibrator(1.0).fit([-1.0, 0.0, 1.0, 1.0, 2.0, 3.0], [0, 0, 0, 1, 1, 1])
    >>> made.llr([0.0, 2.0]).round(3).tolist()
    [-1.078, 1.078]
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
        given = self._given()
        samples = class_samples(data)
        self.bandwidth_ = tuple(
            given or _silverman(mean_and_deviation(*sample)[1], sample[1].sum(), (sample[1] ** 2).sum())
            for sample in samples
        )
        self._set(
            _thinned(*each, width / _FINE) for each, width in zip(samples, self.bandwidth_, strict=True)
        )
        self.prevalence_ = positives_share(samples)

    def _fit_rows(self, rows: RowPasses) -> Survey:
        from rochull.calibration.streamed import Survey, as_columns

        given = self._given()
        survey = Survey.of(rows, as_columns, INFINITE)
        self.bandwidth_ = tuple(
            given or _silverman(survey.moments(label)[1], *survey.sizes[label, 1:].tolist())
            for label in (0, 1)
        )
        near = np.array(self.bandwidth_) / _FINE
        pieces = rows.each(partial(_counted, cells=list(zip(survey.ends[:, 0], near, strict=True))))
        self._set(_united([piece[part] for piece in pieces]) for part in (slice(5), slice(5, None)))
        self.prevalence_ = survey.prevalence
        return survey

    def _given(self) -> float | None:
        return None if self.bandwidth is None else validation.positive(self.bandwidth, "bandwidth")

    def _set(self, kernels: Iterable[tuple[Array, Array]]) -> None:
        """Set the kernels of both classes, of the bandwidths."""
        both = zip(kernels, self.bandwidth_, strict=True)
        self._kernels = [KernelSums(at, weight, width) for (at, weight), width in both]

    def _llr(self, scores: Array) -> Array:
        x = scores.astype(float)
        neg, pos = (kernels.log_density(x) for kernels in self._kernels)
        with np.errstate(invalid="ignore"):
            found = pos - neg
        far = ~np.isfinite(found)
        return np.where(far, np.where(x > 0, self._beyond(True), self._beyond(False)), found)

    def _beyond(self, above: bool) -> float:
        """The LLR of an infinite score, or of one so far away that its densities are 0."""
        neg, pos = (kernels.at for kernels in self._kernels)
        by_width = np.sign(self.bandwidth_[1] - self.bandwidth_[0])
        reach = np.sign(pos.max() - neg.max() if above else neg.min() - pos.min())
        sign = float(by_width or reach)
        return sign * np.inf if sign else 0.0

    def _reach(self) -> tuple[float, float]:
        ends = [(own.at.min() - own.width, own.at.max() + own.width) for own in self._kernels]
        return float(min(ends)[0]), float(max(high for _, high in ends))

    def steps(self) -> None:
        return None  # the map is smooth

    def _document(self) -> dict[str, Any]:
        classes = [
            {"at": own.at.tolist(), "weight": own.weight.tolist(), "bandwidth": own.width}
            for own in self._kernels
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
        restored.bandwidth_ = tuple(each["bandwidth"] for each in classes)
        restored._set((np.array(each["at"]), np.array(each["weight"])) for each in classes)
        restored.prevalence_ = fields["prevalence"]
        return restored


def _silverman(deviation: float, mass: float, squares: float) -> float:
    """The bandwidth of a class of this deviation, weights and squares of them."""
    width: float = deviation * (4 / (3 * float(mass**2 / squares))) ** 0.2
    if not width:
        raise refused("X", "has equal scores in all of a class: give a bandwidth.")
    return width


def _thinned(scores: Array, weights: Array, near: float) -> tuple[Array, Array]:
    """Different scores (k,), ascending, and their weights; of many, means of those within so much."""
    at, weight, *cells = _table(scores, weights, float(scores.min()), near)
    return _kernels(at, weight, cells)


def _table(scores: Array, weights: Array, low: float, near: float) -> tuple[Array, ...]:
    """Different scores and their weights; numbers, weights and weighted sums of cells from `low` on."""
    at, which = np.unique(scores, return_inverse=True)
    weight = np.bincount(which, weights)
    cell, which = np.unique(np.floor((at - low) / near), return_inverse=True)
    return at, weight, cell, np.bincount(which, weight), np.bincount(which, weight * at)


def _kernels(at: Array, weight: Array, cells: Sequence[Array]) -> tuple[Array, Array]:
    """Where kernels are, and their weights: at scores if these are few."""
    _, mass, moment = cells
    return (moment / mass, mass) if at.size > _KERNELS else (at, weight)


def _counted(data: Labelled, *, cells: Sequence[tuple[float, float]]) -> tuple[Array, ...]:
    """The tables of a piece's negatives and positives; of many scores their cells alone."""
    from rochull.calibration.streamed import row_weights

    weights, found = row_weights(data), []
    for label, (low, near) in enumerate(cells):
        own = (data.positive == label) & (weights > 0)
        at, weight, *table = _table(data.scores[own].astype(float), weights[own], low, near)
        kept = _KERNELS + 1  # so many tell that they are many
        found += [at[:kept], weight[:kept], *table]
    return tuple(found)


def _united(tables: Sequence[tuple[Array, ...]]) -> tuple[Array, Array]:
    """The kernels of a class, from tables of disjoint rows."""
    scores, weights, numbers, masses, moments = (np.concatenate(c) for c in zip(*tables, strict=True))
    at, which = np.unique(scores, return_inverse=True)
    cell, place = np.unique(numbers, return_inverse=True)
    return _kernels(
        at, np.bincount(which, weights), [cell, np.bincount(place, masses), np.bincount(place, moments)]
    )
