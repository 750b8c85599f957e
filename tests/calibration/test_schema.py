"""Every document that is not exactly a calibrator is refused with one line that says what is wrong."""

import copy
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rochull as rh
from document_cases import dumped, named, places
from rochull.calibration.kinds import KINDS, calibrator_class, calibrator_of

Document = dict[str, Any]


def pav(dtype: Any = np.float64) -> Document:
    """Blocks (2, 0), (2, 1), (0, 2) of a strict map, with infinite scores where the type has them."""
    scores = np.array([9, 8, 7, 6, 5, 3, 2]).astype(dtype)
    if scores.dtype.kind == "f":
        scores[[0, -1]] = math.inf, -math.inf
    calibrator = rh.PavCalibrator("linear", "laplace", True).fit(scores, [1, 1, 0, 1, 1, 0, 0])
    found: Document = json.loads(calibrator.to_json(about={"from": "a test"}))
    assert [(b["pos"], b["neg"]) for b in found["blocks"]] == [(2, 0), (2, 1), (0, 2)]
    return found


HEADER = {"format": "rochull-calibrator", "version": 1, "about": {}, "pos_label": None, "checksum": ""}
FITTED = {"prevalence": 0.25, "fitted_at": 0.5, "targets": "platt"}
LOGISTIC = {**HEADER, "kind": "logistic", "slope": -2.0, "intercept": 0.5, **FITTED}
BETA = {**HEADER, "kind": "beta", "a": 1.0, "b": 0.5, "intercept": -0.5, **FITTED, "parameters": "am"}


