"""What every display has in common: numbers first, then axes, colours and labels.

A display stores numbers; matplotlib is imported when they are drawn, and not before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.responses import response

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from rochull._core.validation import Array

# Okabe & Ito's palette: told apart by colour-blind readers. Yellow is left out, it is too light for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
GREY = "0.45"
IN_SAMPLE = "in-sample"
_CURVE, _REFERENCE = "rochull-curve", "rochull-reference"
FIRST = f"{_CURVE}-0"
_MOST_DIGITS = 12  # of a share in per cent


class Display(ABC):
    """Base of the displays: a subclass computes its numbers in `compute` and draws them in `plot`.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Where it was drawn last.
    figure_ : matplotlib.figure.Figure
        The figure of these axes.
    line_ : matplotlib.lines.Line2D
        The main curve.
    """

    _responses: ClassVar[tuple[str, ...]]

    name: str | None
    ax_: Axes
    figure_: Figure
    line_: Line2D

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.name is None else repr(self.name)})"

    @classmethod
    @abstractmethod
    def from_predictions(cls, *examples: Any, **options: Any) -> Self:
        """Compute and draw; the second argument is a score, a probability or an LLR, and says so."""

    @classmethod
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
        """Compute and draw from what a fitted classifier says about examples.

        Parameters
        ----------
        estimator : estimator instance
            A fitted binary classifier, or a pipeline that ends in one.
        X : array-like or table of shape (n, n_features)
            The examples; best such that it was not fitted on.
        y : array-like of shape (n,)
            Their labels.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative.
        pos_label : object, optional
            The label of the positive class; 1 if not given.
        response_method : str, default="auto"
            The method of the estimator that is called. "auto" is the first that it has of those
            which suit the display: ``predict_proba`` where probabilities are judged,
            ``predict_llr`` where log-likelihood-ratios are, and ``decision_function`` or
            ``predict_proba`` where only the order counts.
        name : str, optional
            For the legend; the estimator's class if not given.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if not given.
        **options : Any
            Options of `from_predictions`, which does the rest.

        Returns
        -------
        Self
            The display.

        Raises
        ------
        ValueError
            If the estimator has no such method, is not fitted, or is not a binary classifier; or as
            `from_predictions` does. Nothing takes the place of a method that is missing: scores are
            not turned into probabilities or likelihood ratios behind your back.
        """
        wanted = cls._responses_for(options)
        values = response(estimator, X, pos_label, wanted, response_method)
        return cls.from_predictions(
            y, values, sample_weight=sample_weight, pos_label=pos_label, ax=ax,
            name=type(estimator).__name__ if name is None else name, **options,
        )  # fmt: skip

    @classmethod
    def _responses_for(cls, options: Mapping[str, Any]) -> tuple[str, ...]:
        """What an estimator may be asked for, in order of preference."""
        return cls._responses

    def _begin(self, ax: Axes | None, size: tuple[float, float]) -> Axes:
        """The axes to draw on; sets `ax_` and `figure_`."""
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots(figsize=size, layout="constrained")[1]
        self.ax_ = ax
        figure = ax.get_figure(root=False)
        assert figure is not None  # axes that were removed from their figure cannot be drawn on
        self.figure_ = figure  # type: ignore[assignment]  # a subfigure will do
        return ax


def style(ax: Axes, given: dict[str, Any], **defaults: Any) -> dict[str, Any]:
    """What a main line looks like: the caller's word comes first, under any of its spellings.

    The next colour of the palette is for the next display on the same axes.
    """
    from matplotlib import cbook
    from matplotlib.lines import Line2D

    count = sum(map(is_curve, ax.lines))
    plain = {"color": COLOURS[count % len(COLOURS)], "linewidth": 1.6, "gid": f"{_CURVE}-{count}"}
    return {**plain, **defaults, **cbook.normalize_kwargs(given, Line2D)}


def has_curve(ax: Axes) -> bool:
    """Whether another display is on the axes, which has drawn what all have in common."""
    return any(map(is_curve, ax.lines))


def reference(ax: Axes, x: ArrayLike, y: ArrayLike, **options: Any) -> None:
    """Draw a line that does not depend on the data; in the legend it is the last."""
    look = {"color": GREY, "linewidth": 0.9, "linestyle": (0, (1, 2)), "zorder": 1}
    ax.plot(x, y, **{**look, "gid": f"{_REFERENCE}-{len(ax.lines)}", **options})


def is_curve(line: Line2D) -> bool:
    """Whether a line is the main one of a display."""
    return (line.get_gid() or "").startswith(_CURVE)


def titled(name: str | None, what: str) -> str:
    """A legend entry: "name: what", or only the one that there is."""
    return what if not name else f"{name}: {what}" if what else name


def legend(ax: Axes, **options: Any) -> None:
    """A legend of all that is on the axes, without a frame; no line runs through its texts."""
    handles, _ = ax.get_legend_handles_labels()
    handles.sort(key=lambda handle: (handle.get_gid() or "").startswith(_REFERENCE))
    shown = ax.legend(handles=handles, **{"frameon": False, "fontsize": "small", **options})
    for text in shown.get_texts():
        text.set_bbox({"facecolor": ax.get_facecolor(), "alpha": 0.8, "edgecolor": "none", "pad": 1})


def apart(values: Array, cell: float) -> Array:
    """Which points (k,) of a polyline to keep: those at which a value (r, k) enters another cell.

    What is dropped is nearer than a cell to the point before it, and would not be seen in print.
    """
    cells = np.floor(values / cell)
    keep = np.append(True, (cells[:, 1:] != cells[:, :-1]).any(axis=0))
    keep[-1] = True
    return keep


def padded(low: float, high: float, share: float = 0.03) -> tuple[float, float]:
    """An interval that is a little wider on both sides."""
    margin = share * (high - low) or share
    return low - margin, high + margin


def log_base(base: float) -> float:
    """The base of a logarithm on an axis that grows to the right; e stays e, to the bit."""
    number = validation.real(base, "base")
    if number <= 1:
        raise ValueError(f"base must be a number above 1, such as e or 10, but is {base!r}.")
    return number


def in_base(log: Array, base: float) -> Array:
    """Natural logarithms in another base; those of base e keep their bits."""
    return np.asarray(log if base == np.e else log / np.log(base))


def base_name(base: float) -> str:
    """How a logarithm of this base is written on an axis."""
    return "ln" if base == np.e else "log$_{10}$" if base == 10 else f"log$_{{{base:g}}}$"


def percent(share: float, digits: int = 3) -> str:
    """A share as "12.5 %", never with an exponent; only 1 is "100 %", and only 0 is "0 %"."""
    if 0 < share < 1e-6:
        return "< 0.0001 %"
    while True:
        said = np.format_float_positional(100 * share, digits, fractional=False, trim="-")
        if said != "100" or share >= 1 or digits > _MOST_DIGITS:
            return f"{said} %"
        digits += 1


def short(value: float) -> str:
    """A positive number in few characters: three digits, or 7.2e6."""
    if 1e-3 <= value < 1e4:
        return np.format_float_positional(value, 3, fractional=False, trim="-")
    return np.format_float_scientific(value, 1, trim="-", exp_digits=1).replace("e+", "e")
