"""Parts of the commands: complaints, outputs, resampling, word of compiling."""

from __future__ import annotations

import io
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from rochull._core.messages import Column, Message, Refusal, Told, changed, in_place_of, message_of
from rochull._core.missing_words import taken_as_missing
from rochull.cli.declared import Option
from rochull.cli.statuses import Status
from rochull.cli.wording import worded

if TYPE_CHECKING:
    from rochull.conditions.base import Condition
    from rochull.hybrid.hybrid import Hybrid
    from rochull.report.segments import Segmentation
    from rochull.report.uncertainty import Uncertainty

_JUDGED = 200_000  # with fewer examples, the split is repeated
_MANY = 1_000_000  # examples, of which half choose as well as nine tenths do
_FEW = 20  # examples of a class, with fewer of which `Hybrid.need` has not two for each fold


class Saved(Protocol):
    """Anything that can be written to a file."""

    def save(self, path: str | os.PathLike[str], /) -> None:
        """Write it, whole or not at all."""
        ...


FullOption = Annotated[bool, Option("--full", help="Print all tables, not the answer alone.")]
JsonOption = Annotated[bool, Option("--json", help="Print the facts as JSON, and nothing else.")]
QuietOption = Annotated[bool, Option("--quiet", "-q", help="Print nothing.")]
MissingOption = Annotated[
    list[str] | None,
    Option(
        "--missing",
        help="In CSV, a word that stands for a missing value, such as NA; repeat for each.",
        metavar="WORD",
        during=taken_as_missing,
    ),
]


class UsageError(Exception):
    """The options do not fit together; the message is the line to print."""


def no_ranges() -> UsageError:
    """Refuse intervals for a cascade."""
    return UsageError("a cascade needs single costs and a single prevalence, and no intervals.")


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def words(command: str, table: str, **options: object) -> list[str]:
    """A command line that does the same again; options that were not given are None, False or empty."""
    # A name that begins with a hyphen would be read as an option.
    found = ["rochull", command, f"./{table}" if table.startswith("-") else table]
    for name, value in options.items():
        if value is True:
            found.append(flag(name))
        elif value is not None and value is not False:
            for each in value if isinstance(value, list) else [value]:
                found += [flag(name), str(each)]
    return found


def origin_of(table: str, **texts: str | None) -> dict[str, str]:
    """Collect what a report and its policy say about the data; texts that were not typed are None."""
    from rochull._core.version import __version__

    named = f"./{table}" if table.startswith("-") else table  # as in the command line
    given = {name: text for name, text in texts.items() if text is not None}
    return {"rochull": __version__, "table": named, **given}


def number_of_option(text: str | None, name: str) -> float | tuple[float, float] | None:
    """A number, or an interval typed as LOW:HIGH."""
    if text is None:
        return None
    try:
        numbers = tuple(float(part) for part in text.split(":"))
    except ValueError:
        numbers = ()
    if len(numbers) == 1:
        return numbers[0]
    if len(numbers) == 2:
        return numbers[0], numbers[1]
    remedy = " Write 20 % as 0.2." if "%" in text else " Write a decimal point." if "," in text else ""
    raise UsageError(f"{flag(name)} must be a number, or an interval LOW:HIGH, but is {text!r}.{remedy}")


@dataclass(frozen=True)
class Outputs:
    """Files that a report is written to, as typed; they are checked before any data are read."""

    report: Path | None
    policy: Path | None
    show: bool

    def __post_init__(self) -> None:
        from rochull.report.report import check_target

        if self.show and self.report is not None and self.report.suffix.lower() != ".html":
            raise UsageError(f"--open shows a page, so --output must end in .html, but is '{self.report}'.")
        if self.report is not None:
            check_target(self.report)
        if self.policy is not None:
            check_target(self.policy, (".json",))
        if self.report and self.policy and os.path.realpath(self.report) == os.path.realpath(self.policy):
            raise UsageError(f"--output and --policy are both '{self.policy}'; name two files.")

    def write(self, made: Saved, policy: Callable[[], Saved]) -> list[str]:
        """Write the report and the policy, open the page, and tell so in lines."""
        from rochull.report.report import open_page, temporary_page

        page = temporary_page() if self.show and self.report is None else self.report
        said = []
        if page is not None:
            made.save(page)
            said.append(f"Report: {page}")
        if self.policy is not None:
            policy().save(self.policy)
            said.append(f"Policy: {self.policy}")
        if page is not None and self.show and not open_page(page):
            said.append(f"No browser could be opened; open the page yourself: {page.resolve().as_uri()}")
        return said


