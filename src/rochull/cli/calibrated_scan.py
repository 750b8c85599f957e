"""Calibrators that are fitted to a table by a scan, so that its rows are never in memory together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rochull.cli.engine import Engine, engine_errors, needs_rows
from rochull.cli.options import UsageError, warnings_as_lines

if TYPE_CHECKING:
    from rochull.calibration.base import Calibrator


def is_scanned(calibrator: Calibrator, table: str, given: Mapping[str, Any], reader: Engine) -> bool:
    """Whether DuckDB scans the table, as was asked for, or as it would fill the memory."""
    from rochull.calibration.pav import PavCalibrator

    rows = not isinstance(calibrator, PavCalibrator) or given["held_out"]
    if reader.name == "duckdb":
        if rows:
            raise UsageError(
                needs_rows("--held-out" if given["held_out"] else f"--method {given['method']}", "duckdb")
            )
        return True
    columns: Sequence[Any] = [given["label"], *given["scores"], given["weight"], given["fold"]]
    used = reader.of_columns(table, columns, given["where"])
    if given["fold"] is not None and (rows or used != "duckdb"):
        raise UsageError(
            "--fold is for tables that are scanned (--engine duckdb): in memory folds are drawn."
        )
    return used == "duckdb" and not rows


def fitted_facts(
    calibrator: Any, table: str, given: Mapping[str, Any], reader: Engine
) -> tuple[dict[str, Any], Any]:
    """Fit the calibrator, and judge it; its facts, and the ends of its blocks."""
    from rochull.hull.polarity import already_said
    from rochull.report.calibration_scanned import scanned_facts

    (name,) = given["scores"]
    lower = [name] if calibrator.lower_is_positive else []
    with engine_errors():
        scan = reader.scan(
            "duckdb", table, label=given["label"], scores=[name], weight=given["weight"],
            where=given["where"], fold=given["fold"], pos_label=given["positive"], lower_is_positive=lower,
        )  # fmt: skip
        with warnings_as_lines(name):
            calibrator.fit_scan(scan, name)
            with already_said():
                facts = scanned_facts(calibrator, scan, name)
    low = calibrator.hull_.blocks.low
    return facts, -low if lower else low
