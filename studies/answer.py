"""How often the answer of a report holds: cost and saving on new cases, and where nothing can be measured."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, log, sqrt
from statistics import NormalDist

import numpy as np

import rochull as rh
from rochull.conditions.rules import Rule
from studies import simulation
from studies.simulation import Array, Found

_SHARE = 1 / 6  # of positives
_NORMAL = 1.96
COST, SAVING, STRETCH = "cost on new cases", "saving on new cases", "stretch"


@dataclass(frozen=True)
class AnswerScene:
    """Two scores, calibrated probabilities of normal features, the second a little worse."""

    n_pos: int
    miss: float
    shift: float = 1.5

    @property
    def costs(self) -> rh.ExpectedCost:
        """What errors cost."""
        return rh.ExpectedCost(1, self.miss, _SHARE)

    def draw(self, rng: np.random.Generator) -> tuple[Array, dict[str, Array]]:
        """Labels and scores."""
        labels = np.repeat([1, 0], [self.n_pos, round(self.n_pos * (1 / _SHARE - 1))])
        shifts = {"a": self.shift, "b": 0.9 * self.shift}
        return labels, {
            name: _probability(rng.normal(shift * labels), shift) for name, shift in shifts.items()
        }

    def cost(self, rule: Rule) -> float:
        """Of a rule in the population."""
        if rule.constant is not None:
            return self.costs.cost(float(rule.constant), float(rule.constant))
        shift = self.shift if rule.classifier == "a" else 0.9 * self.shift
        at = _feature(float(rule.threshold), shift)
        beyond = NormalDist().cdf
        return self.costs.cost(beyond(-at), beyond(shift - at))

    @property
    def best(self) -> float:
        """The threshold of the first score that is best in the population."""
        return 1 / (1 + self.miss)  # of a calibrated probability


def _probability(feature: Array, shift: float) -> Array:
    odds = log(_SHARE / (1 - _SHARE)) + shift * feature - shift**2 / 2
    found: Array = 1 / (1 + np.exp(-odds))
    return found


def _feature(score: float, shift: float) -> float:
    return (log(score / (1 - score)) - log(_SHARE / (1 - _SHARE)) + shift**2 / 2) / shift


def stretch(costs: rh.ExpectedCost, labels: Array, score: Array) -> tuple[float, float]:
    """The thresholds that cannot be told apart from the best, as the page computes them.

    Cases between two thresholds of one score are all that tells them apart, so that the error of the
    difference of costs is a closed form of how many of each class these are.
    """
    alarm, miss = map(float, costs.weights)
    order = np.argsort(-score)
    hits, wrong = (np.append(0, np.cumsum(labels[order] == label)) for label in (1, 0))
    p, n = hits[-1], wrong[-1]
    cost = alarm * wrong / n + miss * (1 - hits / p)
    best = int(np.argmin(cost))
    caught, flagged = np.abs(hits - hits[best]) / p, np.abs(wrong - wrong[best]) / n
    var = miss**2 * caught * (1 - caught) / p + alarm**2 * flagged * (1 - flagged) / n
    alike = np.abs(cost - cost[best]) <= _NORMAL * np.sqrt(var)
    first, last = best, best
    while first and alike[first - 1]:
        first -= 1
    while last + 1 < alike.size and alike[last + 1]:
        last += 1
    levels = np.concatenate([[inf], score[order], [-inf]])
    return float(levels[last + 1]), float(levels[first])


def trial(scene: AnswerScene, rng: np.random.Generator) -> Iterator[Found]:
    """The cost and the saving of the rule that is deployed, and the best threshold of the first score."""
    labels, scores = scene.draw(rng)
    costs, half = scene.costs, Rule("threshold", "a", 0.5)
    hybrid = rh.Hybrid()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for name, score in scores.items():
            hybrid.add(name, labels, score)
        found = hybrid.need(costs, labels, scores, n_repeats=2, against=half).held_out
    assert found is not None
    assert found.slopes.less is not None
    i = int(np.flatnonzero(found.slopes.values == costs.slope)[0])
    alarm, miss = map(float, costs.weights)
    own = scene.cost(hybrid.at(costs, deterministic=True).rules[0][0])
    truths = {COST: own, SAVING: scene.cost(half) - own}
    for what, rates, sign in ((COST, found.slopes.rates, 1), (SAVING, found.slopes.less, -1)):
        missed = -rates.tpr[i] if what == SAVING else 1 - rates.tpr[i]
        about = sign * (alarm * rates.fpr[i] + miss * missed)
        var = alarm**2 * rates.var_fpr[i] + miss**2 * rates.var_tpr[i] - 2 * alarm * miss * rates.cov[i]
        half_width = _NORMAL * sqrt(var)
        yield Found(what, "need", truths[what], about, about - half_width, about + half_width)
    low, high = stretch(costs, labels, scores["a"])
    yield Found(STRETCH, "counts", scene.best, low=low, high=high)


SCENES = [AnswerScene(n_pos, miss) for n_pos in (30, 100, 400) for miss in (2.0, 5.0, 10.0)]


def report(draws: int, cores: int) -> Iterator[str]:
    """How often each holds what is true, by positives and by what a miss costs."""
    found = simulation.run(trial, SCENES, draws, cores)
    methods = {COST: "need", SAVING: "need", STRETCH: "counts"}
    yield f"| positives | miss | {' | '.join(methods)} |"
    yield "|---" * (2 + len(methods)) + "|"
    for scene in SCENES:
        held = (f"{found[scene, what, method].coverage:.3f}" for what, method in methods.items())
        yield f"| {scene.n_pos} | {scene.miss:g} | {' | '.join(held)} |"
    yield f"Monte Carlo error {simulation.noise(0.95, draws):.3f}"
