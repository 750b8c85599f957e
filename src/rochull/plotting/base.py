"""The common part of all displays: numbers first, then axes, colours and labels.

A display stores numbers; matplotlib is imported when they are drawn, and not before.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import EXAMPLES, composed, described, entries, sections
from rochull._core.extras import require
from rochull._core.palette import COLOURS, least_taken, slots
from rochull._core.responses import response
from rochull._core.rows import refuse_other_order
from rochull.scoring.ratios import AS_LLR

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from rochull._core.validation import Array

# Of those who have a colour that others have already: dashes alone are hulls, dots references.
_AGAIN: tuple[Any, ...] = ((0, (7, 1.5, 1.2, 1.5)), (0, (7, 1.5, 1.2, 1.5, 1.2, 1.5)))
STAR = "#F0E442"  # the best point, as on the page
_INK = 0.55  # of what is written, in the grey of references
IN_SAMPLE = "in-sample"
_CURVE, _REFERENCE = "rochull-curve", "rochull-reference"
FIRST = f"{_CURVE}-0"
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_MOST_DIGITS = 12  # of a share in per cent


# What parameters mean that many displays have; their own docstrings say the rest.
COMPUTED = (
    EXAMPLES
    | AS_LLR
    | entries("""
llr : array-like of shape (n,)
    Log-likelihood-ratios (natural log); infinite ones are legal.
folds : array-like of shape (n,)
    The fold of each example.
points : MulticlassPoints
    The operating points.
classes : sequence, optional
    The classes to draw, three in space, at most eight in pairs; may be left out if there are no more.
point : int, MulticlassPoint, objective or None, default="max_error"
    The point to mark: its index, from 0, or one of the points itself, or the best by an objective (over folds
    by its mean); None for no mark.
in_sample : bool, default=True
    Whether the examples are those that chose the points, as the picture says; False for held-out ones.
operating_points : None, int, "hull" or array-like, default=30
    All distinct scores, so many of them, those of the hull, or given thresholds; see
    :func:`operating_point_average`.
aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k)
    The auxiliary features.
clusters : array-like of shape (n,), optional
    Whom each example belongs to; whole clusters are drawn.
cv : int, default=5
    Number of folds of the rotation.
name : str, optional
    For the legend.
ax : matplotlib.axes.Axes, optional
    Where to draw; a new figure if not given.
base : float, default=e
    Of the logarithm on the axis; 10 in forensic use.
**kwargs : Any
    For the main line, such as ``color``.
""")
)
_DRAWN = COMPUTED | entries("**kwargs : Any\n    Options of `plot`.")
_PLOT = COMPUTED | entries("name : str, optional\n    For the legend; the display's own if not given.")
_MADE = {"Returns": "Self\n    Not drawn yet."}
ASKED = COMPUTED | entries("""
X : array-like or table of shape (n, n_features)
    The examples; best such that the estimator was not fitted on.
y : array-like of shape (n,)
    Their labels.
name : str, optional
    For the legend; the estimator's class if not given.
**options : Any
    Options of `from_predictions`, which does the rest.
-> Self
    The display.
""")
_RAISES = """ValueError
    For labels of one class only, NaN, bad weights, lengths that differ, a condition that is imprecise or
    cannot be met, or an option with a value that it cannot have."""
_AX, _NAME, _OPTIONS = (
    inspect.Parameter("ax", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Axes | None"),
    inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="str | None"),
    inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD, annotation="Any"),
)


class Display(ABC):
    """Base of the displays: a subclass computes its numbers in `compute` and draws them in `draw`.

    The rest follows from these two: `plot` chooses the axes and draws, `from_predictions` computes and plots,
    `from_estimator` asks a classifier first.

    """

    # Methods to ask an estimator for, in order of preference.
    _responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")
    _size: ClassVar[tuple[float, float]] = (4.8, 4.8)  # of a new figure, in inches
    # What the attributes are that many displays have; their own docstrings say the rest.
    attributes_told: ClassVar[dict[str, str]] = entries("""
name : str or None
    For the legend.
ax_, figure_, line_ : matplotlib objects
    Where it was drawn last; the main line.
