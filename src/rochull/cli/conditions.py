"""Conditions as they are typed: a row for each kind, the options of commands made from the rows."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from rochull._core.messages import changed, in_place_of
from rochull.cli.declared import Option
from rochull.cli.options import UsageError, flag, number_of_option, words

if TYPE_CHECKING:
    from rochull.conditions.base import Condition
    from rochull.conditions.costs import ExpectedCost

Command = Callable[..., Any]
Typed = dict[str, str | None]  # options of conditions, as they were typed


@dataclass(frozen=True)
class Kind:
    """A kind of condition on the command line: its class, and the help of its options.

    Attributes
    ----------
    name : the class in :mod:`rochull.conditions`, which is not imported before it is used.
    options : help of each option.
    called : parameters of the class that are not called as their options.
    has_prevalence : whether it depends on the proportion of positives.
    otherwise : what an option that was not typed stands for, if another was.
    more : another kind, whose options it has too.
    """

    name: str
    options: Mapping[str, str]
    called: Mapping[str, str] | None = None
    has_prevalence: bool = False
    otherwise: float | None = None
    more: Kind | None = None

    def given(self, numbers: Mapping[str, Any]) -> dict[str, Any]:
        """Select the numbers that the class takes, by parameter."""
        called = self.called or {}
        own = {called.get(n, n): self.otherwise if numbers[n] is None else numbers[n] for n in self.options}
        return own if self.more is None else self.more.given(numbers) | own

    def make(self, numbers: Mapping[str, Any], prevalence: Any) -> Condition:
        """The condition with these numbers, by option."""
        from rochull import conditions

        given = self.given(numbers)
        if self.has_prevalence:
            given["prevalence"] = prevalence
        made: Condition = getattr(conditions, self.name)(**given)
        return made

    def depends(self, typed: Typed) -> bool:
        """Whether it depends on the proportion of positives, as it was typed."""
        return self.has_prevalence

    def check(self, typed: Typed) -> None:
        """Refuse what cannot have been meant."""


# What can be the best by name: the class in `rochull.conditions`, and whether it depends on the prevalence.
NAMED = {
    "youden": ("Youden", False),
    "balanced-accuracy": ("BalancedAccuracy", False),
    "f-beta": ("FBeta", True),
    "mcc": ("MCC", True),
    "closest-top-left": ("ClosestTopLeft", False),
    "equal-error-rate": ("EqualErrorRate", False),
    "churn-profit": ("ChurnProfit", True),
    "credit-profit": ("CreditProfit", True),
}


class Named(Kind):
    """A criterion with a name, such as Youden's index."""

    def make(self, numbers: Mapping[str, Any], prevalence: Any) -> Condition:
        from rochull import conditions
        from rochull.conditions.within import as_condition

        name, has_prevalence = NAMED[numbers["maximise"]]
        beta = {} if numbers["beta"] is None else {"beta": numbers["beta"]}
        made = getattr(conditions, name)(**beta, **{"prevalence": prevalence} if has_prevalence else {})
        return as_condition(made)

    def depends(self, typed: Typed) -> bool:
        return NAMED[str(typed["maximise"])][1]

    def check(self, typed: Typed) -> None:
        name = typed["maximise"]
        if typed["beta"] is not None and name != "f-beta":
            raise UsageError("--beta needs --maximise f-beta.")
        if name not in NAMED:
            raise UsageError(f"--maximise must be one of {', '.join(NAMED)}, but is {name!r}.")


MAXIMISE = Named(
    "",
    {
        "maximise": f"What is to be the best, by name: {', '.join(NAMED)}.",
        "beta": "With f-beta: how much recall counts. (1)",
    },
)
COSTS = Kind(
    "ExpectedCost",
    {
        "cost_fp": "Cost of a false positive. (1 if only the other is given)",
        "cost_fn": "Cost of a false negative. (1 if only the other is given)",
    },
    has_prevalence=True,
    otherwise=1.0,
)


class _Review(Kind):
    """A third action: its limits are single numbers, and the reviewer is a pair of rates."""

    def given(self, numbers: Mapping[str, Any]) -> dict[str, Any]:
        found = super().given(numbers)
        for name in ("max_reviews", "max_review_share", "max_decided_error", "reviewer_fpr", "reviewer_tpr"):
            if isinstance(numbers[name], tuple):
                raise UsageError(f"{flag(name)} must be one number, but is an interval.")
        false, true = found.pop("reviewer_fpr"), found.pop("reviewer_tpr")
        if false is not None or true is not None:
            found["reviewer"] = (false or 0.0, 1.0 if true is None else true)
        return {name: value for name, value in found.items() if value is not None}


