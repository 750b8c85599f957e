"""Columns of scores: as calibrators read them, by name or in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.messages import Refusal, named, refused
from rochull._core.rows import same_rows
from rochull._core.table_errors import names_listed, no_column
from rochull._core.tables import all_columns, named_columns
from rochull._core.validation import Array


def score_columns(scores: Any, name: str, known: Sequence[str] = ()) -> tuple[Array, tuple[str, ...] | None]:
    """Validated scores float64 (n, k) of several columns, and the columns' names where they are texts.

    An array or a list of rows has no names. Of what has names, those that are `known` are taken, in their
    order.
    """
    named = named_columns(scores, name)
    if named is None:
        array = np.array(scores, object) if isinstance(scores, (list, tuple)) else scores
        array = array if isinstance(array, np.ndarray) else np.asarray(array)
        if array.ndim not in (1, 2):
            raise validation.wrong_shape(name, "(n, k)", scores)
        return side_by_side(dict(enumerate(array.T if array.ndim == 2 else [array])), name), None
    for wanted in known:
        if wanted not in named:
            raise no_column(name, wanted, named)
    columns = all_columns({label: named[label] for label in known or named}, name)
    texts = all(isinstance(label, str) for label in columns)
    return side_by_side(columns, name), tuple(columns) if texts else None


def side_by_side(columns: Mapping[Any, Any], name: str) -> Array:
    """Columns of scores, validated, as float64 (n, k); ValueError where an integer would be rounded."""
    if not columns:
        raise refused(name, "has no columns.")
    read = {f"column {label!r} of {name}": column for label, column in columns.items()}
    for which, column in read.items():
        read[which] = validation.cast(validation.scores_1d(column, which), np.dtype(float), which)
    same_rows(**read)
    return np.column_stack(list(read.values()))


def read_columns(calibrator: Any, scores: Any, name: str) -> Array:
    """Validated scores float64 (n, k) of the columns that a fitted calibrator of several reads."""
    known = list(getattr(calibrator, "feature_names_in_", ()))
    values, names = score_columns(scores, name, known)
    if names and not known:
        raise refused(
            name,
            "has named columns, but {} was fitted to columns without names: give an array, or fit it "
            "to named columns.",
            type(calibrator).__name__,
        )
    check_count(calibrator, values, name, calibrator.n_features_in_)
    return values


def columns_read(
    calibrator: Any, given: str | Sequence[str] | Mapping[str, str], name: str = "score"
) -> list[str]:
    """The columns of a table that a fitted calibrator reads, in its order.

    They are given by name, in any order; or as the column of each name, where that is another one. A
    calibrator that knows no names takes them in the order given.
    """
    known = list(getattr(calibrator, "feature_names_in_", ()))
    if isinstance(given, Mapping):
        places = {**{label: label for label in known}, **given}
    else:
        places = {column: column for column in ([given] if isinstance(given, str) else given)}
    if known and set(places) != set(known):
        raise Refusal(
            "{}: {} reads {}; where one of them is in a column of another name, give a mapping such "
            "as {{{}: 'column'}}.",
            named(name),
            type(calibrator).__name__,
            names_listed(known),
            repr(known[0]),
        )
    if len(places) != calibrator.n_features_in_:
        found = f"reads {calibrator.n_features_in_} columns, but {name} names {len(places)}"
        raise ValueError(f"{type(calibrator).__name__} {found}.")
    return [places[label] for label in known or places]


def the_one(score: str | Sequence[str] | None) -> str | None:
    """The name of one column, also in a list."""
    if score is None or isinstance(score, str):
        return score
    if len(score) != 1:
        raise refused("score", "must name one column, but names {}.", len(score))
    return score[0]


def check_count(calibrator: Any, scores: Array, name: str, count: int | None) -> None:
    if count not in (None, scores.shape[1]):
        raise wrong_count(calibrator, scores.shape[1], name, count)


def wrong_count(calibrator: Any, found: int, name: str, count: int | None) -> ValueError:
    return ValueError(f"{type(calibrator).__name__} reads {count} columns of scores, but {name} has {found}.")
