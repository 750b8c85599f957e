"""ROC curves of several methods on the same examples, and the part in which they differ most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.validation import Labelled
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull
from rochull.hull.tallies import tally_of
from rochull.hull.unions import union
from rochull.plotting.base import (
    IN_SAMPLE,
    Display,
    apart,
    grey,
    has_curve,
    in_percent,
    padded,
    roc_axes,
    style,
    titled,
)
from rochull.plotting.segmented import DASHES, SegmentedExamples, legend_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array
    from rochull.segments.redistribution import ErrorRedistribution

_CELL = 5e-4
_GRID = 1001
_LEAST_GAP = 1e-3  # of true positive rates, that is worth a second look
_WIDEST = 0.3  # an inset as wide as the picture shows nothing new
_LEFT, _RIGHT, _BOTTOM = 0.45, 0.97, 0.07  # of the inset
_LEAST_HEIGHT = 0.2
_LEAST_WIDTH = 3.0  # inches of the axes


@dataclass(eq=False, repr=False)
class SegmentRocDisplay(Display):
    """ROC curves of thresholds that bend with auxiliary features, beside fixed ones, with an inset.

    The methods are the bent curve, the fixed one and the paper's other baselines. Curves of several
    classifiers on the same axes are drawn by :class:`RocHullDisplay`.

    Attributes
    ----------
    fpr, tpr : dict of str to ndarray
        The curve of each method, of whose points those closer than 0.0005 are left out.
    auc : dict of str to float
        The area under each whole curve.
    hull_fpr, hull_tpr : ndarray of shape (k,)
        The hull of all methods but the first: what mixtures of the baselines reach (in-sample).
    hull_auc : float
        The area under it.
    zoom : tuple of float or None
        The inset's false positive rates, and true positive rates, from low to high.
    inset_ : matplotlib.axes.Axes or None
        The inset.

    References
    ----------
    Richman & Mannor, Figures 5 to 8, 10 and 11.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> size, y = rng.uniform(1, 5, 2000), rng.integers(0, 2, 2000)
    >>> display = rh.plotting.SegmentRocDisplay.compute(y, rng.normal(size * y), {"size": size})
    >>> list(display.auc)
    ['bent', 'fixed', 'constant FPR', 'constant TPR']
    >>> bool(display.auc["bent"] > max(display.auc["fixed"], display.auc["constant TPR"]))
    True
    """

    _size = (7.4, 4.8)

    fpr: dict[str, Array]
    tpr: dict[str, Array]
    auc: dict[str, float]
    hull_fpr: Array
    hull_tpr: Array
    hull_auc: float
    zoom: tuple[float, float, float, float] | None
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        aux: Any,
        methods: Mapping[str, Any] | None = None,
        *,
        cv: int = 5,
        zoom: str | tuple[float, float] | None = "auto",
        random_state: int | None = 0,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        methods : mapping of str to ErrorRedistribution or array-like of shape (n,), optional
            What is compared, the first with all others. A fitted model transforms the scores, of examples
            which it should not have been fitted to; one that is not is fitted in a rotation, and no case is
            judged by a model that was fitted to it; an array is scores. If not given they are the models
            "pav", "fixed", "constant-fpr" and "constant-tpr", in a rotation.
        zoom : "auto", (float, float) or None, default="auto"
            The inset's false positive rates; "auto" is where the first curve is farthest above, or below,
            the best of the others.
        random_state : int or None, default=0
            Shuffles the folds.
        """
        examples = SegmentedExamples.of(y_true, y_score, aux, sample_weight, pos_label)
        found = {
            str(key): _scores(str(key), method, examples, cv, random_state)
            for key, method in (_standard() if methods is None else methods).items()
        }
        if len(found) < 2:
            raise ValueError(f"methods must hold at least two to compare, but holds {len(found)}.")
        curves, hulls = {}, {}
        for key, scores in found.items():
            groups = tally_of(Labelled(examples.data.positive, scores, examples.data.weights))
            curves[key] = RocCurve.from_tally(groups)
            hulls[key] = RocHull.from_curve(curves[key])
        baselines = union({key: hulls[key] for key in list(hulls)[1:]})
        kept = {key: apart(np.stack([curve.fpr, curve.tpr]), _CELL) for key, curve in curves.items()}
        return cls(
            fpr={key: curve.fpr[kept[key]] for key, curve in curves.items()},
            tpr={key: curve.tpr[kept[key]] for key, curve in curves.items()},
            auc={key: curve.auc() for key, curve in curves.items()},
            hull_fpr=baselines.fpr, hull_tpr=baselines.tpr, hull_auc=baselines.auc(),
            zoom=_window(list(curves.values()), zoom), name=name,
        )  # fmt: skip

    def draw(self, ax: Axes, name: str | None, *, hull: bool = True, **kwargs: Any) -> None:
        """Draw the curves, and those of the first display on the axes in an inset, if they leave room.

        Parameters
        ----------
        hull : bool, default=True
            Draw the hull of the methods but the first, too.
        **kwargs : Any
            For the lines, such as ``linewidth``; a colour is for the first alone.
        """
        is_first = not has_curve(ax)
        roc_axes(ax)
        looks = self._draw(ax, name, kwargs, hull)
        self.inset_ = None
        if is_first and self.zoom is not None:
            self.inset_ = self._inset(ax, looks)
        legend_beside(ax)

    def _draw(self, ax: Axes, name: str | None, given: dict[str, Any], hull: bool) -> list[dict[str, Any]]:
        """Draw the curves, the first on top, and return what they look like; sets `line_`."""
        looks: list[dict[str, Any]] = []
        for i, key in enumerate(self.fpr):
            own = given if i == 0 else {k: v for k, v in given.items() if k not in {"color", "c"}}
            plain = {"linestyle": DASHES[i % len(DASHES)], "zorder": 3 - i / 100}
            if i == 0:
                plain["linewidth"] = 2.0
            look = style(ax, own, label=titled(name, f"{key}, AUC {self.auc[key]:.4f}"), **plain)
            line = ax.plot(self.fpr[key], self.tpr[key], **look)[0]
            looks.append({k: v for k, v in look.items() if k not in {"label", "gid"}})
            if i == 0:
                self.line_ = line
        if hull:
            label = f"hull of the others ({IN_SAMPLE}), AUC {self.hull_auc:.4f}"
            look = {"color": grey(ax), "linewidth": 0.9, "zorder": 2}
            ax.plot(self.hull_fpr, self.hull_tpr, **look, label=titled(name, label), gid="rochull-hull")
            looks.append(look)
        return looks

    def _inset(self, ax: Axes, looks: list[dict[str, Any]]) -> Axes | None:
        """The window of the zoom, below all curves; None if they leave no room."""
        assert self.zoom is not None
        if ax.bbox.width < _LEAST_WIDTH * ax.figure.dpi:
            return None
        lowest = min(float(np.interp(_LEFT, self.fpr[key], self.tpr[key])) for key in self.fpr)
        height = min(lowest - 0.1, 0.66) - _BOTTOM
        if height < _LEAST_HEIGHT:
            return None
        inset = ax.inset_axes((_LEFT, _BOTTOM, _RIGHT - _LEFT, height))
        lines = [(self.fpr[key], self.tpr[key]) for key in self.fpr]
        lines += [(self.hull_fpr, self.hull_tpr)] * (len(looks) - len(lines))
        for (x, y), look in zip(lines, looks, strict=True):
            inset.plot(x, y, **look)
        x0, x1, y0, y1 = self.zoom
        inset.set(xlim=(x0, x1), ylim=(y0, y1))
        inset.locator_params(nbins=4)
        in_percent(inset.xaxis, inset.yaxis)
        inset.tick_params(labelsize=7, length=2, pad=2)
        ax.indicate_inset_zoom(inset, edgecolor=grey(ax), alpha=0.8)
        return inset


