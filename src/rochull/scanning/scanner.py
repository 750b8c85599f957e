"""rh.scan: hulls, curves and areas of many columns of scores, in the same two passes over a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rochull._core import validation
from rochull._core.missing_words import taken_as_missing
from rochull._core.tables import reversed_columns, score_names
from rochull.scanning.engines.opening import Engine, ScanColumns, bytes_of, open_table
from rochull.scanning.readings import Scan


def scan(
    source: Any,
    *,
    label: str,
    scores: str | Sequence[str],
    weight: str | None = None,
    segment: str | None = None,
    fold: str | None = None,
    where: str | None = None,
    key: str | None = None,
    pos_label: object = None,
    lower_is_positive: bool | Sequence[str] = False,
    max_error: float = 1e-4,
    engine: Engine = "auto",
    memory: str | int | None = None,
    progress: bool | str | None = None,
    missing: str | Sequence[str] = (),
) -> Scan:
    """Open a table of any size, to be scanned for hulls, curves and areas.

    Nothing is sorted. Two passes bring all columns of scores, in every segment and every fold: the first
    counts both classes in ordered buckets, the second looks into the few buckets in which a vertex can be.
    The hulls are exact, whatever reads the table. Where too many rows stay undecided two more passes follow.

    Parameters
    ----------
    source : table, path, glob, list of paths or callable
        What is scanned:

        - a data frame (pandas, polars, pyarrow and others), or a mapping of columns;
        - Parquet or CSV files: a path, a glob, or a list of these;
        - a relation of DuckDB, such as ``con.table("t")`` or ``con.sql("SELECT ...")``;
        - a data set of pyarrow;
        - a stream of Arrow batches, which is collected because it can be read once only; or a function that
          returns a fresh stream, and is called for every pass;
        - a data frame of Spark, or of Spark Connect.
    label : str
        The column of the two classes. A third value, or a null, is refused.
    scores : str or sequence of str
        The columns of scores; higher means more positive, unless `lower_is_positive` says otherwise. NaN and
        nulls are refused.
    weight : str, optional
        A column of weights: finite and non-negative.
    segment, fold : str, optional
        Columns that divide the rows; each value gets hulls, curves and areas of its own.
    where : str, optional
        A condition in SQL on any columns; rows of data frames must be selected before. It is executed: write
        it yourself.
    key : str, optional
        A column that identifies a row (or a cluster of rows), for :meth:`Scan.bootstrap_by_key`.
    pos_label : object, optional
        The label of the positive class; not needed for {0, 1}, {-1, 1} and booleans.
    lower_is_positive : bool or sequence of str, default=False
        Whether low scores mean positive, as those of a distance do: in all columns of scores, or in those
        that are named. Their blocks and tallies hold the scores negated; thresholds and rules do not.
    max_error : float, default=1e-4
        How far, in either rate, a point that is dropped from a curve may be from a kept one.
    engine : {"auto", "memory", "duckdb", "spark"}, default="auto"
        Who reads. By default data frames, and files that fit comfortably, are read into memory; larger files
        are streamed by DuckDB in every pass; data frames of Spark are scanned by Spark.
    memory : str or int, optional
        How much memory to use, in bytes or as a text such as "2GB"; by default half of what the machine has.
        What DuckDB sorts beyond its share is spilled to a directory that is removed afterwards.
    progress : bool or str, optional
        Whether to show a bar, or its label; by default where it takes long and standard error is a terminal.
    missing : str or sequence of str, default=()
        Words that stand for a missing value in CSV files, such as "NA", in whatever column; a value that is
        empty is missing in any case.

    Returns
    -------
    Scan
        Its readings make the passes when they are first asked for.

    Raises
    ------
    ValueError
        If a column is not there, has nulls, or holds what it must not; or if a file cannot be read, or is
        not what its checksums say.
    FileNotFoundError
        If no file matches.
    MemoryError
        If more rows are undecided than `memory` allows to collect.
    RuntimeError
        If the source changed between two passes.

    Notes
    -----
    A pass over files opens a connection of DuckDB with half of the memory, and closes it; relations are run
    on the connection that they belong to, with its settings. Where Parquet files are read for numbers alone
    and for segments and folds (no condition, weights or key), Arrow decodes their row groups in the threads
    that count, texts as the codes of their dictionary; the labels, as bits, and the first 128 MB of scores
    are kept for the second pass.

    Where the pages of a Parquet file have checksums, as Spark and parquet-java write them and pyarrow with
    ``write_page_checksum=True``, the columns that are used are read once for these before all else, and a
    file whose bytes changed is refused. Without checksums a flipped bit is another number, and nobody can
    tell. Relations, data sets and data frames of Spark are read by whoever made them, with their settings.
    After the last pass nothing is kept.

    Files are refused if they change between passes. Of other sources the second pass must find what the first
    one counted in the buckets that it looks into; a change elsewhere may go unnoticed.

    References
    ----------
    Fawcett & Niculescu-Mizil 2007, Theorem 1; Provost & Fawcett 2001, section 3.

    Examples
    --------
    >>> import rochull as rh
    >>> rows = {"y": [0, 0, 1, 1], "a": [0.1, 0.4, 0.35, 0.8], "s": ["n", "w", "n", "w"]}
    >>> found = rh.scan(rows, label="y", scores="a", segment="s")
    >>> found.roc_hulls()["a"].tpr.tolist()
    [0.0, 0.5, 1.0, 1.0]
    >>> found.roc_hulls(by="segment")["w"]["a"].auc()
    1.0

    Files larger than memory are streamed:

    >>> path = rh.datasets.path("adult_scores")
    >>> large = rh.scan(path, label="income", scores=["knn"], pos_label=">50K", engine="duckdb", memory="1GB")
    >>> large.roc_hulls()["knn"]
    RocHull(...)
    """
    names = score_names(label, scores)
    lower = reversed_columns(lower_is_positive, names)
    columns = ScanColumns(label, names, weight, segment, fold, key, pos_label, where, lower)
    error = validation.probability(max_error, "max_error", open_ends=True)
    with taken_as_missing(missing):
        table = open_table(source, columns, engine=engine, memory=bytes_of(memory), progress=progress)
    return Scan(table, max_error=error, segment=segment, lower_is_positive=lower)
