"""The command line: what it writes, what it says, and how it fails."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import rochull as rh
from command_line import GERMAN, LABEL, NAMES, Run, hybrid, saved_policy
from rochull._core.table_files import read_columns
from rochull.cli import app
from rochull.cli import options as command_options
from rochull.conditions.rules import brief

SCORES = [word for name in NAMES for word in ("--score", name)]
DATA = [GERMAN, *LABEL, *SCORES]
ABOUT = {"rochull": rh.__version__, "table": GERMAN, "label": "class", "positive": "bad"}
COMMAND = ["rochull", "report", *DATA]


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A policy of the German credit scores."""
    return saved_policy(tmp_path_factory.mktemp("policy"))


# --- report --------------------------------------------------------------------------------------


def apart(facts: dict[str, Any]) -> dict[str, Any]:
    """All facts but the answer, which the command judges on cases that did not choose it."""
    return {key: value for key, value in facts.items() if key != "answer"}


def test_report(run: Run) -> None:
    options = ["--cost-fp", "1", "--cost-fn", "5", "--prevalence", "0.3"]
    done = run("report", *DATA, *options, "--full", "-o", "report.html", "--policy", "policy.json")
    assert done.status == 0
    assert "Best rule: naive_bayes ≥ 0.1744" in done.out
    assert "Never better than the others: knn and tree." in " ".join(done.out.split())
    assert max(map(len, done.out.splitlines())) <= 80
    assert sorted(os.listdir()) == ["policy.json", "report.html"]
    said = " ".join(done.out.split())
    assert "cross-validation, naive_bayes was the best score on each of the 100 parts that chose." in said
    assert "Held out in 10 rounds of 10-fold cross-validation, rules chosen in this way cost" in said
    condition, rows = rh.ExpectedCost(1, 5, 0.3), uncertainty(n_resamples=0, folds="fold")
    half = rh.conditions.Rule("threshold", "naive_bayes", 0.5)
    need = hybrid().need(condition, rows.y_true, rows.scores, n_repeats=10, against=half)
    asked = ["--cost-fp", "1", "--cost-fn", "5", "--prevalence", "0.3"]
    expected = rh.Report(hybrid(), condition, command=COMMAND, asked=asked, about=ABOUT, need=need)
    assert Path("report.html").read_text(encoding="utf-8") == expected.to_html()
    made = rh.Policy.load("policy.json")
    assert made.hull.owners == hybrid().hull.owners
    assert made.about == ABOUT


@pytest.mark.parametrize(("many", "n_folds"), [(1_000_000, 10), (1000, 2)])
def test_one_classifier_is_judged_on_other_cases_too(
    run: Run, monkeypatch: pytest.MonkeyPatch, many: int, n_folds: int
) -> None:
    """Of many cases in halves, which takes no longer than reading them."""
    monkeypatch.setattr(command_options, "_MANY", many)
    found = run("report", GERMAN, *LABEL, "--score", "tree", "--cost-fn", "5", "-o", "report.json")
    assert found.status == 0, found.err
    need = json.loads(Path("report.json").read_text(encoding="utf-8"))["need"]
    assert (need["n_folds"], need["n_repeats"], need["members"]) == (n_folds, 10, {"tree": 10 * n_folds})


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ([], None),
        (["--max-fpr", "0.05"], rh.NeymanPearson(0.05)),
        (["--max-fpr", "0.05", "--confidence", "0.9"], rh.NeymanPearson(0.05, confidence=0.9)),
        (["--min-precision", "0.5", "--confidence", "0.9"], rh.MinimumPrecision(0.5, confidence=0.9)),
        (["--min-recall", "0.9"], rh.MinimumRecall(0.9)),
        (["--min-precision", "0.6", "--prevalence", "0.2"], rh.MinimumPrecision(0.6, 0.2)),
        (["--cases", "20", "--population", "100"], rh.Capacity(cases=20, population=100)),
        (["--fraction", "0.2", "--prevalence", "0.1"], rh.Capacity(fraction=0.2, prevalence=0.1)),
        (["--cost-fn", "5:50"], rh.ExpectedCost(1, (5, 50))),
        (["--cost-fp", "2"], rh.ExpectedCost(2, 1)),
        (["--max-fpr", "0.05:0.1"], rh.NeymanPearson((0.05, 0.1))),
        (["--min-recall", "0.8:0.9"], rh.MinimumRecall((0.8, 0.9))),
        (
            ["--min-precision", "0.5", "--min-share", "0.02"],
            rh.Within(rh.MinimumPrecision(0.5), rh.AlarmRate() >= 0.02),
        ),
    ],
)
def test_conditions(run: Run, options: list[str], condition: rh.ExpectedCost | None) -> None:
    done = run("report", *DATA, *options, "-o", "report.json")
    assert done.status == 0, done.err
    facts = json.loads(Path("report.json").read_text(encoding="utf-8"))
    is_told = condition is not None and condition.question.costs is not None and not condition.question.spread
    rows = uncertainty(n_resamples=0, folds="fold")
    need = hybrid().need(condition, rows.y_true, rows.scores, n_repeats=10) if is_told else None
    asked = facts["asked"]
    assert sorted(asked) == sorted(options)
    expected = rh.Report(hybrid(), condition, command=COMMAND, asked=asked, about=ABOUT, need=need).facts
    assert apart(facts) == apart(expected)
    assumed = condition is not None and condition.question.lacks_prevalence
    assert ("No --prevalence given: the table's own, 0.3, was used." in done.out) == assumed


