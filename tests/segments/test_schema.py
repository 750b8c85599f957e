"""Every document that is not exactly a segment policy is refused with one line that says what is wrong."""

from __future__ import annotations

import contextlib
import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rochull as rh
from document_cases import JUNK, changed, dumped, named, places, remove
from document_cases import put as put_into
from document_cases import refusal as refusal_of
from rochull.segments.columns import Axis, Bins
from rochull.segments.rules import RuleTable

Document = dict[str, Any]
NEVER, ALWAYS = rh.conditions.Rule("never"), rh.conditions.Rule("always")

refusal = partial(refusal_of, rh.segments.SegmentPolicy)


def rule(classifier: str, threshold: float) -> rh.conditions.Rule:
    return rh.conditions.Rule("threshold", classifier, threshold)


def document() -> Document:
    """A valid policy: an axis of edges, one of categories, two segments, four vertices."""
    axes = (
        Axis("size", edges=(0.5, 2.0), missing=True),
        Axis(7, categories=("web", 4, 0.5, math.inf, True), missing=False),
    )
    bins = Bins(axes, np.arange(20) % 3 - 1, ("small", "large"))
    hull = rh.roc_hull([1, 1, 1, 0, 1, 0, 0, 0], [6, 5, 5, 5, 3, 2, 2, 2.5])
    tables = [
        RuleTable(np.array([0, 1, 2, 3]), (NEVER, rule("a", 6.5), rule("b", 2), ALWAYS)),
        RuleTable(np.array([0, 2, 3]), (NEVER, rule("b", -math.inf), ALWAYS)),
        RuleTable(np.array([0, 1]), (NEVER, ALWAYS)),
    ]
    made = rh.segments.SegmentPolicy._of(hull, bins, tables, "x", {"from": "a test"})
    found: Document = json.loads(made.to_json())
    assert found["fp"] == [0, 0, 1, 4]
    assert found["tp"] == [0, 1, 4, 4]
    return found


def put(path: tuple[Any, ...], value: Any) -> str:
    return put_into(document(), path, value)


PATHS = [path for path in places(document()) if path and path != ("checksum",)]


def test_the_document_is_valid() -> None:
    text = dumped(document())
    made = rh.segments.SegmentPolicy.from_json(text)
    assert made.to_json() == rh.segments.SegmentPolicy.from_json(text.encode()).to_json()
    assert json.loads(made.to_json()) == document()
    assert made.classifiers == ("a", "b")
    assert made.bins.axes[1].categories == ("web", 4, 0.5, math.inf, True)


@pytest.mark.parametrize("path", PATHS, ids=named)
def test_nothing_can_be_removed(path: tuple[Any, ...]) -> None:
    text = changed(document(), path, remove)
    if path == ("about", "from"):
        assert dict(rh.segments.SegmentPolicy.from_json(text).about) == {}
    else:
        message = refusal(text)
        if isinstance(path[-1], str) and path[-1] not in ("format", "number"):
            assert named(path) in message
            assert "required" in message


# Where some of the junk is of a type that may be there, and fits.
FREE = {
    "threshold": (int, float), "edges": (int, float), "unit_neg": (int, float), "unit_pos": (int, float),
    "categories": (bool, int, float, str), "column": (int, str), "elsewhere": (type(None),),
    "missing": (bool,), "weighted": (bool,), "of_cell": (int,), "classifier": (),
}  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=named)
def test_no_type_can_be_changed(path: tuple[Any, ...]) -> None:
    original: Any = document()
    for key in path:
        original = original[key]
    name = next(part for part in reversed(path) if isinstance(part, str) and part != "number")
    for junk in JUNK:
        if isinstance(junk, type(original)) and not isinstance(junk, bool):
            continue  # other values of the same type: see the tests below
        text = put(path, junk)
        if isinstance(junk, FREE.get(name, ())):
            with contextlib.suppress(rh.PolicyError):
                rh.segments.SegmentPolicy.from_json(text)
        else:
            refusal(text)


