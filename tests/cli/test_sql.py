"""``rochull sql``: the decision as one SQL expression, as typed on a command line."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

import rochull as rh
from command_line import GERMAN, Run, saved_policy
from rochull.dialects.registry import names


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A saved policy of the German credit scores."""
    return saved_policy(tmp_path_factory.mktemp("policy"), salt="it's")


CONDITIONS = {
    "cost": (["--cost-fp", "1", "--cost-fn", "5", "--prevalence", "0.3"], rh.ExpectedCost(1, 5, 0.3)),
    "max-fpr": (["--max-fpr", "0.05"], rh.NeymanPearson(0.05)),
    "recall": (["--min-recall", "0.9"], rh.MinimumRecall(0.9)),
    "precision": (["--min-precision", "0.5", "--prevalence", "0.3"], rh.MinimumPrecision(0.5, 0.3)),
    "fraction": (["--fraction", "0.2", "--prevalence", "0.3"], rh.Capacity(fraction=0.2, prevalence=0.3)),
}


@pytest.mark.crossed
@pytest.mark.parametrize("kind", CONDITIONS)
@pytest.mark.parametrize("dialect", names())
def test_the_expression_is_the_policys(kind: str, dialect: str, path: str, run: Run) -> None:
    options, condition = CONDITIONS[kind]
    status, out, err = run("sql", path, "--dialect", dialect, *options, "--key", "id")
    assert (status, err) == (0, "")
    assert out == rh.Policy.load(path).to_sql(condition, dialect, key="id") + "\n"


def test_it_decides_like_rochull_decide(path: str, run: Run, tmp_path: Path) -> None:
    table, out = tmp_path / "table.parquet", tmp_path / "out.parquet"
    duckdb.sql(f"SELECT *, row_number() OVER () AS id FROM '{GERMAN}'").write_parquet(str(table))
    how = ["--max-fpr", "0.05", "--key", "id"]
    assert run("decide", path, str(table), "-o", str(out), *how)[0] == 0
    _, text, _ = run("sql", path, "--dialect", "duckdb", *how)
    found = duckdb.sql(f"SELECT decision, {text} AS ours FROM '{out}'").fetchnumpy()
    assert found["ours"].tolist() == found["decision"].tolist()
    assert 0 < found["ours"].sum() < found["ours"].size == 1000


def test_a_classifier_off_the_hull_may_be_named(path: str, run: Run) -> None:
    policy = rh.Policy.load(path)
    how = ["sql", path, "--dialect", "duckdb", "--min-recall", "0.9", "--deterministic"]
    every = [f"--column={name}={name}" for name in policy.classifiers]
    assert run(*how, *every, "--column=unneeded=x") == run(*how)
    for some in (every[1:], [*every, "--column=unneeded"][-1:]):
        done = run(*how, *some, "--column=unneeded=x")
        assert (done.status, "--column must be NAME=COLUMN, but is 'unneeded" in done.err) == (2, True)


def test_columns_of_other_names(path: str, run: Run) -> None:
    policy = rh.Policy.load(path)
    how = ["sql", path, "--dialect", "duckdb", "--min-recall", "0.9", "--deterministic"]
    condition = rh.MinimumRecall(0.9)
    (name,) = policy.at(condition, deterministic=True).classifiers
    _, out, _ = run(*how, "--column", f"{name}=a = 'b\"", "--column", f"{policy.classifiers[0]}=a = 'b\"")
    columns = {name: "a = 'b\"", policy.classifiers[0]: "a = 'b\""}
    assert out == policy.to_sql(condition, "duckdb", columns=columns, deterministic=True) + "\n"
    assert '"a = \'b""" >=' in out