@pytest.mark.parametrize(
    ("options", "condition", "figures", "assumes"),
    [
        (
            ["--max-fpr", "0.05", "--figures-cost-fp", "2", "--figures-prevalence", "0.2"],
            rh.NeymanPearson(0.05), rh.ExpectedCost(2, 1, 0.2), False,
        ),
        (
            ["--min-recall", "0.9", "--figures-cost-fn", "5"],
            rh.MinimumRecall(0.9), rh.ExpectedCost(1, 5), True,
        ),
        (
            ["--min-precision", "0.6", "--prevalence", "0.2", "--figures-cost-fp", "3"],
            rh.MinimumPrecision(0.6, 0.2), rh.ExpectedCost(3, 1, 0.2), False,
        ),
        (
            ["--cases", "20", "--population", "100", "--figures-cost-fn", "5"],
            rh.Capacity(20, 100), rh.ExpectedCost(1, 5), True,
        ),
        (
            ["--max-fpr", "0.1", "--figures-prevalence", "0.01"],
            rh.NeymanPearson(0.1), rh.ExpectedCost(1, 1, 0.01), False,
        ),
    ],
)  # fmt: skip
def test_figures_beside_a_limit(
    run: Run, options: list[str], condition: rh.Capacity, figures: rh.ExpectedCost, assumes: bool
) -> None:
    done = run("report", *DATA, *options, "--full", "-o", "report.json")
    assert done.status == 0, done.err
    facts = json.loads(Path("report.json").read_text(encoding="utf-8"))
    told = {"asked": facts["asked"], "figures": figures, "about": ABOUT}
    assert sorted(facts["asked"]) == sorted(options)
    assert apart(facts) == apart(rh.Report(hybrid(), condition, command=COMMAND, **told).facts)
    words = " ".join(done.out.split())
    assert "expected cost" in words
    assert "net benefit" in words
    limit = "prevalence" if isinstance(condition, rh.Capacity) else "figures-prevalence"
    said = f"No --{limit} given: the table's own, 0.3, was used."
    assert (said in done.out) == assumes
    assert done.out.count("given: the table's own") == assumes


@pytest.mark.parametrize("limits", [["--max-fpr", "0.1"], ["--max-fpr", "0.1", "--min-recall", "0.2"]])
def test_an_assured_rule_is_told_with_all_its_digits(run: Run, limits: list[str]) -> None:
    done = run(
        "report", *DATA, *limits, "--confidence", "0.9", "--full", "--policy", "p.json", "-o", "r.json"
    )
    assert done.status == 0, done.err
    words = " ".join(done.out.split())
    facts = json.loads(Path("r.json").read_text(encoding="utf-8"))
    [part] = facts["chosen"]["rules"]
    rule = rh.conditions.Rule.from_dict(part["rule"])
    assert f"With all digits the rule is {str(rule).replace('>=', '≥')}." in words
    assert "holds them exactly" not in words
    assert "The policy holds the assured rule alone: rochull decide and rochull sql take it" in words
    policy = rh.policies.FixedPolicy.load("p.json")
    assert policy.point.rules == ((rule, 1.0),)
    assert policy.condition == facts["condition"]["text"]
    assert policy.about["table"] == GERMAN
    assert "kept in the population with confidence 90 %" in words
    assert facts["condition"]["text"].endswith("; kept in the population with confidence 0.9")
    assert max(map(len, done.out.splitlines())) <= 80


def test_weights_and_where(run: Run) -> None:
    done = run(
        "report", *DATA, "--weight", "duration", "--where", "age >= 30", "-o", "r.json", "--title", "T"
    )
    assert done.status == 0, done.err
    facts = json.loads(Path("r.json").read_text(encoding="utf-8"))
    columns = read_columns(GERMAN, ["class", "duration"], "age >= 30")
    total = columns["duration"][columns["class"] == "bad"].sum()
    assert facts["examples"]["positives"] == total
    assert facts["title"] == "T"


def test_the_answer_is_short_with_all_that_is_said_of_files(run: Run, tmp_path: Path) -> None:
    files = ["-o", str(tmp_path / "r.json"), "--policy", str(tmp_path / "p.json")]
    out = run("report", *DATA, "--cost-fn", "5", *files, "--positive-name", "p" * 40, "--unit", "EUR").out
    assert "No --prevalence given" in out
    assert out.rstrip().endswith(f"Policy: {tmp_path / 'p.json'}")
    assert len(out.splitlines()) <= 25


