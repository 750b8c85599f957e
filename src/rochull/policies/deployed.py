"""What every policy is: a document whose hull answers conditions, and words for what its methods take."""

from __future__ import annotations

from textwrap import wrap
from typing import Any, ClassVar

from rochull._core.docstrings import EXAMPLES, entries
from rochull._core.documents import Document
from rochull._core.warned import warn
from rochull.conditions.base import Condition
from rochull.conditions.objectives import Objective
from rochull.conditions.rules import OperatingPoint
from rochull.conditions.within import asked
from rochull.decisions import batches
from rochull.decisions.dialects.registry import names
from rochull.hull.hull import RocHull
from rochull.hull.minimax import minimax_point

DEPLOYED = EXAMPLES | entries("""
aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k)
    The auxiliary features, under the names that they had in training; other columns are not read.
condition : Condition
    With a single number for every parameter, unless `minimax`. A prevalence that it does not state is that
    of the data which the policy was made from; decisions come with a warning then, as other cases may have
    another.
deterministic : bool, default=False
    Take the best single rule instead of a mixture.
key : str or array-like of shape (n,), optional
    Integers or strings that identify the cases, or the name of their column in the table of the scores. Where
    the point is a mixture, a case's decision depends on its key (and its scores, segment or group) alone: the
    same on every platform and in every batch.
minimax : bool, default=False
    Decide by the rule that risks least over the range of a condition whose parameters may be intervals: the
    one whose largest regret against the policy's hull is the least, as in :meth:`Hybrid.regret`.
subject_to : RateLimit, Limit, or sequence of these, default=()
    More limits, all of which are kept; see :class:`rochull.Within`.
level : float, default=0.95
    Nominal coverage of the interval, strictly between 0 and 1.
random_state : int, Generator or RandomState, optional
    Used for a mixture where no `key` is given. Without either, the decisions of a mixture differ from call
    to call.
salt : str, default=""
    Mixed into the hash of keys, so that two policies do not randomise alike.
about : mapping of str to str, optional
    Free text to keep in the document.
""")
_QUOTED = ", ".join(f'"{name}"' for name in names())
_DIALECTS = wrap(f"Whose SQL: {_QUOTED}, or one that was registered.", 100)
DEPLOYED |= {"dialect": "\n    ".join(["dialect : str", *_DIALECTS])}


class Deployed(Document):
    """Base of the policies: operating points and rules that decide under conditions given at run time."""

    parameters_told = DEPLOYED
    hull: RocHull
    _batch_alone: ClassVar[str] = (
        "condition: a capacity of so many cases is kept by a batch as a whole, which no expression "
        "of one row can; give Capacity(fraction=...), or the point policy.at(condition)."
    )
    _assured_otherwise: ClassVar[str] = (
        "decide by the point that Hybrid.at, or RocHull.at of one classifier, finds with it, or by a "
        "FixedPolicy of that."
    )

    def at(
        self,
        condition: Condition | Objective,
        deterministic: bool = False,
        *,
        minimax: bool = False,
        subject_to: Any = (),
    ) -> OperatingPoint:
        """Find the operating point that decides under a condition; see :meth:`RocHull.at`.

        Returns
        -------
        OperatingPoint
            The same as of the hull that the policy was made from, with two limits: a policy holds
            the vertices only, so a single rule is the best of them, and a limit with a stated
            confidence needs the examples. Give :meth:`decide` the point ``hull.at(condition)`` then, or save
            that rule by ``hybrid.assured(condition).policy()``.
        """
        wanted = asked(condition, subject_to)
        self._refuse_confidence(wanted)
        if minimax:
            return minimax_point(self.hull, wanted, deterministic)
        return self.hull.at(wanted, deterministic)

    def _refuse_confidence(self, condition: Condition) -> None:
        # The counts of the vertices would do for some limits, but not how many classifiers there were.
        if condition.confidence is not None:
            raise ValueError(
                f"confidence={condition.confidence:g} needs the examples, which a policy does not hold; "
                f"{self._assured_otherwise}"
            )

    def _cases_of(self, condition: Any, *, minimax: bool = False) -> int | None:
        """How many rows of a batch are asked for, with nothing that a batch cannot keep; None if not said."""
        cases = batches.cases_of(condition)
        if cases is not None or batches.reviews_of(condition) is not None:
            self._refuse_confidence(condition)
            if minimax:
                raise ValueError(
                    "minimax has no effect on a number of cases, which the batch keeps by its own counts; "
                    "leave it out, or limit the share, such as by Capacity(fraction=...)."
                )
        return cases

    def _told_prevalence(self, condition: Condition) -> float:
        """The prevalence at which probabilities are told."""
        found = condition.at_prevalence(self.hull.prevalence).own_prevalence
        if isinstance(found, tuple):
            raise ValueError(
                f"prevalence={found!r} is an interval, but probabilities are told at one number; give one."
            )
        return float(found)

    def decided_at(
        self, condition: Condition, deterministic: bool, *, minimax: bool = False
    ) -> OperatingPoint:
        """Find what decides, as :meth:`at`; a warning if the policy's own prevalence chose it.

        Returns
        -------
        OperatingPoint
            Decisions cannot say where their prevalence comes from, as this point does.
        """
        found = self.at(condition, deterministic, minimax=minimax)
        if found.prevalence_from is not None:
            warn_of_own_prevalence(found.prevalence)
        return found


def warn_of_own_prevalence(prevalence: float | None) -> None:
    """Say that a condition states no prevalence, and which one decides."""
    warn(
        "condition states no prevalence, so that of the policy's data decides, "
        f"{prevalence:.4g}; state that of the cases to be decided, such as prevalence=0.1."
    )
