"""A deployed rule watched: limits, a better rule, scores of another kind, posteriors that moved."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.cached import cached_property
from rochull._core.cards import Card, Carded
from rochull._core.docstrings import EXAMPLES, entries
from rochull._core.documents import Document
from rochull._core.messages import Parameter, Refusal, Setting, WrongType, refused
from rochull._core.rows import refuse_other_order
from rochull._core.table_errors import unknown
from rochull._core.tables import some_labels, values_of
from rochull._core.validation import Array, non_negative, positive, probability, weights_1d
from rochull.conditions.clauses import REFERENCE
from rochull.conditions.costs import costs_of
from rochull.conditions.door import question_asked
from rochull.conditions.frontier import Choice
from rochull.conditions.keywords import takes_condition
from rochull.conditions.objectives import FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE
from rochull.conditions.rules import OperatingPoint, Rule
from rochull.decisions import questions
from rochull.decisions.score_columns import ScoreColumns, renamed, same_size
from rochull.hull.hull import point_at
from rochull.monitoring.checksums import batch_checksum
from rochull.monitoring.claims import CELLS, PARTS, Claims, Gain, RateKept, cell_of, spaced, winnings
from rochull.monitoring.evidence import BETS, averaged, over_starts, rate_above
from rochull.monitoring.finding import Finding, findings_card
from rochull.monitoring.monitor_schema import MONITOR
from rochull.monitoring.state import MonitorState, period_of
from rochull.policies.policy import Policy
from rochull.policies.prevalence import RatioLadder
from rochull.uncertainty.rates import rate_interval

_NEAREST = 0.002  # of the examples: rules that differ on fewer are not compared
MOST_WEIGHT = 100.0  # where one case in a hundred gets a label
_WAYS = ("limits", "better", "relabel")  # the parts that go by all cases
_TAKEN = "sample_weight and cluster"
_REVIEWS = "condition has reviews, which a monitor does not watch; give the costs without them."
_CONFIDENCE = "condition states a confidence; give the limit without it to watch the rule that keeps it."
_ANSWERS = {  # what is said where it is proven by all cases, where it once was, and where it is not
    "limits": ("{} is broken.", "{} was broken.", "{} is not proven to be broken."),
    "better": ("{} is better{}.", "Another rule was better.", "No other rule is proven to be better."),
    "relabel": (
        "Posteriors have moved: label cases anew.",
        "Posteriors had moved: label cases anew.",
        "Posteriors are not proven to have moved.",
    ),
    "misfit": ("Scores of another kind came.",) * 2 + ("No batch had scores of another kind.",),
}


class Monitor(Carded, Document):
    """Watch a deployed rule: whether its limits are kept, and whether another rule would be better.

    Parameters
    ----------
    policy : Policy
        That decides; its hull has the other rules.
    condition : Condition
        Under which the rule was deployed: costs, or limits on the false positive rate, recall, precision or
        alarm rate, or both. The costs are those of the stream: its own prevalence counts.
    level : float, default=0.95
        Of all alarms together: of a stream in which nothing is wrong at most ``1 - level`` ever raise one.
    margin : float, default=0.02
        The part of the rule's cost that another rule has to save before it is called better; no rule that was
        chosen on a sample is exactly the best.
    max_weight : float, default=100
        The greatest weight that a case may have; the smaller, the sooner weighted cases prove something.
    target : {"stream", "condition"}, default="stream"
        At which prevalence costs and limits count: that of the cases as they come, or that of the condition,
        whatever share of positives the stream has, as where positives were sought for or one class was
        sampled. Then neither weights nor clusters are taken.
    classifiers : sequence of str, optional
        Whose rules are compared with the deployed one, those that decide among them; all of the policy,
        unless some are named. The columns of others are not read.

    Raises
    ------
    ValueError
        If the condition has reviews or a confidence, is kept by a batch as a whole, or limits something else.
    TypeError
        If the policy is not a :class:`Policy`.

    Notes
    -----
    *Better.* The deployed rule and another one differ on some cases only; there each case with a label
    gains or loses. For some rules of the hull, fixed from the policy before the first case, the gain less
    the margin is bet on (Waudby-Smith & Ramdas 2024); the average over bets and rules is an e-process. So
    one may look at every case, and the alarm comes when the *decision* should change, not when costs have:
    it is silent where the prevalence rises and the rule is still best.

    *Limits.* A mixture of likelihood ratios over the rates beyond the limit (Howard, Ramdas, McAuliffe &
    Sekhon 2021). Of a mixture each case counts for both of its rules, by their probabilities: as logarithms
    are concave, that proves less than the lots that were drawn, never more.

    *Misfit.* :meth:`Policy.check` of each batch, the k-th at a level of ``6 / (pi k)^2`` of its share.

    *Relabel.* Whether the share of positives in some range of the score has left the interval that the
    policy's examples leave: then its posteriors are wrong, and new labels, or the new prevalence, should
    make a new policy. By cases without weights and clusters, where the policy's examples had no weights.

    *Changes.* Evidence is counted from the first batch and anew from batches 1, 2, 4, ..., 32, 64, 96: a
    change is not hidden by what happened before it. All beginnings share the level.

    *Target.* At the condition's prevalence the two classes are samples of their own: if the mean gain of
    the positives were m, that of the negatives could be at most ``-pi m / (1 - pi)``; evidence against
    both multiplies, and the least product over m counts. Posteriors are then watched as the
    distribution of each class.

    The level is shared equally by these four. Cases of one day or customer belong together: give them one
    `cluster`, which is then one bet on its mean. A state keeps counts, and what bets on weighted and
    clustered cases have won; both add up, so that states of two machines merge in any order.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(4000) < 0.1
    >>> policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)))
    >>> monitor = rh.Monitor(policy, rh.ExpectedCost(cost_fn=5, prevalence=0.1))
    >>> for day in range(40):
    ...     y = rng.random(200) < 0.3  # the prevalence has risen
    ...     _ = monitor.update(rng.normal(1.5 * y), y, at=f"day {day}")
    >>> print(monitor.better)
    score >= 0.6360983071451415 is better and saves at least 0.104 per case.
    >>> monitor.better.at
    'day 7'
    """

    parameters_told = EXAMPLES | entries("""
