"""A calibrator in SQL says what it says in Python, row by row, in DuckDB and in a real PostgreSQL server."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

import postgres
import rochull as rh
from profiles import tries
from rochull.calibration.base import Calibrator
from rochull.dialects.registry import dialects
from sql_cases import LARGE, TRANSLATED, in_duckdb
from sql_translated import in_duckdb as translated

pytestmark = pytest.mark.filterwarnings("ignore:X has scores:UserWarning")

RNG = np.random.default_rng(0)
LABELS = RNG.random(60) < 0.5
SCORES = np.round(RNG.normal(size=60) + LABELS, 3)
ENDS = [np.inf, -np.inf, 0.0, -0.0, 1e300, -1e300, 5e-324, -5e-324, 1e-200, 700.0, -700.0, 37.0]
FINITE = np.concatenate((np.linspace(-8, 8, 161), SCORES, ENDS[2:]))
STEPS = [
    rh.PavCalibrator(), rh.PavCalibrator(bound="laplace"), rh.PavCalibrator(bound="elub"),
    rh.PavCalibrator(bound="laplace", lower_is_positive=True),
]  # fmt: skip
LINES = [
    rh.PavCalibrator("linear"), rh.PavCalibrator("linear", "elub"), rh.PavCalibrator(strict=True),
    rh.PavCalibrator("centred"), rh.PavCalibrator("centred", "elub", lower_is_positive=True),
    rh.PavCalibrator("linear", "laplace", lower_is_positive=True),
    rh.PavCalibrator("linear", "laplace", strict=True, lower_is_positive=True),
]  # fmt: skip
SMOOTH = [
    rh.LogisticCalibrator(), rh.LogisticCalibrator(0.2, lower_is_positive=True),
    rh.LogisticCalibrator(bound="elub"), rh.calibration.TemperatureCalibrator(),
    rh.calibration.GaussianCalibrator(), rh.calibration.GaussianCalibrator(True, bound="invariance"),
    rh.calibration.GaussianCalibrator(lower_is_positive=True),
    rh.calibration.FourParameterCalibrator(), rh.calibration.FourParameterCalibrator(lower_is_positive=True),
    rh.BetaCalibrator(), rh.BetaCalibrator("ab", bound="elub"), rh.BetaCalibrator(lower_is_positive=True),
]  # fmt: skip


def fitted(made: Any) -> tuple[Any, np.ndarray]:
    """A calibrator, and scores for it."""
    beta = isinstance(made, rh.BetaCalibrator)
    with np.errstate(over="ignore"):
        known, new = (
            1 / (1 + np.exp(-x)) if beta else x for x in (SCORES, np.append(FINITE, [] if beta else ENDS[:2]))
        )
    sign = -1 if made.lower_is_positive and not beta else 1
    labels = ~LABELS if made.lower_is_positive and beta else LABELS
    return made.fit(sign * known, labels), new


def read(made: Calibrator, scores: np.ndarray, what: str, prevalence: float | None) -> np.ndarray:
    return made.llr(scores) if what == "llr" else made.posterior(scores, prevalence)


def asked(table: pl.DataFrame, text: str) -> np.ndarray:
    """What DuckDB makes of an expression, NaN for NULL."""
    with duckdb.connect() as opened:
        opened.register("cases", table)
        found = opened.execute(f"SELECT {text} AS new FROM cases").fetchnumpy()["new"]
    return np.ma.filled(found, np.nan)


def close(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Within what `to_sql` states."""
    if what == "llr":
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


ASKED = [("llr", None), ("posterior", None), ("posterior", 0.01)]


