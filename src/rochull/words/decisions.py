"""Which message applies: ordered tables of conditions over named values, which the page reads too.

A table is a list of rows. ``when`` names values and what each must be: that value, or one of a list; null
where there is none. The first row that applies tells the key to ``say``, or null for nothing.
``tests/words/decisions.json`` holds what Python and the page must both choose.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from rochull.words.clauses import Clause, catalogue
from rochull.words.formats import names_in, parsed

Table = Sequence[Mapping[str, Any]]


@functools.cache
def tables() -> Mapping[str, Table]:
    """Read the tables by name, in the order in which their messages are said.

    Returns
    -------
    dict
        Of ``answer.json``, which the page has too, and of ``report.json``.
    """
    from importlib import resources  # which takes longer than the rest, and is needed where something is said

    found: dict[str, Table] = {}
    for name in ("answer.json", "report.json"):
        found |= json.loads(resources.files("rochull.words").joinpath(name).read_text(encoding="utf-8"))
    return found


def chosen(table: Table, state: Mapping[str, Any]) -> str | None:
    """Choose the message of the first row that applies.

    Parameters
    ----------
    table : sequence of mapping
        Its rows.
    state : mapping of str to object
        The named values; one that is missing is null.

    Returns
    -------
    str or None
        A key of the catalogue; None where nothing is to be said.
    """
    for row in table:
        if all(_is(state.get(name), wanted) for name, wanted in row.get("when", {}).items()):
            said: str | None = row["say"]
            return said
    return None


def clause(table: str, state: Mapping[str, Any]) -> Clause | None:
    """Fill the message that a table chooses with the values that it names.

    Parameters
    ----------
    table : str
        Its name.
    state : mapping of str to object
        The named values; one that is missing is null.

    Returns
    -------
    Clause or None
        None where nothing is to be said.
    """
    key = chosen(tables()[table], state)
    if key is None:
        return None
    return Clause(key, **{name: state.get(name) for name in sorted(names_in(parsed(catalogue()[key])))})


def _is(value: Any, wanted: Any) -> bool:
    return value in wanted if isinstance(wanted, list) else value == wanted
