"""``rochull decide`` and ``rochull sql`` of every policy that the command line writes, from report to database."""

from __future__ import annotations

import csv
import json
import re
import warnings
from collections.abc import Callable
from contextvars import Context
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

import rochull as rh
from command_line import GERMAN, LABEL, Run, saved_policy
from rochull._core.table_files import read_columns
from rochull.cli.statuses import Status
from rochull.scanning.engines import duckdb_rows

SEGMENTED = ["--fraction", "0.1", "--prevalence", "0.3"]
SCORES = rh.datasets.load("german_credit_scores")["boosted"]
PLACES = ["--column", "bus=p_bus", "--column", "saab=p_saab", "--column", "van=p_van"]


def written(path: Path, columns: dict[str, Any]) -> str:
    """Columns as a file, CSV or Parquet; None is a null."""
    import pyarrow as pa

    table = pa.table(columns)
    getattr(duckdb.from_arrow(table), f"write_{path.suffix[1:]}")(str(path))
    return str(path)


class Kept(dict[str, bytes]):
    """The files that a fixture has made for the first test; the others get copies."""

    def into(self, place: Path, make: Callable[[], None]) -> None:
        if not self:
            make()
            self.update({path.name: path.read_bytes() for path in place.iterdir()})
        for name, content in self.items():
            (place / name).write_bytes(content)


@pytest.fixture(scope="module")
def kept() -> dict[str, Kept]:
    return {"segmented": Kept(), "several": Kept()}


@pytest.fixture
def segmented(run: Run, tmp_path: Path, kept: dict[str, Kept]) -> tuple[str, str]:
    """The path of a policy by country, as report writes it, and that of new cases."""

    def make() -> None:
        rng = np.random.default_rng(0)
        y, country = rng.integers(0, 2, 900), rng.choice(["DE", "FR", "US"], 900)
        score = np.round(rng.normal(size=900) + y * (1 + (country == "FR")), 2)
        examples = {"y": y, "gbm": score, "country": country}
        table = written(tmp_path / "examples.csv", examples)
        words = ["--label", "y", "--score", "gbm", "--segment", "country", "--policy", "policy.json"]
        done = run("report", table, *words, "--max-fpr", "0.1")
        assert done.status == 0, done.err
        assert "The policy has thresholds of 'gbm' by 'country'." in done.out
        assert "Page and headline are of one cut-off for all" in done.out
        assert max(map(len, done.out.splitlines())) <= 80
        cases = {
            "id": [f"0{i}" for i in range(300)],
            "gbm": [None, *np.round(rng.normal(size=299), 2).tolist()],
            "country": [*rng.choice(["DE", "FR", "US"], 298).tolist(), "PL", None],
        }
        written(tmp_path / "cases.csv", cases)

    kept["segmented"].into(tmp_path, make)
    return "policy.json", str(tmp_path / "cases.csv")


@pytest.mark.parametrize("how", [SEGMENTED, ["--cost-fn", "2:6", "--prevalence", "0.3", "--minimax"]])
def test_segments_from_report_to_sql(run: Run, segmented: tuple[str, str], how: list[str]) -> None:
    policy, cases = segmented
    loaded = rh.segments.SegmentPolicy.load(policy)
    assert loaded.classifiers == ("gbm",)
    found = {}
    for engine in ("memory", "duckdb"):
        out = f"{engine}.csv"
        done = run("decide", policy, cases, *how, "--key", "id", "-o", out, "--engine", engine)
        assert done.status == 0, done.err
        assert "2 of 300 cases have values never seen in training; the rule for cases elsewhere" in done.err
        assert "scores['gbm'] has 1 missing values" in done.err
        assert max(map(len, done.out.splitlines())) <= 80
        found[engine] = Path(out).read_text(encoding="utf-8")
    assert found["memory"] == found["duckdb"]
    columns = read_columns(
        cases, ["id", "gbm", "country"], missing=["gbm", "country"], text=["id", "country"]
    )
    condition: Any = rh.Capacity(fraction=0.1, prevalence=0.3)
    if "--minimax" in how:
        condition = rh.ExpectedCost(1, (2, 6), 0.3)
    minimax = "--minimax" in how
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what the command line says of them is tested above
        decided = loaded.decide(columns, condition, key="id", minimax=minimax)
    status, text, _ = run("sql", policy, "--dialect", "duckdb", *how, "--key", "id")
    assert status == 0
    assert text == loaded.to_sql(condition, "duckdb", key="id", minimax=minimax) + "\n"
    query = f"SELECT decision, {text} AS ours FROM read_csv('memory.csv', types = {{'id': 'VARCHAR'}})"
    answer = duckdb.sql(query).fetchnumpy()
    assert answer["decision"].tolist() == answer["ours"].tolist() == decided.tolist()
    assert 0 < decided.sum() < decided.size


def test_segments_in_columns_of_other_names_and_types(
    run: Run, segmented: tuple[str, str], tmp_path: Path
) -> None:
    policy, _ = segmented
    table = written(tmp_path / "t.parquet", {"s": [1.5, -2.0], "land": ["DE", "FR"], "code": [1, 2]})
    how = ["--max-fpr", "0.1", "--deterministic", "--column", "gbm=s", "-o", "o.parquet"]
    for engine in ("memory", "duckdb"):
        done = run("decide", policy, table, *how, "--column", "country=land", "--engine", engine)
        assert done.status == 0, done.err
        assert "Positive: 1 of 2 cases (50.0%)" in done.out
        done = run("decide", policy, table, *how, "--column", "country=code", "--engine", engine)
        assert done.status == 1
        assert "held texts in training, but holds numbers now" in done.err
    status, text, _ = run("sql", policy, "--dialect", "duckdb", *how[:-2], "--column", "country=land")
    assert (status, '"land" IN' in text, '"s" >=' in text) == (0, True, True)


