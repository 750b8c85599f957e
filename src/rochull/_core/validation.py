"""The door: raw input becomes canonical arrays here, once. Below it, code trusts its arrays.

Every error is one sentence that names the parameter and what was found. Nothing given by the
caller is modified: results are views of the input where nothing had to change, else copies.
"""

from __future__ import annotations

import contextlib
import math
import numbers
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rochull._core.decimals import without_decimals
from rochull._core.distinct import few_integers, first_of_each, of_categories, texts_as_objects
from rochull._core.label_bits import zero_one_bits
from rochull._core.messages import Advice, Message, Name, Parameter, Refusal, Setting, named, refused
from rochull._core.rows import same_rows
from rochull._core.table_errors import a_type, beyond_64_bits, brief_repr, not_a_number, unknown
from rochull._core.threads import share_out

Array = NDArray[Any]

_SEED = "must be an integer from 0 on, a NumPy generator or seed sequence, or None, but is {}."


@dataclass(frozen=True, eq=False)
class Labelled:
    """Validated examples; their arrays are read-only views.

    Attributes
    ----------
    positive : (n,) 1 for a positive example, else 0: uint8, or the integers that were given.
    scores : (n,) float32, float64 or an integer type; no NaN. Of several columns float64 (n, k).
    weights : float64 (n,) or None.
    keys : uint64 (n,) hashes of the rows' keys (see `_core.key_hashes`), where they are asked for; else None.
    lower_is_positive : whether the scores are those that were given, negated.
    bits : wide labels as `label_bits.packed_labels` has them, if they were looked at so; else None.
    """

    positive: Array
    scores: Array
    weights: Array | None
    keys: Array | None = None
    lower_is_positive: bool = False
    bits: Array | None = None

    def __post_init__(self) -> None:
        # Nothing given can be modified, and kernels are compiled for one kind of array instead of two.
        own = self.__dict__
        for name in ("positive", "scores", "weights"):
            array = own[name]
            if array is not None and array.flags.writeable:
                own[name] = view = array.view()
                view.setflags(write=False)

    @property
    def given(self) -> Array:
        """The scores as the caller has them (n,)."""
        return 0 - self.scores if self.lower_is_positive else self.scores

    def part(self, rows: Array | slice) -> Labelled:
        """Some of the examples, without their keys and bits."""
        weights = None if self.weights is None else self.weights[rows]
        return Labelled(
            self.positive[rows], self.scores[rows], weights, lower_is_positive=self.lower_is_positive
        )


def labelled(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    *,
    name: Name = "y_score",
    nan_checked: bool = True,
    lower_is_positive: bool = False,
) -> Labelled:
    """Check labels, scores and weights of the same examples.

    `name` is what the caller calls the scores. With `nan_checked=False` the caller promises to look
    for NaN scores while reading them. With `lower_is_positive` the scores come back negated: high
    ones mean positive wherever there is a `Labelled`.
    """
    lower = truth(lower_is_positive, "lower_is_positive")
    bits = zero_one_bits(y_true, pos_label)
    checked = labels_beside(y_true, pos_label, "y_true", y_score, name) if bits is None else y_true
    scores = scores_1d(y_score, name, nan_checked=nan_checked)
    weights = None if sample_weight is None else weights_1d(sample_weight)
    same_rows(y_true=y_true, **{str(name): y_score}, sample_weight=sample_weight)
    scores = negated(scores, name) if lower else scores
    return Labelled(np.asarray(checked), scores, weights, lower_is_positive=lower, bits=bits)


def negated(scores: Array, name: Name = "y_score") -> Array:
    """Validated scores (n,) the other way round, exactly; zero stays 0.0. Integers become int64."""
    if scores.dtype.kind == "f":
        return 0 - scores
    least = scores.dtype.kind == "i" and scores.size and scores.min() == -(2**63)
    if least or (scores.size and scores.max() > 2**63):
        which = int(scores.min() if least else scores.max())
        raise refused(name, "holds {}, whose negative does not fit 64 bits: rank the scores first.", which)
    return 0 - scores.astype(np.int64)  # 2**63 has become its own negative


