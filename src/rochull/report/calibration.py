"""How well a calibration does: facts first, on its own data and held out, then tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.late_bases import unfitted
from rochull._core.rotation import stratified
from rochull._core.validation import Array, negated
from rochull.hull.curve import roc_auc
from rochull.report.text import add_row, empty_table, heading, line
from rochull.report.wording import tell
from rochull.scoring.measures import Decomposition, cllr, decompose, min_cllr
from rochull.scoring.scoring_rules import Brier, LogScore

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rochull.calibration.base import Calibrator

FOLDS = 5
COST, LEAST = tell("report.calibration.cost"), tell("report.calibration.least")


def calibration_facts(
    model: Calibrator,
    positive: Array,
    scores: Array,
    weights: Array | None,
    *,
    folds: int = FOLDS,
    random_state: int = 0,
) -> dict[str, Any]:
    """Judge a fitted calibrator on its own data, and held out by stratified cross-validation.

    There are as many folds as asked for, or as the rarer class has examples. Numbers and text only:
    ``examples``, ``prevalence`` of the data, ``bounds`` (LLRs), ``folds``, and ``rows`` of a measure's name
    and its values "raw", "in_sample", "held_out"; None where there is none. Several columns have no raw
    measures.
    """
    rare = int(min(np.count_nonzero(positive), np.count_nonzero(positive == 0)))
    folds = min(folds, rare)  # those of `fitted_by_fold`, where there are two
    in_sample = measures_of(positive, model.llr(scores), model.posterior(scores), weights)
    held_out = None
    if folds >= 2:
        llr, posterior = np.empty(positive.size), np.empty(positive.size)
        for rows, other in fitted_by_fold(
            model, positive, scores, weights, folds=folds, random_state=random_state
        ):
            llr[rows], posterior[rows] = other.llr(scores[rows]), other.posterior(scores[rows])
        held_out = measures_of(positive, llr, posterior, weights)
    raw, probability = ({}, None) if scores.ndim > 1 else _of_scores(model, positive, scores, weights)
    in_sample |= {name: raw.pop(name) for name in [LEAST] if name in raw}
    found = model.llr(scores)
    return {
        "examples": int(positive.size),
        # Of the data: the model's own counts the examples that its bound adds, too.
        "prevalence": float(np.average(positive, weights=weights)),
        "bounds": [float(found.min()), float(found.max())],
        "folds": folds,
        "probability": probability,
        **measured_rows({"raw": raw, "in_sample": in_sample, "held_out": held_out}),
    }


def measured_rows(measures: Mapping[str, Mapping[str, float | None] | None]) -> dict[str, Any]:
    """The rows of the facts, of measures by name of what is "raw", "in_sample" and "held_out"."""
    names = measures["in_sample"] or {}
    return {
        "rows": [
            {
                "name": name,
                **{column: found.get(name) if found else None for column, found in measures.items()},
            }
            for name in names
        ]
    }


def _of_scores(
    model: Calibrator, positive: Array, scores: Array, weights: Array | None
) -> tuple[dict[str, float | None], bool]:
    """Measures of one uncalibrated column of scores, and whether it holds probabilities."""
    probability = bool(scores.min() >= 0 and scores.max() <= 1)
    lower = model.lower_is_positive
    rising = negated(scores, "scores") if lower else scores
    found = measures_of(positive, None, (1 - scores if lower else scores) if probability else None, weights)
    found["AUC"] = roc_auc(positive, rising, sample_weight=weights)
    found[LEAST] = min_cllr(positive, rising, sample_weight=weights)
    return found, probability


def measures_of(
    positive: Array, llr: Array | None, posterior: Array | None, weights: Array | None
) -> dict[str, float | None]:
    """Measures by name; those that need what is not given are left out."""
    found: dict[str, float | None] = {}
    if posterior is not None:
        brier = decompose(positive, posterior, Brier(), sample_weight=weights)
        log = LogScore().score(positive, posterior, weights)
        found = named_measures(brier, log, roc_auc(positive, posterior, sample_weight=weights))
    if llr is not None:
        found[COST] = cllr(positive, llr, sample_weight=weights)
    return found


def named_measures(brier: Decomposition, log: float, auc: float) -> dict[str, float | None]:
    """The measures of posteriors, by name."""
    return {
        tell("report.calibration.brier"): brier.score,
        "  miscalibration": brier.miscalibration,
        "  discrimination": brier.discrimination,
        "  uncertainty": brier.uncertainty,
        tell("report.calibration.log"): log,
        "AUC": auc,
    }


def fitted_by_fold(
    model: Calibrator,
    positive: Array,
    scores: Array,
    weights: Array | None,
    *,
    folds: int = FOLDS,
    random_state: int = 0,
) -> Iterator[tuple[Array, Calibrator]]:
    """The rows of each fold, and a calibrator like `model` that has not seen them.

    Folds are stratified; as many as asked for, or as the rarer class has examples.
    """
    folds = min(folds, int(min(np.count_nonzero(positive), np.count_nonzero(positive == 0))))
    if folds < 2:
        raise ValueError("too few examples of one class to hold any out: there must be two of each.")
    for train, test in stratified(positive, folds, random_state):
        other = unfitted(model)
        other.pos_label = 1
        other.fit(scores[train], positive[train], None if weights is None else weights[train])
        yield test, other


def calibration_parts(facts: dict[str, Any], base: float | None = None) -> list[RenderableType]:
    """The facts as parts of a page, for a rich console; LLRs to a base, if one is given."""
    low, high = np.divide(facts["bounds"], 1.0 if base is None else np.log(base)).tolist()
    judged = tell(
        "report.calibration.examples",
        n=facts["examples"],
        share=f"{facts['prevalence']:.4g}",
        base=None if base is None else f"{base:g}",
        low=f"{low:.4g}",
        high=f"{high:.4g}",
    )
    parts: list[RenderableType] = [line(judged), line(""), heading(tell("report.calibration.title"))]
    folds = facts["folds"] if facts["folds"] >= 2 else None
    held_out = tell("report.calibration.held out", folds=folds)
    columns = {"raw": "raw", "in_sample": "in-sample", "held_out": held_out}
    if all(row["raw"] is None for row in facts["rows"]):
        del columns["raw"]
    rows = empty_table(("", "left"), *((head, "right") for head in columns.values()))
    for row in facts["rows"]:
        add_row(rows, row["name"], *(_shown(row[column]) for column in columns))
    parts.append(rows)
    if facts["probability"] is False:
        parts.append(line(tell("report.calibration.raw"), "dim"))
    if folds is None:
        parts.append(line(facts.get("lacking", tell("report.calibration.few")), "dim"))
    if any(row["held_out"] == np.inf for row in facts["rows"]):
        parts.append(line(tell("report.calibration.infinite"), "dim"))
    return parts


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
