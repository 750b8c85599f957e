"""What the tests of reports share: pages that are opened in the one browser."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import report_cases as cases
import rochull as rh
from browser import Shows, Tab, one_tab
from rochull.report import MulticlassReport, wording


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Tab]:
    with one_tab(browser) as show:
        yield show


@pytest.fixture(scope="module")
def table() -> Any:
    """The scores of German credit."""
    return rh.datasets.load("german_credit_scores")


@pytest.fixture(scope="module")
def german() -> rh.Hybrid:
    """What is made of them."""
    return cases.shipped("german_credit_scores", "class", "bad")


@pytest.fixture
def shows(tab: Tab, tmp_path: Path) -> Shows:
    """Return a function that opens the report on operating points, with these options."""

    def show(points: Any, **options: Any) -> AbstractContextManager[Page]:
        MulticlassReport(points, **options).save(tmp_path / "r.html")
        return tab(tmp_path / "r.html")

    return show


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tell the keys of messages instead of their words, which the catalogue has once."""
    monkeypatch.setattr(wording, "PAGE", SimpleNamespace(told=lambda clause: clause.key))
