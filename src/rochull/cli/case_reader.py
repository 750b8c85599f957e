"""Batches of cases that commands judge: counted by DuckDB between the thresholds that matter, at any size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from rochull.cli.declared import Option
from rochull.cli.options import UsageError, column_options, complain, places_suggested
from rochull.cli.policies import columns_typed

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.cli.decider import Decider
    from rochull.conditions.rules import OperatingPoint
    from rochull.policies.policy import Policy

LabelOption = Annotated[
    str | None,
    Option("--label", help="Column of the labels, empty where one is not known.", metavar="COLUMN"),
]
PositiveOption = Annotated[
    str | None,
    Option("--positive", help="The positive label, unless labels are 0 and 1.", metavar="VALUE"),
]
ChanceOption = Annotated[
    str | None,
    Option(
        "--label-probability",
        help="Column of how probable it was that a case gets a label, as decide --explore writes it; without "
        "it the labelled cases have to be a random sample.",
        metavar="COLUMN",
    ),
]
KeyOption = Annotated[
    str | None,
    Option("--key", help="Column that identifies a case, by which lots are drawn.", metavar="COLUMN"),
]
ColumnOption = Annotated[
    list[str] | None,
    Option(
        "--column",
        help="Where a classifier's scores are, unless in a column of its name; repeat for each.",
        metavar="NAME=COLUMN",
    ),
]


@dataclass(frozen=True)
class CountedCases:
    """A table that was counted.

    Attributes
    ----------
    scores : (g,) by classifier.
    truth : (g,) labels: 1, 0, or NaN where there is none; None without a column of them.
    count : (g,) how many cases each row stands for.
    more : (g,) other columns, by their names.
    flags : (g,) whether conditions hold, by their names.
    """

    scores: Mapping[str, Array]
    truth: Array | None
    count: Array
    more: Mapping[str, Array]
    flags: Mapping[str, Array] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of cases."""
        return int(self.count.sum())

    def weights(self, chance: str | None) -> Array | None:
        """How many cases each labelled one stands for (g,), by a column of probabilities; None without."""
        import numpy as np

        if chance is None:
            return None
        if self.truth is None:
            raise UsageError("--label-probability needs --label.")
        probability = np.array(self.more[chance], np.float64)
        known = ~np.isnan(self.truth)
        wrong = known & ~((probability > 0) & (probability <= 1))
        if wrong.any():
            raise UsageError(
                f"--label-probability {chance}: a labelled case has {probability[wrong][0]:g}, "
                "but a probability above 0 is needed."
            )
        return np.asarray(1 / np.where(known, probability, 1))


def _flag(decider: str) -> str:
    """The name of what a policy decides, which no column has: one may be called as the policy is."""
    return f"\0{decider}"


