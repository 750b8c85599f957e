"""What a quick run leaves to a full one."""

from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

import profiles


class Item:
    """What is asked of a test with parameters."""

    def __init__(self, test: str, marks: set[str], **values: Any) -> None:
        self.nodeid = f"{test}[{'-'.join(map(str, values.values()))}]"
        self.callspec = SimpleNamespace(params=values)
        self.get_closest_marker = marks.__contains__


def items() -> list[Any]:
    pairs = [*product("abcde", (1, 2, 3))]
    crossed, long = {"crossed"}, {"crossed", "long"}
    return [Item(name, marks, a=a, b=b) for name, marks in
            (("f", crossed), ("g", crossed), ("plain", set()), ("slow", long)) for a, b in pairs]  # fmt: skip


def test_each_value_of_a_crossed_test_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "is_full", lambda: False)
    given = items()
    left = profiles.left_to_full_runs(given)
    for name in ("f", "g"):
        kept = [i for i in given if i.nodeid.startswith(f"{name}[") and i not in left]
        assert {i.callspec.params["a"] for i in kept} == {*"abcde"}
        assert {i.callspec.params["b"] for i in kept} == {1, 2, 3}
        assert len(kept) <= 5 + 3 - 1
    assert not any(i.nodeid.startswith(("plain", "slow")) for i in left)
    assert {i.nodeid for i in profiles.left_to_full_runs(items()[::-1])} == {i.nodeid for i in left}
    assert list(profiles.some(range(9), 2)) == [0, 1]


def test_of_many_tests_two_cases_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "is_full", lambda: False)
    monkeypatch.setattr(profiles, "MANY", 10)
    given = items()
    kept = [i.nodeid.partition("[")[0] for i in given if i not in profiles.left_to_full_runs(given)]
    assert kept.count("plain") == 2
    assert kept.count("slow") == 15
    assert kept.count("f") >= 5


def test_a_full_run_leaves_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "is_full", lambda: True)
    assert profiles.left_to_full_runs(items()) == set()
    assert list(profiles.some(range(9), 2)) == [*range(9)]


def test_a_fast_run_has_one_case_of_a_share_of_the_tests() -> None:
    names = [f"tests/hull/test_hull.py::test_{n}" for n in range(200)]
    given: list[Any] = [Item(name, set(), a=a) for name in names for a in (1, 2)]
    rule: Any = [Item("tests/test_house.py::test_rule", set(), a=a) for a in (1, 2)]
    server: Any = Item("tests/test_house.py::test_server", set(), a=1)
    left = profiles.left_to_slower_runs([*given, *rule, server], lambda item: item is server)
    kept = [item.nodeid.partition("[")[0] for item in (*given, *rule, server) if item not in left]
    assert kept[-1] == "tests/test_house.py::test_rule"
    assert len(kept) == len({*kept})
    assert 200 / 16 < len(kept) < 200 / 4
