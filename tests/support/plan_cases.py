"""Plans of all kinds, one inside of another, and cases for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from rochull.conditions.review_rules import BandRule
from rochull.conditions.rules import NEVER, Rule
from rochull.decisions.axes import Axis, Bins
from rochull.decisions.groups import GroupBins
from rochull.decisions.plans import Among, Ask, Decide, Largest, lot

A, B = Rule("threshold", "a", 0.5), Rule("threshold", "b", 0.25, lower_is_positive=True)
KINDS = Bins((Axis("kind", categories=("x", "y")),), np.arange(2), ("x", "y"))
EDGES = Bins((Axis("a", edges=(0.3, 0.6), missing=True),), np.array([0, 1, 0, 1]), ("low", "high"))
CLASSES = ("u", "v", "w")


def cases(n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {name: rng.integers(0, 8, n) / 8 for name in "ab"}
    columns |= {name: rng.integers(0, 4, n) / 4 for name in CLASSES}
    return pl.DataFrame({**columns, "kind": rng.choice(["x", "y", "z"], n), "key": np.arange(n)})


MIXED = lot([(Decide(A), 0.25), (Decide(B), 0.5), (Decide(NEVER), 0.25)])
ASKED = Ask("a", (0.25, 0.75), (Decide(NEVER), Decide(B), lot([(Decide(A), 0.5), (Decide(B), 0.5)])))
FIRST, LAST = Largest(CLASSES, (1.0, 2.0, 0.5)), Largest(CLASSES, (1.0, 0.25, 1.0))
PLANS = {
    "rule": Decide(A),
    "lot": MIXED,
    "review": Decide(BandRule(high=A, low=B)),
    "asked": ASKED,
    "segments": Among(KINDS, (Decide(A), MIXED), Decide(B)),
    "segments with shares of their own": Among(
        KINDS, (lot([(Decide(A), 0.5), (Decide(B), 0.5)]), MIXED), MIXED
    ),
    "segments of segments": Among(KINDS, (Among(EDGES, (Decide(A), MIXED)), Decide(B)), Decide(NEVER)),
    "segments that ask": Among(KINDS, (ASKED, Decide(B)), Decide(A)),
    "a lot between segments": lot([(Among(KINDS, (Decide(A), Decide(B)), Decide(B)), 0.5), (MIXED, 0.5)]),
    "segments with reviews": Among(
        KINDS, (Decide(BandRule(high=A, low=B)),) * 2, Decide(BandRule(high=B, low=A))
    ),
    "classes": FIRST,
    "a lot of classes": lot([(FIRST, 0.5), (LAST, 0.5)]),
    "segments of several classes": Among(KINDS, (FIRST, lot([(FIRST, 0.25), (LAST, 0.75)])), LAST),
    "groups": Among(GroupBins.of("kind", ("x", "y", "z")), (Decide(A), MIXED, Decide(B))),
}
