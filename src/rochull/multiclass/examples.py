"""Labelled outputs of several classes: checked once, grouped by class, and counted under weight vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.messages import Parameter, Refusal, changed, named, refused
from rochull._core.rows import same_rows
from rochull._core.threads import n_threads, share_out
from rochull._core.validation import Array
from rochull.decisions.outputs import refuse_unusable
from rochull.hull.tallies import OneClass, Spread, Units
from rochull.multiclass.by_class import by_label, placed, places_of
from rochull.multiclass.inputs import named_classes, numeric
from rochull.multiclass.loops import loops_of
from rochull.multiclass.measures import Measure
from rochull.multiclass.point import MulticlassPoint
from rochull.multiclass.points import MulticlassPoints

# What a search minimises: a measure, or a function of confusion matrices (k, C, C) that returns (k,).
Goal: TypeAlias = Measure | Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class LabelledOutputs:
    """Examples with outputs of several classes, in the order that the kernels read."""

    outputs: Array  # (C, n) float64, class by class in memory; the columns are grouped by true class
    order: Array  # (n,) the row, as given, of each column; or (0,) where nobody asks for it
    begin: Array  # (C + 1,) examples of class i are the columns from begin[i] to begin[i + 1]
    mass: Array  # (n,) int64 units that each example weighs, or (0,) where each counts one
    units: Array | None  # (C,) how many units one of weight is, by true class; None where mass is empty
    classes: tuple[Any, ...]  # the labels, in the order of the rows of `outputs`

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        outputs: ArrayLike,
        sample_weight: ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> LabelledOutputs:
        """Check what a caller gives, and group it by class."""
        array = outputs_2d(outputs)
        codes, labels = class_codes(y_true, classes, array.shape[1])
        same_rows(y_true=y_true, outputs=outputs, sample_weight=sample_weight)
        places = placed(y_true, outputs, array, codes, labels, name="outputs", stated=classes is not None)
        weight = None if sample_weight is None else validation.weights_1d(sample_weight)
        order, begin, mass, units = _grouping(codes, labels, weight)
        grouped = np.empty((len(labels), order.size))
        for c in range(len(labels)):  # row by row: no second copy of all
            np.take(array[:, places[c]], order, out=grouped[c])
        return cls(grouped, order, begin, mass, units, labels)

    @classmethod
    def of_columns(
        cls, outputs: Array, codes: Array, labels: Sequence[Any], weight: Array | None = None
    ) -> LabelledOutputs:
        """Group checked outputs (C, n) in their place, which takes the memory of one more column."""
        order, begin, mass, units = _grouping(codes, labels, weight)
        for row in outputs:
            row[: order.size] = row[order]
        kept = outputs if order.size == codes.size else np.ascontiguousarray(outputs[:, : order.size])
        return cls(kept, order[:0], begin, mass, units, tuple(labels))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def total_units(self) -> Array:
        """Units of each class (C,), int64."""
        if not self.mass.size:
            return np.diff(self.begin)
        return np.add.reduceat(self.mass, self.begin[:-1])

    @cached_property
    def totals(self) -> Array:
        """Weight of each class (C,); int64 counts if unweighted."""
        return self.total_units if self.units is None else self.total_units / self.units

    def decided(self, vector: Array) -> Array:
        """The column that one checked weight vector calls each example (n,), in the order given.

        Examples of weight zero are left out.
        """
        called = np.empty(self.order.size, np.int64)
        loops_of(self.outputs).decide(self.outputs, vector, called)
        return called[np.argsort(self.order)]

    def weighed(self, units: Array) -> Array:
        """Units (..., C, ...) whose second last axis is the true class, as weights; counts stay int64."""
        return units if self.units is None else np.asarray(units / self.units[:, None])

    def confusion_units(self, vectors: Array) -> Array:
        """Confusion matrices int64 (k, C, C) of checked weight vectors, in units."""
        loops = loops_of(self.outputs)
        parts = np.array_split(vectors, min(n_threads(), len(vectors)))

        def count(part: Array) -> Array:
            out = np.zeros((len(part), self.n_classes, self.n_classes), np.int64)
            loops.confusion(self.outputs, self.begin, self.mass, part, out)
            return out

        return np.concatenate(share_out(count, parts))

    def thinned(self, step: int) -> LabelledOutputs:
        """Every `step`-th example of each class, from its first on."""
        parts = [np.arange(a, b, step) for a, b in zip(self.begin[:-1], self.begin[1:], strict=True)]
        chosen = np.concatenate(parts)
        begin = np.cumsum([0, *map(len, parts)])
        mass = self.mass[chosen] if self.mass.size else self.mass
        return LabelledOutputs(self.outputs[:, chosen], self.order[:0], begin, mass, self.units, self.classes)

    def counted(self, vector: Array) -> Array:
        """The confusion matrix (C, C) of one checked weight vector, as weights."""
        return self.weighed(self.confusion_units(vector[None])[0])

    def points(self, vectors: Array) -> MulticlassPoints:
        """The operating points of checked weight vectors."""
        return MulticlassPoints(vectors, self.weighed(self.confusion_units(vectors)), self.classes)


def _grouping(
    codes: Array, labels: Sequence[Any], weight: Array | None
) -> tuple[Array, Array, Array, Array | None]:
    """The rows class by class, where each class begins, and what they weigh, in which units."""
    mass, units = np.zeros(0, np.int64), None
    order = np.argsort(codes, kind="stable")
    if weight is not None:
        mass, units = units_per_class(weight, codes, labels)
        order = order[mass[order] > 0]
        mass = mass[order]
    return order, np.searchsorted(codes[order], np.arange(len(labels) + 1)), mass, units


def scaled(vectors: Array) -> Array:
    """Weight vectors divided by a power of two that brings their largest weight to [0.5, 1)."""
    return np.asarray(np.ldexp(vectors, -np.frexp(vectors.max(axis=1, keepdims=True))[1]))


def outputs_2d(outputs: ArrayLike, name: str = "outputs") -> Array:
    """Outputs float64 (n, C >= 2): finite, not negative."""
    array = numeric(outputs, name)
    if array.ndim != 2 or array.shape[1] < 2:
        raise validation.wrong_shape(name, "(n, C) with C of 2 or more", outputs)
    if array.size == 0:
        raise refused(name, "is empty.")
    refuse_unusable(array, name)
    return array


def class_codes(
    y_true: ArrayLike, classes: Sequence[Any] | None, n_columns: int, name: str = "y_true"
) -> tuple[Array, tuple[Any, ...]]:
    """The column of each example's class, and the labels of the columns."""
    codes, found = validation.codes_1d(y_true, name)
    if classes is None:
        if len(found) != n_columns:
            raise refused(
                name,
                "has {} classes, but outputs has {} columns; name the classes of the columns.",
                len(found),
                n_columns,
            )
        return codes.astype(np.int64), tuple(found)
    labels = named_classes(classes, n_columns, f"{n_columns} different columns of outputs")
    place = []
    for label in found:
        if label not in labels:
            raise refused(name, "has the class {}, for which outputs has no column.", repr(label))
        place.append(labels.index(label))
    missing = [label for label in labels if label not in found]
    if missing:
        raise refused(name, "has no example of class {}.", repr(missing[0]))
    return np.array(place, np.int64)[codes], labels