def test_so_many_cases_of_segments(run: Run, segmented: tuple[str, str]) -> None:
    done = run("decide", *segmented, "--cases", "20", "--key", "id", "-o", "o.csv")
    assert "Positive: 20 of 300 cases (6.7%)" in done.out
    found = read_columns("o.csv", ["decision", "rank"])
    assert (found["decision"] == (found["rank"] <= 20)).all()
    assert sorted(found["rank"].tolist()) == list(range(1, 301))


def test_so_many_cases_of_each_segment(run: Run, segmented: tuple[str, str]) -> None:
    wanted: dict[Any, int] = {"country = DE": 7, "country = FR": 0, "country = US": 500, None: 1}
    typed = [f"--cases-of={name or 'elsewhere'}={count}" for name, count in wanted.items()]
    done = run("decide", *segmented, *typed, "--prevalence", "0.3", "--key", "id", "-o", "o.csv")
    assert done.status == 0, done.err
    told = "at most 7 of country = DE, 0 of country = FR, 500 of country = US, 1 of cases elsewhere flagged"
    assert f"Condition: {told}" in " ".join(done.out.split())
    assert max(map(len, done.out.splitlines())) <= 80
    columns = read_columns(
        segmented[1], ["id", "gbm", "country"], missing=["gbm", "country"], text=["id", "country"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        twin = rh.segments.SegmentPolicy.load(segmented[0]).rank(columns, wanted, key="id", prevalence=0.3)
    found = read_columns("o.csv", ["decision", "rank", "probability"])
    assert found["decision"].tolist() == twin.called.tolist()
    assert found["rank"].tolist() == twin.rank.tolist()
    assert found["probability"] == pytest.approx(twin.probability)
    called = {
        name: int(found["decision"][columns["country"] == name].sum()) for name in ("DE", "FR", "US", "PL")
    }
    assert called["DE"] == 7
    assert called["FR"] == 0
    assert called["US"] == (columns["country"] == "US").sum()
    assert found["decision"].sum() == 8 + called["US"]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["DE=7", "DE=8"], 2, "--cases-of says twice how many cases of 'DE'."),
        (["DE"], 2, "--cases-of must be SEGMENT=NUMBER, a whole number of cases, but is 'DE'."),
        (["DE=1.5"], 2, "a whole number of cases, but is 'DE=1.5'."),
        (["PL=1"], 1, "--cases-of: 'PL' is not a segment of the policy, which has 'country = DE', "),
        (
            ["country = DE=1", "country = FR=1"],
            1,
            "--cases-of: how many cases of the segment 'country = US' are called positive is not said.",
        ),
    ],
)
def test_numbers_of_cases_that_cannot_be_meant(
    run: Run, segmented: tuple[str, str], words: list[str], status: int, message: str
) -> None:
    done = run("decide", *segmented, *(f"--cases-of={word}" for word in words), "-o", "o.csv")
    assert (done.status, message in done.err) == (status, True), done.err
    assert not Path("o.csv").exists()


def test_numbers_of_cases_by_segment_stand_alone(run: Run, segmented: tuple[str, str]) -> None:
    every = [f"--cases-of={name}=1" for name in ("country = DE", "country = FR", "country = US", "elsewhere")]
    for words, message in (
        (["--max-fpr", "0.1"], "--cases-of and --max-fpr are different conditions"),
        (["--cases", "5"], "--cases-of and --cases are different conditions"),
        (["--deterministic"], "--deterministic has no effect on --cases-of"),
        (["--minimax"], "--minimax has no effect without an interval"),
        (["--engine", "duckdb"], "--cases-of needs all rows in memory"),
        (["--prevalence", "estimate"], "needs a policy of one threshold for all"),
    ):
        done = run("decide", *segmented, *every, *words, "-o", "o.csv")
        assert (done.status, message in done.err) == (2, True), done.err
    rh.Policy.from_hull(rh.roc_hull([0, 1], [0, 1]).named("gbm")).save("one.json")
    done = run("decide", "one.json", segmented[1], *every, "-o", "o.csv")
    assert "--cases-of is for a policy by segment, which this one is not." in done.err


def test_a_scan_writes_the_policy_of_its_segments_too(run: Run, segmented: tuple[str, str]) -> None:
    words = ["--label", "y", "--score", "gbm", "--segment", "country", "--policy", "scanned.json"]
    done = run("report", "examples.csv", *words, "--max-fpr", "0.1", "--engine", "duckdb")
    assert done.status == 0, done.err
    assert rh.segments.SegmentPolicy.load("scanned.json").segments == (
        rh.segments.SegmentPolicy.load(segmented[0]).segments
    )


# --- several classes ---------------------------------------------------------------------------------


@pytest.fixture
def several(run: Run, tmp_path: Path, kept: dict[str, Kept]) -> tuple[str, str]:
    """The path of a policy of three classes, as multiclass writes it, and that of its table."""

    def make() -> None:
        rng = np.random.default_rng(1)
        true = rng.integers(0, 3, 300)
        outputs = rng.gamma(1.0 + 2 * np.eye(3)[true])
        outputs /= outputs.sum(axis=1, keepdims=True)
        names = np.array(["bus", "saab", "van"])
        columns = {f"p_{name}": outputs[:, c] for c, name in enumerate(names)}
        table = written(tmp_path / "classes.csv", columns | {"kind": names[true]})
        scores = [word for name in names for word in ("--score", f"{name}=p_{name}")]
        done = run(
            "multiclass", table, "--label", "kind", *scores, "--starts", "2", "--policy", "several.json"
        )
        assert done.status == 0, done.err

    kept["several"].into(tmp_path, make)
    return "several.json", str(tmp_path / "classes.csv")


