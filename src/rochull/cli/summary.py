"""Facts for the job that ran a command: a summary in a file or on stdout, metadata of a table, a line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from rochull.cli.declared import Option
from rochull.cli.options import UsageError, emit, said_so_far, say

FORMAT, VERSION = "rochull-summary", 1
FOR_JOBS = "Jobs"
SummaryOption = Annotated[
    Path | None,
    Option(
        "--summary",
        help="Write what was done, for programs: time, versions, checksum, condition, counts: .json.",
        rich_help_panel=FOR_JOBS,
    ),
]
JsonOption = Annotated[
    bool,
    Option(
        "--json", help="Print the summary on stdout; lines for people go to stderr.", rich_help_panel=FOR_JOBS
    ),
]


@dataclass
class Summary:
    """The summary of one run.

    Attributes
    ----------
    command : that ran.
    made_by : what was applied: a policy or a calibrator, with its file, format and checksum.
    table, output : the files, as typed; None where none is read, or written.
    path : where to write it, if anywhere.
    printed : whether it is printed.
    condition : in words; None where there is none.
    facts : what the command found; `tests` are those of the batch, by name.
    noted : what the line for a log says besides.
    """

    command: str
    made_by: Mapping[str, Any]
    table: str | None
    output: Path | None = None
    path: Path | None = None
    printed: bool = False
    condition: str | None = None
    facts: dict[str, Any] = field(default_factory=lambda: {"tests": {}})
    noted: str = ""

    @property
    def metadata(self) -> dict[str, str]:
        """Texts that a Parquet file holds beside its columns."""
        from rochull._core.version import __version__

        found = {"version": __version__, f"{self.made_by['kind']}.checksum": self.made_by["checksum"]}
        found |= {} if self.condition is None else {"condition": self.condition}
        return {f"rochull.{name}": text for name, text in found.items()}

    @contextmanager
    def told(self) -> Iterator[None]:
        """Within it the command runs; after it the summary is written, and a line for a log said."""
        from rochull._core.documents import as_text, write_text

        out = sys.stdout
        with redirect_stdout(sys.stderr if self.printed else out), said_so_far() as warned:
            yield
            text = as_text(self._document(warned))
            if self.path is not None:
                write_text(self.path, text)
            say(self._line())
        if self.printed:
            emit(text.rstrip("\n"))

    def _document(self, warned: list[str]) -> dict[str, Any]:
        head = {"format": FORMAT, "version": VERSION, "command": self.command, "time": _now()}
        named = {"table": self.table, "output": self.output}
        files = {name: str(path) for name, path in named.items() if path is not None}
        made_by = {name: value for name, value in self.made_by.items() if name != "kind"}
        asked = {self.made_by["kind"]: made_by, **files, "condition": self.condition}
        return {**head, "versions": _versions(), **asked, **self.facts, "warnings": warned}

    def _line(self) -> str:
        from rochull._core.version import __version__

        made_by = f"{self.made_by['kind']} {self.made_by['checksum'][:12]}"
        return f"Log: {_now()}, rochull {__version__}, {made_by}, {self.facts['rows']} rows{self.noted}"


def check_summary(path: Path | None, **others: Path | str | None) -> None:
    """Raise unless a summary can be written there, beside the other files of the command."""
    from rochull._core.files import check_apart, check_writable

    if path is None:
        return
    if path.suffix.lower() != ".json":
        raise UsageError(f"--summary must end in .json, but is {str(path)!r}.")
    check_writable(path)
    for what, other in others.items():
        if other is not None:
            if os.path.realpath(path) == os.path.realpath(other):
                raise UsageError(f"--summary and the {what} are both {str(path)!r}; name two files.")
            check_apart(path, Path(other), f"the {what}")


def made_by(kind: str, path: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """The policy or calibrator that a command applies."""
    return {"kind": kind, "file": str(path), "format": document["format"], "checksum": document["checksum"]}


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _versions() -> dict[str, str]:
    """The versions of the libraries on which decisions may depend."""
    import numpy as np

    from rochull._core.version import __version__

    python = ".".join(map(str, sys.version_info[:3]))
    found = {"rochull": __version__, "python": python, "numpy": np.__version__}
    duckdb = sys.modules.get("duckdb")
    return found if duckdb is None else found | {"duckdb": duckdb.__version__}
