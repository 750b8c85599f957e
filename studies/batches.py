"""The look at a batch before it is decided: how often it warns of undrifted batches, and of changed ones.

Each draw has a policy of its own and new samples of its population, at any prevalence for the kind of
scores, and at the stated one for the share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import rochull as rh
from studies import simulation
from studies.simulation import Array, Found

PREVALENCES = (0.0, 0.02, 0.3, 0.95)  # of batches, besides that of the policy
SHARES = (0.005, 0.05, 0.3)  # that are stated
NULL, OF_SHARE = "another kind", "more than the share"


@dataclass(frozen=True)
class Policy:
    """Examples and positives of a policy, and how its scores are spread."""

    n: int
    n_pos: int
    scores: str = "normal"

    def draw(self, y: Array, rng: np.random.Generator) -> Array:
        """Scores of cases of these classes, as probabilities."""
        if self.scores == "exponential":
            return rng.exponential(1.0 + 2.0 * y) / 40
        found = rng.normal((3.0 if self.scores == "far" else 1.5) * y - 1.5)
        return np.round(1 / (1 + np.exp(-found)), 1 if self.scores == "ties" else 12)

    def __str__(self) -> str:
        return f"{self.n:,} | {self.n_pos:,} | {self.scores}"


POLICIES = (
    Policy(200, 5), Policy(200, 20), Policy(200, 100), Policy(1_000, 10), Policy(1_000, 300, "exponential"),
    Policy(2_000, 200, "ties"), Policy(2_000, 400, "far"), Policy(10_000, 100), Policy(10_000, 3_000),
    Policy(100_000, 1_000),
)  # fmt: skip
SIZES = (50, 200, 1_000, 10_000, 1_000_000)


def _logits(scores: Array) -> Array:
    return np.log(scores) - np.log1p(-scores)


CHANGES: dict[str, Callable[[Array], Array]] = {
    "log-odds times 1.6": lambda scores: 1 / (1 + np.exp(-1.6 * _logits(scores))),
    "log-odds plus 0.3": lambda scores: 1 / (1 + np.exp(-0.3 - _logits(scores))),
    "percent": lambda scores: 100 * scores,
    "log-odds": _logits,
    "reversed": lambda scores: 1 - scores,
}


@dataclass(frozen=True)
class Scene:
    """A policy, and the size of its batches."""

    policy: Policy
    size: int

    def made(self, rng: np.random.Generator) -> tuple[rh.Policy, Callable[[float], Array]]:
        """A policy, and what draws batches of a prevalence."""
        own = self.policy
        y = np.arange(own.n) < own.n_pos
        policy = rh.Policy.from_hull(rh.roc_hull(y, own.draw(y, rng)))
        return policy, lambda prevalence: own.draw(rng.random(self.size) < prevalence, rng)


def undrifted(scene: Scene, rng: np.random.Generator) -> Iterator[Found]:
    """One policy, and batches that only differ in their prevalence."""
    policy, batch_of = scene.made(rng)
    own = scene.policy.n_pos / scene.policy.n
    few = scene.size > 100_000  # drawing them takes longest
    for prevalence in (own, *PREVALENCES[1:3]) if few else (own, *PREVALENCES):
        batch = batch_of(prevalence)
        yield _found(NULL, policy.check(batch).other_kind)
        for share in SHARES if prevalence else ():
            condition = rh.Capacity(fraction=share, prevalence=prevalence)
            check = policy.check(batch, condition, random_state=rng.integers(2**31))
            yield _found(NULL, check.other_kind)
            yield _found(OF_SHARE, check.other_share)


def changed(scene: Scene, rng: np.random.Generator) -> Iterator[Found]:
    """One policy, and a batch of the same prevalence that has changed in each way."""
    policy, batch_of = scene.made(rng)
    batch = batch_of(scene.policy.n_pos / scene.policy.n)
    for name, change in CHANGES.items():
        yield _found(name, policy.check(change(batch)).other_kind)


def _found(what: str, warned: bool) -> Found:
    return Found(what, "", 1.0, float(warned), float(warned), float(warned))


def report(draws: int, cores: int) -> Iterator[str]:
    """Two Markdown tables: false warnings, and power."""
    scenes = [Scene(policy, size) for policy in POLICIES for size in SIZES]
    found = simulation.run(undrifted, scenes, draws, cores)
    yield "Undrifted batches with a warning, of all (another kind; more than the share):"
    yield ""
    yield f"| examples | positives | scores | {' | '.join(f'{size:,} cases' for size in SIZES)} |"
    yield f"|---:|---:|---|{'---:|' * len(SIZES)}"
    warned = total = 0
    for policy in POLICIES:
        cells = []
        for size in SIZES:
            outcomes = [found[Scene(policy, size), what, ""].estimate for what in (NULL, OF_SHARE)]
            warned += sum(int(each.sum()) for each in outcomes)
            total += outcomes[0].size
            cells.append(" + ".join(f"{each.sum():.0f}" for each in outcomes) + f" of {outcomes[0].size:,}")
        yield f"| {policy} | {' | '.join(cells)} |"
    yield ""
    yield f"In all {warned:,} of {total:,}: {1000 * warned / total:.2f} in a thousand."
    yield ""
    yield from _power(draws, cores)


def _power(draws: int, cores: int) -> Iterator[str]:
    own = (Policy(200, 100), Policy(1_000, 300), Policy(10_000, 1_000), Policy(100_000, 10_000))
    scenes = [Scene(policy, size) for policy in own for size in SIZES[1:4]]
    found = simulation.run(changed, scenes, draws, cores)
    yield "Changed batches with a warning:"
    yield ""
    yield f"| examples | positives | scores | cases | {' | '.join(CHANGES)} |"
    yield f"|---:|---:|---|---:|{'---:|' * len(CHANGES)}"
    for scene in scenes:
        cells = (f"{found[scene, name, ''].estimate.mean():.2f}" for name in CHANGES)
        yield f"| {scene.policy} | {scene.size:,} | {' | '.join(cells)} |"