CHOICES: dict[str, tuple[list[str], Callable[[rh.multiclass.MulticlassPolicy], Any]]] = {
    "objective": (["--minimise", "error-rate"], lambda p: p.at(rh.multiclass.ErrorRate())),
    "limit": (
        ["--limit", "error(van)<=0.3"],
        lambda p: p.at("max_error", [rh.multiclass.Error("van") <= 0.3]),
    ),
    "weights": (["--weights", "1,2,0.5"], lambda p: [1, 2, 0.5]),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_several_classes_from_search_to_sql(run: Run, several: tuple[str, str], choice: str) -> None:
    policy, table = several
    words, condition = CHOICES[choice]
    loaded = rh.multiclass.MulticlassPolicy.load(policy)
    columns = {name: f"p_{name}" for name in loaded.classes}
    held = read_columns(table, [*columns.values()])
    expected = loaded.decide(held, condition(loaded), columns=columns).tolist()
    for engine in ("memory", "duckdb"):
        done = run("decide", policy, table, *words, *PLACES, "-o", "o.csv", "--engine", engine)
        assert (done.status, done.err) == (0, "")
        assert max(map(len, done.out.splitlines())) <= 80
        assert f"Called bus: {expected.count('bus')} of 300 cases" in done.out
        assert read_columns("o.csv", ["decision"])["decision"].tolist() == expected
    status, text, _ = run("sql", policy, "--dialect", "duckdb", *words, *PLACES)
    assert status == 0
    answer = duckdb.sql(f"SELECT {text} AS ours FROM '{table}'").fetchnumpy()["ours"]
    assert answer.tolist() == expected
    assert len(set(expected)) == 3


def test_limits_of_several_classes_and_whether_they_are_kept_are_said(
    run: Run, several: tuple[str, str]
) -> None:
    policy, table = several
    limits = ["--limit", "error(van)<=0.3", "--limit", "called(bus,saab)<=0.5"]
    done = run("decide", policy, table, "--minimise", "max-error", *limits, *PLACES, "-o", "o.csv")
    limited = [rh.multiclass.Error("van") <= 0.3, rh.multiclass.Cell("bus", "saab") <= 0.5]
    found = rh.multiclass.MulticlassPolicy.load(policy).at("max_error", limited).confusion
    rates, called = found / found.sum(axis=1, keepdims=True), found.sum(axis=0) / found.sum()
    names, lines = ("bus", "saab", "van"), done.out.splitlines()
    assert lines[0].startswith("Condition: least largest error of any class, error of van <= 0.3, bus called")
    assert (
        f"Errors in-sample: {', '.join(f'{c} {1 - rates[i, i]:.4g}' for i, c in enumerate(names))}" in lines
    )
    assert f"Limit: error of van <= 0.3, in-sample {1 - rates[2, 2]:.4g}" in lines
    assert f"Limit: bus called saab <= 0.5, in-sample {rates[0, 1]:.4g}" in lines
    for i, name in enumerate(names):
        (line,) = [line for line in lines if line.startswith(f"Called {name}: ")]
        assert line.endswith(f"; in-sample {100 * called[i]:.1f}%")


def test_an_objective_of_several_classes_is_named_in_words(run: Run, several: tuple[str, str]) -> None:
    done = run("decide", *several, "--minimise", "max-error", *PLACES, "-o", "o.csv", "--json")
    assert json.loads(done.out)["condition"] == "least largest error of any class"


def test_outputs_that_are_missing_are_refused_by_every_engine(
    run: Run, several: tuple[str, str], tmp_path: Path
) -> None:
    table = written(tmp_path / "holes.csv", {"bus": [0.5, None], "saab": [0.3, 0.1], "van": [0.2, 0.1]})
    for engine, said in (
        ("memory", "has 1 NaN, the first in row 1"),
        ("duckdb", "1 of 2 cases have an output that"),
    ):
        done = run("decide", several[0], table, "--weights", "1,1,1", "-o", "o.csv", "--engine", engine)
        assert done.status == 1
        assert said in done.err
        assert not Path("o.csv").exists()


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--max-fpr", "0.1"], 2, "--max-fpr is for policies of two classes, and this one has 3"),
        (["--minimise", "error(vam)"], 2, "Did you mean 'van'?"),
        (["--weights", "1,2"], 2, "--weights must be 3 numbers, for the classes bus, saab, van"),
        (["--weights", "1,1,1", "--minimise", "cost"], 2, "--minimise has no effect with --weights"),
        (["--weights", "1,1,1", "--weights", "1,2,1"], 2, "--weights must be given once"),
        (
            ["--weights", "1,1,1", "--deterministic"],
            2,
            "--deterministic has no effect on a policy of several",
        ),
        (["--limit", "error(van)<=0.1", "--limit", "error(van)>=0.9"], 1, "is within all limits"),
    ],
)
def test_what_several_classes_refuse(
    run: Run, several: tuple[str, str], words: list[str], status: int, message: str
) -> None:
    done = run("sql", several[0], "--dialect", "duckdb", *words)
    assert (done.status, done.out) == (status, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_what_two_classes_refuse(run: Run, segmented: tuple[str, str]) -> None:
    policy, cases = segmented
    for words, message in (
        (["--minimise", "max-error"], "--minimise is for policies of several classes"),
        (["--max-fpr", "0.1", "--minimax"], "--minimax has no effect without an interval"),
        (["--cost-fn", "2:5", "--prevalence", "estimate", "--minimax"], "needs a policy of one threshold"),
    ):
        done = run("decide", policy, cases, *words, "-o", "o.csv")
        assert done.status == 2
        assert message in done.err
    done = run("decide", policy, cases, "--cost-fn", "2:5", "--prevalence", "0.2", "-o", "o.csv")
    assert done.status == 1
    assert "--minimax decides by the rule that risks least" in done.err


# --- files as people have them -----------------------------------------------------------------------


def test_columns_are_told_apart_as_the_header_does(run: Run, tmp_path: Path) -> None:
    rows = ['"name, first";y;s', *(f'"a;b";{i % 2};{i % 7}' for i in range(40))]
    for mark in ";\t|":
        path = tmp_path / f"t{ord(mark)}.csv"
        path.write_text("\n".join(rows).replace('"a;b"', "ab").replace(";", mark) + "\n", encoding="utf-8")
        for engine in ("memory", "duckdb"):
            done = run(
                "report", str(path), "--label", "y", "--score", "s", "--policy", "p.json", "--engine", engine
            )
            assert done.status == 0, done.err
            how = ["--max-fpr", "0.3", "--deterministic", "--engine", engine]
            done = run("decide", "p.json", str(path), *how, "-o", "o.csv")
            assert done.status == 0, done.err
            header = Path("o.csv").read_text(encoding="utf-8").splitlines()[0]
            assert header.replace('"', "") == mark.join(["name, first", "y", "s", "decision"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "'t.csv' is empty, without even a header."),
        (b"\n \n", "'t.csv' is empty, without even a header."),
        (b"\r\ny,s\n1,2\n0,3\n", "'t.csv' begins with an empty line, but the first line must name the col"),
        (b" \n\ny,s\n1,2\n0,3\n", "begins with an empty line"),
        (b"y,s\n", "'t.csv' has no rows"),
        (b"y,s\n1,2\n1,3\n", "has one class only: all 2 labels are positive."),
        (b"y^s\n1^2\n0^3\n", "has no column 'y' (a comma, semicolon, tab or bar tells columns apart)"),
        ("y,s\n1,2\n0,3\n".encode("utf-16"), "is not UTF-8 text, but UTF-16"),
        (
            "y,s\n1,2\n0,3\n".encode("utf-16-be"),
            "is not UTF-8 text, but UTF-16: write it anew as UTF-8, such",
        ),
        ("y,s,n\n1,2,ä\n0,3,b\n".encode("cp1252"), "not UTF-8 text; if it comes from Windows it is cp1252"),
        ("y,s,n\n1,2,ä\n0,3,b\n".encode("cp1252"), "such as by iconv -f cp1252 -t UTF-8 OLD.csv > NEW.csv."),
        (b"y;s\n1;0,2\n0;0,3\n", "holds '0,2', a decimal comma: write numbers with a point."),
        (
            b"y,s\na,2\nb,3\nc,3\n",
            "must have two classes, but has 3: 'a', 'b', 'c'. rochull multiclass takes",
        ),
        (b"y,S\n1,2\n0,3\n", "has no column 's'; it has 'y', 'S'. Did you mean 'S'?"),
    ],
)
def test_bad_files_are_named_in_a_line(run: Run, content: bytes, message: str) -> None:
    Path("t.csv").write_bytes(content)
    done = run("report", "t.csv", "--label", "y", "--score", "s")
    assert (done.status, done.out) == (1, "")
    assert message in done.err
    assert done.err.count("\n") == 1


