"""The best mixture of points within linear limits, against enumeration."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rochull.multiclass import mixtures
from rochull.multiclass.mixtures import best_mixture, least_excess


def best_on_segments(goal, beyond):
    """The smallest goal of one point or two, with one limit: optimal mixtures have no more."""
    best = min((goal[i] for i in range(len(goal)) if beyond[i] <= 0), default=np.inf)
    for i, j in combinations(range(len(goal)), 2):
        if (beyond[i] <= 0) != (beyond[j] <= 0):
            share = beyond[j] / (beyond[j] - beyond[i])  # of i, where the limit is met with equality
            best = min(best, share * goal[i] + (1 - share) * goal[j])
    return best


points = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=12)


@given(points, st.integers(0, 20))
def test_one_limit(values, limit):
    goal, limited = (np.array(values, float) / 20).T
    beyond = limited - limit / 20
    expected = best_on_segments(goal, beyond)
    found = best_mixture(goal[None], beyond[None])
    if found is None:
        assert expected == np.inf
        assert least_excess(beyond[None]) @ beyond == pytest.approx(beyond.min())
        return
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-15)
    assert np.count_nonzero(found) <= 2
    assert beyond @ found <= 1e-12
    assert goal @ found == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(0, 3))
def test_many_limits(seed, n_goals, n_limits):
    rng = np.random.default_rng(seed)
    goals = rng.integers(0, 50, (n_goals, 30)) / 50
    beyond = rng.integers(-30, 30, (n_limits, 30)) / 50
    found = best_mixture(goals, beyond)
    if found is None:
        found = least_excess(beyond)
        worst = (beyond @ found).max()
        assert worst > 0
        for mixture in rng.dirichlet(np.full(30, 0.1), 200):
            assert (beyond @ mixture).max() >= worst - 1e-9
        return
    assert np.count_nonzero(found) <= n_goals + n_limits
    assert (beyond @ found <= 1e-12).all()
    for mixture in np.concatenate([np.eye(30), rng.dirichlet(np.full(30, 0.1), 200)]):
        if (beyond @ mixture <= 0).all():
            assert (goals @ mixture).max() >= (goals @ found).max() - 1e-9


def test_limits_that_leave_one_mixture():
    beyond = np.array([[-0.1, 0.2], [0.1, -0.2]])  # at most and at least
    found = best_mixture(np.array([[0.0, 1.0]]), beyond)
    assert found == pytest.approx([2 / 3, 1 / 3], abs=1e-15)


def test_a_solution_to_the_tolerance_only_is_made_feasible(monkeypatch):
    # What the polishing cannot repair is solved again, with some room.
    monkeypatch.setattr(mixtures, "_polished", lambda found, goals, beyond: found)
    goals, beyond = np.array([[0.0, 1.0]]), np.array([[1.0, -1.0]])
    solve = mixtures._solved
    monkeypatch.setattr(mixtures, "_solved", lambda g, b: solve(g, b - 1e-9))
    found = best_mixture(goals, beyond)
    assert beyond @ found <= 0
    assert found == pytest.approx([0.5, 0.5], abs=1e-6)
    # And if there is no room, nothing is feasible.
    assert best_mixture(goals, np.array([[1e-9, 1e-9]])) is None
    monkeypatch.setattr(mixtures, "_solved", lambda g, b: np.array([1.0, 0.0]))
    assert best_mixture(goals, beyond) is None


def test_programmes_that_are_not_solved(monkeypatch):
    import scipy.optimize

    failed = SimpleNamespace(x=None, status=4, message="no")
    monkeypatch.setattr(scipy.optimize, "linprog", lambda *args, **kwargs: failed)
    with pytest.raises(RuntimeError, match="not solved: no"):
        best_mixture(np.ones((1, 2)), np.zeros((0, 2)))
    monkeypatch.setattr(mixtures, "best_mixture", lambda goals, beyond: None)
    with pytest.raises(RuntimeError, match="not solved"):
        least_excess(np.ones((1, 2)))