@pytest.mark.parametrize(
    ("typed", "place"),
    [
        ("s.gbm_score", ("s", "gbm_score")),
        ('"s.gbm_score"', "s.gbm_score"),
        ('"my ""s""."."a.b"', ('my "s".', "a.b")),
        ('s."a.b"', ("s", "a.b")),
    ],
)
def test_a_column_of_a_table(path: str, run: Run, typed: str, place: object) -> None:
    policy, condition = rh.Policy.load(path), rh.MinimumRecall(0.9)
    name = policy.at(condition).classifiers[0]
    how = ["sql", path, "--dialect", "duckdb", "--min-recall", "0.9", "--key", typed]
    status, out, err = run(*how, "--column", f"{name}={typed}")
    assert (status, err) == (0, "")
    assert out == policy.to_sql(condition, "duckdb", columns={name: place}, key=place) + "\n"  # type: ignore[dict-item]


def test_a_place_with_too_many_points(path: str, run: Run) -> None:
    name = rh.Policy.load(path).classifiers[0]
    for typed in ("a.b.c", "a.", ".a", '"a.b', "a.b--c", "f(a).b"):
        status, out, err = run(
            "sql", path, "--dialect", "duckdb", "--min-recall", "0.9", "--column", f"{name}={typed}"
        )
        assert (status, out) == (2, "")
        assert "must be COLUMN or TABLE.COLUMN; other names go into double quotes." in err


def test_errors_name_options(path: str, run: Run) -> None:
    status, _, err = run("sql", path, "--dialect", "duckdb", "--max-fpr", "0.05")
    assert status == 1
    assert err.startswith("rochull: --key is needed: ")
    assert "ask for --deterministic." in err
    status, _, err = run("sql", path, "--dialect", "duckdb", "--cost-fn", "5:50", "--prevalence", "0.1")
    assert status == 1
    assert "so there is no single best rule; give one number. (--minimax decides" in err
    assert "Hybrid." not in err


def test_a_classifiers_name_may_hold_an_equals_sign(run: Run, tmp_path: Path) -> None:
    y = [1, 1, 0, 0]
    hulls = {"a": rh.roc_hull(y, [4, 1, 3, 2]), "a=b": rh.roc_hull(y, [3, 2, 4, 1])}
    rh.Policy.from_hull(rh.union(hulls)).save(tmp_path / "p.json")
    how = ["sql", str(tmp_path / "p.json"), "--dialect", "spark", "--max-fpr", "0.1", "--key", "k"]
    _, out, _ = run(*how, "--column", "a=b=c", "--column", "a=x=y")
    assert "`c` >=" in out
    assert "`x=y` >=" in out


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "name a condition to decide under, such as --max-fpr 0.05"),
        (
            ["--cases", "5", "--population", "9", "--prevalence", "0.3"],
            2,
            "--cases (--max-cases) is kept by a table as a whole",
        ),
        (
            ["--max-fpr", "0.05", "--column", "nonsense"],
            2,
            "--column must be NAME=COLUMN, but is 'nonsense'",
        ),
        (["--max-fpr", "0.05", "--column", "other=x"], 2, "the names are 'boosted', "),
        (["--max-fpr", "0.05", "--column", "logistic="], 2, "--column must be NAME=COLUMN"),
        (["--max-fpr", "0.05"], 1, "key is needed: the decision is a mixture"),
        (["--max-fpr", "0.05", "--key", ""], 1, "key must be the name of a column"),
        (["--max-fpr", "0.05", "--dialect", "mysql"], 1, "dialect must be one of 'duckdb', 'spark'"),
    ],
)
def test_what_is_refused(arguments: list[str], status: int, message: str, path: str, run: Run) -> None:
    dialect = [] if "--dialect" in arguments else ["--dialect", "duckdb"]
    found, out, err = run("sql", path, *dialect, *arguments)
    assert (found, out) == (status, "")
    assert message in err
    assert err.count("\n") == 1


def test_the_dialect_is_needed(path: str, run: Run) -> None:
    status, _, err = run("sql", path, "--max-fpr", "0.05")
    assert status == 2
    assert "--dialect" in err


# --- rochull decide with a capacity in cases ----------------------------------------------------------