""")
    # Which constructor draws the numbers of which other one.
    _drawn_by: ClassVar[dict[str, str]] = {"compute": "from_predictions"}

    name: str | None
    ax_: Axes
    figure_: Figure
    line_: Line2D

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "Attributes" in (parts := sections(vars(cls).get("__doc__") or "")):  # there is none under -OO
            own = entries(parts["Attributes"])
            shared = dict.fromkeys(text for name, text in cls.attributes_told.items() if name not in own)
            parts["Attributes"] = "\n".join([*shared, parts["Attributes"]])
            cls.__doc__ = composed(parts, inspect.Signature(), {})
        for source, target in {**cls._drawn_by, "draw": "plot"}.items():
            told = vars(cls).get(target)
            if source in vars(cls) and "Parameters" not in sections(getattr(told, "__doc__", None) or ""):
                _tell(cls, source, target)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.name is None else repr(self.name)})"

    @classmethod
    @abstractmethod
    def compute(cls, *examples: Any, **options: Any) -> Self:
        """Compute the numbers; the second argument is a score, a probability or an LLR, and says so."""

    @abstractmethod
    def draw(self, ax: Axes, name: str | None, **options: Any) -> None:
        """Draw the numbers on axes, under a name for the legend; sets `line_`."""

    @classmethod
    def from_predictions(cls, *examples: Any, ax: Axes | None = None, **options: Any) -> Self:
        """Compute and draw."""
        return cls._made_by(cls.compute, examples, ax, options)

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
        """Compute and draw from what a fitted classifier says about examples.

        Parameters
        ----------
        estimator : estimator instance
            A fitted binary classifier, or a pipeline that ends in one.
        pos_label : object, optional
            The label of the positive class; 1 if not given.
        response_method : str, default="auto"
            The method of the estimator that is called. "auto" is the first that it has of those
            which suit the display: ``predict_proba`` where probabilities are judged,
            ``predict_llr`` where log-likelihood-ratios are, and ``decision_function`` or
            ``predict_proba`` where only the order counts.

        Raises
        ------
        ValueError
            If the estimator has no such method, is not fitted, or is not binary; or as `from_predictions`
            does. Scores are not turned into probabilities or likelihood ratios behind your back.
        """
        wanted = cls._responses_for(options)
        refuse_other_order({"X": X, "y": y, "sample_weight": sample_weight})
        values = response(estimator, X, pos_label, wanted, response_method)
        return cls.from_predictions(
            y, values, sample_weight=sample_weight, pos_label=pos_label, ax=ax,
            name=type(estimator).__name__ if name is None else name, **options,
        )  # fmt: skip

    @classmethod
    def _responses_for(cls, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Methods to ask an estimator for, in order of preference."""
        return cls._responses

    @classmethod
    def _made_by(
        cls, numbers: Callable[..., Self], examples: tuple[Any, ...], ax: Axes | None, options: dict[str, Any]
    ) -> Self:
        """Draw what a constructor computes; options that no such constructor knows are those of `plot`."""
        require("matplotlib", "plot")  # before anything is computed
        known = {
            name for other in cls._drawn_by for name in inspect.signature(getattr(cls, other)).parameters
        }
        if "lower_is_positive" in options.keys() - known:  # else an error about lines, once all is computed
            own_scale = ", or as they are with calibrators of low scores" if "calibrators" in known else ""
            raise TypeError(f"{cls.__name__} has no lower_is_positive: give the scores negated{own_scale}.")
        own = {name: options.pop(name) for name in known & options.keys()}
        return numbers(*examples, **own).plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **options: Any) -> Self:
        """Draw the numbers on the given axes, or on those of a new figure."""
        require("matplotlib", "plot")
        if ax is None:
            plt = require("matplotlib.pyplot", "plot")
            self.ax_, others = self._axes(plt, options), []
        else:
            others = [other for other in ax.figure.axes if other is not ax]
            self.ax_ = self._within(ax)
        figure = self.ax_.get_figure(root=False)
        assert figure is not None  # axes that were removed from their figure cannot be drawn on
        self.figure_ = figure  # type: ignore[assignment]  # a subfigure will do
        try:
            self.draw(self.ax_, self.name if name is None else name, **options)
        except BaseException:
            if ax is None:
                plt.close(figure)
            raise
        _as_text([drawn for drawn in self.figure_.axes if drawn not in others])
        return self

    def _axes(self, plt: Any, options: Mapping[str, Any]) -> Axes:
        """The axes of a new figure."""
        axes: Axes = plt.subplots(figsize=self._size_for(options), layout="constrained")[1]
        return axes

    def _size_for(self, options: Mapping[str, Any]) -> tuple[float, float]:
        """The size of a new figure, in inches, under the options of `draw`."""
        return self._size

    def _within(self, ax: Axes) -> Axes:
        """The axes to draw on, of those that were given."""
        return ax


