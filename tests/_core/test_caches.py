"""Where caches are kept, by what the environment says."""

import sys
from pathlib import Path

import pytest

from rochull._core.caches import user_cache


def test_who_names_a_directory_is_heard_in_this_order(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    system = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    monkeypatch.setenv("NUMBA_CACHE_DIR", "named")
    monkeypatch.setenv(system, str(tmp_path))
    assert user_cache("first") == Path("first")
    assert user_cache() == Path("named")
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert user_cache() == tmp_path
    monkeypatch.setenv(system, "no absolute path")
    assert user_cache().is_relative_to(Path.home())