RANGE = ["--cost-fn", "3:8", "--prevalence", "0.2:0.4"]


@pytest.mark.parametrize("typed", [[*RANGE, "--minimax"], ["--max-fpr", "0.15"]], ids=["range", "limit"])
def test_the_single_threshold_of_the_report_is_the_one_that_decides(run: Run, typed: list[str]) -> None:
    """Between two vertices too: the policy of a report with a condition holds it."""
    own = [word for word in typed if word != "--minimax"]
    names = ["naive_bayes", "logistic"]
    scores = [word for name in names for word in ("--score", name)]
    made = run("report", GERMAN, *LABEL, *scores, "--policy", "p.json", *own)
    assert made.status == 0, made.err
    hybrid = rh.Hybrid.from_table(GERMAN, label="class", scores=names, pos_label="bad")
    rough = rh.ExpectedCost(1, (3, 8), (0.2, 0.4))
    if "--minimax" in typed:
        best = hybrid.regret(rough).least_worst_single.point
    else:
        best = hybrid.at(rh.NeymanPearson(0.15), deterministic=True)
    assert best is not None
    assert best.rules[0][0] not in [rule for rules in hybrid.hull.owners for rule in rules]
    done = run("decide", "p.json", GERMAN, *typed, "--deterministic", "-o", "o.csv")
    assert done.status == 0, done.err
    said = " ".join(done.out.split())
    assert "of the thresholds that the policy holds" in said
    assert f"{best.rules[0][0].classifier} >= {best.rules[0][0].threshold:.6g}" in said
    text = run("sql", "p.json", "--dialect", "duckdb", *typed, "--deterministic").out
    assert repr(best.rules[0][0].threshold) in text


def test_a_report_assures_the_limits_of_costs_in_ranges(run: Run) -> None:
    scores = [word for name in ("naive_bayes", "logistic") for word in ("--score", name)]
    typed = [*RANGE, "--max-fpr", "0.4", "--confidence", "0.95", "-o", "r.json"]
    done = run("report", GERMAN, *LABEL, *scores, *typed)
    assert done.status == 0, done.err
    costs = rh.ExpectedCost(1, (3, 8), (0.2, 0.4))
    condition = rh.Within(costs, [rh.FalsePositiveRate() <= 0.4], confidence=0.95)
    names = ["naive_bayes", "logistic"]
    table = rh.Hybrid.from_table(GERMAN, label="class", scores=names, pos_label="bad").regret(condition)
    facts = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert facts["condition"]["potentially_optimal"] is None
    rows = [table.least_worst, table.least_worst_single, table.least_mean]
    for row, found in zip(facts["robust"]["rows"][:3], rows, strict=True):
        assert found.point is not None
        assert (row["fpr"], row["tpr"]) == (found.point.fpr, found.point.tpr)
        assert row["fpr"] < 0.37


