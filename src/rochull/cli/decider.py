"""Requests to a policy on the command line, and the answers of its plan, whatever its kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

from rochull._core.cached import cached_property
from rochull.cli.goals import Goal, TypedGoal, given_goal
from rochull.cli.options import UsageError, flag

if TYPE_CHECKING:
    from rochull.cli.conditions import Options
    from rochull.conditions.base import Condition
    from rochull.conditions.rules import Rule
    from rochull.decisions.batch_check import BatchCheck
    from rochull.decisions.guard import Watch
    from rochull.decisions.kinds import Sight
    from rochull.decisions.plans import Plan
    from rochull.scanning.engines.duckdb_decide import DecisionCounts

STRANGERS = "aux: {count} of {rows} cases have values never seen in training; the rule for cases elsewhere"
STRANGERS += " decides them."
Columns = Mapping[Any, Any]  # name in the policy -> column of a table, or (table, column)


@dataclass(frozen=True)
class Asked:
    """The request to a policy, as typed; it is checked before any file is read."""

    options: Options
    condition: Condition | None
    goal: TypedGoal
    deterministic: bool
    minimax: bool
    max_calls: float | None = None
    needs: str | None = None
    by_segment: Mapping[str, int] = field(default_factory=dict)
    prices: bool = False  # whether a rule that was found before may be judged by the costs of the condition

    def __post_init__(self) -> None:
        if self.condition is not None and self.minimax:
            said = "--minimax has no effect without an interval, such as --cost-fn 5:50."
            self.condition.question.refuse(precise=UsageError(said))
        if self.by_segment and self.deterministic:
            raise UsageError("--deterministic has no effect on --cases-of: each number is kept exactly.")
        Goal.of_typed(self.goal)

    @property
    def how(self) -> dict[str, bool]:
        """Keyword arguments for the methods of two-class policies."""
        return {"deterministic": self.deterministic, "minimax": self.minimax}

    def require(self) -> None:
        """Raise unless something was asked."""
        if self.condition is None and given_goal(self.goal) is None:
            raise UsageError(
                "name a condition to decide under, such as --max-fpr 0.05 (of several classes --minimise "
                "max-error)."
            )

    def refuse_any(self, what: str, found_for: str = "") -> None:
        """Refuse all that a policy whose rules are fixed, and were found for this, cannot be asked."""
        kind = None if self.prices else self.options.kind
        given = (kind, given_goal(self.goal), *(name for name, on in self.how.items() if on))
        asked = next((name for name in given if name is not None), None)
        if asked is not None:
            raise UsageError(
                f"{flag(asked)} cannot change {what}, which decides as it was saved"
                f"{f' ({found_for})' if found_for else ''}; leave it out."
            )
        self.refuse_calls(what)

    def refuse_calls(self, what: str) -> None:
        """Refuse what is for cascades alone."""
        for name in ("max_calls", "needs"):
            if getattr(self, name) is not None:
                raise UsageError(f"{flag(name)} is for cascades, which {what} is not.")


def percentage(share: float) -> str:
    """A share for reading: 12.3%, and of few cases in many two figures, as 0.04%."""
    digits = 1 - math.floor(math.log10(100 * share)) if share else 1
    return f"{share:.{max(1, digits)}%}"


def _truths(values: Any) -> Any:
    """Values (n,); truth values that a CSV file has as words become such."""
    if values.dtype.kind not in "OU":
        return values
    import numpy as np

    words = {"true": True, "false": False}
    return np.array([words.get(value, value) for value in values.tolist()], object)


def _reached(column: str, rule: Rule) -> str:
    """The condition that a score reaches a threshold, which NaN does not: quicker than the rule's own."""
    low, high = ("-inf", rule.threshold) if rule.lower_is_positive else (rule.threshold, "inf")
    return f"CAST({column} AS DOUBLE) BETWEEN CAST('{low}' AS DOUBLE) AND CAST('{high}' AS DOUBLE)"


PLAIN = {"positive": "true", "negative": "false"}
WORDS = {word: word for word in ("positive", "review", "negative")}  # where cases may be reviewed


