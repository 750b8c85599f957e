"""Entry point of the shell: the command line, or one sentence if a requirement is not installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rochull._core.extras import MissingLibraryError, require
from rochull.cli.interrupted import Interruption, by_signal
from rochull.cli.statuses import Status


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        Those of the process, if not given.

    Returns
    -------
    int
        The exit status; ``rochull --help`` says what each means.
    """
    with _some_columns(), Interruption.watched():
        try:
            for library in ("typer", "rich"):
                require(library, "cli")
            from rochull.cli import app
        except (Exception, KeyboardInterrupt) as error:
            if Interruption.pressed or by_signal(error):
                print("rochull: interrupted.", file=sys.stderr)
                return Interruption.status
            if not isinstance(error, MissingLibraryError):
                raise
            print(f"rochull: {error}", file=sys.stderr)
            return Status.FAILED
        return app.main(arguments)


@contextmanager
def _some_columns() -> Iterator[None]:
    """Print as to a terminal of unknown width where one says that it has no columns at all."""
    none = os.environ.get("COLUMNS") == "0"
    if none:
        del os.environ["COLUMNS"]
    try:
        yield
    finally:
        if none:
            os.environ["COLUMNS"] = "0"
