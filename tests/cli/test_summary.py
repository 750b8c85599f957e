"""What a job reads: the summary of every kind of policy, metadata of what is written, one line of a log."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import document_cases as cases
import rochull as rh
from command_line import Run
from multiclass_cases import policy as multiclass_policy
from plan_cases import PLANS
from rochull.cli.statuses import Status

ROWS = 60
COSTS = ["--cost-fp", "1", "--cost-fn", "2", "--prevalence", "0.4"]
SHARE = ["--max-share", "0.25", "--prevalence", "0.4"]
RNG = np.random.default_rng(0)
Y = np.arange(ROWS) % 2
TABLE: dict[str, Any] = {name: (RNG.normal(size=ROWS) + Y + 9).round(2) for name in ("a", "b", "c")}
TABLE |= {"kind": np.array(["x", "y"])[np.arange(ROWS) // 2 % 2], "id": np.arange(ROWS)}
HULL = rh.roc_hull(Y, TABLE["a"]).named("a")


def groups(times: int = 1) -> Any:
    hulls = {
        kind: rh.roc_hull(np.tile(Y[at], times), np.tile(TABLE["a"][at], times)).named("a")
        for kind in "xy"
        if (at := TABLE["kind"] == kind).any()
    }
    return rh.constrain_groups(hulls, rh.Accuracy(), "equal_tpr").policy("kind")


POLICIES: dict[str, tuple[Any, list[str], dict[str, float]]] = {
    "share": (lambda: rh.Policy.from_hull(HULL), SHARE, {"positive": 0.25}),
    "reviews": (
        lambda: rh.Policy.from_hull(HULL), ["--cost-review", "0.2", *COSTS, "--max-review-share", "0.3"], {"review": 0.3},
    ),
    "rates": (lambda: rh.Policy.from_hull(HULL), ["--max-fpr", "0.25"], {}),
    "segments": (
        lambda: rh.ErrorRedistribution().fit(TABLE["a"], Y, aux={"kind": TABLE["kind"]}).policy(name="a"), SHARE, {"positive": 0.25},
    ),
    "groups": (groups, [], {}),
    "fixed": (lambda: rh.policies.FixedPolicy.from_dict(cases.fixed_policy()), [], {}),
    "plan": (lambda: rh.policies.SavedPlan(PLANS["lot"]), [], {}),
    "cascade": (
        lambda: rh.cascades.Cascade({"a": 0, "b": 0.1}).fit({"a": TABLE["a"], "b": TABLE["b"]}, Y).policy(), COSTS, {},
    ),
    "several classes": (lambda: multiclass_policy(("a", "b", "c")), ["--minimise", "max-error"], {}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def table(tmp_path: Path) -> None:
    pq.write_table(pa.table(TABLE), tmp_path / "t.parquet")


def read(path: str = "s.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", POLICIES)
def test_every_kind_of_policy(run: Run, name: str) -> None:
    make, asked, promised = POLICIES[name]
    make().save("p.json")
    written = {}
    for engine in ("memory", "duckdb"):
        files = ["-o", "o.parquet", "--summary", "s.json"]
        done = run("decide", "p.json", "t.parquet", *asked, "--key", "id", "--engine", engine, *files)
        assert done.status == Status.DONE, done.err
        found = written[engine] = read()
        rows = pq.read_table("o.parquet").column("decision").to_pylist()
        words = {True: "positive", False: "negative"}
        counts = Counter(words.get(each, each) for each in rows)
        assert {word: n for word, n in found["decisions"].items() if n} == counts
        assert (found["rows"], found["written"], found["engine"]) == (ROWS, ROWS, engine)
        shares = {word: each["promised"] for word, each in found["shares"].items()}
        assert {word: share for word, share in shares.items() if share is not None} == promised
        assert {word: each["achieved"] * ROWS for word, each in found["shares"].items()} == pytest.approx(
            found["decisions"]
        )
        checksum = json.loads(Path("p.json").read_text(encoding="utf-8"))["checksum"]
        assert found["policy"]["checksum"] == checksum
        held = {k.decode(): v.decode() for k, v in pq.read_schema("o.parquet").metadata.items()}
        assert held.get("rochull.condition") == found["condition"]
        assert held["rochull.version"] == found["versions"]["rochull"] == rh.__version__
        assert held["rochull.policy.checksum"] == checksum
        assert re.search(
            rf"^Log: \d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\dZ, rochull {rh.__version__}, policy {checksum[:12]}, "
            rf"{ROWS} rows$",
            done.out,
            re.MULTILINE,
        )
    for each in written.values():
        del each["time"], each["engine"]
    assert written["memory"] == written["duckdb"]


def test_a_number_of_cases_and_those_alone(run: Run) -> None:
    rh.Policy.from_hull(HULL).save("p.json")
    files = ["-o", "o.csv", "--summary", "s.json"]
    done = run("decide", "p.json", "t.parquet", "--cases", "6", "--key", "id", "--only", "positive", *files)
    assert done.status == 0, done.err
    found = read()
    assert (found["rows"], found["written"], found["decisions"]["positive"]) == (ROWS, 6, 6)
    assert found["shares"]["positive"] == {"promised": 0.1, "achieved": 0.1}
    assert found["condition"] == "highest true positive rate with at most 6 cases flagged"


def test_what_is_printed_for_programs_is_the_same(run: Run) -> None:
    rh.Policy.from_hull(HULL).save("p.json")
    asked = ["decide", "p.json", "t.parquet", "--max-fpr", "0.2", "--cost-fp", "1"][:5]
    files = ["-o", "o.csv", "--deterministic", "--summary", "s.json"]
    plain, done = run(*asked, *files), run(*asked, *files, "--json")
    assert (done.status, plain.err) == (0, "")
    assert json.loads(done.out) == read()

    def timeless(text: str) -> str:
        return re.sub(r"\d\d:\d\d:\d\dZ", "", text)

    assert timeless(done.err) == timeless(plain.out)


def test_warnings_are_in_it_and_none_is_left_of_a_run_that_stops(run: Run) -> None:
    rh.Policy.from_hull(HULL).save("p.json")
    pq.write_table(pa.table({"a": [0.5, None]}), "null.parquet")
    asked = ["decide", "p.json", "null.parquet", "--max-fpr", "0.2", "--deterministic", "-o", "o.csv"]
    for engine in ("memory", "duckdb"):
        assert run(*asked, "--summary", "s.json", "--engine", engine).status == 0
        [said] = read()["warnings"]
        assert "1 missing values" in said
        Path("s.json").unlink()
        Path("o.csv").unlink()
        done = run(*asked, "--summary", "s.json", "--strict", "--json", "--engine", engine)
        assert (done.status, done.out) == (Status.FAILED, "")
        assert not Path("s.json").exists()
        assert not Path("o.csv").exists()


def test_a_calibrator_that_is_applied(run: Run) -> None:
    calibrator = rh.LogisticCalibrator().fit(TABLE["a"], Y)
    calibrator.save("c.json", about={"score": "a"})
    checksum = json.loads(Path("c.json").read_text(encoding="utf-8"))["checksum"]
    files = ["-o", "o.parquet", "--summary", "s.json", "--json"]
    done = run("calibrate", "t.parquet", "--apply", "c.json", "--prevalence", "0.1", *files)
    assert done.status == 0, done.err
    found = read()
    assert json.loads(done.out) == found
    assert found["calibrator"] == {"file": "c.json", "format": "rochull-calibrator", "checksum": checksum}
    assert (found["rows"], found["missing"], found["columns"], found["condition"]) == (
        ROWS,
        0,
        ["a"],
        "prevalence 0.1",
    )
    held = pq.read_schema("o.parquet").metadata
    assert held[b"rochull.calibrator.checksum"].decode() == checksum
    assert held[b"rochull.condition"] == b"prevalence 0.1"


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--summary", "s.txt"], 2, "--summary must end in .json, but is 's.txt'."),
        (["--summary", "p.json"], 2, "--summary and the policy are both 'p.json'; name two files."),
        (["--summary", "nowhere/s.json"], 1, "there is no directory 'nowhere' to write to."),
    ],
)
def test_a_summary_that_cannot_be_written(run: Run, words: list[str], status: int, said: str) -> None:
    rh.Policy.from_hull(HULL).save("p.json")
    done = run(
        "decide", "p.json", "t.parquet", "--max-fpr", "0.2", "--random-state", "0", "-o", "o.csv", *words
    )
    assert (done.status, done.err) == (status, f"rochull: {said}\n")
    assert not Path("o.csv").exists()


def test_a_fit_has_no_summary(run: Run) -> None:
    for words in (["--summary", "s.json"], ["--json"]):
        done = run("calibrate", "t.parquet", "--label", "id", "--score", "a", *words)
        assert (done.status, f"{words[0]} has no effect without --apply." in done.err) == (2, True)


# --- the look at the table --------------------------------------------------------------------------------


def big_table(path: Path, change: Any = lambda scores: scores, name: str = "m") -> Path:
    rng = np.random.default_rng(3)
    scores = 1 / (1 + np.exp(2 - rng.normal(2.0 * (np.arange(600) % 4 == 0))))
    pq.write_table(pa.table({name: change(scores), "id": np.arange(600)}), path)
    return path


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learnt")
    rng = np.random.default_rng(2)
    y = np.arange(1500) % 4 == 0
    scores = 1 / (1 + np.exp(2 - rng.normal(2.0 * y)))
    rh.Policy.from_hull(rh.roc_hull(y, scores).named("m")).save(folder / "policy.json")
    rh.PavCalibrator(bound="laplace").fit(scores, y).save(folder / "model.json")
    rh.PavCalibrator(bound="laplace", lower_is_positive=True).fit(-scores, y).save(folder / "low.json")
    return folder


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_scores_of_another_kind_are_noticed_before_anything_is_written(
    run: Run, tmp_path: Path, learnt: Path, engine: str
) -> None:
    output, summary = tmp_path / "out.parquet", tmp_path / "out.json"
    how = [
        "--max-share",
        "0.2",
        "--prevalence",
        "0.25",
        "--key",
        "id",
        "--engine",
        engine,
        "-o",
        str(output),
        "--strict",
    ]
    good = run(
        "decide", learnt / "policy.json", big_table(tmp_path / "good.parquet"), *how, "--summary", summary
    )
    assert good.status == Status.DONE
    assert "Batch: 600 cases: scores of the kind that the policy was made from" in good.out
    tests = json.loads(summary.read_text())["tests"]
    assert (tests["kind"]["other"], tests["kind"]["classifier"], tests["share"]["other"]) == (
        False,
        "m",
        False,
    )
    assert tests["share"]["expected"] == pytest.approx(0.2)
    assert tests["share"]["achieved"] == Counter(pq.read_table(output)["decision"].to_pylist())[True] / 600
    output.unlink()
    other = big_table(tmp_path / "other.parquet", lambda scores: 100 * scores)
    done = run("decide", learnt / "policy.json", other, *how)
    assert done.status == Status.FOREIGN
    assert "They look like percentages" in done.err
    assert "is given by --cases 120." in done.err
    assert not output.exists()
    more = big_table(tmp_path / "more.parquet", lambda scores: np.sort(scores)[np.r_[300:600, 300:600]])
    assert run("decide", learnt / "policy.json", more, *how).status != Status.DONE


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_more_reviews_than_were_stated_are_noticed(
    run: Run, tmp_path: Path, learnt: Path, engine: str
) -> None:
    output, summary = tmp_path / "out.parquet", tmp_path / "out.json"
    costs = ["--cost-fp", "5", "--cost-review", "0.01", "--prevalence", "0.25", "--max-review-share", "0.05"]
    how = [*costs, "--key", "id", "--engine", engine, "-o", output, "--summary", summary, "--strict"]
    assert run("decide", learnt / "policy.json", big_table(tmp_path / "t.parquet"), *how).status == 0
    tests = json.loads(summary.read_text())["tests"]
    decided = Counter(pq.read_table(output)["decision"].to_pylist())
    assert tests["reviews"]["expected"] == pytest.approx(0.05)
    assert tests["reviews"]["achieved"] == decided["review"] / 600
    assert tests["share"]["achieved"] == decided["positive"] / 600
    assert not tests["reviews"]["other"]
    assert tests["reviews"]["pvalue"] > 0.01
    more = big_table(tmp_path / "t.parquet", lambda scores: np.sort(scores)[np.r_[450:600, 450:600, 300:600]])
    done = run("decide", learnt / "policy.json", more, *how)
    assert done.status != 0
    assert "are reviewed where the rule was to review 5 %" in done.err
    assert "is given by --max-reviews 30." in done.err


def test_a_calibrator_looks_at_what_it_is_applied_to(run: Run, tmp_path: Path, learnt: Path) -> None:
    output, summary = tmp_path / "out.parquet", tmp_path / "out.json"
    for model, good, bad in (("model", 1, 100), ("low", -1, -100)):
        for times, other in ((good, False), (bad, True)):
            table = big_table(tmp_path / "t.parquet", lambda scores, times=times: times * scores)
            how = ["--apply", learnt / f"{model}.json", "--score", "m", "-o", output, "--summary", summary]
            done = run("calibrate", table, *how)
            assert done.status == Status.DONE
            assert ("not a mixture of the classes" in done.err) == other
            assert json.loads(summary.read_text())["tests"]["kind"]["other"] == other


@pytest.mark.parametrize("name", ["segments", "groups", "several classes"])
def test_what_plans_tell_apart_is_looked_at_in_text_too(run: Run, name: str) -> None:
    make, asked, _ = POLICIES[name]
    make().save("p.json")
    pyarrow.csv.write_csv(pa.table(TABLE), "t.csv")
    found = []
    for engine, more in (("memory", []), ("duckdb", []), ("duckdb", ["--only", "positive"])):
        if more and name == "several classes":
            more = ["--only", "a"]
        how = ["--key", "id", "--engine", engine, "-o", "o2.csv", "--summary", "s.json", *more]
        assert run("decide", "p.json", "t.csv", *asked, *how).status == Status.DONE
        found.append(read()["tests"])
    assert found[0] == found[1] == found[2]
    assert found[0]["kind"]["pvalue"] is not None or name == "groups"


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("name", ["segments", "groups", "several classes"])
def test_strict_follows_what_plans_tell_apart(run: Run, name: str, engine: str) -> None:
    make, asked, _ = POLICIES[name]
    (groups(20) if name == "groups" else make()).save("p.json")
    wrong = {column: 0 * values + 99 if column in "abc" else values for column, values in TABLE.items()}
    many = {column: np.tile(values, 20) for column, values in wrong.items()} | {"id": np.arange(20 * ROWS)}
    pq.write_table(pa.table(many), "wrong.parquet")
    how = [*asked, "--key", "id", "--engine", engine, "-o", "o.parquet"]
    done = run("decide", "p.json", "wrong.parquet", *how, "--strict")
    assert (done.status, Path("o.parquet").exists()) == (Status.FOREIGN, False)
    assert "not a mixture of the classes that were learnt" in done.err
    assert run("decide", "p.json", "wrong.parquet", *how).status == Status.DONE
