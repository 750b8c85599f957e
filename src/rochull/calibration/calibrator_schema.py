"""Schemas of calibrators' documents."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from rochull._core.messages import refused
from rochull._core.schemas import (
    Reader,
    Schema,
    extended,
    items,
    label,
    number,
    one_of,
    optional,
    record,
    text,
    texts,
    truth,
    unit,
    whole,
)
from rochull.calibration.bound_names import BOUNDS
from rochull.hull.tallies import MOST_BITS, units_written


def _pos_label(value: Any) -> Any:
    """Read the label of the positive class: an integer of any size, too, or null."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    try:
        return label(value)
    except ValueError:
        raise ValueError("it must be a string, a number, a truth value or null") from None


def _columns(value: Any) -> int | tuple[str, ...]:
    """Read the columns that a calibrator reads: their names, or their number where they have none."""
    if not isinstance(value, list):
        return int(whole(least=1)(value))
    names: tuple[str, ...] = items(text, 1)(value)
    if len(set(names)) < len(names):
        raise ValueError("a name occurs twice")
    return names


def _ascend(found: dict[str, Any]) -> None:
    if found["low"] > found["high"]:
        raise ValueError("low is above high")


_BOUNDS = record({"bound": one_of(*BOUNDS), "low": number(), "high": number()}, _ascend)


def calibrator_schema(
    kind: str,
    fields: Mapping[str, Reader],
    check: Callable[[dict[str, Any]], None] | None = None,
    *,
    may_lack: Mapping[str, Any] | None = None,
) -> Schema:
    """The schema of calibrators of one kind; the error about a file of another kind says what reads it.

    Own fields that need not be there come with what they hold then.
    """

    def own(value: Any) -> str:
        if value == kind:
            return kind
        raise ValueError(
            f"this is a calibrator of kind {reprlib.repr(value)}; load_calibrator reads every kind"
        )

    head: dict[str, Reader] = {
        "kind": own, "about": texts, "pos_label": _pos_label, "lower_is_positive": truth, "columns": _columns,
    }  # fmt: skip
    left_out: dict[str, Any] = {"lower_is_positive": False, "columns": 1, **(may_lack or {})}
    if "bound" not in fields:  # the map does not have it itself
        head, left_out = {**head, "bounds": optional(_BOUNDS)}, {**left_out, "bounds": None}
    return Schema("rochull-calibrator", "calibrator", {**head, **fields}, check, left_out)


INSIDE = number(above=0, below=1)
_UNITS = whole(least=0, below=2**MOST_BITS)
_TYPES = ("float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")
# What calibrators that are fitted by their parameters remember of the fit.
FITTED: dict[str, Reader] = {
    "prevalence": INSIDE,
    "fitted_at": optional(INSIDE),
    "targets": one_of("labels", "platt"),
}


def _check_pav(found: dict[str, Any]) -> None:
    fits, blocks = _fits(found["score_type"]), found["blocks"]
    for i, block in enumerate(blocks):
        if not (fits(block["low"]) and fits(block["high"])):
            raise ValueError(f"a score of block {i} is not of the type {found['score_type']}")
    _check_blocks(blocks)
    n_neg, n_pos = (sum(block[side] for block in blocks) for side in ("neg", "pos"))
    if not (n_neg and n_pos):
        raise ValueError("the blocks hold one class only")
    added = found["added_neg"], found["added_pos"]
    too_many = 2**60 <= max(n_neg, n_pos) < 2**62  # beyond that they are of no 64 bits, and checked below
    if too_many or added[0] > n_neg or added[1] > n_pos:
        raise ValueError("the units of a class, or of an added example, are too many")
    sizes = found["unit_neg"], found["unit_pos"]
    units_written(*sizes, found["weighted"], (n_neg, n_pos))[0].check(n_neg, n_pos)
    if not found["weighted"] and (*sizes, *added) != (1, 1, 1, 1):
        raise ValueError("without weights every unit must be 1")
    _check_strict(found, fits)
    _check_centres(found)