@pytest.mark.crossed
@pytest.mark.parametrize("how", [["--key", "id"], ["--random-state", "3"], []])
@pytest.mark.parametrize("cases", [0, 77, 1000, 2000])
def test_decide_presents_exactly_so_many_rows(
    cases: int, how: list[str], path: str, run: Run, tmp_path: Path
) -> None:
    table, out = tmp_path / "table.parquet", tmp_path / "out.parquet"
    duckdb.sql(f"SELECT *, row_number() OVER () AS id FROM '{GERMAN}'").write_parquet(str(table))
    capacity = ["--cases", str(cases), "--population", "10_000", "--prevalence", "0.3"]
    status, said, err = run("decide", path, str(table), "-o", str(out), *capacity, *how)
    assert status == 0, err
    assert ("--cases 2,000 limits nothing: the table has 1,000 rows." in err) == (cases > 1000) == bool(err)
    assert "Rule: the best cases of this table, as many as can be flagged." in said
    assert f"Positive: {min(cases, 1000):,} of 1,000 cases" in said
    assert ("Among cases that are alike lots decide" in said) == (not how)
    found = duckdb.sql(f"SELECT * FROM '{out}'").fetchnumpy()
    assert np.count_nonzero(found["decision"]) == min(cases, 1000)
    if how:
        given = {"key": found["id"]} if how[0] == "--key" else {"random_state": 3}
        policy = rh.Policy.load(path)
        condition = rh.Capacity(cases=cases, population=10_000, prevalence=0.3)
        assert policy.decide(found, condition, **given).tolist() == found["decision"].tolist()


def test_decide_by_a_single_rule_within_the_capacity(path: str, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    capacity = [
        "--cases",
        "77",
        "--population",
        "1000",
        "--prevalence",
        "0.3",
        "--deterministic",
        "--key",
        "class",
    ]
    status, said, _ = run("decide", path, GERMAN, "-o", str(out), *capacity)
    assert status == 0
    assert "Key: 'class' is not needed" in said
    policy = rh.Policy.load(path)
    condition = rh.Capacity(cases=77, population=1000, prevalence=0.3)
    expected = policy.decide(rh.datasets.load("german_credit_scores"), condition, deterministic=True)
    assert 0 < expected.sum() <= 77
    assert f"Positive: {expected.sum()} of 1,000" in said


# --- calibrators ----------------------------------------------------------------------------------


def test_the_expression_of_a_calibrator(run: Run, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    fit = ["--label", "class", "--positive", "bad", "--score", "boosted", "--model", str(model)]
    assert run("calibrate", GERMAN, *fit)[0] == 0
    made = rh.load_calibrator(model)
    for options, how in (
        ([], {"column": "boosted"}),
        (["--prevalence", "0.05"], {"column": "boosted", "prevalence": 0.05}),
        (["--what", "llr", "--base", "10"], {"column": "boosted", "what": "llr", "base": 10}),
        (["--column", "boosted=s.x"], {"column": ("s", "x")}),
    ):
        status, out, err = run("sql", str(model), "--dialect", "duckdb", *options)
        assert (status, err) == (0, "")
        assert out == made.to_sql(dialect="duckdb", **how) + "\n"
    for wrong, message in (
        (["--cost-fn", "5"], "--cost-fn is for a policy, and"),
        (["--base", "10"], "--base has no effect without --what llr."),
        (["--column", "b=x"], "--column must be NAME=COLUMN, but is 'b=x'; the names are 'boosted'"),
        (["--what", "llr", "--prevalence", "0.1"], "do not depend on it"),
    ):
        status, _, err = run("sql", str(model), "--dialect", "duckdb", *wrong)
        assert status == 2 or "depend" in message
        assert message in err


def test_a_calibrators_options_are_not_for_policies(path: str, run: Run) -> None:
    status, _, err = run("sql", path, "--dialect", "duckdb", "--max-fpr", "0.1", "--what", "llr")
    assert status == 2
    assert "--what is for a calibrator, which this is not." in err
