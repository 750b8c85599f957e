"""A walk: a kind of policy is one class with `at`, which finds a plan, and its document; and one line."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import polars as pl
import pytest

import rochull as rh
from rochull.cli import kinds
from rochull.cli.app import main
from rochull.cli.decider import Decider
from rochull.dialects.registry import dialects

BAND = '''
"""The one new file: cases that a cheap classifier leaves open are decided by a dear one, at its posterior."""

from dataclasses import dataclass, field

from rochull._core.schemas import Schema, items, name, number, text, texts
from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.decisions.any_policy import AnyPolicy
from rochull.decisions.plans import Ask, Decide

FIELDS = {"about": texts, "salt": text, "classifiers": items(name, 2), "open": items(number(), 2)}


@dataclass(frozen=True, eq=False)
class BandPolicy(AnyPolicy):
    schema = Schema("rochull-band-policy", "band policy", FIELDS)

    classifiers: tuple
    open: tuple
    salt: str = ""
    about: dict = field(default_factory=dict)

    def at(self, condition):
        cheap, dear = self.classifiers
        rule = Rule("threshold", dear, condition.cost_fp / (condition.cost_fp + condition.cost_fn))
        return Ask(cheap, self.open, (Decide(NEVER), Decide(rule), Decide(ALWAYS)))

    def _contents(self):
        return {name: getattr(self, name) for name in FIELDS}

    @classmethod
    def _of_contents(cls, fields):
        return cls(**{name: fields[name] for name in FIELDS})
'''
LINE = "rochull-band-policy", ("scratch_band:BandPolicy", Decider)  # the one line elsewhere
TABLE = {
    "cheap": [0.1, 0.4, 0.5, 0.6, 0.9, float("nan")],
    "dear": [0.9, 0.1, 0.3, 0.7, 0.0, 0.9],
    "key": [1, 2, 3, 4, 5, 6],
}
COST = rh.ExpectedCost(cost_fp=1, cost_fn=4, prevalence=0.3)
EXPECTED = [False, False, True, True, True, False]


@pytest.fixture
def kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The class of the new kind."""
    (tmp_path / "scratch_band.py").write_text(BAND, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "scratch_band", raising=False)
    monkeypatch.setitem(kinds.DECIDERS, *LINE)
    return importlib.import_module("scratch_band").BandPolicy


def test_it_decides_is_saved_and_is_written(kind: Any, tmp_path: Path) -> None:
    kind(("cheap", "dear"), (0.3, 0.8)).save(tmp_path / "band.json")
    policy = kind.load(tmp_path / "band.json")
    with pytest.warns(UserWarning, match=r"scores\['cheap'\] has 1 missing values where it is asked"):
        assert policy.decide(TABLE, COST).tolist() == EXPECTED
    asked: list[int] = []
    lazy = {"cheap": [0.1, 0.5], "dear": lambda rows: asked.extend(rows.tolist()) or [0.3]}
    assert policy.decide(lazy, COST).tolist() == [False, True]
    assert asked == [1]
    moved = {**TABLE, "c2": TABLE["cheap"]}
    del moved["cheap"]
    with pytest.warns(UserWarning, match="missing"):
        assert policy.decide(moved, COST, columns={"cheap": "c2"}).tolist() == EXPECTED
    for name in dialects():
        assert "cheap" in policy.to_sql(COST, name)
    frame = pl.DataFrame(TABLE).to_arrow()  # read by DuckDB under its name
    text = policy.to_sql(COST, "duckdb")
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        assert [v for (v,) in connection.sql(f"SELECT {text} FROM frame").fetchall()] == EXPECTED


def test_spark_has_it(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    functions = pytest.importorskip("pyspark.sql.functions")
    monkeypatch.setattr(functions, "expr", lambda text: text)
    frame = SimpleNamespace(withColumn=lambda name, column: (name, column))
    policy = kind(("cheap", "dear"), (0.3, 0.8))
    assert rh.policies.spark_decide(frame, policy, COST) == ("decision", policy.to_sql(COST, "spark"))


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_command_line_has_it(
    kind: Any,
    engine: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    kind(("cheap", "dear"), (0.3, 0.8)).save("band.json")
    pl.DataFrame(TABLE).write_parquet("t.parquet")
    how = ["--cost-fp", "1", "--cost-fn", "4", "--prevalence", "0.3"]
    assert main(["decide", "band.json", "t.parquet", *how, "-o", "o.parquet", "--engine", engine]) == 0
    assert pl.read_parquet("o.parquet")["decision"].to_list() == EXPECTED
    told = capsys.readouterr()
    assert "Rule: cheap < 0.3: never" in told.out
    assert "Positive: 3 of 6 cases" in told.out
    assert "1 missing values" in told.err
    assert main(["sql", "band.json", *how, "--dialect", "postgres"]) == 0
    assert capsys.readouterr().out.startswith("CASE WHEN")
    assert main(["sql", "band.json", *how, "--dialect", "postgres", "--deterministic"]) == 2
    assert "--deterministic has no effect on this policy" in capsys.readouterr().err


def test_what_is_missing_is_said() -> None:
    with pytest.raises(TypeError, match=r"Hasty does not say its at, schema, classifiers, _of_contents; "):
        exec(BAND.partition("@dataclass")[0] + "class Hasty(AnyPolicy):\n    def _contents(self): ...", {})
