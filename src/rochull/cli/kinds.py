"""Requests that each kind of policy takes on the command line, and what it says about its answer.

Deciding, SQL and what is counted are those of the plan; see :class:`rochull.cli.decider.Decider`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rochull._core.cached import cached_property
from rochull._core.messages import changed, in_place_of
from rochull._core.warned import warn
from rochull.cli.decider import PLAIN, WORDS, Columns, Decider, percentage
from rochull.cli.goals import Goal, given_goal, weights_in
from rochull.cli.options import UsageError, flag, no_ranges

if TYPE_CHECKING:
    from rochull.decisions.guard import Watch
    from rochull.decisions.plans import Plan


class Binary(Decider):
    """Two classes: one rule, or one for each segment; or so many cases of a table."""

    what = "a policy of two classes"

    def check(self) -> None:
        super().check()
        from rochull.cli.conditions import at_its_own

        self.condition, self.note = at_its_own(self.policy, self.condition)

    @property
    def of_batch(self) -> bool:
        from rochull.decisions import questions

        return questions.of_batch(self.condition)

    @property
    def numbers(self) -> tuple[Any, ...]:
        return self._every_classifier() if self.of_batch else super().numbers

    @property
    def chance(self) -> bool:
        return not self.asked.deterministic if self.of_batch else super().chance

    @cached_property
    def plan(self) -> Plan:
        # Not by `plan`, which warns: what is said of it is said with the decisions.
        found: Plan = self.policy.planned(self.policy.at(self.condition, **self.asked.how))
        return found

    @cached_property
    def watch(self) -> Watch:
        point = None if self.of_batch else self.policy.at(self.condition, **self.asked.how)
        found: Watch = self.policy.watch(self.condition, point)
        return found

    def told(self) -> Iterator[str]:
        from rochull.conditions.rules import brief
        from rochull.decisions import questions
        from rochull.hull.ways import OnHull, way_of

        if self.note is not None:
            yield self.note
        yield f"Condition: {self.asks}"
        if questions.reviews_of(self.condition) is not None:
            yield "Rule: reviewed are the cases of this table of which a review saves the most."
        elif self.of_batch:
            yield "Rule: the best cases of this table, as many as can be flagged."
        else:
            how = self.asked.how
            least = " of least worst regret" * how["minimax"]
            way = way_of(self.condition.question, how["deterministic"])
            held = how["deterministic"] and not isinstance(way, OnHull) and not self.features
            of = ", of the thresholds that the policy holds" * held
            point = self.policy.at(self.condition, **how)
            yield f"Rule{least}{of}: {brief(point)} (rates in-sample)"

    def promised(self, rows: int) -> dict[str, float]:
        from rochull.conditions.measures import AlarmRate

        question, found = self.condition.question, {}
        for limit in question.limits:
            if isinstance(limit.measure, AlarmRate):
                found["positive"] = limit.limit
        most = question.parameters.get("max_share")
        if most is not None:
            found["review"] = most
        counts = {"positive": question.cases_in_batch, "review": question.reviews_in_batch}
        return found | {word: min(1, n / rows) for word, n in counts.items() if n is not None}

    @property
    def features(self) -> dict[Any, bool]:
        return {} if self.of_batch else super().features

    @property
    def written(self) -> dict[str, str]:
        from rochull.decisions import questions

        if self.of_batch:
            return WORDS if questions.reviews_of(self.condition) is not None else PLAIN
        return super().written

    def _every_classifier(self) -> tuple[Any, ...]:
        from rochull.decisions import ladders, questions

        if questions.reviews_of(self.condition) is not None:
            return self.policy.hull.classifiers  # type: ignore[no-any-return]
        return ladders.classifiers_of(ladders.ladder(self.policy.hull))

    def decide(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> Any:
        how = {"key": key, "random_state": random_state, **self.asked.how}
        found = self.policy.decide(columns, self.condition, **how)
        self.warn_of_cases(len(found))
        return found

    def warn_of_cases(self, rows: int) -> None:
        """Warn of a number of cases that is beyond that of the rows."""
        cases = self.condition.question.cases_in_batch
        if cases is not None and cases > rows:
            warn(f"--cases {cases:,} limits nothing: the table has {rows:,} rows.")

    def ranks(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> dict[str, Any]:
        if not self.of_batch or self.asked.deterministic:
            return {}
        if self.condition.question.lacks_prevalence and self.policy.hull.prevalence is None:
            print("No ranks and probabilities: the policy was made from rates, so these need --prevalence.")
            return {}
        found = self.ranked(columns, {"key": key, "random_state": random_state})
        return {"rank": found.rank, "probability": found.probability}

    def ranked(self, columns: Mapping[Any, Any], how: dict[str, Any]) -> Any:
        """The order of the cases."""
        return self.policy.rank(columns, self.condition, **how)

    def to_sql(self, dialect: str, key: Any, columns: Columns) -> str:
        how = {"key": key, "columns": columns, **self.asked.how}
        text: str = self.policy.to_sql(self.condition, dialect, **how)
        return text

    def _said(self, counts: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
        reviewed = {"Review": ("review",)} if {"review", "negative"} & counts.keys() else {}
        return {"Positive": ("true", "positive"), **reviewed}

    def estimate_prevalence(self, estimated: Callable[[Any], Any]) -> Any:
        from rochull.policies.prevalence import under

        found, own = estimated(self.policy), self.policy.hull.prevalence
        if own is not None:  # what is kept where the estimate is rejected
            self.condition = under(self.condition, float(own), lambda: None)
        self.condition = under(self.condition, "estimate", lambda: found)
        return found


class Segmented(Binary):
    """Two classes, with a rule for each segment; or so many cases of each."""

    what = "a policy of rules by segment"
    estimate_prevalence = Decider.estimate_prevalence

    def check(self) -> None:
        from rochull._core.table_errors import unknown
        from rochull.cli.conditions import ELSEWHERE

        super().check()
        policy = self.policy
        self.condition.question.refuse(
            reviews=UsageError(
                "a policy by segment has no reviews. Make a policy of each segment, such as by "
                """rochull report --where "country = 'DE'"; rochull sql writes what each decides, """
                "and a CASE joins them."
            )
        )
        known, axes = [*policy.segments, ELSEWHERE], policy.bins.axes
        self.cases: dict[str | None, int] = {}
        for typed, count in self.asked.by_segment.items():
            whole = f"{axes[0].column} = {typed}" if len(axes) == 1 else typed
            name = whole if typed not in known and whole in known else typed
            if name not in known:
                raise unknown(f"--cases-of: {name!r} is not a segment of the policy", name, known)
            segment = name if name in policy.segments else None
            if segment in self.cases:
                raise UsageError(f"--cases-of says twice how many cases of {name!r}.")
            self.cases[segment] = count

    def told(self) -> Iterator[str]:
        if not self.cases:
            yield from super().told()
            return
        if self.note is not None:
            yield self.note
        yield f"Condition: {self.asks}"
        yield "Rule: the most likely positives of each segment."

    @property
    def asks(self) -> str | None:
        told = (f"{count} of {name or 'cases elsewhere'}" for name, count in self.cases.items())
        return f"at most {', '.join(told)} flagged" if self.cases else super().asks

    def decide(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> Any:
        if not self.cases:
            return super().decide(columns, key, random_state)
        with changed(in_place_of({"condition": "cases_of"})):
            return self.policy.decide(columns, self.cases, key=key, random_state=random_state)

    def ranked(self, columns: Mapping[Any, Any], how: dict[str, Any]) -> Any:
        if not self.cases:
            return super().ranked(columns, how)
        return self.policy.rank(columns, self.cases, prevalence=self.condition.question.own_prevalence, **how)

    @property
    def features(self) -> dict[Any, bool]:
        return {axis.column: axis.holds_texts for axis in self.policy.bins.axes}

    def _every_classifier(self) -> tuple[Any, ...]:
        return self.policy.classifiers  # type: ignore[no-any-return]


class Cascaded(Decider):
    """Classifiers in an order; or for which cases one of them is asked."""

    what = "a cascade"
    knows_a_part = False

    def check(self) -> None:
        from rochull.conditions.costs import costs_alone

        asked = self.asked
        if given_goal(asked.goal) is not None:
            raise UsageError(f"{flag(str(given_goal(asked.goal)))} is for policies of several classes.")
        condition = asked.condition
        if condition is None or costs_alone(condition) is None:
            raise UsageError(
                "a cascade decides under costs, in the unit of its prices: --cost-fp and --cost-fn, and "
                "--max-calls for a budget."
            )
        condition.question.refuse(ranges=no_ranges)
        names = self.policy.classifiers
        if asked.needs is not None and asked.needs not in names:
            from rochull._core.table_errors import unknown

            told = f"--needs: {asked.needs!r} is not a classifier of the cascade"
            raise unknown(told, asked.needs, list(names))
        self.condition = condition
        self.point = self.policy.at(condition, asked.max_calls, asked.deterministic)
        self.plan = self.point.plan if asked.needs is None else self.point.plan.needing(asked.needs)
        if condition.question.lacks_prevalence:
            own = f"{self.policy.prevalence:.4g}"
            self.note = f"No --prevalence given: that of the policy's own data, {own}, was used."

    @property
    def asks(self) -> str | None:
        budget = self.asked.max_calls
        return f"{super().asks}{'' if budget is None else f', at most {budget:g} calls per case'}"

    @property
    def numbers(self) -> tuple[Any, ...]:
        first = self.policy.classifiers[0]  # it says how many cases there are
        return tuple(dict.fromkeys((first, *self.plan.classifiers)))

    def told(self) -> Iterator[str]:
        if self.note is not None:
            yield self.note
        calls = ", ".join(f"{name} for {share:.1%}" for name, share in self.point.calls.items())
        yield f"Asked: {calls} of the cases; expected cost per case {self.point.cost:.4g} (in-sample)."
        if self.asked.needs is not None:
            yield f"Decision: whether {self.asked.needs} is asked."

    def _said(self, counts: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
        needs = self.asked.needs
        return super()._said(counts) if needs is None else {f"Asks {needs}": ("true",)}


class Several(Decider):
    """More than two classes: weights, or the best point of the policy."""

    what = "a policy of several classes"
    knows_a_part = False
    aim: str | None = None
    kept: tuple[str, ...] = ()  # errors in-sample by the chosen weights, and whether they keep the limits
    called: tuple[float, ...] = ()  # and the share of each class among the decisions

    def check(self) -> None:
        asked, policy = self.asked, self.policy
        asked.refuse_calls(self.what)
        asked.require()
        if asked.options.kind is not None:
            raise UsageError(
                f"{flag(asked.options.kind)} is for policies of two classes, and this one has "
                f"{len(policy.classes)}: say what is best, such as --minimise max-error."
            )
        for name, given in asked.how.items():
            if given:
                raise UsageError(f"{flag(name)} has no effect on a policy of several classes.")
        typed = weights_in(asked.goal, policy.classes)
        if typed is None:
            from rochull.report.multiclass_facts import describe  # weights need none of it

            objective, limits = Goal.of_typed(asked.goal).of(list(policy.classes))
            typed = policy.at(objective, limits)
            found, classes = typed.confusion, policy.classes
            errors = ", ".join(f"{c} {error:.4g}" for c, error in zip(classes, typed.errors, strict=True))
            named = [f"{describe(limit.measure)} {limit.side} {limit.limit:.6g}" for limit in limits]
            values = (limit.measure.values(found, classes) for limit in limits)
            of_limits = (f"Limit: {name}, in-sample {x:.4g}" for name, x in zip(named, values, strict=True))
            self.kept = (f"Errors in-sample: {errors}", *of_limits)
            self.called = tuple(found.sum(axis=0) / found.sum())
            self.aim = f"least {describe(objective)}{''.join(f', {name}' for name in named)}"
        self.plan = policy.plan(typed)

    @property
    def asks(self) -> str | None:
        return self.aim

    def told(self) -> Iterator[str]:
        from rochull.decisions.plans import Largest

        weights = next(plan.weights for plan in self.plan.walk() if isinstance(plan, Largest))
        named = ", ".join(f"{c} {w:.6g}" for c, w in zip(self.policy.classes, weights, strict=True))
        if self.aim is not None:
            yield f"Condition: {self.aim}"
        yield f"Rule: the class with the largest product of weight and output; weights: {named}"
        yield from self.kept

    def summary(self, counts: Mapping[str, int]) -> Iterator[str]:
        lines = list(super().summary(counts))
        shares = [f"; in-sample {percentage(share)}" for share in self.called] or [""] * len(lines)
        yield from map("".join, zip(lines, shares, strict=True))


class SavedAnswer(Decider):
    """A plan that was found before: a rule for all cases, one for each group, or of whatever kind."""

    what = "a saved plan"

    def check(self) -> None:
        self.asked.refuse_any(self.what, self.policy.condition)
        self.plan = self.policy.plan()

    @property
    def asks(self) -> str | None:
        return self.policy.condition or None

    def told(self) -> Iterator[str]:
        from rochull.conditions.rules import brief

        if self.policy.condition:
            yield f"Condition: {self.policy.condition}"
        points = self.policy.points
        if not points:
            yield f"Plan, as it was saved: {self.plan}"
        elif not self.plan.features:
            yield f"Rule, as it was saved: {brief(points[''])} (rates in-sample)"
        else:
            columns = ", ".join(map(repr, self.plan.features))
            yield f"Rules by {columns}, as they were saved (rates in-sample):"
            for name, point in points.items():
                yield f"  {'missing' if name is None else name}: {brief(point)}"


# For each format of a document the class of the policy, and what it can be asked here.
DECIDERS: dict[str, tuple[str, type[Decider]]] = {
    "rochull-policy": ("rochull.policies.policy:Policy", Binary),
    "rochull-segment-policy": ("rochull.segments.segment_policy:SegmentPolicy", Segmented),
    "rochull-cascade": ("rochull.cascades.cascade_policy:CascadePolicy", Cascaded),
    "rochull-multiclass-policy": ("rochull.multiclass.multiclass_policy:MulticlassPolicy", Several),
    "rochull-plan": ("rochull.policies.saved_plan:SavedPlan", SavedAnswer),
    "rochull-group-policy": (
        "rochull.policies.saved_plan:SavedPlan",
        SavedAnswer,
    ),  # as it was written before
    "rochull-fixed-policy": ("rochull.policies.saved_plan:SavedPlan", SavedAnswer),  # and this
}


def kind_of(format_: object) -> tuple[Any, type[Decider]]:
    """The class of the policies of a format, and what they can be asked; of an unknown one a Policy's."""
    where, here = DECIDERS.get(str(format_), DECIDERS["rochull-policy"])
    module, _, name = where.partition(":")
    return getattr(import_module(module), name), here
