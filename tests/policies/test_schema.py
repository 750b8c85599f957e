"""Every document that is not exactly a policy is refused with one line that says what is wrong."""

import contextlib
import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import rochull as rh
from document_cases import JUNK, changed, dumped, named, places, put, remove
from document_cases import refusal as refusal_of

Document = dict[str, Any]

refusal = partial(refusal_of, rh.Policy)


def document() -> Document:
    """A valid policy: vertices (0, 0), (0, 1), (1, 3), (4, 4), and a weighted-looking unit."""
    hull = rh.roc_hull([1, 1, 1, 0, 1, 0, 0, 0], [6, 5, 5, 5, 3, 2, 2, 2.5])
    found: Document = json.loads(rh.Policy.from_hull(hull, salt="x", about={"from": "a test"}).to_json())
    assert [(p["fp"], p["tp"]) for p in found["points"]] == [(0, 0), (0, 1), (1, 4), (4, 4)]
    return found


PATHS = [path for path in places(document()) if path and path != ("checksum",)]
FREE = {("about", "from")}  # may go


def test_the_document_is_valid() -> None:
    text = dumped(document())
    assert rh.Policy.from_json(text).to_json() == rh.Policy.from_json(text.encode()).to_json()


@pytest.mark.parametrize("path", PATHS, ids=named)
def test_nothing_can_be_removed(path: tuple[Any, ...]) -> None:
    text = changed(document(), path, remove)
    if path in FREE:
        assert dict(rh.Policy.from_json(text).about) == {}
    elif len(path) == 2 and path[0] == "points" and 0 < path[1] < 3:
        assert len(rh.Policy.from_json(text).hull) == 3  # fewer vertices are still a hull
    else:
        message = refusal(text)
        if isinstance(path[-1], str) and path[-1] != "format" and "rules" not in path:
            assert named(path) in message
            assert "required" in message


@pytest.mark.parametrize("path", PATHS, ids=named)
def test_no_type_can_be_changed(path: tuple[Any, ...]) -> None:
    original: Any = document()
    for key in path:
        original = original[key]
    for junk in JUNK:
        if not isinstance(junk, type(original)) or isinstance(junk, bool):
            allowed = path[-1] in {"unit_neg", "unit_pos", "threshold"} and junk in (1.5, -1)
            if path == ("weighted",) and junk is True:
                allowed = True
            if allowed and not (path[-1].startswith("unit") and junk == -1):
                rh.Policy.from_json(put(document(), path, junk))
            else:
                refusal(put(document(), path, junk))


@pytest.mark.parametrize("path", [(), *(p for p in PATHS if p[-1] == 1 or p[-1] == 0 or p[-1] == "points")])
def test_no_field_can_be_added(path: tuple[Any, ...]) -> None:
    found = document()
    holder: Any = found
    for key in path:
        holder = holder[key]
    if isinstance(holder, dict):
        holder["import\nos"] = 1
        assert "import os: there is no such field" in refusal(dumped(found))
    else:
        holder.append({"surprise": 1})
        refusal(dumped(found))


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
        (edited(unit_neg=1e10), "a unit is not a power of two"),
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
        (with_point(1, tp=2**70), "points.1.tp"),
        (with_point(1, tp=1.0), "points.1.tp"),
        (with_point(1, rules=[]), "points.1.rules"),
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
        (dumped(document()).replace("3.0", "1e999"), "points.2.rules.0.threshold"),
        (edited(about={"a": 1}), "about.a"),
        (edited(about={"integer": 1}), "about.integer"),
        (edited(salt="\ud800"), "salt: it must be text that UTF-8 can hold"),
    ],
)
def test_what_is_wrong_is_said(text: str | bytes, message: str) -> None:
    assert message in refusal(text)


def test_any_edit_is_refused() -> None:
    original = document()
    for change in (
        {"salt": "y"},
        {"about": {}},
        {"unit_neg": 2.0},
        {"checksum": "0" * 64},
        {"points": [original["points"][0], *original["points"][2:]]},
    ):
        assert "its checksum is not that of its contents" in refusal(json.dumps({**original, **change}))
    moved = document()
    moved["points"][1]["rules"][0]["threshold"] = 0.01
    assert "its checksum is not that of its contents" in refusal(json.dumps(moved))
    del moved["checksum"]
    assert "checksum" in refusal(json.dumps(moved))


def test_every_truncation_is_refused() -> None:
    text = rh.Policy.from_hull(rh.roc_hull([1, 0], [1, 0])).to_json()
    for size in range(len(text.rstrip())):
        assert "Invalid JSON: " in refusal(text[:size])


def test_flipped_characters_never_crash() -> None:
    """Whatever one character becomes, there is a policy or a PolicyError."""
    text = dumped(document())
    for i in range(len(text)):
        for character in '"}x9-':
            with contextlib.suppress(rh.PolicyError):
                rh.Policy.from_json(text[:i] + character + text[i + 1 :])


def test_thresholds_that_are_accepted() -> None:
    for threshold in ("inf", "-inf", 2**64 - 1, -(2**63), 0, -0.0, 5e-324, 1.7976931348623157e308):
        policy = rh.Policy.from_json(with_rule(1, threshold=threshold))
        found = policy.hull.owners[1][0].threshold
        assert repr(found) == repr(float(threshold) if isinstance(threshold, str) else threshold)
        assert policy.decide([1.0, -1.0], rh.NeymanPearson(0)).size == 2


def test_load_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(b"\x00")
    with pytest.raises(rh.PolicyError) as caught:
        rh.Policy.load(path)
    assert str(caught.value).startswith(f"{path}: the policy is not valid: Invalid JSON")
    assert "\n" not in str(caught.value)


def test_loading_runs_no_code(tmp_path: Path) -> None:
    """A pickle is refused before anything looks into it."""
    path = tmp_path / "pickle.json"
    path.write_bytes(b"cos\nsystem\n(S'touch " + str(tmp_path / "ran").encode() + b"'\ntR.")
    with pytest.raises(rh.PolicyError, match="Invalid JSON"):
        rh.Policy.load(path)
    assert not (tmp_path / "ran").exists()
