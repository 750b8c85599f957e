"""The parts of the report's page without a browser: JavaScript that Node runs, asked as playwright's pages are."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rochull.report import html

# What the page is made of, not begun, each part by its name: rochullModel, rochullCurves, ...
PARTS = html.resource("report.bundle.js") + "Object.assign(globalThis, rochullPage);"
_ASKED = """
const plain = (_, x) => ArrayBuffer.isView(x) ? Array.from(x) : typeof x === "number" && !Number.isFinite(x) ? { number: String(x) } : x;
const { runInThisContext } = require("node:vm");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { run, script, given } = JSON.parse(line);
  try {
    const found = runInThisContext(run ? script : `(${script})`);
    const value = run ? null : typeof found === "function" ? found(runInThisContext(`(${given})`)) : found;
    console.log(JSON.stringify({ value: value === undefined ? null : value }, plain));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error.stack || error) }));
  }
});
"""


class Engine:
    """One world of globals."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, script: str) -> None:
        """Run a script."""
        self._asked({"run": True, "script": script})

    def evaluate(self, script: str, given: Any = None) -> Any:
        """Return the value of an expression, or what a function makes of what is given."""
        return self._asked({"script": script, "given": json.dumps(given)})

    def _asked(self, asked: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        found = json.loads(line, object_hook=lambda x: float(x["number"]) if x.keys() == {"number"} else x)
        assert "error" not in found, found["error"]
        return found["value"]


@contextmanager
def engine(locale: str = "en-US") -> Iterator[Engine]:
    """Start one with the parts of the page."""
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    place = os.environ | {"LC_ALL": f"{locale.replace('-', '_')}.UTF-8"}
    with subprocess.Popen(["node", "-e", _ASKED], text=True, encoding="utf-8", env=place, **pipes) as process:
        made = Engine(process)
        made.run(PARTS)
        yield made
        assert process.stdin is not None
        process.stdin.close()


@contextmanager
def model_of(facts: dict[str, Any], locale: str = "en-US") -> Iterator[Engine]:
    """Start one with facts and their model."""
    with engine(locale) as made:
        made.run(f"const facts = {json.dumps(facts, allow_nan=False)}, model = rochullModel.create(facts);")
        yield made


def evaluated(made: Engine, states: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answer to each state."""
    found = made.evaluate("states => states.map((state) => model.evaluate(state))", states)
    assert isinstance(found, list)
    return found
