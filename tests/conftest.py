"""What all tests share: one fixture per family of inputs, and one server."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

import postgres

_TABLE_MAKERS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


@pytest.fixture(scope="session", autouse=True)
def _one_database() -> Iterator[None]:
    """Files are read as within one command, which takes a fifth of the time."""
    from rochull._core.connections import one_database

    with one_database():
        yield


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start the browser, once for all tests of pages."""
    from browser import chromium

    with chromium() as started:
        yield started