@pytest.mark.parametrize("made", [*STEPS, *LINES, *SMOOTH], ids=repr)
def test_duckdb_says_the_same(made: Any) -> None:
    found, scores = fitted(made)
    table = pl.DataFrame({"x": pl.Series([*scores, np.nan, None], dtype=pl.Float64)})
    for what, prevalence in ASKED:
        got = asked(table, found.to_sql("x", "duckdb", what, prevalence=prevalence))
        assert np.isnan(got[-2:]).all()
        expected = read(found, scores, what, prevalence)
        if isinstance(made, rh.PavCalibrator):  # lines too, where the logarithm is the same
            np.testing.assert_array_equal(got[:-2], expected)
        else:
            close(got[:-2], expected, what)


TYPES = {"double": "DOUBLE PRECISION", "single": "REAL", "whole": "BIGINT", "small": "SMALLINT"}


@pytest.fixture(scope="module")
def connection(server: postgres.Server) -> Iterator[Any]:
    with server.connect() as opened, opened.transaction(force_rollback=True):
        yield opened


def in_postgres(connection: Any, table: pl.DataFrame, texts: dict[str, str], kind: str) -> pl.DataFrame:
    """Expressions over the column `x` of a type, by COPY: doubles come back with all their digits."""
    connection.execute(f'CREATE TEMPORARY TABLE t (i INTEGER, "x" {kind})')
    try:
        with connection.cursor().copy("COPY t FROM STDIN WITH (FORMAT csv, HEADER)") as copy:
            copy.write(table.with_row_index("i").select("i", "x").write_csv().encode())
        out = io.BytesIO()
        columns = ", ".join(f"{text} AS {name}" for name, text in texts.items())
        query = f"COPY (SELECT {columns} FROM t ORDER BY i) TO STDOUT WITH (FORMAT csv, HEADER)"
        with connection.cursor().copy(query) as copy:
            for part in copy:
                out.write(part)
        return pl.read_csv(out.getvalue(), schema_overrides=dict.fromkeys(texts, pl.String)).with_columns(
            pl.all().str.replace("Infinity", "inf").cast(pl.Float64)
        )
    finally:
        connection.execute("DROP TABLE t")


@pytest.mark.parametrize("made", [*STEPS, *LINES, *SMOOTH], ids=repr)
def test_postgres_says_the_same(made: Any, connection: Any) -> None:
    found, scores = fitted(made)
    table = pl.DataFrame({"x": pl.Series([*scores, np.nan, None], dtype=pl.Float64)})
    texts = {
        f"of{i}": found.to_sql("x", "postgres", what, prevalence=prevalence)
        for i, (what, prevalence) in enumerate(ASKED)
    }
    got = in_postgres(connection, table, texts, "DOUBLE PRECISION")
    for i, (what, prevalence) in enumerate(ASKED):
        column = got[f"of{i}"]
        assert column[-2:].is_null().all()
        expected = read(found, scores, what, prevalence)
        if made in STEPS:
            np.testing.assert_array_equal(column[:-2].to_numpy(), expected)
            continue
        near = np.isinf(scores) | (np.abs(scores) < 1e120)
        close(column[:-2].to_numpy()[near], expected[near], what)


# --- types of columns ---------------------------------------------------------------------------


def whole(fit: Any = rh.PavCalibrator()) -> tuple[Any, np.ndarray]:  # noqa: B008
    """A map of integers that no double tells apart, and integers about them."""
    scores = LARGE + np.arange(40) - 20
    return fit.fit(scores, RNG.random(40) < np.linspace(0.2, 0.9, 40)), np.concatenate(
        (scores, [-(2**63), 2**63 - 1, 0, LARGE, -LARGE])
    )


def test_integers_beyond_doubles_meet_steps_exactly(connection: Any) -> None:
    found, scores = whole()
    table = pl.DataFrame({"x": scores})
    expected = found.posterior(scores)
    np.testing.assert_array_equal(asked(table, found.to_sql("x", "duckdb")), expected)
    got = in_postgres(connection, table, {"new": found.to_sql("x", "postgres")}, "BIGINT")
    np.testing.assert_array_equal(got["new"].to_numpy(), expected)
    doubles = scores.astype(float)
    np.testing.assert_array_equal(
        asked(pl.DataFrame({"x": doubles}), found.to_sql("x", "duckdb")), found.posterior(doubles)
    )


