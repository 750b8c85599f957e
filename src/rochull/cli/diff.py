"""``rochull diff``: which cases two policies decide otherwise, and what that costs or saves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rochull.cli.case_reader import CaseReader, ColumnOption, KeyOption, LabelOption, PositiveOption
from rochull.cli.conditions import CONDITION, Options, Typed, takes
from rochull.cli.decider import Asked
from rochull.cli.declared import Argument, Option
from rochull.cli.engine import Engine, MemoryOption
from rochull.cli.goals import GOAL, TypedGoal
from rochull.cli.options import MissingOption, complain, say
from rochull.cli.policies import load
from rochull.cli.summary import JsonOption, Summary


@takes({"typed": CONDITION, "goal": GOAL})
def diff(
    old: Annotated[Path, Argument(help="The policy that decides now.")],
    new: Annotated[Path, Argument(help="The policy that is to decide.")],
    table: Annotated[str, Argument(help="A Parquet or CSV file, a quoted glob, or a directory.")],
    *,
    typed: Typed,
    goal: TypedGoal,
    label: LabelOption = None,
    positive: PositiveOption = None,
    key: KeyOption = None,
    deterministic: Annotated[
        bool, Option("--deterministic", help="Both decide by the best single threshold.")
    ] = False,
    column: ColumnOption = None,
    missing: MissingOption = None,
    memory: MemoryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two policies on the same cases.

    Both are asked the same condition; one that holds a rule that was found
    before is asked nothing. With costs it says by how much the cost per case
    changes: by the posteriors of either policy, and with --label by the labels
    of a random sample. rochull decide --shadow writes the decisions of both.
    """
    options = Options(typed)
    asked = Asked(options, options.condition(), goal, deterministic, minimax=False, prices=True)
    deciders = {name: load(path, asked) for name, path in (("old", old), ("new", new))}
    record = Summary("diff", deciders["new"].made_by, table, printed=as_json, condition=deciders["new"].asks)
    reader = CaseReader(table, label, positive, Engine(None, memory).bytes)
    with record.told():
        for note in dict.fromkeys(each.note for each in deciders.values()):
            if note is not None:
                complain(note)
        found = reader.by_decisions(deciders, column or (), key, scores=True)
        from rochull.policies.assessed import belief_of
        from rochull.policies.diff import Changes

        changes = Changes(found.flags["old"], found.flags["new"], found.count, asked.condition)
        believed = [belief_of(each.policy, asked.condition) for each in deciders.values()]
        told = changes.found((believed[0], believed[1]), dict(found.scores), found.truth)
        say(*str(told).splitlines())
        facts = told.to_dict()
        record.facts |= {"rows": found.rows, "old": dict(deciders["old"].made_by)} | {
            name: value for name, value in facts.items() if name != "changed"
        }
