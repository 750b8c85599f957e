"""What of the page can be tested without a browser: the tests in page/test, run by Node's own runner."""

import subprocess
from pathlib import Path

PAGE = Path(__file__).parents[2] / "page"


def test_units() -> None:
    run = ["node", PAGE / "test.js"]
    done = subprocess.run(run, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
