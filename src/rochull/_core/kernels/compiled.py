"""Compile kernels, and keep what was compiled for the next process.

Numba's own cache looks at the file of a kernel alone: when a kernel that it calls changes in another file,
the old code is loaded. Here one directory holds what was compiled from one state of all kernel files, by one
version of Python, Numba, llvmlite and NumPy; a change of any of them begins a new directory. Checkouts with
the same kernels and all processes of a user share it. Each compiled signature has files of its own, so that
processes that compile at the same time cannot mix theirs up.

Where nothing can be kept (no directory that can be written, a full disk, a Numba that works differently
inside) kernels are compiled anew by each process, and the log says so once.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

GENERATIONS_KEPT = 8
_LONG = 2.0  # seconds, from which compiling is said
_log = logging.getLogger(__name__)


def _generation() -> str:
    """Name the state of everything that compiled code is made from, but for the processor."""
    state = hashlib.sha256()
    for part in (sys.version, numba.__version__, llvmlite.__version__, np.__version__):
        state.update(f"{part}\n".encode())
    sources = {entry.name: entry for entry in files(__package__).iterdir() if entry.name.endswith(".py")}
    if not sources:
        raise FileNotFoundError("the kernels' source files are not there")
    for name in sorted(sources):
        text = sources[name].read_bytes()
        state.update(f"{name} {len(text)}\n".encode())
        state.update(text)
    return f"kernels-{state.hexdigest()[:20]}"


def _user_cache() -> Path:
    """Where a user's caches live: ``NUMBA_CACHE_DIR``, else what the system provides for it."""
    if named := getattr(numba.config, "CACHE_DIR", ""):
        return Path(named)
    given = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given)
    home = Path.home()
    return home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"


def _numba(part: str) -> Any:
    """A module of Numba's inside, imported where its absence does no harm."""
    return import_module(f"numba.core.{part}")


def _begin(target: Any) -> None:
    """Begin Numba's runtime, which loaded code calls, not the registries to compile by, which take long."""
    try:
        _import_without_scipy()
        import_module("numba.core.runtime").rtsys.initialize(target)
    except (ImportError, AttributeError):  # a Numba that works differently inside
        target.refresh()


def _import_without_scipy() -> None:
    """Import what looks for SciPy, as if it had found it: Numba looks again where it needs it."""
    linalg: Any = import_module("numba.np.linalg")
    looks, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = looks


class _Store:
    """The directory of this generation; after a first failure nothing is read or written any more."""

    def __init__(self) -> None:
        self.directory: Path | None = None
        self._used = False
        try:
            self.directory = _user_cache() / "rochull" / _generation()
        except (OSError, RuntimeError) as error:  # RuntimeError: a user without a home
            self.give_up(error)

    def give_up(self, error: Exception) -> None:
        place = f" in {self.directory}" if self.directory else ""
        self.directory = None
        _log.warning(
            "Compiled kernels cannot be kept%s (%s: %s), so each process compiles them again. "
            "NUMBA_CACHE_DIR can name another directory.",
            place, type(error).__name__, error,
        )  # fmt: skip

    def prepare(self, directory: Path) -> None:
        """Before something is written: make the directory, in place of the oldest ones."""
        if not directory.is_dir():
            directory.mkdir(parents=True, exist_ok=True)
            others = [path for path in directory.parent.glob("kernels-*") if path != directory]
            others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
            for old in others[GENERATIONS_KEPT - 1 :]:
                shutil.rmtree(old, ignore_errors=True)

    def can_keep(self) -> bool:
        """Whether something can be written, as far as is known beforehand."""
        if self.directory is None:
            return False
        try:
            self.prepare(self.directory)
        except OSError:  # said where it is written
            return False
        return os.access(self.directory, os.W_OK)

    def touch(self, directory: Path) -> None:
        """Once in a process: note that this generation is used."""
        if not self._used:
            self._used = True
            try:
                os.utime(directory)
            except OSError:  # not made yet, or made by somebody else to be read only
                return