class Decider:
    """A policy, what was asked of it, and the plan that it found; a kind says what it can be asked.

    As it is here a policy of any kind is asked a condition of two classes.

    Attributes
    ----------
    policy : what was loaded.
    condition : what it is asked; None if its plan was found before.
    note : what was taken for granted, as nothing was typed.
    what : what messages call it.
    knows_a_part : whether there may be other classifiers, which the policy does not need.
    made_by : the policy's file, format and checksum.
    """

    what: ClassVar[str] = "this policy"
    knows_a_part: ClassVar[bool] = True
    note: str | None = None
    condition: Any = None
    made_by: Mapping[str, Any]

    def __init__(self, policy: Any, asked: Asked) -> None:
        self.policy, self.asked = policy, asked
        self.check()

    def check(self) -> None:
        """Refuse what the policy cannot be asked, and note what is."""
        goal = given_goal(self.asked.goal)
        if goal is not None:
            raise UsageError(f"{flag(goal)} is for policies of several classes, which {self.what} is not.")
        self.asked.refuse_calls(self.what)
        self.asked.require()
        self.condition = self.asked.condition

    def agree_with(self, other: Decider) -> None:
        """Ask the same as another one asks its policy, unless the rule was found before."""
        if self.condition is not None:
            self.condition = other.condition

    @cached_property
    def plan(self) -> Plan:
        """The plan that decides the cases."""
        given = {name: True for name, on in self.asked.how.items() if on}
        other = next((name for name in given if name not in signature(self.policy.at).parameters), None)
        if other is not None:
            raise UsageError(f"{flag(other)} has no effect on {self.what}.")
        found: Plan = self.policy.plan(self.condition, **given)
        return found

    @cached_property
    def watch(self) -> Watch:
        """The look at the table before decisions are written."""
        found: Watch = self.policy.watch()
        return found

    def looked(self, columns: Columns) -> dict[Any, str]:
        """Conditions on scores that are counted for it, by the numbers of kind and cut."""
        from rochull._core.file_queries import quoted
        from rochull.conditions.rules import Rule
        from rochull.decisions.score_kind import ScoreKind

        any_score = Rule("threshold", threshold=-math.inf)
        return {
            (k, i): _reached(quoted(columns[kind.classifier]), rule)
            for k, kind in enumerate(self.watch.kinds)
            if isinstance(kind, ScoreKind) and kind.classifier in columns
            for i, rule in enumerate((any_score, *kind.cuts))
        }

    @property
    def sampled(self) -> bool:
        """Whether rows are needed for it, as no condition on a score tells enough."""
        from rochull.decisions.score_kind import ScoreKind

        return not all(isinstance(kind, ScoreKind) for kind in self.watch.kinds)

    def _sight(self, found: DecisionCounts, columns: Columns) -> Sight:
        """Rows that DuckDB kept, evenly drawn, as in memory."""
        import warnings

        from rochull.decisions.kinds import Sight

        held, decided = found.sample()
        table = {name: held[place] for name, place in columns.items()}
        for name in (name for name, is_text in self.features.items() if not is_text and name in table):
            table[name] = _truths(table[name])
        decider = self.policy.decider
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are said of all rows
            read = decider.read(self.plan, table, random_state=0)
        return Sight.of(read.known_of_all(decider.classifiers), decided == "true")

    def judged(self, found: DecisionCounts, columns: Columns) -> BatchCheck:
        """Check a table by what DuckDB counted in these columns."""
        from rochull.conditions.rules import Scores
        from rochull.decisions.guard import Counted

        counts_of: dict[int, list[int]] = {}
        for (k, _), count in found.looked.items():
            counts_of.setdefault(k, []).append(count)
        others = [k for k in range(len(self.watch.kinds)) if k not in counts_of] if self.sampled else []
        sight = self._sight(found, columns) if others else None
        of_kinds = [
            self.watch.kinds[k].counted(sight) if k in others and sight is not None else counts_of.get(k)
            for k in range(len(self.watch.kinds))
        ]
        words = {text: word for word, text in self.written.items()}
        counts = {words.get(text): n for text, n in found.decided.items()}
        decided = {word: counts.get(word, 0) for word in self.watch.promises}
        some = lambda kind: Scores(found.some(columns[kind.classifier]))  # noqa: E731
        return self.watch.judged(Counted(found.rows, of_kinds, decided, some))

    @property
    def numbers(self) -> tuple[Any, ...]:
        """The classifiers, or classes, whose columns of numbers are needed."""
        return self.plan.classifiers

    @property
    def of_batch(self) -> bool:
        """Whether a table as a whole keeps the condition."""
        return False

    @property
    def chance(self) -> bool:
        """Whether something is left to chance, unless there are keys."""
        return self.plan.is_mixed

    @property
    def known(self) -> tuple[Any, ...]:
        """All names in the policy that a column may have."""
        return self.policy.decider.known  # type: ignore[no-any-return]

    @property
    def features(self) -> dict[Any, bool]:
        """Names of the auxiliary features, and whether they are texts."""
        return self.plan.features

    def told(self) -> Iterator[str]:
        """Yield sentences on the condition and the rule."""
        yield f"Condition: {self.asks}"
        yield f"Rule: {self.plan}"

    @property
    def asks(self) -> str | None:
        """The condition in words; None where nothing was asked."""
        from rochull.conditions.clauses import BRIEF

        return None if self.condition is None else BRIEF.told(self.condition.question.clause)

    def promised(self, rows: int) -> dict[str, float]:
        """The largest share of a table's rows that may be decided so, where the condition says one."""
        return {}

    def decide(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> Any:
        """The decisions (n,) on columns that are called as in the policy."""
        how = {"key": key, "random_state": random_state}
        return self.policy.decider.decided(self.plan, columns, watched=self.watch, **how)

    def warn_of_cases(self, rows: int) -> None:
        """Warn of a number of cases that is beyond that of the rows."""

    def to_sql(self, dialect: str, key: Any, columns: Columns) -> str:
        """One expression."""
        return self._sql(self.plan, columns, dialect, key)

    def in_duckdb(self, key: Any, columns: Columns) -> str:
        """The expression for a column of decisions, of the type that it has in memory."""
        text = self.to_sql("duckdb", key, columns)
        whole = [type(label) for label in self.plan.classes] == [int] * len(self.plan.classes) != []
        return f"CAST({text} AS BIGINT)" if whole else text

    def _sql(self, plan: Plan, columns: Columns, dialect: str = "duckdb", key: Any = None) -> str:
        text: str = self.policy.decider.expressed(plan, dialect, key=key, columns=columns)
        return text

    def estimate_prevalence(self, estimated: Callable[[Any], Any]) -> Any:
        """Decide at the prevalence that is estimated for the policy."""
        raise UsageError("--prevalence estimate needs a policy of one threshold for all; give a number.")

    @property
    def written(self) -> dict[str, str]:
        """Possible decisions: how each is written in a table, by the word typed for it."""
        if self.plan.classes:
            return {str(label): str(label) for label in self.plan.classes}
        return WORDS if self.plan.can_review else PLAIN

    def ranks(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> dict[str, Any]:
        """More columns beside the decisions: of a capacity in cases the order of the cases."""
        return {}

    def by_lot(self, columns: Columns) -> str | None:
        """The condition on a row that lots decide it; None if they decide none."""
        first, *others = (self._sql(plan, columns) for plan in self.plan.drawn())
        return " OR ".join(f"({first}) <> ({other})" for other in others) or None

    def counted(self, columns: Columns) -> dict[str, str]:
        """Conditions on rows to count before DuckDB decides, by the warning that they lead to."""
        import numpy as np

        from rochull._core.file_queries import quoted
        from rochull.decisions.score_columns import ROUNDED

        missed = []
        for plan in () if self.plan.classes else self.plan.drawn():
            for name in plan.classifiers:
                for kind, dtype in (("FLOAT", np.dtype("f4")), ("DOUBLE", np.dtype("f8"))):
                    types = dict.fromkeys(columns, np.dtype("i8")) | {name: dtype}
                    rounded = plan.rounded_in(types.__getitem__)
                    if rounded != plan:
                        apart = f"({self._sql(plan, columns)}) <> ({self._sql(rounded, columns)})"
                        missed.append(f"typeof({quoted(columns[name])}) = '{kind}' AND {apart}")
        found = {ROUNDED: " OR ".join(f"({each})" for each in missed)} if missed else {}
        unseen = self.plan.elsewhere_alone()
        return found if unseen is None else found | {STRANGERS: self._sql(unseen, columns)}

    def refused(self, columns: Columns) -> dict[str, str]:
        """The same of what no row may be."""
        if not self.plan.refuses:
            return {}
        of_classes = "{count} of {rows} cases have an output that is missing, negative or infinite."
        told = of_classes if self.plan.classes else "{count} of {rows} cases are of no group that has a rule."
        return {told: f"({self._sql(self.plan.drawn()[0], columns)}) IS NULL"}

    def summary(self, counts: Mapping[str, int]) -> Iterator[str]:
        """How many cases got which decision."""
        size = sum(counts.values())
        for said, names in self._said(counts).items():
            called = sum(counts.get(name, 0) for name in names)
            yield f"{said}: {called:,} of {size:,} cases ({percentage(called / size)})"

    def _said(self, counts: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
        """Return which decisions each line of the summary counts."""
        if self.plan.classes:
            return {f"Called {label}": (str(label),) for label in self.plan.classes}
        reviewed = {"Review": ("review",)} if {"review", "negative"} & counts.keys() else {}
        return {"Positive": ("true", "positive"), **reviewed}