_LEAST_DRAWS = 39  # those of Uncertainty: the ends are then the outermost replicates


@dataclass(frozen=True)
class Resampling:
    """How a report is to tell how sure it is, as it was typed."""

    bootstrap: int | None
    cluster: str | None
    random_state: int | None
    fold: str | None

    def __post_init__(self) -> None:
        if self.random_state is not None and self.bootstrap is None:
            raise UsageError("--random-state has no effect without --bootstrap.")
        if self.bootstrap is not None and self.bootstrap < _LEAST_DRAWS:
            raise UsageError(
                f"--bootstrap must be at least {_LEAST_DRAWS} for 95 % intervals, but is {self.bootstrap}."
            )
        if self.random_state is not None and self.random_state < 0:
            raise UsageError(f"--random-state must not be negative, but is {self.random_state}.")

    def uncertainty(self, table: str, **columns: Any) -> Uncertainty | None:
        """The examples and what to do with them, or None; the columns are those of `Hybrid.from_table`."""
        if self.bootstrap is None and self.fold is None:
            return None
        from rochull._core.tables import columns_of, scored_examples
        from rochull.report.uncertainty import Uncertainty

        data = scored_examples(table, **columns)
        named = [name for name in (self.cluster, self.fold) if name is not None]
        more = columns_of(table, list(dict.fromkeys(named)), columns["where"]) if named else {}
        return Uncertainty(
            data.positive,
            data.scores,
            n_resamples=self.bootstrap or 0,
            folds=None if self.fold is None else more[self.fold],
            clusters=None if self.cluster is None else more[self.cluster],
            sample_weight=data.weights,
            random_state=self.random_state or 0,
        )