def test_several_limits_from_report_to_sql(run: Run, tmp_path: Path) -> None:
    """Costs and limits typed together are those of Python; a number of cases is kept beside them."""
    policy, output = str(tmp_path / "policy.json"), tmp_path / "decided.parquet"
    typed = ["--max-fpr", "0.3", "--min-precision", "0.5", "--max-share", "0.4"]
    scores = ["--score", "logistic", "--score", "boosted"]
    made = run(
        "report",
        GERMAN,
        *LABEL,
        *scores,
        "-o",
        str(tmp_path / "r.html"),
        "--policy",
        policy,
        *typed,
        "--full",
    )
    assert made.status == 0
    assert (
        "at least 50 % of the flagged cases positive and at most 40 % of the cases flagged, prevalence 30 % (that of the data)"
        in " ".join(made.out.split())
    )
    found = run("decide", policy, GERMAN, "-o", str(output), *typed, "--deterministic")
    assert found.status == 0, found.err
    table = read_columns(GERMAN, ["logistic", "boosted"])
    limits = [rh.MinimumPrecision(0.5, 0.3), rh.Capacity(fraction=0.4, prevalence=0.3)]
    loaded = rh.Policy.load(policy)
    wanted = loaded.decide(table, rh.NeymanPearson(0.3), subject_to=limits, deterministic=True)
    assert read_columns(str(output), ["decision"])["decision"].tolist() == wanted.tolist()
    text = run("sql", policy, "--dialect", "duckdb", *typed, "--deterministic").out
    rows = duckdb.sql(f"SELECT {text} FROM '{GERMAN}'").fetchall()
    assert [row[0] for row in rows] == wanted.tolist()
    few = run(
        "decide",
        policy,
        GERMAN,
        "-o",
        str(output),
        "--max-fpr",
        "0.3",
        "--max-cases",
        "40",
        "--random-state",
        "1",
    )
    assert "Positive: 40 of 1,000 cases (4.0%)" in few.out
    refused = run("decide", policy, GERMAN, "-o", str(output), "--max-fpr", "0.02", "--min-recall", "0.9")
    assert refused.status == 1
    assert "no operating point meets --max-fpr 0.02 and --min-recall 0.9." in refused.err


