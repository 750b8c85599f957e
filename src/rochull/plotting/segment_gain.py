"""The gain and the spending of every segment by a threshold of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull.conditions.base import Condition
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull
from rochull.hull.tallies import tally_of
from rochull.plotting.base import Display, colours, grey, has_curve, padded, reference, style, titled
from rochull.plotting.segmented import SegmentedExamples, legend_beside, thresholds_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array, Labelled
    from rochull.segments.redistribution import ErrorRedistribution

ELSEWHERE = "elsewhere"
_LINE, _GAP = 0.155, 0.1  # inches
_WIDE = 40  # letters
_NARROW = 3.0  # inches of the axes, in which labels are short
_CHANGE = "change of the rate, in percentage points"
_MOST = 20  # rows
_IDLE = 3  # segments in which nothing changes, that have a row each
_SPENT, _NOTE = "rochull-spent", "rochull-note"


@dataclass(eq=False, repr=False)
class SegmentGainDisplay(Display):
    """True positives gained and false positives spent in every segment, against one fixed threshold.

    Attributes
    ----------
    condition : Condition
        What both the thresholds of the segments and the fixed threshold were chosen for.
    segments : tuple of str
        What the segments are called; "elsewhere" for cases of none, if there are any.
    tpr_gain : ndarray of shape (s,)
        True positives of the segment that are called positive more than under the fixed threshold, as a
        share of all positives: they sum to the difference of the true positive rates.
    fpr_spent : ndarray of shape (s,)
        The same for false positives, as a share of all negatives.
    n_neg, n_pos : ndarray of int of shape (s,)
        Examples in each segment.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> size, y = rng.uniform(1, 5, 4000), rng.integers(0, 2, 4000)
    >>> model = rh.ErrorRedistribution("equal-variance", bins=[2, 3, 4])
    >>> display = rh.plotting.SegmentGainDisplay.compute(
    ...     y, rng.normal(size * y), {"size": size}, rh.NeymanPearson(0.05), redistribution=model
    ... )
    >>> display.segments[0], bool(display.tpr_gain.sum() > 0)
    ('size < 2', True)
    """

    condition: Condition
    segments: tuple[str, ...]
    tpr_gain: Array
    fpr_spent: Array
    n_neg: Array
    n_pos: Array
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        aux: Any,
        condition: Condition,
        *,
        redistribution: ErrorRedistribution | None = None,
        fixed: float | None = None,
        cv: int = 5,
        random_state: int | None = 0,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        condition : Condition
            With a single number for every parameter; the best single rule under it is taken.
        redistribution : ErrorRedistribution, optional
            One that is fitted to other examples; one that is not is fitted in a rotation, so that no case
            is judged by thresholds that were fitted to it, as is the model "pav" if none is given.
        fixed : float, optional
            The fixed threshold; if not given the best one under the condition: of the other folds in a
            rotation, of these examples (in-sample) for a fitted `redistribution`.
        random_state : int or None, default=0
            Shuffles the folds.
        """
        examples = SegmentedExamples.of(y_true, y_score, aux, sample_weight, pos_label)
        condition = condition.at_prevalence(examples.prevalence)
        least = None if fixed is None else validation.real(fixed, "fixed")
        model = examples.fitted(redistribution)  # of all examples, if it was not: only its segments are used
        segment = model.segment(examples.columns)
        if model is redistribution:
            bent = thresholds_of(model, condition, examples.columns)
            straight = np.full(bent.size, _fixed(examples.data, condition) if least is None else least)
        else:
            bent, straight = _in_rotation(examples, redistribution or model, condition, cv, random_state)
            straight = straight if least is None else np.full(bent.size, least)
        names, parts = _counted(examples, tuple(model.segments_), segment, bent, straight)
        return cls(condition=condition, segments=names, **parts, name=name)

    def draw(self, ax: Axes, name: str | None, *, most: int = _MOST, **kwargs: Any) -> None:
        """Draw a row for every segment, and one for all together.

        Parameters
        ----------
        most : int, default=20
            Of more segments those that change most have rows, and the others one together, as do four or more
            in which nothing changes.
        """
        labels, gain, spent = self._rows(most)
        if is_narrow := ax.bbox.width < _NARROW * ax.figure.dpi:
            labels = [label.rsplit("\n", 1)[0] for label in labels]
        is_first = not has_curve(ax)
        number = sum(line.get_gid() == _SPENT for line in ax.lines)
        y, palette = np.arange(len(labels)) + 0.4 * number, colours()
        before = None if is_first else ax.get_xlim()
        if is_first:
            reference(ax, [0, 0], [-0.6, len(labels) - 0.4], linestyle="-", label="fixed threshold")
            ax.axhline(len(labels) - 1.5, color=grey(ax), lw=0.5, zorder=0.5, gid=_NOTE)
        what = f"TPR gained, {self.condition.label}"
        look = style(
            ax, kwargs, label=titled(name, what), marker="o", linestyle="none", markersize=6.5, zorder=3,
            color=palette[2 * number % len(palette)],
        )  # fmt: skip
        self.line_ = ax.plot(gain, y - 0.11, **look)[0]
        colour, other = self.line_.get_color(), palette[(2 * number + 1) % len(palette)]
        ax.hlines(y - 0.11, 0, gain, color=colour, lw=2.2, alpha=0.45, zorder=2)
        ax.plot(
            spent, y + 0.11, "D", ms=5.5, mfc=ax.get_facecolor(), mew=1.5, color=other, gid=_SPENT, zorder=3,
            label=titled(name, "FPR spent"),
        )  # fmt: skip
        ax.hlines(y + 0.11, 0, spent, color=other, lw=2.2, alpha=0.45, zorder=2)
        low, high = padded(min(0.0, *gain, *spent), max(0.0, *gain, *spent), 0.06)
        if before is not None:
            low, high = min(low, before[0]), max(high, before[1])
        ax.set(
            xlim=(low, high), ylim=(len(labels) - 0.4 + 0.25 * number, -0.6),
            xlabel=_CHANGE.replace(", ", ",\n") if is_narrow else _CHANGE,
        )  # fmt: skip
        ax.set_ylabel("segment")
        ax.locator_params(axis="x", nbins=3 if is_narrow else 6)
        ax.set_yticks(range(len(labels)), labels, fontsize="small", parse_math=False)
        if not np.any([gain, spent]):
            ax.set_xlabel(f"{ax.get_xlabel()}: none")
        legend_beside(ax)

    def _size_for(self, options: Mapping[str, Any]) -> tuple[float, float]:
        labels, _, _ = self._rows(options.get("most", _MOST))
        return 7.4, 1.2 + len(labels) * _height(labels)

    def _rows(self, most: int) -> tuple[list[str], Array, Array]:
        """Labels and percentage points of the rows, the last one being all."""
        n, most = len(self.segments), validation.whole(most, "most", 1)
        numbers = np.stack([self.tpr_gain, self.fpr_spent, self.n_neg, self.n_pos]).astype(float)
        size = np.abs(self.tpr_gain) + np.abs(self.fpr_spent)
        kept = np.arange(n)
        if np.sum(size == 0) > _IDLE:  # rows without a mark to be seen
            kept = np.flatnonzero(size)
        if kept.size > most:
            kept = np.sort(np.argsort(-size, kind="stable")[:most])
        others = np.setdiff1d(np.arange(n), kept)
        columns = [*numbers[:, kept].T, *([numbers[:, others].sum(axis=1)] if others.size else [])]
        columns.append(numbers.sum(axis=1))
        names = [_wrapped(self.segments[i]) for i in kept]
        idle = "" if np.any(size[others]) else " without a change"
        names += [f"{others.size} others{idle}"] * bool(others.size) + ["all"]
        labels = [
            f"{name}\n{int(neg):,} neg., {int(pos):,} pos."
            for name, (_, _, neg, pos) in zip(names, columns, strict=True)
        ]
        gain, spent = 100 * np.array(columns)[:, :2].T
        return labels, gain, spent


