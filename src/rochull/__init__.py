"""rochull: from classifier scores to decisions.

Public names are loaded when they are first used, so that ``import rochull`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rochull._version import __version__

# Public name -> the module that defines it. The only list of what is public.
_HOME = {
    "Accuracy": "conditions",
    "Blocks": "blocks",
    "Capacity": "conditions",
    "ChunkSource": "sources",
    "Constrained": "conditions",
    "ExpectedCost": "conditions",
    "Hybrid": "hybrid",
    "ImpreciseConditionError": "conditions",
    "InfeasibleConditionError": "conditions",
    "MinimumPrecision": "conditions",
    "MinimumRecall": "conditions",
    "NeymanPearson": "conditions",
    "OperatingPoint": "rules",
    "Policy": "policy",
    "PolicyError": "policy",
    "RocCurve": "curve",
    "RocHull": "hull",
    "Report": "report",
    "Rule": "rules",
    "Tally": "_tally",
    "Utility": "conditions",
    "concatenate": "blocks",
    "roc_auc": "curve",
    "roc_curve": "curve",
    "roc_hull": "hull",
    "tally": "_tally",
    "union": "_union",
}
_SUBPACKAGES = ("datasets",)

__all__ = ["__version__", *_SUBPACKAGES, *_HOME]  # noqa: PLE0604 - strings, from a dict

if TYPE_CHECKING:
    from rochull import datasets as datasets
    from rochull._tally import Tally as Tally
    from rochull._tally import tally as tally
    from rochull._union import union as union
    from rochull.blocks import Blocks as Blocks
    from rochull.blocks import concatenate as concatenate
    from rochull.conditions import Accuracy as Accuracy
    from rochull.conditions import Capacity as Capacity
    from rochull.conditions import Constrained as Constrained
    from rochull.conditions import ExpectedCost as ExpectedCost
    from rochull.conditions import ImpreciseConditionError as ImpreciseConditionError
    from rochull.conditions import InfeasibleConditionError as InfeasibleConditionError
    from rochull.conditions import MinimumPrecision as MinimumPrecision
    from rochull.conditions import MinimumRecall as MinimumRecall
    from rochull.conditions import NeymanPearson as NeymanPearson
    from rochull.conditions import Utility as Utility
    from rochull.curve import RocCurve as RocCurve
    from rochull.curve import roc_auc as roc_auc
    from rochull.curve import roc_curve as roc_curve
    from rochull.hull import RocHull as RocHull
    from rochull.hull import roc_hull as roc_hull
    from rochull.hybrid import Hybrid as Hybrid
    from rochull.policy import Policy as Policy
    from rochull.policy import PolicyError as PolicyError
    from rochull.report import Report as Report
    from rochull.rules import OperatingPoint as OperatingPoint
    from rochull.rules import Rule as Rule
    from rochull.sources import ChunkSource as ChunkSource


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
