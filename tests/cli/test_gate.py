"""``rochull gate``, ``rochull diff`` and ``decide --shadow``: a new policy beside the old one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from command_line import Run
from rochull.cli.statuses import Status

COSTS = ["--cost-fp", "1", "--cost-fn", "4", "--prevalence", "0.3"]
LABEL = ["--label", "y"]


@pytest.fixture
def both(tmp_path: Path) -> tuple[Any, Any, dict[str, Any]]:
    rng = np.random.default_rng(0)
    y = rng.random(4_000) < 0.3
    s = {"a": rng.normal(1.2 * y), "b": rng.normal(1.8 * y)}
    old, new = (rh.Policy.from_hull(rh.roc_hull(y[:2_000], s[n][:2_000]).named(n)) for n in "ab")
    held = {name: values[2_000:] for name, values in s.items()} | {"y": y[2_000:].astype(int)}
    held["id"] = np.arange(2_000)
    old.save(tmp_path / "old.json")
    new.save(tmp_path / "new.json")
    pq.write_table(pa.table(held), tmp_path / "t.parquet")
    pq.write_table(pa.table({name: values[:40] for name, values in held.items()}), tmp_path / "few.parquet")
    return old, new, held


def test_a_gate(run: Run, both: tuple[Any, Any, dict[str, Any]]) -> None:
    gate = ["gate", "new.json", "--table", "t.parquet", *LABEL, *COSTS]
    passed = run(*gate, "--max-cost", "0.5", "--against", "old.json", "--margin", "0.01", "--json")
    assert passed.status == Status.DONE, passed.err
    found = json.loads(passed.out)
    old, new, held = both
    y = held["y"] == 1
    condition = rh.ExpectedCost(1, 4, 0.3)
    cost = [0.0, 0.0]
    for i, policy in enumerate((old, new)):
        flags = policy.decide({n: held[n] for n in "ab"}, condition)
        cost[i] = 0.3 * 4 * (~flags[y]).mean() + 0.7 * flags[~y].mean()
    assert found["gates"]["cost"]["estimate"] == pytest.approx(cost[1])
    assert found["gates"]["difference"]["estimate"] == pytest.approx(cost[1] - cost[0])
    assert found["gates"]["difference"]["high"] < 0
    assert (found["passed"], found["labelled"]) == (True, 2_000)
    failed = run(*gate, "--max-cost", "0.1")
    assert failed.status == Status.GATE
    assert "not within --max-cost 0.1" in failed.out
    worse = run("gate", "old.json", "--table", "t.parquet", *LABEL, *COSTS, "--against", "new.json")
    assert worse.status == Status.GATE


def test_a_rule_that_stays_the_same_costs_no_more(run: Run, both: tuple[Any, Any, dict[str, Any]]) -> None:
    """No case is decided otherwise, so that few labelled cases are enough."""
    gate = ["gate", "new.json", "--table", "few.parquet", *LABEL, *COSTS, "--against", "new.json"]
    passed = run(*gate)
    assert passed.status == Status.DONE, passed.out
    assert "New less old: 0, at most 0 (95 %): within --margin 0." in passed.out


def test_too_few_cases_show_nothing(run: Run, both: tuple[Any, Any, dict[str, Any]]) -> None:
    done = run("gate", "new.json", "--table", "few.parquet", *LABEL, *COSTS, "--max-cost", "0.3")
    assert done.status == Status.GATE
    assert "labelled cases would show it." in done.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([*COSTS, "--max-cost", "1"], "needs --label"),
        ([*LABEL, *COSTS], "needs --label, and --max-cost or --against"),
        ([*LABEL, *COSTS, "--max-cost", "1", "--margin", "1"], "--margin has no effect"),
        ([*LABEL, "--max-fpr", "0.1", "--max-cost", "1"], "a gate compares costs"),
        ([*LABEL, "--cost-fn", "2:3", "--max-cost", "1"], "single numbers"),
    ],
)
def test_what_a_gate_needs(
    run: Run, both: tuple[Any, Any, dict[str, Any]], words: list[str], told: str
) -> None:
    done = run("gate", "new.json", "--table", "t.parquet", *words)
    assert done.status == Status.USAGE
    assert told in done.err


def test_a_rule_that_was_found_before_is_judged_by_costs(
    run: Run, both: tuple[Any, Any, dict[str, Any]]
) -> None:
    rh.policies.FixedPolicy.from_point(both[1].at(rh.ExpectedCost(1, 4, 0.3))).save("fixed.json")
    words = ["--table", "t.parquet", *LABEL, *COSTS, "--max-cost", "0.5", "--json"]
    found = [json.loads(run("gate", name, *words).out)["gates"] for name in ("fixed.json", "new.json")]
    assert found[0] == found[1]


def test_a_diff(run: Run, both: tuple[Any, Any, dict[str, Any]]) -> None:
    old, new, held = both
    done = run("diff", "old.json", "new.json", "t.parquet", *COSTS, *LABEL, "--json")
    assert done.status == Status.DONE, done.err
    found = json.loads(done.out)
    twin = old.diff(new, {n: held[n] for n in "ab"}, rh.ExpectedCost(1, 4, 0.3), held["y"])
    for name in ("both", "old_only", "new_only", "neither", "n_labelled"):
        assert found[name] == getattr(twin, name)
    for name in ("by_old", "by_new", "observed"):
        for end in ("estimate", "low", "high"):
            assert found[name][end] == pytest.approx(getattr(getattr(twin, name), end))
    lots = run("diff", "old.json", "new.json", "t.parquet", "--max-fpr", "0.1")
    assert (lots.status, "give --key, or --deterministic" in lots.err) == (Status.USAGE, True)
    assert run("diff", "old.json", "new.json", "t.parquet", "--max-fpr", "0.1", "--key", "id").status == 0


def test_scores_may_be_called_as_the_policies_are(
    run: Run, both: tuple[Any, Any, dict[str, Any]], tmp_path: Path
) -> None:
    old, new, held = both
    asked = ["diff", "old.json", "new.json", "t.parquet", *COSTS, *LABEL, "--json"]
    before = json.loads(run(*asked).out)
    held["old"], held["new"] = held.pop("a"), held.pop("b")
    for name, policy in (("old", old), ("new", new)):
        rh.Policy.from_hull(policy.hull.named(name)).save(tmp_path / f"{name}.json")
    pq.write_table(pa.table(held), tmp_path / "t.parquet")
    now = json.loads(run(*asked).out)
    counts = ("both", "old_only", "new_only", "neither")
    assert [now[name] for name in counts] == [before[name] for name in counts]
    assert before["old_only"] > 0


def test_a_shadow(run: Run, both: tuple[Any, Any, dict[str, Any]]) -> None:
    old, new, held = both
    written = []
    for engine in ("memory", "duckdb"):
        done = run(
            "decide", "old.json", "t.parquet", *COSTS, "--shadow", "new.json", "--engine", engine, "-o", "o.parquet", "--json",
        )  # fmt: skip
        assert done.status == Status.DONE, done.err
        found, facts = pq.read_table("o.parquet").to_pydict(), json.loads(done.out)
        written.append((found, facts["otherwise"], facts["tests"]))
    assert written[0] == written[1]
    scores = {n: held[n] for n in "ab"}
    condition = rh.ExpectedCost(1, 4, 0.3)
    for column, policy in (("decision", old), ("shadow", new)):
        assert found[column] == policy.decide(scores, condition).tolist()


@pytest.mark.parametrize("asked", [COSTS, [*COSTS, "--cost-review", "0.1"], ["--max-fpr", "0.123"]])
def test_exploring_is_the_same_in_every_engine(
    run: Run, both: tuple[Any, Any, dict[str, Any]], asked: list[str]
) -> None:
    words = ["decide", "old.json", "t.parquet", *asked, "--explore", "0.1", "--key", "id", "-o", "o.parquet"]
    written = []
    for engine in ("memory", "duckdb"):
        done = run(*words, "--engine", engine)
        assert done.status == Status.DONE, done.err
        written.append(pq.read_table("o.parquet").to_pydict())
    assert written[0] == written[1]
    found = written[0]
    flagged = [decision not in (False, "negative") for decision in found["decision"]]
    assert [p == 1 for p in found["label_probability"]] == flagged
    assert sum(found["label"]) > sum(flagged)
