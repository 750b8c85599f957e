"""Rows and operating points on which SQL and `Policy.decide` must agree, row by row."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import sqlglot
from hypothesis import strategies as st

import rochull as rh
from rochull.dialects.registry import dialects

# Every dialect is in one of these lists: the first are read back as they are, the others are translated.
DIALECTS = [name for name, each in dialects().items() if each.has_truth_values]
TRANSLATED = [name for name in dialects() if name not in DIALECTS]

# Column -> its type in DuckDB and in PostgreSQL, which has no unsigned integers.
TYPES = {
    "key": ("BIGINT", "BIGINT"),
    "name": ("VARCHAR", "TEXT"),
    "double": ("DOUBLE", "DOUBLE PRECISION"),
    "single": ("FLOAT", "REAL"),
    "whole": ("BIGINT", "BIGINT"),
    "small": ("SMALLINT", "SMALLINT"),
    "unsigned": ("UBIGINT", "NUMERIC(20, 0)"),
}
SALT = "it's a \"salt\", 50 % \\' of -- it; \n«ß»"
LARGE = 2**53


def rows(n: int, seed: int = 0) -> pl.DataFrame:
    """A table with a column `i` of row numbers, and all of `TYPES`: ties, NaN, null, ±inf, huge integers."""
    rng = np.random.default_rng(seed)
    double = np.round(rng.normal(size=n), 2)
    whole = LARGE + rng.integers(-40, 40, n)
    whole[::7] = rng.choice([-1, 1], whole[::7].size) * (2**62 + rng.integers(-600, 600, whole[::7].size))
    whole[:3] = -(2**63), 2**63 - 1, -LARGE - 1
    unsigned = (LARGE + rng.integers(-40, 40, n)).astype(np.uint64)
    unsigned[::3] = np.uint64(2**64 - 1) - rng.integers(0, 5000, unsigned[::3].size).astype(np.uint64)
    with np.errstate(under="ignore"):
        single = (double * np.where(rng.random(n) < 0.1, 2.0**24, 1)).astype(np.float32)
    for floats in (double, single):
        for value in (np.nan, np.inf, -np.inf, -0.0, 5e-324 if floats is double else 1e-45):
            floats[rng.random(n) < 0.02] = value
    keys = rng.permutation(n) - n // 3
    keys[:2] = -(2**63), 2**63 - 1
    names = [f"{('case', 'Fall ß', '«', 'oclock', chr(128512))[k % 5]} {k}" for k in keys.tolist()]
    columns: dict[str, Any] = {"i": np.arange(n), "key": keys, "name": names}
    for name, values in {"double": double, "single": single, "whole": whole, "unsigned": unsigned}.items():
        gone = rng.random(n) < 0.03
        columns[name] = pl.Series(values).scatter(np.flatnonzero(gone), None)
    columns["small"] = pl.Series(rng.integers(-300, 300, n).astype(np.int16)).scatter([n // 2], None)
    return pl.DataFrame(columns)


def in_duckdb(text: str, dialect: str) -> str:
    """An expression of one of `DIALECTS` in DuckDB's words."""
    (read,) = sqlglot.transpile(text, read=dialects()[dialect].syntax, write="duckdb")
    return text if dialect == "duckdb" else read


def policy(salt: str = SALT) -> rh.Policy:
    """The policy of a hull that all columns share."""
    table = rows(3000, seed=1)
    score = {
        name: np.nan_to_num(table[name].fill_null(table[name].min()).to_numpy(), copy=True, nan=-np.inf)
        if table[name].dtype.is_float()
        else table[name].fill_null(0).to_numpy()
        for name in TYPES
        if name not in ("key", "name")
    }
    rng = np.random.default_rng(2)
    ranks = sum(np.argsort(np.argsort(values, kind="stable")) for values in score.values())
    y = rng.random(len(table)) < np.asarray(ranks) / np.max(ranks)
    return rh.Policy.from_hull(rh.union({name: rh.roc_hull(y, s) for name, s in score.items()}), salt=salt)


def rule(classifier: str, threshold: float) -> rh.conditions.Rule:
    return rh.conditions.Rule("threshold", classifier, threshold)


def single(classifier: str, threshold: float) -> rh.conditions.OperatingPoint:
    return rh.conditions.OperatingPoint(0.0, 0.0, ((rule(classifier, threshold), 1.0),))


def mixture(
    left: rh.conditions.Rule, right: rh.conditions.Rule, share: float
) -> rh.conditions.OperatingPoint:
    return rh.conditions.OperatingPoint(0.0, 0.0, ((left, 1 - share), (right, share)), "edge")


NEVER, ALWAYS = rh.conditions.Rule("never"), rh.conditions.Rule("always")
F32 = float(np.float32(0.1))