def test_rows_of_one_cluster_are_judged_together(run: Run) -> None:
    """Without a bootstrap too: where its rows are alike, the cost on new cases is less sure."""
    costs = [*DATA, "--cost-fp", "1", "--cost-fn", "5", "--json"]
    widths = []
    for more in ([], ["--cluster", "age"]):
        state = json.loads(run("report", *costs, *more).out)["answer"]["state"]
        widths.append(state["cost_high"] - state["cost_low"])
    assert widths[0] != widths[1]


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--fraction", "3"], 1, "--fraction must lie between 0 and 1, but is 3.0."),
        (["--min-recall", "0.1", "--fraction", "3"], 1, "--fraction must lie between 0 and 1, but is 3.0."),
        (["--min-recall", "2"], 1, "--min-recall must lie between 0 and 1, but is 2.0."),
        (["--cost-fn", "5", "--prevalence", "2"], 1, "--prevalence must lie between 0 and 1, but is 2.0."),
        (
            ["--min-share", "0.1"],
            2,
            "--min-share does not say what is best; give --cost-fn or a limit such as",
        ),
        (["--cases", "5"], 2, "a capacity is either --cases with --population, or --fraction."),
        (["--max-fpr", "0.1", "--prevalence", "0.2"], 2, "--prevalence has no effect with --max-fpr."),
        (["--prevalence", "0.2"], 2, "--prevalence has no effect without a condition."),
        (["--cost-fn", "5", "--confidence", "0.9"], 2, "--confidence has no effect without a limit."),
        (
            ["--max-fpr", "0.1", "--confidence", "0.9", "--segment", "job"],
            2,
            "--confidence is of one threshold for all; leave --confidence or --segment out.",
        ),
        (["--max-fpr", "0.1", "--confidence", "0.8:0.9"], 2, "--confidence must be one number"),
        (["--figures-cost-fn", "5"], 2, "--figures-cost-fn has no effect without a condition."),
        (
            ["--cost-fn", "5", "--figures-prevalence", "0.2"],
            2,
            "--figures-prevalence has no effect with --cost-fn: the condition has costs of its own.",
        ),
        (
            ["--fraction", "0.1", "--figures-prevalence", "0.2"],
            2,
            "--figures-prevalence has no effect with --fraction: give --prevalence.",
        ),
        (
            ["--max-fpr", "0.1", "--figures-cost-fn", "-5"],
            1,
            "--figures-cost-fn must not be negative, but is -5",
        ),
        (["--max-fpr", "0.1", "--figures-cost-fp", "x"], 2, "--figures-cost-fp must be a number"),
        (["--max-fpr", "0.1", "--figures-cost-fn", "1:2"], 2, "--figures-cost-fn must be one number"),
        (["--max-fpr", "lots"], 2, "--max-fpr must be a number, or an interval LOW:HIGH, but is 'lots'."),
        (["--max-fpr", "0,05"], 2, "LOW:HIGH, but is '0,05'. Write a decimal point."),
        (["--cost-fn", "1:2:3"], 2, "--cost-fn must be a number"),
        (["--max-fpr", "20%"], 2, "LOW:HIGH, but is '20%'. Write 20 % as 0.2."),
        (["--bogus", "1"], 2, "Try rochull report --help."),
        (["--max-fpr", "1.5"], 1, "--max-fpr must lie between 0 and 1, but is 1.5."),
        (["--cost-fn", "-1"], 1, "--cost-fn must not be negative"),
        (["--where", "nonsense >"], 1, "--where 'nonsense >' is not a condition on this table"),
        (["--where", "age > 1000"], 1, "has no rows where age > 1000"),
        (["--score", "nope"], 1, "has no column 'nope'; it has 'checking_status'"),
        (["--score", "housing"], 1, "score column 'housing' must be numeric"),
        (["--weight", "housing"], 1, "weight column 'housing' must be numeric"),
        (
            ["--positive", "ugly"],
            1,
            "--positive 'ugly' does not occur in label column 'class', which holds 'bad'",
        ),
        (["--random-state", "1", "--fold", "fold"], 2, "--random-state has no effect without --bootstrap."),
        (["--bootstrap", "38"], 2, "--bootstrap must be at least 39 for 95 % intervals, but is 38."),
        (["--bootstrap", "39", "--random-state", "-1"], 2, "--random-state must not be negative, but is -1."),
        (["--bootstrap", "many"], 2, "Invalid value for '--bootstrap'"),
        (["--fold", "nope"], 1, "has no column 'nope'"),
        (["--fold", "credit_amount"], 1, "example, without which 'fpr' is undefined"),
        (["--fold", "fold", "--where", "fold = 1"], 1, "folds must name at least two folds"),
        (["-o", "no/r.html"], 1, "there is no directory 'no' to write to."),
        (["-o", "r.pdf"], 1, "'r.pdf' must end in .html, .json or .txt."),
        (["--policy", "p.yaml"], 1, "'p.yaml' must end in .json."),
    ],
)
def test_report_fails_in_one_line(run: Run, options: list[str], status: int, message: str) -> None:
    output = [] if "-o" in options else ["-o", "report.html"]
    done = run("report", *DATA, *output, *options)
    assert done.status == status
    assert message in done.err
    [line] = done.err.splitlines()
    assert line.startswith("rochull: ")
    assert line.endswith((".", "!"))
    assert os.listdir() == []


@pytest.mark.parametrize(
    "words",
    [
        [
            "--weight",
            "duration",
            "--where",
            "age >= 30 AND class <> ''",
            "--segment",
            "job",
            "--segment",
            "age",
        ],
        ["--bootstrap", "60", "--random-state", "3", "--cluster", "age", "--fold", "fold"],
        pytest.param(
            ["--bootstrap", "60", "--fold", "fold", "--engine", "duckdb", "--memory", "1GB", "--exact-auc"],
            marks=pytest.mark.long,
        ),
    ],
)
def test_the_command_of_a_report_makes_it_again(run: Run, words: list[str]) -> None:
    data = [GERMAN, *LABEL, "--score", "knn", "--score", "logistic"]
    outputs = ["--title", "T", "--policy", "p.json"]
    done = run("report", *data, *words, "--max-fpr", "0.1", "-o", "once.json", *outputs)
    assert done.status == 0, done.err
    once = json.loads(Path("once.json").read_text(encoding="utf-8"))
    program, *command = once["command"]
    assert program == "rochull"
    assert {*data, *words} == {*command[1:]}
    assert run(*command, "--max-fpr", "0.1", "-o", "again.json").status == 0
    assert json.loads(Path("again.json").read_text(encoding="utf-8")) == once | {
        "title": "Which score should decide, and from what value on?"
    }


def test_a_command_of_odd_names(run: Run) -> None:
    rows = 'SELECT i % 2 * 2 - 1 AS "-y", i AS "a b" FROM range(9) t(i)'
    duckdb.sql(f"COPY ({rows}) TO '-x.parquet' (FORMAT parquet)")
    words = ["--label", "-y", "--positive", "-1", "--score", "a b"]
    assert run("report", *words, "-o", "once.json", "--", "-x.parquet").status == 0
    once = Path("once.json").read_text(encoding="utf-8")
    assert json.loads(once)["command"] == ["rochull", "report", "./-x.parquet", *words]
    assert run(*json.loads(once)["command"][1:], "-o", "again.json").status == 0
    assert Path("again.json").read_text(encoding="utf-8") == once