def _check_centres(found: Mapping[str, Any]) -> None:
    """The centres of a centred map must lie in its blocks."""
    centres, blocks = found["centres"], found["blocks"]
    if (centres is None) != (found["interpolation"] != "centred"):
        raise refused("centres", "belong to a centred map, and to no other")
    if centres is None:
        return
    if found["strict"]:
        raise refused("strict", "does not go with a centred map")
    ends = [(float(block["low"]), float(block["high"])) for block in blocks]
    if len(centres) != len(ends) or not all(
        low <= at <= high for at, (low, high) in zip(centres, ends, strict=True)
    ):
        raise refused("centres", "do not lie in the blocks")


def _check_strict(found: Mapping[str, Any], fits: Callable[[int | float], bool]) -> None:
    """The scores of a strict map must be those of the blocks."""
    scores, blocks = found["scores"], found["blocks"]
    if (scores is None, found["spread"] is None) != (not found["strict"],) * 2:
        raise refused("scores", "and spread belong to a strict map, and to no other")
    if scores is None:
        return
    if any(not above > below for above, below in pairwise(scores)):
        raise ValueError("the scores do not descend")
    if not all(map(fits, scores)):
        raise ValueError(f"one of the scores is not of the type {found['score_type']}")
    known, i = set(scores), 0
    if any(block["low"] not in known or block["high"] not in known for block in blocks):
        raise ValueError("the ends of a block are not among the scores")
    for score in scores:
        while i < len(blocks) and score < blocks[i]["low"]:
            i += 1
        if i == len(blocks) or score > blocks[i]["high"]:
            raise ValueError("one of the scores is in no block")


def _check_blocks(blocks: tuple[dict[str, Any], ...]) -> None:
    """The blocks must descend, in scores and in posteriors."""
    for i, block in enumerate(blocks):
        if block["low"] > block["high"]:
            raise ValueError(f"the low of block {i} is above its high")
        if not block["pos"] and not block["neg"]:
            raise ValueError(f"block {i} is empty")
    for i, (above, below) in enumerate(pairwise(blocks), start=1):
        if not above["low"] > below["high"]:
            raise ValueError(f"block {i} is not below the one before it")
        if above["pos"] * below["neg"] <= below["pos"] * above["neg"]:
            raise ValueError(f"the posterior of block {i} is not below that of the one before it")


def _fits(score_type: str) -> Callable[[int | float], bool]:
    """Whether a number is one of a type, written as that type is."""
    dtype = np.dtype(score_type)
    if dtype.kind == "f":

        def is_float(number: int | float) -> bool:
            with np.errstate(over="ignore"):
                return isinstance(number, float) and float(dtype.type(number)) == number

        return is_float
    info = np.iinfo(dtype)
    return lambda number: isinstance(number, int) and info.min <= number <= info.max


_BLOCK = record({"low": extended, "high": extended, "pos": _UNITS, "neg": _UNITS})
PAV = calibrator_schema(  # blocks run from high scores to low
    "pav",
    {
        "interpolation": one_of("step", "linear", "centred"),
        "bound": optional(one_of(*BOUNDS)),
        "strict": truth,
        "score_type": one_of(*_TYPES),
        "unit_neg": unit,
        "unit_pos": unit,
        "weighted": truth,
        "added_neg": whole(above=0, below=2**MOST_BITS),
        "added_pos": whole(above=0, below=2**MOST_BITS),
        "blocks": items(_BLOCK, 1),
        "scores": optional(items(extended)),
        "spread": optional(items(number(above=0, most=0.5))),
        "centres": optional(items(extended)),
    },
    _check_pav,
    may_lack={"centres": None},
)
LOGISTIC = calibrator_schema("logistic", {"slope": number(), "intercept": number(), **FITTED})
BETA = calibrator_schema(
    "beta",
    {
        "a": number(least=0),
        "b": number(least=0),
        "intercept": number(),
        **FITTED,
        "parameters": one_of("abm", "am", "ab"),
    },
)
