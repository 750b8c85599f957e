"""``rochull judge``: promise beside fact, what moved, and the statuses."""

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

COSTS = ["--cost-fp", "1", "--cost-fn", "5", "--prevalence", "0.1"]


@pytest.fixture
def batch(tmp_path: Path) -> tuple[rh.Policy, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.random(4_000) < 0.1
    policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)).named("s"))
    policy.save(tmp_path / "p.json")
    y = rng.random(3_000) < 0.3
    s = rng.normal(1.5 * y)
    words = np.where(y, "bad", "good")
    pq.write_table(pa.table({"s": s, "outcome": words}), tmp_path / "t.parquet")
    pq.write_table(pa.table({"s": s}), tmp_path / "u.parquet")
    return policy, s, y


def test_it_says_what_performance_says(run: Run, batch: tuple[rh.Policy, np.ndarray, np.ndarray]) -> None:
    """DuckDB's counts tell the same as the rows do."""
    policy, s, y = batch
    words = ["--label", "outcome", "--positive", "bad", "--json"]
    done = run("judge", "p.json", "t.parquet", *COSTS, *words)
    assert done.status == Status.BETTER, done.err
    found = json.loads(done.out)
    twin = policy.performance(s, rh.ExpectedCost(1, 5, 0.1), y)
    for name in ("label", "covariate", "observed"):
        under = getattr(twin, name)
        for figure in ("prevalence", "tpr", "precision", "expected_cost", "regret"):
            for end in ("estimate", "low", "high"):
                assert found[name][figure][end] == pytest.approx(getattr(getattr(under, figure), end))
        assert found[name]["pvalue"] == (None if under.pvalue is None else pytest.approx(under.pvalue))
    point = policy.at(rh.ExpectedCost(1, 5, 0.1))
    assert found["promised"]["tpr"] == point.tpr
    assert found["promised"]["expected_cost"] == pytest.approx(rh.ExpectedCost(1, 5, 0.1).cost_at(point))
    assert (found["rows"], found["labelled"]) == (3_000, 3_000)


def test_labels_of_explored_cases(run: Run, batch: tuple[rh.Policy, np.ndarray, np.ndarray]) -> None:
    """What `decide --explore` writes, joined with the labels that were found, is judged as it is."""
    policy, s, y = batch
    pq.write_table(pa.table({"s": s, "case": np.arange(len(s))}), "new.parquet")
    run("decide", "p.json", "new.parquet", *COSTS, "--explore", "0.2", "--key", "case", "-o", "d.parquet")
    decided = pq.read_table("d.parquet")
    known = np.where(decided["label"].to_numpy(), y, np.nan)
    held = decided.append_column("y", pa.array(known, from_pandas=True))
    pq.write_table(held, "labelled.parquet")
    words = ["labelled.parquet", *COSTS, "--label", "y"]
    found = json.loads(
        run("judge", "p.json", *words, "--label-probability", "label_probability", "--json").out
    )
    chance = decided["label_probability"].to_numpy()
    twin = policy.performance(s, rh.ExpectedCost(1, 5, 0.1), known, sample_weight=1 / np.maximum(chance, 0.2))
    assert twin.observed is not None
    for figure in ("tpr", "expected_cost"):
        for end in ("estimate", "low", "high"):
            expected = getattr(getattr(twin.observed, figure), end)
            assert found["observed"][figure][end] == pytest.approx(expected)
    watched = run("watch", "p.json", *words, "--state", "m.json", "--label-probability", "label_probability")
    assert watched.status in (Status.DONE, Status.BETTER), watched.err
    column = held.column_names.index("label_probability")
    pq.write_table(held.set_column(column, "label_probability", [0 * chance]), "labelled.parquet")
    done = run("judge", "p.json", *words, "--label-probability", "label_probability")
    assert done.status == Status.USAGE
    wrong = (
        "--label-probability label_probability: a labelled case has 0, but a probability above 0 is needed."
    )
    assert wrong in " ".join(done.err.split())


