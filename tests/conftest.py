"""What all tests share: the hypothesis profiles and one fixture per family of inputs."""

import importlib
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import postgres

# Drawing needs no display. Set before anything imports matplotlib.
os.environ.setdefault("MPLBACKEND", "Agg")

# The time of one example says nothing here: the first one compiles a kernel, and the machine may be busy.
_SLOW_MACHINE: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("dev", **_SLOW_MACHINE)
# In CI the examples are the same in every run, so that a failure belongs to the change under test.
settings.register_profile("ci", derandomize=True, print_blob=True, **_SLOW_MACHINE)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

_TABLE_MAKERS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


# Of session scope, so that hypothesis accepts it beside @given.
@pytest.fixture(scope="session", params=sorted(_TABLE_MAKERS))
def frame_module(request: pytest.FixtureRequest) -> Callable[[Mapping[str, Any]], Any]:
    """Return a function that turns a dict of arrays into a table, once for each data frame library."""
    module = importlib.import_module(request.param)
    make_table: Callable[[Mapping[str, Any]], Any] = getattr(module, _TABLE_MAKERS[request.param])
    return make_table


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """Start a PostgreSQL server; where there is none the tests fail, and say what to install."""
    with postgres.running() as started:
        yield started


@pytest.fixture(scope="session")
def local_spark() -> Iterator[Any]:
    """Start Spark in this process, once for all tests: that takes seconds."""
    import spark_cases

    started = spark_cases.session("local[2]")
    yield started
    started.stop()
