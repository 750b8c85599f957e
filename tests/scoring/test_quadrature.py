"""The integrals of equation (1): any density against closed forms, those against mpmath."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln, expit, logit, spence
from scipy.stats import beta, norm

from adversaries import Array
from profiles import tries
from rochull.scoring.quadrature import beta_loss, checked_function, log_beta, table_of
from twins_calibration import loss_by_quad

WIDE = np.concatenate(
    [np.linspace(-40, 40, 1601), [-1e4, -700, -350.1, -350, -100, 26.9, 27.1, 60, 100, 700, 1e4]]
)


def integrate(function: Callable[[Array], Any]) -> Any:
    return table_of(checked_function(function, "density"), "density")


def closed(a: float, b: float, x: Array) -> tuple[Array, Array]:
    with np.errstate(over="ignore", under="ignore"):
        return beta_loss(a, b, x), beta_loss(b, a, -x)


def found(table: Any, x: Array) -> tuple[Array, Array]:
    with np.errstate(over="ignore", under="ignore"):
        return table.if_positive(x), table.if_negative(x)


# a, b, log-odds x, ∫ t^(a-2) (1-t)^(b-1) dt / B(a, b) from expit(x) to 1, by mpmath 1.4.1:
#
#     from mpmath import beta, exp, hyp2f1, log, mp, mpf
#     mp.dps = 60
#     def loss(a, b, x):
#         a, b, x, start = mpf(a), mpf(b), mpf(x), -5
#         z = 1 / (1 + exp(x))
#         if x >= start:
#             return z**b / b * hyp2f1(b, 2 - a, b + 1, z) / beta(a, b)
#         q, top, c, total = 1 / (1 + exp(-x)), 1 / (1 + exp(-mpf(start))), mpf(1), mpf(0)
#         for k in range(1000):  # from q to the start, term by term
#             n = a - 1 + k
#             total += c * ((top**n - q**n) / n if n else log(top / q))
#             c *= (k + 1 - b) / (k + 1)
#         return total / beta(a, b) + loss(a, b, start)
MPMATH = [
    (0.5, 20, -3, 2.2433639702701519),
    (20, 0.5, 2.2, 0.9779654478750575),
    (1, 3.3, -10, 27.680768473035182),
    (1.0000001, 5, -100, 489.58094657027043),
    (0.999, 0.7, -1000, 1202.3019082164294),
    (1.3, 40, -5, 39.441548721251322),
    (0.05, 0.05, -37.5, 78274856042802.128),
    (0.9, 300, -3, 6.611596642967516e-6),
    (1.01, 3000, -9, 2272.5978790475543),
    (2000, 3000, -0.5, 2.4992772609901386),
    (2, 0.01, 1000, 4.5853929060109691e-5),
    (1.5, 2.5, 0.3, 0.29021880788407717),
    (7.3, 1.499, -1.1, 1.2374116674503432),
    (0.001, 2, -400, 3.5070629215407534e170),
    (300, 1.0001, 8, 0.095714665673377788),
    (0.05, 300, -8, 102.08423316000325),
    (0.97, 0.3, -1e4, 1.9183430025235188e131),
]


@pytest.mark.parametrize(("a", "b", "x", "expected"), MPMATH)
def test_mpmath_agrees(a: float, b: float, x: float, expected: float) -> None:
    with np.errstate(over="ignore", under="ignore"):
        assert beta_loss(a, b, np.array([x]))[0] == pytest.approx(expected, rel=2e-13)


@tries(50)
@given(st.floats(0.5, 25), st.floats(1, 25), st.floats(-4, 4))
def test_closed_form_is_the_integral(a: float, b: float, x: float) -> None:
    def density(t: float) -> float:
        return t ** (a - 1) * (1 - t) ** (b - 1) * math.exp(-betaln(a, b))

    expected = loss_by_quad(density, float(expit(x)), positive=True)
    assert beta_loss(a, b, np.array([x]))[0] == pytest.approx(expected, rel=1e-8, abs=1e-11)


@given(st.floats(1e-3, 1e4), st.floats(1e-3, 1e4))
def test_pieces_of_the_closed_form_meet(a: float, b: float) -> None:
    """Where one formula hands over to another the loss is continuous, and it falls."""
    for border in (0.0, 60.0, -math.log(b + 1)):
        x = border + np.array([-1e-9, 0.0, 1e-9])
        with np.errstate(over="ignore", under="ignore"):
            loss = beta_loss(a, b, x)
        # The slope is the loss's own, at most its density: a relative step of about a + b.
        np.testing.assert_allclose(loss[1:], loss[:-1], rtol=1e-8 * (a + b + 1), atol=1e-250)
        assert (np.diff(loss) <= 1e-12 * loss[0]).all()


@pytest.mark.parametrize("b", [0.3, 1.0, 4.5, 300.0])
def test_a_near_one_is_not_special(b: float) -> None:
    x = np.array([-300.0, -20.0, -3.0, -0.5, 0.0, 2.0, 30.0])
    near = [beta_loss(1 + step, b, x) for step in (-1e-13, 0.0, 1e-13)]
    for other in (near[0], near[2]):
        np.testing.assert_allclose(other, near[1], rtol=1e-10)
    left, right = beta_loss(1.5 - 1e-13, b, x), beta_loss(1.5, b, x)
    np.testing.assert_allclose(left, right, rtol=1e-11)


def test_log_beta() -> None:
    for a, b in ((0.3, 0.7), (1.0, 1.0), (2.5, 29.9), (40.0, 0.3)):
        assert log_beta(a, b) == pytest.approx(betaln(a, b), rel=1e-12, abs=1e-14)
    # mpmath: log(beta(a, b)) with 60 digits; differences of log-gammas would be wrong from the 12th on.
    assert log_beta(1.5, 1e6) == pytest.approx(-20.8440484495815314, rel=1e-15)
    assert log_beta(3000.0, 2.0) == pytest.approx(-16.0130684130906139, rel=1e-15)
    assert log_beta(3.3, 31.0) == pytest.approx(-10.4639460519164517, rel=1e-14)


PAIRS = [
    (1, 1),
    (2, 2),
    (0.5, 0.5),
    (0.5, 20),
    (20, 0.5),
    (1, 3.3),
    (7.3, 1),
    (20, 20),
    (0.7, 1.4),
    (0.1, 0.1),
]


@pytest.mark.parametrize(("a", "b"), [*PAIRS, (2000, 3000), (2e4, 3e4)])
def test_panels_reach_the_closed_form(a: float, b: float) -> None:
    table = integrate(beta(a, b).pdf)
    assert table.mass == pytest.approx(1, abs=1e-13)
    for loss, expected in zip(found(table, WIDE), closed(a, b, WIDE), strict=True):
        big = (expected > 1e-6) & np.isfinite(expected)
        assert big.sum() > 20
        tails = np.abs(WIDE[big]) > 100  # where powers of t are continued
        np.testing.assert_allclose(loss[big][~tails], expected[big][~tails], rtol=1e-10)
        np.testing.assert_allclose(loss[big][tails], expected[big][tails], rtol=1e-8)
        assert (loss[np.isinf(expected)] == np.inf).all()
        np.testing.assert_allclose(loss, expected, rtol=1e-8, atol=1e-20)


def test_infinite_only_where_the_integral_is() -> None:
    ends = np.array([-np.inf, np.inf])
    with np.errstate(over="ignore"):
        for a, b, at_zero, at_one in (
            (1.0, 1.0, np.inf, np.inf),
            (0.5, 3.0, np.inf, 5 / 4),
            (2.0, 2.0, 3.0, 3.0),
            (4.0, 1.25, 17 / 12, 17.0),
        ):
            positive, negative = found(integrate(beta(a, b).pdf), ends)
            np.testing.assert_allclose(positive, [at_zero, 0], rtol=1e-12)
            np.testing.assert_allclose(negative, [0, at_one], rtol=1e-12)
            np.testing.assert_allclose(beta_loss(a, b, ends), [at_zero, 0], rtol=1e-14)


def test_jumps_end_in_tiny_panels() -> None:
    table = integrate(lambda t: np.where((t >= 0.2) & (t <= 0.4), 5.0, 0.0))
    q = np.array([0.01, 0.2, 0.25, 1 / 3, 0.4, 0.5, 1 - 1e-12])
    inside = np.clip(q, 0.2, 0.4)
    positive, negative = found(table, logit(q))
    np.testing.assert_allclose(positive, 5 * np.log(0.4 / inside), atol=1e-13)
    np.testing.assert_allclose(negative, 5 * np.log(0.8 / (1 - inside)), atol=1e-13)
    assert (positive[-2:] == 0).all()  # no rounding where there is nothing
    assert len(table.edges) < 1000
    ends = np.array([-np.inf, -1e4, 1e4, np.inf])
    np.testing.assert_allclose(found(table, ends)[0], [5 * math.log(2)] * 2 + [0] * 2, atol=1e-13)


def test_a_jump_near_one() -> None:
    width = 2.0**-20
    table = integrate(lambda t: np.where(t > 1 - width, 1 / width, 0.0))
    x = np.array([0.0, 12.0, 14.0, 16.0])
    rest = np.minimum(expit(-x), width)
    positive, negative = found(table, x)
    np.testing.assert_allclose(positive, -np.log1p(-rest) / width, rtol=1e-9)
    # Where the floats near 1 are coarse, the jump is found to a relative 1e-7 of 1 - t.
    np.testing.assert_allclose(negative, np.log(width / rest) / width, rtol=0, atol=1e-7 / width)


def test_logarithmic_densities() -> None:
    """Not a power at the ends: -log t and -log(1 - t), whose other losses are dilogarithms."""
    x = np.array([-25.0, -4.0, 0.0, 1.5, 8.0])
    up, down = np.log(expit(x)), np.log(expit(-x))
    positive, negative = found(integrate(lambda t: -np.log(t)), x)
    np.testing.assert_allclose(positive, up**2 / 2, rtol=1e-7, atol=1e-15)
    np.testing.assert_allclose(negative, np.pi**2 / 6 - spence(expit(x)), rtol=1e-12, atol=1e-14)
    positive, negative = found(integrate(lambda t: -np.log1p(-t)), x)
    np.testing.assert_allclose(positive, np.pi**2 / 6 - spence(expit(-x)), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(negative, down**2 / 2, rtol=1e-11, atol=1e-15)


def test_a_singularity_inside() -> None:
    scale = 2 * (math.sqrt(0.37) + math.sqrt(0.63))
    table = integrate(lambda t: 1 / (np.sqrt(np.abs(t - 0.37)) * scale))
    assert table.mass == pytest.approx(1, abs=1e-7)
    for q in (0.2, 0.6):
        expected = loss_by_quad(lambda t: 1 / (math.sqrt(abs(t - 0.37)) * scale), q, True, breaks=[0.37])
        assert found(table, logit(np.array([q])))[0][0] == pytest.approx(expected, rel=1e-7)


def test_a_narrow_peak_is_found() -> None:
    density = norm(0.3, 1e-4).pdf
    table = integrate(density)
    assert table.mass == pytest.approx(1, abs=1e-12)
    positive, negative = found(table, logit(np.array([0.2, 0.4])))
    # The mean of 1 / t and of 1 / (1 - t), by their series in the variance: the cost of one decision.
    assert positive[0] == pytest.approx(1 / 0.3 * (1 + 1e-8 / 0.09), rel=1e-12)
    assert negative[1] == pytest.approx(1 / 0.7 * (1 + 1e-8 / 0.49), rel=1e-12)
    assert positive[1] == negative[0] == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("grain", [1e-7, 1e-11])
def test_noise_is_not_resolved(grain: float) -> None:
    rng = np.random.default_rng(0)
    table = integrate(lambda t: 6 * t * (1 - t) * (1 + grain * rng.standard_normal(t.size)))
    assert len(table.edges) < 60_000
    x = np.linspace(-10, 10, 41)
    for loss, expected in zip(found(table, x), closed(2, 2, x), strict=True):
        np.testing.assert_allclose(loss, expected, rtol=10 * grain, atol=10 * grain)


@tries(25)
@given(st.integers(0, 2**32), st.integers(1, 6))
def test_mixtures_with_steps(seed: int, pieces: int) -> None:
    """A step function and a beta density: the panels against the sum of what each is known to be."""
    rng = np.random.default_rng(seed)
    edges = np.concatenate([[0], np.sort(rng.uniform(0.01, 0.99, pieces)), [1]])
    heights = rng.dirichlet(np.ones(pieces + 1)) / np.diff(edges)
    heights[rng.random(pieces + 1) < 0.3] = 0
    a, b = rng.uniform(0.5, 20, 2)
    share = 0.5

    def density(t: Array) -> Array:
        return share * heights[np.searchsorted(edges[1:-1], t)] + (1 - share) * beta(a, b).pdf(t)

    table = integrate(density)
    assert table.mass == pytest.approx(0.5 + 0.5 * float(heights @ np.diff(edges)), abs=1e-11)
    q = rng.uniform(0.001, 0.999, 20)
    low, high = np.maximum(edges[:-1], q[:, None]), np.maximum(edges[1:], q[:, None])
    steps = np.log(high / np.where(low > 0, low, 1)) @ heights
    np.testing.assert_allclose(
        found(table, logit(q))[0], share * steps + (1 - share) * closed(a, b, logit(q))[0], rtol=1e-10
    )


def test_losses_rise_and_fall() -> None:
    table = integrate(lambda t: np.where(t < 0.5, 0.2, 1.8))
    x = np.sort(np.concatenate([WIDE, table.edges, np.random.default_rng(1).normal(0, 10, 10_000)]))
    positive, negative = found(table, x)
    assert (np.diff(positive) <= 1e-14 * positive[:-1]).all()
    assert (np.diff(negative) >= -1e-14 * negative[1:]).all()
    assert (positive >= 0).all()
    assert (negative >= 0).all()


def test_chunks_of_rows_are_one() -> None:
    table = integrate(beta(2, 3).pdf)
    x = np.random.default_rng(2).normal(0, 5, 20_000)
    whole = table.if_positive(x)
    assert whole.tolist() == np.concatenate([table.if_positive(part) for part in np.split(x, 50)]).tolist()
    assert table.if_negative(np.empty(0)).size == 0


def test_the_ends_are_never_evaluated() -> None:
    seen: list[Array] = []

    def density(t: Array) -> Array:
        seen.append(t.copy())
        with np.errstate(divide="raise"):
            return 1 / (np.pi * np.sqrt(t * (1 - t)))  # infinite at 0 and 1

    assert integrate(density).mass == pytest.approx(1, abs=1e-12)
    t = np.concatenate(seen)
    assert t.min() > 0
    assert t.max() < 1


def test_the_function_may_change_its_argument() -> None:
    def density(t: Array) -> Array:
        t *= 1 - t
        t *= 6
        return t

    assert integrate(density).mass == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (math.sin, "density must take an array of thresholds, but raised TypeError"),
        (
            lambda t: 1.0 if t < 0.5 else 0.0,
            "density must take an array of thresholds, but raised ValueError",
        ),
        (lambda t: 1.0, r"density must return numbers in an array as long as its argument, \(\d+,\), but"),
        (lambda t: np.ones((t.size, 1)), r"but returned shape \(\d+, 1\) and type float64"),
        (lambda t: np.ones(3), r"but returned shape \(3,\)"),
        (lambda t: t.astype(complex), "and type complex128"),
        (lambda t: t.astype(str), "density must return numbers"),
        (lambda t: None, r"but returned shape \(\) and type object"),
        (lambda t: 2 - 4 * t, r"density must not be negative, but is -\d.* at 0\.\d+"),
        (lambda t: np.where(t < 0.3, np.nan, 1), "density must be a number, but is nan at"),
        (lambda t: np.where(t < 0.3, np.inf, 1), "density must be finite between 0 and 1, but is inf at"),
        (lambda t: 1 / t, "density: its integral diverges at 0"),
        (lambda t: 1 / (1 - t), "density: its integral diverges at 1"),
        (lambda t: t**-1.5, "density: its integral diverges at 0"),
        (lambda t: t**-3, "density must be finite between 0 and 1"),
    ],
)
def test_bad_functions(function: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        integrate(function)


def test_not_a_function() -> None:
    with pytest.raises(TypeError, match=r"density must be a function of an array of thresholds, but is 0\.5"):
        checked_function(0.5, "density")  # type: ignore[arg-type]
