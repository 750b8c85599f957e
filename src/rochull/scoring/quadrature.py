"""The two integrals of a proper scoring rule (Brümmer & du Preez 2013, equation 1), in log-odds.

With u = logit t a forecast of log-odds x loses ``∫_x^∞ ω (1 - t) du`` if the example is positive, and
``∫_-∞^x ω t du`` if it is negative: for any density ω by Chebyshev panels, for a beta density in closed
form. In log-odds nothing overflows or cancels near certainty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from rochull._core.validation import Array

Density = Callable[[Array], Array]

# --- any density: panels -----------------------------------------------------------------------

# Log-odds between which the density is evaluated; beyond, it is continued as a power of t or of 1 - t.
# On the left, t**-2 still fits a float. On the right, 1 - t still has room for the nodes of a panel.
LEFT, RIGHT = -350.0, 27.0
_LEFT_SLOPE = (-350.0, -300.0)  # where the powers are measured
_RIGHT_SLOPE = (31.5, 34.5)
_FLAT = 1e-9  # a slope this small is none, so that logarithmic tails are found as such
_ROUNDED = 4.0  # from here on the rounding of t to a float matters
_CORE = 12.0  # what happens at log-odds within ±12 is looked for in detail
_START = 1 / 16  # width of the first panels there
_NEAR = np.concatenate([way * 2.0 ** -np.arange(5.0, 45.0) for way in (-1, 1)])  # first ends around a peak
_SEEDS, _ROUNDS = 64, 16  # peaks that are looked at again at a time, and how often
_NODES = 17
_TOLERANCE = 1e-12  # of a panel's last coefficients, relative to its largest
_NOISE = 1e-9  # what does not fall below this when a panel is halved is the density's own rounding
_NOTHING = 1e-290  # integrals below are zero
_APART = 1e-6  # of a panel's size, from which a value that lies off its polynomial shows something narrow
_MAX_PANELS = (
    1 << 15
)  # beside the first ones: a density that is noise to its last bits is not refined further
_ROWS = 1 << 13

# The ends are nodes, so that a jump close to one cannot hide from both panels.
_X = np.cos(np.pi * np.arange(_NODES) / (_NODES - 1))
_TO_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(_X, _NODES - 1))
_TO_INTEGRAL = chebyshev.chebval(1.0, chebyshev.chebint(np.eye(_NODES), lbnd=-1))


@dataclass(frozen=True)
class Tail:
    """A density beyond the end of the panels, at a distance d: ``value * exp(growth * d)``."""

    value: float
    growth: float
    end: float  # the absolute log-odds where it begins

    def vanishing(self, d: Array | float) -> Array:
        """The integral of ``ω t`` (on the left; ``ω (1 - t)`` on the right) from d outwards."""
        if not self.value:
            return np.zeros(np.shape(d))
        return np.asarray(self.value * np.exp((self.growth - 1) * d - self.end) / (1 - self.growth))

    def remaining(self, d: Array) -> Array:
        """The integral of the other one, in which the density stands alone, from the end to d."""
        if not self.value:
            return np.zeros(d.shape)
        return np.asarray(self.value * (np.expm1(self.growth * d) / self.growth if self.growth else d))


@dataclass(frozen=True, eq=False)
class Table:
    """Both integrals of a density at any log-odds: a polynomial on each panel, and tails.

    Attributes
    ----------
    edges : (k + 1,) ends of the panels, in log-odds.
    positive, negative : (18, k) Chebyshev coefficients of the losses.
    left, right : the density beyond the panels.
    mass : the integral of the density over [0, 1].
    """

    edges: Array
    positive: Array
    negative: Array
    left: Tail
    right: Tail
    mass: float

    def if_positive(self, log_odds: Array) -> Array:
        """``∫_x^∞ ω (1 - t) du`` at log-odds x (n,)."""
        loss = self._inside(self.positive, log_odds)
        low, high = log_odds < LEFT, log_odds > RIGHT
        loss[low] += self.left.remaining(LEFT - log_odds[low])
        loss[high] = self.right.vanishing(log_odds[high] - RIGHT)
        return loss

    def if_negative(self, log_odds: Array) -> Array:
        """``∫_-∞^x ω t du`` at log-odds x (n,)."""
        loss = self._inside(self.negative, log_odds)
        low, high = log_odds < LEFT, log_odds > RIGHT
        loss[low] = self.left.vanishing(LEFT - log_odds[low])
        loss[high] += self.right.remaining(log_odds[high] - RIGHT)
        return loss

    def _inside(self, coefficients: Array, log_odds: Array) -> Array:
        """The polynomials at log-odds (n,), clipped to the panels."""
        out = np.empty(log_odds.shape)
        for begin in range(0, log_odds.size, _ROWS):
            rows = slice(begin, begin + _ROWS)
            u = np.clip(log_odds[rows], LEFT, RIGHT)
            panel = np.searchsorted(self.edges[1:-1], u, side="right")
            low, high = self.edges[panel], self.edges[panel + 1]
            x = (u - low - (high - u)) / (high - low)
            out[rows] = chebyshev.chebval(x, coefficients[:, panel], tensor=False)
        return np.maximum(out, 0.0, out=out)


def table_of(density: Density, name: str, points: tuple[float, ...] = (), width: float = 1 / 4096) -> Table:
    """Integrate a density that is checked already; `name` is what the caller calls it.

    Panels are made anew, closer around them, where a sample in steps of `width` in log-odds lies off the
    first ones; and around `points`, thresholds that the caller names.
    """
    left, right = _tail(density, name, 0), _tail(density, name, 1)
    t = _expit(np.arange(-_CORE, _CORE, width) + width / 2)
    u = np.log(t) - np.log(1 - t)
    seen = density(t) * t * (1 - t)
    around = [float(np.log(p) - np.log1p(-p)) for p in points]
    for _ in range(_ROUNDS):
        panels = _refined(density, around)
        missed = panels.missed(u, seen)
        if not missed.size:
            return panels.table(left, right)
        around += missed.tolist()
    raise ValueError(f"{name} has more narrow peaks than can be found; name thresholds near them in points.")


def checked_function(function: Callable[[Array], Any], name: str) -> Density:
    """A caller's function of arrays of thresholds (n,), whose every value is looked at."""
    if not callable(function):
        raise TypeError(f"{name} must be a function of an array of thresholds, but is {function!r}.")

    def values(t: Array) -> Array:
        try:
            with np.errstate(all="ignore"):  # a power that overflows is found below
                found = np.asarray(function(t.copy()))
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{name} must take an array of thresholds, but raised {type(error).__name__}: {error} "
                "(numpy.vectorize makes such a function from one of single numbers)."
            ) from error
        if found.shape != t.shape or found.dtype.kind not in "fiub":
            raise ValueError(
                f"{name} must return numbers in an array as long as its argument, {t.shape}, but returned "
                f"shape {found.shape} and type {found.dtype}."
            )
        found = found.astype(float)
        for what, wrong in (
            ("be a number", np.isnan(found)),
            ("not be negative", found < 0),
            ("be finite between 0 and 1", found == np.inf),
        ):
            if wrong.any():
                i = int(np.argmax(wrong))
                raise ValueError(f"{name} must {what}, but is {float(found[i])!r} at {float(t[i])!r}.")
        return found

    return values


