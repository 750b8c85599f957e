"""The model of the report's page alone, in a browser."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from browser import answers, opened

MODEL = tuple(
    f"report_{name}.js" for name in ("format", "exact", "optimum", "typed", "given", "known", "model")
)
State = dict[str, Any]


@contextmanager
def model_of(
    browser: Browser, facts: dict[str, Any], directory: Path, locale: str = "en-US"
) -> Iterator[Page]:
    """Open a page that holds nothing but facts and their model."""
    sources = [
        files("rochull.report").joinpath("templates", name).read_text(encoding="utf-8") for name in MODEL
    ]
    data = json.dumps(facts, allow_nan=False).replace("<", "\\u003c")
    path = directory / "model.html"
    scripts = "".join(f"<script>{source}</script>" for source in sources)
    made = f"<script>const facts = {data}, model = rochullModel.create(facts);</script>"
    path.write_text(f'<!DOCTYPE html><meta charset="utf-8">{scripts}{made}', encoding="utf-8")
    with opened(browser, path, locale=locale) as page:
        yield page


def evaluated(page: Page, states: list[State]) -> list[dict[str, Any]]:
    found = answers(page, "states => states.map((state) => model.evaluate(state))", states)
    assert isinstance(found, list)
    return found
