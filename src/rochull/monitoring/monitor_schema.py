"""Fields of a monitor's document."""

from __future__ import annotations

from typing import Any

from rochull._core.schemas import (
    Reader,
    Schema,
    items,
    number,
    one_of,
    optional,
    record,
    text,
    truth,
    whole,
)
from rochull.conditions.rules import Rule
from rochull.decisions.plan_schema import read_rule
from rochull.monitoring.claims import CELLS, MEASURES, PARTS, RateKept
from rochull.monitoring.evidence import BETS
from rochull.policies.policy import Policy

_MANY, _SHARE = number(least=0), number(least=0, most=1)
_LIMIT = record({"measure": one_of(*MEASURES), "limit": _SHARE, "prevalence": optional(_SHARE)})
_DRAWN = record({"rule": read_rule, "probability": _SHARE})


_KNOWN = record(
    {
        "at": text,
        "batch": text,
        "cases": whole(least=0),
        "labels": _MANY,
        **dict.fromkeys(("limits", "better", "relabel"), _MANY),
        "pvalue": optional(_SHARE),
        "alarms": items(one_of(*PARTS)),
    }
)


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


def _drawn(value: Any) -> tuple[Rule, float]:
    found = _DRAWN(value)
    return found["rule"], found["probability"]


MONITOR = Schema(
    "rochull-monitor",
    "monitor",
    {
        "condition": text,
        "prevalence": optional(_SHARE),
        "cost_fp": _MANY,
        "cost_fn": _MANY,
        "has_costs": truth,
        "limits": items(_limit),
        "fpr": _SHARE,
        "tpr": _SHARE,
        "rules": items(_drawn, 1),
        "compared": items(text, 1),
        "level": number(above=0, below=1),
        "margin": _MANY,
        "max_weight": number(above=0),
        "state": record(
            {
                "counts": items(_table(CELLS, _MANY), 1),
                "bets": items(_table(len(BETS), number()), 1),
                "groups": items(_table(2, _MANY), 1),
                "decided": items(_MANY, 1),
                "flagged": items(_MANY, 1),
                "cases": whole(least=0),
                "looks": whole(least=0),
                "pvalues": items(_SHARE),
                "seen": items(record({"checksum": text, "period": whole(least=0)})),
                "labelled": items(text),
                "history": items(_KNOWN),
                "alarms": record(dict.fromkeys(PARTS, optional(text)), left_out=dict.fromkeys(PARTS)),
            }
        ),
        "policy": Policy.from_dict,
    },
)