def parse(text: str | bytes) -> Document:
    """The checked fields of a document of any kind."""
    found = calibrator_class("pav").schema.parsed(text)
    kind = found.get("kind") if isinstance(found, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        calibrator_of(found)
    return calibrator_class(str(kind)).schema.checked(found)


MADE: dict[str, Callable[[], Document]] = {
    "pav": pav, "logistic": lambda: dict(LOGISTIC), "beta": lambda: dict(BETA),
}  # fmt: skip


def refusal(found: Any) -> str:
    """The message, which is one short line."""
    with pytest.raises(ValueError, match=r"calibrator") as caught:
        parse(found if isinstance(found, (str, bytes)) else dumped(found))
    message = str(caught.value)
    assert "\n" not in message
    assert 20 < len(message) < 400
    assert caught.value.__cause__ is None
    return message


def changed(found: Document, path: tuple[Any, ...], value: Any) -> Document:
    found = copy.deepcopy(found)
    holder: Any = found
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = copy.deepcopy(value)
    return found


PATHS = [
    (kind, path) for kind, make in MADE.items() for path in places(make()) if path and path != ("checksum",)
]


@pytest.mark.parametrize("kind", MADE)
def test_the_documents_are_valid(kind: str) -> None:
    text = dumped(MADE[kind]())
    assert parse(text) == parse(text.encode())
    assert parse(text)["kind"] == kind


@pytest.mark.parametrize("case", PATHS, ids=lambda case: named((case[0], *case[1])))
def test_nothing_can_be_removed(case: tuple[str, tuple[Any, ...]]) -> None:
    kind, path = case
    found = MADE[kind]()
    holder: Any = found
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    may_go = path in (("about", "from"), ("scores", 3))  # which is inside of a block
    if may_go or (path[0] == "spread" and len(path) == 2):  # its length is looked at when the map is made
        parse(dumped(found))
        return
    message = refusal(found)
    if isinstance(path[-1], str) and path[-1] != "format":
        assert path[-1] in message


INVALID = "the calibrator is not valid"
JUNK = [None, True, False, -1, 0, 1.5, 10**400, math.nan, math.inf, "text", "", [], {}, [[]], {"a": 1}]


WHOLE = {"slope": -9, "intercept": -9, "a": 0, "b": 0}  # where an integer may stand, and the least


@pytest.mark.parametrize("case", PATHS, ids=lambda case: named((case[0], *case[1])))
def test_no_type_can_be_changed(case: tuple[str, tuple[Any, ...]]) -> None:
    kind, path = case
    original: Any = MADE[kind]()
    for key in path:
        original = original[key]
    for junk in JUNK:
        if type(junk) is type(original) or path == ("pos_label",):
            continue
        if path in (("bound",), ("fitted_at",)) and junk is None:
            continue
        if path[-1] in WHOLE and junk in (0, -1) and junk is not False and WHOLE[path[-1]] <= junk:
            parse(dumped(changed(MADE[kind](), path, junk)))  # a float without a fraction
            continue
        refusal(changed(MADE[kind](), path, junk))


@pytest.mark.parametrize("label", [None, True, 0, -3, 1.5, "yes", ""])
def test_labels(label: Any) -> None:
    found = parse(dumped(changed(LOGISTIC, ("pos_label",), label)))["pos_label"]
    assert found == label
    assert type(found) is type(label)


@pytest.mark.parametrize("label", [math.nan, math.inf, [], {}, ["yes"]])
def test_bad_labels(label: Any) -> None:
    message = refusal(changed(LOGISTIC, ("pos_label",), label))
    assert message.endswith("pos_label: it must be a string, a number, a truth value or null.")


@pytest.mark.parametrize("path", [(), ("blocks", 0), ("about", 1)], ids=str)
def test_no_field_can_be_added(path: tuple[Any, ...]) -> None:
    for kind, make in MADE.items():
        if path and kind != "pav":
            continue
        found = make()
        holder: Any = found
        for key in path if path[:1] != ("about",) else ("about",):
            holder = holder[key]
        holder["extra"] = 1
        assert "extra" in refusal(found)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("format",), "rochull-policy", "this is not a calibrator document (format is not 'rochull-"),
        (("version",), 2, "the calibrator has version 2; this rochull reads version 1."),
        (("kind",), "spline", " at kind"),
        (("interpolation",), "cubic", " at interpolation"),
        (("bound",), "none", " at bound"),
        (("score_type",), "float16", " at score_type"),
        (("blocks",), [], " at blocks"),
        (("unit_pos",), 0.3, ": a unit is not a power of two."),
        (("unit_neg",), 2.0, ": without weights the units must make a whole number of examples."),
        (("added_pos",), 2, ": without weights every unit must be 1."),
        (("added_neg",), 4, ": the units of a class, or of an added example, are too many."),
        (("blocks", 0, "pos"), 2**60 - 1, ": the units of a class"),
        (("blocks", 0, "pos"), 2**60, " at blocks.0.pos"),
        (("blocks", 0, "pos"), 0, ": block 0 is empty."),
        (("blocks", 0, "neg"), 1, ": the posterior of block 1 is not below that of the one"),
        (("blocks", 2, "pos"), 5, ": the posterior of block 2 is not below that of the one"),
        (("blocks", 0, "low"), 6.0, ": block 1 is not below the one before it."),
        (("blocks", 0, "low"), 7.0, ": block 1 is not below the one before it."),
        (("blocks", 1, "high"), 4.0, ": the low of block 1 is above its high."),
        (("blocks", 1, "high"), "nan", " at blocks.1.high: it must be a finite number of"),
        (("blocks", 1, "high"), "1", " at blocks.1.high: it must be a finite number of"),
        (("blocks", 1, "high"), math.nan, " at blocks.1.high: it must be a finite number"),
        (("blocks", 1, "high"), math.inf, " at blocks.1.high: it must be a finite number"),
        (("blocks", 1, "high"), 7, ": a score of block 1 is not of the type float64."),
        (("blocks", 1, "low"), 5.5, ": the ends of a block are not among the scores."),
        (("scores", 2), 8.0, ": the scores do not descend."),
        (("scores", 3), 7.0, ": the scores do not descend."),
        (("scores", 3), 6, ": one of the scores is not of the type float64."),
        (("scores",), None, ": scores and spread belong to a strict map, and to no other."),
        (("spread",), None, ": scores and spread belong to a strict map, and to no other."),
        (("strict",), False, ": scores and spread belong to a strict map, and to no other."),
        (("spread", 0), 0.0, " at spread.0"),
        (("spread", 0), 0.6, " at spread.0"),
    ],
)  # fmt: skip
def test_wrong_values(path: tuple[Any, ...], value: Any, message: str) -> None:
    assert refusal(changed(pav(), path, value)).startswith(
        message if message[0] == "t" else INVALID + message
    )


