"""What is said where an optional library is not installed."""

import io
import subprocess
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

import rochull as rh
from rochull._core import extras
from rochull._core.threads import Bar
from rochull.decisions import sql
from rochull.report import html, text


def test_a_library_that_is_there() -> None:
    assert extras.require("json.decoder", "files").JSONDecoder().decode("1") == 1


def test_a_library_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    says = r'^matplotlib is needed to draw; install it with: pip install "rochull\[plot\]"$'
    with pytest.raises(extras.MissingLibraryError, match=says) as caught:
        extras.require("matplotlib.pyplot", "plot")
    assert caught.value.name == "matplotlib"


def test_a_library_that_lacks_another(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_library.py").write_text("import no_such_library")  # type: ignore[operator]
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_library'"):
        extras.require("broken_library", "plot")


LABELLED = {"y": [0, 1, 0, 1], "s": [0.1, 0.4, 0.3, 0.8]}
DOORS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "a data set": ("duckdb", "files", lambda: rh.datasets.load("heart")),
    "a file": ("duckdb", "files", lambda: rh.Hybrid.from_table("t.parquet", label="y", scores="s")),
    "a scan by DuckDB": (
        "duckdb",
        "files",
        lambda: rh.scan(LABELLED, label="y", scores="s", engine="duckdb"),
    ),
    "a scan of Arrow": (
        "pyarrow",
        "files",
        lambda: rh.scan(LABELLED, label="y", scores="s", engine="duckdb"),
    ),
    "Spark": ("pyspark", "spark", lambda: rh.scan("t.parquet", label="y", scores="s", engine="spark")),
    "SQL": (
        "sqlglot",
        "sql",
        lambda: rh.Policy.from_hull(rh.roc_hull([0, 1], [0, 1])).to_sql(rh.Accuracy(0.5), "duckdb"),
    ),
    "a report": ("jinja2", "report", lambda: rh.Report(rh.Hybrid().add("s", [0, 1], [0, 1]))),
    "a page": ("jinja2", "report", lambda: html.page({}, "report.html", "", "")),
    "a page of text": ("rich", "report", lambda: text.printed([], 80)),
    "a bar": ("rich", "cli", lambda: list(Bar("label", wanted=True).over(range(3)))),
}


@pytest.mark.parametrize("door", DOORS)
def test_what_needs_an_extra_says_which(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library, extra, use = DOORS[door]
    monkeypatch.setitem(sys.modules, "duckdb", types.ModuleType("duckdb"))  # as if it were there
    for module in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr(sql, "exp", extras.Later("sqlglot.expressions", "sql"))  # one that holds nothing yet
    says = rf'^{library} is needed .*; install it with: pip install "rochull\[{extra}\]"$'
    with pytest.raises(extras.MissingLibraryError, match=says):
        use()


def test_a_bar_that_nobody_asked_for_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rochull._core.threads.find_spec", lambda name: None)
    monkeypatch.setattr("rochull._core.threads._LONG", -1.0)
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(Bar("label").over(range(3))) == [0, 1, 2]
    assert stream.getvalue() == ""


@pytest.mark.long
def test_every_module_is_imported_without_extras() -> None:
    """The command line alone is made of an optional library; its door says so."""
    code = """
import importlib, pkgutil, sys
for library in ("duckdb", "pyarrow", "pyspark", "sqlglot", "matplotlib", "jinja2", "rich", "typer"):
    sys.modules[library] = None
import rochull
for module in pkgutil.walk_packages(rochull.__path__, "rochull."):
    if not module.name.startswith("rochull.cli.") or module.name == "rochull.cli.entry":
        importlib.import_module(module.name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
