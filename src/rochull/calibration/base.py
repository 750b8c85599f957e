"""The common part of all calibrators, whether they read one column of scores or several."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation as _validation
from rochull._core.cards import Card
from rochull._core.docstrings import Described, entries
from rochull._core.documents import Document, as_text, check_texts, write_text
from rochull._core.late_bases import LateTransformer, check_is_fitted, take_on
from rochull._core.messages import refused
from rochull._core.rows import same_rows
from rochull._core.validation import Array, Labelled
from rochull._core.warned import warn
from rochull.calibration import bounds
from rochull.calibration.cards import map_card, titled
from rochull.calibration.columns import (
    check_count,
    columns_read,
    read_columns,
    score_columns,
    the_one,
    wrong_count,
)
from rochull.calibration.map_sql import MapSql
from rochull.calibration.map_values import posterior_of_ratio
from rochull.calibration.score_maps import Stepped
from rochull.conditions import bayes
from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.keywords import takes_condition
from rochull.uncertainty.calibration_bands import CalibrationBand, band_of

if TYPE_CHECKING:
    from rochull.calibration.streamed import Survey
    from rochull.scanning.readings import Scan
    from rochull.scanning.row_passes import RowPasses

_EXAMPLES_KEPT, _RATIOS_KEPT = 100_000, 4096
_SHOWN = 5.0  # log-likelihood-ratios beyond which a card shows no scores

# What the parameters of calibrators mean; what is not so raises a ValueError that names it.
PARAMETERS = entries("""
X : array-like of shape (n,) or (n, 1)
    Scores; higher means more positive, unless `lower_is_positive`. Infinite scores are legal, NaN is not.
    A calibrator of several columns takes (n, k), a data frame or a mapping, whose names it keeps.
y : array-like of shape (n,)
    Binary labels; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans. Both classes must be present.
sample_weight : array-like of shape (n,), optional
    Finite and non-negative; an example of weight zero is left out.
scores : array-like of shape (n,) or (n, 1)
    New scores; infinite ones are legal, NaN is not. Several columns are taken by name where the calibrator
    knows names and these have some, else in their order.
about : mapping of str to str, optional
    Free text to keep in the document; what the calibrator was loaded with if not given.
score : str, optional
    The column of scores; not needed where there is one.
segment, fold : optional
    From the rows of this segment, or of this fold; of all if not given.