def test_open(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("rochull.report.report.Report.to_html", lambda self: f"page of {self!r}")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda uri: not opened.append(uri))
    done = run("report", *DATA, "--open")
    [directory] = [path for path in tmp_path.iterdir() if path.is_dir()]
    page = directory / "report.html"
    assert (done.status, opened.pop()) == (0, page.as_uri())
    assert f"Report: {page}" in done.out
    assert page.read_text(encoding="utf-8").startswith("page of Report(naive_bayes")
    assert directory.stat().st_mode & 0o077 == 0  # nobody else reads it
    assert run("report", *DATA, "--open", "-o", "my report.html").status == 0
    assert opened.pop() == (tmp_path / "my report.html").as_uri()
    done = run("report", *DATA, "--open", "-o", "r.json")
    assert done.status == 2
    assert done.err == "rochull: --open shows a page, so --output must end in .html, but is 'r.json'.\n"
    assert not opened


def test_no_browser_is_a_line(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("rochull.report.report.Report.to_html", lambda self: "page")
    monkeypatch.setattr("webbrowser.open", lambda uri: False)
    done = run("report", *DATA, "--open", "-o", "r.html")
    assert done.status == 0
    uri = (tmp_path / "r.html").as_uri()
    assert done.out.endswith(f"Report: r.html\nNo browser could be opened; open the page yourself: {uri}\n")


def test_labels_need_a_positive_one(run: Run) -> None:
    done = run("report", GERMAN, "--label", "class", "--score", "knn")
    assert done.err.startswith(
        "rochull: label column 'class' takes the values 'bad', 'good'; give --positive"
    )
    Path("words.csv").write_text("y,s\nyes,0.5\nno,0.4\nno,0.1\n", encoding="utf-8")
    done = run("report", "words.csv", "--label", "y", "--score", "s", "--positive", "ja")
    assert "Words such as yes and no are read as these, and --positive takes them too." in done.err
    done = run("report", "words.csv", "--label", "y", "--score", "s", "--positive", "yes", "--full")
    assert (done.status, "1 of them (33.3 %) yes" in done.out) == (0, True), done.err
    Path("holes.csv").write_text("y,s\n1,0.5\n0,\n0,0.1\n", encoding="utf-8")
    assert run("report", "holes.csv", "--label", "y", "--score", "s").err.endswith(
        "has 1 null in 3 rows; leave those rows out first, with --where '\"s\" IS NOT NULL'.\n"
    )
    Path("holes.csv").write_text("y,s,a b,z\n1,0.5,,\n0,,1,1\n0,0.1,2,2\n1,0.2,3,3\n", encoding="utf-8")
    asked = ["--label", "y", "--score", "s", "--score", "a b"]
    for command, more in (
        ("report", []),
        ("cascade", ["--cost-fn", "5", "--price", "s=0", "--price", "a b=1"]),
    ):
        done = run(command, "holes.csv", *asked, *more)
        assert "column 's' has 1 null and column 'a b' has 1 null in 4 rows; leave those rows out" in done.err
        assert done.err.endswith("""with --where '"s" IS NOT NULL AND "a b" IS NOT NULL'.\n""")
    done = run("report", "holes.csv", *asked, "--where", "z > 0 OR z IS NULL")
    where = '(z > 0 OR z IS NULL) AND "s" IS NOT NULL AND "a b" IS NOT NULL'
    assert done.err.endswith(f"with --where '{where}'.\n")
    assert run("report", "holes.csv", *asked, "--where", where).status == 0
    done = run("calibrate", "holes.csv", *asked[:4])
    assert done.err.endswith("""with --where '"s" IS NOT NULL'.\n""")
    assert run("report", "nope.csv", "--label", "y", "--score", "s").err.endswith("no file 'nope.csv'.\n")
    assert run("report").status == 2


# --- how sure it is --------------------------------------------------------------------------------


def uncertainty(**options: object) -> rh.report.Uncertainty:
    """Return what Python makes of the German credit scores."""
    columns = read_columns(GERMAN, ["class", "fold", "age", *NAMES])
    given = {"scores": {name: columns[name] for name in NAMES}, "pos_label": "bad"}
    named = {key: columns.get(name, name) for key, name in options.items()}
    return rh.report.Uncertainty(columns["class"], **given, **named)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--bootstrap", "40"], {"n_resamples": 40}),
        (["--bootstrap", "40", "--random-state", "5"], {"n_resamples": 40, "random_state": 5}),
        (["--bootstrap", "40", "--cluster", "age"], {"n_resamples": 40, "clusters": "age"}),
        (["--fold", "fold"], {"n_resamples": 0, "folds": "fold"}),
        (["--bootstrap", "39", "--fold", "fold"], {"n_resamples": 39, "folds": "fold"}),
        (["--bootstrap", "39", "--fold", "age", "--cluster", "age", "--where", "age < 35"], None),
    ],
)
def test_how_sure_it_is(run: Run, words: list[str], options: dict[str, object] | None) -> None:
    done = run("report", *DATA, "--max-fpr", "0.15", *words, "--full", "-o", "report.json")
    assert done.status == 0, done.err
    assert "How sure: " in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    facts = json.loads(Path("report.json").read_text(encoding="utf-8"))
    if options is None:  # the rows of all columns are those of the condition
        ages = np.unique(read_columns(GERMAN, ["age"], "age < 35")["age"])
        assert facts["uncertainty"]["folds"]["n_folds"] == ages.size
        assert facts["uncertainty"]["bootstrap"]["clusters"] == ages.size
        return
    expected = rh.Report(hybrid(), rh.NeymanPearson(0.15), uncertainty=uncertainty(**options), about=ABOUT)
    assert facts.pop("command") == [*COMMAND, *words]
    assert facts.pop("asked") == ["--max-fpr", "0.15"]
    del expected.facts["command"], expected.facts["asked"]
    assert apart(facts) == apart(expected.facts)
    assert ("expected on" in done.out) == ("--bootstrap" in words)
    assert ("in the folds" in done.out) == ("--fold" in words)


