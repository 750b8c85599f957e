"""Fresh interpreters: what they print, and how long they take."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

from benchmarks.clock import Contender, clocked


def output(*command: str, env: Mapping[str, str] | None = None) -> str:
    """What a command prints; if it fails, its last line on stderr is raised."""
    done = subprocess.run(
        command, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        raise RuntimeError(f"exit code {done.returncode}: {last[0]}")
    return done.stdout


def python(code: str, env: Mapping[str, str] | None = None) -> Contender:
    """A contender: a new interpreter that runs the code, from its start to its end."""
    return clocked(lambda: output(sys.executable, "-c", code, env=env))