""")


def labelled_scores(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: object,
    lower_is_positive: bool = False,
    *,
    checked: bool = False,
) -> Labelled:
    """Validated examples, under the names that scikit-learn gives them; with `checked`, X is validated."""
    lower = _validation.truth(lower_is_positive, "lower_is_positive")
    positive = _validation.labels_beside(y, pos_label, "y", X, "X")
    scores: Array = np.asarray(X) if checked else _validation.scores_1d(X, "X")
    weights = None if sample_weight is None else _validation.weights_1d(sample_weight)
    same_rows(X=X, y=y, sample_weight=sample_weight)
    if lower:
        scores = _validation.negated(scores, "X")
    return Labelled(positive, scores, weights, lower_is_positive=lower)


class OneColumn(Described, LateTransformer):
    """Base of what turns scores into one column, as scikit-learn sees it."""

    parameters_told = PARAMETERS
    _n_features_out = 1
    _lower = False  # whether low scores are positive, as it was fitted

    def _rising(self, scores: ArrayLike, name: str) -> Array:
        """Validated scores, of which high ones are positive."""
        values = self._values(scores, name)
        return _validation.negated(values, name) if self._lower else values

    def _values(self, scores: ArrayLike, name: str) -> Array:
        """Validated scores."""
        return _validation.scores_1d(scores, name)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.target_tags.required = True
        return tags


class SavedCalibrator(Document):
    """Base of what is fitted and saved with a text on where it comes from.

    Attributes
    ----------
    about : mapping of str to str
        Free text of the document that it was loaded from, or to be saved with.
    """

    parameters_told = PARAMETERS
    about: Mapping[str, str] = MappingProxyType({})

    def to_dict(self, *, about: Mapping[str, str] | None = None) -> dict[str, Any]:
        check_is_fitted(self)
        about = self.about if about is None else about
        check_texts(about)
        contents = {"about": dict(about), **self._contents()}
        return self.schema.sealed(contents)

    def to_json(self, *, about: Mapping[str, str] | None = None) -> str:
        return as_text(self.to_dict(about=about))

    def save(self, path: str | os.PathLike[str], *, about: Mapping[str, str] | None = None) -> None:
        write_text(path, self.to_json(about=about))


class Calibrator(SavedCalibrator, OneColumn, ABC):
    """Base of the calibrators: a subclass learns a map from scores to log-likelihood-ratios.

    Scores are (n,), or float64 (n, k) where `n_columns` says that it reads several columns. Where low scores
    are positive `_fit` and `_llr` are given negated ones. It implements them, `steps` for Spark, `_document`
    and `_restore` for documents, whose `schema` it states (`calibrator_schema`); `_posterior` where
    that can be computed better than from the LLR. One line in `kinds.py` gives it a name, under which it is
    read from documents and offered on the command line.

    Attributes
    ----------
    prevalence_ : float
        Proportion of positives in the data that it was fitted on.
    bounds_ : tuple of float
        LLRs are clipped to them, where a `bound` was given.
    fitted_ratios_ : tuple of 3 ndarray of shape (k,), or None
        Log-likelihood-ratios of the examples that it was fitted on, and how many negatives and positives have
        them; nearly equal ones of many are one. They tell how well the map is known, as
        :func:`estimate_prevalence` has to. Documents do not hold them. None of weighted examples, and where a
        ``hull_`` has the counts.
    n_features_in_ : int
        The number of columns of scores.
    feature_names_in_ : ndarray of str
        The names of several columns, if they had some.
    """

    n_columns: ClassVar[int | None] = 1  # that it reads; None: as many as it is fitted to
    # What it takes; whoever calls it can say so in the words of its own parameters.
    takes: ClassVar[Literal["scores", "finite scores", "probabilities"]] = "scores"
    keeps_order: ClassVar[bool] = False  # it rises everywhere, unless nowhere: only rounding makes ties

    bound: str | None = None
    pos_label: object = None
    lower_is_positive: bool = False
    prevalence_: float
    bounds_: tuple[float, float] = (-math.inf, math.inf)
    _bounded_by: str | None = None  # as it was fitted, where the map does not have its bound itself
    fitted_ratios_: tuple[Array, Array, Array] | None = None
    n_features_in_: int
    feature_names_in_: Array

    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        made: Self = super().__new__(cls)
        if not hasattr(cls, "schema"):
            raise TypeError(
                f"{cls.__name__} is not complete: it does not state the schema of its documents; "
                "rochull.calibration.calibrator_schema.calibrator_schema makes one."
            )
        return made

    def save(self, path: str | os.PathLike[str], *, about: Mapping[str, str] | None = None) -> None:
        super().save(path, about=about)
        if self._says_nothing():
            warn("the calibrator that was saved says the same of every score: its LLRs are 0.")

    def _says_nothing(self) -> bool:
        """Whether every LLR is 0, as far as the examples that it was fitted on tell."""
        known = self.fitted_ratios_
        return known is not None and not known[0].any()

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the map from scores and labels.

        Returns
        -------
        self
            Fitted.
        """
        names, several = None, self.n_columns != 1
        if several:
            given = X
            X, names = score_columns(given, "X")
            check_count(self, X, "X", self.n_columns)
            same_rows(X=given, y=y, sample_weight=sample_weight)
        data = labelled_scores(X, y, sample_weight, self.pos_label, self.lower_is_positive, checked=several)
        self._lower = data.lower_is_positive
        self._fit(data)
        self._bound(data)
        self.fitted_ratios_ = self._ratios_of(data)
        self._set_columns(data.scores.shape[1] if several else 1, names)
        return self

    def fit_scan(
        self,
        scan: Scan,
        score: str | Sequence[str] | None = None,
        *,
        segment: Any = None,
        fold: Any = None,
    ) -> Self:
        """Learn the map from a scan, which may be of more rows than memory holds.

        Parameters
        ----------
        scan : Scan
            What :func:`scan` gave.
        score : str or sequence of str, optional
            The column of scores; of several columns all of the scan if not given.

        Returns
        -------
        self
            Fitted: as by :meth:`fit` to the rows, but for rounding.

        Raises
        ------
        ValueError
            As for :meth:`fit`, or if there is no such column or group.
        MemoryError
            If a bound takes all different LLRs, and they are more than may be held.

        Notes
        -----
        Every step of a fit reads all rows once more: some five times, and some twenty for a curve of four
        parameters.

        Examples
        --------
        >>> import rochull as rh
        >>> table = rh.datasets.load("german_credit_scores")
        >>> scan = rh.scan(table, label="class", scores=["logistic", "boosted"], pos_label="bad")
        >>> rh.LogisticFusion().fit_scan(scan).coef_.shape
        (2,)
        """
        if self.n_columns == 1:
            score = scan.reading(the_one(score), segment=segment, fold=fold).score
        rows = scan.passes(score, segment=segment, fold=fold)
        if self.n_columns not in (None, len(rows.names)):
            raise wrong_count(self, len(rows.names), "score", self.n_columns)
        for name in rows.names:
            scan.direction_of(name, self.lower_is_positive)
        return self.fit_rows(rows)

    def fit_rows(self, rows: RowPasses) -> Self:
        """Learn the map from rows that are read anew for every step.

        Parameters
        ----------
        rows : RowPasses
            What :meth:`Scan.passes` gave.

        Returns
        -------
        self
            Fitted: as by :meth:`fit` to the rows, but for rounding.
        """
        self._lower = _validation.truth(self.lower_is_positive, "lower_is_positive")
        survey = self._fit_rows(rows)
        sample = survey.sample
        self._bounded_by, self.bounds_ = bounds.checked(self.bound), (-math.inf, math.inf)
        if self._bounded_by is not None:
            neg, pos = survey.sizes[:, 0].astype(int).tolist()
            weighing = (neg, pos) if rows.weighted else None
            self.bounds_ = bounds.bounds_of_rows(
                self._bounded_by, rows, self._llr, self._llr(sample.scores), weighing
            )
        self.fitted_ratios_ = self._ratios_of(sample)
        self._set_columns(len(rows.names), None if self.n_columns == 1 else rows.names)
        return self

    def _fit_rows(self, rows: RowPasses) -> Survey:
        """Learn from all rows; sets `prevalence_`. What a survey found of them."""
        raise ValueError(f"a {type(self).__name__} is not fitted to a scan; fit it to rows in memory.")

    def _bound(self, data: Labelled) -> None:
        """Find the bounds, from what the map says of the examples."""
        self._bounded_by, self.bounds_ = bounds.checked(self.bound), (-math.inf, math.inf)
        if self._bounded_by is not None:
            stated = Labelled(data.positive, self._llr(data.scores), data.weights)
            self.bounds_ = bounds.bounds_of(self._bounded_by, stated)

    def _within(self, scores: Array) -> Array:
        """The log-likelihood-ratio (n,) of validated scores, within the bounds."""
        llr = self._llr(scores)
        return llr if self._bounded_by is None else np.clip(llr, *self.bounds_)

    def _ratios_of(self, data: Labelled) -> tuple[Array, Array, Array] | None:
        """The content of `fitted_ratios_`; of very many examples an even part."""
        if data.weights is not None:
            return None
        part = slice(None, None, -(-len(data.scores) // _EXAMPLES_KEPT))
        llr, positive = self._within(data.scores[part]), data.positive[part] == 1
        order = np.argsort(llr)
        begins = np.unique(np.linspace(0, order.size, _RATIOS_KEPT, endpoint=False).astype(int))
        with np.errstate(invalid="ignore"):  # infinite ones of both signs
            mean = np.add.reduceat(llr[order], begins) / np.diff(begins, append=order.size)
        neg, pos = (np.add.reduceat((positive[order] == label).astype(float), begins) for label in (0, 1))
        return mean, neg, pos

    def _reach(self) -> tuple[float, float]:
        """Ends of the scores between which a card shows the map, where high ones are positive."""
        if self.takes == "probabilities":
            return 0.0, 1.0
        first, last = np.clip(self._within(np.array([-math.inf, math.inf])), -_SHOWN, _SHOWN)
        wanted = first + (last - first) * np.array([0.01, 0.99])
        low, high = _lowest(self._within, wanted, -math.inf, math.inf)
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            middle = low if math.isfinite(low) else 0.0
            return middle - 1, middle + 1
        beside = (high - low) / 20
        return low - beside, high + beside

    def _card(self) -> Card:
        if self.n_columns != 1:
            return Card(titled(self))
        low, high = self._reach()
        return map_card(self, *((-high, -low) if self._lower else (low, high)))

    def _repr_html_(self) -> str | None:
        return self._card().html() if hasattr(self, "prevalence_") else None

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        """Show a card in a notebook; before it is fitted, what scikit-learn shows of an estimator."""
        page = self._repr_html_()
        if page is not None:
            return {"text/plain": repr(self), "text/html": page}
        take_on()
        found: dict[str, Any] = super()._repr_mimebundle_(**asked)
        return found

    def _set_columns(self, count: int, names: Sequence[str] | None) -> None:
        self.n_features_in_ = count
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if names is not None:
            self.feature_names_in_ = np.array(names, object)

    def _values(self, scores: ArrayLike, name: str) -> Array:
        return super()._values(scores, name) if self.n_columns == 1 else read_columns(self, scores, name)

    @abstractmethod
    def _fit(self, data: Labelled) -> None:
        """Learn from validated examples; sets `prevalence_`."""

    @abstractmethod
    def _llr(self, scores: Array) -> Array:
        """The log-likelihood-ratio (n,) of validated scores."""

    @abstractmethod
    def steps(self) -> tuple[Array, Array] | None:
        """Tell where the steps of the fitted map begin, so that Spark can evaluate it by comparisons.

        Returns
        -------
        begin : ndarray of shape (k - 1,)
            Scores where steps 1, 2, ... begin, ascending.
        inside : ndarray of shape (k,)
            A score in each step. None instead of both says that the map has no steps, or that low scores are
            positive (those of a step would be negated): it is then computed in Python, a batch of rows at a
            time.
        """

    def as_levels(self, prevalence: float | None = None) -> Stepped | None:
        """Give the fitted map as levels, so that a file can hold a level's number for each score.

        Parameters
        ----------
        prevalence : float, optional
            As in :meth:`posterior`.

        Returns
        -------
        Stepped or None
            None if the map rises somewhere.
        """
        return None

    def posterior_and_llr(self, scores: Array, prevalence: float | None = None) -> tuple[Array, Array]:
        """Compute posteriors and log-likelihood-ratios together.

        Parameters
        ----------
        prevalence : float, optional
            As in :meth:`posterior`.

        Returns
        -------
        tuple of ndarray of shape (n,)
            Those of :meth:`posterior` and of :meth:`llr`.
        """
        llr = self.llr(scores)
        return posterior_of_ratio(llr, self.prevalence_ if prevalence is None else prevalence), llr

    def _in_sql(self, sql: MapSql, columns: Sequence[Any]) -> Any:
        """The map as an expression of columns, which hold numbers."""
        return sql.of_ratio(self._ratio_in_sql(sql, [sql.scores(column) for column in columns]))

    def _ratio_in_sql(self, sql: MapSql, scores: Sequence[Any]) -> Any:
        """The log-likelihood-ratio as an expression of doubles, of which high ones are positive."""
        raise ValueError(
            f"a {type(self).__name__} cannot be written in SQL; write a table by rochull calibrate --apply."
        )

    def _posterior(self, scores: Array, prevalence: float | None) -> Array:
        """The posterior (n,) of validated scores; None stands for the training prevalence."""
        return posterior_of_ratio(
            self._within(scores), self.prevalence_ if prevalence is None else prevalence
        )

    def llr(self, scores: ArrayLike, base: float | None = None) -> Array:
        """Compute calibrated log-likelihood-ratios.

        Parameters
        ----------
        base : float, optional
            Of the logarithm, such as 10; natural logs if not given.

        Returns
        -------
        ndarray of shape (n,)
            They do not depend on the prior.
        """
        check_is_fitted(self)
        return self._within(self._rising(scores, "scores")) / _unit(base)

    def posterior(self, scores: ArrayLike, prevalence: ArrayLike | None = None) -> Array:
        """Compute calibrated probabilities of the positive class.

        Parameters
        ----------
        prevalence : float or array-like of shape (k,), optional
            Proportion of positives among the new cases, strictly between 0 and 1, or several; that of the
            training data if not given.

        Returns
        -------
        ndarray of shape (n,) or (n, k)
            In [0, 1]; column j is at the j-th prevalence.
        """
        check_is_fitted(self)
        several = np.ndim(prevalence) == 1 and np.size(prevalence) > 0  # type: ignore[arg-type]
        asked: Any = prevalence if several else [prevalence]
        shares = [
            None if each is None else _validation.probability(each, "prevalence", open_ends=True)
            for each in asked
        ]
        values = self._rising(scores, "scores")
        found = [self._posterior(values, share) for share in shares]
        return np.column_stack(found) if several else found[0]

    def to_sql(
        self,
        column: Any,
        dialect: str,
        what: str = "posterior",
        *,
        prevalence: float | None = None,
        base: float | None = None,
    ) -> str:
        """Write the map as one SQL expression.

        Parameters
        ----------
        column : str, tuple of str, or for several columns sequence or mapping
            Where the scores are: a column, or (table, column). Of several columns all of them, or the column
            of each name where that is another one.
        dialect : str
            One of those of :meth:`Policy.to_sql`.
        what : {"posterior", "llr"}, default="posterior"
            Calibrated probabilities, or log-likelihood-ratios.
        prevalence : float, optional
            As in :meth:`posterior`.
        base : float, optional
            As in :meth:`llr`.

        Returns
        -------
        str
            A double; NULL where a score is NULL or NaN, or outside [0, 1] where it has to be a probability.

        Raises
        ------
        ValueError
            If there is no such dialect, or no expression says the map: a :class:`KdeCalibrator` sums over the
            examples.

        Notes
        -----
        Steps are those of Python bit for bit, whatever type of number the column has. Lines and smooth maps
        are computed in doubles, by the same operations: LLRs are within 1e-14 of Python's, or of their size,
        and posteriors within 1e-12 of theirs, where the database rounds logarithms and exponentials to the
        last two places. Where an overflow is an error, as in PostgreSQL, finite scores beyond 2.5e120 say
        what 2.5e120 does.

        Examples
        --------
        >>> import rochull as rh
        >>> calibrator = rh.LogisticCalibrator().fit([-1.0, 0.0, 0.5, 1.0], [0, 1, 0, 1])
        >>> text = calibrator.to_sql("score", "duckdb", what="llr")
        >>> text.startswith("CASE WHEN"), '"score"' in text
        (True, True)
        """
        check_is_fitted(self)
        if prevalence is not None:
            prevalence = _validation.probability(prevalence, "prevalence", open_ends=True)
        places = [column] if self.n_columns == 1 else columns_read(self, column, "column")
        fitted = self.prevalence_, _unit(base), self.bounds_, self._lower
        return MapSql.of(dialect, what, prevalence, *fitted).written(places, self._in_sql)

    def inverse(self, llr: ArrayLike) -> Array:
        """Find the scores at which log-likelihood-ratios are reached.

        Parameters
        ----------
        llr : array-like of shape (m,)
            Natural logs.

        Returns
        -------
        ndarray of shape (m,)
            The lowest score (float64) whose LLR is at least as high, for a map that rises; the highest one
            where low scores are positive. NaN where no score has such an LLR.

        Notes
        -----
        Bisects all float64 numbers: exact for any map that rises or falls throughout.
        """
        check_is_fitted(self)
        wanted = _validation.scores_1d(llr, "llr").astype(float)
        if self.n_columns != 1:
            raise ValueError(f"{type(self).__name__} reads several columns, so no LLR has one score.")
        low, high = (0.0, 1.0) if self.takes == "probabilities" else (-math.inf, math.inf)
        first, last = self.llr([low, high])
        if first > last:
            return -_lowest(lambda scores: self.llr(-scores), wanted, -high, -low)
        return _lowest(self.llr, wanted, low, high)

    def interval(
        self,
        scores: ArrayLike,
        confidence: float = 0.95,
        *,
        X: Any = None,
        y: ArrayLike | None = None,
        pos_label: object = None,
    ) -> tuple[Array, Array]:
        """Bound the probability of a positive at scores, for all scores at once and any sample size.

        Parameters
        ----------
        confidence : float, default=0.95
            The probability with which all intervals hold together.
        X : array-like of shape (n,) or (n, k), optional
            Scores of labelled cases, whose weights are 1. A :class:`PavCalibrator` has the counts of those
            that it was fitted to; others need them.
        y : array-like of shape (n,), optional
            Their labels.
        pos_label : object, optional
            Of `y`; that of the calibrator if not given.

        Returns
        -------
        tuple of ndarray of shape (n,)
            Low and high ends, at the proportion of positives among the labelled cases. With a warning, if
            the probability does not rise with the score.

        Notes
        -----
        It holds if the probability does not fall where the map rises; see
        :func:`~rochull.uncertainty.calibration_band`, which also tells where forecasts are off. From the
        blocks of PAV, stretches of whole blocks are read: intervals are up to twice as wide on average as
        with `X` and `y`.

        References
        ----------
        Dimitriadis, Dümbgen, Henzi, Puke & Ziegel 2022, Honest calibration assessment for binary outcome
        predictions.
        """
        check_is_fitted(self)
        values = self._rising(scores, "scores")
        if (X is None) != (y is None):
            raise refused("X", "and y go together.")
        if X is None or y is None:
            return self._band(confidence).at(values)
        same_rows(X=X, y=y)
        known = self._rising(X, "X")
        label = self.pos_label if pos_label is None else pos_label
        positive = _validation.labels_beside(y, label, "y", X, "X")
        band = band_of(Labelled(positive, self._order(known), None), confidence)
        return band.at(self._order(values))

    def _band(self, confidence: float) -> CalibrationBand:
        """The band of the probability over what `_rising` gives, from what the map itself holds."""
        raise refused(
            "X", "and y are needed: a {} does not hold the cases it was fitted to.", type(self).__name__
        )

    def _order(self, scores: Array) -> Array:
        """Return what rises where the map of validated scores does (n,)."""
        return self._llr(scores)

    @takes_condition
    def decide(self, scores: ArrayLike, condition: ExpectedCost) -> Array:
        """Decide at least expected cost.

        Parameters
        ----------
        condition : ExpectedCost
            Costs and prevalence, each a single number. Give the prevalence of the cases to be decided;
            otherwise it is that of training.

        Returns
        -------
        ndarray of bool of shape (n,)
            True where calling the case positive costs less. Where both decisions cost the same it is
            not called positive, as with :meth:`RocHull.at`.

        References
        ----------
        Brümmer & du Preez 2013, equation (15).
        """
        llr = self.llr(scores)
        if costs_of(condition) is not None:
            condition = condition.at_prevalence(self.prevalence_)
        return bayes.decide_by_llr(llr, condition)

    def transform(self, X: ArrayLike) -> Array:
        """Compute calibrated probabilities at the training prevalence, as :meth:`posterior` does.

        Returns
        -------
        ndarray of shape (n,)
            In [0, 1].
        """
        return self.posterior(X)

    def predict(self, X: ArrayLike) -> Array:
        """Compute calibrated probabilities, under the name that scikit-learn's own calibrators have for them.

        Returns
        -------
        ndarray of shape (n,)
            In [0, 1].
        """
        return self.posterior(X)

    @abstractmethod
    def _document(self) -> dict[str, Any]:
        """The fitted map as a document holds it, its `kind` included: plain values, all of its schema.

        What may be infinite goes through `written` of `_core/schemas.py`, and is read by `extended`.
        """

    @classmethod
    @abstractmethod
    def _restore(cls, fields: Mapping[str, Any]) -> Self:
        """The fitted calibrator that the fields of a checked document describe."""

    def _contents(self) -> dict[str, Any]:
        optional: dict[str, Any] = {"lower_is_positive": True} if self._lower else {}
        if self.n_columns != 1:
            optional["columns"] = list(getattr(self, "feature_names_in_", ())) or self.n_features_in_
        if self._bounded_by is not None:
            optional["bounds"] = {"bound": self._bounded_by, "low": self.bounds_[0], "high": self.bounds_[1]}
        return {"pos_label": _plain(self.pos_label), **optional, **self._document()}

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> Self:
        columns = fields["columns"]
        count, names = (columns, None) if isinstance(columns, int) else (len(columns), columns)
        if cls.n_columns not in (None, count) or (names is not None and cls.n_columns == 1):
            raise ValueError(
                f"the calibrator is not valid at columns: {cls.__name__} reads {cls.n_columns} of them."
            )
        restored = cls._restore(fields)
        restored.pos_label, restored.about = fields["pos_label"], fields["about"]
        restored._set_columns(count, names)
        restored.lower_is_positive = restored._lower = fields["lower_is_positive"]
        if fields.get("bounds") is not None:
            restored.bound = restored._bounded_by = fields["bounds"]["bound"]
            restored.bounds_ = fields["bounds"]["low"], fields["bounds"]["high"]
        return restored

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # A table of one column is taken too, but not asked for, as with scikit-learn's IsotonicRegression.
        tags.input_tags.one_d_array, tags.input_tags.two_d_array = self.n_columns == 1, self.n_columns != 1
        return tags


def _unit(base: float | None) -> float:
    """The natural log of a base, by which LLRs are divided."""
    unit = 1.0 if base is None else math.log(_validation.positive(base, "base"))
    if unit <= 0:
        raise refused("base", "must be above 1, but is {}.", repr(base))
    return unit


def _lowest(llr: Callable[[Array], Array], wanted: Array, low: float, high: float) -> Array:
    """The lowest score (m,) from `low` to `high` whose LLR, which rises, is at least what is wanted (m,)."""
    # What is not asked, below all, and what will do; as unsigned integers in the order of float64.
    below, above = _key(np.full(wanted.size, low)) - np.uint64(1), _key(np.full(wanted.size, high))
    while (left := above - below > 1).any():
        middle = np.where(left, below + (above - below) // np.uint64(2), above)
        reached = llr(_of_key(middle)) >= wanted
        above, below = np.where(reached, middle, above), np.where(left & ~reached, middle, below)
    return np.where(llr(np.full(wanted.size, high)) >= wanted, _of_key(above), np.nan)


_SIGN = np.uint64(1 << 63)


def _key(scores: Array) -> Array:
    bits = (scores + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _of_key(keys: Array) -> Array:
    return np.where(keys & _SIGN, keys ^ _SIGN, ~keys).view(float)


def _plain(label: Any) -> str | bool | int | float | None:
    """A label as JSON writes it."""
    found = label.item() if isinstance(label, np.generic) else label
    if found is None or isinstance(found, (str, bool, int)):
        return found
    if isinstance(found, float) and math.isfinite(found):
        return found
    raise refused("pos_label", "must be a string, a number or None to be saved, but is {}.", repr(label))
