"""Cells of auxiliary columns: long columns are looked up by compiled code, short ones by NumPy."""

import numpy as np
import pytest

from rochull.decisions import axes
from rochull.decisions.axes import UNSEEN, Axis, Bins, aux_columns
from rochull.segments.bins import fit_bins

ODD = [np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e308]


@pytest.mark.parametrize(
    "edges", [(), (0.5,), (-1e308, 1e308), (0.0, 5e-324, 1.0), tuple(np.arange(-3, 3, 0.25))]
)
def test_long_columns_have_the_cells_of_short_ones(edges: tuple[float, ...]) -> None:
    rng = np.random.default_rng(0)
    long = np.concatenate([rng.normal(size=axes._FEW), np.repeat(edges, 3), ODD])
    axis = Axis("a", edges=edges, missing=True)
    expected = np.searchsorted(edges, long, side="right")
    expected[np.isnan(long)] = len(edges) + 1
    assert np.array_equal(axis.cells(long), expected)
    assert np.array_equal(axis.cells(long[-40:]), expected[-40:])
    whole = rng.integers(-5, 5, axes._FEW)
    assert np.array_equal(axis.cells(whole), np.searchsorted(edges, whole, side="right"))


def test_long_columns_of_categories() -> None:
    axis = Axis("a", categories=(7, 2, 3.5))
    values = np.random.default_rng(0).choice([2, 7, 3.5, 4, np.nan, np.inf, -1], axes._FEW)
    expected = [{7: 0, 2: 1, 3.5: 2}.get(value, UNSEEN) for value in values.tolist()]
    assert axis.cells(values).tolist() == expected
    bins = Bins((axis,), np.array([1, 0, 1]), ("low", "rest"))
    assert bins.assign({"a": values}).tolist() == [UNSEEN if i < 0 else [1, 0, 1][i] for i in expected]


def test_texts_are_read_once_and_found_as_plain_objects_are() -> None:
    """What was read is taken as it is, whichever rows are taken of it; a view without codes is read anew."""
    rng = np.random.default_rng(1)
    values = rng.choice(np.array(["a", "b", "", "ß", "1", None], object), 200)
    read = aux_columns({"kind": values})["kind"]
    assert read.tolist() == values.tolist()
    axis = Axis("kind", categories=("ß", "a", "z", "1"), missing=True)
    for rows in (slice(None), rng.integers(0, 200, 500), rng.random(200) < 0.3, slice(5, 90, 2), []):
        part = read[rows]
        assert aux_columns({"kind": part})["kind"] is part
        plain = np.array([None if v is None else v for v in part.tolist()], object)
        assert axes.coded(plain) is None
        assert axes.is_missing(part).tolist() == axes.is_missing(plain).tolist()
        assert axis.cells(part).tolist() == axis.cells(plain).tolist()
    copied = read.copy()
    assert axes.coded(copied) is None
    assert aux_columns({"kind": copied})["kind"].tolist() == values.tolist()
    y = rng.integers(0, 2, 200)
    for kind in (read, copied):
        bins = fit_bins({"kind": kind}, "auto", y, min_bin=5)
        assert bins.labels == fit_bins({"kind": values.tolist()}, "auto", y, min_bin=5).labels
