"""Words that stand for a missing value in CSV files: named ones are missing everywhere, others are told and counted."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from rochull._core.missing_words import missing_words, taken_as_missing
from rochull._core.table_files import read_columns

# What other programs write for a missing value; two of them have what SQL quotes.
WORDS = ["NA", "N/A", "#N/A", "NULL", "null", "None", ".", "-", "\\N", "it's", "-999"]
NUMBERS = [0.5, -1.25, 3.0, 0.125]


def write(path: Path, words: list[str], suffix: str = ".csv") -> str:
    """Ten numbers for each word, which stands in a column of numbers, of labels and of segments."""
    numbers = itertools.cycle(NUMBERS)
    lines = ["k,y,a,g"]
    for i, word in enumerate(itertools.chain.from_iterable([w, *[None] * 10] for w in words)):
        score = next(numbers) if word is None else word
        lines.append(f"{i},{i % 2 if word is None else word},{score},{'x' if word is None else word}")
    path = path / f"t{suffix}"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize("word", WORDS)
def test_a_word_that_is_named_is_missing(word: str, tmp_path: Path) -> None:
    path = write(tmp_path, [word, word])
    with taken_as_missing(word):
        found = read_columns(path, ["y", "a", "g"], missing=["a", "y"], text=["g"], where="g IS NOT NULL")
        with pytest.raises(ValueError, match="column 'y' has 2 nulls and column 'g' has 2 nulls in 22 rows"):
            read_columns(path, ["y", "a", "g"], missing=["a"])
        scores = read_columns(path, ["a"], missing=["a"])["a"]
    assert found["a"].dtype == np.float64
    assert (found["a"].tolist(), set(found["g"])) == ((NUMBERS * 5), {"x"})
    assert (np.isnan(scores).sum(), scores.size) == (2, 22)
    assert missing_words() == ()
    for engine in ("memory", "duckdb"):
        given: dict[str, Any] = {"label": "y", "scores": "a", "engine": engine}
        with pytest.raises(ValueError, match="nulls"):
            rh.scan(path, **given, missing=word)
        chosen = rh.scan(path, **given, missing=[word, "?"], where="a IS NOT NULL").roc_hulls()["a"]
        expected = rh.roc_hull([i % 2 for i in range(22) if i % 11], NUMBERS * 5)
        assert (chosen.fp.tolist(), chosen.thresholds.tolist()) == (
            expected.fp.tolist(), expected.thresholds.tolist(),
        )  # fmt: skip


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_words_are_told_and_counted(engine: Any, tmp_path: Path) -> None:
    path = write(tmp_path, ["NA", "NA", "NA", "n/a", "-", "?"])
    told = r"column 'a' must be numeric, but 6 of 66 rows hold 'NA' \(3\), '-' \(1\), '\?' \(1\) and 1 more\. rh\."
    with pytest.raises(ValueError, match=told):
        rh.scan(path, label="y", scores="a", engine=engine)
    left = "a NOT IN ('NA', 'n/a', '-', '?')"
    hull = rh.scan(path, label="y", scores="a", engine=engine, where=left, pos_label="1").roc_hulls()["a"]
    assert hull.n_neg + hull.n_pos == 60
    with pytest.raises(ValueError, match=r"but 1 of 61 rows hold 'n/a' \(1\)"):
        rh.scan(path, label="y", scores="a", engine=engine, where="a NOT IN ('NA', '-', '?')")


def test_what_has_no_words(tmp_path: Path) -> None:
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"y": [0, 1], "a": [0.5, 1.5]}), path)
    for source in (path, {"y": [0, 1], "a": [0.5, 1.5]}):
        with pytest.raises(ValueError, match=r"missing is for CSV files; .* is none"):
            rh.scan(source, label="y", scores="a", missing="NA")
    with pytest.raises(ValueError, match="missing must be a word or a list of words, but holds 999"):
        rh.scan(path, label="y", scores="a", missing=[999])  # type: ignore[list-item]


def test_a_decimal_comma_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("y;a\n0;1\n1;2,5\n0;3\n")
    with pytest.raises(
        ValueError, match=r"1 of 3 rows hold '2,5' \(1\); write numbers with a decimal point\."
    ):
        rh.scan(str(path), label="y", scores="a")
