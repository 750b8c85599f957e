"""One browser for all tests of pages."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from browser import chromium


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Start the browser, once."""
    with chromium() as started:
        yield started
