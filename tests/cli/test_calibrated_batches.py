"""``rochull calibrate`` from Parquet to Parquet: some rows after the others, as with all rows in memory."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import rochull as rh
from rochull._core import parquet_beside
from rochull._core.parquet_beside import ParquetCopy, UnreadableError
from rochull.calibration import GaussianCalibrator, KdeCalibrator
from rochull.cli import calibrated, calibrated_batches, main

MAPS: dict[str, Any] = {
    "steps": rh.PavCalibrator(),
    "bounded": rh.PavCalibrator(bound="elub"),
    "falling": rh.PavCalibrator(lower_is_positive=True, bound="laplace"),
    "lines": rh.PavCalibrator("linear"),
    "strict": rh.PavCalibrator(strict=True),
    "logistic": rh.LogisticCalibrator(),
    "kde": KdeCalibrator(bound="elub"),
    "gaussian": GaussianCalibrator(),
}
KINDS: dict[str, Any] = {"double": "f8", "float": "f4", "int64": "i8", "int16": "i2", "uint8": "u1"}


def _fitted(name: str, kind: str, path: Path, *, share: bool = False) -> Path:
    rng = np.random.default_rng(3)
    y = rng.random(400) < 0.3
    x = rng.normal(size=400) + y
    scores = (100 + 20 * x).clip(0, 255).astype(KINDS[kind]) if kind[0] in "iu" else x.astype(KINDS[kind])
    calibrator = MAPS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calibrator.fit(1 / (1 + np.exp(-x)) if share else scores, y).save(path, about={"score": "s"})
    return path


def _scores(kind: str, rows: int, missing: bool) -> pa.Array:
    rng = np.random.default_rng(4)
    x = rng.normal(0.3, 1, rows)
    gone = rng.random(rows) < 0.3
    gone[: rows // 4] = missing  # whole row groups
    if kind[0] in "iu":
        return pa.array((100 + 20 * x).clip(0, 255).astype(KINDS[kind]), mask=gone if missing else None)
    values = x.astype(KINDS[kind])
    values[:3] = [np.inf, -np.inf, 0.0]
    if missing:
        values[gone & (rng.random(rows) < 0.5)] = np.nan
    return pa.array(values, mask=gone & ~np.isnan(values) if missing else None)


def _both(
    arguments: list[str], path: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """What is written and said, some rows after the others and with all rows in memory."""
    found = []
    for by_batch in (True, False):
        path.unlink(missing_ok=True)
        with pytest.MonkeyPatch.context() as patch:
            if by_batch:
                patch.setattr(calibrated, "_at_once", _not_asked)
            else:
                patch.setattr(calibrated_batches, "files_to_copy", lambda *_: None)
            status = main(arguments)
        said = [line for line in "".join(capsys.readouterr()).splitlines() if not line.startswith("Log:")]
        written = parquet.read_table(path) if path.exists() else None
        found.append((status, said, written and repr(written.to_pydict()), written and written.schema))
    return found[0], found[1]


def _not_asked(*_: Any, **__: Any) -> Any:
    raise AssertionError


@pytest.mark.crossed
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("case", list(itertools.product(MAPS, KINDS)))
@pytest.mark.parametrize("small", [False, True])
def test_the_same_as_in_memory(
    case: tuple[str, str], missing: bool, small: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, kind = case
    model = _fitted(name, kind, tmp_path / "model.json")
    table, out = tmp_path / "table.parquet", tmp_path / "out.parquet"
    column = _scores(kind, 230, missing)
    parquet.write_table(
        pa.table({"s": column, "id": [f"r{i}" for i in range(230)]}), table, row_group_size=37
    )
    options = ["--apply", str(model), "--prevalence", "0.07", "--prefix", "c_", "-o", str(out)]
    with pytest.MonkeyPatch.context() as patch:
        if small:  # row groups in pieces
            patch.setattr(parquet_beside, "_BYTES", 300)
        one, other = _both(["calibrate", str(table), *options], out, capsys)
    assert one == other
    assert one[0] == 0
    assert one[3].names == ["s", "id", "c_posterior", "c_llr", "c_log10_lr", "c_bound"]


@pytest.mark.parametrize("chosen", [["posterior"], ["bound", "log10_lr"]])
@pytest.mark.parametrize("name", MAPS)
def test_columns_that_are_asked_for_are_written_alone(
    name: str, chosen: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, table, out = (
        _fitted(name, "double", tmp_path / "m.json"),
        tmp_path / "t.parquet",
        tmp_path / "o.parquet",
    )
    parquet.write_table(pa.table({"s": _scores("double", 50, True)}), table, row_group_size=17)
    apply = ["calibrate", str(table), "--apply", str(model), "-o", str(out)]
    assert main(apply) == 0
    every = parquet.read_table(out)
    capsys.readouterr()
    one, other = _both([*apply, *(word for each in chosen for word in ("--write", each))], out, capsys)
    assert one == other
    assert one[2] == repr(every.select(["s", *(c for c in every.column_names if c in chosen)]).to_pydict())
    assert "natural logarithm" not in " ".join(one[1])


def test_more_steps_than_a_byte_tells_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calibrator = _many_steps()
    assert len(calibrator.blocks_) > 256
    model, table, out = (tmp_path / name for name in ("m.json", "t.parquet", "o.parquet"))
    calibrator.save(model, about={"score": "s"})
    parquet.write_table(pa.table({"s": np.arange(2000) / 3}), table, row_group_size=900)
    one, other = _both(["calibrate", str(table), "--apply", str(model), "-o", str(out)], out, capsys)
    assert one == other


def _many_steps() -> rh.PavCalibrator:
    """A map of 600 steps."""
    scores = np.repeat(np.arange(600.0), 2)
    weights = np.empty(1200)
    weights[::2], weights[1::2] = np.arange(601, 1, -1), np.arange(1, 601)
    return rh.PavCalibrator().fit(scores, np.tile([0, 1], 600), weights)


def test_several_columns_and_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.4
    x = rng.normal(size=(300, 2)) + y[:, None]
    model, out = tmp_path / "m.json", tmp_path / "o.parquet"
    rh.LogisticFusion().fit({"a": x[:, 0], "b": x[:, 1]}, y).save(model)
    (tmp_path / "in").mkdir()
    for i, part in enumerate((slice(0, 90), slice(90, 300))):
        column = pa.array(x[part, 1], mask=rng.random(len(x[part])) < 0.1)
        parquet.write_table(
            pa.table({"b": column, "a": x[part, 0]}), tmp_path / "in" / f"{i}.parquet", row_group_size=40
        )
    one, other = _both(
        ["calibrate", str(tmp_path / "in"), "--apply", str(model), "-o", str(out)], out, capsys
    )
    assert one[:2] == other[:2]
    assert one[0] == 0
    assert parquet.read_table(out).num_rows == 300


def test_what_is_wrong_far_down_is_told_as_in_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, table, out = (tmp_path / name for name in ("m.json", "t.parquet", "o.parquet"))
    rng = np.random.default_rng(1)
    y = rng.random(200) < 0.5
    rh.BetaCalibrator().fit(np.where(y, 0.7, 0.4) + rng.uniform(-0.3, 0.3, 200), y).save(
        model, about={"score": "s"}
    )
    values = np.full(100, 0.5)
    values[77] = 1.5
    parquet.write_table(pa.table({"s": values}), table, row_group_size=10)
    one, other = _both(["calibrate", str(table), "--apply", str(model), "-o", str(out)], out, capsys)
    assert one == other
    assert one[0] == 1
    assert "holds 1.5 at index 77" in one[1][-1]
    assert not list(tmp_path.glob("*partial"))


def test_scores_of_another_kind_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = _fitted("steps", "double", tmp_path / "model.json", share=True)
    table, out = tmp_path / "table.parquet", tmp_path / "out.parquet"
    rng = np.random.default_rng(2)
    logits = rng.normal(size=3000) + (rng.random(3000) < 0.3)
    parquet.write_table(pa.table({"s": logits}), table, row_group_size=700)
    one, other = _both(["calibrate", str(table), "--apply", str(model), "-o", str(out)], out, capsys)
    assert one == other
    assert "log-odds" in " ".join(one[1])


def test_what_arrow_cannot_read_is_read_by_duckdb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = _fitted("steps", "double", tmp_path / "model.json")
    table, out = tmp_path / "table.parquet", tmp_path / "out.parquet"
    parquet.write_table(pa.table({"s": _scores("double", 50, False)}), table)

    every = ParquetCopy.batches

    def batches(self: ParquetCopy, *given: Any, **options: Any) -> Any:
        yield next(every(self, *given, **options))
        raise UnreadableError

    monkeypatch.setattr(ParquetCopy, "batches", batches)
    assert main(["calibrate", str(table), "--apply", str(model), "-o", str(out)]) == 0
    assert parquet.read_table(out).num_rows == 50
    assert "Batch: 50 cases" in capsys.readouterr().out  # and none of them twice
