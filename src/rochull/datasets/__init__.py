"""Small real data sets, and the examples that the papers print.

They are Parquet files inside the package, which need the extra `files`. Nothing imports them, and they never
fetch anything.

========================  =====  ==========  ================================================================
name                      rows   label       contents
========================  =====  ==========  ================================================================
``adult``                 48842  ``income``  census records; years of education as an auxiliary feature
``adult_scores``          48842  ``income``  five classifiers' out-of-fold scores on ``adult``, with the fold
``breast_w``              699    ``Class``   small, easy, with tied scores
``crx``                   690    ``class``   credit approval
``flight_scores``         54557  ``late``    flights of 2013, by day, and a score that was learnt in winter
``german_credit``         1000   ``class``   credit risk; a bad risk accepted costs 5, a good one refused 1
``german_credit_scores``  1000   ``class``   the same five's scores on ``german_credit``, with the fold
``heart``                 270    ``class``   heart disease; a case missed costs 5, a false alarm 1
``mfeat_mor``             2000   ``class``   morphological features of digits; class k is the digit k - 1
``routellm``              15344  ``strong``  whether two language models, weak and strong, answer right
``satimage``              6430   ``class``   pixels of a satellite image, six kinds of ground
``vehicle``               846    ``Class``   silhouettes of four kinds of vehicle
========================  =====  ==========  ================================================================

The files are in the package's ``data`` directory; ``ATTRIBUTION.md`` beside them
says where they come from, under which licence (CC BY 4.0; ``routellm``: Apache-2.0; ``flight_scores``: CC0),
and what differs. `load` needs DuckDB, which ``pip install "rochull[files]"`` brings; the examples that the
papers print need NumPy alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rochull._core.docstrings import described, entries
from rochull._core.extras import require
from rochull._core.file_queries import quoted
from rochull.datasets.papers import (
    make_bounding_boxes,
    make_fawcett,
    make_highleyman,
    make_rankers,
    make_redistribution_example,
)

__all__ = [
    "load",
    "make_bounding_boxes",
    "make_fawcett",
    "make_highleyman",
    "make_rankers",
    "make_redistribution_example",
    "names",
    "path",
]

_NAMES = (
    "adult",
    "adult_scores",
    "breast_w",
    "crx",
    "flight_scores",
    "german_credit",
    "german_credit_scores",
    "heart",
    "mfeat_mor",
    "routellm",
    "satimage",
    "vehicle",
)


_TOLD = entries("name : str\n    One of `names`.")


def names() -> tuple[str, ...]:
    """Name the data sets that `path` and `load` know.

    Returns
    -------
    tuple of str
        The names, in alphabetical order.

    Examples
    --------
    >>> from rochull import datasets
    >>> datasets.names()
    ('adult', 'adult_scores', 'breast_w', 'crx', 'flight_scores', 'german_credit', 'german_credit_scores',
     'heart', 'mfeat_mor', 'routellm', 'satimage', 'vehicle')
    """
    return _NAMES


@described(_TOLD)
def path(name: str) -> Path:
    """Find the Parquet file of a data set, for DuckDB, a data frame library or the command line.

    Returns
    -------
    pathlib.Path
        The file, inside the installed package.

    Examples
    --------
    >>> from rochull import datasets
    >>> datasets.path("heart").name
    'heart.parquet'
    """
    if name not in _NAMES:
        raise ValueError(f"name: there is no data set {name!r}; the names are {', '.join(_NAMES)}.")
    return Path(str(files(__name__) / "data" / f"{name}.parquet"))


@described(_TOLD)
def load(name: str, columns: Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
    """Read a data set into one NumPy array per column.

    Parameters
    ----------
    columns : sequence of str, optional
        The columns to read, in this order. By default all of them, in the file's order.

    Returns
    -------
    dict of str to ndarray of shape (n,)
        Integer and floating columns keep the file's type (the scores are float32), except that an integer
        column with nulls would become float64; nulls in it or in a floating column are NaN. Text columns have
        dtype object; their nulls are None. Rows are in the file's order.

    Examples
    --------
    >>> from rochull import datasets
    >>> scored = datasets.load("adult_scores", ["income", "tree", "boosted"])
    >>> list(scored)
    ['income', 'tree', 'boosted']
    >>> scored["boosted"].shape, scored["boosted"].dtype
    ((48842,), dtype('float32'))
    """
    duckdb = require("duckdb", "files")
    source = str(path(name))
    with duckdb.connect() as connection:
        known = [row[0] for row in connection.execute("DESCRIBE FROM read_parquet(?)", [source]).fetchall()]
        wanted = known if columns is None else _checked(columns, known, name)
        columns_read = ", ".join(map(quoted, wanted))
        read = connection.execute(f"SELECT {columns_read} FROM read_parquet(?)", [source]).fetchnumpy()
    return {column: _plain(read[column]) for column in wanted}


def _checked(columns: Sequence[str], known: list[str], name: str) -> list[str]:
    """Return the wanted columns as a list without repetitions; all of them exist."""
    if isinstance(columns, str):
        raise ValueError(f"columns: expected a sequence of column names, got the string {columns!r}.")
    wanted = list(dict.fromkeys(columns))
    if not wanted:
        raise ValueError("columns: expected at least one column name, got none.")
    for column in wanted:
        if column not in known:
            raise ValueError(
                f"columns: {name!r} has no column {column!r}; its columns are {', '.join(known)}."
            )
    return wanted


def _plain(values: Any) -> NDArray[Any]:
    """Turn a masked array into a plain one: None for a missing object, NaN for a missing number."""
    if not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values)
    missing = np.ma.getmaskarray(values)
    plain = np.array(values.data)
    if not missing.any():
        return plain
    if plain.dtype == object:
        plain[missing] = None
        return plain
    if plain.dtype.kind != "f":
        plain = plain.astype(np.float64)
    plain[missing] = np.nan
    return plain