class _LeastShare(Kind):
    """A least share to flag, which says nothing of what is best."""

    def make(self, numbers: Mapping[str, Any], prevalence: Any) -> Any:
        from rochull.conditions.measures import AlarmRate

        return AlarmRate(prevalence) >= numbers["min_share"]


CAPACITY = Kind(
    "Capacity",
    {
        "cases": "How many cases can be flagged ...",
        "population": "... out of how many.",
        "fraction": "The share that can be flagged.",
    },
    has_prevalence=True,
)
LEAST_SHARE = _LeastShare(
    "",
    {"min_share": "Beside what is best or another limit: the least share to flag."},
    has_prevalence=True,
)
CONDITIONS = (
    MAXIMISE,
    COSTS,
    Kind("NeymanPearson", {"max_fpr": "Highest false positive rate allowed."}),
    Kind("MinimumPrecision", {"min_precision": "Lowest precision allowed."}, has_prevalence=True),
    CAPACITY,
    Kind("MinimumRecall", {"min_recall": "Lowest true positive rate allowed."}, {"min_recall": "min_tpr"}),
    LEAST_SHARE,
    _Review(
        "Review",
        {
            "cost_review": "Cost of a review: a case may be passed on to a reviewer. (0.1)",
            "max_reviews": "Of decide: largest number of the table's cases that can be reviewed.",
            "max_review_share": "Largest share of the cases that can be reviewed.",
            "max_decided_error": "Largest share of errors among the cases that are not reviewed.",
            "reviewer_fpr": "False positive rate of the reviewer. (0)",
            "reviewer_tpr": "True positive rate of the reviewer. (1)",
        },
        {"max_reviews": "max_cases", "max_review_share": "max_share", "max_decided_error": "max_error"},
        has_prevalence=True,
        more=COSTS,
    ),
)  # of several, the first says what is best: a cost, or else the recall
_PREVALENCE = {"prevalence": "Proportion of positives among the cases to decide."}
_HELP = COSTS.options | _PREVALENCE | {n: told for kind in CONDITIONS for n, told in kind.options.items()}  # type: ignore[operator]


_PANEL = "The condition (costs, limits, or both)"
ELSEWHERE = "elsewhere"  # what cases of no segment are called
_ALSO = {"cases": ("--max-cases",), "fraction": ("--max-share",)}


def _option(name: str, help: str) -> Any:
    names, metavar = (flag(name), *_ALSO.get(name, ())), "NAME" if name == "maximise" else "NUMBER"
    return Option(*names, help=help, metavar=metavar, rich_help_panel=_PANEL)


def takes(groups: Mapping[str, Mapping[str, Any]]) -> Callable[[Command], Command]:
    """Give a command groups of options, each in the place of a parameter that gets what was typed."""

    def decorate(command: Command) -> Command:
        hints = get_type_hints(command, include_extras=True)
        parameters = []
        for each in inspect.signature(command).parameters.values():
            for name, hint in groups.get(each.name, {}).items():
                hints[name] = hint
                parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hint))
            if each.name not in groups:
                parameters.append(each.replace(annotation=hints[each.name]))

        @functools.wraps(command)
        def run(**given: Any) -> Any:
            typed = {group: {name: given.pop(name) for name in groups[group]} for group in groups}
            return command(**typed, **given)

        run.__annotations__ = {name: hint for name, hint in hints.items() if name not in groups}
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return run

    return decorate


CONDITION = {name: Annotated[str | None, _option(name, told)] for name, told in _HELP.items()}
takes_condition = takes({"typed": CONDITION})


def single(text: str | None, name: str) -> float | None:
    """A number that may not be an interval."""
    value = number_of_option(text, name)
    if isinstance(value, tuple):
        raise UsageError(f"{flag(name)} must be one number, but is an interval.")
    return value


CasesOfOption = Annotated[
    list[str] | None,
    Option(
        help="By segment: how many of its cases can be flagged; repeat for each segment, and for "
        f"{ELSEWHERE}, where no segment's rule decides.",
        metavar="SEGMENT=NUMBER",
        rich_help_panel=_PANEL,
    ),
]


