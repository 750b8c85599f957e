"""Which of many points matter: the Pareto front and the lower hull of rows of numbers to be kept small.

Arrays in, indices out. The rows are counts, so that comparisons are exact; columns may have different units,
for neither the front nor the hull depends on them.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from rochull._core.validation import Array

_BLOCK = 128  # rows that are compared with the front at once
_PROBES = 2000  # random directions whose best rows are vertices, found without a linear programme
_QHULL_COLUMNS = 5  # with more, the number of facets grows beyond use
_MARGIN = 1e-9  # a vertex is the best in some direction by more than this, where 1 is a column's range
TOLERANCE = 1e-10  # of the linear programmes: the smallest that HiGHS takes


def distinct(rows: Array) -> Array:
    """Indices of the rows (k, D) that equal no row before them, ascending."""
    rows = np.ascontiguousarray(rows)
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    return np.sort(np.unique(whole, return_index=True)[1])


def pareto(rows: Array) -> Array:
    """Indices of the rows (k, D) that no other row dominates, ascending.

    A row dominates another one if it is at most as large in every column and smaller in one. Of equal rows
    the first is kept.
    """
    first = distinct(rows)
    order = first[np.lexsort(rows[first].T[::-1])]  # a row can only be dominated by one that comes before it
    front = np.empty_like(rows[order]).T.copy()  # column by column
    kept = np.empty(len(order), np.intp)
    size = 0
    for begin in range(0, len(order), _BLOCK):
        block = order[begin : begin + _BLOCK]
        block = block[~_covered(rows[block], front[:, :size])]
        alone = ~np.tril(_below(rows[block], rows[block].T), -1).any(axis=1)
        block = block[alone]
        front[:, size : size + len(block)] = rows[block].T
        kept[size : size + len(block)] = block
        size += len(block)
    return np.sort(kept[:size])


def _below(rows: Array, front: Array) -> Array:
    """Whether the row of the front (D, f) is at most the row (b, D) in all columns (b, f)."""
    below = front[0] <= rows[:, :1]
    for column in range(1, len(front)):
        below &= front[column] <= rows[:, column : column + 1]
    return np.asarray(below)


def _covered(rows: Array, front: Array) -> Array:
    """Which rows (b, D) have a row of the front (D, f) below them."""
    return np.asarray(_below(rows, front).any(axis=1))


def vertices(rows: Array) -> tuple[Array, Array]:
    """The rows (k, D) that are the only best ones in some direction, and such directions.

    They are the vertices of the convex hull of all rows and of everything above them.

    Returns
    -------
    indices : (v,), ascending.
    directions : (v, D), all above zero, each with the sum 1 in units of the columns' ranges: of all rows,
        rows @ direction is the smallest at the vertex.
    """
    if not len(rows):
        return np.zeros(0, np.intp), np.zeros((0, rows.shape[1]))
    front = pareto(rows)
    span = np.ptp(rows[front].astype(float), axis=0)
    unit = np.where(span > 0, span, 1.0)
    found = _Vertices(rows[front], (rows[front] - rows[front].min(axis=0)) / unit, unit)
    for at, direction in _candidates(found.scaled):
        found.decide(at, direction)
    indices = np.array(sorted(found.directions), np.intp)
    directions = np.array([found.directions[at] for at in indices.tolist()])
    return front[indices], directions / unit


def _candidates(scaled: Array) -> list[tuple[int, Array | None]]:
    """Rows (k, D) that may be vertices, with a direction each if it is known: what Qhull makes of them."""
    from scipy.spatial import ConvexHull, QhullError

    size, n_columns = scaled.shape
    everything: list[tuple[int, Array | None]] = [(at, None) for at in range(size)]
    if n_columns > _QHULL_COLUMNS:
        return everything
    # With each row goes the row raised along each axis. So the hull is never flat, and a row that is not a
    # vertex of what lies above the rows is inside of such a segment.
    far = np.repeat(scaled[:, None], n_columns, axis=1)
    far[:, np.arange(n_columns), np.arange(n_columns)] = 2.0
    try:
        hull = ConvexHull(np.concatenate([scaled, far.reshape(-1, n_columns)]))
    except QhullError:
        return everything
    normals = np.zeros(
        (len(hull.points), n_columns)
    )  # the sum of those around a vertex is inside of its cone
    for corner in hull.simplices.T:
        np.add.at(normals, corner, -hull.equations[:, :-1])
    return [(at, normals[at]) for at in np.sort(hull.vertices[hull.vertices < size]).tolist()]


class _Vertices:
    """Vertices found so far, each with a direction in which it is the best row.

    A row is compared with some others, at first its neighbours: a linear programme finds the direction in
    which it is better than all of them by most. Without one the row is not a vertex. Otherwise the best of
    all rows in that direction is a vertex. If it is another one, that one and what is near it are added to
    the others, and the row is compared again (after Clarkson 1994).
    """

    def __init__(self, rows: Array, scaled: Array, unit: Array) -> None:
        self.rows = rows
        self.scaled = scaled
        self.unit = unit
        self.directions: dict[int, Array] = {}
        rng = np.random.default_rng(0)  # any probes will do: they save programmes, and decide nothing
        for concentration in (1.0, 0.3):
            probes = rng.dirichlet(np.full(rows.shape[1], concentration), _PROBES // 2)
            for direction in probes[(probes > _MARGIN).all(axis=1)]:
                self.directions.setdefault(self.best(direction), direction)

    def best(self, direction: Array) -> int:
        """The best row in a direction, in rationals where rounding could decide; of ties a vertex."""
        values = self.scaled @ direction
        near = np.flatnonzero(values <= values.min() + _MARGIN).tolist()
        if len(near) == 1:
            return int(near[0])
        span = [Fraction(value) for value in (direction / self.unit).tolist()]
        # Of rows that are equally good the first in lexicographic order is a vertex of their hull.
        return int(
            min(
                near,
                key=lambda at: (
                    sum(a * Fraction(b) for a, b in zip(span, self.rows[at].tolist(), strict=True)),
                    self.rows[at].tolist(),
                ),
            )
        )

    def decide(self, at: int, direction: Array | None) -> None:
        """Find out whether a row is a vertex; vertices that are seen on the way are kept.

        The direction is a guess, if there is one: the row is a vertex if it is the best there.
        """
        if direction is not None and (direction > 0).all():
            direction = direction / direction.sum()
            if direction.min() > _MARGIN and self.best(direction) == at:
                self.directions.setdefault(at, direction)
        if at in self.directions:
            return
        n_columns = self.scaled.shape[1]
        far = np.abs(self.scaled - self.scaled[at]).sum(axis=1)
        apart = far > 0  # neither the row itself nor one that float64 cannot tell from it
        far[~apart] = np.inf
        rows = np.argsort(far, kind="stable")[: min(3 * n_columns, int(apart.sum()))]
        while at not in self.directions:
            direction, margin = widest(self.scaled[rows] - self.scaled[at])
            if margin <= _MARGIN:
                return
            best = self.best(direction)
            self.directions.setdefault(best, direction)
            if best in rows or not apart[best]:  # the margin was below what float64 can tell
                return
            order = np.argsort(self.scaled @ direction, kind="stable")[: 2 * n_columns]
            rows = np.union1d(rows, np.append(order[apart[order]], best))


def widest(differences: Array) -> tuple[Array, float]:
    """The direction (D,), all at least the margin and of sum 1, with the largest margin; and the margin.

    That is the least product of the direction with a row of the differences (m, D), each divided by its
    largest entry: above zero if there is a direction in which all differences are.
    """
    from scipy.optimize import linprog

    n_columns = differences.shape[1]
    # Along the axes too, so that no component of the direction is zero.
    rows = np.concatenate([differences / np.abs(differences).max(axis=1, keepdims=True), np.eye(n_columns)])
    found = linprog(
        np.append(np.zeros(n_columns), -1.0),
        A_ub=np.column_stack([-rows, np.ones(len(rows))]),
        b_ub=np.zeros(len(rows)),
        A_eq=np.append(np.ones(n_columns), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_columns + [(None, None)],
        method="highs-ds",
        options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
    )
    if found.status or found.x is None:  # it always has a solution, so HiGHS gave up
        raise RuntimeError(f"the linear programme was not solved: {found.message}")
    return np.asarray(found.x[:-1]), float(found.x[-1])