def _expit(u: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-u)))


def _tail(density: Density, name: str, side: int) -> Tail:
    """Describe the density near 0 or 1."""
    t = _expit(np.array((_LEFT_SLOPE, _RIGHT_SLOPE)[side]))
    distance = np.abs(np.log(t) - np.log(1 - t)) - abs((LEFT, RIGHT)[side])  # of the rounded thresholds
    found = density(t)
    growth = 0.0  # without support there, or too little to be seen
    if (found > 0).all():
        growth = float((np.log(found[1]) - np.log(found[0])) / (distance[1] - distance[0]))
        growth = 0.0 if abs(growth) < _FLAT else growth
        if growth >= 1 - _FLAT:
            raise ValueError(f"{name}: its integral diverges at {side}.")
    value = float(found[side] * np.exp(-growth * distance[side]))
    return Tail(value, growth, abs((LEFT, RIGHT)[side]))


@dataclass(frozen=True, eq=False)
class _Panels:
    """Panels on which the integrands are resolved, in ascending order."""

    low: Array  # (k,)
    high: Array  # (k,)
    coefficients: Array  # (k, 3, 17): of ω (1 - t), ω t and ω t (1 - t)
    rough: Array  # (k,) whether the integrands were left unresolved: at a jump, or where they are noise

    def missed(self, u: Array, seen: Array) -> Array:
        """Where a sample (n,) of ω t (1 - t), at ascending log-odds, is off a panel's polynomial.

        The farthest one of each panel, of a few dozen panels. A panel that is rough tells a peak by its
        height alone.
        """
        size = np.abs(self.coefficients[:, 2]).sum(axis=1)
        panel = np.searchsorted(self.high[:-1], u, side="right")
        off = np.empty(u.shape)
        for begin in range(0, u.size, _ROWS):
            rows = slice(begin, begin + _ROWS)
            low, high = self.low[panel[rows]], self.high[panel[rows]]
            x = (u[rows] - low - (high - u[rows])) / (high - low)
            fitted = chebyshev.chebval(x, self.coefficients[panel[rows], 2].T, tensor=False)
            off[rows] = np.abs(seen[rows] - fitted)
        allowed = np.where(self.rough, 2.0, _APART) * size + _NOTHING
        above = np.flatnonzero(off > allowed[panel])
        of_panel, first = np.unique(panel[above], return_index=True)
        parts = np.split(above, first[1:])[:_SEEDS] if of_panel.size else []
        return np.array([u[part[np.argmax(off[part])]] for part in parts])

    @property
    def integral(self) -> Array:
        """The integrals over each panel (k, 3)."""
        return np.asarray((self.coefficients @ _TO_INTEGRAL) * ((self.high - self.low) / 2)[:, None])

    def table(self, left: Tail, right: Tail) -> Table:
        """Antiderivatives, summed from the side where they vanish."""
        half = (self.high - self.low) / 2
        rising = chebyshev.chebint(self.coefficients[:, :2].transpose(2, 1, 0), lbnd=-1) * half  # (18, 2, k)
        positive, negative = -rising[:, 0], rising[:, 1]
        each = self.integral
        from_right = np.cumsum(np.append(right.vanishing(0.0), each[::-1, 0]))[::-1]
        from_left = np.cumsum(np.append(left.vanishing(0.0), each[:, 1]))
        positive[0] += from_right[:-1]
        negative[0] += from_left[:-1]
        mass = each[:, 2].sum() + left.vanishing(0.0) + right.vanishing(0.0)
        return Table(np.append(self.low, self.high[-1]), positive, negative, left, right, float(mass))


