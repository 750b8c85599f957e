"""What is said where an optional library is not installed."""

import sys

import pytest

from rochull._core import extras


def test_a_library_that_is_there() -> None:
    assert extras.require("json.decoder", "files").JSONDecoder().decode("1") == 1


def test_a_library_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    says = r'^no_such_library is needed to draw; install it with: pip install "rochull\[plot\]"$'
    with pytest.raises(extras.MissingLibraryError, match=says) as caught:
        extras.require("no_such_library.part", "plot")
    assert caught.value.name == "no_such_library"
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="matplotlib is needed to draw"):
        extras.require("matplotlib.pyplot", "plot")


def test_a_library_that_lacks_another(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_library.py").write_text("import no_such_library")  # type: ignore[operator]
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_library'"):
        extras.require("broken_library", "plot")