def test_how_sure_with_weights(run: Run) -> None:
    done = run("report", *DATA, "--weight", "duration", "--bootstrap", "39", "-o", "r.json")
    assert done.status == 0, done.err
    facts = json.loads(Path("r.json").read_text(encoding="utf-8"))
    made = rh.Hybrid.from_table(GERMAN, label="class", scores=NAMES, pos_label="bad", weight="duration")
    row = facts["uncertainty"]["bootstrap"]["classifiers"][0]
    assert row["auc"]["estimate"] == pytest.approx(made.auc["naive_bayes"], abs=1e-12)
    assert row["auc"]["low"] < row["auc"]["estimate"] < row["auc"]["high"]


def test_few_clusters_are_said_once_and_kept(run: Run) -> None:
    done = run("report", *DATA, "--bootstrap", "39", "--cluster", "fold", "--where", "fold < 6", "--full")
    assert done.status == 0
    assert done.err.count("rochull: warning: --cluster: there are 6 of them") == 1
    assert "UserWarning" not in done.err
    assert "So few clusters (6) do not tell how they vary" in " ".join(done.out.split())


def test_what_is_printed(run: Run) -> None:
    costs = ["--cost-fn", "5", "--prevalence", "0.3"]
    brief = run("report", *DATA, *costs, "-o", "r.json").out
    assert brief.startswith("Flag a case when naive_bayes is 0.1744 or more.\n")
    assert len(brief.splitlines()) <= 26  # with the file
    assert brief.endswith("Report: r.json\n")
    assert len(run("report", *DATA, *costs, "--full").out.splitlines()) > 50
    assert run("report", *DATA, *costs, "-q").out == ""
    assert json.loads(run("report", *DATA, *costs, "--json").out) == json.loads(
        Path("r.json").read_text("utf-8")
    )


def test_the_reader_s_words_and_rule(run: Run) -> None:
    words = [
        "--positive-name",
        "bad loans",
        "--case-name",
        "loans",
        "--unit",
        "EUR",
        "--current",
        "tree >= 0.4",
    ]
    done = run("report", *DATA, "--cost-fn", "5", *words, "-o", "r.json")
    assert done.status == 0, done.err
    said = " ".join(done.out.split())
    assert said.startswith("Flag loans when naive_bayes is 0.1744 or more. Of 100 bad loans you catch 85;")
    assert "less than with tree at 0.4." in said
    assert "(a false alarm costs 1 EUR, a miss 5)" in said
    facts = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert facts["command"] == [*COMMAND, *words]
    columns = read_columns(GERMAN, ["class", "tree"])
    flagged, bad = columns["tree"] >= 0.4, columns["class"] == "bad"
    beside = facts["answer"]["comparison"]
    assert (beside["kind"], beside["fp"], beside["tp"]) == (
        "current",
        (flagged & ~bad).sum(),
        (flagged & bad).sum(),
    )
    wrong = run("report", *DATA, "--current", "trees >= 0.4")
    assert wrong.err.startswith("rochull: --current 'trees' is not one of the scores, which are ")


# --- decide --------------------------------------------------------------------------------------


def decisions(path: str = "out.parquet") -> np.ndarray:
    """Return the decisions that were written."""
    return read_columns(path, ["decision"])["decision"]


def scores_of(*names: str) -> dict[str, np.ndarray]:
    """Return columns of the German credit scores."""
    return read_columns(GERMAN, list(names))


@pytest.mark.parametrize("output", ["out.parquet", "out.csv"])
def test_decide(run: Run, policy: str, output: str) -> None:
    done = run("decide", policy, GERMAN, "--cost-fn", "5", "--prevalence", "0.3", "-o", output)
    assert done.status == 0, done.err
    point = hybrid().at(rh.ExpectedCost(1, 5, 0.3))
    assert f"Rule: {brief(point)} (rates in-sample)\n" in done.out
    assert "Columns read: 'naive_bayes'\n" in done.out
    expected = scores_of("naive_bayes")["naive_bayes"] >= np.float32(point.rules[0][0].threshold)
    assert np.array_equal(decisions(output), expected)
    assert f"Positive: {expected.sum()} of 1,000 cases" in done.out
    with duckdb.connect() as connection:
        counts = [
            connection.execute(f"SELECT count(*) FROM (DESCRIBE SELECT * FROM '{path}')").fetchall()[0][0]
            for path in (GERMAN, output)
        ]
    assert counts[1] == counts[0] + 1
    assert os.listdir() == [output]


def test_a_mixture_by_key(run: Run, policy: str) -> None:
    query = f"SELECT *, 'case ' || row_number() OVER () AS id FROM '{GERMAN}'"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO 'keyed.parquet'")
        connection.execute("COPY (FROM 'keyed.parquet' ORDER BY hash(id)) TO 'shuffled.csv'")
    condition = rh.NeymanPearson(0.15)
    point = hybrid().at(condition)
    assert len(point.rules) == 2
    found = {}
    for source, output in (("keyed.parquet", "a.parquet"), ("shuffled.csv", "b.csv")):
        done = run("decide", policy, source, "--max-fpr", "0.15", "--key", "id", "-o", output)
        assert done.status == 0, done.err
        assert f"Columns read: {', '.join(map(repr, [*point.classifiers, 'id']))}\n" in done.out
        columns = read_columns(output, ["id", "decision"])
        found[output] = dict(zip(columns["id"].tolist(), columns["decision"].tolist(), strict=True))
    assert found["a.parquet"] == found["b.csv"]
    keys = read_columns("keyed.parquet", ["id"])["id"]
    expected = rh.Policy.load(policy).decide(scores_of(*point.classifiers), condition, key=keys)
    assert decisions("a.parquet").tolist() == expected.tolist()


