"""The columns that ``rochull calibrate`` reads and writes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rochull._core.messages import Refusal

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.calibration.base import Calibrator

UPPER, LOWER = 1, 2  # numbers of the bounds
COLUMNS = "posterior", "llr", "log10_lr", "bound"


@dataclass(frozen=True)
class Output:
    """The table with the calibrated columns."""

    table: str
    path: Path
    prefix: str
    chosen: Collection[str] = COLUMNS  # the new columns that are written
    metadata: Mapping[str, str] = field(default_factory=dict)  # of a Parquet file

    @property
    def named(self) -> dict[str, str]:
        """The names of the new columns, in their order."""
        return {kind: f"{self.prefix}{kind}" for kind in COLUMNS if kind in self.chosen}

    @property
    def columns(self) -> list[str]:
        return [*self.named.values()]


def column_checked(column: Array, name: str, calibrator: Calibrator, before: int = 0) -> Array:
    """The scores, if they are what the calibrator takes; messages count those that are `before` them."""
    from rochull._core import validation

    scores = validation.scores_1d(column, f"score column {name!r}")
    if calibrator.takes == "probabilities":
        try:
            validation.rates_1d(scores, f"score column {name!r}", copy=False, before=before)
        except ValueError as error:
            kind = type(calibrator).__name__.removesuffix("Calibrator").lower()
            raise Refusal("{} calibration needs probabilities: {}", kind, error) from None
    return scores


def read(calibrator: Calibrator, columns: Mapping[str, Array]) -> Array:
    """Return what the calibrator reads: scores (n,), or (n, k) if it takes several columns."""
    from rochull.calibration.columns import side_by_side

    one = calibrator.n_columns == 1
    return next(iter(columns.values())) if one else side_by_side(columns, "the table")


def bounds_reached(calibrator: Calibrator, llr: Array) -> Array:
    """Which LLRs (n,) are the highest or the lowest that a calibrator says, by numbers; 0 for the others."""
    import numpy as np

    low, high = getattr(calibrator, "bounds_", (-np.inf, np.inf))
    codes = np.zeros(llr.size, np.int8)
    codes[np.isfinite(llr) & (llr >= high)] = UPPER
    if low < high:
        codes[np.isfinite(llr) & (llr <= low)] = LOWER
    return codes
