"""Policies, conditions and rows drawn at random, on which SQL must decide as Python does; a seed is one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import rochull as rh


@dataclass(frozen=True)
class Attack:
    """What is decided, and how Python decides it.

    Attributes
    ----------
    table : scores by classifier, and a column `key`.
    expected : what Python decides of each row.
    """

    policy: rh.Policy
    condition: Any
    deterministic: bool
    table: pa.Table
    expected: list[Any]

    def sql(self, dialect: str) -> str:
        """The expression that decides."""
        return self.policy.to_sql(self.condition, dialect, key="key", deterministic=self.deterministic)


def drawn_scores(rng: np.random.Generator, size: int, kind: int) -> np.ndarray:
    """Scores with ties, of 32 bits, integers beyond doubles, infinite ones, and of any magnitude."""
    scores = rng.normal(size=size)
    match kind:
        case 0:
            return np.round(scores, 1)
        case 1:
            return np.where(rng.random(size) < 0.2, 0.5, 1 / (1 + np.exp(-3 * scores)))
        case 2:
            return scores.astype(np.float32)
        case 3:
            return (scores * 1e18).astype(np.int64)
        case 4:
            ends = rng.random(size)
            return np.where(ends < 0.05, np.inf, np.where(ends > 0.95, -np.inf, np.round(scores, 2)))
    return scores * 10.0 ** rng.integers(-300, 300)


def drawn_condition(rng: np.random.Generator) -> Any:
    share, cost = round(float(rng.uniform(0.02, 0.9)), 2), float(rng.integers(2, 30))
    every = [
        rh.NeymanPearson(share), rh.MinimumRecall(share), rh.ExpectedCost(1.0, cost, share),
        rh.Capacity(fraction=share, prevalence=0.3), rh.Within(rh.Youden(), []),
        rh.Within(rh.ClosestTopLeft(), []), rh.Within(rh.EqualErrorRate(), []),
        rh.Review(1.0, cost, 0.5 * share, prevalence=0.3), rh.GreyZone(share, 0.9, 0.3),
    ]  # fmt: skip
    return every[rng.integers(len(every))]


def attack(seed: int) -> Attack:
    """One to three classifiers, 150 examples, a condition, and 600 rows, some of which are null."""
    rng, size, rows = np.random.default_rng(seed), 150, 600
    positive = np.arange(size) < rng.integers(10, 140)
    names = ["a", 'b "x"', "c'"][: rng.integers(1, 4)]
    kinds = {name: int(rng.integers(6)) for name in names}
    hybrid, learnt = rh.Hybrid(), {}
    for name, kind in kinds.items():
        learnt[name] = drawn_scores(rng, size, kind)
        hybrid.add(name, positive, learnt[name], lower_is_positive=bool(rng.random() < 0.2))
    policy, condition = hybrid.policy(salt=f"s'{seed}"), drawn_condition(rng)
    columns = {}
    for name, kind in kinds.items():
        new = np.append(rng.choice(learnt[name], rows // 2), drawn_scores(rng, rows // 2, kind))
        columns[name] = pa.array(new.astype(learnt[name].dtype), mask=rng.random(rows) < 0.02)
    table = pa.table({**columns, "key": [f"k{i}\u00e9" for i in range(rows)]})
    deterministic = bool(rng.random() < 0.3)
    found = policy.decide(table.select(names), condition, key=table["key"], deterministic=deterministic)
    return Attack(policy, condition, deterministic, table, found.tolist())