def _height(labels: list[str]) -> float:
    """Inches of a row in which the longest label fits."""
    return _GAP + _LINE * (1 + max(label.count("\n") for label in labels))


def _wrapped(name: str) -> str:
    """A name on at most two lines."""
    return "\n".join(wrap(name, _WIDE, max_lines=2, placeholder=" …")) or name


def _in_rotation(
    examples: SegmentedExamples,
    redistribution: ErrorRedistribution,
    condition: Condition,
    cv: int,
    random_state: int | None,
) -> tuple[Array, Array]:
    """Thresholds (n,) of the segments, and the fixed one, from the other folds."""
    from rochull.segments.held_out import rotation

    bent, straight = np.empty((2, examples.data.scores.size))
    for fold in rotation(redistribution, examples.data, examples.columns, cv=cv, random_state=random_state):
        aux = {key: column[fold.test] for key, column in examples.columns.items()}
        bent[fold.test] = thresholds_of(fold.model, condition, aux)
        straight[fold.test] = _fixed(fold.train, condition)
    return bent, straight


def _fixed(data: Labelled, condition: Condition) -> float:
    """The best single threshold under a condition, of all segments together."""
    hull = RocHull.from_curve(RocCurve.from_tally(tally_of(data)))
    return hull.at(condition, deterministic=True).rules[0][0].lowest


def _counted(
    examples: SegmentedExamples, names: tuple[str, ...], segment: Array, bent: Array, straight: Array
) -> tuple[tuple[str, ...], dict[str, Array]]:
    """How many more are called positive in each segment, as shares of their class."""
    scores, positive, weight = examples.data.scores, examples.data.positive == 1, examples.weight
    more = (scores >= bent).astype(float) - (scores >= straight)
    if (segment < 0).any():
        segment, names = np.where(segment < 0, len(names), segment), (*names, ELSEWHERE)
    found = {}
    for own, rate, count in ((~positive, "fpr_spent", "n_neg"), (positive, "tpr_gain", "n_pos")):
        mass = np.bincount(segment[own], weight[own] * more[own], len(names))
        found[rate] = mass / weight[own].sum()
        found[count] = np.bincount(segment[own], minlength=len(names))
    return names, found
