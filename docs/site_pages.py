"""Pages of the site that are made from the package: the API reference, from the wings' front doors."""

from __future__ import annotations

import importlib
import inspect
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import rochull

INCLUDED = {
    "../CONTRIBUTING.md": "contributing.md",
    "../CHANGELOG.md": "changelog.md",
    "../benchmarks/README.md": "benchmarks.md",
}


def to_scratch(_conf: Any, _variables: Any) -> list[str]:
    """Arguments of an example in the gallery: it saves its picture elsewhere, for the gallery has its own."""
    return [tempfile.mkdtemp(prefix="rochull-gallery-")]


def link_within(_app: Any, _page: str, source: list[str]) -> None:
    """Links to files beside ``docs`` go to the pages that include them."""
    for file, page in INCLUDED.items():
        source[0] = source[0].replace(f"]({file}", f"]({page}")


def unlink_others(_app: Any, _what: str, _name: str, _value: Any, _options: Any, lines: list[str]) -> None:
    """Labels in docstrings that are inherited from scikit-learn are in its documentation, not in this."""
    lines[:] = [re.sub(r":(?:ref|term):`([^`<]*?)(?: *<[^`]*>)?`", r"``\1``", line) for line in lines]


def break_code_in_cells(_app: Any, _page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Code in a cell of a table breaks after these signs; what is copied has no break."""

    def marked(code: re.Match[str]) -> str:
        return re.sub(r"[/_(.=]", r"\g<0><wbr>", code[0])

    def broken(cell: re.Match[str]) -> str:
        return re.sub(r'(?<=<span class="pre">)[^<]+', marked, cell[0])

    context["body"] = re.sub(r"(?s)<td.*?</td>", broken, context.get("body") or "")


def write_demo(app: Any, error: Exception | None) -> None:
    """Make the report that the first screen of the site shows, by the command that it names."""
    if error is not None or app.builder.format != "html":
        return
    table = Path(rochull.datasets.path("adult_scores"))  # by its name: the page says no directory
    given = {"$TABLE": table.name, "report.html": str((Path(app.outdir) / "demo.html").resolve())}
    index = Path(app.srcdir, "index.md").read_text(encoding="utf-8")
    typed = re.search(r"^rochull (report .*)", index, re.MULTILINE)
    assert typed
    words = [given.get(word, word) for word in shlex.split(typed[1])]
    run = [sys.executable, "-c", "from rochull.cli import main; main()", *words]
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL, cwd=table.parent)


def wings() -> list[str]:
    """The wings that the package's front door shows."""
    return [name for name in rochull.__all__ if inspect.ismodule(getattr(rochull, name))]


def _table(names: list[str], toctree: bool) -> list[str]:
    """A table of names, each with a page of its own unless it has one elsewhere."""
    return [
        *(".. autosummary::", *(["   :toctree: generated"] if toctree else []), ""),
        *(f"   {name}" for name in names),
        "",
    ]


def _section(title: str, mark: str) -> list[str]:
    return [title, mark * len(title), ""]


def _page(module: str) -> str:
    """The page of a front door: its classes, its functions, and what has a name at the root already."""
    door = importlib.import_module(module)
    at_root = set() if module == "rochull" else set(rochull.__all__)
    values = {name: getattr(door, name) for name in door.__all__}
    own = {
        name: value for name, value in values.items() if name not in at_root and not inspect.ismodule(value)
    }
    lines = _section(module, "=")
    if module != "rochull":
        lines += [inspect.getdoc(door) or "", ""]
    for heading, is_kind in (("Classes", inspect.isclass), ("Functions", inspect.isroutine)):
        names = sorted(f"{module}.{name}" for name, value in own.items() if is_kind(value))
        lines += [*_section(heading, "-"), *_table(names, True)] if names else []
    shared = sorted(f"rochull.{name}" for name in values if name in at_root and name not in own)
    lines += [*_section("Also at the root", "-"), *_table(shared, False)] if shared else []
    return "\n".join(lines)


def write_reference(folder: Path) -> None:
    """Write one page for each front door; only what changed is touched, so that builds stay incremental."""
    folder.mkdir(exist_ok=True)
    modules = ["rochull", *(f"rochull.{wing}" for wing in wings())]
    pages = {module: _page(module) for module in modules}
    said = [(module, inspect.getdoc(importlib.import_module(module)) or "") for module in modules]
    rows = [
        line
        for module, text in said
        for line in (f"   * - :doc:`{module}`", f"     - {' '.join(text.split(chr(10) * 2)[0].split())}")
    ]
    table = [".. list-table::", "   :widths: 25 75", "", *rows, ""]
    hidden = [".. toctree::", "   :hidden:", "", *(f"   {module}" for module in modules), ""]
    pages["index"] = "\n".join([*_section("API reference", "="), *table, *hidden])
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