def _standard() -> dict[str, ErrorRedistribution]:
    """The bent curve and the paper's baselines."""
    from rochull.segments.redistribution import ErrorRedistribution

    models = {
        "bent": "pav",
        "fixed": "fixed",
        "constant FPR": "constant-fpr",
        "constant TPR": "constant-tpr",
    }
    return {name: ErrorRedistribution(model) for name, model in models.items()}


def _scores(key: str, method: Any, examples: SegmentedExamples, cv: int, random_state: int | None) -> Array:
    """Scores (n,) that a method gives to the examples."""
    from rochull.segments.held_out import held_out_scores, is_fitted
    from rochull.segments.redistribution import ErrorRedistribution

    data, columns = examples.data, examples.columns
    if isinstance(method, ErrorRedistribution):
        if is_fitted(method):
            return method.transform(data.scores, aux=columns)
        if method.model == "fixed":
            return data.scores  # nothing is learned
        return held_out_scores(method, data, columns, cv=cv, random_state=random_state)
    name = f"methods[{key!r}]"
    scores = validation.scores_1d(method, name)
    if scores.size != examples.kept.size:
        raise ValueError(f"{name} has {scores.size} scores, but y_true has {examples.kept.size} labels.")
    return scores[examples.kept]


def _window(
    curves: list[RocCurve], zoom: str | tuple[float, float] | None
) -> tuple[float, float, float, float] | None:
    """The part of the curves that the inset shows."""
    if zoom is None:
        return None
    x = np.linspace(0, 1, _GRID)
    y = np.array([np.interp(x, curve.fpr, curve.tpr) for curve in curves])
    if isinstance(zoom, str):
        if zoom != "auto":
            raise ValueError(f'zoom must be "auto", two false positive rates or None, but is {zoom!r}.')
        gap = y[0] - y[1:].max(axis=0)
        gap = gap if gap.max() >= _LEAST_GAP else -gap
        if gap.max() < _LEAST_GAP:
            return None
        at = int(np.argmax(gap))
        far = gap < gap[at] / 2
        low = at - int(np.argmax(far[at::-1])) if far[: at + 1].any() else 0
        high = at + int(np.argmax(far[at:])) if far[at:].any() else _GRID - 1
        left, right = max(x[low], x[at] - _WIDEST / 2), min(x[high], x[at] + _WIDEST / 2)
        ends = max(0.0, left - 0.01), min(1.0, max(right, left + 0.05) + 0.01)
    else:
        ends = _interval(zoom)
    inside = (x >= ends[0]) & (x <= ends[1])
    sides = np.array([[np.interp(end, curve.fpr, curve.tpr) for end in ends] for curve in curves])
    shown = np.concatenate([y[:, inside].ravel(), sides.ravel()])
    low_y, high_y = padded(float(shown.min()), float(shown.max()))
    return float(ends[0]), float(ends[1]), low_y, high_y


def _interval(zoom: Any) -> tuple[float, float]:
    try:
        low, high = (validation.probability(end, "zoom") for end in zoom)
    except TypeError:
        raise ValueError(f'zoom must be "auto", two false positive rates or None, but is {zoom!r}.') from None
    if not low < high:
        raise ValueError(f"zoom must be two rising false positive rates, but is {zoom!r}.")
    return low, high
