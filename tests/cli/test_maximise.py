"""``--maximise``: what is the best by name, from report to decisions and SQL."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

import rochull as rh
from command_line import GERMAN, LABEL, Run, hybrid, saved_policy
from rochull._core.table_files import read_columns

NAMES = ["boosted", "tree"]
MEASURES = {
    "youden": rh.Youden(),
    "balanced-accuracy": rh.BalancedAccuracy(),
    "f-beta": rh.FBeta(),
    "mcc": rh.MCC(),
    "churn-profit": rh.conditions.ChurnProfit(),
    "credit-profit": rh.conditions.CreditProfit(),
}


@pytest.mark.parametrize("name", MEASURES)
def test_report_decide_and_sql_are_alike(run: Run, tmp_path: Path, name: str) -> None:
    words = [word for column in NAMES for word in ("--score", column)]
    policy = saved_policy(tmp_path, NAMES)
    told = run("report", GERMAN, *LABEL, *words, "--maximise", name, "--full")
    assert told.status == 0, told.err
    measure = MEASURES[name]
    condition = measure if isinstance(measure, rh.ExpectedCost) else rh.Within(measure, [])
    point = hybrid(NAMES).at(condition)
    assert f"{100 * point.tpr:.1f} %" in told.out
    done = run("decide", policy, GERMAN, "--maximise", name, "-o", "out.csv")
    assert done.status == 0, done.err
    decided = read_columns("out.csv", ["decision"])["decision"]
    written = run("sql", policy, "--maximise", name, "--dialect", "duckdb").out
    by_sql = duckdb.sql(f"SELECT {written.strip().rstrip(';')} AS d FROM '{GERMAN}'").fetchnumpy()["d"]
    assert np.asarray(decided).astype(bool).tolist() == by_sql.tolist()
    y = np.asarray(read_columns(GERMAN, ["class"])["class"]) == "bad"
    assert by_sql[y].mean() == pytest.approx(point.tpr)


def test_beta_and_prevalence(run: Run, tmp_path: Path) -> None:
    policy = saved_policy(tmp_path, NAMES)
    words = ["--maximise", "f-beta", "--beta", "3", "--prevalence", "0.1"]
    done = run("decide", policy, GERMAN, *words, "-o", "out.csv")
    assert done.status == 0, done.err
    assert any(
        words in done.out for words in ("highest F3, prevalence 0.1", "FBeta(prevalence=0.1, beta=3.0)")
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--maximise", "foo"], "--maximise must be one of youden, balanced-accuracy, f-beta, mcc"),
        (["--beta", "2"], "--beta needs --maximise f-beta"),
        (["--maximise", "mcc", "--beta", "2"], "--beta needs --maximise f-beta"),
        (["--maximise", "f-beta", "--beta", "x"], "--beta must be a number"),
        (["--maximise", "youden", "--prevalence", "0.1"], "--prevalence has no effect with --maximise"),
    ],
)
def test_what_is_refused(run: Run, tmp_path: Path, words: list[str], message: str) -> None:
    policy = saved_policy(tmp_path, NAMES)
    done = run("decide", policy, GERMAN, *words, "-o", "out.csv")
    assert done.status != 0
    assert message in done.err
