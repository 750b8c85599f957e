"""One browser for all tests of pages."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from browser import Shows, Tab, chromium, one_tab
from rochull.report import MulticlassReport


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Start the browser, once."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Tab]:
    with one_tab(browser) as show:
        yield show


@pytest.fixture
def shows(tab: Tab, tmp_path: Path) -> Shows:
    """Return a function that opens the report on operating points, with these options."""

    def show(points: Any, **options: Any) -> AbstractContextManager[Page]:
        MulticlassReport(points, **options).save(tmp_path / "r.html")
        return tab(tmp_path / "r.html")

    return show