def _tell(cls: type[Display], source: str, target: str) -> None:
    """Give a class a `target` of its own, with signature and docstring after its `source`.

    A constructor that draws takes what the one that computes takes, and `plot` what `draw` takes.
    """
    written = inspect.getattr_static(cls, source)
    function, is_plot = getattr(written, "__func__", written), target == "plot"
    inherited = inspect.getattr_static(cls, target)
    general = getattr(inherited, "__func__", inherited)
    own = FunctionType(
        general.__code__, general.__globals__, target, general.__defaults__, general.__closure__
    )
    own.__kwdefaults__ = general.__kwdefaults__
    own.__module__, own.__qualname__ = cls.__module__, f"{cls.__qualname__}.{target}"
    known = list(inspect.signature(function).parameters.values())
    if is_plot:
        known = [known[0], _AX.replace(kind=_AX.POSITIONAL_OR_KEYWORD), _NAME, *known[3:]]
    else:
        known = [*(p for p in known if p.kind != p.VAR_KEYWORD), _AX, _OPTIONS]
    own.__signature__ = inspect.Signature(known, return_annotation="Self")  # type: ignore[attr-defined]
    if function.__doc__:  # there is none under -OO
        parts = ({} if is_plot else _MADE) | ({"Raises": _RAISES} if source == "compute" else {})
        parts |= sections(function.__doc__)
        own_words = entries(parts.get("Parameters", ""))
        function.__doc__ = composed(parts, inspect.signature(function), COMPUTED | own_words)
        parts["Returns"] = "Self\n    The display."
        if not is_plot:
            parts[""] = sections(general.__doc__ or "")[""]
        own.__doc__ = composed(parts, own.__signature__, (_PLOT if is_plot else _DRAWN) | own_words)  # type: ignore[attr-defined]
    setattr(cls, target, own if is_plot else classmethod(own))


def _as_text(axes: Sequence[Axes]) -> None:
    """Names in pictures are text: a dollar sign begins no formula, wherever it is written."""
    for ax in axes:
        legend = ax.get_legend()
        shown = [] if legend is None else [*legend.get_texts(), legend.get_title()]
        titles = [getattr(ax, name) for name in ("title", "_left_title", "_right_title") if hasattr(ax, name)]
        for text in (*shown, *titles, *ax.texts, ax.xaxis.label, ax.yaxis.label):
            text.set_parse_math(False)


def colours() -> tuple[str, ...]:
    """The colours of the user's style; ours, which everybody can tell apart, where it is matplotlib's own."""
    import matplotlib as mpl

    cycle = mpl.rcParams["axes.prop_cycle"]
    if cycle == mpl.rcParamsDefault["axes.prop_cycle"]:
        return COLOURS
    return tuple(cycle.by_key().get("color", COLOURS))


def ink(ax: Axes) -> Any:
    """The colour in which the axes are written on."""
    return ax.xaxis.label.get_color()


def grey(ax: Axes) -> tuple[float, ...]:
    """Between what is written and the ground, whether light or dark."""
    from matplotlib.colors import to_rgb

    ground = ax.get_facecolor()
    ends = zip(to_rgb(ink(ax)), to_rgb(ground), strict=True)
    return tuple(_INK * dark + (1 - _INK) * light for dark, light in ends)


