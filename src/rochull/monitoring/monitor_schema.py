"""Fields of a monitor's document."""

from __future__ import annotations

from typing import Any

from rochull._core.schemas import Reader, Schema, items, number, one_of, record, text, texts, unit, whole
from rochull.decisions.plan_schema import read_rule
from rochull.monitoring.claims import CELLS, MEASURES, RateKept
from rochull.monitoring.evidence import BETS
from rochull.policies.policy import Policy

_MANY = number(least=0)
_LIMIT = record({"measure": one_of(*MEASURES), "limit": unit})


def _table(width: int, cell: Reader) -> Reader:
    """Make a reader of rows of so many numbers."""

    def row(value: Any) -> tuple[float, ...]:
        found = items(cell)(value)
        if len(found) != width:
            raise ValueError(f"it must have {width} numbers")
        return tuple(found)

    return items(row)


def _limit(value: Any) -> RateKept:
    return RateKept(**_LIMIT(value))


MONITOR = Schema(
    "rochull-monitor",
    "monitor",
    {
        "condition": text,
        "cost_fp": _MANY,
        "cost_fn": _MANY,
        "has_costs": lambda value: value if isinstance(value, bool) else one_of("true", "false")(value),
        "limits": items(_limit),
        "rule": read_rule,
        "level": number(above=0, below=1),
        "margin": _MANY,
        "max_weight": number(above=0),
        "state": record(
            {
                "counts": _table(CELLS, _MANY),
                "bets": _table(len(BETS), number()),
                "groups": _table(2, _MANY),
                "cases": whole(least=0),
                "flagged": whole(least=0),
                "looks": whole(least=0),
                "pvalues": items(unit),
                "seen": items(text),
                "alarms": texts,
            }
        ),
        "policy": Policy.from_dict,
    },
)
