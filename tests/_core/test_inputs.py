"""Files that are read more than once: every way to change one is noticed, and nothing else is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import duckdb
import pytest

from rochull._core.connections import connected
from rochull._core.file_queries import TableFile
from rochull._core.files import replacing
from rochull._core.inputs import ChangedInputError, asked_once, check_inputs, inputs_kept, look_at
from rochull._core.table_files import read_columns, write_table

SAID = "has changed while it was read; try again when it is complete"


def replaced(path: Path) -> None:
    path.with_name("new").write_text(path.read_text()[::-1])
    os.utime(path.with_name("new"), ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    os.replace(path.with_name("new"), path)


def rewritten(path: Path) -> None:
    """Same size, and the time of its contents put back."""
    known = path.stat()
    path.write_text(path.read_text()[::-1])
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))


@pytest.mark.parametrize("change", [replaced, rewritten, Path.unlink])
def test_a_file_that_changed_is_refused(tmp_path: Path, change: object) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    with inputs_kept():
        look_at("t.csv", [str(path)])
        with inputs_kept():  # the outer one keeps
            look_at("t.csv", [str(path)])
        check_inputs()
        change(path)  # type: ignore[operator]
        with pytest.raises(ChangedInputError, match=f"'t.csv' {SAID}"):
            check_inputs()
        with pytest.raises(ChangedInputError, match=SAID):
            look_at("t.csv", [str(path)])
        with pytest.raises(ChangedInputError, match=SAID), replacing(tmp_path / "o.csv"):
            pass
    assert not (tmp_path / "o.csv").exists()
    with inputs_kept():  # what another command saw is forgotten
        look_at("t.csv", [str(path)])


def test_a_file_more_is_a_change_and_an_output_among_them_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("s\n1\n2\n")
    for output in ("x.csv", "y.csv"):
        with inputs_kept():
            found = read_columns("*.csv", ["s"])
            write_table("*.csv", {"twice": 2 * found["s"]}, output)
            with replacing(tmp_path / "log.json"):
                pass
        assert read_columns(output, ["twice"])["twice"].tolist() == [2, 4]
        Path(output).unlink()
    with inputs_kept():
        read_columns("*.csv", ["s"])
        Path("b.csv").write_text("s\n3\n4\n")
        with pytest.raises(ChangedInputError, match=SAID):
            read_columns("*.csv", ["s"])


def test_a_read_in_itself_is_of_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of commands as well."""
    from rochull._core.file_queries import TableFile

    path, arrays = tmp_path / "t.csv", TableFile.arrays
    path.write_text("s\n1\n22\n")

    def late(self: TableFile, query: str) -> object:
        rewritten(path)
        return arrays(self, query)

    monkeypatch.setattr(TableFile, "arrays", late)
    path.write_text("s\n1\n1\n")
    monkeypatch.setitem(globals(), "rewritten", lambda p: p.write_text("s\n2\n2\n"))
    with pytest.raises(ChangedInputError, match=SAID):
        read_columns(path, ["s"])


def test_what_cannot_change_is_asked_once() -> None:
    asked: list[str] = []

    def ask(question: str) -> int:
        asked.append(question)
        if question == "wrong":
            raise ValueError(question)
        return len(asked)

    assert [asked_once("a", ask), asked_once("a", ask)] == [1, 2]
    with inputs_kept():
        assert [asked_once("a", ask), asked_once("b", ask)] == [3, 4]
        with inputs_kept():
            assert [asked_once("a", ask), asked_once("b", ask)] == [3, 4]
        for _ in range(2):
            with pytest.raises(ValueError, match="wrong"):
                asked_once("wrong", ask)
    assert asked[4:] == ["wrong", "wrong"]
    with inputs_kept():
        assert asked_once("a", ask) == 7


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_command_asks_a_file_for_its_columns_once(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"t.{kind}"
    queries: list[str] = []
    duckdb.sql(f"COPY (SELECT 1 AS y, 0.5 AS s) TO '{path}'")
    rows = TableFile.rows

    def noted(file: TableFile, query: str) -> list[tuple[Any, ...]]:
        queries.append(query)
        return rows(file, query)

    monkeypatch.setattr(TableFile, "rows", noted)
    with inputs_kept():
        for _ in range(3):
            with connected() as connection:
                file = TableFile(connection, path)
                assert list(file.types(file.table())) == ["y", "s"]
    assert len([query for query in queries if query.startswith("DESCRIBE")]) == 1
