"""Calibrators fitted to rows that are read anew for each step, beside the rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import rochull as rh
from rochull.calibration import streamed
from rochull.calibration.base import Calibrator
from rochull.calibration.kinds import calibrator_class
from rochull.scanning import row_passes
from rochull.scanning.engines import duckdb_plain

N = 1500
KINDS: dict[str, list[str]] = {
    "logistic": ["s"], "beta": ["p"], "temperature": ["s"], "gaussian": ["s"], "kde": ["s"],
    "four-parameter": ["s"], "fusion": ["t", "s"],
}  # fmt: skip
HOW: dict[str, list[dict[str, Any]]] = {
    "logistic": [{"targets": "platt"}, {"prevalence": 0.5}],
    "beta": [{"parameters": "am"}, {"parameters": "ab"}, {"targets": "platt", "prevalence": 0.1}],
    "gaussian": [{"equal_variance": True}],
    "kde": [{"bandwidth": 0.3}],
    "four-parameter": [{"prevalence": 0.4}],
    "fusion": [{"penalty": 0.01}, {"prevalence": 0.2}, {"prevalence": 0.2, "penalty": 1e-3}],
}


def rows(seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    y = rng.random(N) < 0.3
    s = (rng.normal(size=N) + y).round(2)
    return {
        "y": y.astype(int), "s": s, "p": 1 / (1 + np.exp(-s)), "t": rng.normal(size=N) + 0.7 * y,
        "w": rng.integers(0, 5, N) / 2, "f": np.arange(N) % 3,
    }  # fmt: skip


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_passes, "ROWS", 400)
    monkeypatch.setattr(streamed, "EXAMPLES_KEPT", 300)


def numbers(found: Any) -> list[float]:
    """All numbers of a document."""
    if isinstance(found, dict):
        found = [value for name, value in sorted(found.items()) if name not in ("checksum", "about")]
    if isinstance(found, list):
        return [number for each in found for number in numbers(each)]
    return [found] if isinstance(found, float) else []


def read(
    table: dict[str, Any], names: list[str], weight: str | None, lower: bool = False, **more: Any
) -> Any:
    how: dict[str, Any] = {"weight": weight, "lower_is_positive": names if lower else False, **more}
    return rh.scan(table, label="y", scores=names, **how)


def in_memory(made: Any, table: dict[str, Any], names: list[str], weight: str | None) -> Any:
    X = {name: table[name] for name in names}
    return made.fit(
        X if made.n_columns != 1 else table[names[0]], table["y"], table[weight] if weight else None
    )


CASES = [
    *((kind, {"bound": bound}) for kind in KINDS for bound in (None, "laplace", "elub")),
    *((kind, how) for kind, every in HOW.items() for how in every),
]


@pytest.mark.crossed
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize(("kind", "how"), CASES)
def test_it_is_that_of_the_rows(kind: str, how: dict[str, Any], weight: str | None) -> None:
    table, names = rows(), KINDS[kind]
    found = calibrator_class(kind)(**how).fit_scan(
        read(table, names, weight), names if kind == "fusion" else None
    )
    twin = in_memory(calibrator_class(kind)(**how), table, names, weight)
    # A search for four parameters ends where the loss is flat to rounding, which is some 1e-8 around the best.
    near = 1e-6 if kind == "four-parameter" else 1e-11
    assert numbers(found.to_dict()) == pytest.approx(numbers(twin.to_dict()), rel=near, abs=near)
    assert found.n_features_in_ == len(names)
    assert (found.fitted_ratios_ is None) == (weight is not None)


@pytest.mark.parametrize("kind", ["logistic", "beta", "kde", "gaussian"])
def test_low_scores_may_be_positive(kind: str) -> None:
    table = rows()
    table |= {"s": -table["s"], "p": 1 - table["p"]}
    found = calibrator_class(kind)(lower_is_positive=True).fit_scan(
        read(table, KINDS[kind], None, lower=True)
    )
    twin = in_memory(calibrator_class(kind)(lower_is_positive=True), table, KINDS[kind], None)
    assert numbers(found.to_dict()) == pytest.approx(numbers(twin.to_dict()), rel=1e-10)
    with pytest.raises(ValueError, match="lower_is_positive"):
        calibrator_class(kind)().fit_scan(read(table, KINDS[kind], None, lower=True))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("parameters", ["abm", "am", "ab"])
def test_maps_that_must_rise_end_on_the_border(parameters: str) -> None:
    table = rows()
    table["p"] = 1 - table["p"]
    for p in (table["p"], np.where(table["p"] > 0.5, 0.7, 0.2), np.full(N, 0.3), table["p"] ** 0.1 / 2):
        table["p"] = p
        for y in (table["y"], 1 - table["y"]):
            one = table | {"y": y}
            found = rh.BetaCalibrator(parameters).fit_scan(read(one, ["p"], None))
            twin = rh.BetaCalibrator(parameters).fit(one["p"], one["y"])
            assert found.llr([0.1, 0.5, 0.9]).tolist() == pytest.approx(twin.llr([0.1, 0.5, 0.9]), abs=1e-7)


def test_files_of_many_groups_and_the_same_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_plain, "_LEAST_ROWS", 1)  # or the order would be DuckDB's
    table, path = rows(), tmp_path / "t.parquet"
    parquet.write_table(pa.table(table), path, row_group_size=170)
    for kind, bound in (("fusion", "laplace"), ("logistic", "elub")):
        made, names = calibrator_class(kind), KINDS[kind]
        texts = {
            made(bound=bound).fit_scan(rh.scan(str(path), label="y", scores=names, engine="duckdb")).to_json()
            for _ in range(3)
        }
        (text,) = texts
        assert numbers(made.from_json(text).to_dict()) == pytest.approx(
            numbers(in_memory(made(bound=bound), table, names, None).to_dict()), rel=1e-11
        )


def test_a_fold_all_others_and_a_segment() -> None:
    table = rows()
    scan = read(table, ["t", "s"], None, fold="f", segment="w")
    for held, own in (
        (rh.LogisticFusion().fit_scan(scan, ["s", "t"], fold=1), table["f"] == 1),
        (rh.LogisticFusion().fit_rows(scan.passes(["s", "t"], but_fold=1)), table["f"] != 1),
        (rh.LogisticFusion().fit_scan(scan, ["s", "t"], segment=0.5), table["w"] == 0.5),
    ):
        X = np.column_stack((table["s"], table["t"]))[own]
        assert held.coef_.tolist() == pytest.approx(
            rh.LogisticFusion().fit(X, table["y"][own]).coef_.tolist()
        )
        assert held.feature_names_in_.tolist() == ["s", "t"]


def _spoilt(which: str) -> tuple[Any, dict[str, Any], list[str]]:
    table = rows()
    if which == "infinite":
        return rh.LogisticCalibrator(), table | {"s": np.where(np.arange(N) == 7, np.inf, table["s"])}, ["s"]
    if which == "separated":
        return rh.LogisticCalibrator(), table | {"s": table["y"] + 0.0}, ["s"]
    if which == "not probabilities":
        return rh.BetaCalibrator(), table, ["s"]
    if which == "dependent":
        return rh.LogisticFusion(), table | {"t": 2 * table["s"]}, ["s", "t"]
    if which == "right side":
        return calibrator_class("temperature")(), table | {"s": 2.0 * table["y"] - 1}, ["s"]
    if which == "equal":
        return calibrator_class("kde")(), table | {"s": np.where(table["y"], 1.0, table["s"])}, ["s"]
    return calibrator_class("four-parameter")(), table | {"s": table["y"] + 0.0}, ["s"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "which",
    ["infinite", "separated", "not probabilities", "dependent", "right side", "equal", "separated curve"],
)
def test_what_cannot_be_fitted_is_said_as_in_memory(which: str) -> None:
    made, table, names = _spoilt(which)
    said = []
    for fit in (lambda: made.fit_scan(read(table, names, None)), lambda: in_memory(made, table, names, None)):
        with pytest.raises(ValueError, match="X") as error:
            fit()
        said.append(str(error.value).partition("but holds")[0])  # of several any may be named
    assert said[0] == said[1]


def test_probabilities_in_a_line_are_noticed() -> None:
    table = rows()
    with pytest.warns(UserWarning, match="log-odds fit the labels better"):
        rh.LogisticCalibrator().fit_scan(read(table | {"p": 1 / (1 + np.exp(-4 * table["s"]))}, ["p"], None))


def test_a_calibrator_without_such_a_fit_says_so() -> None:
    class Own(rh.LogisticCalibrator):
        _fit_rows = Calibrator._fit_rows

    with pytest.raises(ValueError, match="a Own is not fitted to a scan; fit it to rows in memory"):
        Own().fit_scan(read(rows(), ["s"], None))


def test_a_bound_of_more_llrs_than_may_be_collected_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, path = rows(), tmp_path / "t.parquet"
    parquet.write_table(pa.table(table), path)
    scan = rh.scan(str(path), label="y", scores=["t"], engine="duckdb")
    table_read = scan.passes("t").table
    monkeypatch.setattr(table_read, "limit", 100)
    with pytest.raises(MemoryError, match="the bound 'elub' takes all different LLRs, which are more"):
        rh.LogisticCalibrator(bound="elub").fit_rows(scan.passes("t"))
    assert rh.LogisticCalibrator(bound="laplace").fit_rows(scan.passes("t")).bounds_[0] < 0
