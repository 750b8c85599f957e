"""How well a calibration does on a table that was scanned: counts and sums in place of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from math import fsum, log
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.late_bases import unfitted
from rochull._core.validation import Array, Labelled
from rochull.calibration.pav import PavCalibrator
from rochull.calibration.streamed import row_weights
from rochull.hull.hull import RocHull
from rochull.hull.polarity import already_said
from rochull.hull.tallies import InUnits, Tally
from rochull.report.calibration import COST, LEAST, measured_rows, measures_of, named_measures
from rochull.report.wording import tell
from rochull.scoring.measures import decomposed, min_cllr
from rochull.scoring.scoring_rules import Brier, LogScore

if TYPE_CHECKING:
    from rochull.calibration.base import Calibrator
    from rochull.hull.blocks import Blocks
    from rochull.scanning.readings import Scan
    from rochull.scanning.row_passes import RowPasses

_STEP = 256  # rows, of which one tells about where posteriors are
_ROUNDED = 2.0**-30  # nearer to 0 or 1 a posterior may be that of many scores


def scanned_facts(model: Calibrator, scan: Scan, names: Sequence[str]) -> dict[str, Any]:
    """Judge a calibrator that was fitted to a scan of these columns, as :func:`calibration_facts` does.

    Held out, each fold is judged by a map of the others; a PAV map of unweighted rows is then made of the
    groups of their thinned curves, which takes no pass.
    """
    rows = scan.passes(names)
    raw, probability = _raw(model, scan, names[0]) if len(names) == 1 else ({}, None)
    stepped = isinstance(model, PavCalibrator) and model.as_levels() is not None
    if stepped:
        found = _of_blocks(model, scan, names[0])
    else:
        found = _of_rows(rows, {0: model}, _in_order(model, scan, names))
    in_sample = found.measures | {name: raw.pop(name) for name in [LEAST] if name in raw}
    held_out, folds = None, 0
    if scan.has("fold"):
        thinned = isinstance(model, PavCalibrator) and not rows.weighted
        held_out, folds = (_thinned if thinned else _held_out)(model, scan, names)
    return {
        **measured_rows({"raw": raw, "in_sample": in_sample, "held_out": held_out}),
        "examples": rows.count, "prevalence": found.prevalence, "bounds": [*found.ends],
        "folds": folds, "probability": probability, "lacking": tell("report.calibration.lacking"),
    }  # fmt: skip


@dataclass(frozen=True)
class _Performance:
    """Measures by name, the least and the greatest LLR, and the positives' share of the weight."""

    measures: dict[str, float | None]
    ends: tuple[float, float]
    prevalence: float


def _raw(model: Calibrator, scan: Scan, name: str) -> tuple[dict[str, float | None], bool | None]:
    """Measures of the one column of scores; and False if these are not probabilities, else None."""
    read = scan.reading(name)
    positive, scores, weights = _examples(read.blocks.low, read.blocks, model)
    least = min_cllr(positive, _given(model, scores), sample_weight=weights)
    ends = _given(model, np.array([read.blocks.low[-1], read.blocks.high[0]]))
    inside = ends.min() >= 0 and ends.max() <= 1
    return {"AUC": float(scan.auc()[name]), LEAST: least}, None if inside else False


def _of_blocks(model: Calibrator, scan: Scan, name: str) -> _Performance:
    """The performance of a map of steps on the examples that chose it."""
    read = scan.reading(name)
    positive, scores, weights = _examples(read.blocks.low, read.blocks, model)
    llr = model.llr(scores)
    measures = measures_of(positive, llr, model.posterior(scores), weights)
    share = float(np.average(positive, weights=weights))
    return _Performance(measures, (float(llr.min()), float(llr.max())), share)


def _in_order(model: Calibrator, scan: Scan, names: Sequence[str]) -> tuple[Blocks, float] | None:
    """The blocks of the scores and the area under their curve, if those of the posteriors are the same."""
    if not model.keeps_order or np.isfinite(model.bounds_).any():
        return None
    (name,) = names
    blocks = scan.reading(name).blocks
    low, high = (_posterior(model, ends) for ends in (blocks.low, blocks.high))
    apart = low[-1] < high[0] and (low[:-1] > high[1:]).all()
    inside = low[-1] > _ROUNDED and high[0] < 1 - _ROUNDED
    return (blocks, float(scan.auc()[name])) if apart and inside else None