@dataclass(frozen=True)
class CaseReader:
    """How a table is read, as it was typed.

    Attributes
    ----------
    table : file, glob or directory.
    label, positive : the column of labels, and which of them is positive.
    memory : how many bytes DuckDB may use.
    """

    table: str
    label: str | None
    positive: str | None
    memory: int | None

    def places(
        self, typed: Sequence[str] | None, needed: Sequence[str], others: Sequence[str] = ()
    ) -> dict[str, str]:
        """The column of each classifier that is needed, and of others that the table has, or that were typed.

        A line on stderr says which others were left out.
        """
        from rochull._core.table_files import column_names
        from rochull.cli.engine import engine_errors

        known = [*needed, *(name for name in others if name not in needed)]
        given = columns_typed(typed or (), known, str, others=True)
        held = {name: given.get(name, name) for name in known}
        if len(known) == len(needed) or set(known) <= {*needed, *given}:
            return held
        with engine_errors():
            there = {*column_names(self.table), *given.values()}
        absent = [name for name in known if name not in needed and held[name] not in there]
        if len(absent) == len(known):  # a constant rule needs no score, but something has to be counted
            return held
        if absent:
            complain(f"Left out, as the table has no column of them: {', '.join(map(repr, absent))}.")
        return {name: place for name, place in held.items() if name not in absent}

    def by_scores(
        self,
        policy: Policy,
        points: Sequence[OperatingPoint],
        places: Mapping[str, str],
        more: Sequence[str] = (),
    ) -> CountedCases:
        """Count a table between all thresholds of a policy and of some points."""
        held = {name: str(place) for name, place in places.items()}
        conditions: dict[str, str] = {}
        own: dict[str, list[str]] = {}
        self._cut(policy, points, held, conditions, own)
        with places_suggested(column_options(held)):
            found = self.counted(conditions, own, more)
        scores = {name: found.scores[place] for name, place in held.items() if place in found.scores}
        return CountedCases(scores, found.truth, found.count, found.more)

    def by_decisions(
        self,
        deciders: Mapping[str, Decider],
        typed: Sequence[str],
        key: str | None,
        *,
        scores: bool = False,
    ) -> CountedCases:
        """Count a table by what policies of any kind decide; with `scores` between their thresholds too."""
        known = dict.fromkeys(name for each in deciders.values() for name in each.known)
        places = {name: str(name) for name in known} | columns_typed(typed, list(known), str, others=True)
        conditions: dict[str, str] = {}
        own: dict[str, list[str]] = {}
        features: dict[str, bool] = {} if key is None else {key: True}
        for called, each in deciders.items():
            if each.plan.can_review or each.plan.classes:
                raise UsageError(f"{each.made_by['file']} decides more than positive or negative.")
            if each.chance and key is None:
                raise UsageError(f"{each.made_by['file']} decides by lot: give --key, or --deterministic.")
            needed = {name: places[name] for name in (*each.numbers, *each.features)}
            conditions[_flag(called)] = each.to_sql("duckdb", key, needed)
            own |= {places[name]: [] for name in each.numbers}
            features |= {places[name]: is_text for name, is_text in each.features.items()}
        if scores:
            for each in deciders.values():
                self._cut(each.policy, (), places, conditions, own)
        with places_suggested(column_options(places)):
            found = self.counted(conditions, own, (), features)
        held = {name: found.scores[place] for name, place in places.items() if place in found.scores}
        return CountedCases(
            held, found.truth, found.count, {}, {name: found.flags[_flag(name)] for name in deciders}
        )

    @staticmethod
    def _cut(
        policy: Any,
        points: Sequence[OperatingPoint],
        places: Mapping[Any, str],
        conditions: dict[str, str],
        own: dict[str, list[str]],
    ) -> None:
        """Add the conditions of all thresholds of a policy, if it has a hull."""
        from rochull.conditions.rules import OperatingPoint
        from rochull.policies.learnt import cuts_of
        from rochull.policies.policy import Policy

        if not isinstance(policy, Policy):
            return
        for name, rules in cuts_of(policy.hull, *points).items():
            for rule in rules if name in places else ():
                point, place = OperatingPoint(0.0, 0.0, ((rule, 1.0),)), places[name]
                key = f"{place}\0{rule}"
                conditions[key] = policy.to_sql(point, "duckdb", columns={name: place})
                own.setdefault(place, []).append(key)

    def counted(
        self,
        conditions: Mapping[str, str],
        scores: Mapping[str, Sequence[str]],
        more: Sequence[str] = (),
        features: Mapping[str, bool] | None = None,
    ) -> CountedCases:
        """Count a table by conditions in SQL; `scores` are columns of which a value is kept."""
        import numpy as np

        from rochull._core.tables import positive_label, some_labels
        from rochull.cli.engine import engine_errors
        from rochull.scanning.engines.duckdb_counts import Grouped, counted_files

        columns = list(dict.fromkeys([*([] if self.label is None else [self.label]), *more]))
        with engine_errors():
            found, count = counted_files(
                self.table, Grouped(conditions, scores, columns, features), self.memory
            )
        truth = None
        if self.label is not None:
            labels = found[self.label]
            known = labels[[each is not None and each == each for each in labels.tolist()]]  # noqa: PLR0124
            truth = np.full(len(labels), math.nan)
            if known.size:
                if labels.dtype == object:
                    known = np.array(known.tolist())
                truth = some_labels(labels, positive_label(self.positive, known), "y_true")
        flags = {name: found[name].astype(bool) for name in conditions}
        return CountedCases(
            {name: found[name] for name in scores}, truth, count, {name: found[name] for name in more}, flags
        )