class _Cache:
    """Compiled code for a Numba dispatcher, in place of ``numba.core.caching.FunctionCache``."""

    def __init__(self, function: Callable[..., Any], store: _Store) -> None:
        place = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self._name = f"{place}-{function.__code__.co_firstlineno}"
        self._store = store

    @property
    def cache_path(self) -> str | None:
        return None if self._store.directory is None else str(self._store.directory)

    def load_overload(self, signature: Any, target: Any) -> Any:
        directory = self._store.directory
        if directory is None:
            _patience.compiles()
            return None
        try:
            _begin(target)
            self._store.touch(directory)
            key = (signature, target.codegen().magic_tuple())
            kept = self._file(directory, key).load(key)
            if kept is None:
                _patience.compiles()
                return None
            return _numba("compiler").CompileResult._rebuild(target, *kept)
        except Exception as error:  # whatever is wrong with a cache: it must not fail what needs no cache
            self._store.give_up(error)
            return None

    def save_overload(self, signature: Any, made: Any) -> None:
        directory = self._store.directory
        if directory is None:
            return
        try:
            if made.lifted or made.library.has_dynamic_globals:  # holds addresses of this process
                return
            self._store.prepare(directory)
            key = (signature, made.codegen.magic_tuple())
            self._file(directory, key).save(key, made._reduce())
        except Exception as error:
            self._store.give_up(error)

    def _file(self, directory: Path, key: Any) -> Any:
        """The files of one signature on one kind of processor. (Numba's hold all of a function, and two
        processes that add to them at once can leave one's code under the other's signature.)"""
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return _numba("caching").IndexDataCacheFile(str(directory), f"{self._name}-{digest}", directory.name)

    def enable(self) -> None:
        """Asked for by Numba; there is nothing to do."""

    disable = flush = enable


_store = _Store()


class _Patience:
    """Says once, through the log, that kernels are being compiled, when that takes long."""

    def __init__(self) -> None:
        self._said = False
        self._spent = 0.0
        self._begun: float | None = None
        self._timer: threading.Timer | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count the time of a kernel together with those that it calls, unless they are all cached."""
        if self._said or self._begun is not None:
            yield
            return
        self._begun = monotonic()
        try:
            yield
        finally:
            begun, timer, self._begun, self._timer = self._begun, self._timer, None, None
            if timer is not None:
                timer.cancel()
                self._spent += monotonic() - begun

    def compiles(self) -> None:
        """Note that a kernel is in no cache."""
        if self._begun is not None and self._timer is None and not self._said:
            self._timer = timer = threading.Timer(max(0.0, _LONG - self._spent), self._say)
            timer.daemon = True
            with suppress(RuntimeError):  # no thread can be started: it is not said
                timer.start()

    def _say(self) -> None:
        if not self._said:
            self._said = True
            kept = "; what is compiled is kept for next time" if _store.can_keep() else ""
            logging.getLogger("rochull").warning("compiling kernels%s ...", kept)


_patience = _Patience()


def _without_interruption(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """Let Ctrl-C, or a handled SIGTERM, wait until a kernel is compiled or loaded.

    LLVM calls back into Python then, and what is raised in there is printed and forgotten: the program
    would go on as if nobody had pressed it.
    """

    @functools.wraps(compile_)
    def compile_then_interrupt(*signature: Any) -> Any:
        with _patience.watching():
            return uninterrupted(*signature)

    def uninterrupted(*signature: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return compile_(*signature)
        both = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        handlers = {int(number): handler for number, handler in both.items() if callable(handler)}
        pressed: list[tuple[int, Any]] = []
        for number in handlers:
            signal.signal(number, lambda number, frame: pressed.append((number, frame)))
        try:
            return compile_(*signature)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            for number, frame in pressed[:1]:
                handlers[number](number, frame)

    return compile_then_interrupt


def _box_without_python() -> None:
    """Let Ctrl-C wait until what a kernel returns is made, too.

    For each array Numba asks a function in Python for its type, and does not look whether that was
    interrupted: of several arrays it makes a SystemError. A cache in C answers without running Python.
    """
    serialize = _numba("serialize")
    asked = getattr(serialize, "_numba_unpickle", None)
    if asked is not None and not hasattr(asked, "cache_info"):
        serialize._numba_unpickle = functools.cache(asked)


def compiled(**options: Any) -> Callable[[Kernel], Kernel]:
    """Return a decorator that compiles with the options of ``numba.njit``; the GIL is released."""

    def decorate(function: Kernel) -> Kernel:
        made = numba.njit(nogil=True, **options)(function)
        # Under NUMBA_DISABLE_JIT it is the function itself. What a closure holds is in no file.
        if hasattr(made, "_cache") and function.__closure__ is None:
            made._cache = _Cache(function, _store)
        if hasattr(made, "compile"):
            made.compile = _without_interruption(made.compile)
        result: Kernel = made
        return result

    return decorate


PLAIN = bool(getattr(numba.config, "DISABLE_JIT", False))


def overflows(decorate: Callable[[Kernel], Kernel]) -> Callable[[Kernel], Kernel]:
    """Return the decorator for a function that goes beyond its numbers on purpose, as compiled code does.

    Plain Python would warn of it.
    """
    return np.errstate(over="ignore", invalid="ignore") if PLAIN else decorate


if not PLAIN:
    _box_without_python()
kernel = compiled(no_cfunc_wrapper=True)
inline = compiled(inline="always")
# Inlined by LLVM, and compiled once, not anew at each place: sooner compiled, but not always as fast.
folded = compiled(forceinline=True, no_cfunc_wrapper=True)
# With NumPy's division there is no test for zero, which would keep loops from being vectorised.
divides = compiled(error_model="numpy", no_cfunc_wrapper=True)
