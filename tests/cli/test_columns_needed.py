"""``watch`` and ``judge`` ask for the columns that decide, and compare with those that are there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from command_line import Run
from rochull.cli.statuses import Status

CONDITION = rh.ExpectedCost(1, 5, 0.1)
COSTS = ["--cost-fp", "1", "--cost-fn", "5", "--prevalence", "0.1"]


@pytest.fixture(scope="module")
def made() -> tuple[rh.Policy, np.ndarray, dict[str, np.ndarray]]:
    """A hybrid of two scores, of which each is the better one somewhere."""
    rng = np.random.default_rng(0)
    y = rng.random(6_000) < 0.1
    many = rng.random(6_000) < 0.6
    scores = {"a": rng.normal(1.6 * y), "b": rng.normal(np.where(many, 3.0, 0.0) * y)}
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score)
    return hybrid.policy(), y, scores


@pytest.fixture
def tables(tmp_path: Path, made: tuple[rh.Policy, np.ndarray, dict[str, np.ndarray]]) -> tuple[str, str]:
    policy, y, scores = made
    policy.save(tmp_path / "p.json")
    (own,) = policy.at(CONDITION).classifiers
    other = next(name for name in scores if name != own)
    columns = {"y": y[:2_000].astype(int), **{name: score[:2_000] for name, score in scores.items()}}
    for file, names in (("both", ("a", "b")), ("own", own), ("other", other)):
        pq.write_table(pa.table({name: columns[name] for name in ("y", *names)}), f"{file}.parquet")
    return own, other


@pytest.mark.parametrize("command", [["judge"], ["watch", "--state", "m.json"]])
def test_a_score_that_does_not_decide_may_be_missing(
    run: Run,
    made: tuple[rh.Policy, np.ndarray, dict[str, np.ndarray]],
    tables: tuple[str, str],
    command: list[str],
) -> None:
    policy, y, scores = made
    own, other = tables
    done = run(command[0], "p.json", "own.parquet", *command[1:], "--label", "y", *COSTS)
    assert done.status == Status.DONE, done.err
    assert f"Left out, as the table has no column of them: '{other}'." in done.err
    if command[0] == "judge":
        twin = policy.performance({own: scores[own][:2_000]}, CONDITION, y[:2_000]).observed
        assert f"{twin.expected_cost.estimate:.4g}" in done.out
    else:
        twin = rh.Monitor(policy, CONDITION, classifiers=[own]).update({own: scores[own][:2_000]}, y[:2_000])
        found = rh.Monitor.load("m.json")
        assert found.classifiers == (own,)
        assert found.to_dict()["state"]["counts"] == twin.to_dict()["state"]["counts"]
        again = run("watch", "p.json", "other.parquet", "--state", "m.json", "--label", "y")
        assert again.status == Status.FAILED
    done = run(command[0], "p.json", "other.parquet", *command[1:], "--label", "y", *COSTS)
    assert done.status == Status.FAILED
    assert f"has no column '{own}'" in done.err
    typed = run(command[0], "p.json", "own.parquet", *command[1:], *COSTS, "--column", f"{other}=none")
    assert "none" in typed.err


def test_all_are_compared_where_all_are_there(run: Run, tables: tuple[str, str]) -> None:
    done = run("watch", "p.json", "both.parquet", "--state", "m.json", "--label", "y", *COSTS)
    assert done.status == Status.DONE, done.err
    assert "Left out" not in done.err
    assert set(rh.Monitor.load("m.json").classifiers) == {"a", "b"}


def test_whose_rules_are_compared(made: tuple[rh.Policy, np.ndarray, dict[str, np.ndarray]]) -> None:
    policy, _, _ = made
    (own,) = policy.at(CONDITION).classifiers
    other = ({"a", "b"} - {own}).pop()
    alone = rh.Monitor(policy, CONDITION, classifiers=[own])
    assert {name for rule in alone.others for name in rule.classifiers} == {own}
    assert set(rh.Monitor(policy, CONDITION).classifiers) == {"a", "b"}
    for names, told in (([other], "by which the rule decides"), (["c", own], "is not one of the policy")):
        with pytest.raises(ValueError, match=told):
            rh.Monitor(policy, CONDITION, classifiers=names)