def _refined(density: Density, around: list[float]) -> _Panels:
    """Halve panels until the last coefficients of both integrands vanish, or the panel is tiny.

    Around some log-odds the first panels are the narrower the nearer.
    """
    # The thirds keep the ends of panels away from round thresholds, where a density may be infinite.
    core = np.arange(-_CORE + _START / 3, _CORE, _START)
    near = np.add.outer(around, _NEAR).ravel()
    edges = np.concatenate([np.linspace(LEFT, -_CORE, 27), core, np.linspace(_CORE, RIGHT, 16), near])
    edges = np.unique(np.clip(edges, LEFT, RIGHT))
    edges = np.append(edges[:-1][~_too_narrow(edges[:-1], edges[1:])], RIGHT)
    low, high = edges[:-1], edges[1:]
    before = np.full((low.size, 2), np.inf)
    done: list[tuple[Array, Array, Array, Array]] = []
    count = -low.size
    while low.size:
        coefficients = _fitted(density, low, high)
        size = np.abs(coefficients[:, :2]).max(axis=2)
        last = np.abs(coefficients[:, :2, -3:]).max(axis=2)
        noise = (last <= _NOISE * size) & (last >= 0.5 * before)  # halving has not helped
        resolved = (last <= _TOLERANCE * size) | (size * (high - low)[:, None] <= _NOTHING)
        rough = ~(noise | resolved).all(axis=1)
        fine = ~rough | _too_narrow(low, high)
        count += int(fine.sum())
        if count + 2 * int((~fine).sum()) > _MAX_PANELS:
            fine[:] = True
        done.append((low[fine], high[fine], coefficients[fine], rough[fine]))
        low, high, before = low[~fine], high[~fine], np.tile(last[~fine], (2, 1))
        middle = (low + high) / 2
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    joined = [np.concatenate(parts) for parts in zip(*done, strict=True)]
    order = np.argsort(joined[0])
    return _Panels(*(part[order] for part in joined))


def _too_narrow(low: Array, high: Array) -> Array:
    """Whether halves of panels (k,) have too few floats for their nodes: of u itself, or of t near 1."""
    of_u = high - low <= 2.0**-47 * np.maximum(1, np.abs(low))
    return np.asarray(of_u | (low >= _ROUNDED) & (high - low <= 2.0**-43 * np.exp(high)))


def _fitted(density: Density, low: Array, high: Array) -> Array:
    """Chebyshev coefficients of the integrands on panels (k, 3, 17)."""
    middle, half = (low + high)[:, None] / 2, (high - low)[:, None] / 2
    t = _expit(middle + half * _X)
    omega = density(t.ravel()).reshape(t.shape)
    integrands = np.stack([omega * (1 - t), omega * t, omega * t * (1 - t)], axis=1)
    coefficients = integrands @ _TO_COEFFICIENTS.T
    # Near 1 thresholds are rounded by much of what is left of 1: the nodes are where the floats are.
    moved = low >= _ROUNDED
    u = np.log(t[moved]) - np.log(1 - t[moved])
    x = (u - middle[moved]) / half[moved]
    matrix = chebyshev.chebvander(x, _NODES - 1)
    coefficients[moved] = np.linalg.solve(matrix, integrands[moved].transpose(0, 2, 1)).transpose(0, 2, 1)
    return np.asarray(coefficients)


# --- beta densities: closed form ---------------------------------------------------------------

_LEAST_A = 1.5  # from here on the incomplete beta function has parameters that are well above zero
_FAR = 60.0  # log-odds beyond which 1 - t is a power
_TERMS = 60


