"""The look at a batch before it is decided: how often it warns of undrifted batches, and of changed ones.

Each draw has a policy of its own and new samples of its population, at any prevalence for the kind of
scores, and at the stated one for the shares that are flagged and reviewed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import rochull as rh
from rochull.decisions.batch_check import checks_noted
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
    for prevalence in (own, PREVALENCES[2]) if few else (own, *PREVALENCES):
        batch = batch_of(prevalence)
        yield _found(NULL, policy.check(batch).other_kind)
        for share in SHARES[: 1 if few else None] if prevalence else ():
            flags = rh.Capacity(fraction=share, prevalence=prevalence)
            reviews = rh.Review(1, 3, 0.01, prevalence, max_share=share)
            for condition in (flags, reviews):
                check = policy.check(batch, condition, random_state=rng.integers(2**31))
                yield _found(NULL, check.other_kind)
                yield _found(OF_SHARE, check.other_share)


def changed(scene: Scene, rng: np.random.Generator) -> Iterator[Found]:
    """One policy, and a batch of the same prevalence that has changed in each way."""
    policy, batch_of = scene.made(rng)
    batch = batch_of(scene.policy.n_pos / scene.policy.n)
    for name, change in CHANGES.items():
        yield _found(name, policy.check(change(batch)).other_kind)


# --- policies that tell segments, groups or several classes apart ----------------------------------------


@dataclass(frozen=True)
class OtherScene:
    """A kind of policy, its examples, and the size of its batches."""

    kind: str
    n: int
    size: int

    def draw(self, y: Array, rng: np.random.Generator) -> dict[Any, Array]:
        """A table of cases of these classes: scores and segments, or outputs."""
        if self.kind == "three classes":
            logits = rng.normal(size=(y.size, 3)) + 1.8 * (y[:, None] == np.arange(3))
            return dict(enumerate((np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)).T))
        part = np.where(y & (rng.random(y.size) < 0.3), 2, rng.choice(3, size=y.size, p=(0.6, 0.3, 0.1)))
        scores = 1 / (1 + np.exp(1.5 - 0.4 * part - rng.normal(1.5 * y * (1 - 0.3 * part))))
        return {"score": scores, "part": np.array(["a", "b", "c"])[part]}

    def classes(self, n: int, prevalence: float, rng: np.random.Generator) -> Array:
        """Classes of cases."""
        if self.kind == "three classes":
            rest = (1 - prevalence) / 2
            return rng.choice(3, size=n, p=(prevalence, rest, rest))
        return rng.random(n) < prevalence

    def made(self, rng: np.random.Generator) -> Any:
        """A policy, with a tenth of the examples in the rarer class."""
        y = self.classes(self.n, 0.1, rng)
        table = self.draw(y, rng)
        if self.kind == "three classes":
            roc = rh.MulticlassRoc(y, np.column_stack(list(table.values())))
            points = roc.points_at(np.exp(0.5 * rng.normal(size=(12, 3))))
            return rh.multiclass.MulticlassPolicy.from_points(points)
        rows = {part: table["part"] == part for part in "abc"}
        hulls = {part: rh.roc_hull(y[own], table["score"][own]) for part, own in rows.items()}
        if self.kind == "segments":
            return rh.segments.SegmentPolicy.from_hulls(hulls, column="part")
        return rh.constrain_groups(hulls, COSTS, "demographic_parity").policy("part")

    def warned(self, policy: Any, table: dict[Any, Array]) -> bool:
        """Whether a batch is said to be of another kind."""
        asked: tuple[Any, ...] = () if self.kind == "groups" else (COSTS,)
        asked = ([1, 1, 1],) if self.kind == "three classes" else asked
        with warnings.catch_warnings(), checks_noted() as found:
            warnings.simplefilter("ignore")
            policy.decide(table, *asked, random_state=0)
        return found[-1].other_kind


COSTS = rh.ExpectedCost(1, 5, 0.2)
OTHERS = ("segments", "groups", "three classes")
OTHER_POLICIES, OTHER_SIZES = (300, 1_000, 5_000, 50_000), (60, 500, 5_000, 50_000)
OF_SCORES: dict[str, Callable[[Array], Array]] = {**CHANGES, "one part": lambda scores: scores}
OF_OUTPUTS: dict[str, Callable[[Array], Array]] = {
    "to the power 1.6": lambda outputs: outputs**1.6,
    "to the power 0.5": lambda outputs: outputs**0.5,
    "reversed": lambda outputs: 1 - outputs,
    "constant": lambda outputs: 0 * outputs + np.arange(3, 6),
    "columns in turn": lambda outputs: outputs[:, [1, 2, 0]],
}


def undrifted_other(scene: OtherScene, rng: np.random.Generator) -> Iterator[Found]:
    """One policy, and batches that only differ in their prevalence."""
    try:
        policy = scene.made(rng)
    except ValueError:  # a segment without a positive
        return
    for prevalence in PREVALENCES:
        table = scene.draw(scene.classes(scene.size, prevalence, rng), rng)
        yield _found(NULL, scene.warned(policy, table))


def changed_other(scene: OtherScene, rng: np.random.Generator) -> Iterator[Found]:
    """One policy, and a batch of prevalence .3 that has changed in each way."""
    try:
        policy = scene.made(rng)
    except ValueError:
        return
    table = scene.draw(scene.classes(scene.size, 0.3, rng), rng)
    for name, change in (OF_OUTPUTS if scene.kind == "three classes" else OF_SCORES).items():
        if scene.kind == "three classes":
            other = dict(enumerate(change(np.column_stack(list(table.values()))).T))
        else:
            other = {**table, "score": change(table["score"])}
        if name == "one part":
            other = {column: values[table["part"] == "b"] for column, values in table.items()}
        yield _found(name, scene.warned(policy, other))


def _others(draws: int, cores: int) -> Iterator[str]:
    for kind in OTHERS:
        scenes = [OtherScene(kind, n, size) for n in OTHER_POLICIES for size in OTHER_SIZES]
        null = simulation.run(undrifted_other, scenes, draws, cores)
        power = simulation.run(changed_other, scenes, draws, cores)
        warned = sum(int(null[scene, NULL, ""].estimate.sum()) for scene in scenes)
        total = sum(null[scene, NULL, ""].estimate.size for scene in scenes)
        names = list(OF_OUTPUTS if kind == "three classes" else OF_SCORES)
        yield ""
        yield f"Policies of {kind}: {warned:,} of {total:,} undrifted batches with a warning; changed ones:"
        yield ""
        yield f"| examples | cases | {' | '.join(names)} |"
        yield f"|---:|---:|{'---:|' * len(names)}"
        for scene in scenes:
            cells = (f"{power[scene, name, ''].estimate.mean():.2f}" for name in names)
            yield f"| {scene.n:,} | {scene.size:,} | {' | '.join(cells)} |"


# --- tables ----------------------------------------------------------------------------------------------


def _found(what: str, warned: bool) -> Found:
    return Found(what, "", 1.0, float(warned), float(warned), float(warned))


def report(draws: int, cores: int) -> Iterator[str]:
    """Markdown tables: false warnings, and power."""
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
    yield from _others(draws, cores)


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
