"""Every document that is not exactly a knob is refused with one line that says what is wrong."""

import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import rochull as rh
from document_cases import refusal as refusal_of
from rochull._core.schemas import checksum

refusal = partial(refusal_of, rh.Knob)


def document() -> dict[str, Any]:
    hull = rh.roc_hull([1, 1, 1, 0, 1, 0, 0, 0], [6, 5, 5, 5, 3, 2, 2, 2.5])
    knob = rh.Knob(hull, alarm_rate=0.2, precision=0.5, capacity=7)
    knob.feedback(presented=100, alarms=30, false_alarms=10)
    found: dict[str, Any] = json.loads(knob.to_json())
    return found


def signed(found: dict[str, Any]) -> str:
    return json.dumps({**found, "checksum": checksum(found)})


def test_the_document_is_valid() -> None:
    text = signed(document())
    for given in (text, text.encode(), b"\xef\xbb\xbf" + text.encode()):
        assert json.loads(rh.Knob.from_json(given).to_json()) == json.loads(text)


@pytest.mark.parametrize("name", [*document()])
def test_nothing_can_be_removed_or_become_something_else(name: str) -> None:
    found = document()
    for junk in ([], {}, "text", True, [[1]], {"a": 1}, 10**400, math.nan, -math.inf, -5):
        refusal(signed({**found, name: junk}) if name != "checksum" else json.dumps({**found, name: junk}))
    del found[name]
    message = refusal(signed(found) if name != "checksum" else json.dumps(found))
    assert name in message


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
    assert f"the knob is not valid at {holder}.{next(iter(change))}" in refusal(signed(found))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"position": 0.95, "highest": 0.9}, "the position is not between lowest and highest"),
        (
            {"format": "rochull-policy"},
            "this is not a knob document (format is not 'rochull-knob'; Policy reads it)",
        ),
        ({"version": 2}, "the knob has version 2; this rochull reads version 1"),
        ({"surprise": 1}, "surprise: there is no such field"),
        ({"policy": {}}, "the knob is not valid at policy: this is not a policy document"),
        ({"prevalence": 1.0}, "prevalence"),
        ({"memory": 0.0}, "memory"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], message: str) -> None:
    assert message in refusal(signed({**document(), **change}))


@pytest.mark.parametrize("text", ["", b"", "{", "[]", "null", "3", "{}", b"\xff\xfe", "[" * 100_000])
def test_other_texts(text: str | bytes) -> None:
    refusal(text)


def test_any_edit_is_refused(tmp_path: Path) -> None:
    for change in ({"alarm_rate": 0.9}, {"position": 0.3}, {"presented": 101.0}, {"checksum": "0" * 64}):
        assert "its checksum is not that of its contents" in refusal(json.dumps({**document(), **change}))
    found = document()
    found["policy"]["salt"] = "other"
    assert "its checksum is not that of its contents" in refusal(json.dumps(found))
    assert "checksum" in refusal(signed(found))  # the policy has one of its own
    found["policy"]["checksum"] = checksum(found["policy"])
    assert rh.Knob.from_json(signed(found)).policy.salt == "other"
    (tmp_path / "knob.json").write_text(json.dumps({"format": "x"}), encoding="utf-8")
    with pytest.raises(rh.PolicyError, match=r"knob\.json: this is not a knob document"):
        rh.Knob.load(tmp_path / "knob.json")
    with pytest.raises(OSError, match="missing"):
        rh.Knob.load(tmp_path / "missing.json")
