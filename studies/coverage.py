"""How often 95 % intervals cover, and tests over folds reject: ``python -m studies``.

Normal scores, those of the positives shifted, so that every truth is known in closed form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist

import numpy as np

import rochull as rh
from studies import (
    acting,
    answer,
    assured,
    batches,
    calibration_bands,
    deployed,
    few,
    hulls,
    label_plans,
    late_labels,
    limit_labels,
    map_intervals,
    misfit,
    monitors,
    optima,
    parts,
    performance,
    simulation,
    sizes,
)
from studies.optima import ends
from studies.simulation import Array, Found, Key, Outcome, Scene, noise

_AREAS = (0.7, 0.9, 0.99)
_BALANCED = tuple(Scene(area, n) for area in _AREAS for n in (100, 1000, 10_000))
_RARE = tuple(Scene(area, n, 0.1) for area in _AREAS for n in (100, 1000))
_OPTIMA = (*(Scene(area, n) for area in _AREAS for n in (100, 1000)), Scene(0.9, 10_000))
_FPR = 0.1
_WANTED = (0.93, 0.97)
_RESAMPLES = 599  # (599 + 1) * 0.025 = 15: the ends are replicates

AREA, RATE, POINT, COST = "AUC", "FPR at a fixed threshold", "TPR at FPR 0.1", "cost of a fixed rule"


def trial(scene: Scene, rng: np.random.Generator) -> Iterator[Found]:
    """Statistics that choose nothing on the sample."""
    y, scores = scene.draw(rng)
    threshold = scene.shift / 2
    for method in ("delong", "logit"):
        yield _found(AREA, method, scene.auc, rh.auc_interval(y, scores, method))
    for method in ("clopper-pearson", "wilson"):
        rates = rh.uncertainty.rates_at_threshold(y, scores, threshold, method)
        yield _found(RATE, method, scene.rates(threshold)[0], rates.fpr)
        yield _found(
            COST, method, scene.cost(threshold), rates.expected_cost(rh.ExpectedCost(prevalence=0.5))
        )

    def statistics(sample: rh.uncertainty.Resample) -> list[float]:
        fpr, tpr = sample.rates(threshold)
        return [sample.auc(), sample.tpr_at(_FPR), (fpr + 1 - tpr) / 2]

    found = rh.bootstrap(
        y, scores, statistics, method="bca", n_resamples=_RESAMPLES, random_state=rng, progress=False
    )
    low, high = ends(found.replicates)
    tpr = NormalDist().cdf(scene.shift + NormalDist().inv_cdf(_FPR))
    for i, (what, truth) in enumerate({AREA: scene.auc, POINT: tpr, COST: scene.cost(threshold)}.items()):
        yield Found(what, "percentile", truth, found.estimate[i], low[i], high[i])
        yield Found(what, "BCa", truth, found.estimate[i], found.low[i], found.high[i])
    least = _wilson(found.estimate[1], scene.n_pos)
    yield Found(POINT, "roc_band", tpr, np.nan, min(low[1], least[0]), max(high[1], least[1]))


def _found(what: str, method: str, truth: float, found: rh.uncertainty.Interval) -> Found:
    return Found(what, method, truth, float(found.estimate), float(found.low), float(found.high))


def _wilson(rate: float, n: int) -> tuple[float, float]:
    """What the pointwise band is as wide as at least."""
    few, many = np.floor(rate * n + 1e-9), np.ceil(rate * n - 1e-9)
    return rh.rate_interval(few, n, "wilson").low, rh.rate_interval(many, n, "wilson").high  # type: ignore


# --- bands --------------------------------------------------------------------------------------------

_RATES = (0.0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.3)
_COARSE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8)
_BANDS = tuple(Scene(area, n) for area in (0.8, 0.9, 0.99) for n in (100, 1000))
WHOLE, EACH = "whole curve", "TPR at this FPR, pointwise"


def bands_trial(scene: Scene, rng: np.random.Generator) -> Iterator[Found]:
    """Bands of the curve: over a grid, and point by point."""
    y, scores = scene.draw(rng)
    options = {"n_resamples": _RESAMPLES, "random_state": rng, "progress": False}
    for name, fpr in (("101 points", None), ("8 points", _COARSE)):
        band = rh.roc_band(y, scores, fpr=fpr, **options)
        yield _everywhere(scene, name, band)
    yield _everywhere(scene, "ks", rh.roc_band(y, scores, "ks"))
    band = rh.roc_band(y, scores, "pointwise", fpr=_RATES, **options)
    for i, fpr in enumerate(_RATES):
        truth = _curve(scene, band.fpr)[i]
        yield Found(EACH, f"{fpr:g}", truth, band.estimate[i], band.low[i], band.high[i])


def _curve(scene: Scene, fpr: Array) -> Array:
    """The population's true positive rates."""
    normal = NormalDist(scene.shift)
    return np.array([x if x in (0, 1) else 1 - normal.cdf(NormalDist().inv_cdf(1 - x)) for x in fpr.tolist()])