def chunk(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: object,
    *,
    offset: int = 0,
    seen: set[Any] | None = None,
) -> Labelled:
    """Check one chunk of a longer stream, which may hold one class only or nothing.

    `offset` is the number of rows before it, for messages; `seen` gathers the labels of the stream.
    """
    if np.size(y_true) == 0:
        empty = np.zeros(0)
        same_rows(y_true=empty, y_score=np.ravel(np.asarray(y_score)))
        return Labelled(empty.astype(np.uint8), empty, None if sample_weight is None else empty)
    labels = _column(y_true, "y_true")
    if labels.dtype.kind == "b" and pos_label is None:
        positive = np.ascontiguousarray(labels).view(np.uint8)
    else:
        positive = coded(labels, pos_label, "y_true", partial=True)
    if seen is not None:
        seen.update((0, 1) if labels.dtype.kind == "b" else _classes(labels, "y_true", labels))
        if len(seen) > 2:
            held = _listed(sorted(seen, key=str))
            raise refused("y_true", "must have two classes, but the chunks hold {}: {}.", len(seen), held)
    scores = scores_1d(y_score, nan_checked=False)
    refuse_nan(scores, "y_score", offset)
    weights = None if sample_weight is None else weights_1d(sample_weight)
    same_rows(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    return Labelled(positive, scores, weights)


def forecasts(
    y_true: ArrayLike,
    probability: ArrayLike,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    *,
    name: Name = "probability",
) -> Labelled:
    """Check labels, probabilities and weights of the same examples; the probabilities are the scores."""
    values = rates_1d(probability, name, copy=False)
    same_rows(y_true=y_true, **{str(name): probability}, sample_weight=sample_weight)
    return labelled(y_true, values, sample_weight, pos_label, name=name, nan_checked=False)


def wrong_shape(name: Name, shape: str, values: Any, hint: str = "") -> Refusal:
    """Make the error about values that do not have the shape that they must have."""
    found = np.shape(values)
    if found or isinstance(values, np.ndarray):
        return refused(name, "must have shape {}, but has shape {}{}.", shape, found, hint)
    return refused(name, "must be an array of shape {}, but is {}{}.", shape, a_type(values), hint)


def masked_values(values: Any) -> int:
    """How many values an array hides by a mask. NumPy loads what knows masks when it is first named."""
    plain = type(values) is np.ndarray or not isinstance(values, np.ndarray)
    return 0 if plain else int(np.ma.getmaskarray(values).sum())


def _column(values: ArrayLike, name: Name) -> Array:
    """A (n,) array from (n,) or (n, 1) values of any kind."""
    if masked := masked_values(values):
        raise refused(name, "has {} masked values; remove those rows first.", masked)
    plain = type(values) is np.ndarray  # to write a type of NumPy's takes 4 us
    wide = not plain and str(getattr(values, "dtype", "")) in ("Int128", "UInt128")  # of polars
    try:
        array = objects(values.to_list()) if wide else np.asarray(values)  # type: ignore[union-attr]
    except ValueError as error:
        raise refused(name, "is not an array: {}", error) from None
    items = values if isinstance(values, (list, tuple)) and array.dtype.kind in "SU" else ()
    if array.ndim == 1 and not all(
        isinstance(i, (str, bytes)) and i[-1:] not in ("\0", b"\0") for i in items
    ):
        array = objects(items)  # NumPy made text of numbers, or left a NUL at the end out
    if array.ndim == 0:
        lazy = "; collect it first" if hasattr(values, "collect") else ""
        raise refused(name, "must be an array of shape (n,), but is {}{}.", a_type(values), lazy)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        hint = ""
        if array.ndim == 2 and array.shape[1] == 2:
            hint = "; for the output of predict_proba pass its column [:, 1]"
        raise refused(name, "must have shape (n,) or (n, 1), but has shape {}{}.", array.shape, hint)
    if array.size == 0:
        raise refused(name, "is empty.")
    return array


def scores_1d(y_score: ArrayLike, name: Name = "y_score", *, nan_checked: bool = True) -> Array:
    """Scores (n,) as float32, float64, or a native integer type, exactly as given."""
    scores = _column(y_score, name)
    if isinstance(y_score, (list, tuple)) and scores.dtype.kind == "f":
        large = np.flatnonzero(np.abs(scores) >= 2**53)
        if any(isinstance(y_score[i], numbers.Integral) for i in large):  # NumPy may have rounded it
            scores = np.asarray(y_score, dtype=object)
    if scores.dtype == object:
        scores = _numbers_from_objects(scores, name)
    kind, size = scores.dtype.kind, scores.dtype.itemsize
    if kind == "b":
        scores = scores.astype(np.int8)
    elif kind == "f" and size == 2:
        scores = scores.astype(np.float32)
    elif kind == "f" and size > 8:
        with np.errstate(over="ignore", under="ignore"):
            narrow = scores.astype(np.float64)
        if not np.array_equal(narrow, scores, equal_nan=True):
            raise refused(name, "has type {}, and its values do not fit float64 exactly.", scores.dtype)
        scores = narrow
    elif kind not in "fiu":
        raise refused(name, "must be numeric, but has type {}.", scores.dtype)
    if not scores.dtype.isnative:
        scores = scores.astype(scores.dtype.newbyteorder("="))
    if nan_checked:
        refuse_nan(scores, name)
    return scores


def cast(scores: Array, dtype: np.dtype[Any], name: Name = "y_score") -> Array:
    """Scores in a type that holds the scores of other chunks too; none may change."""
    if dtype.kind == "f" and scores.dtype.kind in "iu" and scores.size:
        largest = max(int(scores.max()), -int(scores.min()))
        if largest > 2**53:
            raise refused(name, "has integers beyond 2**53 beside floats, which cannot hold them exactly.")
    return scores.astype(dtype, copy=False)


def has_nan(scores: Array) -> bool:
    """Whether there is a NaN: a minimum propagates it, without a copy of the scores."""
    return bool(scores.dtype.kind == "f" and scores.size and math.isnan(np.minimum.reduce(scores)))


def refuse_nan(scores: Array, name: Name, offset: int = 0) -> None:
    """Raise if there is a NaN, naming how many and the first index."""
    if has_nan(scores):
        missing = np.isnan(scores)
        first = int(np.argmax(missing)) + offset
        raise refused(name, "has {} NaN, the first at index {}.", int(missing.sum()), first)


def is_missing(value: object) -> bool:
    """Whether a Python value stands for "missing": None, a NaN, or a data frame library's NA."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True  # asked first: pandas.NA is neither equal nor unequal to anything
    unequal: Any = value != value  # noqa: PLR0124 - of a cell that holds an array, this is one
    return isinstance(unequal, (bool, np.bool_)) and bool(unequal)


def _first_unreadable(values: Array) -> tuple[int, Any]:
    """Where text first is not even a number: the culprit in a column of numbers read as text."""
    for index, value in enumerate(values):
        try:
            float(str(value).encode("ascii"))  # Python reads digits of other scripts, which no file means
        except (TypeError, ValueError):
            return index, value
    return 0, values[0]


def objects(values: Sequence[Any]) -> Array:
    """Values as an array of objects (n,), whatever they are."""
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _numbers_from_objects(values: Array, name: Name) -> Array:
    """Python numbers as a numeric array, if that loses nothing; decimals become what they are in a column."""
    values = without_decimals(values)
    for index, value in enumerate(values):
        if is_missing(value):
            raise refused(name, "has missing values, the first at index {}.", index)
        if isinstance(value, str) and index == 0:
            index, value = _first_unreadable(values)
        if not isinstance(value, numbers.Real):
            raise not_a_number(name, index, value)
    if all(isinstance(v, numbers.Integral) for v in values):
        for dtype in (np.int64, np.uint64):
            info = np.iinfo(dtype)
            if all(info.min <= int(v) <= info.max for v in values):
                return np.array([int(v) for v in values], dtype=dtype)
        raise beyond_64_bits(name)
    try:
        array = np.array([float(v) for v in values])
    except OverflowError:
        raise refused(name, "has integers beyond the range of float64.") from None
    for index, value in enumerate(values):
        if float(array[index]) != value:  # as Python numbers, which are compared exactly
            raise Refusal(
                "{}: the value {} at index {} does not fit float64 exactly.", named(name), repr(value), index
            )
    return array


def weights_1d(sample_weight: ArrayLike, name: Name = "sample_weight") -> Array:
    """Weights float64 (n,): finite and non-negative. Totals are checked where they are summed."""
    weights = _column(sample_weight, name)
    if weights.dtype == object:
        weights = _numbers_from_objects(weights, name)
    if weights.dtype.kind not in "fiub":
        raise refused(name, "must be numeric, but has type {}.", weights.dtype)
    with np.errstate(over="ignore", under="ignore"):  # a longdouble becomes infinite, and is refused
        weights = weights.astype(np.float64, copy=False)
    if weights.min() >= 0 and weights.max() < np.inf:  # both propagate NaN, which fails
        return weights
    for what, wrong in (
        ("values that are not finite", ~np.isfinite(weights)),
        ("negative values", weights < 0),
    ):
        if wrong.any():
            first = int(np.argmax(wrong))
            raise refused(name, "has {} {}, the first at index {}.", int(wrong.sum()), what, first)
    raise AssertionError("unreachable: some weight is wrong")


def binary_labels(
    y_true: ArrayLike, pos_label: object = None, name: Name = "y_true", *, rows: int | None = None
) -> Array:
    """Labels as 1 for positive and 0 (n,), by scikit-learn's rule for `pos_label`.

    They are uint8, or the very array that was given where it holds the integers 0 and 1.

    Without `pos_label` the labels must be {0, 1}, {-1, 1} or booleans, and 1 (True) is positive.
    Exactly two classes must be present. `rows` is how many labels there are, where not all are given.
    """
    labels = _column(y_true, name)
    if labels.dtype.kind == "b" and pos_label is None:
        positive = np.ascontiguousarray(labels).view(np.uint8)
    elif labels.dtype.kind in "iu" and (pos_label is None or pos_label == 1) and _is_zero_one(labels):
        return labels
    else:
        positive = coded(labels, pos_label, name)
    n_positive = int(np.count_nonzero(positive.view(bool)))  # much faster than on bytes
    if n_positive in (0, positive.size):
        which = "positive" if n_positive else "negative"
        raise refused(name, "has one class only: all {} labels are {}.", rows or positive.size, which)
    return positive


def labels_beside(y: ArrayLike, pos_label: object, name: Name, scores: ArrayLike, scores_name: Name) -> Array:
    """Labels of the examples that have these scores; if both were swapped, the error says so."""
    try:
        return binary_labels(y, pos_label, name)
    except ValueError:
        if (many := _many_numbers(y)) > 2 and _could_be_labels(scores, pos_label):
            raise Refusal(
                "{} takes {} values and {} two, which could be labels: {} and {} seem to be in the wrong "
                "order.",
                *(named(name), many, named(scores_name), named(name), named(scores_name)),
            ) from None
        raise


def _many_numbers(values: ArrayLike) -> int:
    """How many different numbers there are; 0 if they are not numbers."""
    try:
        array = np.asarray(values)
    except ValueError:
        return 0
    return np.unique(array).size if array.dtype.kind in "iuf" else 0


def _could_be_labels(values: ArrayLike, pos_label: object) -> bool:
    try:
        binary_labels(values, pos_label)
    except (TypeError, ValueError):
        return False
    return True


def coded(labels: Array, pos_label: object, name: Name, *, partial: bool = False) -> Array:
    """1 where the label is positive, 0 where it is the only other label.

    With `partial` (a chunk of a stream) `pos_label` need not occur.
    """
    classes = _classes(labels, name, labels)
    if len(classes) > 2:
        more, held = Advice("more_classes", ""), _listed(classes)
        raise refused(name, "must have two classes, but has {}: {}. {}", len(classes), held, more)
    if pos_label is None:
        known = set(classes) <= {0, 1} or set(classes) <= {-1, 1}
        if labels.dtype.kind not in "iufbO" or not known:
            raise refused(
                name,
                "takes the values {}; give {} to say which is positive.",
                _listed(classes),
                Parameter("pos_label"),
            )
        pos_label = 1
    elif not partial and all(pos_label != c for c in classes):
        what = Message("{} does not occur in {}", Setting("pos_label", pos_label), named(name))
        truths = [Advice("words_of_truth", "")] if classes == [False, True] else []
        raise unknown(what, pos_label, classes, ", which holds", *truths)
    if labels.dtype.kind == "M":  # NumPy compares no times with integers, which nanoseconds are in lists
        pos_label = np.asarray(pos_label, labels.dtype)
    return np.asarray(labels == pos_label).astype(np.uint8)


def _is_zero_one(labels: Array) -> bool:
    """Whether integers are 0 and 1, both present. Their bits tell, in one pass."""
    either = np.bitwise_or.reduce
    bits = either(share_out(either, np.array_split(labels, 8)) if labels.size > 1 << 20 else labels)
    return bool(bits == 1 and (labels[:4096].min() == 0 or labels.min() == 0))


def _classes(labels: Array, name: Name, held: Array) -> list[Any]:
    """The distinct labels, sorted where they can be; `held` are rows that have them all."""
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise refused(name, "has {} NaN.", int(np.isnan(labels).sum()))
    if held.dtype.kind != "O":
        return list(np.unique(held).tolist())
    try:
        distinct = list(dict.fromkeys(held.tolist()))
    except TypeError:
        index, value = next((i, v) for i, v in enumerate(labels) if not isinstance(v, Hashable))
        raise refused(name, "must hold labels, but index {} holds {}.", index, brief_repr(value)) from None
    # Texts are passed over, since to ask 10,000 takes as long as to sort them.
    if labels.dtype.kind == "O" and any(is_missing(each) for each in distinct if type(each) is not str):
        first = [*map(is_missing, labels)].index(True)
        raise refused(name, "has missing values, the first at index {}.", first)
    try:
        return sorted(distinct)
    except TypeError:
        return distinct


def codes_1d(values: ArrayLike, name: Name) -> tuple[Array, list[Any]]:
    """Labels of any kind as indices (n,) into the distinct ones, which are sorted where they can be."""
    rows, values = of_categories(values) or (slice(None), texts_as_objects(values))
    labels = _column(values, name)
    if labels.dtype.kind in "mM" and np.isnat(labels).any():
        raise refused(name, "has missing values, the first at index {}.", int(np.isnat(labels).argmax()))
    if (found := few_integers(labels)) is not None:
        return found[0][rows], found[1]
    # Texts are hashed, which is quicker than to sort them.
    first, places = first_of_each(labels) or (slice(None), slice(None))
    held = labels[first].astype(object if labels.dtype.kind in "SU" else labels.dtype, copy=False)
    classes = _classes(labels, name, held)
    if held.dtype.kind != "O":
        return np.searchsorted(np.array(classes, held.dtype), held)[places][rows], classes
    code = {label: i for i, label in enumerate(classes)}.__getitem__
    return np.fromiter(map(code, held.tolist()), np.intp, held.size)[places][rows], classes


def _listed(classes: list[Any]) -> str:
    shown = ", ".join(map(brief_repr, classes[:5]))
    return shown + (f", ... ({len(classes)} values)" if len(classes) > 5 else "")


def rates_1d(values: ArrayLike, name: Name, *, copy: bool = True, before: int = 0) -> Array:
    """Rates float64 (n,) in [0, 1]; one number is an array of one. With `copy=False`, a view if possible.

    Messages count those that are `before` them.
    """
    many: Any = values if isinstance(values, (list, tuple)) or np.ndim(values) else [values]
    rates = scores_1d(many, name).astype(np.float64, copy=copy)
    if rates.min() < 0 or rates.max() > 1:
        index = int(np.argmax((rates < 0) | (rates > 1)))
        found = repr(float(rates[index])), before + index
        raise refused(name, "must lie between 0 and 1, but holds {} at index {}.", *found)
    return rates


def probability(value: float, name: Name, *, open_ends: bool = False) -> float:
    """A number in [0, 1], or in (0, 1) where the ends are not allowed."""
    number = real(value, name)
    inside = 0 < number < 1 if open_ends else 0 <= number <= 1
    if not inside:
        interval = "strictly between 0 and 1" if open_ends else "between 0 and 1"
        raise refused(name, "must lie {}, but is {}.", interval, repr(value))
    return number


def real(value: float, name: Name) -> float:
    """A finite number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, bool):
        with contextlib.suppress(OverflowError, ValueError):  # of what no float holds
            number = float(value)
            if math.isfinite(number):
                return number
    raise refused(name, "must be a finite number, but is {}.", repr(value))