def _of_rows(
    rows: RowPasses, models: Mapping[int, Calibrator], known: tuple[Blocks, float] | None = None
) -> _Performance:
    """The performance of maps on the rows of their groups: sums of one pass, a scan of the posteriors.

    That scan is left out where blocks and area of the posteriors are known.
    """
    pieces = rows.each({number: partial(_judged, model) for number, model in models.items()})
    sums, ends, sample = zip(*pieces, strict=True)
    neg, against, pos, for_it, brier, log_score = np.apply_along_axis(fsum, 0, np.stack(sums)).tolist()
    if known is None:
        maps = {number: partial(_posterior, model) for number, model in models.items()}
        scanned, key = rows.mapped(maps, np.concatenate(sample)), ("llr", 0)
        known = scanned.both_classes(key).blocks, float(scanned.area(key))
    blocks, area = known
    with already_said():
        hull = RocHull.from_blocks(blocks)
    parts = decomposed(brier / (neg + pos), hull, Brier())
    measures = named_measures(parts, log_score / (neg + pos), area)
    measures[COST] = (against / neg + for_it / pos) / (2 * log(2))
    low, high = np.min([low for low, _ in ends]), np.max([high for _, high in ends])
    return _Performance(measures, (float(low), float(high)), pos / (neg + pos))


def _given(model: Calibrator, scores: Array) -> Array:
    return 0 - scores if model.lower_is_positive else scores


def _posterior(model: Calibrator, scores: Array) -> Array:
    return model.posterior(_given(model, scores))


def _judged(model: Calibrator, data: Labelled) -> tuple[Array, ...]:
    """Sums of a piece, those of a LogScore of LLRs first; ends of LLRs; some posteriors."""
    weights = row_weights(data)
    some = weights > 0
    if not some.any():
        return np.zeros(6), np.array([np.inf, -np.inf]), np.zeros(0)
    posterior, llr = model.posterior_and_llr(_given(model, data.scores[some]))
    of = replace(data, positive=data.positive[some], weights=None if data.weights is None else weights[some])
    costs = LogScore().sums(replace(of, scores=llr), 0.5)
    losses = [sum(rule.sums(replace(of, scores=posterior))[1::2]) for rule in (Brier(), LogScore())]
    return np.array([*costs, *losses]), np.array([llr.min(), llr.max()]), posterior[::_STEP].copy()


def _held_out(model: Calibrator, scan: Scan, names: Sequence[str]) -> tuple[dict[str, float | None], int]:
    """The measures of every fold by a map that was fitted to the others, and how many folds there are."""
    models = {}
    for fold in scan.counts(by="fold"):
        (number,) = scan.passes(names, fold=fold).groups
        with already_said():
            models[number] = unfitted(model).fit_rows(scan.passes(names, but_fold=fold))
    rows = replace(scan.passes(names), groups=tuple(models))
    return _of_rows(rows, models).measures, len(models)


def _thinned(model: Calibrator, scan: Scan, names: Sequence[str]) -> tuple[dict[str, float | None], int]:
    """The same of PAV maps by the groups of the thinned curves, which takes no pass."""
    tallies = [by_score[names[0]] for by_score in scan.tallies(by="fold").values()]
    parts = []
    for number, own in enumerate(tallies):
        others = reduce(Tally.merge, (each for i, each in enumerate(tallies) if i != number))
        fitted = unfitted(model).fit_tally(others)
        positive, scores, weights = _examples(own.score, own, model)
        parts.append((positive, fitted.llr(scores), fitted.posterior(scores), weights))
    return measures_of(*(np.concatenate(columns) for columns in zip(*parts, strict=True))), len(tallies)


def _examples(score: Array, counts: InUnits, model: Calibrator) -> tuple[Array, Array, Array]:
    """Labels, scores as they were given, and weights (m,) of groups in both classes."""
    weights = np.concatenate((counts.neg, counts.pos)).astype(float)
    positive = np.repeat([0, 1], score.size)
    scores = np.tile(_given(model, score), 2)
    some = weights > 0
    return positive[some], scores[some], weights[some]
