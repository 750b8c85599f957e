"""The best mixture of points within linear limits: a linear programme. Arrays in, probabilities out."""

from __future__ import annotations

import numpy as np

from rochull._core.validation import Array

_SLACK = 1e-8  # a limit with less is active; the programme is solved to a hundredth of that
_TOLERANCE = 1e-10
MET = 1e-12  # by how much a limit may be exceeded, where 1 is the range of the measure
_PRESENT = 1e-9  # smaller probabilities are what the solver leaves of zero


def best_mixture(goals: Array, beyond: Array) -> Array | None:
    """The probabilities (k,) of points for which the largest of some goals is smallest.

    Parameters
    ----------
    goals : (g, k), what each point makes of each goal; one row if one number is minimised.
    beyond : (m, k), by how much each point breaks each limit; what is expected may be 1e-12 at most.

    Returns
    -------
    (k,) summing to one, at most ``g + m`` of them above zero, or None if no mixture is within the limits.
    """
    for margin in (0.0, 10 * _SLACK):  # the second where the first is met only up to the solver's tolerance
        found = _solved(goals, beyond + margin)
        if found is None:
            return None
        for mixture in (_polished(found, goals, beyond + margin), np.where(found > _PRESENT, found, 0.0)):
            mixture = mixture / mixture.sum()
            if mixture.min() >= 0 and (beyond @ mixture <= MET).all():
                return np.asarray(mixture)
    return None


def least_excess(beyond: Array) -> Array:
    """The probabilities (k,) of points for which the largest excess (m, k) over a limit is smallest."""
    found = best_mixture(beyond, beyond[:0])
    if found is None:
        raise RuntimeError("the linear programme was not solved: HiGHS found nothing.")
    return found


def _solved(goals: Array, beyond: Array) -> Array | None:
    """A corner of the feasible mixtures, to the solver's tolerance."""
    from scipy.optimize import linprog

    size = goals.shape[1]
    found = linprog(
        np.append(np.zeros(size), 1.0),
        A_ub=np.block([[goals, -np.ones((len(goals), 1))], [beyond, np.zeros((len(beyond), 1))]]),
        b_ub=np.zeros(len(goals) + len(beyond)),
        A_eq=np.append(np.ones(size), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * size + [(None, None)],
        method="highs-ds",  # the simplex method ends in a corner, where few points are mixed
        options={"primal_feasibility_tolerance": _TOLERANCE, "dual_feasibility_tolerance": _TOLERANCE},
    )
    if found.status == 2:
        return None
    if found.status or found.x is None:
        raise RuntimeError(f"the linear programme was not solved: {found.message}")
    return np.asarray(found.x[:-1])


def _polished(mixture: Array, goals: Array, beyond: Array) -> Array:
    """The corner near a mixture, to the last bits: the solution of the equations that hold there."""
    present = np.flatnonzero(mixture > _PRESENT)
    means = goals @ mixture
    tight = goals[means >= means.max() - _SLACK][:, present]
    active = beyond[beyond @ mixture >= -_SLACK][:, present]
    rows = np.block(
        [
            [np.ones((1, len(present))), np.zeros((1, 1))],
            [tight, -np.ones((len(tight), 1))],
            [active, np.zeros((len(active), 1))],
        ]
    )
    out = np.zeros(len(mixture))
    out[present] = np.linalg.lstsq(rows, np.append(1.0, np.zeros(len(rows) - 1)))[0][:-1]
    return np.where(np.abs(out) <= MET, 0.0, out)