def labels_array(classes: Sequence[Any]) -> Array:
    """Labels as an array (C,): of their own type if they share one, else of objects."""
    if len({type(label) for label in classes}) == 1 and isinstance(classes[0], (str, int, float)):
        return np.array(classes)
    labels = np.empty(len(classes), object)
    labels[:] = classes
    return labels


def weights_of(weights: Any, classes: Sequence[Any], name: str = "weights") -> Array:
    """Weight vectors (k, C): given as numbers, as a weight for each label, or as points of the classes."""
    if isinstance(weights, (MulticlassPoint, MulticlassPoints)):
        if tuple(weights.classes) != tuple(classes):
            raise Refusal(
                "{}: the point is of the classes {}, but here they are {}.",
                named(name),
                repr(weights.classes),
                repr(tuple(classes)),
            )
        if isinstance(weights, MulticlassPoint) and len(weights.rules) > 1:
            raise Refusal(
                "{}: the point is a mixture of {} weight vectors; a MulticlassPolicy decides with it, by "
                "a key or a random state.",
                named(name),
                len(weights.rules),
            )
        weights = weights.weights
    weights = by_label(weights, classes, name)
    places = places_of(weights, classes, name, stated=False)
    return weight_vectors(
        weights if places is None else numeric(weights, name)[:, places], len(classes), name
    )


def weight_vectors(weights: ArrayLike, n_classes: int, name: str = "weights") -> Array:
    """Weight vectors float64 (k, C): finite, not negative, none all zero."""
    given = numeric(weights, name)
    vectors = np.array(given, order="C", ndmin=2)  # a copy: points hold them
    if not len(vectors):
        raise refused(name, "is empty: it holds no vector.")
    if vectors.ndim != 2 or vectors.shape[1] != n_classes:
        raise validation.wrong_shape(name, f"(k, {n_classes})", weights)
    for what, wrong in (
        ("that are not finite", ~np.isfinite(vectors)),
        ("that are negative", vectors < 0),
    ):
        if wrong.any():
            row = int(np.argwhere(wrong)[0][0])
            many = "value" if wrong.sum() == 1 else "values"
            what = what if wrong.sum() > 1 else what.replace("are", "is")
            raise refused(name, "has {} {} {}, the first in vector {}.", int(wrong.sum()), many, what, row)
    zero = np.flatnonzero(~vectors.any(axis=1))
    if zero.size:
        raise Refusal("{}: vector {} is all zero.", named(name), int(zero[0]))
    return vectors


def class_weights(sample_weight: ArrayLike | None, codes: Array, classes: Sequence[Any]) -> Array | None:
    """Weights (n,) if any are given, of which every class must have some."""
    if sample_weight is None:
        return None
    weight = validation.weights_1d(sample_weight)
    units_per_class(weight, codes, classes)
    return weight


def units_per_class(weight: Array, codes: Array, classes: Sequence[Any]) -> tuple[Array, Array]:
    """Weights as whole numbers of a unit of their class (n,), and how many units are one (C,).

    A class has at most 2^52 units: so any number of them is a float64, and a rate is one rounding of a ratio
    of whole numbers. So a rate that equals its limit meets it.
    """
    spread = Spread.by_code(codes, Spread.of_weights(weight), len(classes))
    totals = spread.total
    empty = np.flatnonzero(totals == 0)
    if empty.size:
        raise Refusal(
            "{}: class {} has zero total weight.", Parameter("sample_weight"), repr(classes[empty[0]])
        )
    units = np.empty(len(classes))
    for c in range(len(classes)):
        with changed(_calling(classes[c])):
            units[c] = Units.fitting(spread[np.array([c, c])], weight.size).pair[1] / 2**6
    return np.rint(weight * units[codes]).astype(np.int64), units


def _calling(label: Any) -> Callable[[Any], Any]:
    """A change of a message: a class by its label, in place of one of two."""
    return lambda part: f"class {label!r}" if isinstance(part, OneClass) else part
