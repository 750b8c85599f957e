"""Calibration of several classes: binary calibrators, one-vs-rest or of pairs, made one likelihood vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from rochull._core import validation as _validation
from rochull._core.docstrings import entries
from rochull._core.messages import refused
from rochull._core.rows import same_rows
from rochull._core.schemas import plain_labels
from rochull._core.threads import share_out
from rochull._core.validation import Array
from rochull.calibration.base import Calibrator, SavedCalibrator
from rochull.calibration.pav import PavCalibrator
from rochull.multiclass import coupling as _coupling
from rochull.multiclass.by_class import by_label, by_name, placed
from rochull.multiclass.calibration_schema import MULTICLASS_CALIBRATOR
from rochull.multiclass.examples import class_codes, outputs_2d, units_per_class
from rochull.multiclass.inputs import DECISIONS, EXAMPLES
from rochull.multiclass.measures import CostMatrix

_METHODS = ("pairwise", "ovr")
_ROWS = 1 << 11  # coupled at a time: the pairs' LLRs take C² numbers a row
_ROUNDING = 2.0**-44  # of expected costs, as `bayes` has it of log-odds


class MulticlassCalibrator(SavedCalibrator, TransformerMixin, BaseEstimator):
    """Calibrate the outputs of a classifier of two or more classes.

    Parameters
    ----------
    method : {"pairwise", "ovr"}, default="pairwise"
        "pairwise": a binary calibrator for each pair of classes, fitted on the examples of these two, and
        their log-likelihood-ratios (LLRs) coupled. "ovr": one for each class against the rest, and their
        posteriors divided by their sum.
    calibrator : Calibrator, optional
        The binary calibrator, cloned for each pair or class. None: ``PavCalibrator(bound="laplace")``, whose
        LLRs are finite.
    coupling : {"least_squares", "mean_llr"}, optional
        How LLRs of pairs become one vector, see the notes: "least_squares" if not given. Not for "ovr".
    contrast : {"log_ratio", "share"}, default="log_ratio"
        What the binary calibrator gets of outputs a for and b against a class: ``log(a / b)``, or
        ``a / (a + b)``. Both have the same order, so for PAV with steps they are the same, but for rounding.
        Use the second for :class:`BetaCalibrator`. Against the rest, b is the sum of the other outputs.
    classes : sequence, optional
        The labels of the columns. None: the labels that occur, sorted.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        The labels, in the order of the columns.
    priors_ : ndarray of shape (C,)
        Shares of the classes in the training data by weight; of two classes including the calibrator's
        added examples.
    calibrators_ : dict
        The fitted calibrators, by class (against the rest) or by pair (i, j) of classes; those of pairs give
        LLRs of j against i.
    n_features_in_ : int
        The number of classes.
    about : mapping of str to str
        Free text of the document that it was loaded from, or to be saved with.

    Notes
    -----
    Multi-class LLRs are the log-likelihoods ``log p(x | c)`` up to a constant that all classes share; of the
    C columns only differences mean something, and here the largest is 0. They do not depend on priors:
    at priors π the posterior is ``softmax(llr + log π)``, which is how the prior is changed at run time.

    *Pairs.* PAV estimates the LLR of i against j from examples of these two, whatever their proportion is.
    The LLRs of all pairs need not agree with one vector. "least_squares" takes the probabilities r[i, j] of i
    if it is i or j, at even priors, and minimises the sum over pairs of (r[j, i] p[i] - r[i, j] p[j])²; log p
    are the log-likelihoods. Pairs of two unlikely classes hardly count, and pairs that are certain are legal.
    "mean_llr" minimises the squared errors of the LLRs themselves, which gives the mean LLR against all
    classes; it needs finite ones.

    *One-vs-rest.* "The rest" is a mixture of classes as in training, so the vector is exact only if the
    score against the rest says all there is. Posteriors that are all 0 (without a bound) say
    nothing.

    Held out over 10 folds, naive Bayes had these log scores before, with one-vs-rest, and with pairs: vehicle
    2.57, 1.05, 1.04; satimage 3.95, 0.55, 0.48; digits 2.80, 0.44, 0.40.

    With two classes both methods are the one binary calibrator. An example whose outputs are all zero is
    taken as one whose outputs are all equal. Calibrate on outputs of examples that the classifier was not
    trained on.

    References
    ----------
    Zadrozny & Elkan 2002, Transforming classifier scores into accurate multiclass probability estimates
    (one-vs-rest). Hastie & Tibshirani 1998, Classification by pairwise coupling. Wu, Lin & Weng 2004,
    Probability estimates for multi-class classification by pairwise coupling, JMLR 5 (the second approach,
    and Algorithm 2). Brümmer & du Preez 2013, equations (15) and (21) to (24) (PAV, LLRs and priors).

    Examples
    --------
    >>> import rochull as rh
    >>> outputs = [[8, 1, 1], [6, 3, 1], [2, 7, 1], [5, 4, 1], [1, 2, 7], [1, 5, 4], [2, 2, 6], [1, 8, 1]]
    >>> y = ["a", "a", "b", "b", "c", "c", "c", "b"]
    >>> calibrator = rh.multiclass.MulticlassCalibrator().fit(outputs, y)
    >>> calibrator.posterior([[7, 2, 1]]).round(2).tolist()
    [[0.58, 0.27, 0.15]]
    >>> calibrator.posterior([[7, 2, 1]], priors=[0.1, 0.1, 0.8]).round(2).tolist()
    [[0.37, 0.11, 0.52]]
    >>> calibrator.decide([[7, 2, 1]], [[0, 1, 1], [9, 0, 9], [1, 1, 0]]).tolist()
    ['b']
    """

    schema = MULTICLASS_CALIBRATOR
    parameters_told = (
        DECISIONS
        | EXAMPLES
        | entries("""