CONDITIONS: dict[str, Any] = {
    "cost": rh.ExpectedCost(1, 2, 0.4),
    "Neyman-Pearson": rh.NeymanPearson(0.0731),
    "recall": rh.MinimumRecall(0.777),
    "capacity": rh.Capacity(fraction=0.3, prevalence=0.5),
    "double, its own": single("double", 0.1),
    "single, of a double": single("single", 0.1),
    "single, its own": single("single", F32),
    "double, of a single": single("double", F32),
    "plus infinity": single("single", float("inf")),
    "minus infinity": single("double", float("-inf")),
    "zero": single("double", -0.0),
    "denormal": single("double", 5e-324),
    "denormal, single": single("single", 1e-45),
    "whole, an integer": single("whole", LARGE + 1),
    "whole, a float": single("whole", float(LARGE + 2)),
    "whole, minus": single("whole", float(-LARGE)),
    "whole, huge": single("whole", 2**62 + 129),
    "whole, negative": single("whole", -(2**62) - 301),
    "whole, a huge float": single("whole", 2.0**62 - 512),
    "whole, the end": single("whole", 2**63 - 1),
    "unsigned": single("unsigned", 2**64 - 1500),
    "unsigned, an end": single("unsigned", 2.0**64),
    "single, odd integer": single("single", 2**24 + 1),
    "small": single("small", 17),
    "small, a float": single("small", 16.5),
    "mixture of two": mixture(rule("double", 0.5), rule("whole", LARGE + 3), 1 / 3),
    "mixture, a constant": mixture(NEVER, rule("single", -0.25), 0.9999),
    "mixture of three": rh.conditions.OperatingPoint(
        0.3, 0.4, ((rule("double", 0.9), 0.2), (rule("small", 20), 0.3), (ALWAYS, 0.5)), "inside"
    ),
    "mixture of four": rh.conditions.OperatingPoint(  # one of which no hash belongs to
        0.3,
        0.4,
        (
            (rule("whole", LARGE), 0.1),
            (rule("double", 0.3), 2.0**-60),
            (rule("single", 0.25), 0.6),
            (NEVER, 0.3 - 2.0**-60),
        ),
        "inside",
    ),
    "mixture, always": mixture(rule("small", 100), ALWAYS, 2.0**-20 + 2.0**-40),
}


def decided(made: rh.Policy, table: pl.DataFrame, key: str) -> np.ndarray:
    """All decisions of a row as the bits of one number (n,)."""
    packed = np.zeros(len(table), np.int64)
    for bit, condition in enumerate(CONDITIONS.values()):
        packed |= made.decide(table, condition, key=table[key].to_numpy()).astype(np.int64) << bit
    return packed


def packed_sql(made: rh.Policy, dialect: str, key: str) -> str:
    """The same as an expression; NULL if any decision is."""
    texts = [made.to_sql(condition, dialect, key=key) for condition in CONDITIONS.values()]
    return " + ".join(
        f"CAST(CAST({text} AS INTEGER) AS BIGINT) * {1 << bit}" for bit, text in enumerate(texts)
    )


def differences(found: np.ndarray, expected: np.ndarray) -> dict[str, list[int]]:
    """The first rows on which each condition is decided otherwise."""
    names = enumerate(CONDITIONS)
    rows = {name: np.flatnonzero(((found ^ expected) >> bit) & 1)[:5].tolist() for bit, name in names}
    return {name: first for name, first in rows.items() if first}


# What may be in the way of a name or a text that is put between quotes.
HOSTILE = [
    'a"b', "a`b", "a'b", "a\\", "\\`", '\\"', "a\\'b", "x; DROP TABLE t; --", "a/*b", "*/ OR TRUE /*", "-- a",
    "new\nline", "tab\t\r", "ß «x» 漢 \U0001f600", "a.b", "`; SELECT 1; --", "' OR '1'='1", '" OR TRUE OR "',
    "${x}", "{{x}}", "$$", ":x", "?", "%s", "E'x'", " ", "\\x41", "\\u0041", "\u2028", "a``b", '""', "[a]",
]  # fmt: skip


def passes(value: Any, threshold: float) -> bool:
    """The rule as exact arithmetic says it."""
    if value is None or value != value:  # noqa: PLR0124
        return False
    if math.isinf(value) or math.isinf(threshold):
        return float(value) >= threshold
    return Fraction(value) >= Fraction(threshold)


EDGES = [0, 1, 2**24, 2**31, 2**53, 2**54, 2**62, 2**63, 2**64, -(2**24), -(2**53), -(2**54), -(2**63)]


def near(threshold: float) -> list[float]:
    """Integers and floats about a threshold."""
    if math.isinf(threshold):
        return [threshold, math.copysign(np.finfo(float).max, threshold), 0.0]
    whole = math.floor(threshold)
    floats = [float(threshold), math.nextafter(threshold, math.inf), math.nextafter(threshold, -math.inf)]
    with np.errstate(all="ignore"):
        singles = [np.float32(threshold)]
        singles += [np.nextafter(singles[0], np.float32(end)) for end in (np.inf, -np.inf)]
    return [*(whole + step for step in (-2048, -2, -1, 0, 1, 2, 2048)), *floats, *map(float, singles)]


# Numbers of any size, near those that some types of column round.
INTEGERS = st.one_of(
    st.integers(-300, 300),
    st.sampled_from(EDGES).flatmap(lambda edge: st.integers(edge - 3000, edge + 3000)),
)
FLOATS = st.one_of(
    st.floats(allow_nan=False),
    st.floats(allow_nan=False, width=32),
    INTEGERS.map(float),
    INTEGERS.map(lambda number: float(np.float32(number))),
)
THRESHOLDS = st.one_of(INTEGERS.filter(lambda number: -(2**63) <= number < 2**64), FLOATS)
