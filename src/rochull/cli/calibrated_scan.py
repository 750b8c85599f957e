"""Calibrators that are fitted to a table by a scan, so that its rows are never in memory together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rochull.cli.engine import Engine, engine_errors, needs_rows
from rochull.cli.options import UsageError, warnings_as_lines

if TYPE_CHECKING:
    from rochull.calibration.base import Calibrator


def is_scanned(table: str, given: Mapping[str, Any], reader: Engine) -> bool:
    """Whether DuckDB scans the table, as was asked for, or as it would fill the memory."""
    columns: Sequence[Any] = [given["label"], *given["scores"], given["weight"], given["fold"]]
    used = reader.of_columns(table, columns, given["where"])
    if used == "duckdb" and given["held_out"]:
        raise UsageError(needs_rows("--held-out", "duckdb"))
    if used != "duckdb" and given["fold"] is not None:
        raise UsageError(
            "--fold is for tables that are scanned (--engine duckdb): in memory folds are drawn."
        )
    return used == "duckdb"


def fitted_facts(
    calibrator: Calibrator, table: str, given: Mapping[str, Any], reader: Engine
) -> dict[str, Any]:
    """Fit the calibrator, and judge it: its facts."""
    from rochull.hull.polarity import already_said

    names = given["scores"]
    with engine_errors():
        scan = reader.scan(
            "duckdb", table, label=given["label"], scores=names, weight=given["weight"],
            where=given["where"], fold=given["fold"], pos_label=given["positive"],
            lower_is_positive=names if calibrator.lower_is_positive else [],
        )  # fmt: skip
        with warnings_as_lines(names[0] if len(names) == 1 else None):
            calibrator.fit_scan(scan, names if calibrator.n_columns != 1 else names[0])
            from rochull.report.calibration_scanned import scanned_facts  # it adds nothing to the scan's peak

            with already_said():
                return scanned_facts(calibrator, scan, names)


def print_facts(facts: dict[str, Any], base: float | None) -> None:
    """Print what :func:`fitted_facts` found; LLRs to a base, if one is given."""
    from rich.console import Console  # here, as what is imported before a scan adds to its peak

    from rochull.report.calibration import calibration_parts
    from rochull.report.text import WIDTH

    console = Console(highlight=False)
    for part in calibration_parts(facts, base):
        console.print(part, width=min(console.width, WIDTH))
