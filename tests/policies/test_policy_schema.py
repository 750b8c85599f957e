"""Every document that is not exactly a policy is refused with one line that says what is wrong."""

import math
from functools import partial
from typing import Any

import pytest

import rochull as rh
from document_cases import Compared, dumped
from document_cases import policy as document
from document_cases import refusal as refusal_of
from rochull._core.schemas import checksum

refusal = partial(refusal_of, rh.Policy)


def edited(**changes: Any) -> str:
    return dumped({**document(), **changes})


def with_point(i: int, **changes: Any) -> str:
    found = document()
    found["points"][i].update(changes)
    return dumped(found)


def with_rule(i: int, **changes: Any) -> str:
    found = document()
    found["points"][i]["rules"][0].update(changes)
    return dumped(found)


def with_single(**changes: Any) -> str:
    found = document()
    found["singles"][0].update(changes)
    return dumped(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format: rochull-policy", "Invalid JSON"),
        (b"PAR1\x00\xff\xfe\x80" * 9, "Invalid JSON"),
        (bytes(range(256)), "Invalid JSON"),
        ("\ud800", "Invalid JSON"),
        ("[]", "this is not a policy document (format is not 'rochull-policy')"),
        ("null", "this is not a policy document"),
        ("3", "this is not a policy document"),
        ("{}", "this is not a policy document"),
        (edited(format="other"), "this is not a policy document"),
        (edited(version=2), "the policy has version 2; this rochull reads version 1"),
        (edited(version="1"), "the policy has version '1'"),
        (edited(version="v\n" * 10**5), "this rochull reads version 1"),
        (edited(version={"a": [1] * 10**4}), "this rochull reads version 1"),
        (edited(n_neg=0), "n_neg"),
        (edited(n_pos=2**62), "n_pos"),
        (edited(n_pos=5), "do not run from (0, 0) to (n_neg, n_pos)"),
        (edited(unit_neg=0.0), "unit_neg"),
        (edited(unit_pos=math.inf), "unit_pos"),
        (edited(unit_neg=2.0**1000, unit_pos=2.0**-1000), "the total weight of a class too small or too"),
        (edited(unit_neg=3e10), "a unit is not a power of two"),
        (edited(unit_neg=2**1100), "the units of a class are too many"),
        (edited(unit_neg=2.0**33), "without weights the units must make a whole number of examples"),
        (edited(unit_pos=2.0**-500), "the total weight of a class too small or too large"),
        (edited(points=document()["points"][:1]), "points"),
        (edited(points=document()["points"][:2]), "do not run from"),
        (edited(points=document()["points"][::-1]), "do not run from"),
        (edited(points=[document()["points"][i] for i in (0, 1, 1, 2, 3)]), "point 2 does not ascend"),
        (edited(points=[document()["points"][i] for i in (0, 2, 1, 3)]), "point 2 does not ascend"),
        (edited(points=[document()["points"][i] for i in (0, 0, 1, 2, 3)]), "point 1 does not ascend"),
        (with_point(1, fp=1, tp=1), "point 1 is not on the convex hull"),
        (with_point(2, fp=3, tp=3), "is not on the convex hull of the others"),
        (with_point(1, fp=-1), "points.1.fp"),
        (with_point(1, tp=2**70), "operating point 2 does not ascend"),
        (with_point(1, tp=2**2048), "points.1.tp"),
        (with_point(1, tp=1.0), "points.1.tp"),
        (with_point(1, rules=[]), "points.1.rules"),
        (
            with_point(
                1, rules=[{"kind": "threshold", "classifier": "score", "threshold": t} for t in (9, 6)]
            ),
            "two rules of 'score' reach operating point 1",
        ),
        (with_point(0, rules=[{"kind": "always"}]), 'first rule must be "never"'),
        (with_point(3, rules=[{"kind": "never"}]), 'the last "always"'),
        (with_point(1, rules=[{"kind": "never"}]), "all others thresholds"),
        (with_rule(1, kind="sometimes"), "points.1.rules.0.kind"),
        (with_rule(1, classifier=None), "kind 'threshold' has the wrong fields"),
        (with_rule(1, classifier=""), "points.1.rules.0.classifier"),
        (with_rule(1, threshold=None), "kind 'threshold' has the wrong fields"),
        (with_rule(0, threshold=0.5), "kind 'never' has the wrong fields"),
        (with_rule(0, classifier="a"), "kind 'never' has the wrong fields"),
        (
            with_rule(1, threshold="0.5"),
            'points.1.rules.0.threshold: it must be a finite number of 64 bits, "inf"',
        ),
        (with_rule(1, threshold="nan"), "points.1.rules.0.threshold"),
        (with_rule(1, threshold=math.nan), "points.1.rules.0.threshold"),
        (with_rule(1, threshold=math.inf), "points.1.rules.0.threshold"),
        (with_rule(1, threshold=2**64), "points.1.rules.0.threshold"),
        (with_rule(1, threshold=-(2**63) - 1), "points.1.rules.0.threshold"),
        (dumped(document()).replace('"salt"', '"salt": "y", "salt"'), "the key 'salt' occurs twice"),
        (dumped(document()).replace("3.0", "1e999"), "points.2.rules.0.threshold"),
        (with_single(tp=0), "the single rules of 'score' do not ascend"),  # a vertex before has more
        (edited(about={"a": 1}), "about.a"),
        (edited(about={"integer": 1}), "about.integer"),
        (edited(salt="\ud800"), "salt: it must be text that UTF-8 can hold"),
    ],
)
def test_what_is_wrong_is_said(text: str | bytes, message: str) -> None:
    assert message in refusal(text)


def test_thresholds_that_are_accepted() -> None:
    for threshold in ("inf", "-inf", 2**64 - 1, -(2**63), 0, -0.0, 5e-324, 1.7976931348623157e308):
        found = document()
        found["points"][1]["rules"] = [{"kind": "threshold", "classifier": "other", "threshold": threshold}]
        policy = rh.Policy.from_json(dumped(found))
        kept = policy.hull.owners[1][0].threshold
        assert repr(kept) == repr(float(threshold) if isinstance(threshold, str) else threshold)
        assert policy.decide({"other": [1.0, -1.0]}, rh.NeymanPearson(0)).size == 2


@pytest.mark.parametrize("threshold", [3.0, 2.0, "-inf"])
def test_thresholds_must_fall(threshold: float) -> None:
    message = "operating point 2 is not below the one before it"
    assert message in refusal(with_rule(1, threshold=threshold))


def test_singles_are_read_once() -> None:
    n, found = 300, document()
    found["singles"] = [
        {"fp": 1, "tp": 1, "rules": [{"kind": "threshold", "classifier": Compared(f"c{i}"), "threshold": 1}]}
        for i in range(n)
    ]
    Compared.times = 0
    assert len(rh.Policy.from_dict({**found, "checksum": checksum(found)}).hull.curves) == n
    assert Compared.times < 20 * n