level : float, default=0.95
    Of all alarms together.
""")
    schema = MONITOR

    @takes_condition
    def __init__(
        self,
        policy: Policy,
        condition: Any,
        level: float = 0.95,
        margin: float = 0.02,
        *,
        max_weight: float = MOST_WEIGHT,
        target: Literal["stream", "condition"] = "stream",
        classifiers: Sequence[str] | None = None,
    ) -> None:
        if not isinstance(policy, Policy):
            raise WrongType("{} must be a Policy, but is a {}.", Parameter("policy"), type(policy).__name__)
        question = question_asked(condition)
        question.refuse(reviews=Refusal(_REVIEWS), confidence=Refusal(_CONFIDENCE))
        if question.batch is not None:
            raise refused("condition", "is kept by each batch as a whole, so there is no one rule to watch.")
        point = policy.at(condition)
        costs: Any = costs_of(question)
        catches = question.goal == TRUE_POSITIVE_RATE
        if costs is None and not (catches or question.goal == FALSE_POSITIVE_RATE):
            raise refused(
                "condition", "must have costs, or a limit on rates, but is {}.", str(question.asked)
            )
        prices = (costs.cost_fp, costs.cost_fn) if costs else (not catches, catches)
        at = _prevalence_at(target, question, policy.hull.prevalence)
        terms = {
            "condition": REFERENCE.told(question.clause),
            "prevalence": at,
            "cost_fp": float(prices[0]),
            "cost_fn": float(prices[1]),
            "has_costs": costs is not None,
            "limits": tuple(RateKept.of(limit, at) for limit in question.limits),
            "fpr": point.fpr,
            "tpr": point.tpr,
            "rules": point.rules,
            "compared": _compared(classifiers, policy, point),
            "level": probability(level, "level", open_ends=True),
            "margin": non_negative(margin, "margin"),
            "max_weight": positive(max_weight, "max_weight"),
        }
        self._begin(policy, terms)

    def _begin(self, policy: Policy, terms: Mapping[str, Any]) -> None:
        self.policy, self._terms = policy, terms
        self.level: float = terms["level"]
        self.point = OperatingPoint(terms["fpr"], terms["tpr"], tuple(terms["rules"]))
        gain = Gain(terms["cost_fp"], terms["cost_fn"], terms["margin"], terms["prevalence"])
        self.claims = Claims(tuple(terms["limits"]), gain, len(self.others))
        sizes = 1 + len(self.others), len(self.claims.rules), len(self._ladder.pos)
        self._state = self._nothing = MonitorState.nothing(*sizes, CELLS, len(BETS))

    # --- what is compared, fixed by the policy ---------------------------------------------------

    @cached_property
    def others(self) -> tuple[Rule, ...]:
        """The rules of the hull to compare, at distances that double on both sides of the deployed one.

        A tuple of Rule.
        """
        hull, own = self.policy.hull, self.point
        share = 0.5 if hull.prevalence is None else hull.prevalence
        deployed = {rule for rule, _ in own.rules}
        sides: dict[bool, list[tuple[float, Rule]]] = {True: [], False: []}
        for point in (point_at(hull, Choice(i)) for i in range(len(hull))):
            rule, away = point.rules[0][0], (point.fpr - own.fpr, point.tpr - own.tpr)
            if rule not in deployed and {*rule.classifiers} <= {*self._terms["compared"]}:
                distance = share * abs(away[1]) + (1 - share) * abs(away[0])
                sides[sum(away) > 0].append((distance, rule))
        chosen = []
        for side in sides.values():
            side.sort(key=lambda one: one[0])
            chosen += [side[i][1] for i in spaced([away for away, _ in side], _NEAREST)]
        return tuple(chosen)

    @property
    def _classifier(self) -> str:
        """The classifier whose ranges are watched: one that decides, if any does."""
        return next(iter(self.point.classifiers), self._terms["compared"][0])

    @property
    def classifiers(self) -> tuple[str, ...]:
        """Whose scores are read: those of the deployed rule, and of the rules compared with it (tuple)."""
        names = (name for rule in self.others for name in rule.classifiers)
        return tuple(dict.fromkeys([self._classifier, *self.point.classifiers, *names]))

    @cached_property
    def _ladder(self) -> RatioLadder:
        return RatioLadder.of(self.policy.hull, self._classifier)

    @cached_property
    def learnt(self) -> list[tuple[int, int, float, float]]:
        """List the shares whose intervals the examples leave, all at half the level: class, range, low, high.

        Of the positives in each range (class 1), or, where the share of positives in the stream does not
        matter, of the ranges in each class.
        """
        if self.policy.hull.units.weighted:  # nobody knows how many there were
            return []
        counts = np.stack([self._ladder.neg, self._ladder.pos])
        told = [(1, i) for i in range(counts.shape[1])]
        totals = np.stack([counts.sum(axis=0)] * 2)
        if self._terms["prevalence"] is not None:
            told = [(y, i) for y, i in np.ndindex(counts.shape)]
            totals = np.repeat(counts.sum(axis=1, keepdims=True), counts.shape[1], 1)
        level, found = 1 - self._alpha / 2 / len(told), []
        for y, i in told:
            own = rate_interval(float(counts[y, i]), float(totals[y, i]), "clopper-pearson", level=level)
            found.append((y, i, float(own.low), float(own.high)))
        return found

    @property
    def _alpha(self) -> float:
        """The level of each of the four."""
        return (1 - self.level) / len(PARTS)

    # --- cases ----------------------------------------------------------------------------------

    def update(
        self,
        scores: Any,
        y_true: ArrayLike | None = None,
        at: Any = None,
        sample_weight: ArrayLike | None = None,
        cluster: ArrayLike | None = None,
        *,
        pos_label: object = None,
        columns: Mapping[str, str] | None = None,
        count: ArrayLike | None = None,
    ) -> Self:
        """Look at more cases.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            As for :meth:`Policy.decide`. A batch of scores alone is looked at for its kind, and for the share
            that is flagged; the same scores may come once more with their labels.
        y_true : array-like of shape (n,), optional
            Labels, missing (None or NaN) where they are not known. Which cases have one may depend on their
            scores only through `sample_weight`.
        at : object, optional
            Time of the batch, such as a date, which an alarm keeps. Batches of the same scores are one batch
            unless their times differ.
        sample_weight : array-like of shape (n,), optional
            Weights by which the labelled cases stand for the stream, such as the inverse of the probability
            that they get a label; at most `max_weight`.
        cluster : array-like of shape (n,), optional
            Cases that belong together, as those of one day or customer, none of which comes in another batch.
        pos_label : object, optional
            The label of the positive class.
        columns : mapping of str to str, optional
            As for :meth:`Policy.decide`.
        count : array-like of int, shape (n,), optional
            As for :meth:`Policy.performance`. In what order the rows come does not matter then.

        Returns
        -------
        Monitor
            Itself.

        Raises
        ------
        ValueError
            If the batch, or its labels, were seen before, or it cannot be read; nothing has changed then.
        """
        beside = {"y_true": y_true, "sample_weight": sample_weight, "cluster": cluster, "count": count}
        refuse_other_order({"scores": scores, **beside})
        named = renamed(scores, columns, self.policy.classifiers)
        held = ScoreColumns(named, self.classifiers, len(self.policy.classifiers) < 2).counted(count)
        if not held.size:
            raise refused("scores", "is empty, so there is nothing to look at.")
        truth = np.full(held.size, np.nan) if y_true is None else some_labels(y_true, pos_label, "y_true")
        same_size(len(truth), held.size, "y_true", "scores")
        if self._terms["prevalence"] is not None and not (sample_weight is None is cluster):
            raise refused("target", "is the condition, for which cases count one by one, without {}.", _TAKEN)
        weight = None if sample_weight is None else self._weights(sample_weight, held.size)
        groups = None if cluster is None else _codes(cluster, held.size)
        known, batch = ~np.isnan(truth), batch_checksum(held, at)
        if batch in (self._state.labelled if known.any() else self._state.seen):
            raise refused(
                "scores", "are a batch that was seen before, which would count twice; two that are alike by "
                "chance are told apart by {}.", Parameter("at"),
            )  # fmt: skip
        state, pvalue = self._state, math.nan
        period = state.seen.get(batch, period_of(self.looks))
        if batch not in state.seen:  # else its labels come later
            pvalue = self.policy.check(named, count=count).pvalue
            one = self._of_scores(held, batch, pvalue, counted=weight is None is groups)
            state = state.plus(one.in_period(period))
        if known.any():
            one = replace(self._of_labels(held, truth, weight, groups), labelled=(batch,))
            state = state.plus(one.in_period(period))
        self._state = self._known(state, batch, str(state.looks if at is None else at), pvalue)
        return self

    def _weights(self, sample_weight: ArrayLike, size: int) -> Array:
        weight = weights_1d(sample_weight)
        same_size(len(weight), size, "sample_weight", "scores")
        most = self._terms["max_weight"]
        if weight.max(initial=0) > most:
            told = f"{weight.max():g}", Setting("max_weight", most, "g")
            raise refused("sample_weight", "has {}, above {}; give a Monitor a greater one.", *told)
        return weight

    def _of_scores(self, held: ScoreColumns, batch: str, pvalue: float, *, counted: bool) -> MonitorState:
        """The state of the scores of one batch alone; `counted` where its cases may be counted one by one."""
        one = replace(self._nothing, cases=held.many(), looks=1, seen={batch: period_of(self.looks)})
        if not math.isnan(pvalue):
            one = replace(one, pvalues=(pvalue,))
        if not counted:
            return one
        flagged = sum(p * held.many(held.passes(rule)) for rule, p in self.point.rules)
        return replace(one, decided=np.array([held.many()]), flagged=np.array([flagged]))

    def _of_labels(
        self, held: ScoreColumns, truth: Array, weight: Array | None, cluster: Array | None
    ) -> MonitorState:
        """The state of the labels of one batch alone."""
        known = ~np.isnan(truth)
        positive, many = truth[known] == 1, held.counts(known)
        flags = [held.passes(rule)[known] for rule in self.others]
        lots = []  # for each rule that may be drawn: the cells of the cases (1 + others, n), its probability
        for rule, share in self.point.rules:
            own = held.passes(rule)[known]
            lots.append((np.array([cell_of(own, other, positive) for other in (own, *flags)]), share))
        if weight is None and cluster is None:
            counts = np.zeros_like(self._nothing.counts)
            for cells, share in lots:
                counts[0] += share * np.array([np.bincount(row, many, CELLS) for row in cells])
            return replace(self._nothing, counts=counts, groups=self._grouped(held, truth)[None])
        most = 1.0 if weight is None else self._terms["max_weight"]
        weight = np.ones(held.size) if weight is None else weight
        codes = None if cluster is None else np.unique(cluster[known], return_inverse=True)[1]
        of_cases = weight[known] / most
        return replace(self._nothing, bets=winnings(self.claims, lots, of_cases, codes, many)[None])

    def _grouped(self, held: ScoreColumns, truth: Array) -> Array:
        """Labelled cases by range: positives and negatives."""
        column = held.columns[self._classifier]
        there = column.present & ~np.isnan(truth)
        place = self._ladder.place_of(column.values[there])
        k, found = len(self._ladder.pos), []
        for label in (1, 0):
            rows = truth[there] == label
            many = held.counts(there)
            found.append(np.bincount(place[rows], None if many is None else many[rows], k))
        return np.stack(found, axis=1).astype(float)

    # --- what is known ---------------------------------------------------------------------------

    def _found(self, state: MonitorState) -> dict[str, Finding]:
        """The findings by all cases, by the parts that go by them."""
        since, parts = state.since, (self._of_limits, self._of_better, self._of_posteriors)
        return {name: part(since) for name, part in zip(_WAYS, parts, strict=True)}

    def _known(self, state: MonitorState, batch: str, at: str, pvalue: float) -> MonitorState:
        """The state after a batch, with its alarms and what was known then."""
        parts = self._found(state)
        proven = [name for name, found in parts.items() if found.evidence >= found.needed]
        if state.looks > self.looks and pvalue < self._misfit_level(state.looks):
            proven.append("misfit")
        row: dict[str, Any] = {"at": at, "batch": batch, "cases": state.cases}
        row |= {"labels": float(state.groups.sum()), **{name: parts[name].progress for name in _WAYS}}
        row |= {"pvalue": None if math.isnan(pvalue) else pvalue, "alarms": sorted(proven)}
        return state.alarmed(dict.fromkeys(proven, at), row)

    def _finding(self, name: str, log: float, needed: float, *told: str, **more: Any) -> Finding:
        """The finding; `told` is put into its sentences."""
        at, now = self._state.alarms.get(name), log >= math.log(needed)
        proven, before, not_yet = _ANSWERS[name]
        sentence = (proven if now else not_yet if at is None else before).format(*told)
        return Finding(at is not None, at, math.exp(min(log, 700.0)), needed, sentence, **more if now else {})

    def _of_limits(self, since: MonitorState) -> Finding:
        limits = self.claims.limits
        if not limits:
            return Finding(False, None, 1.0, math.inf, "No limit was stated.")
        logs = over_starts(self.claims.broken(since))
        worst = int(np.argmax(logs))
        return self._finding("limits", float(logs[worst]), len(limits) / self._alpha, str(limits[worst]))

    def _of_better(self, since: MonitorState) -> Finding:
        if not self.others:
            return Finding(False, None, 1.0, math.inf, "The policy has no other rule.")
        logs = self.claims.better(since)
        start, best = np.unravel_index(int(np.argmax(logs)), logs.shape)
        rule, cells = self.others[best], since.counts[start, 1 + best]
        saves = math.nan
        if cells.any():  # at the level of all rules that were compared, from each start
            saves = self.claims.gain.least(cells, (1 - self.level) / logs.size)
        saved = f" and saves at least {saves:.3g} per case" if self._terms["has_costs"] and saves > 0 else ""
        log, needed = float(averaged(over_starts(logs))), 1 / self._alpha
        return self._finding("better", log, needed, str(rule), saved, rule=rule, saves=saves)

    def _of_posteriors(self, since: MonitorState) -> Finding:
        if not self.learnt:
            return Finding(False, None, 1.0, math.inf, "The policy holds no numbers of examples.")
        logs = []
        totals = since.groups.sum(axis=2 if self._terms["prevalence"] is None else 1)
        for y, i, low, high in self.learnt:
            own = since.groups[:, i, 1 - y]
            total = totals[:, i if self._terms["prevalence"] is None else 1 - y]
            logs += [rate_above(own, total, high), rate_above(total - own, total, 1 - low)]
        return self._finding("relabel", float(averaged(over_starts(np.stack(logs, 1)))), 2 / self._alpha)

    @property
    def limits(self) -> Finding:
        """Whether a limit is broken (Finding)."""
        return self._of_limits(self._state.since)

    @property
    def better(self) -> Finding:
        """Whether another rule is better, and which (Finding)."""
        return self._of_better(self._state.since)

    @property
    def misfit(self) -> Finding:
        """Whether scores of another kind came (Finding)."""
        at, least = self._state.alarms.get("misfit"), min(self._state.pvalues, default=1.0)
        needed = 1 / self._misfit_level(max(self._state.looks, 1))
        sentence = _ANSWERS["misfit"][2 if at is None else 0]
        return Finding(at is not None, at, 1 / max(least, 1e-300), needed, sentence)

    def _misfit_level(self, look: int) -> float:
        """The level of a look: over all looks together they are that of the part."""
        return self._alpha * 6 / (math.pi * look) ** 2

    @property
    def relabel(self) -> Finding:
        """Whether the policy's posteriors have moved, so that new labels are needed (Finding)."""
        return self._of_posteriors(self._state.since)

    @property
    def history(self) -> list[dict[str, Any]]:
        """After each batch what was known, in a row each (list of dict).

        With `at`, the checksum of the `batch`, numbers of `cases` and `labels` up to then, the progress of
        `limits`, `better` and `relabel`, the `pvalue` of the batch's scores, and the `alarms` then.
        """
        return [dict(row) for row in self._state.history]

    @property
    def condition(self) -> str:
        """The condition under which the rule was deployed, in words (str)."""
        return str(self._terms["condition"])

    @property
    def cases(self) -> int:
        """Number of cases up to now (int)."""
        return self._state.cases

    @property
    def looks(self) -> int:
        """Number of batches up to now (int)."""
        return self._state.looks

    def __str__(self) -> str:
        parts = {name: getattr(self, name) for name in PARTS}
        lines = [f"{name}: {part}" + f" (since {part.at})" * part.alarm for name, part in parts.items()]
        batches = f"{self.looks} batch{'es' * (self.looks != 1)}"
        return "\n".join([f"Condition: {self.condition}", f"{self.cases:,} cases in {batches}", *lines])

    def _card(self) -> Card:
        return findings_card(repr(self), {name: getattr(self, name) for name in PARTS})

    def __repr__(self) -> str:
        given = ", ".join(self._state.alarms) or "none"
        return f"Monitor({self.condition}; {self.cases} cases, alarms: {given})"

    # --- states -----------------------------------------------------------------------------------

    def merge(self, other: Monitor) -> Monitor:
        """Put together what two monitors of one rule have seen.

        Parameters
        ----------
        other : Monitor
            Of the same policy and condition, and of other batches.

        Returns
        -------
        Monitor
            A new one, the same in whatever order states are merged. Alarms that either has given stay.

        Raises
        ------
        ValueError
            If it watches something else, or has seen a batch that this one has seen.
        """
        if other._told() != self._told():
            raise refused("other", "watches another policy, condition, level or margin.")
        merged = Monitor.__new__(Monitor)
        merged._begin(self.policy, self._terms)
        state = self._state.plus(other._state)
        proven = [name for name, found in merged._found(state).items() if found.evidence >= found.needed]
        merged._state = state.alarmed(dict.fromkeys(proven, str(state.looks)))
        return merged

    def _told(self) -> dict[str, Any]:
        """The fields of the document but the state."""
        own = {
            "limits": [asdict(limit) for limit in self._terms["limits"]],
            "rules": [{"rule": rule.to_dict(), "probability": p} for rule, p in self._terms["rules"]],
            "compared": list(self._terms["compared"]),
            "policy": self.policy.to_dict(),
        }
        return {**self._terms, **own}

    def _contents(self) -> dict[str, Any]:
        return {**self._told(), "state": self._state.contents()}

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> Monitor:
        terms = {name: fields[name] for name in cls.schema.fields if name not in {"policy", "state"}}
        found = cls.__new__(cls)
        found._begin(fields["policy"], terms)
        state = MonitorState.of_contents(fields["state"])
        for name in ("counts", "bets", "groups"):
            if getattr(state, name).shape[1:] != getattr(found._nothing, name).shape[1:]:
                raise Refusal("the monitor is not valid: its {} are not those of its policy's rules.", name)
        found._state = state
        return found


