"""Which engine reads a table on the command line, and what it says when it cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rochull._core.messages import Refusal, UnavailableError
from rochull.cli.declared import Option
from rochull.cli.options import Resampling, UsageError

if TYPE_CHECKING:
    from rochull.scanning.engines.opening import Engine as Name
    from rochull.scanning.readings import Scan

SCALE = "Tables larger than memory"
EngineOption = Annotated[
    Literal["auto", "memory", "duckdb", "spark"] | None,
    Option(
        "--engine",
        help="Who reads the table; auto: memory if it fits, else duckdb. (auto)",
        metavar="ENGINE",
        rich_help_panel=SCALE,
    ),
]
LocalEngineOption = Annotated[
    Literal["auto", "memory", "duckdb"] | None,
    Option(
        "--engine",
        help="Who reads the table; auto: memory if it fits, else duckdb. (auto)",
        metavar="ENGINE",
        rich_help_panel=SCALE,
    ),
]
MemoryOption = Annotated[
    str | None,
    Option("--memory", help="How much memory to use. (half of it)", metavar="4GB", rich_help_panel=SCALE),
]


@dataclass(frozen=True)
class Engine:
    """Who reads the table, as it was typed."""

    name: Name | None
    memory: str | None

    @property
    def bytes(self) -> int:
        """How many bytes may be used."""
        from rochull.scanning.engines.opening import bytes_of

        return bytes_of(self.memory)

    def of(
        self, table: str, columns: dict[str, Any], resampling: Resampling, segment: list[str] | None
    ) -> Name:
        """Who reads the columns of a report: "memory", "duckdb" or "spark"."""
        extra = [columns["weight"], resampling.fold, resampling.cluster, *(segment or ())]
        return self.of_columns(table, [columns["label"], *columns["scores"], *extra], columns["where"])

    def of_columns(
        self, table: str, columns: Sequence[str | None], where: str | None = None, *, optional: bool = False
    ) -> Name:
        """Who reads these columns of a table; `optional` ones need not be there."""
        memory = self.bytes  # what is wrong with it is said before the data are read
        if self.name in ("duckdb", "spark") or (self.name == "memory" and self.memory is None):
            return self.name
        from rochull.scanning.engines.duckdb_rows import FileRows
        from rochull.scanning.engines.opening import COMFORT

        needed = list(dict.fromkeys(name for name in columns if name is not None))
        if optional:
            with FileRows([table], None, [], [], memory).look() as session:
                needed = [name for name in needed if name in session.types()]
        size = FileRows([table], where, [], needed, memory).size()
        if self.name == "memory":
            if size > memory:
                raise UsageError(
                    f"--engine memory would read about {size / 1e9:.3g} GB, but --memory is {self.memory}; "
                    "allow more, or leave --engine out."
                )
            return "memory"
        return "memory" if size <= COMFORT * memory else "duckdb"

    def scan(self, engine: Name, table: str, **columns: Any) -> Scan:
        """A scan of the table; `columns` are those of :func:`rochull.scan`."""
        from rochull.scanning.scanner import scan

        memory = self.bytes if engine in ("duckdb", "spark") else None
        return scan(table, engine=engine, memory=memory, **columns)


@contextmanager
def engine_errors() -> Iterator[None]:
    """Report in one line an engine's errors that come from the table or the machine, not from a bug."""
    from rochull.hull.refine import ChangedError

    try:
        yield
    except MemoryError as error:
        text = str(error) or "there is not enough memory"
        raise ValueError(f"{text.rstrip('.')}; allow more by --memory.") from None
    except (ChangedError, UnavailableError) as error:
        raise Refusal("{}", error) from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j"):
            raise
        from rochull._core.file_queries import first_sentence

        raise ValueError(f"--engine spark: {first_sentence(error)}") from None


def refuse_in_scan(
    engine: str, columns: dict[str, Any], resampling: Resampling, segment: list[str] | None
) -> None:
    """Raise if an option is given whose answer takes all rows in memory."""
    for asked, given in (
        ("--cluster", resampling.cluster is not None),
        ("--bootstrap of weighted rows", resampling.bootstrap is not None and columns["weight"] is not None),
        ("--segment of more than one column", len(segment or ()) > 1),
    ):
        if given:
            raise UsageError(needs_rows(asked, engine))


def refuse_in_stream(**asked: object) -> None:
    """Raise if something is asked for that rows decided one by one cannot give."""
    for name, given in asked.items():
        if given:
            raise UsageError(needs_rows(name, "duckdb"))


def needs_rows(asked: str, engine: str) -> str:
    """Why something cannot be had from a scan."""
    return (
        f"{asked} needs all rows in memory, and --engine {engine} never has them there; give --engine memory."
    )
