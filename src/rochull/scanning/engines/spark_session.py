"""A Spark session, and what is missing where there can be none."""

from __future__ import annotations

import glob
import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from rochull._core.extras import require
from rochull._core.file_queries import delimiter_of, file_format
from rochull._core.messages import Parameter, Refusal, UnavailableError
from rochull._core.missing_words import missing_words, refuse_words

_DIED = (
    "a worker died, often for want of memory; a master local[N] gives up then, while local[N, 4] and "
    "clusters try again."
)


def is_spark(source: object) -> bool:
    """Whether something is a data frame of Spark or of Spark Connect; Spark is not imported to tell."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.split(".")[:2] == ["pyspark", "sql"]
        for kind in type(source).__mro__
    )


def spark_session() -> Any:
    """The session that is there, or else a new one as Spark's own settings say.

    Raises
    ------
    ImportError
        If pyspark is not installed.
    RuntimeError
        If there is no Java virtual machine that a new session could start.
    """
    SparkSession = require("pyspark.sql", "spark").SparkSession
    session = SparkSession.getActiveSession()
    if session is not None:
        return session
    if not os.environ.get("SPARK_REMOTE") and not has_java():
        raise UnavailableError(
            "{} 'spark' needs Java, but none was found: install OpenJDK 17 or 21 (on Debian: apt-get "
            "install openjdk-17-jre-headless), or set JAVA_HOME to where one is.",
            Parameter("engine"),
        )
    return SparkSession.builder.appName("rochull").getOrCreate()


def has_java() -> bool:
    """Whether Spark would find a Java virtual machine: in JAVA_HOME, or else on the PATH."""
    home = os.environ.get("JAVA_HOME")
    if home:
        return os.access(Path(home) / "bin" / "java", os.X_OK)
    return shutil.which("java") is not None


def worked(rows: Any, work: Any, schema: Any) -> Any:
    """The rows as workers return them, which on this machine run the Python that runs here.

    Spark takes the first ``python3`` of the PATH, which need not know us; what the user has set stays.
    """
    if is_remote(rows):
        return rows.mapInArrow(work, schema)
    context = rows.sparkSession.sparkContext
    is_unset = context.pythonExec == "python3" and "PYSPARK_PYTHON" not in os.environ
    if not is_unset or not context.master.startswith("local"):  # elsewhere this path need not exist
        return rows.mapInArrow(work, schema)
    context.pythonExec = sys.executable
    try:
        return rows.mapInArrow(work, schema)
    finally:
        context.pythonExec = "python3"


def is_remote(rows: Any) -> bool:
    """Whether a data frame is one of Spark Connect, whose server has its own Python."""
    return any("connect" in kind.__module__.split(".") for kind in type(rows).__mro__)


def spark_files(source: str | os.PathLike[str]) -> Any:
    """A data frame of Parquet or CSV files: a path, a glob or what else Spark reads (``s3a://...``).

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If Spark cannot read it.
    """
    path = os.fspath(source)
    reader = spark_session().read
    name = path.lower().rstrip("/*")
    try:
        if ".csv" in Path(name).name or name.endswith((".csv.gz", ".tsv")):
            separator = "\t" if ".tsv" in Path(name).name else ","
            local = next((file for file in glob.iglob(path) if os.path.isfile(file)), None)
            if local is not None and file_format(local)[0] == "csv":
                separator = delimiter_of(local)
            if len(words := missing_words()) > 1:
                raise Refusal("{} has {} words, but Spark knows one.", Parameter("missing"), len(words))
            return reader.csv(path, header=True, inferSchema=True, sep=separator, nullValue=[*words, None][0])
        refuse_words(repr(path))
        return reader.option("parquet.page.verify-checksum.enabled", "true").parquet(path)
    except Exception as error:
        if not _of_spark(error):
            raise
        if "PATH_NOT_FOUND" in str(error):
            raise FileNotFoundError(f"no file matches {path!r}.") from None
        raise ValueError(f"{path!r} cannot be read by Spark: {_reason(error)}") from error


def local_files(rows: Any) -> list[str]:
    """The files of this machine that a data frame is read from."""
    found = map(urlsplit, rows.inputFiles())
    return [unquote(each.path) for each in found if each.scheme == "file"]


def collected(rows: Any) -> Any:
    """The rows of a data frame as an Arrow table.

    Raises
    ------
    ValueError
        If Spark fails, with its reason: a file that was damaged is found when its rows are read.
    """
    return _asked(rows.toArrow)


def first_rows(rows: Any, most: int) -> list[Any]:
    """The first rows of a data frame, of which Spark reads few more; it fails as :func:`collected` does."""
    found: list[Any] = _asked(partial(rows.head, most))
    return found


def _asked(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except Exception as error:
        if not _of_spark(error):
            raise
        raise ValueError(f"Spark failed: {_reason(error)}") from error


def _of_spark(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] in ("pyspark", "py4j")


def _reason(error: Any) -> str:
    """The innermost message of an error of Spark's, as one sentence, and the file that it was reading."""
    text, cause, file = str(error), getattr(error, "java_exception", None), ""
    if re.search(r"Python worker exited|ExecutorLostFailure", text):
        return _DIED
    while cause is not None:
        text = str(cause.getMessage() or text)
        found = re.search(r"while reading file (\S+)\.\s", text)
        file = f"{found[1]}: " if found else file
        cause = cause.getCause()
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [type(error).__name__]
    line = lines[-1 if any(line.startswith("Traceback") for line in lines) else 0]  # of a worker in Python
    return f"{file}{line}" if line.endswith((".", "!", "?")) else f"{file}{line}."
