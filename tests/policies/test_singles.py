"""Single rules between the vertices, which a policy holds where it is told them: here and in other processes."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull._core.schemas import checksum

ROUGH = rh.ExpectedCost(cost_fp=1, cost_fn=(3, 8), prevalence=(0.2, 0.4))
KINDS: dict[str, Any] = {
    "float64": lambda s: s,
    "float32": lambda s: s.astype(np.float32),
    "integers": lambda s: np.round(50 * s).astype(np.int64),
    "beyond 2**53": lambda s: np.round(50 * s).astype(np.int64) + 2**60,
    "uint64": lambda s: np.round(50 * s + 500).astype(np.uint64) + np.uint64(2**63),
}


def hybrid_of(seed: int, kind: str = "float64", **options: Any) -> tuple[rh.Hybrid, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    y = rng.random(300) < 0.3
    scores = {name: KINDS[kind](rng.normal(size=y.size) + more * y) for name, more in (("a", 1.2), ("b", 1))}
    hybrid = rh.Hybrid()
    for name, column in scores.items():
        hybrid.add(name, y, column, **options)
    return hybrid, scores


@pytest.mark.parametrize("kind", KINDS)
def test_it_decides_by_the_rule_of_the_hybrid(kind: str) -> None:
    hybrid, scores = hybrid_of(3, kind)
    limit = rh.NeymanPearson(0.13)
    singles = [hybrid.regret(ROUGH).least_worst_single.point, hybrid.at(limit, deterministic=True)]
    assert all(point is not None and point.source == "curve" for point in singles)
    policy = hybrid.policy(singles=singles)
    loaded = rh.Policy.from_json(policy.to_json())
    assert loaded.to_json() == policy.to_json()
    for made in (policy, loaded):
        assert made.at(ROUGH, True, minimax=True) == singles[0]
        assert made.at(limit, True) == singles[1]
        assert made.at(limit) == hybrid.at(limit)
        assert made.at(ROUGH, minimax=True) == hybrid.policy().at(ROUGH, minimax=True)
        found = made.decide(scores, ROUGH, minimax=True, deterministic=True)
        assert np.array_equal(found, made.decide(scores, singles[0]))
    assert hybrid.policy().at(ROUGH, True, minimax=True) == singles[0]  # it holds all of them


def test_low_scores_and_weights() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    weight = rng.integers(1, 9, y.size) / 8
    distance = np.round(rng.normal(size=y.size) - y, 2)
    hybrid = rh.Hybrid().add("d", y, distance, lower_is_positive=True, sample_weight=weight)
    single = hybrid.at(rh.NeymanPearson(0.13), deterministic=True)
    loaded = rh.Policy.from_json(hybrid.policy(singles=[single]).to_json())
    assert loaded.at(rh.NeymanPearson(0.13), True) == single
    assert "<=" in str(single)


def test_a_classifier_below_the_hull_may_have_one() -> None:
    y = np.repeat([1, 0], 10)
    hybrid = rh.Hybrid().add("good", y, np.append(np.full(10, 2.0), np.append([2.0], np.ones(9))))
    hybrid.add("fine", y, np.append(np.linspace(9, 2, 10), np.append(5.5, np.ones(9))))
    limit = rh.NeymanPearson(0)
    single = hybrid.at(limit, deterministic=True)
    policy = hybrid.policy(singles=[single, single])
    assert policy.classifiers == tuple(dict.fromkeys((*hybrid.policy().classifiers, *single.classifiers)))
    assert rh.Policy.from_json(policy.to_json()).at(limit, True) == single


def test_one_hull_without_a_name() -> None:
    rng = np.random.default_rng(5)
    y = rng.random(200) < 0.3
    hull = rh.RocHull.from_curve(rh.roc_curve(y, rng.normal(size=200) + y))
    single = hull.at(rh.NeymanPearson(0.13), deterministic=True)
    policy = rh.Policy.from_hull(hull, singles=[single])
    assert policy.at(rh.NeymanPearson(0.13), True).rules[0][0] == single.rules[0][0].named("score")


def test_vertices_and_constants_are_there_already() -> None:
    hybrid, _ = hybrid_of(0)
    points = [hybrid.at(rh.Accuracy(0.3)), hybrid.at(rh.ExpectedCost(1, 0, 0.3))]
    assert hybrid.policy(singles=points).to_json() == hybrid.policy().to_json()


def test_what_is_no_single_rule() -> None:
    hybrid, _ = hybrid_of(0)
    with pytest.raises(ValueError, match="is a mixture; give points of a single rule"):
        hybrid.policy(singles=[hybrid.at(rh.NeymanPearson(0.13))])
    with pytest.raises(ValueError, match=r"singles must be operating points, but one is 0\.5"):
        hybrid.policy(singles=[0.5])  # type: ignore[list-item]
    strange = rh.conditions.OperatingPoint(0.1, 0.5, ((rh.conditions.Rule("threshold", "a", 0.123), 1.0),))
    with pytest.raises(ValueError, match=r"no curve of the hull has the rule 'a >= 0\.123'"):
        hybrid.policy(singles=[strange])


def test_what_no_document_holds() -> None:
    hybrid, _ = hybrid_of(3)
    point = hybrid.regret(ROUGH).least_worst_single.point
    assert point is not None
    found = hybrid.policy(singles=[point]).to_dict()
    own = found["singles"][0]
    lower = {**own["rules"][0], "threshold": own["rules"][0]["threshold"] - 1}
    for singles, message in (
        ([{**own, "fp": found["n_neg"] + 1}], "single rule 0 is beyond the totals"),
        ([{**own, "rules": own["rules"] * 2}], "single rule 0 is not one threshold"),
        ([{**own, "rules": [{"kind": "never"}]}], "single rule 0 is not one threshold"),
        ([own, {**own, "rules": [lower], "tp": own["tp"] - 1}], "do not ascend"),
    ):
        document = {**found, "singles": singles}
        with pytest.raises(rh.PolicyError, match=message):
            rh.Policy.from_dict({**document, "checksum": checksum(document)})


def test_another_process_decides_alike(tmp_path: Path) -> None:
    hybrid, scores = hybrid_of(3)
    single = hybrid.regret(ROUGH).least_worst_single.point
    policy = hybrid.policy(singles=[single])
    policy.save(tmp_path / "p.json")
    np.savez(tmp_path / "s.npz", **scores)
    code = (
        "import numpy as np, rochull as rh\n"
        "rough = rh.ExpectedCost(cost_fp=1, cost_fn=(3, 8), prevalence=(0.2, 0.4))\n"
        "scores = dict(np.load('s.npz'))\n"
        "print(rh.Policy.load('p.json').decide(scores, rough, minimax=True, deterministic=True).sum())"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=True)
    assert int(ran.stdout) == policy.decide(scores, single).sum()


@pytest.mark.parametrize("seed", range(3))
def test_either_all_are_held_or_none(seed: int) -> None:
    """Ties are common, so that rules of one curve give way to those of another, and to vertices."""
    hybrid, _ = hybrid_of(seed, "integers")
    every = hybrid.policy().hull.curves
    size = sum(curve.score.size - 1 for curve in every.values())
    assert hybrid.policy(most=size).to_json() == hybrid.policy().to_json()
    assert not hybrid.policy(most=size - 1).hull.curves
