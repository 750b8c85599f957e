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
from studies import answer_ways, simulation
from studies.simulation import Array, Found

_SHARE = 1 / 6  # of positives
_NORMAL = 1.96
COST, SAVING, STRETCH = "cost on new cases", "saving on new cases", "stretch"


@dataclass(frozen=True)
class AnswerScene:
    """Scores, calibrated probabilities of normal features, the later ones a little worse, or alike."""

    n: int
    miss: float
    ratios: tuple[float, ...] = (0.9,)  # of the later scores' shifts to that of the first
    shift: float = 1.5

    @property
    def shifts(self) -> dict[str, float]:
        """By score."""
        return dict(zip("abcde", (self.shift, *(ratio * self.shift for ratio in self.ratios)), strict=False))

    @property
    def costs(self) -> rh.ExpectedCost:
        """What errors cost."""
        return rh.ExpectedCost(1, self.miss, _SHARE)

    def draw(self, rng: np.random.Generator) -> tuple[Array, dict[str, Array]]:
        """Labels and scores."""
        n_pos = round(self.n * _SHARE)
        labels = np.repeat([1, 0], [n_pos, self.n - n_pos])
        return labels, {
            name: _probability(rng.normal(shift * labels), shift) for name, shift in self.shifts.items()
        }

    def cost(self, rule: Rule) -> float:
        """Of a rule in the population."""
        if rule.constant is not None:
            return self.costs.cost(float(rule.constant), float(rule.constant))
        shift = self.shifts[str(rule.classifier)]
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


def stretch(costs: rh.ExpectedCost, labels: Array, score: Array) -> dict[str, tuple[float, float]]:
    """The thresholds that cannot be told apart from the best; and those up to the first that can.

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
    levels = np.concatenate([[inf], score[order], [-inf]])
    apart = np.flatnonzero(~alike)
    first, last = max(apart[apart < best], default=-1) + 1, min(apart[apart > best], default=alike.size) - 1
    ends = np.flatnonzero(alike)
    return {
        method: (float(levels[high + 1]), float(levels[low]))
        for method, low, high in ((STEPS, first, last), (OUTERMOST, ends[0], ends[-1]))
    }


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
        yield Found(what, HALVES, truths[what], about, about - half_width, about + half_width)
    for way, (about, error) in answer_ways.ways((alarm, miss), labels == 1, scores, rng).items():
        yield Found(COST, way, own, about, about - _NORMAL * error, about + _NORMAL * error)
    for method, (low, high) in stretch(costs, labels, scores["a"]).items():
        yield Found(STRETCH, method, scene.best, low=low, high=high)


HALVES, STEPS, OUTERMOST = "halves", "step by step", "outermost"
KINDS = {"one": (), "two, one worse": (0.9,), "two alike": (1.0,), "five alike": (1.0,) * 4}
SCENES = [AnswerScene(n, 5.0, ratios) for n in (500, 2_000, 10_000, 50_000) for ratios in KINDS.values()]


def report(draws: int, cores: int) -> Iterator[str]:
    """How often each holds what is true, and how wide intervals of the cost are beside those of the cases."""
    found = simulation.run(trial, SCENES, draws, cores)
    columns = [(COST, way) for way in (*answer_ways.WAYS, HALVES)]
    columns += [(SAVING, HALVES), (STRETCH, STEPS), (STRETCH, OUTERMOST)]
    yield f"| cases | scores | {' | '.join(f'{what}, {how}' for what, how in columns)} |"
    yield "|---" * (2 + len(columns)) + "|"
    for scene in SCENES:
        kind = next(name for name, ratios in KINDS.items() if ratios == scene.ratios)
        cells, usual = [], found[scene, COST, answer_ways.WAYS[0]]
        for what, how in columns:
            outcome = found[scene, what, how]
            wide = f" ({outcome.width / usual.width:.2f})" if what == COST and outcome is not usual else ""
            cells.append(f"{outcome.coverage:.3f}{wide}")
        yield f"| {scene.n:,} | {kind} | {' | '.join(cells)} |"
    yield f"Monte Carlo error {simulation.noise(0.95, draws):.3f}"