def test_a_numeric_key_of_csv_is_text(run: Run, policy: str) -> None:
    # "007" must not become 7, or a batch in which all keys are digits decides otherwise than another.
    columns = scores_of("naive_bayes", "logistic", "boosted")
    lines = [f"{i:05d},{','.join(repr(float(c[i])) for c in columns.values())}" for i in range(1000)]
    Path("t.csv").write_text("\n".join([f"id,{','.join(columns)}", *lines]) + "\n")
    assert run("decide", policy, "t.csv", "--max-fpr", "0.15", "--key", "id", "-o", "o.csv").status == 0
    keys = np.array([f"{i:05d}" for i in range(1000)], dtype=object)
    expected = rh.Policy.load(policy).decide(columns, rh.NeymanPearson(0.15), key=keys)
    assert decisions("o.csv").tolist() == expected.tolist()
    assert Path("o.csv").read_text().splitlines()[1].startswith("00000,")


def test_a_mixture_by_chance(run: Run, policy: str) -> None:
    found = []
    for _ in range(2):
        run("decide", policy, GERMAN, "--max-fpr", "0.15", "--random-state", "3", "-o", "out.parquet")
        found.append(decisions().tolist())
    assert found[0] == found[1]
    done = run("decide", policy, GERMAN, "--max-fpr", "0.15", "-o", "out.parquet")
    assert "give --key or --random-state to get the same decisions again" in " ".join(done.out.split())
    done = run(
        "decide", policy, GERMAN, "--max-fpr", "0.15", "--deterministic", "--key", "age", "-o", "out.parquet"
    )
    assert "'age' is not needed" in done.out
    point = rh.Policy.load(policy).at(rh.NeymanPearson(0.15), deterministic=True)
    assert brief(point) in " ".join(done.out.split())


def test_decide_by_an_estimated_prevalence(run: Run, policy: str) -> None:
    done = run("decide", policy, GERMAN, "--cost-fn", "5", "--prevalence", "estimate", "-o", "out.parquet")
    assert done.status == 0, done.err
    loaded, condition = rh.Policy.load(policy), rh.ExpectedCost(cost_fn=5, prevalence=0.5)
    scores = scores_of(*loaded.classifiers)
    expected = loaded.decide(scores, condition, prevalence="estimate")
    assert decisions().tolist() == expected.tolist()
    found = loaded.estimate_prevalence(scores)
    assert f"Estimated from these scores: {' '.join(str(found).split())}" in " ".join(done.out.split())
    assert f"prevalence {found.estimate:.4g}" in " ".join(done.out.split())  # what was decided under
    done = run("decide", policy, GERMAN, "--max-fpr", "0.1", "--prevalence", "estimate", "-o", "out.parquet")
    assert (done.status, done.err) == (2, "rochull: --prevalence has no effect with --max-fpr.\n")


def test_decide_so_many_cases(run: Run, policy: str) -> None:
    done = run("decide", policy, GERMAN, "--cases", "137", "--random-state", "1", "-o", "out.parquet")
    assert done.status == 0, done.err
    assert "Condition: highest true positive rate with at most 137 cases flagged\n" in done.out
    assert decisions().sum() == 137
    done = run("decide", policy, GERMAN, "--population", "137", "-o", "out.parquet")
    assert (done.status, done.err.split(":")[0]) == (2, "rochull")


def test_decide_prints_80_columns(run: Run, policy: str) -> None:
    done = run("decide", policy, GERMAN, "--max-fpr", "0.15", "--random-state", "1", "-o", "out.parquet")
    assert " or " in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_constant_rules(run: Run, policy: str) -> None:
    for prevalence, called in (("0", False), ("1", True)):
        done = run(
            "decide", policy, GERMAN, "--cost-fn", "1", "--prevalence", prevalence, "-o", "out.parquet"
        )
        assert done.status == 0, done.err
        if "Columns read: none" in done.out:
            assert (decisions() == called).all()
    rh.Hybrid().add_point("p", 0.1, 0.9).policy().save("p.json")
    done = run("decide", "p.json", GERMAN, "--cost-fn", "1", "--prevalence", "0.001", "-o", "out.parquet")
    assert "Columns read: none\n" in done.out
    assert decisions().size == 1000
    assert not decisions().any()


