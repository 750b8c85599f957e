"""Documents of the code's first form decide today as they did then: golden files of every kind of document.

`scripts/make_golden.py` wrote `tests/golden` before a question became one value and an answer one plan.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import polars as pl
import pytest

import golden_cases

PATHS = sorted(set(golden_cases.FILES.glob("*.json")) - {golden_cases.TABLE})
EARLIER = {"rochull-fixed-policy", "rochull-group-policy"}  # they are written as saved plans
NAMES = [path.stem for path in PATHS]
LONG = [name for name in NAMES if name.startswith("policy_") and name != "policy_several"]
each_file = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in LONG else ()) for name in NAMES]
)


@cache
def table() -> pl.DataFrame:
    return golden_cases.read_table()


@cache
def golden(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((golden_cases.FILES / f"{name}.json").read_text(encoding="utf-8"))
    for part in ("answers", "sql"):
        found[part] = {ask: answer for answer, asks in found[part].items() for ask in asks}
    return found


NOW = {"position of review": "refused ValueError"}  # it was one half, whatever was asked


def others(found: Mapping[str, str], expected: Mapping[str, str]) -> dict[str, tuple[str | None, str | None]]:
    """The questions that are answered otherwise: now, and then."""
    asks = dict.fromkeys([*expected, *found])
    then = {a: NOW.get(a, expected.get(a)) for a in asks}
    return {a: (found.get(a), then[a]) for a in asks if found.get(a) != then[a]}


def test_all_kinds_are_there() -> None:
    assert {golden(path.stem)["kind"] for path in PATHS} == set(golden_cases.KINDS)


@each_file
def test_decides_as_ever(name: str) -> None:
    then = golden(name)
    found = golden_cases.answers(then["kind"], json.dumps(then["document"]), table())
    assert others(found, then["answers"]) == {}


@each_file
def test_sql_decides_as_ever(name: str) -> None:
    """Where SQL said the same as Python, it must still say what Python said then."""
    then = golden(name)
    expected = {ask: then["answers"][ask] if answer == "=" else answer for ask, answer in then["sql"].items()}
    found = golden_cases.sql_answers(then["kind"], json.dumps(then["document"]), table())
    assert others(found, expected) == {}


@each_file
def test_is_written_as_it_was_read(name: str) -> None:
    then = golden(name)
    load, _, _ = golden_cases.KINDS[then["kind"]]
    text = load(json.dumps(then["document"])).to_json()
    again = json.loads(text)
    assert json.loads(load(text).to_json()) == again
    if again == then["document"]:
        return  # it decides as that does
    if again.pop("given_rates", False):  # which documents did not say then
        again["checksum"] = then["document"]["checksum"]
    if then["document"]["format"] not in EARLIER:
        assert again == then["document"]
    assert others(golden_cases.answers(then["kind"], text, table()), then["answers"]) == {}
