"""MulticlassRoc: labelled outputs of several classes, and what weight vectors make of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.cards import Card, Carded
from rochull._core.docstrings import Described, described
from rochull._core.messages import Message, Parameter, Refusal, refused
from rochull._core.validation import Array
from rochull.multiclass.by_class import by_name
from rochull.multiclass.examples import LabelledOutputs, labels_array, outputs_2d, weights_of
from rochull.multiclass.inputs import DECISIONS, EXAMPLES, index_of
from rochull.multiclass.measures import Limit, Objective, checked_limits, checked_objective
from rochull.multiclass.point import InfeasibleLimitsError, MulticlassPoint
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.search.search import Method, search
from rochull.multiclass.search.sweeps import swept

if TYPE_CHECKING:
    from rochull.multiclass.multiclass_policy import MulticlassPolicy


@contextmanager
def _as_searched() -> Iterator[None]:
    """Say that a search was made where nothing is within the limits."""
    try:
        yield
    except InfeasibleLimitsError as error:
        message = Message("{} A search within the limits found nothing closer.", error)
        raise InfeasibleLimitsError(message, error.closest, error.excess) from None


# Weight vectors, a weight for each label, or points that have them.
Weights: TypeAlias = ArrayLike | Mapping[Any, float] | MulticlassPoint | MulticlassPoints


@described(EXAMPLES)
class MulticlassRoc(Described, Carded):
    """The operating points of a classifier of two or more classes.

    An operating point is a vector of weights ``w >= 0``, one for each class. It calls an example with outputs
    y the class with the largest ``w[c] * y[c]``, in float64 products; of several the first in the order of
    the classes. Weights of 1 are argmax of the outputs.

    Notes
    -----
    Memory is O(n C): the outputs are kept once more, class by class.

    An output of exactly 0 stays 0 under any weight: it is called only if all products are 0 and its class is
    the first, so that an end of the ROC curve can be out of reach. Where errors on such examples are dear,
    keep outputs off 0: ``np.clip(outputs, 1e-100, None)``. Products are float64: ratios of outputs beyond
    about 1e300, and examples whose ratios differ in the last digit only, can likewise be inseparable.

    References
    ----------
    Paclík, P., Lai, C., Novovičová, J. and Duin, R. P. W. (2008). Variance estimation for two-class and
    multi-class ROC analysis using operating point averaging. ICPR, equation (2).

    Examples
    --------
    >>> import rochull as rh
    >>> outputs = [[0.6, 0.3, 0.1], [0.5, 0.4, 0.1], [0.2, 0.7, 0.1], [0.3, 0.4, 0.3], [0.5, 0.2, 0.3]]
    >>> mc = rh.MulticlassRoc(["a", "b", "b", "c", "c"], outputs)
    >>> mc.errors([1, 1, 1])
    array([[0. , 0.5, 1. ]])
    >>> best = mc.search("max_error", random_state=0)
    >>> best.errors[0]
    array([0., 0., 0.])
    """

    parameters_told = DECISIONS

    def __init__(
        self,
        y_true: ArrayLike,
        outputs: ArrayLike,
        sample_weight: ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self._begin(LabelledOutputs.of(y_true, outputs, sample_weight, classes), stated=classes is not None)

    def _begin(self, examples: LabelledOutputs, *, stated: bool) -> None:
        self._examples, self._are_stated = examples, stated
        self._points: MulticlassPoints | None = None
        self._with_overview: MulticlassPoints | None = None
        self._searched: list[Any] = []  # objectives and limits of coordinate searches

    def __repr__(self) -> str:
        what = "weight" if self._examples.units is not None else "examples"
        shown = [f"{c!r} {m:.7g}" for c, m in zip(self.classes[:8], self.totals.tolist(), strict=False)]
        more = f" and {self.n_classes - 8} more classes" if self.n_classes > 8 else ""
        found = 0 if self._points is None else len(self._points)
        points = f"{found} operating point{'s' if found != 1 else ''} found"
        return f"MulticlassRoc({what}: {', '.join(shown)}{more}; {points})"

    def _card(self) -> Card:
        what = "weight" if self._examples.units is not None else "examples"
        counts = [(what, self.totals.tolist()), ("share", self.priors.tolist())]
        return Card(repr(self), [("class", list(self.classes)), *counts])

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels, in the order of the columns of outputs."""
        return self._examples.classes

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def totals(self) -> Array:
        """Weight of each class (C,); int64 counts if unweighted."""
        return self._examples.totals.copy()

    @property
    def priors(self) -> Array:
        """Share of each class in the examples (C,)."""
        return np.asarray(self.totals / self.totals.sum())

    def confusion(self, weights: Weights) -> Array:
        """Count what weight vectors call the examples (k, C, C): ``[p, i, j]`` those of class i called j."""
        return self.points_at(weights).confusion

    def errors(self, weights: Weights) -> Array:
        """Per-class errors of weight vectors (k, C): the share of each class that is called another one."""
        return self.points_at(weights).errors

    def points_at(self, weights: Weights) -> MulticlassPoints:
        """The operating points of given weight vectors, one for each."""
        return self._examples.points(weights_of(weights, self.classes))

    def decide(self, weights: Weights, outputs: ArrayLike | None = None) -> Array:
        """The labels that one weight vector gives.

        Parameters
        ----------
        weights : array-like of shape (C,), mapping of label to weight, or MulticlassPoint
            Non-negative, finite, not all zero. A mixture is decided by a policy, which takes a key.
        outputs : array-like of shape (m, C), optional
            What is decided; columns of a data frame are taken as those of the examples. None: the examples,
            in the order given, without those of weight zero.

        Returns
        -------
        ndarray of shape (m,)
            Labels.
        """
        vectors = weights_of(weights, self.classes)
        if len(vectors) != 1:
            raise refused("weights", "must be one vector to decide with, but are {}.", len(vectors))
        if outputs is None:
            called = self._examples.decided(vectors[0])
        else:
            array = outputs_2d(outputs)
            if array.shape[1] != self.n_classes:
                raise refused(
                    "outputs", "has {} columns, but there are {} classes.", array.shape[1], self.n_classes
                )
            with np.errstate(over="ignore", under="ignore"):
                called = np.argmax(self._in_order(outputs, array) * vectors[0], axis=1)
        return np.asarray(labels_array(self.classes)[called])

    def _in_order(self, outputs: ArrayLike, array: Array) -> Array:
        """The columns of other outputs, in the order of the classes."""
        return by_name(outputs, array, self.classes, "outputs", stated=self._are_stated)

    def sweep(self, label: Any, weights: Weights | None = None) -> MulticlassPoints:
        """All operating points of one class's weight, the others fixed: a one-dimensional ROC.

        Parameters
        ----------
        label : object
            The class.
        weights : array-like of shape (C,), optional
            Weights of the other classes, not all zero; that of `label` does not matter. None: 1.

        Returns
        -------
        MulticlassPoints
            From weight 0, or next to it, up to where the class gets all it can get: one for each distinct
            set of decisions.

        Notes
        -----
        Exact: an example turns at the smallest float64 whose product with its output is enough, and between
        two of those a weight is taken. Of two classes, sweeping one gives its ROC curve, but for what the
        notes on the class say of outputs of 0 and of the last digit; an output below 1e-308 is out of reach
        where a product of the others is 1, so that smaller weights of the others, such as 2.0**-1000, reach
        further.
        """
        j = index_of(label, self.classes, "label")
        vectors = weights_of(np.ones(self.n_classes) if weights is None else weights, self.classes)
        if len(vectors) != 1:
            raise refused("weights", "must be one vector to sweep from, but are {}.", len(vectors))
        if not np.delete(vectors[0], j).any():
            raise Refusal(
                "{}: all are zero but that of {}, so there is nothing to sweep.",
                Parameter("weights"),
                repr(label),
            )
        return swept(self._examples, vectors[0], j)

    def search(
        self,
        objective: Objective = "max_error",
        method: Method = "coordinate",
        *,
        subject_to: Limit | Sequence[Limit] = (),
        n_starts: int | None = None,
        n_steps: int = 5,
        keep: int = 100,
        interaction: float = 0.01,
        random_state: Any = None,
    ) -> MulticlassPoints:
        """Look for operating points with a small objective; they are remembered in `points`.

        Parameters
        ----------
        method : {"coordinate", "greedy", "pairwise"}
            See Notes.
        n_starts : int, optional
            Vectors to start from: by default 1,000 of "greedy", else 20. The first is always all ones.
        n_steps : int
            Steps of "greedy".
        keep : int
            At most so many points are returned, and kept in each step of "greedy".
        interaction : float
            In "pairwise", classes belong together if a rate of confusion between them reacts by more.

        Returns
        -------
        MulticlassPoints
            The best first; no two with the same confusion matrix. In-sample. The first is never worse than
            argmax of the outputs, which is always among the candidates. With limits all of them are within.

        Raises
        ------
        InfeasibleLimitsError
            If no point that was found is within all limits. It names the limits that the closest one breaks,
            and has that one; what was found is remembered in `points`, of which a mixture may be within.

        Notes
        -----
        "coordinate": with the other weights fixed, the best weight of one class is found exactly among its n
        breakpoints; class by class, until none improves. Of equal largest errors, the smaller second largest
        is better, and so on. The starts are all ones, the inverted class totals, and draws from the simplex.

        Within limits it also starts from the 20 best of a greedy search, and from the eight best ends weights
        are moved at random and searched on: about five times the work. So is an objective that is a function:
        it is evaluated at up to 2,048 breakpoints of a sweep at once. Of many examples (65,536; within limits
        8,192), every eighth is searched first.

        "greedy", section 4.3 of Paclík et al.: `n_starts` vectors from the simplex; in each step the `keep`
        best propose new ones, and the best of both are kept. The paper leaves the proposal open; here each
        weight is multiplied by a log-normal factor, whose standard deviation of 0.5 halves with each step. Of
        ten classes it found a largest error of 0.67 where "coordinate" found 0.43.

        "pairwise", after Landgrebe and Duin: the weights of each two classes are multiplied by factors, which
        are quantiles of the ratio of their outputs where these overlap. Groups of classes that interact are
        searched apart by "coordinate" and combined; one coordinate search goes on from the best combination.
        It departs from the paper in the factors, in exact sweeps instead of a grid, and in the last search.

        References
        ----------
        Paclík et al. 2008, section 4.3; Landgrebe & Duin 2008, Efficient multiclass ROC approximation by
        decomposition via confusion matrix perturbation analysis, IEEE TPAMI 30(5), 810-822.
        """
        found = search(
            self._examples,
            objective,
            method,
            subject_to=subject_to,
            n_starts=n_starts,
            n_steps=n_steps,
            keep=keep,
            interaction=interaction,
            random_state=random_state,
        )
        self._points = found if self._points is None else self._points.merge(found)
        self._with_overview = None
        if method == "coordinate":
            self._searched.append((checked_objective(objective), checked_limits(subject_to)))
        within = found.satisfying(subject_to)
        if not within.any():
            with _as_searched():
                found.at(objective, subject_to)
        return found[within]

    @property
    def points(self) -> MulticlassPoints:
        """All operating points found so far, and those of 1,000 draws from the simplex, for an overview.

        If there was no search yet, a coordinate search for the smallest largest error is made first. Seeds
        are 0.
        """
        if self._points is None:
            self.search(random_state=0)
            assert self._points is not None
        if self._with_overview is None:
            draws = search(self._examples, "max_error", "greedy", n_steps=0, keep=1000, random_state=0)
            self._with_overview = self._points.merge(draws)
        return self._with_overview

    def at(
        self,
        minimise: Objective = "max_error",
        subject_to: Limit | Sequence[Limit] = (),
        *,
        mixtures: bool = False,
    ) -> MulticlassPoint:
        """The best point within limits: ``points.at``, after a coordinate search for it if there was none."""
        wanted = checked_objective(minimise), checked_limits(subject_to)
        if wanted not in self._searched:
            with suppress(InfeasibleLimitsError):  # points of before, or mixtures, may be
                self.search(minimise, subject_to=subject_to, random_state=0)
        with _as_searched():
            return self.points.at(minimise, subject_to, mixtures=mixtures)

    def policy(self, *, salt: str = "", about: Mapping[str, str] | None = None) -> MulticlassPolicy:
        """Make a policy of all points found so far; see :meth:`MulticlassPolicy.from_points`."""
        from rochull.multiclass.multiclass_policy import MulticlassPolicy

        return MulticlassPolicy.from_points(self.points, salt=salt, about=about)


def roc_of(examples: LabelledOutputs) -> MulticlassRoc:
    """Make the operating points of examples that were read before; their order is not asked for."""
    found = MulticlassRoc.__new__(MulticlassRoc)
    found._begin(examples, stated=True)
    return found