def test_missing_scores_pass_no_threshold(run: Run, policy: str) -> None:
    Path("t.csv").write_text("id,naive_bayes\n1,0.9\n2,\n3,0.8\n")
    done = run("decide", policy, "t.csv", "--cost-fn", "5", "--prevalence", "0.3", "-o", "out.csv")
    assert done.status == 0
    assert decisions("out.csv").tolist() == [True, False, True]
    assert (
        done.err == "rochull: warning: scores['naive_bayes'] has 1 missing values, which pass no threshold.\n"
    )


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ([], 2, "name a condition to decide under"),
        (["--max-fpr", "0.1", "--key", "age", "--random-state", "1"], 2, "--key and --random-state exclude"),
        (["--max-fpr", "0.15", "--key", "nope"], 1, "has no column 'nope'"),
        (["--max-fpr", "0.1:0.2"], 1, "is an interval, so there is no single best rule"),
        (["--min-precision", "0.9999", "--prevalence", "0.001"], 1, "cannot be"),
        (["--max-fpr", "0.1", "-o", "out.xlsx"], 1, "must end in .parquet"),
        (["--max-fpr", "0.1", "-o", "no/out.csv"], 1, "there is no directory 'no'"),
    ],
)
def test_decide_fails_in_one_line(
    run: Run, policy: str, options: list[str], status: int, message: str
) -> None:
    output = [] if "-o" in options else ["-o", "out.parquet"]
    if "--min-precision" in options:
        policy = "p.json"
        rh.Hybrid().add_point("p", 0.1, 0.9).policy().save(policy)
        message = "precision"
    done = run("decide", policy, GERMAN, *output, *options)
    assert done.status == status
    assert message in done.err
    [line] = done.err.splitlines()
    assert line.startswith("rochull: ")
    assert set(os.listdir()) <= {"p.json"}


def test_a_bad_policy_is_refused(run: Run, policy: str) -> None:
    text = Path(policy).read_text()
    for name, content in {
        "cut.json": text[:200],
        "edited.json": text.replace('"n_pos": 300', '"n_pos": -3'),
    }.items():
        Path(name).write_text(content)
        done = run("decide", name, GERMAN, "--max-fpr", "0.1", "-o", "out.parquet")
        assert done.status == 1
        assert len(done.err.splitlines()) == 1
        assert done.err.startswith(f"rochull: {name}: ")
    done = run("decide", "absent.json", GERMAN, "--max-fpr", "0.1", "-o", "out.parquet")
    assert done.err == "rochull: absent.json: No such file or directory.\n"
    assert not Path("out.parquet").exists()


# --- the program ---------------------------------------------------------------------------------