@pytest.mark.parametrize("made", [rh.PavCalibrator(), rh.PavCalibrator("linear")], ids=repr)
@pytest.mark.parametrize("kind", [np.float32, np.int16, np.uint64])
def test_scores_of_other_types_than_it_was_fitted_to(made: Any, kind: Any) -> None:
    for own in (np.float64, np.float32, np.int64):
        found = made.fit((20 * SCORES).astype(own), LABELS)
        scores = np.arange(0, 60).astype(kind) + (kind(0.1) if kind is np.float32 else kind(0))
        got = asked(pl.DataFrame({"x": scores}), found.to_sql("x", "duckdb"))
        np.testing.assert_array_equal(got, found.posterior(scores))


@given(
    st.lists(
        st.tuples(st.floats(allow_nan=False) | st.integers(-5, 5).map(float), st.booleans()), min_size=2
    ).filter(lambda rows: len({label for _, label in rows}) == 2),
    st.sampled_from(["step", "linear"]),
    st.sampled_from([None, "laplace", "elub"]),
    st.booleans(),
)
@tries(40)
def test_any_pav_map(rows: Any, interpolation: str, bound: str | None, lower: bool) -> None:
    scores, labels = np.array([score for score, _ in rows]), [label for _, label in rows]
    found = rh.PavCalibrator(interpolation, bound, lower_is_positive=lower).fit(scores, labels)
    with np.errstate(over="ignore"):  # above the largest double is infinity alone
        near = np.concatenate([np.nextafter(scores, np.inf), scores, np.nextafter(scores, -np.inf), ENDS])
    table = pl.DataFrame({"x": near})
    for what in ("llr", "posterior"):
        got, expected = asked(table, found.to_sql("x", "duckdb", what)), read(found, near, what, None)
        if interpolation == "step":
            np.testing.assert_array_equal(got, expected)
        else:
            close(got, expected, what)


# --- several columns, dialects, refusals --------------------------------------------------------


def test_a_fusion_of_columns_by_name() -> None:
    columns = {"a": SCORES, "b": np.cos(7 * SCORES), "c": RNG.normal(size=60)}
    fusion = rh.LogisticFusion().fit(columns, LABELS)
    table = pl.DataFrame({"a": [0.5, np.inf, None, np.inf, 2.0], "B": [1.0, 0.1, 1.0, 1.0, np.nan], "c": 1.0})
    text = fusion.to_sql({"b": ("cases", "B")}, "duckdb", "llr")
    found = asked(table, text)
    given = {"a": table["a"][:2], "b": table["B"][:2], "c": table["c"][:2]}
    np.testing.assert_allclose(found[:2], fusion.llr(given), rtol=1e-14)
    assert np.isnan(found[[2, 4]]).all()
    both = pl.DataFrame(
        {"a": [np.inf], "B": [np.inf * -np.sign(fusion.coef_[0] * fusion.coef_[1])], "c": 1.0}
    )
    assert np.isnan(asked(both, text)).all()  # in Python they are refused
    with pytest.raises(ValueError, match=r"column: LogisticFusion reads 'a', 'b', 'c'"):
        fusion.to_sql("a", "duckdb")


@pytest.mark.parametrize("name", dialects())
@pytest.mark.parametrize("made", [STEPS[1], LINES[1], *SMOOTH[:3], SMOOTH[4], SMOOTH[7]], ids=repr)
def test_every_dialect_reads_as_duckdb(name: str, made: Any) -> None:
    """In DuckDB's words, as sqlglot translates them; lines between infinite LLRs need infinite numbers."""
    found, scores = fitted(made)
    finite = scores[
        np.isfinite(scores) & (np.abs(scores) < 1e100) & ((scores == 0) | (np.abs(scores) > 1e-100))
    ]
    text = found.to_sql("x", name)
    words = translated(text, name) if name in TRANSLATED else in_duckdb(text, name)
    got = asked(pl.DataFrame({"x": pl.Series([*finite, None], dtype=pl.Float64)}), words)
    close(got[:-1], found.posterior(finite), "posterior")
    assert np.isnan(got[-1])


