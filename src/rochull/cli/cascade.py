"""``rochull cascade``: a more expensive classifier is asked only where it is worth its price."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

from rochull.cli.conditions import CONDITION, COSTS, MaxCallsOption, Options, Typed, single, takes
from rochull.cli.declared import Argument, Option
from rochull.cli.interrupted import Interruption
from rochull.cli.options import MissingOption, UsageError, no_ranges, say, warnings_as_lines, where_suggested
from rochull.cli.policies import columns_typed

if TYPE_CHECKING:
    from rochull.cascades.cascade import Cascade
    from rochull.cascades.held_out import CascadeTrial
    from rochull.conditions.costs import ExpectedCost

_TYPED = {name: CONDITION[name] for name in (*COSTS.options, "prevalence")}


@takes({"typed": _TYPED})
def cascade(
    table: Annotated[str, Argument(help="A Parquet or CSV file, or a quoted glob of them.")],
    *,
    label: Annotated[str, Option(help="Column of the labels.", metavar="COLUMN")],
    score: Annotated[
        list[str],
        Option(
            help="Column of a classifier's scores; repeat for each, in the order in which they are asked.",
            metavar="COLUMN",
        ),
    ],
    price: Annotated[
        list[str] | None,
        Option(
            help="What a call of a classifier costs, in the unit of errors' costs; repeat for each. (0)",
            metavar="NAME=NUMBER",
        ),
    ] = None,
    positive: Annotated[
        str | None, Option(help="The positive label, unless labels are 0 and 1.", metavar="VALUE")
    ] = None,
    weight: Annotated[str | None, Option(help="Column of weights.", metavar="COLUMN")] = None,
    where: Annotated[
        str | None, Option(help="Rows to use: a condition in SQL. It is executed.", metavar="SQL")
    ] = None,
    missing: MissingOption = None,
    typed: Typed,
    max_calls: MaxCallsOption = None,
    folds: Annotated[
        int, Option(help="Folds of the cross-validation that the held-out costs are from.", metavar="N")
    ] = 5,
    output: Annotated[
        Path | None,
        Option("--output", "-o", help="Draw cost against calls: .png, .svg or .pdf."),
    ] = None,
    policy: Annotated[Path | None, Option(help="Write the cascade as a policy: .json.")] = None,
) -> None:
    """Ask a more expensive classifier only where it is worth its price, or within a budget of calls.

    The first --score is there for every case. The table has all scores of all
    rows, best of classifiers that were not trained on them. What is written by
    --policy decides by rochull decide and rochull sql, under costs and a
    budget given then; scores that are not asked for may be missing there.

    Costs are held out: each row is judged by what was learnt from the others,
    once for each fold, which takes minutes where rows are many.
    Without --prevalence the table's own is used.
    """
    condition, budget = _condition(typed), single(max_calls, "max_calls")
    prices = _prices(score, price or [])
    from rochull._core.files import check_writable
    from rochull._core.tables import scored_examples

    for path, kinds in ((output, (".png", ".svg", ".pdf")), (policy, (".json",))):
        if path is not None:
            _check_kind(path, kinds)
            check_writable(path)
    with where_suggested(where), warnings_as_lines():
        data = scored_examples(
            table, label=label, scores=score, weight=weight, pos_label=positive, where=where
        )
        if typed["prevalence"] is None:  # what follows takes its time
            say(f"No --prevalence given: the table's own, {_prevalence(data):.4g}, was used.")
        made = _Made.of(prices, folds, data, condition, budget)
    Interruption.check()
    said = made.write(output, policy, {"table": table, "label": label})
    for line in made.lines():
        say(line)
    say(*said)


def _condition(typed: Typed) -> ExpectedCost:
    options = Options(dict.fromkeys(CONDITION) | typed)
    found: Any = options.condition()
    if found is None:
        raise UsageError("name what errors cost, such as --cost-fp 1 --cost-fn 5.")
    found.question.refuse(ranges=no_ranges)
    costs: ExpectedCost = found
    return costs


def _prices(score: Sequence[str], price: Sequence[str]) -> dict[str, float]:
    if len(score) < 2:
        raise UsageError(
            "--score is needed twice or more: the cheap classifier first, then more expensive ones."
        )
    found = dict.fromkeys(score, 0.0)
    typed = columns_typed(price, score, lambda text: single(text, "price"), "--price must be NAME=NUMBER")
    return found | typed


def _prevalence(data: Any) -> float:
    """The proportion of positives, by weight."""
    import numpy as np

    return float(np.average(data.positive, weights=data.weights))


def _check_kind(path: Path, kinds: tuple[str, ...]) -> None:
    from rochull.report.report import check_target

    check_target(path, kinds)


@dataclass(frozen=True)
class _Made:
    """A fitted cascade, and what it was found to cost."""

    cascade: Cascade
    trial: CascadeTrial
    condition: ExpectedCost

    @classmethod
    def of(
        cls, prices: dict[str, float], folds: int, data: Any, condition: ExpectedCost, budget: float | None
    ) -> _Made:
        from rochull._core.threads import told_if_long
        from rochull.cascades.cascade import Cascade
        from rochull.cascades.held_out import BUDGETS

        budgets = BUDGETS if budget is None else [budget]
        made = Cascade(prices, cv=folds)
        given = {"sample_weight": data.weights}
        trial = made.held_out(data.scores, data.positive, condition, max_calls=budgets, **given)
        with told_if_long("learning the cascade from all rows"):
            made.fit(data.scores, data.positive, **given)
        return cls(made, trial, condition)

    def write(self, output: Path | None, policy: Path | None, about: dict[str, str]) -> list[str]:
        from rochull._core.files import replacing
        from rochull._core.version import __version__

        said = []
        if output is not None:
            from rochull.plotting.cascade import CascadeDisplay

            frontier = self.cascade.frontier(self.condition)
            drawn, picture = CascadeDisplay(frontier, self.trial).plot().figure_, io.BytesIO()
            # First in memory: of a PDF that finds no room matplotlib raises another error.
            drawn.savefig(picture, bbox_inches="tight", format=output.suffix[1:].lower())
            with replacing(output) as partial:
                Path(partial).write_bytes(picture.getvalue())
            said.append(f"Picture: {output}")
        if policy is not None:
            self.cascade.policy(about={"rochull": __version__, **about}).save(policy)
            said += [f"Policy: {policy}", *self._remark()]
        return said

    def _remark(self) -> list[str]:
        """Say what a policy does without the budget that was advised, or tried alone."""
        trial = self.trial
        budget = trial.max_calls[0] if len(trial.max_calls) == 1 else trial.advised
        if budget is None:
            return []
        asked = self.cascade.at(self.condition).calls
        told = ", ".join(f"{name} for {share:.1%}" for name, share in [*asked.items()][1:] if share)
        return wrap(
            f"The policy holds no budget: give --max-calls {budget:g} to rochull decide and sql too. "
            "Without it, they ask as often as it pays on the rows that it was learnt from: "
            f"{told or 'never'} of the cases.",
            80,
        )

    def lines(self) -> list[str]:
        """Tabulate all costs for a terminal."""
        names, trial, said = list(self.cascade.prices), self.trial, []
        rows: list[tuple[str, float, dict[str, float]]]
        rows = [(f"{name} alone", cost, {}) for name, cost in trial.alone.items()]
        rows += [("all for every case", trial.all, {})]
        for budget, cost, asked in zip(trial.max_calls, trial.cost, trial.asked, strict=True):
            what = "as many calls as pay" if budget is None else f"at most {budget:g} calls per case"
            rows.append((f"cascade, {what}", float(cost), dict(asked)))
        wide = max(len(row[0]) for row in rows) + 2
        said.append("Expected cost per case, calls included, held out; and the share of cases asked:")
        said.append(" " * (wide + 10) + "".join(f"  {name:>8}" for name in names[1:]))
        for what, cost, asked in rows:
            shares = "".join(f"  {asked[name]:>{max(8, len(name))}.1%}" for name in names[1:] if asked)
            said.append(f"{what:<{wide}}{cost:>10.4f}{shares}".rstrip())
        gain, error = trial.cost[-1] - trial.alone[names[0]], trial.error[-1]
        said.append(f"The last line minus the first: {gain:+.4f}, standard error over cases {error:.4f}.")
        return said if len(trial.max_calls) == 1 else [*said, f"Advised: {self._advice()}."]

    def _advice(self) -> str:
        """Which budget to decide with."""
        budget, first = self.trial.advised, next(iter(self.cascade.prices))
        if budget is None:
            return "as many calls as pay, without --max-calls"
        if budget:
            return f"--max-calls {budget:g}; with more, a gain is not sure by a standard error"
        return f"{first} alone (--max-calls 0): no gain of a call is sure by a standard error"
