"""The knob: one number from 0 to 1 along the hull, which outcomes can turn towards a target."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.documents import Document
from rochull._core.messages import Parameter, Refusal, Setting, WrongType, refused
from rochull._core.validation import Array
from rochull.conditions.base import Condition
from rochull.conditions.keywords import takes_condition
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.any_policy import DEPLOYED, PolicyError
from rochull.hull.hull import RocHull, own_hull, point_at
from rochull.policies.knob_positions import Offset, Track, from_log_odds, log_odds
from rochull.policies.knob_schema import KNOB
from rochull.policies.policy import Policy

_NEWEST = 0.2  # weight of the newest batch in the mean number of cases presented
_SILENT = 10.0  # alarms promised and none given, which by chance happens once in 20,000 times
_LEAST_TO_LEARN = 0.01  # a knob that presents nothing learns nothing about its precision


class Knob(Document):
    """One number that sets how readily alarms are given, and feedback that sets the number.

    Position t is the point of the hull with ``(fpr + tpr) / 2 = t``: there is exactly one, on vertical and
    horizontal edges too, and both rates rise with t. At 0 nothing is called positive, at 1 everything.

    Parameters
    ----------
    hull : RocHull, Policy or Hybrid
        Of one classifier, or of several. A hybrid's policy is taken.
    position : float, optional
        Where to start. By default where the hull promises the target; at 0 for a capacity alone, because the
        number of cases to come is not known yet; and at 0.5 without a target.
    alarm_rate : float, optional
        Target: the share of cases called positive.
    precision : float, optional
        Target: the share of true alarms among alarms. The knob goes to the highest position that meets it.
    capacity : float, optional
        Target: the number of alarms a batch of feedback. Of several targets the strictest counts.
    prevalence : float, optional
        Proportion of positives to start with, strictly between 0 and 1; that of the hull's data by default,
        and needed where it was made from given rates.
    memory : float, default=200
        About how many alarms the feedback looks back. A target rate is then kept to within a standard
        deviation of ``1 / sqrt(2 memory)`` of itself, and a change is followed after about as many alarms.
    lowest, highest : float, optional
        Ends of the range that the knob does not leave: 0 and 1, but 0.01 at the low end if there is a target
        precision, because a knob that stands at 0 gives no alarms and so never learns that they got better.

    Attributes
    ----------
    policy : Policy
        What decides.
    targets : dict of str to float
        Those that were given.

    Raises
    ------
    ValueError
        If a number is outside its range.

    Notes
    -----
    Feedback does not trust the hull, nor the prevalence. It learns what to add to the log-odds of an alarm
    (for a rate or a capacity) and of an alarm being true (for a precision) that the hull promises, by a
    binomial likelihood and a normal prior that forgets (a discounted Kalman filter): first with the weight
    of all outcomes so far, then of the last `memory`. The log-odds of precision all shift alike when the
    prevalence changes; if the scores change, the hull is corrected where the knob stands. A step is halved
    each time that clear errors change their sign, so that it settles where the scores answer
    more than the hull says, and no step is longer than 1 (in log-odds), so that a day of broken data does not
    throw it open. Precision is taken to fall along the hull: if the highest scores go bad and lower ones stay
    good, a knob with a target precision goes to its low end, and says so in :attr:`unmet`. It does not open
    where no alarm comes at all, because nothing is learnt of precision then; that is said there too.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> hull = rh.roc_hull(table["class"], table["logistic"], pos_label="bad")
    >>> knob = rh.Knob(hull, alarm_rate=0.2)
    >>> print(knob.at())
    fpr 0.0986, tpr 0.437: score >= 0.587 (50%) or score >= 0.512 (50%)
    >>> turned = knob.feedback(presented=100, alarms=38)  # too many
    >>> print(knob.at())
    fpr 0.0444, tpr 0.285: score >= 0.675 (68.4%) or score >= 0.620 (31.6%)
    """

    schema = KNOB
    parameters_told = DEPLOYED
    refusal = PolicyError

    def __init__(
        self,
        hull: RocHull | Policy | Any,
        *,
        position: float | None = None,
        alarm_rate: float | None = None,
        precision: float | None = None,
        capacity: float | None = None,
        prevalence: float | None = None,
        memory: float = 200.0,
        lowest: float | None = None,
        highest: float = 1.0,
    ) -> None:
        if not isinstance(hull, Policy):
            hull = own_hull(hull)
        if not isinstance(hull, (RocHull, Policy)):
            raise WrongType(
                "{} must be a RocHull, a Policy or a Hybrid, but is {}.", Parameter("hull"), repr(hull)
            )
        self.policy = hull if isinstance(hull, Policy) else Policy.from_hull(hull)
        self.targets = _targets(alarm_rate, precision, capacity)
        if lowest is None:
            lowest = min(_LEAST_TO_LEARN, highest) if "precision" in self.targets else 0.0
        self._lowest = validation.probability(lowest, "lowest")
        self._highest = validation.probability(highest, "highest")
        if self._lowest > self._highest:
            raise Refusal("{} is above {}.", Setting("lowest", lowest), Setting("highest", highest))
        self._memory = validation.positive(memory, "memory")
        if prevalence is None:
            prevalence = self.policy.hull.prevalence
        if prevalence is None:
            raise refused(
                "prevalence",
                "is needed: the policy was made from given rates, which have none; give the proportion "
                "of positives to start with.",
            )
        prevalence = validation.probability(prevalence, "prevalence", open_ends=True)
        self._track = Track(self.policy.hull, prevalence)
        self._of_alarms, self._of_precision = Offset(), Offset()
        self._presented: float | None = None
        self._silence = 0.0  # alarms that the hull promised since the last one
        self._position = self._within(0.5)
        self._steer()
        if position is not None:
            self.position = position

    def __repr__(self) -> str:
        targets = "".join(f", {name} {value:g}" for name, value in self.targets.items())
        return f"Knob({self.position:.6g} of {self.policy!r}{targets and ', target' + targets[1:]})"

    # --- the number ----------------------------------------------------------------------------

    @property
    def position(self) -> float:
        """Where the knob stands, from 0 to 1 (float); it may be set by hand."""
        return self._position

    @position.setter
    def position(self, position: float) -> None:
        number = validation.probability(position, "position")
        if not self._lowest <= number <= self._highest:
            raise Refusal(
                "{} is outside the range from {} to {}.",
                Setting("position", position),
                f"{self._lowest:g}",
                f"{self._highest:g}",
            )
        self._position = number

    def turn(self, delta: float) -> float:
        """Turn the knob by hand.

        Parameters
        ----------
        delta : float
            How far; negative for fewer alarms. It stops at the ends of its range.

        Returns
        -------
        float
            The new position.
        """
        self._position = self._within(self._position + validation.real(delta, "delta"))
        return self._position

    def at(self, position: float | None = None, deterministic: bool = False) -> OperatingPoint:
        """Find the operating point at a position.

        Parameters
        ----------
        position : float, optional
            In [0, 1]; where the knob stands by default.
        deterministic : bool, default=False
            The nearest vertex instead of a mixture of the two neighbours.

        Returns
        -------
        OperatingPoint
            Both of its rates (in-sample) rise with the position.
        """
        where = self._position if position is None else validation.probability(position, "position")
        hull = self.policy.hull
        choice = self._track.nearest(where) if deterministic else self._track.choice(where)
        return point_at(hull, choice)

    @takes_condition
    def position_of(self, condition: Condition | OperatingPoint) -> float:
        """Find the position of an operating point.

        Parameters
        ----------
        condition : Condition or OperatingPoint
            The best point under a condition; or a point, which need not be on the hull.

        Returns
        -------
        float
            ``(fpr + tpr) / 2``. The hull's point there is at least as good in both rates.

        Raises
        ------
        InfeasibleConditionError
            If no point meets the condition.
        ValueError
            If the point reviews cases.
        """
        point = condition if isinstance(condition, OperatingPoint) else self.policy.at(condition)
        if point.can_review:
            raise refused(
                "condition", "reviews cases, which no position of the knob does: give costs without a review."
            )
        return self._track.position_of(point.fpr, point.tpr)

    def decide(self, scores: Any, *, key: ArrayLike | None = None, random_state: Any = None) -> Array:
        """Decide every case where the knob stands; see :meth:`Policy.decide`.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            A column for each classifier that the operating point needs; an array if it needs one only.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where the case is called positive.
        """
        found: Array = self.policy.decide(scores, self.at(), key=key, random_state=random_state)
        return found

    # --- feedback ------------------------------------------------------------------------------

    def feedback(
        self,
        *,
        alarms: int | None = None,
        false_alarms: int | None = None,
        presented: int | None = None,
        capacity: float | None = None,
        position: float | None = None,
    ) -> float:
        """Learn from the outcomes of a batch, and turn towards the targets.

        Parameters
        ----------
        alarms : int, optional
            How many cases were called positive.
        false_alarms : int, optional
            How many of these were found to be negative; where given, the precision is learnt.
        presented : int, optional
            How many cases were decided; where given, the alarm rate is learnt. It may be zero.
        capacity : float, optional
            The capacity of the batches to come, if it changes; of a knob that was made with one.
        position : float, optional
            Where the knob stood when these cases were decided, if the outcomes come late. Alarms and their
            verdicts may be given in separate calls: ``presented`` with the one, ``false_alarms`` with the
            other.

        Returns
        -------
        float
            The new position; the same as before if there is no target.

        Raises
        ------
        ValueError
            If counts are negative or contradict each other, or this knob has no capacity target. Nothing
            is learnt then.
        """
        where = self._position if position is None else validation.probability(position, "position")
        presented, alarms, false_alarms = _counts(presented, alarms, false_alarms)
        if alarms is not None and presented is None and false_alarms is None:
            raise refused("alarms", "tell nothing without presented or false_alarms.")
        if capacity is not None:
            if "capacity" not in self.targets:
                targets = ", ".join(self.targets) or "no target"
                raise refused("capacity", "is not a target of this knob, which was made with {}.", targets)
            self.targets["capacity"] = validation.non_negative(capacity, "capacity")
        if presented is not None and alarms is not None:
            promised = log_odds(self._track.alarm_rate(where))
            self._of_alarms = self._of_alarms.after(presented, alarms, promised, self._memory, True)
            self._silence = 0.0 if alarms else self._silence + presented * self._track.alarm_rate(where)
        if presented:
            before = presented if self._presented is None else self._presented
            self._presented = before + _NEWEST * (presented - before)
        if alarms is not None and false_alarms is not None:
            promised = self._track.precision_odds(where)
            true = alarms - false_alarms
            self._of_precision = self._of_precision.after(alarms, true, promised, self._memory, False)
        self._steer()
        return self._position

    @property
    def alarm_rate(self) -> float:
        """The share of alarms to be expected where the knob stands, as learnt so far (float)."""
        promised = log_odds(self._track.alarm_rate(self._position))
        return from_log_odds(self._of_alarms.corrected(promised))

    @property
    def precision(self) -> float:
        """The precision to be expected where the knob stands, as learnt so far (float)."""
        return from_log_odds(self._of_precision.corrected(self._track.precision_odds(self._position)))

    @property
    def prevalence(self) -> float:
        """The prevalence that the false alarms speak for, if the hull's rates still hold (float)."""
        return from_log_odds(self._of_precision.corrected(log_odds(self._track.prevalence)))

    @property
    def unmet(self) -> str | None:
        """Why a target is out of reach, in one sentence (str), or None if none is."""
        return self._wishes()[1]

    def _within(self, position: float) -> float:
        return min(self._highest, max(self._lowest, position))

    def _steer(self) -> None:
        """Go to the highest position that meets all targets, as far as the range allows."""
        wish, _ = self._wishes()
        if wish is not None:
            self._position = self._within(wish)

    def _wishes(self) -> tuple[float | None, str | None]:
        """Where the targets want the knob to be, and what is in the way."""
        wishes: list[float] = []
        unmet = None
        for name, value in self.targets.items():
            if name == "precision":
                wish = self._track.at_precision_odds(self._of_precision.asked(log_odds(value)))
                if wish is None:
                    most = from_log_odds(self._of_precision.corrected(self._track.highest_precision_odds))
                    unmet = f"precision={value:g} is out of reach: the highest seems to be {most:.3g}."
            elif name == "capacity" and self._presented is None:
                wish = 0.0
            else:
                rate = value if name == "alarm_rate" else min(1.0, value / (self._presented or 1.0))
                if name == "capacity" and rate == 1:
                    unmet = f"capacity={value:g} is not filled by all of about {self._presented:.0f} cases."
                wish = self._position_for(rate)
            wishes.append(0.0 if wish is None else wish)
        if unmet is None and "precision" in self.targets and self._silence >= min(_SILENT, self._memory):
            unmet = (
                f"precision={self.targets['precision']:g} cannot be learnt: no alarm has come where the hull "
                f"promises {self._silence:.0f}: these scores differ from those of its data."
            )
        if not wishes:
            return None, None
        wanted = min(wishes)
        if unmet is None and self._within(wanted) != wanted and not self._waiting:
            end = "lowest" if wanted < self._lowest else "highest"
            unmet = f"the target is at {wanted:.3g}, beyond the {end} position of {self._within(wanted):g}."
        return wanted, unmet

    @property
    def _waiting(self) -> bool:
        """Whether a capacity waits for the first number of cases."""
        return "capacity" in self.targets and self._presented is None

    def _position_for(self, rate: float) -> float:
        """The position with this alarm rate, as learnt so far."""
        if rate in (0, 1):  # at the ends nothing can go wrong
            return float(rate)
        return self._track.at_alarm_rate(from_log_odds(self._of_alarms.asked(log_odds(rate))))

    # --- the document --------------------------------------------------------------------------

    def _contents(self) -> dict[str, Any]:
        return {
            "position": self._position,
            "lowest": self._lowest,
            "highest": self._highest,
            **{name: self.targets.get(name) for name in ("alarm_rate", "precision", "capacity")},
            "prevalence": self._track.prevalence,
            "memory": self._memory,
            "presented": self._presented,
            "silence": self._silence,
            "of_alarms": dataclasses.asdict(self._of_alarms),
            "of_precision": dataclasses.asdict(self._of_precision),
            "policy": self.policy.to_dict(),
        }

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> Knob:
        given = ("alarm_rate", "precision", "capacity", "prevalence", "memory", "lowest", "highest")
        knob = cls(fields["policy"], **{name: fields[name] for name in given})
        knob._presented, knob._silence = fields["presented"], fields["silence"]
        knob._of_alarms, knob._of_precision = fields["of_alarms"], fields["of_precision"]
        knob._position = fields["position"]
        return knob


def _targets(alarm_rate: float | None, precision: float | None, capacity: float | None) -> dict[str, float]:
    targets = {}
    if alarm_rate is not None:
        targets["alarm_rate"] = validation.probability(alarm_rate, "alarm_rate")
    if precision is not None:
        targets["precision"] = validation.probability(precision, "precision")
    if capacity is not None:
        targets["capacity"] = validation.non_negative(capacity, "capacity")
    return targets


def _counts(
    presented: int | None, alarms: int | None, false_alarms: int | None
) -> tuple[int | None, int | None, int | None]:
    """The counts of a batch, checked one against the other."""
    given = {"presented": presented, "alarms": alarms, "false_alarms": false_alarms}
    counts = {name: validation.whole(n, name, 0) for name, n in given.items() if n is not None}
    if "false_alarms" in counts and "alarms" not in counts:
        raise refused("false_alarms", "tell nothing without alarms.")
    for part, whole in (("alarms", "presented"), ("false_alarms", "alarms")):
        if part in counts and whole in counts and counts[part] > counts[whole]:
            raise ValueError(f"{part}={counts[part]} is more than {whole}={counts[whole]}.")
    return counts.get("presented"), counts.get("alarms"), counts.get("false_alarms")