def _prevalence_at(target: str, question: Any, own: float | None) -> float | None:
    """The prevalence at which costs and limits count; None for that of the stream."""
    if target not in ("stream", "condition"):
        raise refused("target", 'must be "stream" or "condition", but is {}.', repr(target))
    if target == "stream":
        return None
    found = questions.prevalence_asked(question, own)
    found = own if found is None else found
    if found is None:
        raise refused("condition", "states no prevalence, and the policy has none.")
    return float(found)


def _compared(names: Sequence[str] | None, policy: Policy, point: OperatingPoint) -> tuple[str, ...]:
    """The classifiers whose rules are compared."""
    if names is None:
        return policy.classifiers
    for name in names:
        if name not in policy.classifiers:
            raise unknown(f"classifiers: {name!r} is not one of the policy", name, list(policy.classifiers))
    absent = next((name for name in point.classifiers if name not in names), None)
    if absent is not None:
        raise refused("classifiers", "lacks {}, by which the rule decides.", repr(absent))
    if not names:
        raise refused("classifiers", "is empty, so there is no rule to compare.")
    return tuple(name for name in policy.classifiers if name in names)


def _codes(cluster: ArrayLike, size: int) -> Array:
    """Clusters as numbers (n,)."""
    values, nulls = values_of(cluster)
    same_size(len(values), size, "cluster", "scores")
    if nulls is not None:
        raise refused("cluster", "has {} missing values.", int(np.count_nonzero(nulls)))
    return np.asarray(np.unique(values.astype(str), return_inverse=True)[1])
