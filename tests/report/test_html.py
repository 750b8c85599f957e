"""Templates are compiled once, and a page is the same wherever they can or cannot be kept."""

from pathlib import Path

import jinja2
import pytest

import rochull as rh


@pytest.fixture
def report() -> rh.Report:
    return rh.Report(rh.Hybrid().add("a", [0, 1, 0, 1], [1, 2, 3, 4]), rh.ExpectedCost(cost_fn=5))


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates that are compiled."""
    found: list[str] = []
    parse = jinja2.Environment._parse

    def noted(self: jinja2.Environment, source: str, name: str, filename: str) -> jinja2.nodes.Template:
        found.append(name)
        return parse(self, source, name, filename)

    monkeypatch.setattr(jinja2.Environment, "_parse", noted)
    return found


def test_templates_are_compiled_once(
    report: rh.Report, compiled: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    first, once = report.to_html(), len(compiled)
    assert "report.html" in compiled
    assert (report.to_html(), len(compiled)) == (first, once)
    for kept in (tmp_path / "rochull" / "pages").iterdir():
        kept.write_bytes(kept.read_bytes()[:-9])  # a write that was cut short
    assert (report.to_html(), len(compiled)) == (first, 2 * once)
    assert (report.to_html(), len(compiled)) == (first, 2 * once)


def test_where_nothing_can_be_kept_each_page_compiles_them(
    report: rh.Report, compiled: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    page, once = report.to_html(), len(compiled)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))  # no directory
    assert (report.to_html(), len(compiled)) == (page, 2 * once)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "new"))

    def full(self: object, bucket: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(jinja2.FileSystemBytecodeCache, "dump_bytecode", full)
    assert (report.to_html(), len(compiled)) == (page, 3 * once)
