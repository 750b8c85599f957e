"""Fields of a knob's document."""

from __future__ import annotations

from typing import Any

from rochull._core.schemas import Schema, number, optional, record, whole
from rochull.policies.knob_positions import Offset
from rochull.policies.policy import Policy

_SHARE = number(least=0, most=1)
_MANY = number(least=0)
_LEARNT = record(
    {
        "mean": number(least=-30, most=30),
        "information": number(least=1),
        "gain": number(above=0, most=1),
        "side": whole(least=-1, most=1),
    }
)


def _offset(value: Any) -> Offset:
    """Read what was learnt from outcomes."""
    return Offset(**_LEARNT(value))


def _in_order(found: dict[str, Any]) -> None:
    if not found["lowest"] <= found["position"] <= found["highest"]:
        raise ValueError("the position is not between lowest and highest")


KNOB = Schema(
    "rochull-knob",
    "knob",
    {
        "position": _SHARE,
        "lowest": _SHARE,
        "highest": _SHARE,
        "alarm_rate": optional(_SHARE),
        "precision": optional(_SHARE),
        "capacity": optional(_MANY),
        "prevalence": number(above=0, below=1),
        "memory": number(above=0),
        "presented": optional(_MANY),
        "silence": _MANY,
        "of_alarms": _offset,
        "of_precision": _offset,
        "policy": Policy.from_dict,
    },
    _in_order,
)
