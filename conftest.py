"""How the tests are run: what they share, which of them are long, and which process runs which.

This file is at the root because the examples in the docstrings of `src` are tests too.
"""

import gc
import inspect
import os
import re
import signal
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import profiles

# Before anything imports NumPy or matplotlib: no window is opened, linear algebra and OpenMP take no threads
# from other processes.
for _name, _value in {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}.items():
    os.environ.setdefault(_name, _value)
# A run in the background ignores Ctrl-C, and so would the programs in which tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What takes more CPU seconds than this is long and has the mark. One is meant; the others are for a busy
# machine, and for kernels that a process loads for the first time.
MOST_CPU = 5.0
# What starts a browser or Spark is long without the mark, but for the pass that is marked `short`.
LONG_FIXTURES = {"browser", "local_spark"}
# `--fast` needs no program beside Python: no server, browser, Java or Node, nor another process of Python.
PROGRAMS = re.compile(
    r"\b(?:spark_cases|local_spark|subprocess|[Ee]ngine|model_of|answers_of|sync_playwright|postgres|ProcessPoolExecutor)\b"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="one case of each test that needs no other program")
    parser.addoption("--slow", metavar="FILE", help="write down the tests that lack the mark long")
    parser.addoption(
        "--failed", metavar="FILE", help="write down the tests that failed, or could not be collected"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """What is collected lives until the end: the garbage collector need not look at it again and again."""
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is long by what it needs; leave combinations to full runs; and begin with what is long.

    Spark has one session at a time: a cluster of a test's own would stop the one that the other tests share.
    """
    for item in items:
        if LONG_FIXTURES & set(getattr(item, "fixturenames", ())) and not item.get_closest_marker("short"):
            item.add_marker("long")
    if not any("::" in argument for argument in config.args):  # what is named is run
        left = profiles.left_to_full_runs(items)
        if config.getoption("--fast"):
            left |= profiles.left_to_slower_runs(items, _needs_programs)
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=left)
    items.sort(
        key=lambda item: (
            _place(item.nodeid.split("::", maxsplit=1)[0]),
            "local_spark" in getattr(item, "fixturenames", ()),
            not item.get_closest_marker("long"),
        )
    )


def _needs_programs(item: pytest.Item) -> bool:
    """Tell whether a test is long, or starts a program, as far as its fixtures and its own lines say."""
    if item.get_closest_marker("long") or {*LONG_FIXTURES, "server"} & set(getattr(item, "fixturenames", ())):
        return True
    function = getattr(item, "function", None)
    return function is not None and bool(PROGRAMS.search(_source(inspect.unwrap(function))))


@lru_cache(None)
def _source(function: Any) -> str:
    return inspect.getsource(getattr(getattr(function, "hypothesis", None), "inner_test", function))


# --- what takes longest is first, and one process has Spark ------------------------------------------------


@lru_cache(None)
def _place(path: str) -> int:
    """Spark, pages, and the rest."""
    text = (Path(__file__).parent / path).read_text(encoding="utf-8")
    if "spark" in Path(path).stem or "local_spark" in text:
        return 0
    return 1 if "from playwright" in text else 2


def _process(nodeid: str) -> str:
    """Name what is run by one process: a file, or all that share Spark."""
    path = nodeid.split("::", maxsplit=1)[0]
    return path if _place(path) else "spark"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each process whole files. (pytest 9 ignores the names by which xdist 3.8 groups tests.)"""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _process(nodeid)

    config.option.loadscopereorder = False  # the order is that of the collection
    return Scheduling(config, log)


# --- what became slow, and what failed ------------------------------------------------------------------


def _cpu() -> float:
    """CPU seconds of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    begin = _cpu()
    yield
    used = _cpu() - begin
    if used > MOST_CPU and not item.get_closest_marker("long"):
        item.user_properties.append(("slow", used))


class _Written:
    """Gathers what was slow and what failed; the reports of other processes come with it."""

    slow: dict[str, float]
    failed: dict[str, None]

    def __init__(self) -> None:
        self.slow, self.failed = {}, {}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = None
        if report.when == "call":
            for name, used in report.user_properties:
                if name == "slow":
                    self.slow[report.nodeid] = used

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, config: pytest.Config
    ) -> None:
        for nodeid, used in self.slow.items():
            terminalreporter.write_line(f"SLOW {nodeid} took {used:.1f} CPU seconds without the mark long")
        for option, found in (("--slow", self.slow), ("--failed", self.failed)):
            if path := config.getoption(option):
                Path(path).write_text("".join(f"{nodeid}\n" for nodeid in found), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Written())
