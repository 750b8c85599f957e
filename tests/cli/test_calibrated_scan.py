"""``rochull calibrate`` of a table that is scanned, beside the same rows in memory."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from rochull.cli import main
from rochull.scanning.engines import opening

N = 5000


@pytest.fixture
def table(tmp_path: Path) -> str:
    rng = np.random.default_rng(6)
    y = rng.random(N) < 0.2
    score = (rng.normal(size=N) + y).astype("f4")
    columns = {"y": np.where(y, "bad", "good"), "s": score, "d": -score, "w": rng.integers(1, 4, N)}
    path = tmp_path / "t.parquet"
    held = pa.table(
        columns | {"f": np.arange(N) % 5, "z": rng.integers(0, 2, N), "u": rng.normal(size=N) + y}
    )
    parquet.write_table(held, path, row_group_size=700)
    return str(path)


def _fit(table: str, *options: str) -> int:
    return main(["calibrate", table, "--label", "y", "--positive", "bad", *options])


@pytest.mark.parametrize(
    "options",
    [
        ["--score", "s"],
        ["--score", "s", "--bound", "laplace", "--weight", "w"],
        ["--score", "d", "--lower-is-positive", "d", "--bound", "elub", "--where", "z = 1"],
        ["--score", "s", "--interpolation", "centred"],
        ["--score", "s", "--strict", "--interpolation", "linear"],
    ],
)
def test_the_map_is_that_of_the_rows(
    options: list[str], table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models, outputs, said = [], [], []
    for engine in ("memory", "duckdb"):
        model, out = tmp_path / f"{engine}.json", tmp_path / f"{engine}.parquet"
        assert _fit(table, *options, "--engine", engine, "--model", str(model), "-o", str(out)) == 0
        models.append(model.read_bytes())
        outputs.append(parquet.read_table(out))
        said.append(capsys.readouterr().out)
    assert models[0] == models[1]
    assert repr(outputs[0].to_pydict()) == repr(outputs[1].to_pydict())
    in_sample = [re.findall(r"uncertainty +([\d.]+)", text) for text in said]
    assert in_sample[0] == in_sample[1] != []


def test_folds_of_the_table_are_held_out(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _fit(table, "--score", "s", "--bound", "laplace", "--engine", "duckdb", "--fold", "f") == 0
    scanned = capsys.readouterr().out
    assert "held out (5 folds)" in scanned
    assert _fit(table, "--score", "s", "--bound", "laplace") == 0
    in_memory = capsys.readouterr().out
    held = [float(re.findall(r"Cllr.*?([\d.]+)\s*$", text, re.MULTILINE)[0]) for text in (scanned, in_memory)]
    assert held[0] == pytest.approx(held[1], abs=0.01)  # by other folds


METHODS = [
    ["--method", "logistic", "--score", "s", "--fit-prevalence", "0.5", "--bound", "elub"],
    ["--method", "gaussian", "--score", "d", "--lower-is-positive", "d"],
    ["--method", "temperature", "--score", "s", "--weight", "w"],
    ["--method", "fusion", "--score", "u", "--score", "s", "--penalty", "0.01", "--where", "z = 1"],
]


@pytest.mark.parametrize("options", METHODS)
def test_every_method_is_fitted_to_a_scan(
    options: list[str], table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said, written = [], []
    for engine in ("memory", "duckdb"):
        out = tmp_path / f"{engine}.parquet"
        fold = ["--fold", "f"] if engine == "duckdb" else []
        assert _fit(table, *options, *fold, "--engine", engine, "-o", str(out), "--write", "llr") == 0
        written.append(parquet.read_table(out).column("llr").to_numpy())
        text = capsys.readouterr().out
        said.append(
            re.findall(
                r"^ *(.*?) *(?: [\d.]+)? *$",
                text.partition("An infinite")[0].partition("The column")[0],
                re.MULTILINE,
            )
        )
    assert written[1] == pytest.approx(written[0], rel=1e-9, abs=1e-9)
    assert said[0] == said[1]  # all but what is held out, of which folds are others


def test_a_table_that_does_not_fit_comfortably_is_scanned(
    table: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _fit(table, "--score", "s", "--memory", "100MB") == 0
    assert "held out (5 folds)" in capsys.readouterr().out
    monkeypatch.setattr(opening, "COMFORT", 0.001)
    assert _fit(table, "--score", "s", "--memory", "100MB") == 0
    assert "Nothing was held out" in capsys.readouterr().out
    assert _fit(table, "--score", "s", "--method", "logistic", "--memory", "100MB") == 0
    assert "Nothing was held out" in capsys.readouterr().out
    out = table.replace("t.parquet", "o.parquet")
    assert _fit(table, "--score", "s", "--memory", "100MB", "--held-out", "-o", out) == 2
    assert "--held-out needs all rows in memory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--method", "logistic", "--score", "d"], "--score is given more than once"),
        (["--engine", "duckdb", "--held-out", "-o", "{out}"], "--held-out needs all rows in memory"),
        (["--fold", "f"], "--fold is for tables that are scanned"),
        (["--engine", "duckdb", "--fold", "absent"], "no column 'absent'"),
    ],
)
def test_what_a_scan_cannot_give_is_refused(
    options: list[str], told: str, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = table.replace("t.parquet", "o.parquet")
    assert _fit(table, "--score", "s", *(option.format(out=out) for option in options)) in (1, 2)
    assert told in " ".join(capsys.readouterr().err.split())
