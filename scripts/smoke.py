"""Use a little of everything, as one does who installed ``rochull[all]``; run in an empty directory."""

import subprocess
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import duckdb
import matplotlib as mpl
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import rochull as rh

CONDITION = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
COLUMNS = {"label": "class", "pos_label": "bad"}
NAMES = ["logistic", "knn", "boosted"]


def hulls_and_policies(table: dict[str, np.ndarray]) -> None:
    """Hulls, a hybrid, a policy that is saved and read, and calibrators."""
    hybrid = rh.Hybrid.from_table(table, scores=NAMES, **COLUMNS)
    policy = hybrid.policy()
    policy.save("policy.json")
    decided = rh.Policy.load("policy.json").decide(table, CONDITION, key=np.arange(1000))
    assert decided.sum() == policy.decide(table, CONDITION, key=np.arange(1000)).sum() > 0
    assert policy.estimate_prevalence(table).low < 0.3 < policy.estimate_prevalence(table).high
    for calibrator in (rh.PavCalibrator(), rh.LogisticCalibrator(), rh.BetaCalibrator()):
        fitted = calibrator.fit(table["boosted"], table["class"] == "bad")
        fitted.save("calibrator.json")
        loaded = rh.load_calibrator("calibrator.json")
        assert np.array_equal(loaded.posterior(table["boosted"]), fitted.posterior(table["boosted"]))
    interval = rh.bootstrap(table["class"] == "bad", table["boosted"], "auc", n_resamples=50, random_state=0)
    assert interval.low < rh.roc_auc(table["class"] == "bad", table["boosted"]) < interval.high


def scans(table: dict[str, np.ndarray]) -> None:
    """The same hull from memory, Arrow, files and a relation of DuckDB, in which no view of ours stays."""
    expected = rh.roc_hull(table["class"] == "bad", table["boosted"]).thresholds.tolist()
    arrow = pa.table({name: table[name] for name in ("class", "boosted")})
    pq.write_table(arrow, "scores.parquet")
    with duckdb.connect() as connection:
        connection.execute("COPY 'scores.parquet' TO 'scores.csv' (HEADER)")
        connection.execute("CREATE TABLE scores AS FROM 'scores.parquet'")
        for source in (table, arrow, "scores.parquet", connection.table("scores")):
            for engine in ("memory", "duckdb"):
                scan = rh.scan(source, scores="boosted", engine=engine, **COLUMNS)
                assert scan.roc_hulls()["boosted"].thresholds.tolist() == expected, (source, engine)
        scan = rh.scan("scores.csv", scores="boosted", engine="duckdb", **COLUMNS)
        assert abs(float(scan.auc(exact=True)["boosted"]) - 0.776) < 1e-3
        views = connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        assert views == [], f"left in the connection: {views}"
        text = rh.Policy.load("policy.json").to_sql(rh.Accuracy(0.3), "duckdb", deterministic=True)
        pq.write_table(pa.table({name: table[name] for name in NAMES}), "new.parquet")
        rows = connection.execute(f"SELECT {text} FROM 'new.parquet'").fetchall()
    decided = rh.Policy.load("policy.json").decide(table, rh.Accuracy(0.3), deterministic=True)
    assert [row[0] for row in rows] == decided.tolist()


def pages(table: dict[str, np.ndarray]) -> None:
    """A plot, a report in three formats, and the command line."""
    mpl.use("Agg")
    display = rh.plotting.CostCurveDisplay.from_predictions(table["class"], table["boosted"], pos_label="bad")
    display.figure_.savefig("curve.png")
    report = rh.Report(rh.Hybrid.from_table(table, scores=NAMES, **COLUMNS), CONDITION)
    for name in ("report.html", "report.json", "report.txt"):
        report.save(name)
    program = Path(sys.executable).parent / "rochull"
    data = rh.datasets.path("german_credit_scores")
    costs = ["--cost-fp", "1", "--cost-fn", "5", "--prevalence", "0.3"]
    scores = [word for name in NAMES for word in ("--score", name)]
    for arguments in (
        ["report", data, "--label", "class", "--positive", "bad", *scores, *costs, "-o", "again.html"],
        ["decide", "policy.json", data, *costs, "--deterministic", "-o", "decided.parquet"],
        ["sql", "policy.json", *costs, "--deterministic", "--dialect", "postgres"],
    ):
        subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL)
    for name in ("curve.png", "report.html", "report.json", "report.txt", "again.html", "decided.parquet"):
        assert Path(name).stat().st_size > 1000, name


def main() -> None:
    """Run all parts."""
    checkout = Path(__file__).resolve().parent.parent
    assert checkout not in Path(rh.__file__).parents, "this is the checkout, not the wheel"
    warnings.filterwarnings("error", module=r"rochull\b")
    table = rh.datasets.load("german_credit_scores")
    for part in (hulls_and_policies, scans, pages):
        part(table)
    libraries = ("numpy", "scipy", "scikit-learn", "numba", "narwhals", "duckdb", "pyarrow", "sqlglot")
    print("smoke run passed:", ", ".join(f"{name} {version(name)}" for name in libraries))


main()