def cases_by_segment(given: Sequence[str], typed: Typed) -> dict[str, int]:
    """How many cases of each segment, as it was typed."""
    other = next((name for name, text in typed.items() if text is not None and name != "prevalence"), None)
    if given and other is not None:
        raise UsageError(f"--cases-of and {flag(other)} are different conditions; give one of them.")
    found: dict[str, int] = {}
    for text in given:
        name, sign, cases = text.rpartition("=")
        if not sign or not cases.strip().isdecimal():
            raise UsageError(f"--cases-of must be SEGMENT=NUMBER, a whole number of cases, but is {text!r}.")
        if name in found:
            raise UsageError(f"--cases-of says twice how many cases of {name!r}.")
        found[name] = int(cases)
    return found


MinimaxOption = Annotated[
    bool,
    Option(
        "--minimax",
        help="Of a range, such as --cost-fn 5:50: decide by the rule that risks least.",
        rich_help_panel=_PANEL,
    ),
]


ConfidenceOption = Annotated[
    str | None,
    _option("confidence", "With a limit: the probability with which the population keeps it too."),
]


def _beside(name: str, what: str) -> Any:
    return _option(f"figures_{name}", f"With a limit: {what} that the figures assume.")


FiguresCostFp = Annotated[str | None, _beside("cost_fp", "cost of a false positive")]
FiguresCostFn = Annotated[str | None, _beside("cost_fn", "cost of a false negative")]
FiguresPrevalence = Annotated[str | None, _beside("prevalence", "proportion of positives")]


MaxCallsOption = Annotated[
    str | None,
    Option(
        help="Of a cascade: how many classifiers beyond the first are asked per case, on average, at most; "
        "of two the share of the cases for which the second is asked, such as 0.05 for 500 of 10,000.",
        metavar="NUMBER",
    ),
]


NeedsOption = Annotated[
    str | None,
    Option(
        help="Of a cascade: tell for which cases this classifier is asked, and not how they are decided.",
        metavar="NAME",
    ),
]


class Options:
    """The condition as it was typed; it is checked before any data are read.

    Parameters
    ----------
    typed : what was typed, by option.
    batch : whether a table keeps a number of cases as a whole, whatever the population is.
    confidence : the probability with which the population is to keep a limit, as it was typed.
    segment : columns that thresholds may depend on.
    """

    def __init__(
        self,
        typed: Typed,
        batch: bool = False,
        confidence: str | None = None,
        segment: Sequence[str] | None = None,
    ) -> None:
        self._typed, self._confidence = typed, confidence
        if confidence is not None and segment:
            raise UsageError("--confidence is of one threshold for all; leave --confidence or --segment out.")
        given = [(kind, names) for kind in CONDITIONS if (names := [n for n in kind.options if self._has(n)])]
        held = [kind.more for kind, _ in given]
        given = [each for each in given if each[0] not in held]
        self._kinds = [kind for kind, _ in given]
        alone = next((names[0] for kind, names in given if kind.more is not None), None)
        if alone is not None and len(given) > 1:
            other = next(names[0] for kind, names in given if kind.more is None)
            hint = " (How many cases can be flagged is --max-cases.)" * (alone == "max_reviews")
            said = f"{flag(alone)} and {flag(other)} are different conditions; give one of them.{hint}"
            raise UsageError(said)
        self.kind: str | None = given[0][1][0] if given else None  # the first option that says which it is
        incomplete = self._has("cases") != self._has("population") and not (batch and self._has("cases"))
        if incomplete or (self._has("cases") and self._has("fraction")):
            raise UsageError("a capacity is either --cases with --population, or --fraction.")
        if batch and self._has("cases") and not self._has("population"):
            single(typed["cases"], "cases")
        if MAXIMISE in self._kinds and COSTS in self._kinds:
            second = flag(given[1][1][0])
            raise UsageError(f"--maximise and {second} both say what is best; give one of them.")
        if self._kinds == [LEAST_SHARE]:
            raise UsageError(
                "--min-share does not say what is best; give --cost-fn or a limit such as --min-precision."
            )
        if self._has("max_reviews") and not batch:
            raise UsageError(
                "--max-reviews is kept by a table as a whole (rochull decide); give --max-review-share."
            )
        for kind, _ in given:
            kind.check(typed)
        if self.prevalence and not self.needs_prevalence:
            why = "without a condition" if self.kind is None else f"with {flag(self.kind)}"
            raise UsageError(f"--prevalence has no effect {why}.")

    @property
    def typed(self) -> Typed:
        """The typed texts, by option."""
        return {**self._typed, "confidence": self._confidence}

    def _has(self, name: str) -> bool:
        return self._typed[name] is not None

    @property
    def prevalence(self) -> str | None:
        """The proportion of positives, if it was typed."""
        return self._typed["prevalence"]

    @property
    def needs_prevalence(self) -> bool:
        """Whether the condition depends on the proportion of positives."""
        return any(kind.depends(self._typed) for kind in self._kinds)

    def condition(self) -> Condition | None:
        """The condition, or None; it states a prevalence only if one was typed."""
        value = {
            name: text if name == "maximise" else number_of_option(text, name)
            for name, text in self._typed.items()
        }
        made: Condition | None = None
        if self._kinds:
            first, *others = self._kinds
            made = first.make(value, value["prevalence"])
            if others:
                from rochull.conditions.within import Within

                # Limits take the prevalence of the goal, if it has one.
                own = None if first.depends(self._typed) else value["prevalence"]
                made = Within(made, [kind.make(value, own) for kind in others])
        return self._assured(made)

    def _assured(self, made: Condition | None) -> Condition | None:
        """The same with the confidence that was typed."""
        confidence = number_of_option(self._confidence, "confidence")
        if confidence is None:
            return made
        if isinstance(confidence, tuple):
            raise UsageError("--confidence must be one number, but is an interval.")
        no_limit = UsageError("--confidence has no effect without a limit.")
        if made is None:
            raise no_limit
        assured = made.question.with_confidence(confidence)
        assured.refuse(no_confidence=no_limit)
        found: Condition = assured.asked
        return found


