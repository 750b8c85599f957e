"""``rochull watch``: one state for many batches, statuses, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from command_line import Run
from rochull.cli.statuses import Status

COSTS = ["--cost-fp", "1", "--cost-fn", "5", "--prevalence", "0.1"]
CONDITION = rh.ExpectedCost(1, 5, 0.1)


def drawn(n: int, prevalence: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    return y, rng.normal(1.5 * y)


@pytest.fixture
def policy(tmp_path: Path) -> rh.Policy:
    y, s = drawn(4_000, 0.1, 0)
    found = rh.Policy.from_hull(rh.roc_hull(y, s).named("s"))
    found.save(tmp_path / "p.json")
    for name, prevalence in (("same", 0.1), ("more", 0.4)):
        y, s = drawn(2_000, prevalence, 1)
        pq.write_table(pa.table({"s": s, "y": y.astype(int)}), tmp_path / f"{name}.parquet")
        pq.write_table(pa.table({"s": s}), tmp_path / f"{name}_late.parquet")
    pq.write_table(pa.table({"s": 100 * s, "y": y.astype(int)}), tmp_path / "scaled.parquet")
    return found


def test_a_state_by_days(run: Run, policy: rh.Policy) -> None:
    first = run("watch", "p.json", "same.parquet", "--state", "m.json", *COSTS, "--label", "y", "--at", "mon")
    assert first.status == Status.DONE, first.err
    told = "Condition: lowest expected cost: a false positive costs 1, a false negative 5, prevalence 0.1"
    assert " ".join(first.out.split()).startswith(f"{told} 2,000 cases in 1 batch limits: No limit")
    assert first.out.splitlines()[-1].endswith("2000 rows, alarms: none")
    assert max(map(len, first.out.splitlines()[:-1])) <= 80  # the last is for a log
    second = run("watch", "p.json", "more.parquet", "--state", "m.json", "--label", "y", "--at", "tue")
    assert second.status == Status.BETTER
    assert "is better and saves at least" in second.out
    assert "(since tue)" in second.out
    y, s = drawn(2_000, 0.1, 1)
    twin = rh.Monitor(policy, CONDITION).update(s, y, "mon")
    y, s = drawn(2_000, 0.4, 1)
    twin.update(s, y, "tue")
    found = rh.Monitor.load("m.json")
    assert found.to_dict()["state"]["counts"] == twin.to_dict()["state"]["counts"]
    assert found.to_dict()["state"]["groups"] == twin.to_dict()["state"]["groups"]
    assert found.to_dict()["state"]["pvalues"] == twin.to_dict()["state"]["pvalues"]


def test_what_is_refused_leaves_the_state(run: Run, policy: rh.Policy) -> None:
    begin = ["watch", "p.json", "--state", "m.json"]
    run(*begin, "same.parquet", *COSTS, "--label", "y")
    before = Path("m.json").read_bytes()
    Path("other.json").write_text(rh.Policy.from_hull(policy.hull, salt="x").to_json(), encoding="utf-8")
    pq.write_table(pa.table({"t": [1.0]}), "bad.parquet")
    for words, status, told in (
        (["same.parquet", "--label", "y"], Status.FAILED, "seen before"),
        (["bad.parquet"], Status.FAILED, "--column s=<its column>"),
        (["none.parquet"], Status.FAILED, "there is no file"),
        (["more.parquet", "--label", "s"], Status.FAILED, "y_true"),
        (["more.parquet", "--cost-fn", "6", "--prevalence", "0.1"], Status.USAGE, "another condition"),
        (["more.parquet", "--margin", "0.1"], Status.USAGE, "at the first batch"),
    ):
        done = run(*begin, *words)
        assert done.status == status, done.err
        assert told in done.err
    done = run("watch", "other.json", "more.parquet", "--state", "m.json")
    assert (done.status, "another policy" in done.err) == (Status.USAGE, True)
    assert Path("m.json").read_bytes() == before


def test_labels_come_later(run: Run, policy: rh.Policy) -> None:
    for table in ("more_late", "more"):
        more = ["--label", "y"] if table == "more" else []
        done = run(
            "watch",
            "p.json",
            f"{table}.parquet",
            "--state",
            "m.json",
            *COSTS,
            "--at",
            "mon",
            *more,
            "--json",
            "--page",
            "w.html",
        )
    found = json.loads(done.out)
    assert Path("w.html").read_text(encoding="utf-8").count("<polyline") == 2  # no limit was stated
    assert done.status == Status.BETTER
    assert (found["rows"], found["cases"], found["looks"]) == (2_000, 2_000, 1)
    assert found["findings"]["better"]["at"] == "mon"
    assert found["findings"]["better"]["saves"] > 0
    assert found["findings"]["limits"]["needed"] is None
    assert found["command"] == "watch"


def test_statuses_of_the_other_alarms(run: Run, policy: rh.Policy) -> None:
    watch = ["watch", "p.json", "scaled.parquet", "--state"]
    assert run(*watch, "a.json", *COSTS).status == Status.DONE
    strict = run(*watch, "b.json", *COSTS, "--strict")
    assert strict.status == Status.FOREIGN
    assert "Scores of another kind came." in strict.err
    assert Path("b.json").exists()
    limit = run(*watch, "c.json", "--max-fpr", "0.1", "--label", "y")
    assert limit.status == Status.LIMIT
    assert "is broken" in limit.out


def test_clusters_weights_and_missing_labels(run: Run, policy: rh.Policy) -> None:
    y, s = drawn(600, 0.3, 2)
    known = np.where(np.arange(600) % 3 == 0, y.astype(float), np.nan)
    day, weight = np.arange(600) // 60, np.full(600, 3.0)
    held = pa.table({"s": s, "y": pa.array(known, from_pandas=True), "day": day, "w": weight})
    pq.write_table(held, "t.parquet")
    options = ["--label", "y", "--cluster", "day", "--weight", "w", "--at", "x"]
    done = run("watch", "p.json", "t.parquet", "--state", "m.json", *COSTS, *options)
    assert done.status == Status.DONE, done.err
    twin = rh.Monitor(policy, CONDITION).update(s, known, "x", weight, day)
    found = np.array(rh.Monitor.load("m.json").to_dict()["state"]["bets"])
    np.testing.assert_allclose(found, np.array(twin.to_dict()["state"]["bets"]), rtol=1e-12)


def test_states_of_machines_are_merged(run: Run, policy: rh.Policy) -> None:
    for name, table, asked in (
        ("a", "same", COSTS),
        ("b", "more", COSTS),
        ("c", "same", ["--max-fpr", "0.1"]),
    ):
        run(
            "watch",
            "p.json",
            f"{table}.parquet",
            "--state",
            f"{name}.json",
            *asked,
            "--label",
            "y",
            "--at",
            name,
        )
    twin = rh.Monitor.load("a.json").merge(rh.Monitor.load("b.json"))
    merge = [word for name in "ab" for word in ("--merge", f"{name}.json")]
    done = run("watch", "p.json", "--state", "m.json", *merge, "--json", "--page", "w.html")
    assert done.status == Status.BETTER, done.err
    found = json.loads(done.out)
    assert (found["rows"], found["cases"], found["looks"], "table" in found) == (0, 4_000, 2, False)
    assert rh.Monitor.load("m.json").to_json() == twin.to_json()
    assert "4,000 cases in 2 batches" in Path("w.html").read_text(encoding="utf-8")
    other_way = run("watch", "p.json", "--state", "b.json", "--merge", "a.json")
    assert (other_way.status, Path("b.json").read_bytes()) == (Status.BETTER, Path("m.json").read_bytes())
    beside = run("watch", "p.json", "more.parquet", "--state", "d.json", "--merge", "a.json", "--label", "y")
    assert "4,000 cases in 2 batches" in beside.out
    before = Path("m.json").read_bytes()
    for words, told in (
        (["--merge", "a.json"], "--merge has seen 1 of the same batches, which would count twice"),
        (["--merge", "c.json"], "--merge watches another policy, condition, level or margin"),
        (["--merge", "none.json"], "none.json"),
        ([], "name a batch, or states of other machines by --merge"),
        (["--merge", "a.json", "--label", "y"], "'y' is said of a batch, and none is named"),
        (["more.parquet", "--merge", "d.json", "--margin", "0.1"], "same batches"),
    ):
        done = run("watch", "p.json", "--state", "m.json", *words)
        assert done.status not in (Status.DONE, Status.BETTER)
        assert told in done.err
    assert Path("m.json").read_bytes() == before
