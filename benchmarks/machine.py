"""The machine that a run is measured on: cores, NumPy's CPU dispatch, versions."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from math import nan
from typing import Any

import numpy as np

_PACKAGES = (
    "numpy",
    "numba",
    "scipy",
    "scikit-learn",
    "llreval",
    "model-diagnostics",
    "venn-abers",
    "fairlearn",
)


def use_cores(count: int) -> None:
    """Keep this process, and those it starts, on the first cores that it may use."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


def load_kernels() -> None:
    """Import Numba, without which few rows take no kernels: a first call would be measured with it."""
    import_module("numba")


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _simd(kind: str) -> list[str]:
    config: Any = np.show_config(mode="dicts")
    return list(config.get("SIMD Extensions", {}).get(kind, []))


def wide_features() -> list[str]:
    """AVX-512 features that NumPy has found and dispatches on, by the names that it gives them.

    AVX512_SKX is X86_V4 since NumPy 2.4, which ignores the old name: the names must be NumPy's own.
    """
    return [name for name in _simd("found") if name.startswith("AVX512") or name == "X86_V4"]


def describe(more: Sequence[str] = ()) -> list[str]:
    """Lines that a reader needs to judge the figures, with the versions of more packages."""
    found = " ".join(_simd("found")) or "none"
    lines = [
        f"Machine: {_processor()}, {cores()} cores used of {os.cpu_count()}{_load()}",
        f"NumPy's CPU dispatch: found {found}; baseline {' '.join(_simd('baseline')) or 'none'}",
        f"Versions: Python {platform.python_version()}, {', '.join(map(_version, [*_PACKAGES, *more]))}",
    ]
    disabled = os.environ.get("NPY_DISABLE_CPU_FEATURES")
    return [*lines, f"NPY_DISABLE_CPU_FEATURES={disabled}"] if disabled else lines


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            facts = dict(line.split(":", 1) for line in file.read().splitlines() if ":" in line)
    except OSError:
        facts = {}
    named = {key.strip(): value.strip() for key, value in facts.items()}
    name = named.get("model name") or platform.processor() or platform.machine()
    return f"{name} (model {named['model']})" if "model" in named else name


def load() -> float:
    """The load average of the last minute, NaN where the system has none."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else nan


def _load() -> str:
    return f", load average {load():.1f} at the start" if hasattr(os, "getloadavg") else ""


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}"
