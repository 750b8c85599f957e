"""The benchmarks are no tests; but each can be imported, so that none names what is no longer there."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("__"))


@pytest.mark.parametrize("module", MODULES)
def test_each_can_be_imported(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER.parent))
    assert importlib.import_module(f"benchmarks.{module}").__doc__
