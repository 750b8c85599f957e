"""How often promised limits are broken, at which recall: ``python -m studies assured``.

Normal scores of which the truth is known, beside MAPIE's risk control where that is installed (1.6 was; it is
no requirement). Both get the same draws. A sample in which nothing is assured counts with a recall of 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from math import inf
from statistics import NormalDist
from typing import Any

import numpy as np

import rochull as rh
from studies import simulation
from studies.simulation import Array, Found, Scene

_CONFIDENCE = 0.9
_FIRST = 0.03  # the share called positive at the peer's first threshold; higher ones fail its first test
_SCENES = (Scene(0.8, 1000, 0.3), Scene(0.8, 1000, 0.2), Scene(0.9, 1000, 0.1), Scene(0.8, 10_000, 0.3))
_LIMITS: dict[str, list[Any]] = {
    "precision >= 0.6": [rh.Precision() >= 0.6],
    "share called <= 0.1": [rh.AlarmRate() <= 0.1],
    "precision >= 0.6, FPR <= 0.05": [rh.Precision() >= 0.6, rh.FalsePositiveRate() <= 0.05],
    "errors of all <= 0.26": [rh.Accuracy() <= 0.26],
    "cost 1 : 3 a case <= 0.5": [rh.ExpectedCost(1, 3) <= 0.5],
}
_NAMES = {
    "precision": "precision", "alarm rate": "predicted_positive_fraction", "false positive rate": "fpr",
    "expected cost per case": "accuracy",
}  # fmt: skip
_PEERS = {
    "MAPIE, default": "bonferroni_holm",
    "MAPIE, fixed sequence": "fixed_sequence",
    "MAPIE, split sequence": "split_fixed_sequence",
}
_REVIEWS = {"errors of the decided <= 0.05": 0.05, "errors of the decided <= 0.1": 0.1}
_OURS, _PLAIN = "rochull", "without a confidence"


def trial(scene: Scene, rng: np.random.Generator, methods: tuple[str, ...]) -> Iterator[Found]:
    """Labels drawn with their scores: the classes have no fixed sizes."""
    y = (rng.random(scene.n) < scene.prevalence).astype(np.int8)
    score = rng.standard_normal(scene.n) + scene.shift * y
    made = rh.RocHull.from_curve(rh.roc_curve(y, score))
    for what, limits in _LIMITS.items():
        for method in methods:
            fwer = _PEERS.get(method)
            if fwer and not _takes(fwer, limits):
                continue
            threshold = _peer(limits, fwer, scene, y, score) if fwer else _ours(limits, made)
            fpr, tpr = (0.0, 0.0) if threshold is None else scene.rates(threshold)
            at = [limit.at_prevalence(scene.prevalence) for limit in limits]
            kept = all(limit.is_met(Fraction(fpr), Fraction(tpr)) for limit in at)
            yield Found(what, method, float(threshold is not None and not kept), tpr)
    for what, most in _REVIEWS.items():
        for method, confidence in ((_OURS, _CONFIDENCE), (_PLAIN, None)):
            review = rh.Review(1, 2, 0.25, max_error=most, confidence=confidence)
            decided, wrong = _decided(scene, made.at(review, deterministic=True).rules[0][0])
            yield Found(what, method, float(wrong > most * decided), decided)


def _takes(fwer: str, limits: list[Any]) -> bool:
    """Whether the peer has such limits: it weighs no errors, and its sequence is of one that has an end."""
    costs = limits[0].measure.key == "expected cost"
    if fwer == "fixed_sequence" and (costs or len(limits) > 1):
        return False
    return not costs or bool(limits[0].measure.cost_fn == 1)


def _decided(scene: Scene, rule: Any) -> tuple[float, float]:
    """The shares of the population that a band decides, and decides wrongly."""
    ends = [
        inf if at.kind == "never" else -inf if at.kind == "always" else at.level
        for at in (rule.high, rule.low)
    ]
    (fpr, tpr), (above_fpr, above_tpr) = (scene.rates(at) for at in ends)
    p = scene.prevalence
    decided = (1 - p) * (fpr + 1 - above_fpr) + p * (tpr + 1 - above_tpr)
    return decided, (1 - p) * fpr + p * (1 - above_tpr)


def _called(scene: Scene, threshold: float) -> float:
    """The share of the population that is called positive."""
    fpr, tpr = scene.rates(threshold)
    return scene.prevalence * tpr + (1 - scene.prevalence) * fpr


def _ours(limits: list[Any], made: rh.RocHull) -> float | None:
    try:
        point = made.at(rh.Within(rh.Recall(), limits, confidence=_CONFIDENCE))
    except rh.InfeasibleConditionError:
        return None
    threshold = point.rules[0][0].threshold
    return threshold if point.tpr else None


def _peer(limits: list[Any], fwer: str, scene: Scene, y: Array, score: Array) -> float | None:
    """Among 100 thresholds from the highest down, as its fixed sequence needs them: known beforehand."""
    import warnings

    from mapie.risk_control import BinaryClassificationController

    normal = NormalDist()
    first = next(z for z in np.linspace(5, 0, 500).tolist() if _called(scene, z) >= _FIRST)
    grid = [normal.cdf(x) for x in np.linspace(first, -2, 100)]
    weighed = [limit.measure.key == "expected cost" for limit in limits]
    control = BinaryClassificationController(
        lambda x: np.column_stack([1 - x[:, 0], x[:, 0]]),
        [_NAMES[limit.measure.measure] for limit in limits],
        [
            1 - limit.limit if is_error else limit.limit
            for limit, is_error in zip(limits, weighed, strict=True)
        ],
        confidence_level=_CONFIDENCE,
        best_predict_param_choice="recall",
        list_predict_params=np.array(grid),
        fwer_method=fwer,
    )
    probability, labels = np.array([normal.cdf(x) for x in score.tolist()])[:, None], y.astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first_part = len(labels) // 5 if fwer == "split_fixed_sequence" else 0
        if first_part:
            # A thousand steps, its default, take seconds a sample.
            learn = probability[:first_part], labels[:first_part], np.logspace(-25, 0, 40)
            control.learn_fixed_sequence_order(*learn, binary=True)
        control.calibrate(probability[first_part:], labels[first_part:])
    best = control.best_predict_param
    return None if best is None else normal.inv_cdf(float(best))


def report(draws: int, cores: int) -> Iterator[str]:
    """The study, as Markdown."""
    methods = (_OURS, *(_PEERS if find_spec("mapie") else ()))
    found = simulation.run(partial(trial, methods=methods), _SCENES, draws, cores)
    yield f"## Limits promised with {_CONFIDENCE:.0%}, {draws:,} draws: broken (interval), mean recall"
    for what in _LIMITS:
        yield from _table(what, methods, found, draws)
    yield f"## Reviews, {draws:,} draws: broken (interval), mean share of the cases decided"
    for what in _REVIEWS:
        yield from _table(what, (_OURS, _PLAIN), found, draws)


def _table(what: str, methods: tuple[str, ...], found: Any, draws: int) -> Iterator[str]:
    """One limit in all scenes."""
    yield f"\n{what}\n\n| AUC | n | positive | {' | '.join(methods)} |"
    yield f"|---:|---:|---:|{'---:|' * len(methods)}"
    for scene in _SCENES:
        cells = []
        for method in methods:
            if (scene, what, method) not in found:
                cells.append("")
                continue
            outcome = found[scene, what, method]
            count = int(outcome.truth.sum())
            ends = rh.rate_interval(count, draws)
            share = f"{count / draws:.3f} ({ends.low:.3f} to {ends.high:.3f})"
            cells.append(f"{share}, {outcome.estimate.mean():.3f}")
        yield f"| {scene.auc:g} | {scene.n:,} | {scene.prevalence:g} | {' | '.join(cells)} |"
