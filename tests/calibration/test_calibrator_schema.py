"""Every document that is not exactly a calibrator is refused with one line that says what is wrong."""

import math
from typing import Any

import numpy as np
import pytest

from document_cases import BETA, LOGISTIC, Document, dumped, pav, put
from rochull.calibration.kinds import CALIBRATORS, calibrator_class, calibrator_of


def parse(text: str | bytes) -> Document:
    """The checked fields of a document of any kind."""
    found = calibrator_class("pav").schema.parsed(text)
    kind = found.get("kind") if isinstance(found, dict) else None
    if not isinstance(kind, str) or kind not in CALIBRATORS:
        calibrator_of(found)
    return calibrator_class(str(kind)).schema.checked(found)


def refusal(found: Any) -> str:
    """The message, which is one short line."""
    with pytest.raises(ValueError, match=r"calibrator") as caught:
        parse(found if isinstance(found, (str, bytes)) else dumped(found))
    message = str(caught.value)
    assert "\n" not in message
    assert 20 < len(message) < 400
    assert caught.value.__cause__ is None
    return message


INVALID = "the calibrator is not valid"


@pytest.mark.parametrize("label", [None, True, 0, -3, 1.5, "yes", ""])
def test_labels(label: Any) -> None:
    found = parse(put(LOGISTIC, ("pos_label",), label))["pos_label"]
    assert found == label
    assert type(found) is type(label)


@pytest.mark.parametrize("label", [math.nan, math.inf, [], {}, ["yes"]])
def test_bad_labels(label: Any) -> None:
    message = refusal(put(LOGISTIC, ("pos_label",), label))
    assert message.endswith("pos_label: it must be a string, a number, a truth value or null.")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("format",), "rochull-policy", "this is not a calibrator document (format is not 'rochull-"),
        (("version",), 2, "the calibrator has version 2; this rochull reads version 1."),
        (("kind",), "no_such_kind", " at kind"),
        (("interpolation",), "cubic", " at interpolation"),
        (("bound",), "none", " at bound"),
        (("score_type",), "float16", " at score_type"),
        (("blocks",), [], " at blocks"),
        (("unit_pos",), 0.3, ": a unit is not a power of two, nor of ten."),
        (("unit_neg",), 2.0, ": without weights the units must make a whole number of examples."),
        (("added_pos",), 2, ": without weights every unit must be 1."),
        (("added_neg",), 4, ": the units of a class, or of an added example, are too many."),
        (("blocks", 0, "pos"), 2**60 - 1, ": the units of a class"),
        (("blocks", 0, "pos"), 2**60, ": the units of a class"),
        (("blocks", 0, "pos"), 2**70, ": the units of a class"),
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
    assert refusal(put(pav(), path, value)).startswith(message if message[0] == "t" else INVALID + message)


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
    assert refusal(put({"logistic": LOGISTIC, "beta": BETA}[kind], (name,), value)).startswith(
        f"{INVALID} at {name}: "
    )


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
    parse(put(pav(dtype), ("scores", 3), good))
    found = pav(dtype)
    found.update(strict=False, scores=None, spread=None)
    parse(dumped(found))
    message = refusal(put(found, ("blocks", 0, "high"), bad))
    assert "of the type" in message or "64 bits" in message