def non_negative(value: float, name: Name) -> float:
    """A finite number, zero or more."""
    number = real(value, name)
    if number < 0:
        raise refused(name, "must not be negative, but is {}.", repr(value))
    return number


def positive(value: float, name: Name) -> float:
    """A finite number above zero."""
    number = real(value, name)
    if number <= 0:
        raise refused(name, "must be positive, but is {}.", repr(value))
    return number


def truth(value: bool, name: Name) -> bool:
    """True or False."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise refused(name, "must be True or False, but is {}.", repr(value))


def whole(value: int, name: Name, least: int) -> int:
    """An integer, `least` or more."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise refused(name, "must be an integer of at least {}, but is {}.", least, repr(value))


def generator(random_state: Any) -> np.random.Generator:
    """A generator of whatever NumPy makes one of; one that is given goes on."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise refused("random_state", _SEED, repr(random_state)) from None


def entropy(random_state: Any) -> Any:
    """The entropy for a `SeedSequence`; a generator moves on."""
    if isinstance(random_state, np.random.Generator):
        return random_state.integers(0, 2**63, 4).tolist()
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(0, 2**31 - 1, 8).tolist()
    if isinstance(random_state, np.random.SeedSequence):
        return random_state.generate_state(8).tolist()
    if random_state is None:
        return None
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if whole and random_state >= 0:
        return int(random_state)
    raise refused("random_state", _SEED, repr(random_state))
