"""An answer of a monitor, alone and beside its others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from rochull._core.cards import Card
from rochull._core.results import Result
from rochull.conditions.rules import Rule


@dataclass(frozen=True)
class Finding(Result):
    """An answer of a monitor.

    Attributes
    ----------
    alarm : bool
        Whether it is proven, at some look up to now.
    at : str or None
        The look at which it first was: what `update` was given as `at`, or its number.
    evidence : float
        The factor by which the cases speak against the hypothesis; 1 if they do not. The alarm is at
        `needed`. For scores of another kind the least p-value, as a factor.
    needed : float
        What raises the alarm.
    sentence : str
        The same in words.
    rule : Rule or None
        Where to move; None unless another rule is better.
    saves : float
        What moving there saves at least, per case, at the monitor's level; NaN where that is not known.

    Examples
    --------
    >>> import rochull as rh
    >>> policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0] * 50, [4, 3, 2, 1] * 50))
    >>> monitor = rh.Monitor(policy, rh.NeymanPearson(max_fpr=0.1))
    >>> print(monitor.update([4, 4, 4, 1] * 20, [1, 0, 0, 0] * 20).limits)
    false positive rate <= 0.1 is broken.
    """

    alarm: bool
    at: str | None
    evidence: float
    needed: float
    sentence: str
    rule: Rule | None = None
    saves: float = math.nan

    @property
    def progress(self) -> float:
        """How far the cases are on the way to an alarm: 0 without evidence, 1 where it is raised (float)."""
        if not math.isfinite(self.needed) or self.evidence <= 1:
            return 0.0
        return math.log(self.evidence) / math.log(self.needed)

    def __str__(self) -> str:
        return self.sentence

    def _card(self) -> Card:
        told = {"alarm": self.at or "none", "evidence": self.evidence, "needed": self.needed}
        return Card(self.sentence, [("", list(told)), ("value", list(told.values()))])


def findings_card(title: str, found: Mapping[str, Finding]) -> Card:
    """A card of several findings by name."""
    columns = {"": list(found), "finding": [each.sentence for each in found.values()]}
    columns |= {name: [getattr(each, name) for each in found.values()] for name in ("evidence", "needed")}
    return Card(title, [*columns.items(), ("alarm at", [each.at or "" for each in found.values()])])
