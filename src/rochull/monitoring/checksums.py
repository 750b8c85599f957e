"""A batch that was seen before is known by its scores, and by when it was."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from rochull._core.validation import Array
from rochull.decisions.score_columns import ScoreColumns


def batch_checksum(held: ScoreColumns, at: Any) -> str:
    """SHA-256 of the scores of a batch, and of when it was."""
    found = hashlib.sha256(repr(None if at is None else str(at)).encode())
    rows = {name: column.values for name, column in held.columns.items()}
    if held.count is not None:  # in whatever order, and however the cases of a row are divided
        order, begins = _sorted(list(rows.values()))
        rows = {name: values[order][begins] for name, values in rows.items()}
        rows["count of cases"] = np.add.reduceat(held.count[order], begins)
    for name, values in rows.items():
        found.update(f"{name} {values.dtype.str} {values.shape}".encode())
        found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()


def _sorted(columns: list[Array]) -> tuple[Array, Array]:
    """The order of the rows (n,), and where in it another row begins (m,)."""
    order = np.lexsort(columns)
    differs = np.zeros(len(order), bool)
    differs[0] = True
    for values in columns:
        here, before = values[order][1:], values[order][:-1]
        differs[1:] |= (here != before) & ~((here != here) & (before != before))  # noqa: PLR0124
    return order, np.flatnonzero(differs)
