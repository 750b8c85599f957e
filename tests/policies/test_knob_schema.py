"""Every document that is not exactly a knob is refused with one line that says what is wrong."""

import math
from functools import partial
from typing import Any

import pytest

import rochull as rh
from document_cases import dumped
from document_cases import knob as document
from document_cases import refusal as refusal_of
from rochull._core.schemas import checksum

refusal = partial(refusal_of, rh.Knob)


@pytest.mark.parametrize("holder", ["of_alarms", "of_precision"])
@pytest.mark.parametrize(
    "change",
    [
        {"mean": 31.0},
        {"mean": math.nan},
        {"information": 0.5},
        {"gain": 0.0},
        {"gain": 1.5},
        {"side": 2},
        {"side": True},
        {"extra": 1},
    ],
)
def test_what_was_learnt_is_checked(holder: str, change: dict[str, Any]) -> None:
    found = document()
    found[holder].update(change)
    assert f"the knob is not valid at {holder}.{next(iter(change))}" in refusal(dumped(found))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"position": 0.95, "highest": 0.9}, "the position is not between lowest and highest"),
        (
            {"format": "rochull-policy"},
            "this is not a knob document (format is not 'rochull-knob', but 'rochull-policy')",
        ),
        ({"version": 2}, "the knob has version 2; this rochull reads version 1"),
        ({"surprise": 1}, "surprise: there is no such field"),
        ({"policy": {}}, "the knob is not valid at policy: this is not a policy document"),
        ({"prevalence": 1.0}, "prevalence"),
        ({"memory": 0.0}, "memory"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], message: str) -> None:
    assert message in refusal(dumped({**document(), **change}))


def test_the_policy_has_a_checksum_too() -> None:
    found = document()
    found["policy"]["salt"] = "other"
    assert "checksum" in refusal(dumped(found))  # the policy has one of its own
    found["policy"]["checksum"] = checksum(found["policy"])
    assert rh.Knob.from_json(dumped(found)).policy.salt == "other"
