"""How well a calibration does on a table that was scanned: counts in place of rows."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.late_bases import unfitted
from rochull._core.validation import Array
from rochull.hull.tallies import InUnits, Tally
from rochull.report.calibration import LEAST, measured_rows, measures_of
from rochull.scoring.measures import min_cllr

if TYPE_CHECKING:
    from rochull.calibration.pav import PavCalibrator
    from rochull.scanning.readings import Scan

_WITHOUT_FOLDS = "Nothing was held out: name a column of folds by --fold."
_WEIGHTED = "Nothing was held out: of weighted rows that takes all of them in memory (--engine memory)."


def scanned_facts(model: PavCalibrator, scan: Scan, name: str) -> dict[str, Any]:
    """Judge a calibrator that was fitted to a scan, as :func:`calibration_facts` does.

    Of a map of steps measures are exact, in-sample; others are of the groups of the thinned curve, and so
    is what is held out: each fold by a map that was made of the others' groups.
    """
    read = scan.reading(name)
    positive, scores, weights = _examples(read.blocks.low, read.blocks, model)
    raw: dict[str, float | None] = {"AUC": float(scan.auc()[name])}
    raw[LEAST] = min_cllr(positive, -scores if model.lower_is_positive else scores, sample_weight=weights)
    if model.as_levels() is None:
        tally = scan.tally(name)
        positive, scores, weights = _examples(tally.score, tally, model)
    in_sample = measures_of(positive, model.llr(scores), model.posterior(scores), weights)
    in_sample[LEAST] = raw.pop(LEAST)
    held_out, folds, why = None, 0, _WITHOUT_FOLDS
    if scan.has("fold"):
        held_out, folds, why = None, 0, _WEIGHTED
        if not read.blocks.units.weighted:
            held_out, folds = _held_out(model, scan, name)
    pos, neg = read.blocks.pos.sum(), read.blocks.neg.sum()
    found = measured_rows({"raw": raw, "in_sample": in_sample, "held_out": held_out})
    llr = model.llr(np.array([scores.min(), scores.max()]))
    return found | {
        "examples": sum(read.rows), "prevalence": float(pos / (pos + neg)),
        "bounds": [float(llr.min()), float(llr.max())], "folds": folds, "probability": None, "lacking": why,
    }  # fmt: skip


def _held_out(model: PavCalibrator, scan: Scan, name: str) -> tuple[dict[str, float | None], int]:
    """The measures of every fold by a map of the others, and how many folds there are."""
    tallies = [by_score[name] for by_score in scan.tallies(by="fold").values()]
    parts = []
    for number, own in enumerate(tallies):
        others = reduce(Tally.merge, (each for i, each in enumerate(tallies) if i != number))
        fitted = unfitted(model).fit_tally(others)
        positive, scores, weights = _examples(own.score, own, model)
        parts.append((positive, fitted.llr(scores), fitted.posterior(scores), weights))
    return measures_of(*(np.concatenate(columns) for columns in zip(*parts, strict=True))), len(tallies)


def _examples(score: Array, counts: InUnits, model: PavCalibrator) -> tuple[Array, Array, Array]:
    """Labels, scores as they were given, and weights (m,) of groups in both classes."""
    weights = np.concatenate((counts.neg, counts.pos)).astype(float)
    positive = np.repeat([0, 1], score.size)
    scores = np.tile(-score if model.lower_is_positive else score, 2)
    some = weights > 0
    return positive[some], scores[some], weights[some]
