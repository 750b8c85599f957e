"""The compiled loops of rankings of several classes, small: also as plain Python (NUMBA_DISABLE_JIT=1)."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from rochull._core.kernels import hand_till as kernels

Array = np.ndarray[Any, Any]


def ordered(columns: Array) -> tuple[Array, Array]:
    """The order of each column, and the ends of its groups."""
    order = np.argsort(columns, axis=1, kind="stable")
    ranked = np.take_along_axis(columns, order, axis=1)
    return order, np.concatenate([ranked[:, 1:] != ranked[:, :-1], np.ones((len(columns), 1), bool)], axis=1)


def case(n_classes: int = 3) -> tuple[Array, Array, Array, Array]:
    rng = np.random.default_rng(n_classes)
    codes = np.sort(np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 15)])).astype(np.int32)
    columns = rng.integers(0, 5, (n_classes, codes.size)) + 0.5 * (np.arange(codes.size) % 3 == 0)
    begin = np.searchsorted(codes, np.arange(n_classes + 1))
    return codes, columns, begin, rng.integers(0, 3, codes.size)


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_every_pair_is_counted(n_classes: int, kind: Any) -> None:
    codes, columns, _, units = case(n_classes)
    order, last = ordered(columns)
    found = np.zeros((n_classes, n_classes), kind)
    kernels.pairs_won(order, last, codes, units.astype(kind), found)
    for c, j in product(range(n_classes), repeat=2):
        if c == j:
            continue
        won = 0
        for p, q in product(np.flatnonzero(codes == c), np.flatnonzero(codes == j)):
            twice = 2 * (columns[c, p] > columns[c, q]) + (columns[c, p] == columns[c, q])
            won += int(units[p] * units[q] * twice)
        assert found[c, j] == won


@pytest.mark.parametrize("weighted", [False, True])
def test_replicates_keep_the_sizes(weighted: bool) -> None:
    codes, columns, begin, _ = case()
    order, last = ordered(columns)
    kind = np.float64 if weighted else np.int64
    weight = np.full(codes.size, 0.5) if weighted else None
    states = np.random.SeedSequence(1).generate_state(16, np.uint64).reshape(-1, 4)
    wins, totals = np.zeros((4, 3, 3), kind), np.empty((4, 3), kind)
    with np.errstate(over="ignore"):  # the generator's bits wrap
        kernels.replicates(states, begin, order, last, codes, weight, wins, totals)
    sizes = np.diff(begin) * (0.5 if weighted else 1)
    assert totals.tolist() == [sizes.tolist()] * 4
    off = ~np.eye(3, dtype=bool)
    shares = (wins / (2 * totals[:, :, None] * totals[:, None, :]))[:, off]
    assert ((shares >= 0) & (shares <= 1)).all()
    assert np.ptp(shares, axis=0).max() > 0


def test_placements_sum_to_the_areas() -> None:
    codes, columns, begin, _ = case()
    order, last = ordered(columns)
    units = np.arange(codes.size) % 3 + 1.0
    totals = np.add.reduceat(units, begin[:-1])
    for c in range(3):
        out = np.zeros(codes.size)
        kernels.placements(c, order[c], last[c], codes, units, totals, out)
        wins = np.zeros((3, 3))
        kernels.pairs_won(order, last, codes, units, wins)
        areas = [wins[c, j] / (2 * totals[c] * totals[j]) for j in range(3) if j != c]
        own = codes == c
        assert float((units * out)[own].sum() / totals[c]) == pytest.approx(sum(areas))
        others = [float((units * out)[codes == j].sum() / totals[j]) for j in range(3) if j != c]
        assert others == pytest.approx(areas)
