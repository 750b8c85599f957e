"""What is kept of compiled kernels: never stale, shared by checkouts, and its absence does no harm."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rochull._core.kernels import compiled
from rochull._core.kernels.hull import merge_groups

CALLEE = (
    "from rochull._core.kernels.compiled import kernel\n\n\n@kernel\ndef one_more(x):\n    return x + 1\n"
)
CALLER = """
from rochull._core.kernels.callee import one_more
from rochull._core.kernels.compiled import kernel


@kernel
def twice_one_more(x):
    return 2 * one_more(x)
"""
# That compiling takes long depends on the machine and is said by this logger; what cannot be kept is said by another.
PATIENT = """
import logging
logging.getLogger("rochull").addFilter(lambda record: False)
"""
# What a run prints: the results for an integer and a float, and how many kernels were compiled for them.
RUN = (
    PATIENT
    + """
logging.basicConfig(format="%(message)s")
from numba.core import event
{before}
from rochull._core.kernels.caller import twice_one_more
with event.install_recorder("numba:compile") as compiled:
    print(twice_one_more(3), twice_one_more(0.5), sum(found.is_start for _, found in compiled.buffer))
"""
)
# A user without a home, a full disk, and a Numba that is another inside.
HOMELESS = """
import os, pathlib
os.environ.pop("XDG_CACHE_HOME", None)
def home():
    raise RuntimeError("no home")
pathlib.Path.home = home
"""
FULL = """
import errno
from numba.core import caching
def full(path, mode):
    if "w" in mode:
        raise OSError(errno.ENOSPC, "No space left on device")
    return open(path, mode)
caching.open = full
"""
CHANGED = "from numba.core import caching\ndel caching.IndexDataCacheFile\n"


def checkout(folder: Path) -> Path:
    """A package that has the compiler of kernels, and two kernels in two files."""
    kernels = folder / "rochull" / "_core" / "kernels"
    kernels.mkdir(parents=True)
    for package in (kernels, kernels.parent, kernels.parent.parent):
        (package / "__init__.py").touch()
    shutil.copy(str(compiled.__file__), kernels)
    (kernels / "callee.py").write_text(CALLEE)
    (kernels / "caller.py").write_text(CALLER)
    return kernels


def run(kernels: Path, cache: Path | str, before: str = "") -> tuple[list[str], str]:
    """Call the kernels in a new process; return what it printed and what it said."""
    places = {"PYTHONPATH": str(kernels.parents[2]), "NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-c", RUN.format(before=before)]
    done = subprocess.run(command, env={**os.environ, **places}, capture_output=True, text=True, check=True)
    return done.stdout.split(), done.stderr


@pytest.mark.long
def test_a_changed_callee_changes_its_callers_and_checkouts_share(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    kernels, other = checkout(tmp_path / "here"), checkout(tmp_path / "there")
    assert run(kernels, cache) == (["8", "3.0", "4"], "")
    assert run(other, cache) == (["8", "3.0", "0"], "")  # nothing is compiled again
    assert len(list(cache.rglob("caller.twice_one_more*.nbi"))) == 2  # a signature has files of its own
    (kernels / "callee.py").write_text(CALLEE.replace("x + 1", "x + 2"))
    assert run(kernels, cache)[0] == ["10", "5.0", "4"]
    assert run(other, cache)[0] == ["8", "3.0", "0"]
    assert not list(tmp_path.rglob("rochull/_core/**/*.nb?"))  # and none lie in the package


@pytest.mark.long
@pytest.mark.parametrize(
    ("cache", "before", "why"),
    [
        ("/dev/null/none", "", "NotADirectoryError"),
        ("", HOMELESS, "no home"),
        ("cache", FULL, "No space left on device"),
        ("cache", CHANGED, "IndexDataCacheFile"),
    ],
)
def test_where_nothing_can_be_kept(tmp_path: Path, cache: str, before: str, why: str) -> None:
    place = tmp_path / cache if cache == "cache" else cache
    printed, said = run(checkout(tmp_path / "here"), place, before)
    assert printed == ["8", "3.0", "4"]
    assert why in said
    assert len(said.splitlines()) == 1


@pytest.mark.long
def test_an_interruption_waits_for_the_compiler(tmp_path: Path) -> None:
    """What is raised while LLVM calls back is lost, so nothing may be raised then."""
    kernels = checkout(tmp_path / "here")
    # Ctrl-C at the beginning of each compilation, and whenever compiled code is loaded.
    press = """
import os, signal
from rochull._core.kernels import compiled
signal.signal(signal.SIGINT, signal.default_int_handler)
from numba.core.compiler import CompileResult
rebuild, start, finished = CompileResult._rebuild, event.broadcast, []
def pressed(*args):
    os.kill(os.getpid(), signal.SIGINT)
    finished.append(rebuild(*args))
    return finished[-1]
