"""Few examples of several classes are searched without Numba, unless something else has imported it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from rochull._core.kernels import multiclass as kernels
from rochull.multiclass import loops
from rochull.multiclass.few_examples import FewExamples


def test_many_examples_and_many_calls_are_for_compiled_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(loops, "without_kernels", lambda rows: bool(asked.append(rows)) or True)
    assert loops.loops_of(np.empty((3, 80))) is FewExamples
    assert asked == [30]
    assert loops.loops_of(np.empty((3, loops.MOST + 1))) is kernels
    monkeypatch.setattr(loops, "without_kernels", lambda _: False)
    assert loops.loops_of(np.empty((3, 80))) is kernels


def test_a_first_search_of_few_imports_no_numba() -> None:
    code = (
        "import sys, rochull as rh; y = [0, 1, 2, 0, 1, 2]; p = [[3, 1, 1], [1, 3, 2], [1, 2, 3]] * 2; "
        "found = rh.MulticlassRoc(y, p).search('max_error', random_state=0); "
        "print(found.errors.max(), 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["0.0", "False"]
