"""Every document that is not exactly a segment policy is refused with one line that says what is wrong."""

from __future__ import annotations

import json
import math
from contextlib import nullcontext
from functools import partial
from typing import Any

import pytest

import rochull as rh
from document_cases import Compared, dumped
from document_cases import put as put_into
from document_cases import refusal as refusal_of
from document_cases import segment_policy as document
from rochull._core.schemas import checksum

refusal = partial(refusal_of, rh.segments.SegmentPolicy)


def put(path: tuple[Any, ...], value: Any) -> str:
    return put_into(document(), path, value)


RISING = {"first": [0, 1, 2, 3], "threshold": ["never", 1.0, 9.0, "always"], "classifier": 0}


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
        (put(("unit_neg",), 3e10), "a unit is not a power of two"),
        (put(("unit_neg",), 8.0), "without weights the units must make a whole number of examples"),
        (put(("unit_pos",), 2.0**-500), "the total weight of a class too small or too large"),
        (put(("fp",), [0, 0, 4]), "fp and tp differ in length"),
        (put(("fp",), [0, 0, 0, 4]), "operating point 1 is not on the convex hull"),
        (put(("fp",), [0, 5, 1, 4]), "operating point 2 does not ascend"),
        (put(("fp", 1), 2**2048), "fp.1"),
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
        (put(("tables", 0), RISING), "the thresholds of table 0 do not fall"),
        (put(("tables", 0), {**RISING, "threshold": ["never", 1.0, 1, "always"]}), "table 0 do not fall"),
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


def test_a_policy_without_a_rule_for_others() -> None:
    made = rh.segments.SegmentPolicy.from_json(put(("elsewhere",), None))
    assert None not in made.hull.owners[1][0].segments  # type: ignore[attr-defined]
    assert json.loads(made.to_json())["elsewhere"] is None


def test_thresholds_that_are_accepted() -> None:
    for threshold in ("inf", "-inf", 2**64 - 1, -(2**63), 0, -0.0, 5e-324, 1.7976931348623157e308):
        made = rh.segments.SegmentPolicy.from_json(put(("tables", 0, "threshold", 1), threshold))
        found = made._owners.tables[0].rules[1].threshold
        assert repr(found) == repr(float(threshold) if isinstance(threshold, str) else threshold)


def test_where_low_scores_are_positive_thresholds_rise() -> None:
    lower = {**document(), "lower_is_positive": ["a"]}
    rh.segments.SegmentPolicy.from_json(put_into(lower, ("tables", 0), RISING))
    falling = {**RISING, "threshold": ["never", 9.0, 1.0, "always"]}
    assert "the thresholds of table 0 do not rise" in refusal(put_into(lower, ("tables", 0), falling))


@pytest.mark.parametrize("twice", [False, True])
def test_names_are_compared_so_often_as_there_are_some(twice: bool) -> None:
    n, found = 300, document()
    names = [Compared(f"s{i}") for i in range(n)] + [Compared("s9")] * twice
    found["bins"]["labels"], found["of_segment"] = names, [0] * len(names)
    found["classifiers"] = ["a", "b", *(Compared(f"c{i}") for i in range(n))]
    found["tables"] *= n
    found["lower_is_positive"] = [Compared(f"c{i}") for i in range(n)]
    Compared.times = 0
    refused = pytest.raises(rh.PolicyError, match="two segments are called 's9'")
    with refused if twice else nullcontext():
        rh.segments.SegmentPolicy.from_dict({**found, "checksum": checksum(found)})
    assert 0 < Compared.times < 20 * n
