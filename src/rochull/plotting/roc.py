"""ROC curves of one classifier or several, in bands that say how sure they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.responses import response
from rochull._core.results import Interval
from rochull._core.rows import refuse_other_order
from rochull._core.tables import named_columns
from rochull.hull.curve import roc_curve
from rochull.plotting.base import ASKED, Display, apart, grey, looks_of, roc_axes, style, titled
from rochull.plotting.legends import legend
from rochull.uncertainty.bands import RocBand, roc_band
from rochull.uncertainty.delong import auc_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array

_CELL = 5e-4
_ONE = "ROC curve"
_FILL, _EDGE = 0.16, 0.6
_CLEAR = 3  # curves whose bands are told apart
_BAND = "rochull-band"
_KINDS = {
    "simultaneous": "bands, each for a whole curve",
    "pointwise": "intervals at each FPR",
    "ks": "Kolmogorov–Smirnov bands",
}


def _least_of_class(y_true: ArrayLike, sample_weight: ArrayLike | None, pos_label: object) -> int:
    """How many examples with a weight the smaller class has."""
    positive = validation.binary_labels(y_true, pos_label) == 1
    there = np.ones(positive.size, bool) if sample_weight is None else np.asarray(sample_weight) > 0
    return min(int(np.count_nonzero(there & side)) for side in (positive, ~positive))


@dataclass(eq=False, repr=False)
class RocDisplay(Display):
    """ROC curves of several classifiers on the same examples, each in its band, with intervals of the AUC.

    Attributes
    ----------
    fpr, tpr : dict of str to ndarray of shape (k,)
        The curve of each classifier; points closer than 0.0005 are left out. A single column is called
        "ROC curve".
    auc : dict of str to Interval
        The area under each, with its interval ("score" of :func:`auc_interval`).
    bands : dict of str to RocBand
        The band of each; empty if none were asked for.

    Notes
    -----
    A band or interval is of one classifier. Where two overlap the classifiers may still differ for sure,
    because they are judged on the same cases: compare them by :func:`delong_test`.

    References
    ----------
    Macskassy & Provost 2004; DeLong et al. 1988.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> scores = {name: table[name] for name in ("boosted", "tree")}
    >>> display = rh.plotting.RocDisplay.compute(table["class"], scores, band=None, pos_label="bad")
    >>> {name: round(found.low, 3) for name, found in display.auc.items()}
    {'boosted': 0.745, 'tree': 0.683}
    """

    fpr: dict[str, Array]
    tpr: dict[str, Array]
    auc: dict[str, Interval]
    bands: dict[str, RocBand]
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        *,
        band: str | None = "simultaneous",
        level: float = 0.95,
        n_resamples: int = 1000,
        clusters: ArrayLike | None = None,
        random_state: int | np.random.Generator | None = 0,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        y_score : array-like of shape (n,), or mapping or table of such columns
            Scores, higher means more positive; several classifiers by name.
        band : {"simultaneous", "pointwise", "ks"} or None, default="simultaneous"
            Bands that hold a whole curve at `level`, intervals that each hold one point, or the wide bands
            of Kolmogorov and Smirnov; see :func:`roc_band`. None for none.
        level : float, default=0.95
            Nominal coverage of bands and of the intervals of the AUC, strictly between 0 and 1.
        n_resamples : int, default=1000
            Of the bootstrap of each band.
        random_state : int, numpy Generator or None, default=0
            Seed of the bootstrap; None for other bands in every call.
        """
        columns = named_columns(y_score, "y_score") or {_ONE: y_score}
        given: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
        fpr, tpr, auc, bands = {}, {}, {}, {}
        for key, scores in columns.items():
            curve, key = roc_curve(y_true, scores, **given), str(key)
            fpr[key], tpr[key] = (points := np.stack([curve.fpr, curve.tpr]))[:, apart(points, _CELL)]
            if _least_of_class(y_true, sample_weight, pos_label) < 2:  # no variance is known
                auc[key] = Interval(0.0, 1.0, curve.auc(), level, "score")
            else:
                auc[key] = auc_interval(y_true, scores, level=level, clusters=clusters, **given)
            if band is not None:
                bands[key] = roc_band(
                    y_true, scores, band, level=level, n_resamples=n_resamples, clusters=clusters,
                    random_state=random_state, **given,
                )  # fmt: skip
        return cls(fpr, tpr, auc, bands, name)

    @classmethod
    @described(ASKED)
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        response_method: str = "auto",
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw from what fitted classifiers say about examples.

        Parameters
        ----------
        estimator : estimator instance, or mapping of str to estimator
            A fitted binary classifier, or several by name.
        pos_label : object, optional
            The label of the positive class; 1 if not given.
        response_method : str, default="auto"
            The method that is called: `decision_function`, else `predict_proba`, if not given.

        Raises
        ------
        ValueError
            If an estimator has no such method, is not fitted, or is not binary; or as `from_predictions`
            does.
        """
        options |= {"sample_weight": sample_weight, "pos_label": pos_label}
        if not isinstance(estimator, Mapping):
            return super().from_estimator(
                estimator, X, y, response_method=response_method, name=name, ax=ax, **options
            )
        refuse_other_order({"X": X, "y": y, "sample_weight": sample_weight})
        scores = {
            key: response(each, X, pos_label, cls._responses, response_method)
            for key, each in estimator.items()
        }
        return cls.from_predictions(y, scores, name=name, ax=ax, **options)

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw the curves over their bands; the legend says what a band holds, and the AUC of each curve.

        Parameters
        ----------
        **kwargs : Any
            For the lines, such as ``linewidth``; a colour is for a single one.
        """
        from matplotlib.colors import to_rgba

        roc_axes(ax)
        is_one = len(self.fpr) == 1
        looks = {} if is_one else looks_of(ax, self.fpr)
        # Of many curves, bands are paler and without edges, so that the curves stay what is seen first.
        fill, edge_of = (_FILL, _EDGE) if len(self.fpr) <= _CLEAR else (_FILL / 2, 0.0)
        own = kwargs if is_one else {k: v for k, v in kwargs.items() if k not in {"color", "c"}}
        for i, key in enumerate(self.fpr):
            found = self.auc[key]
            by = name or (None if key == _ONE else key)
            who = (by or key) if is_one else titled(name, key)
            said = f"{who}, AUC {found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})"
            look = style(ax, own, label=said, by=by, **looks.get(key, {}))
            line = ax.plot(self.fpr[key], self.tpr[key], **look)[0]
            if i == 0:
                self.line_ = line
            if key in self.bands:
                band, (shade, edge) = self.bands[key], (to_rgba(line.get_color(), a) for a in (fill, edge_of))
                ax.fill_between(
                    band.fpr, band.low, band.high, facecolor=shade, edgecolor=edge, lw=0.5, zorder=0.5,
                    gid=_BAND,
                )  # fmt: skip
        self._say_band(ax)
        legend(ax, loc="lower right")

    def _say_band(self, ax: Axes) -> None:
        """Say what the bands hold, once for all displays."""
        for band in list(self.bands.values())[:1]:
            said = f"{100 * band.level:g} % {_KINDS[band.method]}"
            if said not in ax.get_legend_handles_labels()[1]:
                ax.fill_between([], [], [], color=grey(ax), alpha=2 * _FILL, lw=0, label=said)