@pytest.mark.parametrize("path", [p for p in places(document()) if p != ("checksum",)], ids=named)
def test_no_field_can_be_added(path: tuple[Any, ...]) -> None:
    found = document()
    holder: Any = found
    for key in path:
        holder = holder[key]
    if isinstance(holder, dict):
        holder["import\nos"] = 1
        if path == ("bins", "axes", 1, "categories", 3):
            refusal(dumped(found))
        elif path == ("about",):
            assert "about.import os" in refusal(dumped(found))
        else:
            assert "import os: there is no such field" in refusal(dumped(found))
    elif isinstance(holder, list):
        holder.append({"surprise": 1})
        refusal(dumped(found))


AXES = document()["bins"]["axes"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "this is not a segment policy document (format is not 'rochull-segment-policy')"),
        ("{}", "this is not a segment policy document"),
        (rh.Policy.from_hull(rh.roc_hull([1, 0], [1, 0])).to_json(), "this is not a segment policy document"),
        (put(("version",), 2), "the segment policy has version 2; this rochull reads version 1"),
        (put(("version",), "v\n" * 10**5), "this rochull reads version 1"),
        (put(("n_neg",), 0), "n_neg"),
        (put(("n_pos",), 5), "do not run from (0, 0) to (n_neg, n_pos)"),
        (put(("unit_neg",), 1e10), "a unit is not a power of two"),
        (put(("unit_neg",), 8.0), "without weights the units must make a whole number of examples"),
        (put(("unit_pos",), 2.0**-500), "the total weight of a class too small or too large"),
        (put(("fp",), [0, 0, 4]), "fp and tp differ in length"),
        (put(("fp",), [0, 0, 0, 4]), "operating point 1 is not on the convex hull"),
        (put(("fp",), [0, 5, 1, 4]), "operating point 2 does not ascend"),
        (put(("fp", 1), 2**62), "fp.1"),
        (put(("bins", "axes"), []), "bins.axes"),
        (put(("bins", "axes", 0, "edges"), [2.0, 0.5]), "the edges do not ascend"),
        (put(("bins", "axes", 0, "edges"), [0.5, 0.5]), "the edges do not ascend"),
        (put(("bins", "axes", 0, "edges", 0), math.inf), "bins.axes.0.edges.0"),
        (put(("bins", "axes", 0, "edges"), [0.5]), "not one bin for each combination of cells"),
        (put(("bins", "axes", 0, "edges"), None), "an axis has either edges or categories"),
        (put(("bins", "axes", 0, "categories"), [1]), "an axis has either edges or categories"),
        (put(("bins", "axes", 1, "categories"), [1, True, 2, 3, 4]), "a category occurs twice"),
        (put(("bins", "axes", 1, "categories"), []), "the axis has no cell"),
        (
            put(("bins", "axes", 1, "categories", 1), 2**64),
            "bins.axes.1.categories.1: it must be a text, a truth value or a number of 64 bits",
        ),
        (
            put(("bins", "axes", 1, "categories", 1), None),
            "categories.1: it must be a text, a truth value or a number",
        ),
        (put(("bins", "axes", 1, "categories", 3), {"number": "nan"}), "bins.axes.1.categories.3"),
        (put(("bins", "axes", 0, "column"), 7), "a column occurs twice"),
        (put(("bins", "axes", 0, "column"), 1.5), "bins.axes.0.column: it must be a text or a whole number"),
        (put(("bins", "of_cell", 3), 2), "a bin has no label"),
        (put(("bins", "of_cell", 3), -2), "bins.of_cell.3"),
        (put(("bins", "labels"), ["a", "a"]), "two segments are called 'a'"),
        (put(("bins", "labels"), ["a", "b", "c"]), "not one table for each segment"),
        (put(("classifiers",), ["a", "a"]), "a classifier occurs twice"),
        (put(("classifiers",), ["a"]), "table 0 speaks of a classifier that does not exist"),
        (put(("classifiers", 0), ""), "classifiers.0"),
        (put(("of_segment",), [0, 3]), "a segment's table does not exist"),
        (put(("elsewhere",), 3), "a segment's table does not exist"),
        (put(("tables", 0, "first"), [0, 1, 2, 4]), "table 0 goes beyond the last operating point"),
        (put(("tables", 0, "first"), [0, 2, 2, 3]), "do not ascend from 0"),
        (put(("tables", 0, "first"), [1, 2, 3, 4]), "do not ascend from 0"),
        (put(("tables", 0, "first"), [0, 2, 3]), "first, threshold and classifier differ in length"),
        (put(("tables", 0, "threshold", 0), 7), 'first rule must be "never"'),
        (put(("tables", 0, "threshold", 3), 0), 'the last "always"'),
        (put(("tables", 0, "threshold", 1), "never"), "all others thresholds"),
        (put(("tables", 0, "classifier", 1), None), "a threshold has no classifier"),
        (put(("tables", 0, "classifier", 0), 0), "or a constant rule has one"),
        (put(("tables", 1, "classifier"), None), "a threshold has no classifier"),
        (put(("tables", 1, "classifier"), 5), "table 1 speaks of a classifier that does not exist"),
        (
            put(("tables", 0, "threshold", 1), "0.5"),
            'tables.0.threshold.1: it must be a finite number of 64 bits, "inf", "-inf", "never" or "always"',
        ),
        (put(("tables", 0, "threshold", 1), math.nan), "tables.0.threshold.1"),
        (put(("tables", 0, "threshold", 1), 2**64), "threshold.1: it must be a finite number of 64 bits"),
        (dumped(document()).replace("6.5", "1e999"), "tables.0.threshold.1"),
        (put(("about",), {"a": 1}), "about.a"),
    ],
)
def test_what_is_wrong_is_said(text: str | bytes, message: str) -> None:
    assert message in refusal(text)