def test_people_read_it(run: Run, batch: tuple[rh.Policy, np.ndarray, np.ndarray]) -> None:
    done = run("judge", "p.json", "u.parquet", *COSTS, "--full")
    assert done.status == Status.DONE
    table = pq.read_table("t.parquet")
    some = [word if i < 300 else None for i, word in enumerate(table["outcome"].to_pylist())]
    pq.write_table(table.set_column(1, "outcome", [some]), "some.parquet")
    few = run("judge", "p.json", "some.parquet", *COSTS, "--label", "outcome", "--positive", "bad")
    assert "Labels: 300 of 3,000 cases; about " in few.out
    for told in ("Labels: 0 of 3,000 cases", "Drift: ", "promised", "Best now, by label shift", "Log: "):
        assert told in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_the_answer_fits_on_a_screen(run: Run, batch: tuple[rh.Policy, np.ndarray, np.ndarray]) -> None:
    """What it costs, whether that was promised, and whether to move come first; 25 lines at 80 columns."""
    for name, share in (("risen", 0.3), ("stable", 0.1)):
        rng = np.random.default_rng(2)
        y = rng.random(3_000) < share
        pq.write_table(pa.table({"s": rng.normal(1.5 * y), "y": y}), f"{name}.parquet")
    asked = {
        "risen.parquet": "labels would prove it.",
        "t.parquet --label outcome --positive bad": "Move to s >= ",
        "stable.parquet": "Keep the rule: ",
        "stable.parquet --label y": "Keep the rule: ",
    }
    for words, advice in asked.items():
        out = run("judge", "p.json", *words.split(), *COSTS).out
        lines = out.splitlines()
        assert len(lines) <= 25
        assert max(map(len, lines)) <= 80
        assert "(rates in-sample)\nCost per case: " in out  # before all else that is found
        said = " ".join(out.split())
        assert advice in said
        assert ("It costs more." in said) == words.startswith("t")
        assert ("by labels" in out) == ("--label" in words)


def test_a_limit_that_is_broken(run: Run, batch: tuple[rh.Policy, np.ndarray, np.ndarray]) -> None:
    _, s, y = batch
    words = ["--label", "y"]
    pq.write_table(pa.table({"s": s + 0.5, "y": y.astype(int)}), "v.parquet")
    done = run("judge", "p.json", "v.parquet", "--max-fpr", "0.1", *words)
    assert done.status == Status.LIMIT, done.err
    assert "--max-fpr 0.1 is broken." in done.out
    pq.write_table(pa.table({"s": s - 0.1, "y": y.astype(int)}), "w.parquet")
    assert run("judge", "p.json", "w.parquet", "--max-fpr", "0.1", *words).status == Status.DONE


def _kinds() -> dict[str, tuple[Any, list[str], str]]:
    """Policies that are not one of two classes for all cases: how each is asked, and what it is called."""
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.4
    s, where = rng.normal(1.5 * y), np.where(np.arange(400) % 2, "a", "b")
    costs = ["--cost-fn", "3", "--prevalence", "0.4"]
    by_segment = rh.ErrorRedistribution().fit(s, y, aux={"where": where}).policy()
    groups = rh.constrain_groups(rh.roc_hulls(y, s, where), rh.Accuracy(), "equalised_odds")
    two = {"score": s, "other": rng.normal(y)}
    policy = rh.Policy.from_hull(rh.roc_hull(y, s))
    return {
        "segments": (by_segment, costs, "a policy of rules by segment"),
        "groups": (groups.policy("where"), [], "a saved plan"),
        "fixed": (rh.policies.SavedPlan(policy.planned(policy.at(rh.Accuracy()))), [], "a saved plan"),
        "cascade": (rh.Cascade({"score": 0, "other": 0.1}).fit(two, y).policy(), costs, "which a cascade is not"),
        "classes": (
            rh.MulticlassRoc(np.arange(400) % 3, rng.random((400, 3))).policy(), ["--minimise", "max-error"], "a policy of several classes",
        ),
        "reviews": (policy, [*costs, "--cost-review", "0.1"], "reviews"),
    }  # fmt: skip


@pytest.mark.parametrize("command", [["judge"], ["watch", "--state", "m.json"]])
@pytest.mark.parametrize("kind", ["segments", "groups", "fixed", "cascade", "classes", "reviews"])
def test_other_policies_are_refused_by_what_they_are(run: Run, command: list[str], kind: str) -> None:
    policy, asked, called = _kinds()[kind]
    policy.save("other.json")
    pq.write_table(pa.table({"score": [1.0, 2.0], "y": [0, 1]}), "t.parquet")
    done = run(command[0], "other.json", "t.parquet", *command[1:], "--label", "y", *asked)
    assert (done.status, done.out) != (0, "")
    assert called in done.err
    assert done.err.count("\n") == 1
    assert not Path("m.json").exists()
