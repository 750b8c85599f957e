"""The bootstrap by key: the same however rows are ordered and shared out, and as wide as any bootstrap."""

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import rochull as rh
from profiles import tries
from rochull._core.kernels import poisson as kernels
from rochull._core.key_hashes import key_hashes, replicate_seeds
from rochull.scanning import poisson
from rochull.scanning.engines.memory_table import MemoryTable
from scan_cases import divided, scan_of, table_of
from twins import split_mix, weight_of


def twin(table: Any, replicate: int, seed: int) -> Any:
    """The weight of every row in a replicate."""
    own = split_mix((split_mix(seed) + replicate) % 2**64)
    return np.array([weight_of(split_mix(int(key) ^ own)) for key in key_hashes(table["id"], "id")])


@tries(15)
@given(st.integers(0, 10**6), st.sampled_from([7, 100, 10**6]), st.booleans(), st.integers(0, 2**64 - 1))
def test_rows_in_any_order_give_the_same_numbers(seed: int, chunk: int, weighted: bool, state: int) -> None:
    table = table_of(200, seed, digits=1)
    weight = "w" if weighted else None
    how: Any = {"n_resamples": 40, "random_state": state}
    expected = scan_of(table, key="id", weight=weight).bootstrap_by_key("auc", **how)
    order = np.random.default_rng(seed).permutation(200)
    moved = {name: column[order] for name, column in table.items()}
    with divided(_CHUNK=chunk, SMALL=1 << 15):
        found = scan_of(moved, key="id", weight=weight).bootstrap_by_key("auc", **how)
    assert found.replicates.tolist() == expected.replicates.tolist()
    for r in (0, 39):
        counts = twin(table, r, state) * (table["w"] if weighted else 1)
        area = rh.roc_auc(table["y"], table["x"], sample_weight=counts)
        assert expected.n_redrawn or expected.replicates[r] == pytest.approx(area, rel=1e-12)


def test_texts_are_keys_and_a_shared_key_is_a_cluster() -> None:
    table = table_of(300, digits=1)
    table["id"] = np.array([f"customer {i // 3}" for i in range(300)])
    found = scan_of(table, key="id").bootstrap_by_key(lambda s: s.tally().pos.sum(), n_resamples=50)
    weights = twin(table, 7, 0)
    assert weights.reshape(-1, 3).std(axis=1).max() == 0
    assert found.replicates[7] == (weights * table["y"]).sum()


def test_it_is_as_wide_as_the_bootstrap_of_rows() -> None:
    table = table_of(20_000)
    with divided(_MAX_BUCKETS=1 << 10):
        scan = scan_of(table, max_error=1e-3, key="id", segment="segment")
        found = scan.bootstrap_by_key("auc", n_resamples=400, max_groups=200)
        part = scan.bootstrap_by_key("auc", segment="b", n_resamples=100)
        curve = scan.bootstrap_by_key(lambda s: s.tpr_at(0.2), n_resamples=50, method="basic")
    expected = rh.bootstrap(table["y"], table["x"], n_resamples=400, random_state=1, stratified=False)
    assert found.estimate == pytest.approx(expected.estimate, abs=2.5e-4)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.15)
    assert found.n_groups <= 200
    assert part.standard_error > 1.2 * found.standard_error
    assert curve.low < curve.estimate < curve.high


def test_a_replicate_without_a_class_is_drawn_again_and_counted() -> None:
    table = {"y": [1, 0, 0, 0, 0, 1], "x": [3.0, 2, 1, 0, 5, 4], "id": np.arange(6)}
    scan = scan_of(table, key="id")
    with pytest.warns(UserWarning, match="statistic='auc' has too narrow an interval with 2 of a class"):
        found = scan.bootstrap_by_key("auc", n_resamples=200)
    weights = [twin(table, r, 0) for r in range(200 + found.n_redrawn)]
    good = [w for w in weights if w[[0, 5]].sum() and w[1:5].sum()]
    assert found.n_redrawn > 10
    assert len(good) == 200
    expected = [rh.roc_auc(table["y"], table["x"], sample_weight=w) for w in good]
    assert found.replicates.tolist() == pytest.approx(expected)


def test_a_class_that_is_hardly_ever_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poisson, "_TRIES", 1)
    table = {"y": [1, 0, 0, 0], "x": [3.0, 2, 1, 0], "id": np.arange(4)}
    with pytest.raises(ValueError, match="key: nearly all replicates lack a class"):
        scan_of(table, key="id").bootstrap_by_key("auc", n_resamples=40)


def test_many_replicates_take_several_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(100, digits=0)
    expected = scan_of(table, key="id").bootstrap_by_key("eer", n_resamples=50)
    monkeypatch.setattr(poisson, "_ENTRIES", 300)
    assert scan_of(table, key="id").bootstrap_by_key("eer", n_resamples=50).replicates.tolist() == (
        expected.replicates.tolist()
    )


def test_partial_answers_merge() -> None:
    table = table_of(100, digits=1)
    keys = key_hashes(table["id"], "id")
    thresholds = np.unique(table["x"])
    task = poisson.PoissonCounts(
        thresholds, rh.hull.tally([0, 1], [0.0, 1]).units, replicate_seeds(0, np.arange(5))
    )
    parts = []
    for rows in np.array_split(np.arange(100), 7):
        memory = MemoryTable(table["y"][rows], {"x": table["x"][rows]}, None, keys=keys[rows])
        parts.append(memory.answer({("x", 0): [task]})["x", 0][0])
    whole = MemoryTable(table["y"], {"x": table["x"]}, None, keys=keys).answer({("x", 0): [task]})["x", 0][0]
    assert np.array_equal(task.combine([task.combine(parts[:3]), task.combine(parts[3:])]), whole)
    assert whole[0].sum() == 0
    assert kernels.LIMITS[0] > whole.sum() > 0


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"method": "bca"}, "method='bca' leaves out rows, which are not at hand"),
        ({"random_state": 0.5}, "random_state must"),
        ({"random_state": None}, "random_state must"),
        ({"max_groups": 1}, "max_groups must be an integer of at least 2"),
    ],
)
def test_mistakes_are_one_sentence(how: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        scan_of(table_of(50), key="id").bootstrap_by_key("auc", **({"n_resamples": 40} | how))


def test_a_scan_needs_the_key() -> None:
    with pytest.raises(ValueError, match="key: the scan was made without"):
        scan_of(table_of(50)).bootstrap_by_key("auc")
    with pytest.raises(ValueError, match="key column 'x' must hold integers or strings"):
        scan_of(table_of(50), key="x")


def test_a_table_that_changes_is_refused() -> None:
    table = table_of(100)
    scan = scan_of(table, key="id")
    scan.auc()
    scan._scanned.table._columns["x"] = table["x"] - 10  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match="the source changed between two scans"):
        scan.bootstrap_by_key("auc")
