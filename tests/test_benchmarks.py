"""Benchmarks and studies are no tests; but each can be imported, so that none names what is no longer there."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    f"{folder}.{path.stem}"
    for folder in ("benchmarks", "studies")
    for path in (ROOT / folder).glob("*.py")
    if not path.stem.startswith("__")
)


@pytest.mark.parametrize("module", MODULES)
def test_each_can_be_imported(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    assert importlib.import_module(module).__doc__


def test_a_study_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    optima, simulation = (importlib.import_module(f"studies.{name}") for name in ("coverage", "simulation"))
    scene = simulation.Scene(0.8, 100)
    found = [simulation._chunk(optima.bands_trial, scene, (0, 0), 1) for _ in range(2)]
    assert found[0]
    assert repr(found[0]) == repr(found[1])