def _everywhere(scene: Scene, name: str, band: rh.uncertainty.RocBand) -> Found:
    """Covers 0 if the band covers the curve at all its points."""
    truth = _curve(scene, band.fpr)
    return Found(WHOLE, name, 0.0, np.nan, float((band.low - truth).max()), float((band.high - truth).min()))


def _bands(draws: int, cores: int) -> Iterator[str]:
    found = simulation.run(bands_trial, _BANDS, draws, cores)
    yield f"## Bands, 50% positive, {draws:,} draws, {_RESAMPLES} replicates"
    yield ""
    names = {WHOLE: ("101 points", "8 points", "ks"), EACH: tuple(f"{fpr:g}" for fpr in _RATES)}
    for what, methods in names.items():
        yield f"{what}: coverage (Monte Carlo error {noise(0.95, draws):.3f})"
        yield ""
        yield f"| AUC | n | {' | '.join(methods)} |"
        yield f"|---:|---:|{'---:|' * len(methods)}"
        for scene in _BANDS:
            cells = (_share(found[scene, what, method].coverage) for method in methods)
            yield f"{_scene_cells(scene)} {' | '.join(cells)} |"
        yield ""


def _share(share: float) -> str:
    inside = _WANTED[0] <= round(share, 3) <= _WANTED[1]
    return f"{share:.3f}" if inside else f"**{share:.3f}**"


# --- tables -------------------------------------------------------------------------------------------


def _scene_cells(scene: Scene) -> str:
    return f"| {scene.auc:g} | {scene.n:,} |"


def _coverage_cell(found: Outcome, draws: int) -> str:
    share = found.coverage
    return f"{_share(share)} ± {noise(share, draws):.3f} ({found.width:.3g})"


def _table(
    found: Mapping[Key, Outcome], scenes: Sequence[Scene], what: str, methods: Sequence[str], draws: int
) -> Iterator[str]:
    """Coverage and mean width of each method."""
    yield f"{what}: coverage ± Monte Carlo error (mean width)"
    yield ""
    yield f"| AUC | n | {' | '.join(methods)} |"
    yield f"|---:|---:|{'---:|' * len(methods)}"
    for scene in scenes:
        cells = (_coverage_cell(found[scene, what, method], draws) for method in methods)
        yield f"{_scene_cells(scene)} {' | '.join(cells)} |"
    yield ""


_FIXED = {
    AREA: ("delong", "logit", "percentile", "BCa"),
    POINT: ("percentile", "BCa", "roc_band"),
    COST: ("percentile", "BCa", "wilson", "clopper-pearson"),
    RATE: ("clopper-pearson", "wilson"),
}


def _fixed(scenes: Sequence[Scene], draws: int, cores: int) -> Iterator[str]:
    found = simulation.run(trial, scenes, draws, cores)
    share = scenes[0].prevalence
    yield f"## Fixed statistics, {share:.0%} positive, {draws:,} draws, {_RESAMPLES} replicates"
    yield ""
    for what, methods in _FIXED.items():
        yield from _table(found, scenes, what, methods, draws)


_BIASED = ("percentile", "basic", "BCa", "bias-corrected", "basic, m = 0.25 n")
_CHOSEN = {
    optima.HULL: (*_BIASED, "raw area, logit"),
    optima.CLLR: _BIASED,
    optima.LEAST: _BIASED,
    optima.KEPT: ("percentile", "optimism", "cross-validation"),
    optima.THRESHOLD: ("percentile", "basic", "BCa", "percentile, m = 0.25 n", "basic, m = 0.25 n"),
}
_ESTIMATES = {
    optima.HULL: ("percentile", "bias-corrected", "raw area, logit"),
    optima.CLLR: ("percentile", "bias-corrected", "out-of-fold"),
    optima.LEAST: ("percentile", "bias-corrected"),
    optima.KEPT: ("percentile", "optimism", "cross-validation"),
}
_APPARENT = {"percentile": "apparent", "raw area, logit": "raw area"}  # the method's name as an estimate


