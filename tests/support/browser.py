"""A real Chromium, and what a page did in it that it should not have done."""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from playwright.sync_api import Browser, Page, expect, sync_playwright

# The parts of a page by their names: rochullFormat, ...
_PARTS = "typeof rochullPage === 'object' && Object.assign(globalThis, rochullPage), null"
# As somebody does who reads on: the rows below the answer are open, and mixtures of two rules are allowed, as by experts.
_UNFOLDED = """addEventListener("DOMContentLoaded", () => {
    for (const row of document.querySelectorAll("details.layer")) row.open = true;
    if (typeof rochullReport === "object" && rochullReport.allow) rochullReport.allow();
})"""
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]

PATIENCE = 30  # seconds: a machine that other processes share is slow, and no test fails for that
expect.set_options(timeout=PATIENCE * 1000)
Found = TypeVar("Found")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser that scripts/need_chromium.sh has seen to."""
    named = os.environ.get("CHROMIUM")
    program = named or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert program, "no Chromium on the PATH: see scripts/need_chromium.sh"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


def _watched(browser: Browser, folded: bool = False, **options: Any) -> tuple[Page, list[str]]:
    """Make a page, and the list of what it said or threw."""
    wrong: list[str] = []
    context = browser.new_context(offline=True, **options)
    if not folded:
        context.add_init_script(_UNFOLDED)
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.on("console", lambda message: wrong.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error.stack or error}"))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    return page, wrong


@contextmanager
def opened(browser: Browser, path: Path, **options: Any) -> Iterator[Page]:
    """Open a file, and fail if it said anything on the console, asked for anything, or threw an error."""
    page, wrong = _watched(browser, **options)
    page.goto(path.as_uri())
    page.evaluate(_PARTS)
    page.on("request", lambda request: wrong.append(f"request: {request.url}"))
    yield page
    page.context.close()
    assert wrong == [], wrong


_PLAIN = """(_, x) => ArrayBuffer.isView(x) ? Array.from(x)
    : typeof x === "number" && !Number.isFinite(x) ? { number: String(x) } : x"""


def answers(page: Page, script: str, given: Any) -> Any:
    """What a function of the page makes of many things, as JSON: playwright looks at each value on its way."""
    text = page.evaluate(f"given => JSON.stringify(({script})(given), {_PLAIN})", given)
    return json.loads(text, object_hook=lambda x: float(x["number"]) if x.keys() == {"number"} else x)


Tab = Callable[[Path], AbstractContextManager[Page]]
Shows = Callable[..., AbstractContextManager[Page]]


@contextmanager
def one_tab(browser: Browser) -> Iterator[Tab]:
    """Open files in one tab, one after the other: a tab for each takes longer than most tests."""
    page, wrong = _watched(browser)
    page.on("request", lambda asked: asked.is_navigation_request() or wrong.append(f"request: {asked.url}"))

    @contextmanager
    def show(path: Path) -> Iterator[Page]:
        wrong.clear()
        page.emulate_media(media="screen")
        page.goto(path.as_uri())
        page.evaluate(_PARTS)
        yield page
        assert wrong == [], wrong

    yield show
    page.context.close()


def to_view(page: Page, name: str) -> None:
    """Choose a view of a report's page, whose tab may be behind a button."""
    more = page.get_by_role("button", name="More views")
    if more.is_visible():
        more.click()
    page.get_by_role("tab", name=name).click()


def drawn(page: Page) -> None:
    """Wait for two frames: in the first one the page draws what was changed."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def eventually(page: Page, ask: Callable[[], Found], accept: Callable[[Found], object] = bool) -> Found:
    """Ask until the answer is accepted, and return it. (Pages forbid the means by which Playwright waits.)"""
    end = time.monotonic() + PATIENCE
    while not accept(found := ask()):
        assert time.monotonic() < end, f"still {found!r}"
        page.wait_for_timeout(25)
    return found


def until(page: Page, script: str, part: str | None = None) -> Any:
    """Wait until a script gives something true, or a text that has a part, and return it."""
    return eventually(
        page, lambda: page.evaluate(script), bool if part is None else lambda found: part in found
    )