def test_any_edit_is_refused() -> None:
    for path, value in {
        ("salt",): "y",
        ("about",): {},
        ("unit_neg",): 2.0,
        ("tables", 0, "threshold", 1): 6.25,
        ("bins", "axes", 0, "edges", 0): 0.25,
        ("bins", "of_cell", 0): 0,
        ("checksum",): "0" * 64,
    }.items():
        moved = json.loads(put(path, value))
        moved["checksum"] = document()["checksum"] if path != ("checksum",) else value
        assert "its checksum is not that of its contents" in refusal(json.dumps(moved))


def test_flipped_characters_never_crash() -> None:
    """Whatever one character becomes, there is a policy or a PolicyError."""
    text = json.dumps(document())
    for i in range(len(text)):
        for character in '"}x9-':
            found = text[:i] + character + text[i + 1 :]
            with contextlib.suppress(json.JSONDecodeError, RecursionError):
                found = dumped(json.loads(found))
            with contextlib.suppress(rh.PolicyError):
                rh.segments.SegmentPolicy.from_json(found)


def test_a_policy_without_a_rule_for_others() -> None:
    made = rh.segments.SegmentPolicy.from_json(put(("elsewhere",), None))
    assert None not in made.hull.owners[1][0].segments  # type: ignore[attr-defined]
    assert json.loads(made.to_json())["elsewhere"] is None


def test_thresholds_that_are_accepted() -> None:
    for threshold in ("inf", "-inf", 2**64 - 1, -(2**63), 0, -0.0, 5e-324, 1.7976931348623157e308):
        made = rh.segments.SegmentPolicy.from_json(put(("tables", 0, "threshold", 1), threshold))
        found = made._owners.tables[0].rules[1].threshold
        assert repr(found) == repr(float(threshold) if isinstance(threshold, str) else threshold)


def test_load_names_the_file_and_runs_no_code(tmp_path: Path) -> None:
    path = tmp_path / "pickle.json"
    path.write_bytes(b"cos\nsystem\n(S'touch " + str(tmp_path / "ran").encode() + b"'\ntR.")
    with pytest.raises(rh.PolicyError) as caught:
        rh.segments.SegmentPolicy.load(path)
    assert str(caught.value).startswith(f"{path}: the segment policy is not valid: Invalid JSON")
    assert not (tmp_path / "ran").exists()
    (tmp_path / "bom.json").write_bytes(b"\xef\xbb\xbf" + dumped(document()).encode())
    assert rh.segments.SegmentPolicy.load(tmp_path / "bom.json").salt == "x"
