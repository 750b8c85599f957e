"""Commands that a signal stops at a random moment: what is written is whole, or what was there before."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import rochull as rh

# Commands are forked from a process that has imported everything, since imports are most of what they do; signals
# while something is imported are in test_streams. What a shell starts in the background ignores Ctrl-C, and so would
# what it starts.
_SERVER = """
import json, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import duckdb, jinja2, pyarrow.parquet, rich.table, typer
import numpy as np
import rochull as rh, rochull.cli.app, rochull.cli.calibrate, rochull.cli.decide, rochull.cli.report
y, s = np.arange(60) % 2, np.arange(60) * 7 % 31
rh.LogisticCalibrator().fit(s, y)
hybrid = rh.Hybrid().add("s", y, s)
report = rh.Report(hybrid, rh.ExpectedCost(1, 2), need=hybrid.need(rh.ExpectedCost(1, 2), y, {"s": s}))
report.to_text(), report.to_html(), hybrid.policy().decide({"s": s}, rh.NeymanPearson(0.5), deterministic=True)
from rochull.cli import main
print("ready", flush=True)
for line in sys.stdin:
    pid = os.fork()
    if not pid:
        os.dup2(os.open("said.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.argv[1:] = json.loads(line)
        sys.exit(main())
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
_LIMIT = ["--max-fpr", "0.5", "--deterministic"]
_DATA = ["t.parquet", "--label", "y", "--score", "s"]
COMMANDS = {
    "memory": ["decide", "p.json", "t.csv", *_LIMIT, "-o", "o.csv"],
    "duckdb": ["decide", "p.json", "t.parquet", *_LIMIT, "--engine", "duckdb", "-o", "o.csv"],
    "summary": ["decide", "p.json", "t.csv", *_LIMIT, "--summary", "s.json", "-o", "o.parquet"],
    "fit": ["calibrate", *_DATA, "--method", "logistic", "--model", "c2.json"],
    "apply": ["calibrate", "t.parquet", "--apply", "c.json", "-o", "o.csv"],
    "report": ["report", *_DATA, "--cost-fn", "2", "--policy", "p2.json", "-o", "o.html"],
}
_OLD = b"what was there before\n"
_MADE = ("said.txt", "o.csv", "o.parquet", "s.json", "c2.json", "p2.json", "o.html")


@dataclass
class Field:
    """A folder with what commands read, and how long they take undisturbed.

    Attributes
    ----------
    known : what is there besides outputs, which no command may change.
    """

    folder: Path
    rows: int = 20_000
    seconds: dict[str, float] = field(default_factory=dict)
    known: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, self.rows)
        table = pa.table(
            {"y": y, "s": (rng.normal(size=self.rows) + y).round(3), "text": ["x" * 40] * self.rows}
        )
        pq.write_table(table, self.folder / "t.parquet")
        table.to_pandas().to_csv(self.folder / "t.csv", index=False)
        some = table.slice(0, 200).to_pandas()
        rh.Policy.from_hull(rh.roc_hull(some["y"], some["s"]).named("s")).save(self.folder / "p.json")
        rh.LogisticCalibrator().fit(some["s"], some["y"]).save(self.folder / "c.json", about={"score": "s"})
        self.known = {path.name: path.read_bytes() for path in self.folder.iterdir()}

    @cached_property
    def server(self) -> subprocess.Popen[str]:
        """What commands are forked from."""
        started = subprocess.Popen(
            [sys.executable, "-c", _SERVER], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "TMPDIR": str(self.folder)},
        )  # fmt: skip
        assert started.stdout is not None
        started.stdout.readline()
        return started

    def close(self) -> None:
        """End the process that commands are forked from."""
        self.server.communicate()

    def run(self, name: str, sent: signal.Signals | None = None, delay: float = 0.0) -> tuple[int, str]:
        """The status of a command and what it says, if it is sent a signal after so many seconds."""
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.write(json.dumps(COMMANDS[name]) + "\n")
        self.server.stdin.flush()
        pid = int(self.server.stdout.readline())
        if sent is not None:
            time.sleep(delay)
            with suppress(ProcessLookupError):  # it was done before
                os.kill(pid, sent)
        status = int(self.server.stdout.readline())
        return status, (self.folder / "said.txt").read_text()

    def attack(self, seed: int) -> str | None:
        """Stop a command that is drawn by the seed: what is wrong afterwards, or None."""
        rng = random.Random(seed)
        name, sent = rng.choice([*COMMANDS]), rng.choice(SIGNALS)
        self._clear()
        _ = self.server
        if name not in self.seconds:
            begun = time.monotonic()
            status, said = self.run(name)
            if status:
                return f"{name}: {said}"
            self.seconds[name] = time.monotonic() - begun
            self._clear()
        delay = rng.uniform(0, 1.05 * self.seconds[name])
        status, said = self.run(name, sent, delay)
        wrong = self._wrong(sent, status, said)
        return wrong and f"{name}, signal {sent} after {delay:.3f} s, status {status}: {wrong}"

    def _clear(self) -> None:
        for path in self.folder.iterdir():
            if path.name not in self.known:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name in _MADE[1:]:
            (self.folder / name).write_bytes(_OLD)

    def _wrong(self, sent: signal.Signals, status: int, said: str) -> str | None:
        if status not in (0, 128 + sent, -sent):
            return f"another status: {said}"
        if "Traceback" in said and "rochull" in said:
            return said
        for path in self.folder.iterdir():
            if path.name in self.known and path.read_bytes() != self.known[path.name]:
                return f"{path.name} has changed"
            if path.name in _MADE[1:] and path.read_bytes() != _OLD and not is_whole(path):
                return f"{path.name} is not whole"
            if path.name not in (*self.known, *_MADE) and sent != signal.SIGKILL:
                return f"{path.name} is left behind"
        return None


def is_whole(path: Path) -> bool:
    """Whether an output can be read to its end."""
    text = path.read_bytes()
    match path.suffix:
        case ".json":
            return bool(json.loads(text))
        case ".parquet":
            return bool(pq.read_table(path).num_rows)
        case ".csv":
            return text.endswith(b"\n") and len({line.count(b",") for line in text.splitlines()}) == 1
    return text.rstrip().endswith(b"</html>")