X : array-like of shape (n, C)
    New outputs.
outputs : array-like of shape (n, C)
    New outputs, non-negative and finite.
costs : CostMatrix or array-like of shape (C, C)
    ``costs[i][j]`` is the cost of calling an example of class i class j.
priors : array-like of shape (C,) or mapping of label to share, optional
    Shares of the classes among the new cases, in the order of `classes_`; they are divided by their sum.
    Those of the training data if not given.
""")
    )

    def __init__(
        self,
        method: str = "pairwise",
        calibrator: Calibrator | None = None,
        coupling: str | None = None,
        contrast: str = "log_ratio",
        classes: Sequence[Any] | None = None,
    ) -> None:
        self.method = method
        self.calibrator = calibrator
        self.coupling = coupling
        self.contrast = contrast
        self.classes = classes

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the maps from outputs and labels.

        Parameters
        ----------
        X : array-like of shape (n, C)
            Outputs, non-negative and finite; column c belongs to class c. The columns of a data frame that
            are called exactly like the classes (or like their text) are taken by name, here and in all
            methods.
        y : array-like of shape (n,)
            Labels of any kind; every class must occur.

        Returns
        -------
        self
            Fitted.
        """
        self._check()
        outputs = _coupling.usable(outputs_2d(X, "X"))
        codes, classes = class_codes(y, self.classes, outputs.shape[1], "y")
        for given in classes:
            if isinstance(given, int) and not -(2**63) <= given < 2**64:
                raise refused(
                    "y", "has the label {}, which is beyond 64 bits, so that it cannot be saved.", given
                )
        same_rows(X=X, y=y, sample_weight=sample_weight)
        outputs = outputs[:, placed(y, X, outputs, codes, classes, name="X", stated=self.classes is not None)]
        weight = None
        if sample_weight is not None:
            weight = _validation.weights_1d(sample_weight)
            units_per_class(weight, codes, classes)  # refuses a class without weight
        coupling = None if self.method == "ovr" else self.coupling or "least_squares"
        binary = [self._one(outputs, codes, weight, *side) for side in _sides_of(self.method, len(classes))]
        shares = np.bincount(codes, weight)
        self._check_columns(X, outputs, reset=True)
        self._fitted_as, self._binary = (self.method, coupling, self.contrast), binary
        self._set(classes, shares / shares.sum())
        return self

    def _one(self, outputs: Array, codes: Array, weight: Array | None, against: int, of: int) -> Calibrator:
        """The fitted binary calibrator of one side against the other."""
        template = PavCalibrator(bound="laplace") if self.calibrator is None else self.calibrator
        rows = np.flatnonzero((codes == of) | (codes == against) | (against < 0))
        scores = _contrast(outputs[rows], against, of, self.contrast)
        if template.takes == "finite scores" and np.isinf(scores).any():
            raise ValueError(
                f"X has outputs of 0, whose log ratio is infinite, but {type(template).__name__} takes "
                "finite scores; use contrast='share', PavCalibrator, or outputs kept off 0."
            )
        known = None if weight is None else weight[rows]
        fresh: Calibrator = clone(template).set_params(pos_label=None)
        return fresh.fit(scores, codes[rows] == of, known)

    def _check(self) -> None:
        for name, value, known in (
            ("method", self.method, _METHODS),
            ("coupling", self.coupling, (None, *_coupling.COUPLINGS)),
            ("contrast", self.contrast, _coupling.CONTRASTS),
        ):
            if value not in known:
                raise refused(name, "must be {}, but is {}.", " or ".join(map(repr, known)), repr(value))
        if self.method == "ovr" and self.coupling is not None:
            raise ValueError(
                f"coupling is for pairs: with method='ovr' it must be None, not {self.coupling!r}."
            )
        if self.calibrator is not None and not isinstance(self.calibrator, Calibrator):
            raise ValueError(f"calibrator must be a calibrator of rochull, but is {self.calibrator!r}.")
        if self.calibrator is not None and self.calibrator.n_columns != 1:
            raise ValueError(
                f"calibrator must read one column of scores, but {self.calibrator!r} reads several: two "
                "classes are told apart by one score."
            )

    def _set(self, classes: Sequence[Any], priors: Array) -> None:
        """Make the attributes from the binary calibrators."""
        if len(classes) == 2:
            share = self._binary[0].prevalence_
            priors = np.array([1 - share, share])
        self.priors_ = priors
        self.classes_ = _as_array(classes)
        self.calibrators_ = {
            classes[of] if against < 0 else (classes[against], classes[of]): binary
            for (against, of), binary in zip(self._sides(len(classes)), self._binary, strict=True)
        }

    def _sides(self, n_classes: int) -> list[tuple[int, int]]:
        """As `_sides_of`, as fitted."""
        return _sides_of(self._fitted_as[0], n_classes)

    def _scores(self, outputs: Array, against: int, of: int) -> Array:
        """The scores for a binary calibrator (n,)."""
        return _contrast(outputs, against, of, self._fitted_as[2])

    def _outputs(self, outputs: ArrayLike) -> Array:
        """Checked outputs (n, C), in the order of the classes."""
        array = _coupling.usable(outputs_2d(outputs))
        self._check_columns(outputs, array, reset=False)
        stated = self.classes is not None
        return by_name(outputs, array, self.classes_.tolist(), "outputs", stated=stated)

    def _check_columns(self, outputs: Any, array: Array, *, reset: bool) -> None:
        """Let scikit-learn check the number of columns and their names, or remember them."""
        given = outputs if hasattr(outputs, "shape") else array
        validate_data(self, given, reset=reset, skip_check_array=True)

    def llr(self, outputs: ArrayLike) -> Array:
        """Compute multi-class log-likelihood-ratios.

        Returns
        -------
        ndarray of shape (n, C)
            ``log p(x | c)`` less that of the likeliest class (natural logs): 0 at most, -inf for a class
            that is out of the question. They do not depend on the priors.
        """
        check_is_fitted(self)
        return self._llr(self._outputs(outputs))

    def _llr(self, outputs: Array) -> Array:
        n_classes = outputs.shape[1]
        found = [
            binary.llr(self._scores(outputs, *side))
            for side, binary in zip(self._sides(n_classes), self._binary, strict=True)
        ]
        if n_classes == 2:  # the difference is the calibrator's own
            return np.column_stack([-np.maximum(found[0], 0.0), np.minimum(found[0], 0.0)])
        coupling = self._fitted_as[1]
        if coupling is None:
            return _coupling.from_rests(np.column_stack(found), self.priors_)
        out = np.empty(outputs.shape)

        def couple(begin: int) -> None:
            rows = slice(begin, min(begin + _ROWS, len(out)))
            llrs = np.zeros((rows.stop - begin, n_classes, n_classes))
            for (i, j), values in zip(self._sides(n_classes), found, strict=True):
                llrs[:, j, i], llrs[:, i, j] = values[rows], -values[rows]
            out[rows] = _coupling.COUPLINGS[coupling](llrs)

        share_out(couple, range(0, len(out), _ROWS))
        return out

    def posterior(self, outputs: ArrayLike, priors: ArrayLike | Mapping[Any, float] | None = None) -> Array:
        """Compute calibrated probabilities of the classes (n, C), whose rows sum to one."""
        check_is_fitted(self)
        shares = self.priors_ if priors is None else self._priors(priors)
        array = self._outputs(outputs)
        found = _coupling.weighed(self._llr(array), shares)
        if len(shares) == 2 and shares.all():
            prevalence = None if priors is None else float(shares[1])
            positive = self._binary[0].posterior(self._scores(array, 0, 1), prevalence)
            found[:, 1] = positive
            found[:, 0] = np.where(positive > 0.5, found[:, 0], 1 - positive)  # 1 - p has few digits near 0
        return found

    def _priors(self, priors: ArrayLike | Mapping[Any, float]) -> Array:
        numbers = by_label(priors, np.asarray(self.classes_).tolist(), "priors")
        shares = _validation.weights_1d(numbers, "priors")
        if len(shares) != len(self.classes_):
            many = f"{len(shares)} value{'s' if len(shares) != 1 else ''}"
            raise refused("priors", "has {}, but there are {} classes.", many, len(self.classes_))
        if not shares.any():
            raise refused("priors", "are all zero.")
        return np.asarray(shares / shares.sum())

    def transform(self, X: ArrayLike) -> Array:
        """Compute calibrated probabilities (n, C) at the training priors, as :meth:`posterior` does."""
        check_is_fitted(self)
        return self.posterior(X)

    def decide(self, outputs: ArrayLike, costs: Any, priors: ArrayLike | None = None) -> Array:
        """Decide at least expected cost.

        Parameters
        ----------
        priors : array-like of shape (C,), optional
            Shares of the classes among the new cases. If not given, those of the cost matrix, and if it has
            none, those of the training data.

        Returns
        -------
        ndarray of shape (n,)
            Labels; of classes that cost the same, to rounding, the first.
        """
        check_is_fitted(self)
        matrix = costs if isinstance(costs, CostMatrix) else CostMatrix(costs, classes=self.classes_.tolist())
        table, own = matrix.in_order(self.classes_.tolist())
        p = self.posterior(outputs, own if priors is None else priors)
        expected = p @ table
        slack = _ROUNDING * (p @ np.abs(table)).max(axis=1)
        near = expected <= (expected.min(axis=1) + slack)[:, None]
        return np.asarray(self.classes_[near.argmax(axis=1)])

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Name the output columns, for scikit-learn.

        Parameters
        ----------
        input_features : array-like of str, optional
            Ignored.

        Returns
        -------
        ndarray of str of shape (C,)
            The class's name in lower case and the column's number.
        """
        check_is_fitted(self)
        name = type(self).__name__.lower()
        return np.array([f"{name}{c}" for c in range(len(self.classes_))], dtype=object)

    def _contents(self) -> dict[str, Any]:
        method, coupling, contrast = self._fitted_as
        return {
            "method": method,
            "coupling": coupling,
            "contrast": contrast,
            "classes": list(plain_labels(self.classes_.tolist())),
            "priors": self.priors_.tolist(),
            "calibrators": [binary.to_dict(about={}) for binary in self._binary],
        }

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> Self:
        method, coupling, contrast = (fields[name] for name in ("method", "coupling", "contrast"))
        classes = fields["classes"]
        restored = cls(method, None, coupling, contrast, list(classes))
        restored._fitted_as, restored._binary = (method, coupling, contrast), list(fields["calibrators"])
        restored.calibrator = clone(restored._binary[0])
        restored._set(classes, np.array(fields["priors"]))
        restored.about, restored.n_features_in_ = fields["about"], len(classes)
        return restored

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        return tags


def _sides_of(method: str, n_classes: int) -> list[tuple[int, int]]:
    """(against, of) of each binary calibrator; -1 stands for the rest."""
    if method == "ovr" and n_classes > 2:
        return [(-1, c) for c in range(n_classes)]
    return [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]


def _contrast(outputs: Array, against: int, of: int, how: str) -> Array:
    """The score (n,) of one side against the other."""
    other = _coupling.rest_of(outputs, of) if against < 0 else outputs[:, against]
    return _coupling.contrast(outputs[:, of], other, how)


def _as_array(classes: Sequence[Any]) -> Array:
    """Labels as an array; of mixed kinds as objects, so that no number becomes text."""
    kinds = {type(label) for label in classes}
    return np.array(classes, None if len(kinds) == 1 else object)
