"""A hybrid is one value: adding replaces it, and neither questions nor what is read from it change it."""

import pickle
from copy import copy
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.hybrid.members import Member, Members

Y = np.repeat([0, 1], [18, 22])
COSTS = rh.ExpectedCost(1, 2, 0.4)
READ = ("hulls", "curves", "hundredths", "spreads", "auc", "about")


def scores() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    noisy = {"a": Y + rng.normal(0, 0.7, Y.size), "b": 0.5 * Y + rng.normal(0, 0.7, Y.size)}
    return {name: 1 / (1 + np.exp(-score)) for name, score in noisy.items()}


def made() -> rh.Hybrid:
    hybrid = rh.Hybrid()
    for name, score in scores().items():
        hybrid.add(name, Y, score, pos_label=1)
    return hybrid


def content(hybrid: rh.Hybrid) -> dict[str, Any]:
    return (
        vars(hybrid)
        | {"text": str(hybrid), "hull": hybrid.hull}
        | {part: getattr(hybrid, part) for part in READ}
    )


def test_no_question_changes_a_hybrid() -> None:
    hybrid = made()
    before = content(hybrid)
    hybrid.at(rh.NeymanPearson(0.1), deterministic=True)
    hybrid.need(COSTS, Y, scores(), n_folds=2)
    hybrid.regret(replace(COSTS, cost_fn=(1, 5)))
    hybrid.assured(rh.NeymanPearson(0.3, confidence=0.5))
    hybrid.sensitivity(COSTS)
    hybrid.restrict(COSTS)
    hybrid.without("b")
    hybrid.policy()
    rh.Report(hybrid, COSTS)
    assert content(hybrid) == before


@pytest.mark.parametrize("part", READ)
def test_what_is_read_is_the_reader_s_own(part: str) -> None:
    hybrid = made()
    getattr(hybrid, part).clear()
    assert getattr(hybrid, part)
    with pytest.raises(AttributeError):
        setattr(hybrid, part, {})


def test_a_copy_and_its_origin_go_separate_ways() -> None:
    hybrid = made()
    other, pickled = copy(hybrid), pickle.loads(pickle.dumps(hybrid))
    for one in (other, pickled):
        one.add("c", Y, Y)
    assert (list(hybrid.hulls), list(other.hulls)) == (["a", "b"], ["a", "b", "c"])
    assert other.hull.fp.tolist() == pickled.hull.fp.tolist() == [0, 0, 18]


def test_a_member_cannot_be_changed() -> None:
    member = Member("a", rh.RocHull.from_rates([0.1], [0.5]))
    with pytest.raises(FrozenInstanceError):
        member.name = "b"  # type: ignore[misc]
    members = Members().joined(member)
    assert (members.hulls.keys(), Members().hulls) == ({"a"}, {})


def test_some_of_them_count_those_that_were_left_out() -> None:
    members = Members()
    for i in range(4):
        members = members.joined(Member(f"c{i}", rh.RocHull.from_rates([0.1 * i], [0.5])))
    some = members.only(["c3", "c1"])
    assert (list(some.hulls), some.n_candidates) == (["c1", "c3"], 4)
    none = some.only([])
    assert (none.hulls, none.n_candidates) == ({}, 4)
    assert none.union is not None
    assert list(map(str, (rule for rules in none.union.owners for rule in rules))) == ["never", "always"]
