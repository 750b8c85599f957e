"""What is read off a scan equals what is computed from the rows, or is as near as it says."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

import rochull as rh
from profiles import tries
from rochull._core.validation import labelled
from rochull.hull import refine
from rochull.hull.tallies import tally_of
from rochull.scanning.engines import duckdb_table, memory_table
from scan_cases import check_curve, divided, scan_of, table_of, tables


@tries(40)
@given(tables(), st.sampled_from([5, 64, 10**6]))
def test_the_area_is_inside_of_its_bounds_and_exact_on_request(rows: tuple[Any, ...], buckets: int) -> None:
    labels, scores, weights, _, _ = rows
    table = {"y": labels, **scores} | ({} if weights is None else {"w": weights})
    with divided(_MAX_BUCKETS=buckets):
        scan = scan_of(table, list(scores), weight=None if weights is None else "w", max_error=0.3)
        bounds, exact = scan.auc(), scan.auc(exact=True)
    for name, column in scores.items():
        expected = rh.roc_auc(labels, column, sample_weight=weights)
        twice, n_pos, n_neg = refine.area_of(tally_of(labelled(labels, column, weights, None)))
        assert Fraction(bounds[name].low) <= Fraction(twice, 2 * n_pos * n_neg) or bounds[name].exact
        assert bounds[name].low <= expected <= bounds[name].high
        assert exact[name].exact
        assert float(exact[name]) == exact[name].low == exact[name].high == expected
    assert scan.auc() == exact  # what is known stays known


def test_an_exact_area_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with divided():
        scan = scan_of(table_of(), segment="segment", max_error=0.3)
        assert not scan.auc()["x"].exact
        asked: list[Any] = []
        found = memory_table.MemoryTable.exact_areas
        monkeypatch.setattr(
            memory_table.MemoryTable,
            "exact_areas",
            lambda self, keys: asked.append(keys) or found(self, keys),
        )
        assert scan.auc(exact=True) == scan.auc(exact=True)
        assert asked == [[("x", 0)]]
        by = scan.auc("segment", exact=True)
    table = table_of()
    for value, areas in by.items():
        rows = table["segment"] == value
        assert float(areas["x"]) == rh.roc_auc(table["y"][rows], table["x"][rows])


@tries(30)
@given(st.integers(0, 1000), st.sampled_from([0, 1, 15]), st.sampled_from([0.3, 0.01, 1e-3, 1e-5, 0.0]))
def test_curves_keep_the_error_that_was_asked_for(seed: int, digits: int, error: float) -> None:
    table = table_of(400, seed, digits)
    with divided():
        scan = scan_of(table, fold="fold", max_error=1e-2)
        blocks = scan.blocks()["x"]
        curve = scan.roc_curves(error)["x"]
        by_fold = scan.roc_curves(error, by="fold")
    full = rh.roc_curve(table["y"], table["x"])
    assert curve.max_error <= error
    check_curve(_Found(curve), full)
    assert scan.reading().blocks.low.tolist() == blocks.low.tolist()
    if error == 0:
        assert curve.score.tolist() == full.score.tolist()
        assert curve.max_error == 0
    for value, curves in by_fold.items():
        rows = table["fold"] == value
        check_curve(_Found(curves["x"]), rh.roc_curve(table["y"][rows], table["x"][rows]))


class _Found:
    """A curve as `check_curve` takes it, of whose area nothing is said."""

    n_neg = n_pos = 10**6
    twice_area = 0, 1, 2 * 10**12

    def __init__(self, curve: rh.hull.RocCurve) -> None:
        self.curve = curve


def test_a_complete_curve_is_thinned_only_where_that_was_asked_for() -> None:
    scan = scan_of(table_of())
    assert len(scan.roc_curves()["x"]) == 3001
    assert len(scan.roc_curves(0)["x"]) == 3001
    assert len(scan.roc_curves(0.1)["x"]) < 30
    assert scan.tallies()["x"].pos_units.sum() == table_of()["y"].sum()
    assert scan.tallies(0.1)["x"].score.size == len(scan.roc_curves(0.1)["x"]) - 1


def test_the_error_is_kept_to_the_last_bit() -> None:
    with divided():
        scan = scan_of(table_of(), max_error=0.0814)
        assert 0.0814 + (0.3828 - 0.0814) > 0.3828
        assert 0.382 < scan.roc_curves(0.3828)["x"].max_error <= 0.3828


def test_a_finer_curve_takes_another_scan_once(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[Any] = []
    answer = memory_table.MemoryTable.answer
    monkeypatch.setattr(
        memory_table.MemoryTable, "answer", lambda self, tasks: passes.append(tasks) or answer(self, tasks)
    )
    with divided():
        scan = scan_of(table_of(), max_error=0.1)
        scan.roc_curves(0.1)
        first = len(passes)
        assert scan.roc_curves(0.01)["x"].max_error == 0.01
        second = len(passes)
        scan.roc_curves(0.01)
        scan.roc_hulls()
    assert second > first
    assert len(passes) == second


def test_a_complete_curve_must_fit() -> None:
    with divided():
        scan = scan_of(table_of())
        scan.roc_curves()
        scan._scanned.table.limit = 1000
        with pytest.raises(MemoryError, match="score column 'x', all rows: it has more than 1,000 rows"):
            scan.roc_curves(0)


def test_a_table_that_changed_has_no_complete_curve() -> None:
    with divided():
        scan = scan_of(table_of())
        scan.auc()
        scan._scanned.table._positive = 1 - scan._scanned.table._positive  # type: ignore[attr-defined]
        with pytest.raises(RuntimeError, match="the source changed between two scans"):
            scan.roc_curves(0)


def test_counts_and_rows_that_weigh() -> None:
    table = table_of()
    scan = scan_of(table, segment="segment", fold="fold", weight="w")
    assert scan.counts() == (int((~table["y"]).sum()), int(table["y"].sum()))
    assert scan.counts("fold")[3] == scan.reading(fold=3).rows
    held = table["w"] > 0
    assert scan.weighing() == (int((held & ~table["y"]).sum()), int((held & table["y"]).sum()))
    of = held & (table["segment"] == "a")
    assert scan.weighing(segment="a") == (int((of & ~table["y"]).sum()), int((of & table["y"]).sum()))
    assert scan_of(table).weighing() == scan.counts()


def test_examples_stand_for_the_rows() -> None:
    table = table_of(digits=2)
    scores, labels, weights = scan_of(table, weight="w").examples("x")
    assert rh.roc_auc(labels, scores, sample_weight=weights) == rh.roc_auc(
        table["y"], table["x"], sample_weight=table["w"]
    )
    calibrator = rh.LogisticCalibrator().fit(scores, labels, sample_weight=weights)
    expected = rh.LogisticCalibrator().fit(table["x"], table["y"], sample_weight=table["w"])
    assert calibrator.slope_ == pytest.approx(expected.slope_, rel=1e-9)


def test_the_bootstrap_of_a_complete_column_is_that_of_its_rows() -> None:
    table = table_of(400, digits=2)
    scan = scan_of(table, fold="fold")
    for statistic in ("auc", "eer", lambda s: s.tpr_at(0.1)):
        found = scan.bootstrap(statistic, n_resamples=60, random_state=3)
        expected = rh.bootstrap(table["y"], table["x"], statistic, n_resamples=60, random_state=3)
        assert found.replicates.tolist() == expected.replicates.tolist()
        assert (found.low, found.high) == (expected.low, expected.high)
        assert found.in_sample == expected.in_sample
    rows = table["fold"] == 2
    how: dict[str, Any] = {"n_resamples": 60, "method": "bca", "random_state": 3}
    with pytest.warns(UserWarning, match="statistic='auc' has too narrow an interval with 17 of a class"):
        found = scan.bootstrap("auc", fold=2, **how)
    with pytest.warns(UserWarning, match="statistic='auc' has too narrow an interval with 17 of a class"):
        expected = rh.bootstrap(table["y"][rows], table["x"][rows], "auc", **how)
    assert (found.low, found.high) == (expected.low, expected.high)


def test_the_bootstrap_of_a_thinned_column_is_near_that_of_its_rows() -> None:
    table = table_of(20_000)
    with divided(_MAX_BUCKETS=1 << 10):
        scan = scan_of(table, max_error=1e-3)
        found = scan.bootstrap("auc", n_resamples=400, random_state=0)
        merged = scan.bootstrap("auc", n_resamples=50, max_groups=100, random_state=0)
    expected = rh.bootstrap(table["y"], table["x"], n_resamples=400, random_state=1)
    assert found.estimate == pytest.approx(expected.estimate, abs=2.5e-4)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.15)
    assert merged.n_groups <= 100


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda s: s.roc_hulls("class"), "by must be None, 'segment' or 'fold', but is 'class'"),
        (lambda s: s.roc_hulls("fold"), "by='fold': the scan was made without fold"),
        (lambda s: s.reading("q"), "score='q' is not one of 'x', 'z'"),
        (lambda s: s.reading(), "score=None is not one of 'x', 'z'"),
        (lambda s: s.reading("x", segment="q"), "segment='q' is not one of '</b>', 'a', 'b'"),
        (lambda s: s.reading("x", segment="a", fold=1), "a scan has no folds of its segments"),
        (lambda s: s.roc_curves(2), "max_error must"),
        (lambda s: s.roc_curves(-1), "max_error must"),
        (lambda s: s.bootstrap("auc", "x", n_resamples=1), "n_resamples must be an integer of at least 2"),
        (lambda s: s.bootstrap("auc", "x", max_groups=1), "max_groups must be an integer of at least 2"),
        (lambda s: s.bootstrap("area", "x"), "statistic must be a function or one of"),
    ],
)
def test_mistakes_are_one_sentence(act: Any, says: str) -> None:
    scan = scan_of(table_of(300), ["x", "z"], segment="segment")
    with pytest.raises(ValueError, match=says):
        act(scan)


def test_a_group_of_one_class_is_named() -> None:
    table = {"y": [0, 1, 0, 0], "x": [1.0, 2, 3, 4], "segment": ["a", "a", "b", "b"]}
    scan = scan_of(table, segment="segment")
    for act in (scan.roc_hulls, scan.roc_curves, scan.auc, scan.tallies):
        with pytest.raises(ValueError, match=r"score column 'x', segment 'b': .* all examples are negative"):
            act(by="segment")
    assert scan.tally("x", segment="b").neg_units.tolist() == [1, 1]
    assert len(scan.blocks("segment")["b"]["x"]) == 1
    with pytest.raises(ValueError, match=r"segment 'c': .* all examples are positive"):
        scan_of(table | {"y": [0, 1, 1, 0], "segment": ["a", "c", "a", "a"]}, segment="segment").auc(
            "segment"
        )
    with divided():
        scan = scan_of(table, segment="segment", max_error=0.5)
        assert scan.tally("x", segment="b", max_error=0).score.tolist() == [4, 3]


def test_weights_are_not_told_apart() -> None:
    scan = scan_of(table_of(300), weight="w")
    with pytest.raises(ValueError, match="the rows have weights, which groups do not tell apart"):
        scan.bootstrap("auc")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_passes_do_not_grow_with_the_segments(
    engine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many small segments all is collected in one pass, whatever their number; it asks for each by its value."""
    passes: list[int] = []
    for kind in (duckdb_table.DuckDBTable, memory_table.MemoryTable):
        answer = kind.answer
        monkeypatch.setattr(
            kind,
            "answer",
            lambda self, tasks, answer=answer: passes.append(len(tasks)) or answer(self, tasks),
        )
    rng = np.random.default_rng(0)
    n = 6000
    y, seg = rng.integers(0, 2, n), rng.permutation(n) % 300 - 100
    table = {
        "y": y,
        "x": np.round(rng.normal(y), 2),
        "seg": seg,
        "word": np.array([f"it's {s}" for s in seg]),
    }
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    source = tmp_path / "t.parquet"
    for segment in ("seg", "word"):
        scan = rh.scan(source, label="y", scores="x", segment=segment, engine=engine)
        model = rh.ErrorRedistribution("pav", shrinkage=0, min_bin=1).fit_scan(scan)
        assert passes == [2]  # tasks: of all rows, and of all segments together
        passes.clear()
        assert len(model.segments_) == 300
        found = scan.roc_hulls(by="segment")
        assert found is not None
        for value in scan.counts("segment"):
            own = table[segment] == value
            hull = rh.roc_hull(y[own], table["x"][own])
            assert np.array_equal(found[value]["x"].thresholds, hull.thresholds)
            assert np.array_equal(found[value]["x"].fp, hull.fp)
    assert not passes