def segmentation(table: str, segment: list[str] | None, **columns: Any) -> Segmentation | None:
    """The examples with auxiliary columns, or None; nulls in these are legal, and a segment of their own."""
    if not segment:
        return None
    from rochull._core.table_files import read_columns
    from rochull._core.tables import scored_examples
    from rochull.report.segments import Segmentation

    twice = next((name for name in segment if segment.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"--segment names the column {twice!r} twice.")
    if columns["label"] in segment:
        raise UsageError(f"--segment must not be the label column {columns['label']!r}.")
    data = scored_examples(table, **columns)
    aux = read_columns(table, segment, columns["where"], missing=segment)
    return Segmentation(data.positive, data.scores, aux, sample_weight=data.weights)


def judged_rows(
    hybrid: Hybrid,
    condition: Condition | None,
    table: str,
    *,
    cluster: str | None,
    current: str | None,
    **columns: Any,
) -> dict[str, Any]:
    """Judge rules on rows that did not choose them; nothing unless rows count alike, or where they are few.

    Rows with weights do not count alike, and too few rows of a class leave nothing to judge by. Whether the
    hybrid is needed can be said under costs that are single numbers, without limits.
    """
    from rochull._core.table_files import read_columns
    from rochull._core.tables import scored_examples
    from rochull.conditions.costs import costs_alone
    from rochull.conditions.vertices import InfeasibleConditionError
    from rochull.hull.polarity import already_said
    from rochull.hybrid.need import FewToJudgeError
    from rochull.report.current import rule_written
    from rochull.report.judged import against_of, judged_under

    hull = hybrid.hull
    if hull.units.weighted or min(hull.n_neg, hull.n_pos) < _FEW:
        return {}
    asked = judged_under(condition, hull.prevalence)
    against = against_of(hybrid, condition) if current is None else rule_written(current, hybrid)
    data = scored_examples(table, **columns)
    n = data.positive.size
    n_folds = 10 if n < _MANY else 2
    given: dict[str, Any] = {
        "n_folds": n_folds,
        "n_repeats": max(1, min(10, _JUDGED // n)),
        "against": against,
    }
    if cluster is not None:
        given["clusters"] = read_columns(table, [cluster], columns["where"], missing=[cluster])[cluster]
    try:
        with already_said():  # by the hybrid
            found = hybrid.need(asked, data.positive, data.scores, **given)
    except (InfeasibleConditionError, FewToJudgeError):  # in a part
        return {}
    alone = costs_alone(condition)
    told = alone is not None and alone.at_prevalence(hull.prevalence) == found.condition
    return {"held_out": found.held_out} | ({"need": found} if told else {})


@contextmanager
def where_suggested(where: str | None = None) -> Iterator[None]:
    """Name the option that leaves rows out beside those of `where`, where an error asks for that."""
    from rochull._core.file_queries import quoted
    from rochull._core.table_errors import LEAVE_OUT, NullsError

    try:
        yield
    except Told as error:
        how = ""
        if isinstance(error, NullsError):
            parts = [] if where is None else [f"({where})"]
            parts += [f"{quoted(name)} IS NOT NULL" for name in error.columns]
            how = f" {shlex.quote(' AND '.join(parts))}"
        asked = Message("{}, with --where{}", LEAVE_OUT, how)
        with changed(lambda part: asked if part == LEAVE_OUT else part):
            raise


@contextmanager
def places_suggested(options: Mapping[str, str]) -> Iterator[None]:
    """Where a column is missing that a model needs, name the option that says where it is, by column.

    None is guessed: the scores of another classifier are not this one's, however alike their names are.
    """
    from rochull._core.table_errors import NoColumnError

    try:
        yield
    except NoColumnError as error:
        option = options.get(str(error.name))
        if option is None:
            raise
        raise Refusal("{} Say which of them it is: {}.", error.found, option) from error


def column_options(places: Mapping[Any, str]) -> dict[str, str]:
    """Name the option to type if a column is missing, by column."""
    return {place: f"--column {shlex.quote(str(name))}=<its column>" for name, place in places.items()}


@contextmanager
def log_as_lines() -> Iterator[None]:
    """Show what the library logs, such as that it compiles, in lines of their own on stderr.

    On a terminal a bar tells what takes long; elsewhere a line does.
    """
    import logging

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            complain(record.getMessage())

    least = logging.WARNING if sys.stderr.isatty() else logging.INFO
    handler, log = Lines(least), logging.getLogger("rochull")
    before = log.level
    log.addHandler(handler)
    log.setLevel(min(least, log.getEffectiveLevel()))
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)


@contextmanager
def warnings_as_lines(score: str | None = None, *, strict: bool = False) -> Iterator[None]:
    """Say every warning once, in a line; what they call X is the named column of scores."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    own = {} if score is None else {"X": Column("X", score)}
    found = (message_of(warning.message) or Message(str(warning.message)) for warning in caught)
    said = [worded(message.changed(in_place_of(own))) for message in found]
    say_warnings(said, strict=strict, status=_status_of(caught) if caught else Status.FAILED)


def _status_of(caught: Iterable[warnings.WarningMessage]) -> Status:
    """The status of warnings that are taken as errors."""
    from rochull.decisions.batch_check import MisfitWarning, ShareWarning

    kinds = [each.category for each in caught if issubclass(each.category, MisfitWarning)]
    foreign = any(not issubclass(kind, ShareWarning) for kind in kinds)
    return Status.FOREIGN if foreign else Status.FAILED


class StrictError(ValueError):
    """There is a warning where none is to be; `status` is that of the process."""

    def __init__(self, status: Status) -> None:
        super().__init__("--strict: there is a warning, so nothing was decided and no file was written.")
        self.status = status


_SAID: ContextVar[list[str] | None] = ContextVar("_SAID", default=None)  # within `said_so_far`


@contextmanager
def said_so_far() -> Iterator[list[str]]:
    """Collect the warnings that are said within it."""
    said: list[str] = []
    token = _SAID.set(said)
    try:
        yield said
    finally:
        _SAID.reset(token)


def say_warnings(messages: Iterable[str], *, strict: bool = False, status: Status = Status.FAILED) -> None:
    """Say each once, in a line; where they are to be errors, raise one of that status if there is one."""
    found = list(dict.fromkeys(messages))
    for message in found:
        complain(f"warning: {message}")
    said = _SAID.get()
    if said is not None:
        said += (message for message in found if message not in said)
    if strict and found:
        raise StrictError(status)


def say(*lines: str) -> None:
    """Print lines for people; names in them cannot steer the terminal."""
    from rochull._core.printable import printable

    print("\n".join(map(printable, lines)))


def say_wrapped(text: str) -> None:
    """Print a sentence, in lines of 80 characters."""
    from rochull._core.printable import wrapped

    say(*wrapped(text))


def emit(text: str) -> None:
    """Print what programs read: in UTF-8 whatever the terminal's encoding is, and unchanged or not at all."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{error.object[error.start : error.end]!r} is not text in UTF-8.") from None
    if sys.stdout is None:
        raise OSError("there is no standard output to print to: it is closed.")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")
    print(text)


def complain(message: object) -> None:
    text = " ".join(str(message).split())
    try:
        from rochull._core.printable import printable

        shown = printable(text)
    except MemoryError:  # none is left for its modules
        shown = text.encode("unicode_escape").decode()
    print(f"rochull: {shown}", file=sys.stderr)
