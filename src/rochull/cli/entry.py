"""Entry point of the shell: the command line, or one sentence if a requirement is not installed."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # loaded before anything hears Ctrl-C, so as little as can be
if TYPE_CHECKING:
    from collections.abc import Callable

_YOUNG = 200  # collections of what is new before one of what outlived them


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        Those of the process, if not given. The process is about to end then: signals have no effect any more.

    Returns
    -------
    int
        The exit status; ``rochull --help`` says what each means.
    """
    if arguments is None:  # to search for cycles among what modules hold takes a tenth of the time
        gc.set_threshold(gc.get_threshold()[0], _YOUNG)
        # Threads of OpenBLAS spin while NumPy is loaded, a third of that time, and no command needs them.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        return _with_some_columns(lambda: _run(arguments))
    except KeyboardInterrupt:  # so early, or so late, that nothing else hears it
        print("rochull: interrupted.", file=sys.stderr)
        return 130
    finally:
        if arguments is None:
            gc.freeze()  # nor are any looked for when the process ends


def _run(arguments: list[str] | None) -> int:
    from rochull._core.extras import MissingLibraryError, installed
    from rochull.cli.interrupted import Interruption, by_signal
    from rochull.cli.statuses import Status

    with Interruption.watched(to_the_end=arguments is None):
        try:
            for library in ("typer", "rich"):
                installed(library, "cli")
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


def _with_some_columns(run: Callable[[], int]) -> int:
    """Print as to a terminal of unknown width where one says that it has no columns at all."""
    if os.environ.get("COLUMNS") != "0":
        return run()
    del os.environ["COLUMNS"]
    try:
        return run()
    finally:
        os.environ["COLUMNS"] = "0"
