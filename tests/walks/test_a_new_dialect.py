"""A new dialect of SQL is one new file: policies, reports and the command line know it, and none has a hole."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

import rochull as rh
from rochull.cli.app import main
from rochull.dialects import registry

DIALECT = '''
from sqlglot.dialects.postgres import Postgres as PostgresSyntax

import rochull as rh
from rochull.dialects.postgres import Postgres


class Backticks(PostgresSyntax):
    class Tokenizer(PostgresSyntax.Tokenizer):
        IDENTIFIERS = ["`"]


@rh.policies.register_dialect
class Scratch(Postgres):
    """PostgreSQL with another quoting."""

    name, label, syntax = "scratch", "Scratch SQL", Backticks
    aliases = ("scratched",)
'''

HASTY = """
from rochull.dialects.base import Dialect


class Hasty(Dialect):
    name, label, syntax = "hasty", "Hasty", "postgres"

    def is_number(self, column):
        return super().is_number(column)
"""


def imported(text: str, where: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Write a module, import it, and forget it after the test."""
    (where / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(where))
    monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name)


def test_a_new_dialect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "registered", {})
    imported(DIALECT, tmp_path, monkeypatch, "scratch_dialect")
    y, scores = [1, 0, 1, 0, 1, 0], {"a": [0.9, 0.8, 0.7, 0.1, 0.05, 0.2], "b": [6, 5, 4, 3, 2, 1]}
    a, b = (rh.roc_hull(y, own) for own in scores.values())
    condition = rh.NeymanPearson(0.2)

    policy = rh.Policy.from_hull(a, salt="s")
    text = policy.to_sql(condition, "Scratched", key="id")
    assert "CAST(`id` AS TEXT)" in text
    assert text.replace("`", '"') == policy.to_sql(condition, "postgres", key="id")

    segments = rh.segments.SegmentPolicy.from_hulls({"x": a, "y": b}, column="kind", elsewhere=b)
    found = segments.to_sql(condition, "scratch", key="id")
    assert found.startswith("CASE WHEN `kind` IN ('x')")
    assert found.replace("`", '"') == segments.to_sql(condition, "postgres", key="id")

    points = rh.MulticlassRoc(["no", "yes"], [[0.7, 0.3], [0.6, 0.4]]).points_at([[1, 1.5]])
    multiclass = rh.multiclass.MulticlassPolicy.from_points(points)
    found = multiclass.to_sql([1, 1.5], "scratch")
    assert "CAST(`yes` AS DOUBLE PRECISION)" in found
    assert found.replace("`", '"') == multiclass.to_sql([1, 1.5], "postgres")

    hybrid = rh.Hybrid().add("a", y, scores["a"]).add("b", y, scores["b"])
    for report in (rh.Report(hybrid), rh.report.MulticlassReport(points)):
        sql = report.facts["deploy"]["sql"]
        assert list(sql) == [*registry.names()]
        assert registry.names()[-1] == "scratch"
        of_scratch, of_postgres = sql["scratch"], sql["postgres"]
        assert of_scratch.get("label") in ("Scratch SQL", None)
        written = json.dumps(of_postgres | {"label": of_scratch.get("label")}).replace('\\"', "`")
        assert json.dumps(of_scratch | {"label": of_scratch.get("label")}) == written

    policy.save(tmp_path / "policy.json")
    how = ["--dialect", "scratch", "--max-fpr", "0.2", "--key", "id"]
    assert main(["sql", str(tmp_path / "policy.json"), *how]) == 0
    assert capsys.readouterr().out == f"{text}\n"


def test_a_dialect_says_everything_or_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = "refused_in_names, overflow_is_error, has_long_integers, comparable, hash_digits"
    with pytest.raises(TypeError, match=f"the SQL dialect Hasty does not say its {missing}; rochull"):
        imported(HASTY, tmp_path, monkeypatch, "hasty_dialect")


def test_a_dialect_has_a_name_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from rochull.dialects.postgres import Postgres

    monkeypatch.setattr(registry, "registered", {})
    for wrong in ("postgres", "postgresql"):
        again = type("Again", (Postgres,), {"name": wrong})
        with pytest.raises(ValueError, match=f"there is an SQL dialect '{wrong}' already"):
            rh.policies.register_dialect(again)
    assert tuple(registry.dialects()) == registry.names()


def test_a_dialect_without_infinity_says_what_is_a_number() -> None:
    from rochull.dialects.postgres import Postgres

    finite = type("Finite", (Postgres,), {"name": "finite", "has_all_doubles": False})()
    with pytest.raises(TypeError, match=r"Finite has no infinity .* it must say otherwise what is a number"):
        finite.is_number(finite.column("a", "score"))


def test_a_dialect_is_listed_under_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_OWN", {"duckdb": "DuckDB"})
    monkeypatch.setattr(importlib.import_module("rochull.dialects.duckdb").DuckDB, "name", "duck")
    with pytest.raises(TypeError, match="DuckDB is listed as 'duckdb', but its name is 'duck'"):
        registry._own.__wrapped__()
