"""A real Firefox, driven by Marionette, the protocol that it speaks itself.

Playwright drives a Firefox of its own, which no Debian package holds, and asks of another one what Firefox 153
does not know (emulation.setMediaFeaturesOverride); geckodriver is in no package either.
"""

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

PATIENCE = 60  # seconds
ELEMENT = (
    "element-6066-11e4-a52e-4f735466cecf"  # the key of an element's reference, of the WebDriver standard
)
PREFERENCES = """user_pref("marionette.port", 0);
user_pref("browser.download.folderList", 2);
user_pref("browser.download.dir", {folder});
user_pref("intl.accept_languages", "en-US");
user_pref("app.update.enabled", false);
"""
WRONG = """const said = Services.console.getMessageArray().map(({ message }) => message);
Services.console.reset();
return said.filter((message) => message.includes("file:///"))"""


class Firefox:
    """One tab."""

    def __init__(self, connection: socket.socket, answers: BinaryIO, downloads: Path) -> None:
        self.downloads = downloads
        self._socket, self._answers, self._number = connection, answers, 0
        self._answer()  # a greeting
        self.do("WebDriver:NewSession", capabilities={})

    def _answer(self) -> Any:
        size = b""
        while (sign := self._answers.read(1)) != b":":
            assert sign, "Firefox has gone."
            size += sign
        return json.loads(self._answers.read(int(size)))

    def do(self, name: str, **parameters: Any) -> Any:
        """Send a command, and return what it answers."""
        self._number += 1
        text = json.dumps([0, self._number, name, parameters]).encode()
        self._socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, found = self._answer()
        assert error is None, error
        return found

    def evaluate(self, script: str, *args: Any) -> Any:
        """Run a function's body in a scope of its own, which sees the document and not the page's scripts."""
        return self.do("WebDriver:ExecuteScript", script=script, args=list(args))["value"]

    def open(self, path: Path) -> None:
        self.wrong()  # what was said before does not count
        self.do("WebDriver:Navigate", url=path.as_uri())

    def text(self, selector: str) -> str:
        found = self.evaluate("return document.querySelector(arguments[0]).textContent", selector)
        assert isinstance(found, str)
        return found

    def click(self, selector: str) -> None:
        self.do("WebDriver:ElementClick", id=self._element(selector))

    def _element(self, selector: str) -> str:
        made = self.do("WebDriver:FindElement", using="css selector", value=selector)["value"]
        return str(made[ELEMENT])

    def drag(self, selector: str, by: int) -> None:
        """From the middle of an element, so many pixels to the right."""
        element = {ELEMENT: self._element(selector)}
        self.evaluate("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector)
        move = {"type": "pointerMove", "origin": element, "y": 0, "duration": 50}
        path = [
            move | {"x": 0},
            {"type": "pointerDown", "button": 0},
            *(move | {"x": by * n // 4} for n in range(1, 5)),
            {"type": "pointerUp", "button": 0},
        ]
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": path}
        self.do("WebDriver:PerformActions", actions=[pointer])

    def wrong(self) -> list[str]:
        """What files said on the console since one was opened, or since this was asked."""
        self.do("Marionette:SetContext", value="chrome")
        found = self.evaluate(WRONG)
        self.do("Marionette:SetContext", value="content")
        assert isinstance(found, list)
        return found

    def downloaded(self, name: str) -> Path:
        """A file that was saved, as soon as it is complete."""
        _wait_for(self.downloads / name)
        return self.downloads / name


def _wait_for(path: Path) -> None:
    """Wait for a file that is not empty."""
    end = time.monotonic() + PATIENCE
    while not (path.exists() and path.stat().st_size):
        assert time.monotonic() < end, f"there is no {path.name}"
        time.sleep(0.05)


@contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    """Start the browser that scripts/need_firefox.sh has seen to, with its profile and its downloads in a folder."""
    program = os.environ.get("FIREFOX") or shutil.which("firefox-esr")
    assert program, "no firefox-esr on the PATH: see scripts/need_firefox.sh"
    profile, downloads = folder / "profile", folder / "downloads"
    for each in (profile, downloads):
        each.mkdir()
    settings = PREFERENCES.format(folder=json.dumps(str(downloads)))
    (profile / "user.js").write_text(settings, encoding="utf-8")
    command = [program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = subprocess.Popen([*command, "--profile", str(profile)], **quiet)
    try:
        place = profile / "MarionetteActivePort"
        _wait_for(place)
        port = int(place.read_text())
        with (
            socket.create_connection(("127.0.0.1", port), PATIENCE) as connection,
            connection.makefile("rb") as answers,
        ):
            yield Firefox(connection, answers, downloads)
    finally:
        started.terminate()
        started.wait(PATIENCE)