def test_many_steps_are_few_cases_inside_of_each_other() -> None:
    scores = np.arange(6000.0)
    labels = np.concatenate([[0] * (60 - k) + [1] * k for k in range(1, 60)])  # a block for each k
    found = rh.PavCalibrator(bound="laplace").fit(scores[: labels.size], labels)
    assert len(found.blocks_) == 60
    tree = sqlglot.parse_one(found.to_sql("x", "tsql"), read="tsql")
    depths = [
        len([p for p in _parents(case) if isinstance(p, sqlglot.exp.Case)])
        for case in tree.find_all(sqlglot.exp.Case)
    ]
    assert max(depths) < 9
    text = found.to_sql("x", "spark")
    assert "AGGREGATE" in text
    assert "CASE" not in text[5:]


def test_steps_in_spark_cost_an_edge_and_a_value_each() -> None:
    """Trees fell off a cliff at 134 steps; what a row computes grows with the logarithm of the steps."""
    sizes, turns = [], []
    for steps in (134, 536):
        scores = np.repeat(np.arange(steps), 2)
        share = (np.arange(steps) + 1) / (steps + 2)
        weights = np.column_stack((1 - share, share)).ravel()
        found = rh.PavCalibrator().fit(scores, np.tile([0, 1], steps), sample_weight=weights)
        assert len(found.blocks_) == steps
        text = found.to_sql("x", "spark")
        assert text.count("CASE") < 2
        sizes.append(len(text) / steps)
        turns.append(len(re.findall(r"AGGREGATE\(ARRAY\(([0-9, ]*)\)", text)[0].split(",")))
    assert sizes[1] < 1.2 * sizes[0]
    assert turns == [8, 10]


def _parents(node: Any) -> Iterator[Any]:
    while node.parent is not None:
        node = node.parent
        yield node


def test_what_is_not_written_says_why() -> None:
    pav, _ = fitted(rh.PavCalibrator())
    with pytest.raises(ValueError, match='what must be "posterior" or "llr", but is \'odds\''):
        pav.to_sql("x", "duckdb", "odds")
    with pytest.raises(ValueError, match="prevalence: log-likelihood-ratios do not depend on it"):
        pav.to_sql("x", "duckdb", "llr", prevalence=0.1)
    with pytest.raises(ValueError, match="dialect must be one of"):
        pav.to_sql("x", "none")
    with pytest.raises(ValueError, match="prevalence must lie strictly between 0 and 1"):
        pav.to_sql("x", "duckdb", prevalence=1)
    with pytest.raises(
        ValueError, match="a KdeCalibrator cannot be written in SQL; write a table by rochull"
    ):
        rh.calibration.KdeCalibrator().fit(SCORES, LABELS).to_sql("x", "duckdb")
    steep = rh.LogisticCalibrator().fit(SCORES * 1e-70, LABELS)
    with pytest.raises(ValueError, match="too large or too small for the products of PostgreSQL; scale the"):
        steep.to_sql("x", "postgres")
    scores = np.arange(10_001.0)
    strict = rh.PavCalibrator(strict=True).fit(scores, scores % 7 > 3)
    with pytest.raises(
        ValueError, match=r"the calibrator has 10,\d\d\d pieces, and SQL is written of 10,000"
    ):
        strict.to_sql("x", "duckdb")


def test_ratios_in_another_base() -> None:
    for made in (STEPS[1], LINES[1], SMOOTH[2]):
        found, scores = fitted(made)
        got = asked(pl.DataFrame({"x": scores}), found.to_sql("x", "duckdb", "llr", base=10))
        close(got, found.llr(scores, base=10), "llr")