CompileResult._rebuild = pressed
"""
    script = f"""
{PATIENT}
from numba.core import event
{press}
class Presses(event.Listener):
    def on_start(self, event):
        os.kill(os.getpid(), signal.SIGINT)
    def on_end(self, event):
        finished.append(event)
event.register("numba:compile", Presses())
from rochull._core.kernels.caller import twice_one_more
try:
    twice_one_more(3)
except KeyboardInterrupt:
    print(len(finished), twice_one_more(3))
"""
    places = {
        "PYTHONPATH": str(kernels.parents[2]),
        "NUMBA_CACHE_DIR": str(tmp_path),
        "NUMBA_DISABLE_JIT": "0",
    }
    for finished in (2, 1):  # two kernels are compiled; then one is loaded, which holds the other
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, **places},
            capture_output=True,
            text=True,
            check=True,
        )
        assert (done.stdout, done.stderr) == (f"{finished} 8\n", "")


class Pressed(BaseException):
    """Raised by whoever presses in the next test."""


def test_an_interruption_waits_until_what_a_kernel_returns_is_made() -> None:
    """Several arrays: what is raised while one of them is made would be a SystemError in the end."""

    def press(*_: object) -> None:
        raise Pressed

    def run_until_pressed(wait: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, wait)
        while True:
            merge_groups(scores, units, units, scores, units, units)

    scores = np.arange(1 << 18, dtype=float)
    units = np.ones(scores.size, np.int64)
    merge_groups(scores, units, units, scores, units, units)
    before = signal.signal(signal.SIGALRM, press)
    try:
        for wait in np.linspace(0.001, 0.006, 40):
            with pytest.raises(Pressed):
                run_until_pressed(wait)
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("place", [None, "rochull/kernels", "file/kernels"])
def test_what_is_said_of_compiling_does_not_contradict_that_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, place: str | None, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()  # below which nothing can be made
    monkeypatch.setattr(compiled._store, "directory", None if place is None else tmp_path / place)
    compiled._Patience()._say()
    kept = "; what is compiled is kept for next time" if place == "rochull/kernels" else ""
    assert caplog.messages == [f"compiling kernels{kept} ..."]


def test_compiling_is_said_once_and_only_where_it_takes_long(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Time is read from a clock of our own, and the timer fires when it is asked for no more time."""
    now, started = [0.0], []

    class Timer:
        def __init__(self, wait: float, say: Callable[[], None]) -> None:
            self.daemon = False
            started.append((wait, say))

        def start(self) -> None:
            if started[-1][0] == 0:
                started[-1][1]()

        def cancel(self) -> None:
            pass

    monkeypatch.setattr(compiled, "monotonic", lambda: now[0])
    monkeypatch.setattr(compiled.threading, "Timer", Timer)
    patience = compiled._Patience()
    with patience.watching():  # a cached kernel, however slow the disk
        now[0] += 10
    assert started == []
    for _ in range(4):
        with patience.watching(), patience.watching():  # one that calls another
            patience.compiles()
            patience.compiles()
            now[0] += 1
    assert [wait for wait, _ in started] == [2, 1, 0]
    said = [record for record in caplog.records if record.name == "rochull"]
    assert [record.getMessage().partition(";")[0] for record in said] == ["compiling kernels"]


LOADS = """
import sys
import numpy as np
from rochull._core.kernels.hull import merge_groups
scores = np.arange(4.0)
units = np.ones(4, np.int64)
first = merge_groups(scores, units, units, scores, units, units)
print([name for name in ("scipy.linalg", "numba.typed.typeddict") if name in sys.modules])
import numba
square = np.diag(scores + 1)
for own in (lambda a: np.dot(a, a), lambda a: np.linalg.solve(a, a), lambda a: np.convolve(a[0], a[1])):
    assert np.array_equal(numba.njit(own)(square), own(square))
integers = scores.astype(np.int16)
integers = merge_groups(integers, units, units, integers, units, units)  # compiled now
assert all(np.array_equal(one, other) for one, other in zip(first, integers, strict=True))
"""


@pytest.mark.long
def test_loaded_code_needs_neither_scipy_nor_what_numba_compiles_by() -> None:
    """And what a user compiles after it is as it always is."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0"}
    for _ in range(2):  # the first may compile it
        done = subprocess.run(
            [sys.executable, "-c", LOADS], env=environment, capture_output=True, text=True, check=True
        )
    assert done.stdout == "[]\n"


def test_a_numba_that_works_differently_inside_loads_all(monkeypatch: pytest.MonkeyPatch) -> None:
    refreshed = []
    monkeypatch.setattr(
        compiled, "import_module", lambda name: SimpleNamespace(ensure_blas=None, rtsys=object())
    )
    compiled._begin(SimpleNamespace(refresh=lambda: refreshed.append(True)))
    assert refreshed == [True]
