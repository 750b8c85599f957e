"""The command line: parse, call, print. No statistics, and nothing heavy is imported before it is used."""

from __future__ import annotations

import io
import sys
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer

from rochull._core.connections import one_database
from rochull._core.extras import MissingLibraryError
from rochull._core.first_use import allow_more
from rochull._core.inputs import inputs_kept
from rochull.cli.interrupted import Interruption
from rochull.cli.options import StrictError, UsageError, complain, log_as_lines
from rochull.cli.statuses import Status, rows
from rochull.cli.wording import Wording, in_words_of, worded

# The commands, in the order of the help: each is the function of its name in the file of its name.
COMMANDS = (
    "report", "decide", "watch", "judge", "diff", "gate", "calibrate", "sql", "multiclass", "cascade", "warm",
)  # fmt: skip


def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    if version:
        from rochull._core.version import __version__

        print(f"rochull {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


@cache
def command_line() -> Any:
    """Make the parser of arguments, once. (A Typer would make it anew, and replace sys.excepthook.)"""
    made = typer.Typer(
        add_completion=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="From classifier scores to decisions that stay right when costs, priors or capacity change.",
        epilog="\n\n".join(["Exit statuses:", *(f"{number}: {told}" for number, told in rows())]),
    )
    made.callback(invoke_without_command=True)(_top)
    for name in COMMANDS:
        command = getattr(import_module(f"rochull.cli.{name}"), name)
        made.command(epilog="Exit statuses: rochull --help lists them.")(command)
    return typer.main.get_command(made)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; see :func:`rochull.cli.entry.main`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still gets the rest
    allow_more()
    given = sys.argv[1:] if arguments is None else arguments
    with Interruption.watched(), in_words_of(lambda: Wording.of(command_line().commands, given)):
        try:
            with log_as_lines(), one_database(), inputs_kept():
                result = command_line()(args=arguments, standalone_mode=False, prog_name="rochull")
            Interruption.check()
        except (Exception, KeyboardInterrupt) as error:
            if Interruption.pressed or isinstance(error, (typer.Abort, KeyboardInterrupt)):
                # Not by `complain`, which loads NumPy: twice, if its loading is what was interrupted.
                print("rochull: interrupted.", file=sys.stderr)
                return Interruption.status
            return int(_complained(error))
    return int(result) if isinstance(result, int) else int(Status.DONE)


def _complained(error: Exception) -> int:
    """Say in a line what went wrong; the status of the process."""
    if isinstance(error, UsageError):
        complain(error)
        return Status.USAGE
    if isinstance(error, MemoryError):
        complain(f"there is not enough memory. {error}")
        return Status.FAILED
    if isinstance(error, (ValueError, OSError, MissingLibraryError)):  # a PolicyError is a ValueError
        complain(_told(error))
        return error.status if isinstance(error, StrictError) else Status.FAILED
    # The parser's own errors; their class depends on the version of typer.
    if not hasattr(error, "format_message"):
        raise error
    command = getattr(getattr(error, "ctx", None), "command_path", "rochull")
    complain(f"{error.format_message().rstrip('.')}. Try {command} --help.")
    return Status.USAGE


def _told(error: Exception) -> str:
    """The message, in the words of the command line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return worded(error)