@pytest.mark.parametrize("by_segment", [False, True])
def test_keys_that_repeat_are_counted_by_every_engine(run: Run, tmp_path: Path, by_segment: bool) -> None:
    """Of the cases that lots decide, and of no others."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    columns = {"score": np.round(rng.normal(y), 1), "id": rng.integers(0, 9, 400)}
    if by_segment:
        columns["kind"] = rng.choice(["a", "b"], 400)
        hulls = {
            k: rh.roc_hull(y[columns["kind"] == k], columns["score"][columns["kind"] == k]) for k in "ab"
        }
        policy: Any = rh.segments.SegmentPolicy.from_hulls(hulls, column="kind", elsewhere=hulls["a"])
    else:
        policy = rh.Policy.from_hull(rh.roc_hull(y, columns["score"]))
    policy.save("lots.json")
    table = written(tmp_path / "again.csv", columns)
    said, texts = set(), set()
    for engine in ("memory", "duckdb"):
        done = run(
            "decide", "lots.json", table, "--max-fpr", "0.2", "--key", "id", "-o", "o.csv", "--engine", engine
        )
        assert done.status == 0, done.err
        found = re.search(r"key: (\d+) of (\d+) cases that are decided by lot repeat the key", done.err)
        assert found is not None, done.err
        said.add(found.groups())
        texts.add(Path("o.csv").read_text(encoding="utf-8"))
        alone = ["--max-fpr", "0.2", "--deterministic", "--key", "id", "-o", "o.csv", "--engine", engine]
        assert "decided by lot" not in run("decide", "lots.json", table, *alone).err
    assert len(said) == len(texts) == 1
    assert int(next(iter(said))[0]) > 0


def test_what_is_read_beside_the_table_is_not_written_over(run: Run, tmp_path: Path) -> None:
    Path("t.csv").write_text("y,s\n0,1\n1,2\n0,3\n1,4\n")
    read = ["t.csv", "--label", "y", "--score", "s"]
    assert run("report", *read, "--policy", "p.json").status == 0
    assert run("calibrate", *read, "--model", "m.json").status == 0
    for name, what, command in [
        ("p", "the policy that decides", ("decide", "p.csv", "t.csv", "--cost-fn", "2")),
        ("m", "the calibrator that is applied", ("calibrate", "t.csv", "--apply", "m.csv")),
    ]:
        content = Path(f"{name}.json").read_bytes()
        Path(f"{name}.csv").write_bytes(content)
        done = run(*command, "-o", f"{name}.csv")
        assert done.status == 1
        assert f"the output '{name}.csv' is also {what}; name another file." in done.err
        assert Path(f"{name}.csv").read_bytes() == content


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_dates_are_labels(run: Run, engine: str) -> None:
    Path("t.csv").write_text("y,s\n2020-01-01,1\n2020-01-02,2\n2020-01-01,3\n2020-01-02,4\n2020-01-02,5\n")
    read = ["t.csv", "--label", "y", "--score", "s", "--positive", "2020-01-02", "--engine", engine]
    assert run("report", *read, "-o", "r.json").status == 0
    assert json.loads(Path("r.json").read_text())["totals"] == {"positives": 3, "negatives": 2}


@pytest.mark.parametrize(("made", "by_segment"), [("f8", False), ("f8", True), ("f4", True)])
def test_scores_of_another_precision_are_counted_by_either_engine(
    run: Run, made: str, by_segment: bool
) -> None:
    rng = np.random.default_rng(17)
    scores, group = rng.choice(np.arange(1, 10) / 10, 400), rng.choice(["a", "b"], 400)
    y = (rng.random(400) < scores).astype(int)
    own = scores.astype(made)
    policy: Any = rh.Policy.from_hull(rh.roc_hull(y, own).named("s"))
    if by_segment:
        hulls = {name: rh.roc_hull(y[name == group], own[name == group]).named("s") for name in "ab"}
        policy = rh.segments.SegmentPolicy.from_hulls(hulls, column="g", elsewhere=hulls["a"])
    policy.save("p.json")
    for dtype in ("f4", "f8"):
        written(Path("t.parquet"), {"s": scores.astype(dtype), "g": group})
        for engine in ("memory", "duckdb"):
            told = set()
            for cost in ("0.1", "0.3", "1", "2", "5"):
                how = ["--cost-fp", cost, "--prevalence", "0.5", "--engine", engine, "-o", "o.csv"]
                done = run("decide", "p.json", "t.parquet", *how)
                assert done.status == 0, done.err
                told.add(done.err)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for cost in (0.1, 0.3, 1, 2, 5):
                    policy.decide({"s": scores.astype(dtype), "g": group}, rh.ExpectedCost(cost, 1, 0.5))
            assert {text for text in told if text} == {
                f"rochull: warning: {each.message}\n" for each in caught
            }
            assert bool(caught) == (dtype != made)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_strict_takes_a_warning_as_an_error(run: Run, tmp_path: Path, engine: str) -> None:
    policy = saved_policy(tmp_path, ["logistic"])
    clean = written(tmp_path / "clean.csv", {"id": ["a", "b", "c"], "logistic": [0.1, 0.5, 0.9]})
    null = written(tmp_path / "null.csv", {"id": ["a", "b", "c"], "logistic": [0.1, None, 0.9]})
    same = written(tmp_path / "same.csv", {"id": ["a", "a", "c"], "logistic": [0.5, 0.5, 0.5]})
    how = ["--key", "id", "--engine", engine, "-o", "out.csv"]
    for table, limit, said in ((null, "0.1", "1 missing values"), (same, "0.2", "repeat the key")):
        asked = ["decide", policy, table, "--max-fpr", limit, *how]
        lenient = run(*asked)
        assert (lenient.status, said in lenient.err) == (0, True), lenient.err
        Path("out.csv").unlink()
        strict = run(*asked, "--strict")
        assert strict.status == 1
        assert lenient.err in strict.err
        assert strict.err.endswith(
            "--strict: there is a warning, so nothing was decided and no file was written.\n"
        )
        assert not Path("out.csv").exists()
    assert run("decide", policy, clean, "--max-fpr", "0.1", *how, "--strict").status == 0


def test_strict_stops_at_a_misfit(run: Run, tmp_path: Path) -> None:
    policy = saved_policy(tmp_path, ["logistic"])
    table = rh.datasets.load("german_credit_scores")
    other = written(tmp_path / "other.csv", {"logistic": np.full(1000, np.median(table["logistic"]))})
    asked = ["decide", policy, other, "--cost-fn", "5", "--prevalence", "estimate", "-o", "out.csv"]
    done = run(*asked)
    assert done.status == 0
    assert "or that of the policy's data, is kept" in done.err
    assert "prevalence 0.3" in done.out  # of the 1,000 examples
    Path("out.csv").unlink()
    done = run(*asked, "--strict")
    assert done.status == Status.FOREIGN
    assert "not a mixture" in done.err
    assert "Positive:" not in done.out
    assert not Path("out.csv").exists()


def test_segments_are_called_by_their_value_too(run: Run, segmented: tuple[str, str]) -> None:
    made = {}
    for form in ("country = {}", "{}"):
        typed = [f"--cases-of={form.format(name)}={n}" for name, n in (("DE", 7), ("FR", 0), ("US", 5))]
        done = run(
            "decide", *segmented, *typed, "--cases-of=elsewhere=1", "--key", "id", "-o", f"{len(form)}.csv"
        )
        assert done.status == 0, done.err
        made[form] = Path(f"{len(form)}.csv").read_text(encoding="utf-8")
    assert len(set(made.values())) == 1
    twice = ["--cases-of=DE=1", "--cases-of=country = DE=2"]
    done = run("decide", *segmented, *twice, "-o", "o.csv")
    assert (done.status, "--cases-of says twice how many cases of 'country = DE'." in done.err) == (2, True)


def test_reviews_by_segment_are_refused_at_once(run: Run, segmented: tuple[str, str]) -> None:
    for how in (["--cost-review", "0.2", "--max-reviews", "5"], ["--max-review-share", "0.1"]):
        done = run("decide", *segmented, *how, "-o", "o.csv")
        assert (done.status, done.out) == (2, "")
        assert done.err.count("\n") == 1
        assert "a policy by segment has no reviews" in done.err
        assert "--where" in done.err


def test_few_among_many_are_told(run: Run, tmp_path: Path) -> None:
    policy = saved_policy(tmp_path, ["logistic"])
    many = written(tmp_path / "many.parquet", {"logistic": [0.0] * 9_996 + [1.0] * 4})
    done = run("decide", policy, many, "--cases", "4", "--random-state", "0", "-o", "o.csv")
    assert "Positive: 4 of 10,000 cases (0.040%)" in done.out


def test_more_cases_than_there_are(run: Run, tmp_path: Path, segmented: tuple[str, str]) -> None:
    (tmp_path / "of_one").mkdir()
    one = saved_policy(tmp_path / "of_one", ["logistic"])
    for policy, table, rows in ((one, GERMAN, "1,000"), (*segmented, "300")):
        asked = ["decide", policy, table, "--cases", "20000", "--random-state", "0", "-o", "o.parquet"]
        done = run(*asked)
        assert (done.status, "(100.0%)" in done.out) == (0, True)
        assert f"warning: --cases 20,000 limits nothing: the table has {rows} rows." in done.err
        assert run(*asked, "--strict").status == 1
    assert "limits nothing" not in run("decide", one, GERMAN, "--cases", "1000", "-o", "p.parquet").err


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_columns_stay_apart_as_they_were(run: Run, tmp_path: Path, engine: str) -> None:
    policy = saved_policy(tmp_path, ["logistic"])
    Path("in.csv").write_text("id;note;logistic\n1;a,b;0.9\n2;c;0.1\n", encoding="utf-8")
    how = ["--max-fpr", "0.1", "--deterministic", "--engine", engine]
    for name, sign in (("out.csv", ";"), ("out.tsv", "\t")):
        done = run("decide", policy, "in.csv", *how, "-o", name)
        assert done.status == 0, done.err
        assert "Positive: 1 of 2 cases" in done.out
        expected = "id;note;logistic;decision\n1;a,b;0.9;true\n2;c;0.1;false\n".replace(";", sign)
        assert Path(name).read_text(encoding="utf-8") == expected
    written(tmp_path / "in.parquet", {"logistic": [0.9, 0.1]})
    assert run("decide", policy, "in.parquet", *how, "-o", "from.csv").status == 0
    assert Path("from.csv").read_text(encoding="utf-8").splitlines()[0] == "logistic,decision"


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_missing_column_of_scores_is_not_guessed(run: Run, tmp_path: Path, engine: str) -> None:
    policy = saved_policy(tmp_path, ["logistic"])
    table = written(tmp_path / "t.csv", {"id": ["a"], "logistics": [0.1]})
    asked = ["decide", policy, table, "--max-fpr", "0.1", "--key", "id", "--engine", engine, "-o", "o.csv"]
    done = run(*asked)
    assert done.status == 1
    assert "has no column 'logistic'; it has 'id', 'logistics'. Say which of them it is: " in done.err
    assert done.err.endswith("--column logistic=<its column>.\n")
    assert run(*asked, "--column", "logistic=logistics").status == 0
    done = run(*asked[:6], "ide", *asked[7:], "--column", "logistic=logistics")
    assert "has no column 'ide'; it has 'id', 'logistics'. Did you mean 'id'?" in done.err


def test_what_is_said_of_a_queue(run: Run, tmp_path: Path) -> None:
    policy = saved_policy(tmp_path, ["logistic"])
    done = run("decide", policy, GERMAN, "--cases", "20", "-o", "o.csv")
    assert "Among cases that are alike lots decide: give --key or --random-state" in done.out
    assert "The rule is randomised" not in done.out
    assert "Sort by the column rank: rank 1 is worked on first." in done.out
    done = run("decide", policy, GERMAN, "--cost-fn", "5", "--prevalence", "estimate", "-o", "p.csv")
    assert done.out.count("Columns read: ") == 1
    assert "Sort by" not in done.out


def rows_of(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_queue_is_written_alone_and_the_first_case_on_top(run: Run, tmp_path: Path) -> None:
    """As sorting the whole table by hand."""
    policy, typed = saved_policy(tmp_path, ["boosted"]), ["--cases", "30", "--random-state", "1"]
    table = duckdb.sql(f"SELECT *, row_number() OVER () AS case FROM '{GERMAN}'")
    table.write_csv("t.csv")
    whole = run("decide", policy, "t.csv", *typed, "-o", "whole.csv")
    done = run("decide", policy, "t.csv", *typed, "--only", "positive", "-o", "queue.csv")
    assert (whole.status, done.status, done.err) == (0, 0, "")
    assert "Decisions: queue.csv (30 rows, those decided positive)" in done.out
    assert "Positive: 30 of 1,000 cases (3.0%)" in done.out
    assert "Sort by the column rank" not in done.out
    twin = sorted(
        (row for row in rows_of("whole.csv") if row["decision"] == "true"), key=lambda row: int(row["rank"])
    )
    found = rows_of("queue.csv")
    assert found == twin
    assert [row["rank"] for row in found] == [str(i) for i in range(1, 31)]
    assert "probability" in found[0]
    rest = run("decide", policy, "t.csv", *typed, "--only", "negative", "-o", "rest.parquet")
    assert rest.status == 0, rest.err
    assert read_columns("rest.parquet", ["rank"])["rank"].tolist() == list(range(31, 1001))


def test_a_queue_of_reviews_is_written_alone(run: Run, tmp_path: Path) -> None:
    policy, typed = saved_policy(tmp_path, ["boosted"]), ["--cost-review", "0.1", "--cost-fn", "5"]
    words = [*typed, "--max-reviews", "20", "--random-state", "1", "--only", "review"]
    done = run("decide", policy, GERMAN, *words, "-o", "queue.csv")
    assert done.status == 0, done.err
    found = rows_of("queue.csv")
    assert [(row["decision"], row["rank"]) for row in found] == [("review", str(i)) for i in range(1, 21)]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("typed", "only", "decided"),
    [
        (["--max-fpr", "0.1", "--deterministic"], "positive", "true"),
        (["--max-fpr", "0.1", "--deterministic"], "negative", "false"),
        (["--cost-review", "0.2", "--cost-fn", "5"], "review", "review"),
        (["--max-fpr", "0", "--deterministic"], "positive", "true"),
    ],
)
def test_rows_of_one_decision(run: Run, suffix: str, typed: list[str], only: str, decided: str) -> None:
    policy = saved_policy(Path(), ["boosted"])
    table = written(Path(f"t.{suffix}"), {"place_0": list(range(1000)), "boosted": SCORES.tolist()})
    for engine in ("memory", "duckdb"):
        for more, path in (([], "whole.csv"), (["--only", only], "some.csv")):
            done = run("decide", policy, table, *typed, *more, "-o", path, "--engine", engine)
            assert done.status == 0, done.err
        twin = [row for row in rows_of("whole.csv") if row["decision"] == decided]
        assert rows_of("some.csv") == twin
        assert f"({len(twin):,} rows, those decided {only})" in done.out
        assert "of 1,000 cases" in done.out
        assert Path("some.csv").read_text(encoding="utf-8").startswith("place_0,boosted,decision")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_rows_of_one_class(run: Run, several: tuple[str, str], engine: str) -> None:
    policy, table = several
    words = ["--minimise", "max-error", *PLACES, "--engine", engine]
    for more, path in (([], "whole.csv"), (["--only", "van"], "some.csv")):
        done = run("decide", policy, table, *words, *more, "-o", path)
        assert done.status == 0, done.err
    assert rows_of("some.csv") == [row for row in rows_of("whole.csv") if row["decision"] == "van"]
    refused = run("decide", policy, table, *words, "--only", "lorry", "-o", "no.csv")
    assert (refused.status, Path("no.csv").exists()) == (2, False)
    assert "--only must be one of 'bus', " in refused.err


def test_only_names_a_decision(run: Run, tmp_path: Path) -> None:
    done = run(
        "decide", saved_policy(tmp_path), GERMAN, "--max-fpr", "0.1", "--only", "review", "-o", "o.csv"
    )
    assert (done.status, done.err) == (
        2, "rochull: --only must be one of 'positive', 'negative', but is 'review'.\n",
    )  # fmt: skip


def test_a_command_makes_one_database(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy, made, connect = saved_policy(tmp_path, ["logistic"]), [], duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda **how: made.append(how) or connect(**how))
    how = ["--max-fpr", "0.1", "--deterministic", "-o", "o.parquet"]
    for each in (1, 2):  # in a context of its own, for all tests are within one database
        assert Context().run(run, "decide", policy, GERMAN, *how).status == 0
        assert len(made) == each


def test_a_small_csv_file_is_looked_at_by_that_database(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large one nobody knows what it takes to tell its types: it is looked at within --memory."""
    policy, made, connect = saved_policy(tmp_path, ["logistic"]), [], duckdb.connect
    duckdb.sql(f"FROM {str(GERMAN)!r}").write_csv(str(tmp_path / "table.csv"))
    monkeypatch.setattr(duckdb, "connect", lambda **how: made.append(how["config"]) or connect(**how))
    how = ["--max-fpr", "0.1", "--deterministic", "--memory", "400MB", "-o", "o.csv"]
    for smallest_large in (1 << 22, 0):
        monkeypatch.setattr(duckdb_rows, "_SMALL", smallest_large)
        assert Context().run(run, "decide", policy, str(tmp_path / "table.csv"), *how).status == 0
    assert ["memory_limit" in each for each in made] == [False, True, True, False]


