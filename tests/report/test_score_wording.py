"""How scores lie, in words: of complete curves, of tables that were scanned, and where low scores are positive."""

import numpy as np

import rochull as rh
from rochull.report import Scanned
from rochull.report.score_wording import COLUMNS, scores
from rochull.report.wording import number


def test_a_row_for_each_classifier_with_scores() -> None:
    rng = np.random.default_rng(1)
    y, a = rng.integers(0, 2, 500), rng.integers(0, 400, 500)
    hybrid = rh.Hybrid().add("a", y, a).add("low", y, -a / 8, lower_is_positive=True).add_point("c", 0.1, 0.9)
    facts = rh.Report(hybrid).facts
    columns, rows = scores(facts) or ([], [])
    assert columns == ["classifier", *COLUMNS]
    medians = [np.median(a[y == label]) for label in (0, 1)]
    distinct = len(np.unique(a))
    assert rows == [
        ["a", f"{distinct}", f"{a.min()}", *(f"{m:g}" for m in medians), f"{a.max()}"],
        ["low", f"{distinct}", *(number(-x / 8) for x in (a.max(), *medians, a.min()))],
    ]
    assert facts["classifiers"][2]["scores"] is None
    assert scores(rh.Report(rh.Hybrid().add_point("c", 0.1, 0.9)).facts) is None


def test_of_a_large_scanned_table_the_ends_are_told() -> None:
    """Without another pass: what its thinned curve does not tell is not known."""
    rng = np.random.default_rng(2)
    n = 200_000
    y = rng.integers(0, 2, n)
    table = {"y": y, "a": np.round(rng.normal(y), 9)}
    scan = rh.scan(table, label="y", scores=["a"])
    facts = rh.Report(rh.Hybrid.from_scan(scan), scanned=Scanned(scan)).facts
    assert facts["classifiers"][0]["scores"] is None
    least, greatest = (f"{end:.4g}".replace("-", "−") for end in (table["a"].min(), table["a"].max()))
    assert scores(facts) == (["classifier", *COLUMNS], [["a", "–", least, "–", "–", greatest]])
