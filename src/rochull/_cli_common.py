"""Parts of the commands: complaints, numbers as they are typed, how to resample, and word of compiling."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rochull.report.uncertainty import Uncertainty


class UsageError(Exception):
    """The options do not fit together; the message is the line to print."""


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def number(text: str | None, name: str) -> float | tuple[float, float] | None:
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
    raise UsageError(f"{flag(name)} must be a number, or an interval LOW:HIGH, but is {text!r}.")


@dataclass(frozen=True)
class Resampling:
    """How a report is to tell how sure it is, as it was typed."""

    bootstrap: int | None
    cluster: str | None
    random_state: int | None
    fold: str | None

    def __post_init__(self) -> None:
        for name in ("cluster", "random_state"):
            if getattr(self, name) is not None and self.bootstrap is None:
                raise UsageError(f"{flag(name)} has no effect without --bootstrap.")
        if self.bootstrap is not None and self.bootstrap < 2:
            raise UsageError(f"--bootstrap must be at least 2, but is {self.bootstrap}.")
        if self.random_state is not None and self.random_state < 0:
            raise UsageError(f"--random-state must not be negative, but is {self.random_state}.")

    def uncertainty(self, table: str, **columns: Any) -> Uncertainty | None:
        """The examples and what to do with them, or None; the columns are those of `Hybrid.from_table`."""
        if self.bootstrap is None and self.fold is None:
            return None
        from rochull.engines.tables import columns_of, scored_examples
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


@contextmanager
def compiling_announced() -> Iterator[None]:
    """Say so, once, if numba has to compile: it does that silently, for seconds."""
    from numba.core import event

    class Announcer(event.Listener):
        said = False

        def on_start(self, event: Any) -> None:
            if not self.said:
                self.said = True
                print("rochull: compiling kernels, once on this machine ...", file=sys.stderr, flush=True)

        def on_end(self, event: Any) -> None:
            pass

    announcer = Announcer()
    event.register("numba:compile", announcer)  # type: ignore[no-untyped-call,unused-ignore]
    try:
        yield
    finally:
        event.unregister("numba:compile", announcer)  # type: ignore[no-untyped-call,unused-ignore]


def complain(message: object) -> None:
    from rochull.report.text import printable

    print(f"rochull: {printable(' '.join(str(message).split()))}", file=sys.stderr)