def test_a_score_in_no_block() -> None:
    found = pav()
    found["scores"].insert(2, 7.5)
    assert refusal(found) == f"{INVALID}: one of the scores is in no block."
    found = pav()
    found["scores"].insert(5, 4.0)
    assert refusal(found) == f"{INVALID}: one of the scores is in no block."


@pytest.mark.parametrize(
    ("neg", "pos"), [(2.0**1000, 2.0**-1000), (2.0**-1000, 2.0**1000), (2.0**1000,) * 2, (1.0, 2.0**-500)]
)
def test_units_that_make_odds_leave_float64(neg: float, pos: float) -> None:
    found = {**pav(), "weighted": True, "unit_neg": neg, "unit_pos": pos}
    assert refusal(found) == f"{INVALID}: the units make the total weight of a class too small or too large."


def test_one_class_only() -> None:
    found = pav()
    found["blocks"] = found["blocks"][:1]
    assert refusal(found) == f"{INVALID}: the blocks hold one class only."


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("logistic", "slope", math.nan), ("logistic", "slope", "inf"), ("logistic", "intercept", math.inf),
        ("logistic", "prevalence", 0.0), ("logistic", "prevalence", 1.0), ("beta", "prevalence", math.nan),
        ("beta", "a", -0.1), ("beta", "b", -1e-9), ("beta", "b", math.nan), ("beta", "prevalence", -1.0),
    ],
)  # fmt: skip
def test_wrong_numbers_of_parametric_maps(kind: str, name: str, value: Any) -> None:
    assert refusal(changed(MADE[kind](), (name,), value)).startswith(f"{INVALID} at {name}: ")


@pytest.mark.parametrize(
    ("dtype", "good", "bad"),
    [
        (np.float32, 6.5, 6.1),  # not a float32
        (np.float32, 6.5, 1e300),
        (np.int8, 6, 128),
        (np.int8, 6, 6.0),
        (np.uint8, 6, -1),
        (np.int64, 6, 2**63),
        (np.int64, 6, True),
        (np.uint64, 6, 2**64),
        (np.float64, 6.1, 10**400),
    ],
    ids=str,
)
def test_scores_must_fit_their_type(dtype: Any, good: Any, bad: Any) -> None:
    parse(dumped(changed(pav(dtype), ("scores", 3), good)))
    found = pav(dtype)
    found.update(strict=False, scores=None, spread=None)
    parse(dumped(found))
    message = refusal(changed(found, ("blocks", 0, "high"), bad))
    assert "of the type" in message or "64 bits" in message


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "3", '"text"', "{}", b"\xff\xfe", "[" * 100_000])
def test_what_is_not_a_document(text: str | bytes) -> None:
    refusal(text)


@pytest.mark.parametrize("kind", MADE)
def test_a_changed_document_is_refused(kind: str) -> None:
    found = json.loads(dumped(MADE[kind]()))
    parse(json.dumps(found, sort_keys=True, indent=3))  # only the contents count
    for change in ({"about": {"from": "elsewhere"}}, {"pos_label": 1}, {"checksum": "0" * 64}):
        message = refusal(json.dumps({**found, **change}))
        assert message == (
            "the calibrator was changed after it was written: its checksum is not that of its contents."
        )
