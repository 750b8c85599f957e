"""The Pareto front and the vertices of the lower hull, against definitions."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.optimize import linprog

from rochull.multiclass import front


def slow_pareto(rows):
    kept = []
    for i, row in enumerate(rows):
        dominated = any((other <= row).all() and (other < row).any() for other in rows)
        if not dominated and not any((rows[j] == row).all() for j in range(i)):
            kept.append(i)
    return kept


def mixes_below(row, others):
    """Whether a mixture of others is at most the row: a linear programme over mixtures."""
    if not len(others):
        return False
    found = linprog(
        np.zeros(len(others)),
        A_ub=others.T,
        b_ub=row,
        A_eq=np.ones((1, len(others))),
        b_eq=[1],
        method="highs-ipm",
    )
    return found.status == 0


def slow_vertices(rows):
    first = [i for i in range(len(rows)) if not any((rows[j] == rows[i]).all() for j in range(i))]
    return [i for i in first if not mixes_below(rows[i], rows[[j for j in first if j != i]])]


def exact_vertices_2d(rows):
    """Vertices of the lower left hull in the plane, by exact slopes between all pairs of points."""
    front_rows = slow_pareto(rows)
    kept = []
    for i in front_rows:
        x, y = rows[i].tolist()
        left = [Fraction(b - y, x - a) for a, b in rows[front_rows].tolist() if a < x]
        right = [Fraction(y - b, a - x) for a, b in rows[front_rows].tolist() if a > x]
        if not left or not right or min(left) > max(right):
            kept.append(i)
    return kept


def small_rows(n_columns, largest=6):
    return st.lists(
        st.lists(st.integers(0, largest), min_size=n_columns, max_size=n_columns), min_size=1, max_size=20
    ).map(np.array)


@pytest.mark.parametrize("n_columns", [2, 3, 5])
def test_pareto_is_what_nothing_dominates(n_columns):
    @given(small_rows(n_columns, 3))
    def check(rows):
        assert_array_equal(front.pareto(rows), slow_pareto(rows))

    check()


def test_pareto_in_blocks():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 25, (600, 4))
    assert_array_equal(front.pareto(rows), slow_pareto(rows))
    assert_array_equal(front.pareto(rows.astype(float)), slow_pareto(rows))


def test_pareto_on_large_counts_is_exact():
    big = 2**60
    assert_array_equal(front.pareto(np.array([[big, 5], [big - 1, 5], [big - 2, 6]])), [1, 2])


def test_distinct_keeps_the_first():
    assert_array_equal(front.distinct(np.array([[1, 2], [0, 0], [1, 2], [0, 1], [0, 0]])), [0, 1, 3])


def test_nothing_has_an_empty_front():
    for rows in (np.zeros((0, 3), np.int64), np.zeros((0, 3))):
        assert len(front.pareto(rows)) == 0
        indices, directions = front.vertices(rows)
        assert len(indices) == 0
        assert directions.shape == (0, 3)


@given(small_rows(2, 12))
def test_vertices_in_the_plane(rows):
    assert_array_equal(front.vertices(rows)[0], exact_vertices_2d(rows))


@pytest.mark.long
@pytest.mark.parametrize("n_columns", [3, 4, 6])
def test_vertices_are_what_no_mixture_is_below(n_columns):
    @given(small_rows(n_columns))
    def check(rows):
        indices, directions = front.vertices(rows)
        assert_array_equal(indices, slow_vertices(rows))
        for at, direction in zip(indices, directions, strict=True):
            assert direction.min() > 0
            # In rationals: no row is better in the direction that proves the vertex.
            values = [sum(Fraction(d) * int(x) for d, x in zip(direction, row, strict=True)) for row in rows]
            assert values[at] <= min(values) + Fraction(1, 10**12)

    check()


@pytest.mark.parametrize("n_columns", [3, 6])
def test_vertices_of_many_rows(n_columns):
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 40, (120, n_columns))
    assert_array_equal(front.vertices(rows)[0], slow_vertices(rows))


def test_units_of_columns_do_not_matter():
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 100, (60, 3))
    assert_array_equal(front.vertices(rows * [1, 1000, 10**6])[0], front.vertices(rows)[0])


def test_a_flat_set_has_a_hull():
    rows = np.array([[0, 4, 1], [1, 3, 1], [2, 2, 1], [3, 1, 1], [4, 0, 1], [4, 0, 1]])
    assert_array_equal(front.vertices(rows)[0], [0, 4])
    assert_array_equal(front.vertices(rows[:1])[0], [0])


def test_without_qhull_the_programmes_find_the_same(monkeypatch):
    from scipy import spatial

    def fails(points):
        raise spatial.QhullError("refused")

    rng = np.random.default_rng(4)
    rows = rng.integers(0, 50, (80, 3))
    expected = front.vertices(rows)[0]
    monkeypatch.setattr(spatial, "ConvexHull", fails)
    assert_array_equal(front.vertices(rows)[0], expected)


def test_vertices_that_the_probes_miss(monkeypatch):
    monkeypatch.setattr(front, "_PROBES", 2)
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 50, (60, 6))
    assert_array_equal(front.vertices(rows)[0], slow_vertices(rows))


def test_wrong_guesses_of_directions_decide_nothing(monkeypatch):
    monkeypatch.setattr(front, "_PROBES", 0)
    guesses = [np.array([0.9, 0.1]), np.array([1.0, 0.0]), None, np.array([1.0, 1.0])]
    monkeypatch.setattr(front, "_candidates", lambda scaled: list(enumerate(guesses)))
    rows = np.array([[0, 9], [2, 5], [6, 4], [9, 0]])
    assert_array_equal(front.vertices(rows)[0], exact_vertices_2d(rows))


def test_a_margin_below_float64_is_no_vertex(monkeypatch):
    # A programme that claims a direction in which the row is not the best is not believed.
    monkeypatch.setattr(front, "_PROBES", 0)
    monkeypatch.setattr(front, "_QHULL_COLUMNS", 0)
    monkeypatch.setattr(front, "widest", lambda differences: (np.array([0.5, 0.5]), 1.0))
    assert_array_equal(front.vertices(np.array([[0, 4], [3, 3], [4, 0]]))[0], [0])


def near_the_middle(exponent, *rows):
    """Rows beside each other, a little below the line between two far ends."""
    end = 2**exponent
    return np.concatenate([[[0, end], [end, 0]], end // 2 - end // 2**10 + np.array(rows)])


def test_rationals_decide_where_rounding_would():
    rows = near_the_middle(55, [5, 5], [4, 6])
    assert_array_equal(front.vertices(rows)[0], exact_vertices_2d(rows))


def test_rows_that_float64_cannot_tell_apart():
    rows = near_the_middle(60, [8, 4], [4, 6])
    scaled = rows / np.ptp(rows, axis=0)
    assert_array_equal(scaled[2], scaled[3])
    assert_array_equal(front.vertices(rows)[0], exact_vertices_2d(rows))


def test_a_vertex_that_is_the_best_by_little():
    """By a millionth of the range, in six columns, where no Qhull suggests it and hardly a probe."""
    rows = np.zeros((3, 6), np.int64)
    rows[:, :2] = [[0, 2 * 10**6], [10**6, 10**6 - 1], [2 * 10**6, 0]]
    assert_array_equal(front.vertices(rows)[0], [0, 1, 2])


def test_widest_that_is_not_solved(monkeypatch):
    import scipy.optimize

    failed = SimpleNamespace(x=None, status=4, message="no")
    monkeypatch.setattr(scipy.optimize, "linprog", lambda *args, **kwargs: failed)
    with pytest.raises(RuntimeError, match="not solved: no"):
        front.widest(np.eye(2))
