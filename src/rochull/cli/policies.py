"""Policies of every kind on the command line: what each needs of a table, how it decides, and its SQL.

The document says which kind it is. Two classes are decided under a condition, several by what is best.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rochull._core.warned import warn
from rochull.cli.decider import WORDS, Asked, Columns, Decider, RuleDecider, percentage
from rochull.cli.fixed import Grouped, Single
from rochull.cli.goals import Goal, given_goal, weights_in
from rochull.cli.options import UsageError, flag

if TYPE_CHECKING:
    from rochull.conditions.rules import Rule


class _Binary(RuleDecider):
    """Two classes: one rule, or one for each segment."""

    def __init__(self, policy: Any, asked: Asked) -> None:
        self.check(asked)
        asked.refuse_calls(self.what)
        asked.require()
        from rochull.cli.conditions import at_its_own

        self.policy, self.how, stated = policy, asked.how, asked.condition
        self.condition, self.note = at_its_own(policy, stated)  # type: ignore[arg-type] # it is required

    what = "a policy of two classes"
    knows_a_part = True  # those on the hull

    @classmethod
    def check(cls, asked: Asked) -> None:
        """Refuse what is for several classes."""
        goal = given_goal(asked.goal)
        if goal is not None:
            raise UsageError(f"{flag(goal)} is for policies of several classes, which {cls.what} is not.")

    @property
    def known(self) -> tuple[Any, ...]:
        names = self.policy.classifiers
        return (*names, *(name for name in self.features if name not in names))

    def told(self) -> Iterator[str]:
        from rochull.decisions import batches
        from rochull.hybrid.sensitivity import brief

        if self.note is not None:
            yield self.note
        from rochull.conditions.clauses import BRIEF

        yield f"Condition: {BRIEF.told(self.condition.clause)}"
        if self.condition.reviews_in_batch is not None:
            self.numbers, self.chance = self.policy.hull.classifiers, not self.how["deterministic"]
            yield "Rule: reviewed are the cases of this table of which a review saves the most."
        elif batches.cases_of(self.condition) is None:
            point = self.policy.at(self.condition, **self.how)
            self.numbers, self.chance = point.classifiers, len(point.rules) > 1
            least = " of least worst regret" * self.how["minimax"]
            between = self.how["minimax"] or not self.condition.best_is_vertex
            held = self.how["deterministic"] and between and not self.features
            of = ", of the thresholds that the policy holds" * held
            yield f"Rule{least}{of}: {brief(point)} (rates in-sample)"
        else:
            self.numbers, self.chance = self._every_classifier(), not self.how["deterministic"]
            yield "Rule: the best cases of this table, as many as can be flagged."

    @property
    def written(self) -> dict[str, str]:
        return WORDS if self.condition.can_review else super().written

    def _every_classifier(self) -> tuple[str, ...]:
        from rochull.decisions import batches

        return batches.classifiers_of(batches.ladder(self.policy.hull))

    def decide(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> Any:
        found = self.policy.decide(columns, self.condition, key=key, random_state=random_state, **self.how)
        cases = self.condition.cases_in_batch
        if cases is not None and cases > len(found):
            warn(f"--cases {cases:,} limits nothing: the table has {len(found):,} rows.")
        return found

    def ranks(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> dict[str, Any]:
        of_batch = self.condition.cases_in_batch, self.condition.reviews_in_batch
        if of_batch == (None, None) or self.how["deterministic"]:
            return {}
        if self.condition.lacks_prevalence and self.policy.hull.prevalence is None:
            print("No ranks and probabilities: the policy was made from rates, so these need --prevalence.")
            return {}
        found = self.ranked(columns, {"key": key, "random_state": random_state})
        return {"rank": found.rank, "probability": found.probability}

    def estimate_prevalence(self, read: Callable[[tuple[Any, ...]], Mapping[Any, Any]]) -> Any:
        from rochull.policies.prevalence import under

        found = self.policy.estimate_prevalence(read(self.policy.classifiers))
        self.condition = under(self.condition, "estimate", lambda: found)
        return found

    def ranked(self, columns: Mapping[Any, Any], how: dict[str, Any]) -> Any:
        """The order of the cases."""
        return self.policy.rank(columns, self.condition, **how)

    def to_sql(self, dialect: str, key: Any, columns: Columns) -> str:
        text: str = self.policy.to_sql(self.condition, dialect, key=key, columns=columns, **self.how)
        return text

    def _mixed(self) -> tuple[tuple[Rule, ...], ...]:
        point = self.policy.at(self.condition, **self.how)
        return tuple((rule,) for rule, _ in point.rules)

    def _alone(self, rules: tuple[Rule, ...], columns: Columns) -> str:
        from rochull.conditions.rules import OperatingPoint

        [rule] = rules
        known = {n: at for n, at in columns.items() if n in rule.classifiers or n in self.features}
        text: str = self.policy.to_sql(OperatingPoint(0.0, 0.0, ((rule, 1.0),)), "duckdb", columns=known)
        return text


class _Segmented(_Binary):
    """Two classes, with a rule for each segment; or so many cases of each."""

    estimate_prevalence = Decider.estimate_prevalence

    def __init__(self, policy: Any, asked: Asked) -> None:
        from rochull._core.table_errors import unknown
        from rochull.cli.conditions import ELSEWHERE

        super().__init__(policy, asked)
        if self.condition.can_review:
            raise UsageError(
                "a policy by segment has no reviews. Make a policy of each segment, such as by "
                """rochull report --where "country = 'DE'"; rochull sql writes what each decides, """
                "and a CASE joins them."
            )
        known, axes = [*policy.segments, ELSEWHERE], policy.bins.axes
        self.cases: dict[str | None, int] = {}
        for typed, count in asked.by_segment.items():
            whole = f"{axes[0].column} = {typed}" if len(axes) == 1 else typed
            name = whole if typed not in known and whole in known else typed
            if name not in known:
                raise unknown(f"--cases-of: {name!r} is no segment of the policy", name, known)
            segment = name if name in policy.segments else None
            if segment in self.cases:
                raise UsageError(f"--cases-of says twice how many cases of {name!r}.")
            self.cases[segment] = count

    def told(self) -> Iterator[str]:
        if not self.cases:
            yield from super().told()
            return
        self.numbers, self.chance = self._every_classifier(), True
        if self.note is not None:
            yield self.note
        told = (f"{count} of {name or 'cases elsewhere'}" for name, count in self.cases.items())
        yield f"Condition: at most {', '.join(told)} flagged"
        yield "Rule: the most likely positives of each segment."

    def decide(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> Any:
        if not self.cases:
            return super().decide(columns, key, random_state)
        try:
            return self.policy.decide(columns, self.cases, key=key, random_state=random_state)
        except ValueError as error:
            raise ValueError(re.sub(r"^condition\b", "--cases-of", str(error))) from error

    def ranked(self, columns: Mapping[Any, Any], how: dict[str, Any]) -> Any:
        if not self.cases:
            return super().ranked(columns, how)
        return self.policy.rank(columns, self.cases, prevalence=self.condition.own_prevalence, **how)

    @property
    def features(self) -> dict[Any, bool]:
        return {axis.column: axis.holds_texts for axis in self.policy.bins.axes}

    def _every_classifier(self) -> tuple[str, ...]:
        return self.policy.classifiers  # type: ignore[no-any-return]

    def counted(self, columns: Columns) -> dict[str, str]:
        unseen = self.policy.unseen_sql("duckdb", columns={n: columns[n] for n in self.features})
        return super().counted(columns) | {
            "aux: {count} of {rows} cases have values never seen in training; the rule for cases elsewhere "
            "decides them.": unseen
        }


class _Cascade(Decider):
    """Classifiers in an order; or for which cases one of them is asked."""

    def __init__(self, policy: Any, asked: Asked) -> None:
        if given_goal(asked.goal) is not None:
            raise UsageError(f"{flag(str(given_goal(asked.goal)))} is for policies of several classes.")
        condition = asked.condition
        if condition is None or condition.costs is not condition:
            raise UsageError(
                "a cascade decides under costs, in the unit of its prices: --cost-fp and --cost-fn, and "
                "--max-calls for a budget."
            )
        if condition.intervals:
            raise UsageError("a cascade needs single costs and a single prevalence, and no intervals.")
        if asked.needs is not None and asked.needs not in policy.classifiers:
            from rochull._core.table_errors import unknown

            raise unknown(
                f"--needs: {asked.needs!r} is not a classifier of the cascade",
                asked.needs,
                list(policy.classifiers),
            )
        self.policy, self.needs = policy, asked.needs
        self.point = policy.at(condition, asked.max_calls, asked.deterministic)
        self.plan = self.point.plan if self.needs is None else self.point.plan.needing(self.needs)
        self.numbers, self.chance = self.plan.classifiers, self.plan.is_mixed
        if policy.classifiers[0] not in self.numbers:  # it says how many cases there are
            self.numbers = (policy.classifiers[0], *self.numbers)
        if condition.lacks_prevalence:
            self.note = (
                f"No --prevalence given: that of the policy's own data, {policy.prevalence:.4g}, was used."
            )

    @property
    def known(self) -> tuple[Any, ...]:
        return self.policy.classifiers  # type: ignore[no-any-return]

    def told(self) -> Iterator[str]:
        if self.note is not None:
            yield self.note
        asked = ", ".join(f"{name} for {share:.1%}" for name, share in self.point.calls.items())
        yield f"Asked: {asked} of the cases; expected cost per case {self.point.cost:.4g} (in-sample)."
        if self.needs is not None:
            yield f"Decision: whether {self.needs} is asked."

    def decide(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> Any:
        made = self.policy.decide if self.needs is None else self.policy.needs_score
        first = () if self.needs is None else (self.needs,)
        return made(*first, columns, self.point, key=key, random_state=random_state)

    def to_sql(self, dialect: str, key: Any, columns: Columns) -> str:
        made = self.policy.to_sql if self.needs is None else self.policy.needs_score_sql
        first = () if self.needs is None else (self.needs,)
        text: str = made(*first, self.point, dialect, key=key, columns=columns)
        return text

    @property
    def called_positive(self) -> str:
        return "Positive" if self.needs is None else f"Asks {self.needs}"


class _Several(Decider):
    """More than two classes: weights, or the best point of the policy."""

    def __init__(self, policy: Any, asked: Asked) -> None:
        asked.refuse_calls("a policy of several classes")
        asked.require()
        if asked.options.kind is not None:
            raise UsageError(
                f"{flag(asked.options.kind)} is for policies of two classes, and this one has "
                f"{len(policy.classes)}: say what is best, such as --minimise max-error."
            )
        for name, given in asked.how.items():
            if given:
                raise UsageError(f"{flag(name)} has no effect on a policy of several classes.")
        self.policy, self.numbers = policy, policy.classes
        typed = weights_in(asked.goal, policy.classes)
        if typed is None:
            objective, limits = Goal.of_typed(asked.goal).of(list(policy.classes))
            self.point: Any = policy.at(objective, limits)
        else:
            self.point = typed

    @property
    def known(self) -> tuple[Any, ...]:
        return self.policy.classes  # type: ignore[no-any-return]

    def told(self) -> Iterator[str]:
        weights = getattr(self.point, "rules", ((self.point, 1.0),))[0][0]
        named = ", ".join(f"{c} {w:.6g}" for c, w in zip(self.policy.classes, weights, strict=True))
        yield f"Rule: the class with the largest product of weight and output; weights: {named}"

    def decide(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> Any:
        return self.policy.decide(columns, self.point, columns={name: name for name in self.numbers})

    def to_sql(self, dialect: str, key: Any, columns: Columns) -> str:
        text: str = self.policy.to_sql(self.point, dialect, columns=columns)
        return text

    @property
    def written(self) -> dict[str, str]:
        return {str(label): str(label) for label in self.policy.classes}

    def refused(self, columns: Columns) -> dict[str, str]:
        unusable = f"({self.to_sql('duckdb', None, columns)}) IS NULL"
        return {"{count} of {rows} cases have an output that is missing, negative or infinite.": unusable}

    def summary(self, counts: Mapping[str, int]) -> Iterator[str]:
        size = sum(counts.values())
        for label in map(str, self.policy.classes):
            called = counts.get(label, 0)
            yield f"Called {label}: {called:,} of {size:,} cases ({percentage(called / size)})"


def load(path: Path, asked: Asked) -> Decider:
    """The policy in a file, of whatever kind its document says that it is."""
    from rochull._core.documents import read_file
    from rochull.decisions.any_policy import PolicyError
    from rochull.policies.policy import Policy

    def read(text: bytes) -> Decider:
        try:
            document = Policy.schema.parsed(text)
        except ValueError as error:
            raise PolicyError(str(error)) from None
        kind = document.get("format") if isinstance(document, dict) else None
        of_kind, made_by = _kinds().get(str(kind), (_Binary, Policy))
        if asked.by_segment and of_kind is not _Segmented:
            raise UsageError("--cases-of is for a policy by segment, which this one is not.")
        made: Decider = of_kind(made_by.from_dict(document), asked)
        return made

    return read_file(path, read, PolicyError)


def _kinds() -> dict[str, tuple[Any, Any]]:
    """For each format of a document what decides here, and the class of the policy."""
    from rochull.cascades.policy import CascadePolicy
    from rochull.groups.policy import GroupPolicy
    from rochull.multiclass.policy import MulticlassPolicy
    from rochull.policies.fixed import FixedPolicy
    from rochull.policies.policy import Policy
    from rochull.segments.policy import SegmentPolicy

    both = (
        (_Binary, Policy), (_Segmented, SegmentPolicy), (_Cascade, CascadePolicy),
        (_Several, MulticlassPolicy), (Grouped, GroupPolicy), (Single, FixedPolicy),
    )  # fmt: skip
    return {policy.schema.format: (here, policy) for here, policy in both}


def columns_typed(
    typed: Sequence[str],
    known: Sequence[Any],
    read: Any,
    asked: str = "--column must be NAME=COLUMN",
    *,
    others: bool = False,
) -> dict[Any, Any]:
    """What was typed for names as --column NAME=COLUMN is; `read` makes a place of what stands behind.

    With `others` other names are passed over where every known one was typed, as in Python.
    """
    split = {text: _split(text, known) for text in typed}
    found = {name: read(place) for name, place in filter(None, split.values())}
    for text, own in split.items():
        if own is None and not (others and "=" in text and all(name in found for name in known)):
            from rochull._core.table_errors import listed, nearest

            raise UsageError(
                f"{asked}, but is {text!r}; the names are {listed(known)}."
                + (nearest(text.partition("=")[0], known) if "=" in text else "")
            )
    return found


def _split(text: str, known: Sequence[Any]) -> tuple[Any, str] | None:
    """Name and column, if it is a known one; a name may hold the sign too."""
    for name in sorted(known, key=lambda name: len(str(name)), reverse=True):
        if text.startswith(f"{name}=") and len(text) > len(str(name)) + 1:
            return name, text[len(str(name)) + 1 :]
    return None
