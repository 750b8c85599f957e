"""The command line: parse, call, print. No statistics, and nothing heavy is imported before it is used."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Annotated, Any

from rochull._core.connections import one_database
from rochull._core.extras import MissingLibraryError
from rochull._core.first_use import allow_more
from rochull._core.inputs import inputs_kept
from rochull.cli.declared import Command, Option, for_typer, options_of, read, run
from rochull.cli.interrupted import Interruption
from rochull.cli.options import StrictError, UsageError, complain, log_as_lines
from rochull.cli.statuses import Status, rows
from rochull.cli.wording import Wording, in_words_of, worded

# The commands, in the order of the help: each is the function of its name in the file of its name.
COMMANDS = (
    "report", "decide", "watch", "judge", "diff", "gate", "calibrate", "sql", "multiclass", "cascade", "warm",
)  # fmt: skip
_COMPLETING = "_ROCHULL_COMPLETE"  # a variable that the shell sets where it asks what could follow


def _command(name: str) -> Command:
    made: Command = getattr(import_module(f"rochull.cli.{name}"), name)
    return made


def _top(
    version: Annotated[bool, Option("--version", help="Print the version and leave.")] = False,
) -> None:
    if version:
        from rochull._core.version import __version__

        print(f"rochull {__version__}")


@cache
def command_line() -> Any:
    """Make the parser of typer, once. (A Typer would make it anew, and replace sys.excepthook.)"""
    import typer

    made = typer.Typer(
        add_completion=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="From classifier scores to decisions that stay right when costs, priors or capacity change.",
        epilog="\n\n".join(["Exit statuses:", *(f"{number}: {told}" for number, told in rows())]),
    )
    made.callback(invoke_without_command=True)(for_typer(_top))
    for name in COMMANDS:
        made.command(epilog="Exit statuses: rochull --help lists them.")(for_typer(_command(name)))
    return typer.main.get_command(made)


def _run(words: Sequence[str]) -> Any:
    """Run what was typed."""
    if words and words[0] in COMMANDS and _COMPLETING not in os.environ:
        command = _command(words[0])
        given = read(command, words[1:])
        if given is not None:
            with _reader_gone():
                return run(command, given)
    return command_line()(args=words, standalone_mode=False, prog_name="rochull")


@contextmanager
def _reader_gone() -> Iterator[None]:
    """End quietly where who reads the output has seen enough, as typer does."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still in the buffer
        sys.exit(1)


def _wording(words: Sequence[str]) -> Wording:
    """The words of the command that is asked for."""
    name = next((word for word in words if word in COMMANDS), None)
    return Wording() if name is None else Wording.of(options_of(_command(name)), words)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; see :func:`rochull.cli.entry.main`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still gets the rest
    allow_more()
    given = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    with Interruption.watched(), in_words_of(lambda: _wording(given)):
        try:
            with log_as_lines(), one_database(), inputs_kept():
                result = _run(given)
            Interruption.check()
        except (Exception, KeyboardInterrupt) as error:
            if (
                Interruption.pressed
                or isinstance(error, KeyboardInterrupt)
                or type(error).__name__ == "Abort"
            ):
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
