"""MulticlassRoc: labelled outputs of several classes, and what weight vectors make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.docstrings import Described, described
from rochull._core.validation import Array
from rochull.multiclass.examples import LabelledOutputs, by_name, labels_array, outputs_2d, weights_of
from rochull.multiclass.inputs import DECISIONS, EXAMPLES, index_of
from rochull.multiclass.measures import Limit, Objective, checked_limits, checked_objective
from rochull.multiclass.point import InfeasibleLimitsError, MulticlassPoint
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.search.search import Method, search
from rochull.multiclass.search.sweeps import swept

if TYPE_CHECKING:
    from rochull.multiclass.policy import MulticlassPolicy


# Weight vectors, a weight for each label, or points that have them.
Weights: TypeAlias = ArrayLike | Mapping[Any, float] | MulticlassPoint | MulticlassPoints


@described(EXAMPLES)
class MulticlassRoc(Described):
    """The operating points of a classifier of two or more classes.

    An operating point is a vector of weights ``w >= 0``, one for each class. It calls an example with outputs
    y the class with the largest ``w[c] * y[c]``, in float64 products; of several the first in the order of
    the classes. Weights of 1 are argmax of the outputs.

    Notes
    -----
    Memory is O(n C): the outputs are kept once more, class by class.

    An output of exactly 0 stays 0 under any weight. So an example is called such a class only if all its
    products are 0 and the class is the first: with two classes, no weights call an example of outputs (1, 0)
    the second, and the end of the ROC curve where all are called positive is out of reach. Where outputs are
    rounded to 0 and errors on them are dear, keep them off it: ``np.clip(outputs, 1e-100, None)``. Ratios of
    outputs beyond about 1e300, and examples whose ratios differ in the last digit only, can likewise be
    inseparable, for products are float64.

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
        self._examples = LabelledOutputs.of(y_true, outputs, sample_weight, classes)
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
        """Count what weight vectors call the examples of each class.

        Returns
        -------
        ndarray of shape (k, C, C)
            ``[p, i, j]`` is the weight of the examples of class i that vector p calls j.
        """
        return self.points_at(weights).confusion

    def errors(self, weights: Weights) -> Array:
        """Per-class errors of weight vectors.

        Returns
        -------
        ndarray of shape (k, C)
            The share of each class that is called another one.
        """
        return self.points_at(weights).errors

    def points_at(self, weights: Weights) -> MulticlassPoints:
        """The operating points of given weight vectors.

        Returns
        -------
        MulticlassPoints
            One for each vector, in their order.
        """
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
            raise ValueError(f"weights must be one vector to decide with, but are {len(vectors)}.")
        if outputs is None:
            called = self._examples.decided(vectors[0])
        else:
            array = outputs_2d(outputs)
            if array.shape[1] != self.n_classes:
                raise ValueError(
                    f"outputs has {array.shape[1]} columns, but there are {self.n_classes} classes."
                )
            with np.errstate(over="ignore", under="ignore"):
                called = np.argmax(by_name(outputs, array, self.classes) * vectors[0], axis=1)
        return np.asarray(labels_array(self.classes)[called])

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
        two of those a weight is taken. Of two classes, sweeping one gives its ROC curve, with these
        exceptions, for which outputs can be kept off 0 (``np.clip(outputs, 1e-100, None)``):

        - An output of 0 is not called with any weight while another product is positive: then the curve's
          end, where all are called positive, is missing.
        - So it is with an output so small that no float64 weight makes up for it: for a product of the others
          of 1, one below 1e-308. Smaller weights of the others, such as 2.0**-1000, reach further.
        - Scores that differ in their last digit can turn at the same weight, and are then one point.
        """
        j = index_of(label, self.classes, "label")
        vectors = weights_of(np.ones(self.n_classes) if weights is None else weights, self.classes)
        if len(vectors) != 1:
            raise ValueError(f"weights must be one vector to sweep from, but are {len(vectors)}.")
        if not np.delete(vectors[0], j).any():
            raise ValueError(f"weights: all are zero but that of {label!r}, so there is nothing to sweep.")
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
            argmax of the outputs, which is always among the candidates.

        Notes
        -----
        "coordinate": with the other weights fixed, the best weight of one class is found exactly among its n
        breakpoints. This is repeated, class by class, until none improves; of equal largest errors, the
        smaller second largest is better, and so on. Of more than 65,536 examples, every eighth is searched
        first, which saves rounds. The starts are all ones, the inverted class totals, and
        draws from the simplex.

        Within limits it also starts from the 20 best of a greedy search (1,000 vectors, five steps); of more
        than 8,192 examples, every eighth is searched first. From the eight best ends, some or all weights are
        moved at random at once and searched on. The result is never worse than the best of 1,000 draws from
        the simplex. It costs about five times as much as without limits; so does an objective that is a
        function, which is evaluated at up to 2,048 breakpoints of a sweep at once: of more, first at as many
        that lie evenly among them, then between the neighbours of the best.

        "greedy", section 4.3 of Paclík et al.: `n_starts` vectors from the simplex; in each step the `keep`
        best propose new ones, and the best of both are kept. The paper leaves the proposal open. Here each
        weight is multiplied by a log-normal factor, with a standard deviation of 0.5 in the first step that
        halves with each. Of many classes it finds less than the exact searches: of ten classes, a largest
        error of 0.67 where "coordinate" found 0.43.

        "pairwise", after Landgrebe and Duin: the weights of each two classes are multiplied by factors, which
        are quantiles of the ratio of their outputs where these overlap. They interact if a rate of confusion
        between them changes by more than `interaction`. Groups that interact, directly or over other classes,
        are searched apart by "coordinate", the other weights at 1, and combined; one coordinate search goes
        on from the best combination. It departs from the paper in these factors, in searching each group by
        exact sweeps, not on a grid, in judging the combinations on all examples, and in the last search.

        References
        ----------
        Paclík, P., Lai, C., Novovičová, J. and Duin, R. P. W. (2008). Variance estimation for two-class and
        multi-class ROC analysis using operating point averaging. ICPR, section 4.3.
        Landgrebe, T. C. W. and Duin, R. P. W. (2008). Efficient multiclass ROC approximation by decomposition
        via confusion matrix perturbation analysis. IEEE TPAMI 30(5), 810-822.
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
        return found

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
        """The best point within limits: ``points.at``, after a search for it.

        Returns
        -------
        MulticlassPoint
            In-sample.

        Notes
        -----
        Unless a coordinate search for the same objective within the same limits was made, it is made first,
        with 20 starts and the seed 0. ``points.at`` only chooses among what was found.
        """
        wanted = checked_objective(minimise), checked_limits(subject_to)
        if wanted not in self._searched:
            self.search(minimise, subject_to=subject_to, random_state=0)
        try:
            return self.points.at(minimise, subject_to, mixtures=mixtures)
        except InfeasibleLimitsError as error:
            message = f"{error} A search within the limits found nothing closer."
            raise InfeasibleLimitsError(message, error.closest, error.excess) from None

    def policy(self, *, salt: str = "", about: Mapping[str, str] | None = None) -> MulticlassPolicy:
        """Make a policy of all points found so far; see :meth:`MulticlassPolicy.from_points`.

        Returns
        -------
        MulticlassPolicy
            It holds the points, not the examples.
        """
        from rochull.multiclass.policy import MulticlassPolicy

        return MulticlassPolicy.from_points(self.points, salt=salt, about=about)