def program(*arguments: str, before: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a process of its own, `before` it a line of Python."""
    code = f"{before}\nimport sys; from rochull.cli.app import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "80"} | environment,
    )


def test_help_is_light() -> None:
    code = "import sys; from rochull.cli.app import main; main(['report', '--help']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    heavy = {"numpy", "duckdb", "numba", "scipy", "sklearn", "jinja2", "sqlglot", "narwhals"}
    assert heavy & set(done.stdout.splitlines()[-1].split()) == set()
    done = program("--help")
    assert done.returncode == 0
    assert "report" in done.stdout


def test_without_a_command(run: Run) -> None:
    assert run("--version") == (0, f"rochull {rh.__version__}\n", "")
    assert "decide" in run().out
    assert run("nonsense").status == 2


@pytest.mark.long
def test_compiling_is_announced_once(tmp_path: Path) -> None:
    """However quick the processor is: what takes no time is long enough."""
    arguments = ["calibrate", GERMAN, *LABEL, "--score", "knn", "-o", str(tmp_path / "out.csv")]
    before = "from rochull._core.kernels import compiled; compiled._LONG = 0.0"
    cold = program(*arguments, before=before, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_DISABLE_JIT="0")
    assert cold.returncode == 0, cold.stderr
    assert cold.stderr == "rochull: compiling kernels; what is compiled is kept for next time ...\n"
    warm = program(*arguments, before=before, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_DISABLE_JIT="0")
    assert (warm.returncode, warm.stderr, warm.stdout) == (0, "", cold.stdout)


@pytest.mark.long
def test_a_narrow_encoding_loses_characters_only() -> None:
    done = program(
        "report", GERMAN, *LABEL, "--score", "knn", "--max-fpr", "0.1", "--full", PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 0, done.stderr
    assert "knn ?" in done.stdout


def test_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rh.Hybrid, "from_table", interrupt)
    assert run("report", *DATA).status == 130


def test_a_bug_is_not_hidden(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(rh.Hybrid, "from_table", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        run("report", *DATA)


def test_a_prevalence_that_is_not_typed_is_that_of_the_policy(run: Run, policy: str) -> None:
    """It is said, and refused where the policy has no data."""
    said = "No --prevalence given: that of the policy's own data, 0.3, was used."
    for options in (["--cost-fn", "5"], ["--fraction", "0.5", "--deterministic"]):
        done = run("decide", policy, GERMAN, *options, "-o", "own.parquet")
        assert (done.status, said in done.out) == (0, True)
        stated = run("decide", policy, GERMAN, *options, "--prevalence", "0.3", "-o", "stated.parquet")
        assert said not in stated.out
        assert (
            read_columns("own.parquet", ["decision"])["decision"].tolist()
            == read_columns("stated.parquet", ["decision"])["decision"].tolist()
        )
        written = [
            run("sql", policy, "--dialect", "duckdb", *options, *more)
            for more in ([], ["--prevalence", "0.3"])
        ]
        assert written[0].out == written[1].out
        assert said in written[0].err
        assert written[1].err == ""
    rh.Hybrid().add_point("p", 0.1, 0.9).policy().save("rates.json")
    for command in (
        ["decide", "rates.json", GERMAN, "-o", "x.parquet"],
        ["sql", "rates.json", "--dialect", "duckdb"],
    ):
        done = run(*command, "--cost-fn", "5")
        assert done.status == 1
        assert done.err.count("\n") == 1
        assert "--prevalence is needed" in done.err
        assert "such as --prevalence 0.1" in done.err


def test_a_capacity_has_ranks_and_probabilities(run: Run, policy: str) -> None:
    done = run("decide", policy, GERMAN, "--cases", "137", "--random-state", "1", "-o", "queue.parquet")
    assert done.status == 0, done.err
    found = read_columns("queue.parquet", ["decision", "rank", "probability"])
    assert found["decision"].sum() == 137
    assert (found["decision"] == (found["rank"] <= 137)).all()
    assert sorted(found["rank"].tolist()) == list(range(1, 1001))
    assert ((found["probability"] >= 0) & (found["probability"] <= 1)).all()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "report T --label y --score a --segment g",
            "cross-validation in 5 folds needs 5 examples of each class, but",
        ),
        ("report T --label y --score y", "--score must not hold the label column 'y'"),
        ("report T --label y --score a --score a", "--score names the column 'a' twice"),
        ("report T --label y --score a --cost-fp 0 --cost-fn 0", "--cost-fp 0.0, --cost-fn 0.0: no error"),
        ("report T --label y --score a --cost-fp 5:1", "--cost-fp 5:1 is an interval with low > high"),
        ("report T --label y --score a --max-fpr 0.1 --confidence 0.9", "--confidence 0.9 cannot be reached"),
        ("report T --label y --score a --max-fpr 0.1 --confidence 2", "--confidence must lie strictly"),
        (
            "report T --label y --score a --max-fpr 0.1 --confidence 0.9 --segment g",
            "leave --confidence or --segment out",
        ),
        ("report T --label y --score a --maximise f-beta --beta 0", "--beta must be positive"),
        (
            "report T --label y --score a --maximise churn-profit --cost-fn 2",
            "--maximise and --cost-fn both say",
        ),
        (
            "report T --label y --score a --max-decided-error 0.01 --max-review-share 0",
            "no rule keeps both --max-review-share 0 and --max-decided-error 0.01",
        ),
        ("report T --label y --score a --reviewer-fpr 2", "--reviewer-fpr must lie"),
        ("report T --label y --score a --fold g --bootstrap 50", "--fold: fold"),
        ("decide P T -o o.csv --cost-fp 1:5", "--cost-fp 1:5 is an interval"),
        ("decide P T -o o.csv --cases 5:9", "--cases must be one number"),
        (
            "decide S T -o o.csv --max-reviews 5 --column score=a",
            "a policy by segment has no reviews. Make a policy of each segment",
        ),
        (
            "decide S T -o o.csv --cost-review 0.1",
            "a policy by segment has no reviews. Make a policy of each segment",
        ),
        ("sql P --dialect none --cost-fp 1", "--dialect must be one of"),
        (
            "cascade T --label y --score a --score b --price b=-1 --cost-fp 1",
            "--price of 'b' must not be negative",
        ),
        ("cascade T --label y --score a --score g --cost-fp 1", "score column 'g' must be numeric"),
        ("calibrate T --label y --score n", "leave those rows out first, with --where"),
    ],
)
def test_messages_are_in_the_words_of_the_command_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("y,a,b,g,n\n0,.1,.2,u,1\n1,.9,.3,v,\n0,.3,.7,u,1\n1,.2,.8,v,2\n")
    hull, other = rh.roc_hull([0, 1, 0, 1], [0.1, 0.9, 0.3, 0.2]), rh.roc_hull([0, 1], [0, 1])
    rh.Policy.from_hull(hull.named("a")).save("p.json")
    rh.segments.SegmentPolicy.from_hulls({"u": hull, "v": other}, column="g", elsewhere=other).save("s.json")
    files = {"T": "t.csv", "P": "p.json", "S": "s.json"}
    done = run(*(files.get(word, word) for word in line.split()))
    assert done.status in (1, 2)
    assert message in done.err
    assert done.err.count("\n") <= 2


@pytest.mark.parametrize(
    ("typed", "found"), [("rochull deci", "decide"), ("rochull decide --max-fp", "--max-fpr")]
)
def test_the_shell_completes(
    typed: str, found: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_ROCHULL_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    with pytest.raises(SystemExit, match="0"):
        app.main([])
    assert capsys.readouterr().out.split() == [found]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_every_command_takes_the_words(suffix: str, run: Run) -> None:
    path = "t.csv"
    rows = [f"{i},{i % 2},{i / 8},x" for i in range(22)]
    rows[0], rows[11] = "0,NA,NA,NA", "11,N/A,N/A,N/A"
    Path(path).write_text("\n".join(["k,y,a,g", *rows]) + "\n")
    named = ["--missing", "NA", "--missing", "N/A"]
    rh.Policy.from_hull(rh.roc_hull([0, 1], [0.25, 0.75]).named("a")).save("p.json")
    fit = ["calibrate", path, "--label", "y", "--score", "a"]
    assert run(*fit, "--where", "a IS NOT NULL", "--model", "m.json", *named).status == 0
    output = f"o{suffix}"
    for words in (
        *(
            ["decide", "p.json", path, "--cost-fn", "2", "--engine", e, "-o", output]
            for e in ("memory", "duckdb")
        ),
        ["calibrate", path, "--apply", "m.json", "-o", output],
    ):
        told = run(*words)
        assert told.status == 1, words
        assert "but 2 of 22 rows hold 'N/A' (1), 'NA' (1). --missing takes such a word" in told.err
        done = run(*words, *named)
        assert done.status == 0, done.err
        if suffix == ".csv":  # values are copied as they are written
            lines = Path(output).read_text().splitlines()
            assert [line.split(",")[:4] for line in lines[1:]] == [row.split(",") for row in rows]
            assert words[0] == "calibrate" or lines[1].endswith(",false")
        else:
            assert duckdb.sql(f"SELECT count(*) - count(a) FROM '{output}'").fetchall() == [(2,)]
    report = run(
        "report", path, "--label", "y", "--score", "a", "--where", "a IS NOT NULL", *named, "-o", "r.json"
    )
    assert report.status == 0, report.err
    assert Path("r.json").read_text().count('"--missing"') == 2


def test_numpy_is_loaded_for_what_needs_it() -> None:
    """Help and version do not."""
    code = "import sys, rochull.cli.app; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "numpy" not in done.stdout.split()
