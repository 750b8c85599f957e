"""Score distributions that are hard on bucket maps and tie rules, and labels for them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.special import expit

Array = np.ndarray[Any, Any]
Family = Callable[[np.random.Generator, int], Array]


def _with_infinities(rng: np.random.Generator, n: int) -> Array:
    scores = rng.normal(size=n)
    scores[rng.random(n) < 0.2] = np.inf
    scores[rng.random(n) < 0.2] = -np.inf
    return scores


def _wide_integers(rng: np.random.Generator, n: int) -> Array:
    limits = np.iinfo(np.int64)
    return rng.integers(limits.min, limits.max, n, endpoint=True)


def _mostly_tied(rng: np.random.Generator, n: int) -> Array:
    return np.where(rng.random(n) < 0.9, 0.25, rng.normal(size=n))


def _extremes(rng: np.random.Generator, n: int) -> Array:
    most, least = np.finfo(float).max, 5e-324
    return rng.choice([-np.inf, -most, -1.0, -least, 0.0, least, 1.0, most, np.inf], n)


FAMILIES: dict[str, Family] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "sigmoid near 1": lambda rng, n: expit(rng.normal(20, 10, n)),
    "sigmoid near 0": lambda rng, n: expit(rng.normal(-300, 100, n)),
    "sigmoid near both": lambda rng, n: expit(rng.normal(0, 30, n)),
    "few values": lambda rng, n: rng.integers(0, 5, n) / 4,
    "mostly tied": _mostly_tied,
    "zero or more": lambda rng, n: np.maximum(rng.normal(size=n), 0),
    "infinities": _with_infinities,
    "extremes": _extremes,
    "denormals": lambda rng, n: rng.integers(-40, 40, n) * 5e-324,
    "1e300 ranges": lambda rng, n: rng.choice([-1.0, 1.0], n) * 10 ** rng.uniform(-300, 300, n),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n) ** 3,
    "constant": lambda rng, n: np.full(n, rng.normal()),
    "two clusters": lambda rng, n: 0.5 + 1e-15 * rng.integers(0, 2, n) + 1.2e-16 * rng.integers(0, 3, n),
    "zeros": lambda rng, n: rng.choice([0.0, -0.0, 1e-300, -1e-300, 2e-300], n),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "int64 beyond 2**53": lambda rng, n: 2**53 + rng.integers(0, 60, n),
    "int64, all of it": _wide_integers,
    "uint64 near 2**64": lambda rng, n: np.uint64(2**64 - 1) - rng.integers(0, 60, n).astype(np.uint64),
}
names = st.sampled_from(sorted(FAMILIES))


def labels_for(scores: Array, kind: str, rng: np.random.Generator) -> Array:
    """Labels (n,) with both classes, n >= 2: related to the scores' order in one way or another."""
    n = scores.size
    rank = np.argsort(np.argsort(scores, kind="stable")) / n
    chance = {
        "unrelated": np.full(n, 0.5),
        "good": rank,
        "inverted": 1 - rank,
        "rare": 0.1 * rank,
        "separated": (rank > 0.5).astype(float),
    }[kind]
    labels = (rng.random(n) < chance).astype(np.int64)
    labels[np.argmax(scores)] = 1
    labels[np.argmax(scores) - 1] = 0  # some other example: index -1 is one
    return labels


KINDS = st.sampled_from(["unrelated", "good", "inverted", "rare", "separated"])


def weights_for(kind: str, n: int, rng: np.random.Generator) -> Array | None:
    """Weights (n,), each class weighing something if both have two examples; dyadic or not."""
    if kind == "none":
        return None
    if kind == "integers":
        return rng.integers(1, 5, n).astype(float)
    weights = rng.gamma(0.5, size=n) + 1e-3
    if kind == "some zero":
        weights[rng.random(n) < 0.3] = 0
    return weights


WEIGHTS = st.sampled_from(["none", "none", "integers", "floats", "some zero"])


@st.composite
def examples(draw: st.DrawFn, min_size: int = 2, max_size: int = 300) -> tuple[Array, Array, Array | None]:
    """(labels, scores, weights or None) of one family, both classes weighing something."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(min_size, max_size))
    scores = FAMILIES[draw(names)](rng, n)
    labels = labels_for(scores, draw(KINDS), rng)
    weights = weights_for(draw(WEIGHTS), n, rng)
    if weights is not None:
        for label in (0, 1):
            weights[np.flatnonzero(labels == label)[0]] = 1.5
    return labels, scores, weights