def beta_loss(a: float, b: float, log_odds: Array) -> Array:
    """``∫_q^1 ω(t) / t dt`` of the Beta(a, b) density at log-odds (n,); for negatives swap and negate.

    An incomplete beta function with the parameters a - 1 and b. Where a - 1 is near zero or below, a
    continued fraction for q above about 1 / b, and a power series, integrated up to there, below.
    """
    out = np.empty(log_odds.shape)
    if a >= _LEAST_A:
        far = log_odds > _FAR
        out[~far] = _incomplete(a, b, log_odds[~far])
        out[far] = _near_one(a, b, log_odds[far])
        return out
    cut = -float(np.log(b + 1))  # of q = 1 / (b + 2): the series hardly cancels
    low = log_odds < cut
    out[low] = _near_zero(a, b, log_odds[low], cut)
    out[~low] = _near_one(a, b, log_odds[~low])
    return out


def log_beta(a: float, b: float) -> float:
    """The log of the beta function, without the cancellation of large log-gammas."""
    from scipy.special import gammaln

    a, b = min(a, b), max(a, b)
    if b < 30:
        return float(gammaln(a) + gammaln(b) - gammaln(a + b))

    def rest(x: float) -> float:  # of Stirling's series
        return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * x * x)) / (x * x)) / (x * x)) / x

    rise = a * np.log(b) + (a + b - 0.5) * np.log1p(a / b) - a + rest(a + b) - rest(b)
    return float(gammaln(a) - rise)


def _incomplete(a: float, b: float, log_odds: Array) -> Array:
    """The loss by the regularised incomplete beta function, from whichever end q is nearer to."""
    from scipy.special import betainc, betaincc, expit

    out = np.empty(log_odds.shape)
    low = log_odds < 0
    out[low] = betaincc(a - 1, b, expit(log_odds[low]))
    out[~low] = betainc(b, a - 1, expit(-log_odds[~low]))
    return np.asarray(out * ((a + b - 1) / (a - 1)))


def _near_one(a: float, b: float, log_odds: Array) -> Array:
    """``q^(a-1) (1-q)^b / B(a, b)`` over a continued fraction, in logs."""
    from scipy.special import expit, log_expit

    log_factor = (a - 1) * log_expit(log_odds) + b * log_expit(-log_odds) - log_beta(a, b)
    return np.asarray(np.exp(log_factor) / _fraction(b, a - 1, expit(-log_odds), expit(log_odds)))


def _fraction(a: float, b: float, x: Array, y: Array) -> Array:
    """``x^a y^b`` over the incomplete beta integral from 0 to x = 1 - y; b may be negative.

    The continued fraction of Didonato & Morris 1992, equation (9), by Lentz's method.
    """
    value = a * (a * y - b * x + 1) / (a + 1)
    c, d = value, np.zeros(x.shape)
    m, moving = 0, True
    while moving and m < 10_000:
        m += 1
        odd, even = a + 2 * m - 1, a + 2 * m + 1
        over = (a + m - 1) * (a + b + m - 1) * m * (b - m) * (x / odd) ** 2
        under = m + m * (b - m) * x / odd + (a + m) * (a * y - b * x + 1 + m * (1 + y)) / even
        d, c = 1 / (under + over * d), under + over / c
        value = value * (c * d)
        moving = bool((np.abs(c * d - 1) > 1e-15).any())
    return np.asarray(value)


def _near_zero(a: float, b: float, log_odds: Array, cut: float) -> Array:
    """The loss at the cut, and from q to there the series of ``t^(a-2) (1-t)^(b-1)`` term by term."""
    from scipy.special import expit, log_expit

    power = a - 1
    k = np.arange(1, _TERMS)
    series = np.cumprod((k - b) / k) / (power + k)  # of t^(power + k)
    log_q, log_cut = log_expit(log_odds), float(log_expit(cut))
    norm = -log_beta(a, b)
    # The first term is (cut^power - q^power) / power: of the larger of the two, so that nothing overflows
    # or cancels, and a logarithm if the power is zero.
    if power > 0:
        first = -np.exp(power * log_cut + norm) * np.expm1(power * (log_q - log_cut)) / power
    elif power < 0:
        first = np.exp(power * log_q + norm) * np.expm1(power * (log_cut - log_q)) / power
    else:
        first = np.exp(norm) * (log_cut - log_q)
    tops = [
        np.exp((power + 1) * log_x) * np.polynomial.polynomial.polyval(x, series)
        for log_x, x in ((log_cut, expit(cut)), (log_q, expit(log_odds)))
    ]
    at_cut = _near_one(a, b, np.array([cut]))[0]
    return np.asarray(at_cut + first + np.exp(norm) * (tops[0] - tops[1]))