def style(ax: Axes, given: dict[str, Any], *, by: str | None = None, **defaults: Any) -> dict[str, Any]:
    """The look of a main line: the caller's word comes first, under any of its spellings.

    Its colour is that of the classifier's name, `by`, or else the next one for the next display on the same
    axes; where a colour comes again the line is dashed.
    """
    from matplotlib import cbook
    from matplotlib.lines import Line2D

    count, palette, used = sum(map(is_curve, ax.lines)), colours(), _used(ax)
    slot = (
        least_taken(used, count, len(palette))
        if by is None
        else slots([by], len(palette), used.elements())[by]
    )
    plain = {**_look(palette, slot, used[slot]), "linewidth": 1.6, "gid": f"{_CURVE}-{count}"}
    look = {**plain, **defaults, **cbook.normalize_kwargs(given, Line2D)}
    if "label" in look and look["label"] != "_nolegend_":
        look["label"] = _seen(look["label"])
    return look


def looks_of(ax: Axes, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The colour of each of several classifiers, and its dashes if others on the axes have that colour."""
    palette, used, found = colours(), _used(ax), {}
    for name, slot in slots(names, len(palette), used.elements()).items():
        found[name] = _look(palette, slot, used[slot])
        used[slot] += 1
    return found


def _look(palette: Sequence[str], slot: int, before: int) -> dict[str, Any]:
    dashes = {"linestyle": _AGAIN[(before - 1) % len(_AGAIN)]} if before else {}
    return {"color": palette[slot], **dashes}


def _used(ax: Axes) -> Counter[int]:
    """How many curves on the axes have each colour of the palette, by its place."""
    palette = list(colours())
    drawn = [line.get_color() for line in ax.lines if is_curve(line)]
    return Counter(palette.index(colour) for colour in drawn if colour in palette)


def _seen(label: Any) -> Any:
    """A label that a legend shows: those that begin with an underscore are left out by matplotlib."""
    return f" {label}" if isinstance(label, str) and label.startswith("_") else label


def has_curve(ax: Axes) -> bool:
    """Whether another display is on the axes, which has drawn what all have in common."""
    return any(map(is_curve, ax.lines))


def reference(ax: Axes, x: ArrayLike, y: ArrayLike, **options: Any) -> None:
    """Draw a line that does not depend on the data; in the legend it is the last."""
    look = {"color": grey(ax), "linewidth": 0.9, "linestyle": (0, (1, 2)), "zorder": 1}
    ax.plot(x, y, **{**look, "gid": f"{_REFERENCE}-{len(ax.lines)}", **options})


def roc_axes(ax: Axes) -> None:
    """The ROC plane, with the line of chance, once for all displays; before the first curve."""
    if not has_curve(ax):
        reference(ax, [0, 1], [0, 1], label="chance")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel="false positive rate", ylabel="true positive rate")
    in_percent(ax.xaxis, ax.yaxis)


def in_percent(*axes: Axis) -> None:
    """Ticks of axes of shares as percentages, as reports and legends have them."""
    for axis in axes:
        axis.set_major_formatter(_percentage)


def _percentage(share: float, _: float = 0.0) -> str:
    return percent(float(f"{share:.10g}")).replace("-", "−")


def is_curve(line: Line2D) -> bool:
    """Whether a line is the main one of a display."""
    return (line.get_gid() or "").startswith(_CURVE)


def titled(name: str | None, what: str) -> str:
    """A legend entry: "name: what", or only the one that there is."""
    return str(_seen(what if not name else f"{name}: {what}" if what else name))


def is_reference(artist: Any) -> bool:
    """Whether an artist does not depend on the data."""
    return (artist.get_gid() or "").startswith(_REFERENCE)


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
    return "ln" if base == np.e else f"log{base:g}".translate(_SUBSCRIPTS)


def percent(share: float, digits: int = 3) -> str:
    """A share as "12.5 %", never with an exponent; only 1 is "100 %", and only 0 is "0 %"."""
    if 0 < share < 1e-6:
        return "< 0.0001 %"
    while True:
        said = np.format_float_positional(100 * share, digits, fractional=False, trim="-")
        if said != "100" or share >= 1 or digits > _MOST_DIGITS:
            return f"{said} %"
        digits += 1


def short_number(value: float) -> str:
    """A positive number in few characters: three digits, or 7.2e6."""
    if 1e-3 <= value < 1e4:
        return np.format_float_positional(value, 3, fractional=False, trim="-")
    return np.format_float_scientific(value, 1, trim="-", exp_digits=1).replace("e+", "e")
