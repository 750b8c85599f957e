"""Write a Parquet file of scored examples of any size: what the figures of the scale page are measured on.

``python scripts/make_rows.py rows.parquet --rows 200000000`` writes 2 x 10^8 rows of a float64 ``score`` and
a boolean ``label``, about 1.7 GB, in constant memory: normal scores, a tenth of them positive and shifted by
1.5. ``--kind ties`` rounds nine tenths of the scores to two decimals; ``--groups`` adds the columns
``segment`` (three) and ``fold`` (five). The same arguments write the same rows.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

CHUNK = 1 << 20
SHARE, SHIFT = 0.1, 1.5
SEGMENTS = np.array(["north", "south", "west"])


def chunk(number: int, size: int, seed: int, ties: bool, groups: bool) -> dict[str, NDArray[Any]]:
    """The rows of one chunk, which has a generator of its own."""
    rng = np.random.default_rng([seed, number])
    label = rng.random(size) < SHARE
    score = rng.normal(size=size) + SHIFT * label
    if ties:
        score = np.where(rng.random(size) < 0.9, np.round(score, 2), score)
    columns = {"score": score, "label": label}
    if groups:
        columns["segment"] = SEGMENTS[rng.choice(3, size, p=[0.6, 0.3, 0.1])]
        columns["fold"] = rng.integers(0, 5, size, dtype=np.int8)
    return columns


def write(path: Path, rows: int, *, seed: int = 0, kind: str = "normal", groups: bool = False) -> None:
    """Write the file: all of it, or nothing."""
    if kind not in ("normal", "ties"):
        raise ValueError(f"kind must be 'normal' or 'ties', but is {kind!r}.")
    partial = path.with_name(f".{path.name}.partial")
    writer: pq.ParquetWriter | None = None
    try:
        for number, begin in enumerate(range(0, rows, CHUNK)):
            table = pa.table(chunk(number, min(CHUNK, rows - begin), seed, kind == "ties", groups))
            if writer is None:
                # Scores hardly repeat, and random digits do not compress: a plain column is read fastest.
                plain = [name for name in table.column_names if name in ("segment", "fold")]
                writer = pq.ParquetWriter(partial, table.schema, use_dictionary=plain, compression="zstd")
            writer.write_table(table, row_group_size=1 << 18)
        if writer is None:
            raise ValueError("rows must be positive.")
        writer.close()
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def main() -> None:
    """Write one file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("output", type=Path, help="the Parquet file to write")
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=2 * 10**8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=["normal", "ties"], default="normal")
    parser.add_argument("--groups", action="store_true", help="add the columns segment and fold")
    chosen = parser.parse_args()
    write(chosen.output, chosen.rows, seed=chosen.seed, kind=chosen.kind, groups=chosen.groups)
    print(f"{chosen.output}: {chosen.rows:,} rows, {chosen.output.stat().st_size / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