@pytest.mark.parametrize(
    ("typed", "limit"),
    [
        (["--min-precision", "0.4"], rh.Precision() >= 0.4),
        (["--max-fpr", "0.1"], rh.FalsePositiveRate() <= 0.1),
        (["--max-share", "0.1"], rh.AlarmRate() <= 0.1),
    ],
)
def test_a_range_within_a_limit_is_decided_as_in_python(
    run: Run, tmp_path: Path, typed: list[str], limit: Any
) -> None:
    policy = saved_policy(tmp_path, ["naive_bayes"])
    asked = [
        policy,
        GERMAN,
        "--prevalence",
        "0.1:0.3",
        "--cost-fn",
        "5",
        *typed,
        "--deterministic",
        "-o",
        "o.csv",
    ]
    assert "--minimax decides by the rule that risks least" in run("decide", *asked).err
    done = run("decide", *asked, "--minimax")
    assert done.status == 0, done.err
    condition = rh.conditions.Within(rh.ExpectedCost(1, 5, (0.1, 0.3)), limit)
    scores = rh.datasets.load("german_credit_scores")["naive_bayes"]
    wanted = rh.Policy.load(policy).decide(scores, condition, minimax=True, deterministic=True)
    with open("o.csv", encoding="utf-8") as file:
        assert [row["decision"] == "true" for row in csv.DictReader(file)] == wanted.tolist()


