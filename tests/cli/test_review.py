"""A third action from the command line: from CSV to decisions and SQL."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

import rochull as rh
from command_line import Run

KINDS = [
    (["--cost-review", "0.3", "--cost-fn", "4"], rh.Review(cost_fn=4, cost_review=0.3, prevalence=0.3)),
    (["--max-review-share", "0.1"], rh.Review(max_share=0.1, prevalence=0.3)),
    (
        ["--max-decided-error", "0.1", "--cost-fp", "2", "--reviewer-tpr", "0.9"],
        rh.Review(cost_fp=2, max_error=0.1, reviewer=(0, 0.9), prevalence=0.3),
    ),
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[rh.Policy, str]:
    """A policy that was saved, and a table of cases."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    policy = rh.Hybrid().add("gbm", y, np.round(y + rng.normal(size=600), 2)).policy(salt="x")
    policy.save(tmp_path / "policy.json")
    cases = {"id": np.arange(200), "gbm": np.round(rng.normal(0.5, 1, 200), 2)}
    import pyarrow as pa

    duckdb.from_arrow(pa.table(cases)).write_csv(str(tmp_path / "cases.csv"))
    return policy, str(tmp_path / "cases.csv")


@pytest.mark.parametrize(("typed", "review"), KINDS)
def test_decide_and_sql(run: Run, files: tuple[rh.Policy, str], typed: list[str], review: rh.Review) -> None:
    policy, table = files
    cases = duckdb.read_csv(table).df()
    expected = policy.decide(cases[["gbm"]], review, key=cases["id"])
    options = [*typed, "--prevalence", "0.3", "--key", "id"]
    for engine in ("memory", "duckdb"):
        done = run("decide", "policy.json", table, *options, "-o", f"{engine}.csv", "--engine", engine)
        assert done.status == 0, done.err
        found = duckdb.read_csv(f"{engine}.csv").df()["decision"]
        np.testing.assert_array_equal(found, expected)
        reviewed = int(np.count_nonzero(expected == "review"))
        assert f"Review: {reviewed} of 200 cases" in done.out
        assert f"Positive: {np.count_nonzero(expected == 'positive')} of 200 cases" in done.out
    done = run("sql", "policy.json", "--dialect", "duckdb", *options)
    assert done.status == 0, done.err
    found = duckdb.sql(f"SELECT {done.out} AS d FROM read_csv('{table}') ORDER BY id").df()["d"]
    np.testing.assert_array_equal(found, expected)


def test_so_many_reviews(run: Run, files: tuple[rh.Policy, str]) -> None:
    policy, table = files
    cases, team = duckdb.read_csv(table).df(), rh.Review(cost_fn=4, prevalence=0.3, max_cases=20)
    typed = ["--max-reviews", "20", "--cost-fn", "4", "--prevalence", "0.3", "--key", "id"]
    done = run("decide", "policy.json", table, *typed, "-o", "d.csv")
    assert done.status == 0, done.err
    assert "Review: 20 of 200 cases (10.0%)" in done.out
    found = duckdb.read_csv("d.csv").df()
    np.testing.assert_array_equal(found["decision"], policy.decide(cases[["gbm"]], team, key=cases["id"]))
    np.testing.assert_array_equal(found["rank"], policy.rank(cases[["gbm"]], team, key=cases["id"]).rank)
    assert set(found["decision"][found["rank"] <= 20]) == {"review"}
    for command, said in (
        (
            ["decide", "policy.json", table, "-o", "d.csv", "--engine", "duckdb"],
            "--max-reviews needs all rows",
        ),
        (["sql", "policy.json", "--dialect", "duckdb"], "--max-reviews is kept by a table as a whole"),
        (["report", "t.csv", "--label", "y", "--score", "s"], "--max-reviews is kept by a table as a whole"),
    ):
        done = run(*command, "--max-reviews", "20")
        assert done.status != 0
        assert said in done.err
    done = run(
        "decide", "policy.json", table, "-o", "d.csv", "--max-reviews", "2", "--max-review-share", "0.1"
    )
    assert "--max-reviews, which a batch keeps by its own counts, and --max-review-share exclude" in done.err


def test_what_does_not_fit(run: Run, files: tuple[rh.Policy, str]) -> None:
    for typed, said in (
        (["--cost-review", "1", "--max-fpr", "0.1"], "different conditions"),
        (["--max-review-share", "0.1:0.2"], "--max-review-share must be one number"),
        (["--max-review-share", "2"], "--max-review-share must lie between 0 and 1, but is 2.0."),
    ):
        done = run("sql", "policy.json", "--dialect", "duckdb", *typed)
        assert done.status != 0
        assert said in done.err
    done = run(
        "sql", "policy.json", "--dialect", "duckdb", "--cost-review", "0.1:0.4", "--minimax", "--key", "id"
    )
    assert done.status == 0, done.err


def test_report(run: Run) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    rows = "\n".join(f"{label},{score:.2f}" for label, score in zip(y, y + rng.normal(size=300), strict=True))
    with open("table.csv", "w") as file:
        file.write(f"y,s\n{rows}\n")
    done = run("report", "table.csv", "--label", "y", "--score", "s", "--max-review-share", "0.1", "--full")
    assert done.status == 0, done.err
    assert "at most 10 % of the cases reviewed" in done.out.replace("\n", " ")
    assert "No --prevalence given" in done.out
