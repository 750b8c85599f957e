"""A table counted by DuckDB in groups: a row for each, with how many cases it stands for, at any size."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rochull._core.file_queries import TableFile, quoted
from rochull._core.inputs import check_inputs, inputs_kept
from rochull._core.messages import Item, Refusal
from rochull._core.table_files import filled
from rochull._core.validation import Array
from rochull.scanning.engines.duckdb_decide import NUMBERS
from rochull.scanning.engines.duckdb_rows import private


@dataclass(frozen=True)
class Grouped:
    """The groups that rows are counted in.

    Attributes
    ----------
    conditions : SQL that is true or false for each row, by a name.
    scores : columns of numbers, of each of which a group keeps a score that occurs, the least one; and the
        names of the conditions on it.
    columns : whose values, such as labels, divide groups too.
    features : columns that conditions read besides the scores, and whether they hold texts.
    """

    conditions: Mapping[str, str]
    scores: Mapping[str, Sequence[str]]
    columns: Sequence[str] = ()
    features: Mapping[str, bool] | None = None


def counted_files(
    source: str | os.PathLike[str], groups: Grouped, memory: int | None = None
) -> tuple[dict[str, Array], Array]:
    """Count the rows of a file or glob by group.

    Rows with the same scores, by what is asked of them, have the same score in the answer whatever their
    other columns are.

    Returns
    -------
    dict of str to ndarray of shape (g,)
        Conditions, scores and columns of each group.
    ndarray of int, shape (g,)
        How many rows it has.
    """
    features = groups.features or {}
    text = [*groups.columns, *(name for name, is_text in features.items() if is_text)]
    numbers = [*groups.scores, *(name for name, is_text in features.items() if not is_text)]
    with inputs_kept(), private(memory) as (connection, _):
        file = TableFile(connection, source)
        table = file.table([name for name in (*text, *numbers) if name not in groups.columns])
        file.require_columns(table, list(dict.fromkeys([*text, *numbers])))
        table = file.with_numbers(table, numbers, list(groups.scores))
        types = file.types(table)
        for name in groups.scores:
            if types[name] not in NUMBERS and not types[name].startswith("DECIMAL"):
                raise Refusal("{} must be numeric, but has type {}.", Item("scores", name), types[name])
        found = file.arrays(_query(groups, table))
        check_inputs()
    names = (*groups.conditions, *groups.scores, *groups.columns)
    *held, count = (filled(array) for array in found)
    if not count.size:
        raise ValueError(f"{file.shown} has no rows: there is nothing to read.")
    return dict(zip(names, held, strict=True)), count.astype(np.int64)


def _query(groups: Grouped, table: str) -> str:
    names = [f"c{i}" for i in range(len(groups.conditions))]
    named = dict(zip(groups.conditions, names, strict=True))
    told = [f"({sql}) AS {named[key]}" for key, sql in groups.conditions.items()]
    there = {name: f"NOT coalesce(isnan(CAST({quoted(name)} AS DOUBLE)), true)" for name in groups.scores}
    told += [f"{there[name]} AS t{i}" for i, name in enumerate(groups.scores)]
    told += [f"{quoted(name)} AS g{i}" for i, name in enumerate(groups.columns)]
    least = [f"min({quoted(name)}) FILTER ({there[name]}) AS s{i}" for i, name in enumerate(groups.scores)]
    inner = f"SELECT {', '.join([*told, *least, 'count(*) AS n'])} FROM {table} GROUP BY ALL"
    of_score = []
    for i, (_, own) in enumerate(groups.scores.items()):
        among = ", ".join([f"t{i}", *(named[key] for key in own)])
        of_score.append(f"min(s{i}) OVER (PARTITION BY {among}) AS m{i}")
    held = [*names, *of_score, *(f"g{i}" for i in range(len(groups.columns))), "n"]
    return f"SELECT {', '.join(held)} FROM ({inner}) ORDER BY ALL"