@pytest.mark.parametrize("labels", [["bus", "it's", "van"], [3, 1, 2], [0.5, -1.0, 2.0]])
def test_several_classes_of_any_kind_in_parquet(run: Run, labels: list[Any], tmp_path: Path) -> None:
    """More rows than DuckDB has in a vector, many ties, outputs of three types."""
    rng = np.random.default_rng(0)
    outputs = rng.integers(0, 4, (5_000, 3)).astype(float)
    outputs[:4] = [[0, 0, 0], [1e-300, 0, 9], [1e308, 3e38, 9], [0.1, 0.1, 3]]
    columns = [outputs[:, 0], outputs[:, 1].astype("f4"), np.minimum(outputs[:, 2], 9).astype("i2")]
    table = pa.table({"x": rng.random(5_000)} | {str(c): v for c, v in zip(labels, columns, strict=True)})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2_048)
    points = rh.MulticlassRoc(labels, np.eye(3) + 0.1, classes=labels).points_at([[1, 1, 1], [0.3, 2, 1e300]])
    rh.multiclass.MulticlassPolicy.from_points(points).save(tmp_path / "p.json")
    for weights in ("1,1,1", "0.3,2,1e300"):
        for engine in ("memory", "duckdb"):
            how = ["--weights", weights, "--engine", engine, "-o", f"{engine}.parquet"]
            done = run("decide", "p.json", "t.parquet", *how)
            assert done.status == 0, done.err
        held, streamed = (pq.read_table(f"{engine}.parquet") for engine in ("memory", "duckdb"))
        assert streamed.equals(held)
        vector = np.array(list(map(float, weights.split(","))))
        wanted = np.argmax(np.column_stack([np.asarray(c, float) for c in columns]) * vector, axis=1)
        assert streamed["decision"].to_pylist() == [labels[c] for c in wanted]
