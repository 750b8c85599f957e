"""The model of the report's page alone, in a browser."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from browser import answers, opened
from rochull.report import html

State = dict[str, Any]
# What the page is made of, not begun, each part by its name: rochullModel, rochullCurves, ...
PARTS = html.resource("report.bundle.js") + "Object.assign(globalThis, rochullPage);"


@contextmanager
def model_of(
    browser: Browser, facts: dict[str, Any], directory: Path, locale: str = "en-US"
) -> Iterator[Page]:
    """Open a page that holds nothing but facts and their model."""
    data = json.dumps(facts, allow_nan=False).replace("<", "\\u003c")
    path = directory / "model.html"
    made = f"<script>const facts = {data}, model = rochullModel.create(facts);</script>"
    path.write_text(f'<!DOCTYPE html><meta charset="utf-8"><script>{PARTS}</script>{made}', encoding="utf-8")
    with opened(browser, path, locale=locale) as page:
        yield page


def evaluated(page: Page, states: list[State]) -> list[dict[str, Any]]:
    found = answers(page, "states => states.map((state) => model.evaluate(state))", states)
    assert isinstance(found, list)
    return found
