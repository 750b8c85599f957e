"""How much is tried: all where CI or `make test-all` asks for it, else a share that is chosen here.

Of the examples of a property a quick run and CI try one in ten; a quick run tries of the cases of a loop those of `some`, and of a
test that is marked `crossed` so many combinations that every value of every parameter occurs. Where thousands of tests
are run it is two cases of every other test.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

# The time of one example says nothing: the first one compiles a kernel, and the machine may be busy.
_SLOW_MACHINE: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
FULL = 100

settings.register_profile("quick", max_examples=FULL // 10, **_SLOW_MACHINE)
settings.register_profile("fast", max_examples=2, **_SLOW_MACHINE)
settings.register_profile("full", max_examples=FULL, **_SLOW_MACHINE)
# In CI the examples are the same in every run, so that a failure belongs to the change under test; new ones are
# found by `make test` and `make test-all`, whose examples are others each time.
_THE_SAME: dict[str, Any] = {"derandomize": True, "print_blob": True, **_SLOW_MACHINE}
settings.register_profile("ci", max_examples=FULL // 10, **_THE_SAME)
settings.register_profile("quick-ci", max_examples=FULL // 10, **_THE_SAME)  # what CI runs a second time
_chosen = "ci" if os.environ.get("CI") else "full" if os.environ.get("HYPOTHESIS_FULL") else "quick"
settings.load_profile(_chosen)  # --hypothesis-profile names another


def tries(number: int) -> settings:
    """Return settings for that many examples in a full run, and the same share of them in a quick one."""
    return settings(max_examples=max(number * settings().max_examples // FULL, 2 if is_fast() else 5))


def is_fast() -> bool:
    """Tell whether seconds count more than what is found."""
    return settings.get_current_profile_name() == "fast"


def is_full() -> bool:
    """Tell whether everything is tried."""
    return settings.get_current_profile_name() not in {"quick", "quick-ci", "fast"}


Case = TypeVar("Case")


def some(cases: Sequence[Case], number: int) -> Sequence[Case]:
    """Return the cases in a full run, and the first few in a quick one."""
    return cases if is_full() else cases[:number]


MANY = 5000  # tests: a run of all, not of the files that somebody works on


def left_to_full_runs(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Find what a quick run leaves out: of tests marked `crossed`, combinations of values that all occur in others.

    Of other tests all cases but two, where there are `MANY`.
    """
    left: set[pytest.Item] = set()
    if is_full():
        return left
    tried: set[tuple[str, str, int]] = set()
    cases: Counter[str] = Counter()
    # In an order that has nothing to do with the values, and is the same in every process.
    for item in sorted(items, key=lambda item: (crc32(item.nodeid.encode()), item.nodeid)):
        test = item.nodeid.partition("[")[0]
        if item.get_closest_marker("long"):
            continue
        if item.get_closest_marker("crossed"):
            values = getattr(item, "callspec").params.items()  # noqa: B009
            new = {(test, name, id(value)) for name, value in values} - tried
            tried |= new
            spared = not new
        else:
            cases[test] += 1
            spared = len(items) > MANY and cases[test] > 2
        if spared:
            left.add(item)
    return left


# Of these a fast run has every test: what all objects, modules and documents must do.
EVERY = re.compile(
    r"tests/(?:walks/|.*(?:contract|test_house|test_import|test_decisions_alike|test_commits))"
)
COSTLY = re.compile(r"tests/(?:report|plotting|cli|estimators)/")


def left_to_slower_runs(
    items: Iterable[pytest.Item], excluded: Callable[[pytest.Item], bool]
) -> set[pytest.Item]:
    """Find what a fast run leaves out: it has one combination of a test's parameters, and a share of the tests.

    Every fourth property, of few examples, and every eighth test of another kind (of those of reports, displays,
    commands and estimators, which take longer, every twentieth), beside those of `EVERY`.
    """
    left: set[pytest.Item] = set()
    tried: set[str] = set()
    for item in sorted(items, key=lambda item: (crc32(item.nodeid.encode()), item.nodeid)):
        test = item.nodeid.partition("[")[0]
        is_property = hasattr(getattr(item, "function", None), "hypothesis")
        of = 1 if EVERY.match(test) else 20 if COSTLY.match(test) else 4 if is_property else 8
        if test in tried or crc32(test.encode()) % of or excluded(item):
            left.add(item)
        else:
            tried.add(test)
    return left