def at_its_own(policy: Any, condition: Condition) -> tuple[Condition, str | None]:
    """Return the condition, at the policy's own prevalence if none was typed, and a sentence about that."""
    of_batch = condition.question.cases_in_batch is not None and condition.question.beside_batch() is None
    if of_batch or not condition.question.lacks_prevalence:
        return condition, None
    known = condition.at_prevalence(policy.hull.prevalence)
    share = known.question.own_prevalence
    return known, f"No --prevalence given: that of the policy's own data, {share:.4g}, was used."


_FIGURES = (*COSTS.options, *_PREVALENCE)


@dataclass(frozen=True)
class Figures:
    """Costs and prevalence, as typed, that the figures beside a limit assume."""

    cost_fp: str | None
    cost_fn: str | None
    prevalence: str | None
    limit: Options

    def __post_init__(self) -> None:
        kind, given = self.limit.kind, self.given
        if given is not None and kind is None:
            raise UsageError(f"{given} has no effect without a condition.")
        if given is not None and kind is not None and kind in COSTS.options:
            raise UsageError(f"{given} has no effect with {flag(kind)}: the condition has costs of its own.")
        if self.prevalence is not None and kind is not None and self.limit.needs_prevalence:
            raise UsageError(f"--figures-prevalence has no effect with {flag(kind)}: give --prevalence.")

    @property
    def given(self) -> str | None:
        """The first of the options that was typed."""
        return next((flag(f"figures_{name}") for name in _FIGURES if getattr(self, name) is not None), None)

    def words(self, deterministic: bool) -> list[str]:
        """The options of the condition and its figures, as they were typed."""
        own = {f"figures_{name}": getattr(self, name) for name in _FIGURES}
        return words("", "", **self.limit.typed, **own, deterministic=deterministic)[3:]

    def costs(self) -> ExpectedCost | None:
        """Costs and prevalence, or None; without one typed it is left to the report."""
        from rochull.conditions.costs import ExpectedCost

        if self.given is None:
            return None
        values: dict[str, Any] = dict.fromkeys(COSTS.options, 1.0)
        for name in _FIGURES:
            found = number_of_option(getattr(self, name), f"figures_{name}")
            if isinstance(found, tuple):
                raise UsageError(f"{flag(f'figures_{name}')} must be one number, but is an interval.")
            if found is not None:
                values[name] = found
        with changed(in_place_of({name: f"figures_{name}" for name in _FIGURES})):
            return ExpectedCost(**values)