def _chosen(draws: int, cores: int) -> Iterator[str]:
    found = simulation.run(optima.trial, _OPTIMA, draws, cores)
    yield f"## Statistics that optimise on the sample, {draws:,} draws, {optima.RESAMPLES} replicates"
    yield ""
    for what, methods in _ESTIMATES.items():
        yield f"{what}: bias (root mean squared error)"
        yield ""
        yield f"| AUC | n | truth | {' | '.join(_APPARENT.get(m, m) for m in methods)} |"
        yield f"|---:|---:|---:|{'---:|' * len(methods)}"
        for scene in _OPTIMA:
            outcomes = [found[scene, what, method] for method in methods]
            cells = " | ".join(f"{o.bias:+.4f} ({o.rmse:.4f})" for o in outcomes)
            yield f"{_scene_cells(scene)} {outcomes[0].truth.mean():.4f} | {cells} |"
        yield ""
    for what, methods in _CHOSEN.items():
        yield from _table(found, _OPTIMA, what, methods, draws)


PARTS = (
    "fixed",
    "rare",
    "few",
    "hulls",
    "bands",
    "optima",
    "tests",
    "assured",
    "deployed",
    "fit",
    "batches",
    "performance",
    "curve",
    "parts",
    "maps",
    "monitors",
    "acting",
    "label_plans",
    "late_labels",
    "limit_labels",
    "answer",
)


def report(draws: int, cores: int, chosen: Sequence[str] = PARTS) -> Iterator[str]:
    """The chosen parts of the study, as Markdown."""
    yield f"Outside [{_WANTED[0]:g}, {_WANTED[1]:g}] in bold."
    yield ""
    for part in chosen:
        if part == "fixed":
            yield from _fixed(_BALANCED, draws, cores)
        elif part == "rare":
            yield from _fixed(_RARE, max(1, draws // 2), cores)
        elif part == "few":
            yield f"## Few positives among 300 negatives, {draws:,} draws: least coverage (mean width)"
            yield ""
            yield from few.report(draws, cores)
            yield ""
        elif part == "hulls":
            yield f"## What is read off a hull, {max(1, draws // 5):,} draws: coverage (mean width)"
            yield ""
            yield from hulls.report(max(1, draws // 5), cores)
            yield ""
        elif part == "answer":
            yield f"## The answer of a report, {max(2, draws // 5):,} draws: coverage"
            yield ""
            yield from answer.report(max(2, draws // 5), cores)
            yield ""
        elif part == "curve":
            yield "## Bands of the calibration curve: coverage of all of it (mean width)"
            yield ""
            yield from calibration_bands.report(max(2, draws // 10), cores)
            yield ""
        elif part == "parts":
            yield "## The parts of a Brier score: coverage"
            yield ""
            yield from parts.report(max(2, draws // 20), cores)
            yield ""
        elif part == "maps":
            yield "## Calibrated LLRs, by resampling the map: coverage"
            yield ""
            yield from map_intervals.report(max(2, draws // 20), cores)
            yield ""
        elif part == "bands":
            yield from _bands(max(1, draws // 2), cores)
        elif part == "assured":
            yield from assured.report(max(1, draws // 2), cores)
            yield ""
        elif part == "deployed":
            yield "## A stated confidence, of the classifier that decides"
            yield ""
            yield from deployed.report(max(1, draws // 4), cores)
            yield ""
        elif part == "optima":
            yield from _chosen(max(2, draws // 5), cores)
        elif part == "fit":
            yield "## The test of fit of an estimated prevalence"
            yield ""
            yield from misfit.report(draws, cores)
            yield ""
        elif part == "acting":
            yield "## Acting at the end of a month"
            yield ""
            yield from acting.report(max(2, draws // 10), cores)
            yield ""
        elif part == "label_plans":
            yield "## Labels by a plan"
            yield ""
            yield from label_plans.report(max(2, draws // 10), cores)
            yield ""
        elif part == "late_labels":
            yield "## Labels that come late"
            yield ""
            yield from late_labels.report(max(2, draws // 2), cores)
            yield ""
        elif part == "limit_labels":
            yield "## Labels that tell a broken limit"
            yield ""
            yield from limit_labels.report(max(2, draws // 4), cores)
            yield ""
        elif part == "monitors":
            yield "## A monitor in stable years, and after a change"
            yield ""
            yield from monitors.report(draws, cores)
            yield ""
        elif part == "performance":
            yield "## A deployed rule on new cases"
            yield ""
            yield from performance.report(max(2, draws // 4), cores)
            yield ""
        elif part == "batches":
            yield "## The look at a batch before it is decided"
            yield ""
            yield from batches.report(draws, cores)
            yield ""
        else:
            yield "## Tests over folds"
            yield ""
            yield from sizes.report(max(1, draws // 2), cores)
            yield ""
