"""``rochull multiclass``: what is typed, what is read, and what comes out."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import rochull as rh
from command_line import Run

CLASSES = ("lesion", "normal", "scar")


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, "multiclass")


def made(n: int = 240) -> dict[str, Any]:
    """A table with outputs of three classes, other columns, and a class that is rare."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, n)
    outputs = rng.gamma(1.0, size=(n, 3)) + 1.2 * np.eye(3)[codes]
    return {
        "finding": np.array(CLASSES)[codes],
        **{name: outputs[:, c] for c, name in enumerate(CLASSES)},
        "code": codes,
        "mass": rng.uniform(0.5, 2, n),
        "site": rng.choice(["a", "b"], n),
        **{str(c): outputs[:, c] for c in range(3)},
    }


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The table as CSV and as Parquet."""
    where, table = tmp_path_factory.mktemp("tables"), made()
    paths = {kind: str(where / f"table.{kind}") for kind in ("csv", "parquet")}
    with duckdb.connect() as connection:
        connection.register(
            "made", {k: v.astype(object) if v.dtype.kind == "U" else v for k, v in table.items()}
        )
        connection.sql("SELECT * FROM made").write_csv(paths["csv"])
        connection.sql("SELECT * FROM made").write_parquet(paths["parquet"])
    return paths


def facts_of(run: Run, tmp_path: Path, *arguments: str) -> dict[str, Any]:
    status, _, err = run(*arguments, "-o", str(tmp_path / "r.json"))
    assert (status, err) == (0, "")
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def roc(weights: Any = None) -> rh.MulticlassRoc:
    table = made()
    return rh.MulticlassRoc(table["finding"], np.column_stack([table[c] for c in CLASSES]), weights)


# --- what comes out ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_report_is_python_s(run: Run, tables: dict[str, str], tmp_path: Path, kind: str) -> None:
    limits = ["--limit", "error(lesion)<=0.2", "--limit", "called( scar , normal ) <= .3"]
    costs = ["--cost", "lesion,normal=5", "--cost", "scar,normal=2.5"]
    facts = facts_of(run, tmp_path, tables[kind], "--label", "finding", *limits, *costs, "--starts", "3")
    mc = roc()
    objective = rh.multiclass.CostMatrix([[0, 5, 1], [1, 0, 1], [1, 2.5, 0]])
    subject_to = [rh.multiclass.Error("lesion") <= 0.2, rh.multiclass.Cell("scar", "normal") <= 0.3]
    for within in (subject_to, ()):
        mc.search(objective, subject_to=within, n_starts=3, random_state=0)
    command = ["rochull", "multiclass", tables[kind], "--label", "finding"]
    command += [word for name in CLASSES for word in ("--score", name)]
    about = {"rochull": rh.__version__, "table": tables[kind], "label": "finding"}
    columns = dict(zip(CLASSES, CLASSES, strict=True))
    wanted = rh.report.MulticlassReport(
        mc, subject_to=subject_to, objective=objective, columns=columns, command=command, about=about
    )
    assert facts == wanted.facts


@pytest.mark.parametrize(
    ("typed", "objective"),
    [
        ("max-error", "max_error"),
        ("error-rate", "error"),
        ("mean-error", rh.multiclass.CostMatrix(1 - np.eye(3), [1, 1, 1])),
        ("cost", rh.multiclass.CostMatrix(1 - np.eye(3))),
        ("error(scar)", rh.multiclass.Error("scar")),
        ('called("lesion", scar)', rh.multiclass.Cell("lesion", "scar")),
    ],
)
def test_objectives(run: Run, tables: dict[str, str], tmp_path: Path, typed: str, objective: Any) -> None:
    given = [tables["csv"], "--label", "finding", "--minimise", typed, "--starts", "2", "--points", "40"]
    facts = facts_of(run, tmp_path, *given)
    mc = roc()
    mc.search(objective, n_starts=2, random_state=0)
    assert facts["points"]["weights"] == mc.points[:40].weights.tolist()
    assert facts["chosen"]["value"] == mc.points.at(objective).value(objective)
    assert facts["objective"]["kind"] != "given" or facts["objective"]["option"].startswith(typed[:5])


def test_given_weights_are_looked_at(run: Run, tables: dict[str, str], tmp_path: Path) -> None:
    weights = ["--weights", "1,0.5,2", "--weights", "0.3,1e-3,0"]
    facts = facts_of(run, tmp_path, tables["csv"], "--label", "finding", *weights)
    points = roc().points_at([[1, 0.5, 2], [0.3, 1e-3, 0]])
    assert facts["points"]["confusion"] == points.confusion.tolist()
    assert facts["chosen"]["value"] == points.at("max_error").value("max_error")
    assert "--weights" not in facts["command"]


def test_columns_by_other_names(run: Run, tables: dict[str, str], tmp_path: Path) -> None:
    scores = ["--score", "scar=2", "--score", "lesion=0", "--score", "normal=1"]
    given = [tables["parquet"], "--label", "finding", "--starts", "2", *scores]
    facts = facts_of(run, tmp_path, *given)
    assert [c["name"] for c in facts["classes"]] == ["scar", "lesion", "normal"]
    assert facts["command"][-6:] == scores
    sql = rh.multiclass.MulticlassPolicy.from_points(roc().points_at([1, 1, 1])).to_sql(
        [1, 1, 1], "duckdb", columns=["0", "1", "2"]
    )
    assert 'CAST("2" AS DOUBLE)' in sql
    assert 'CAST("2" AS DOUBLE)' in facts["deploy"]["sql"]["duckdb"]["products"][0]["one"]


def test_labels_that_are_numbers(run: Run, tables: dict[str, str], tmp_path: Path) -> None:
    for path in tables.values():
        given = [
            path,
            "--label",
            "code",
            "--starts",
            "2",
            "--limit",
            "error(1)<=0.3",
            "--cost",
            "0,2=3",
        ]
        facts = facts_of(run, tmp_path, *given)
        assert [c["code"] for c in facts["classes"]] == ["0", "1", "2"]
        assert facts["limits"][0]["code"] == "rh.multiclass.Error(1) <= 0.3"
        assert facts["costs"] == [[0, 1, 3], [1, 0, 1], [1, 1, 0]]


def test_weights_of_rows_and_some_rows(run: Run, tables: dict[str, str], tmp_path: Path) -> None:
    given = ["--label", "finding", "--weight", "mass", "--where", "site = 'a'", "--weights", "1,1,1"]
    facts = facts_of(run, tmp_path, tables["csv"], *given)
    table = made()
    rows = table["site"] == "a"
    wanted = rh.MulticlassRoc(
        table["finding"][rows], np.column_stack([table[c] for c in CLASSES])[rows], table["mass"][rows]
    )
    assert facts["weighted"]
    assert np.allclose(facts["points"]["confusion"], wanted.confusion([1, 1, 1]), rtol=1e-12)
    assert facts["command"][-4:] == ["--weight", "mass", "--where", "site = 'a'"]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_costs_and_priors(mark: str, run: Run, tables: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "costs.csv"
    text = "true,scar,lesion,normal\nnormal,1,2,0\n\nlesion,7,0,4.5\nscar,0,-1,2\n"
    file.write_text(text.replace(",", mark), encoding="utf-8")
    priors = ["--prior", "lesion=1", "--prior", "scar=0", "--prior", "normal=8"]
    given = [tables["csv"], "--label", "finding", "--weights", "1,1,1", "--costs", str(file), *priors]
    facts = facts_of(run, tmp_path, *given, "--cost", "scar,normal=3")
    assert facts["costs"] == [[0, 4.5, 7], [2, 0, 1], [-1, 3, 0]]
    assert facts["priors"] == [1, 8, 0]
    assert facts["objective"]["kind"] == "expected_cost"


def test_tables_policy_and_page(run: Run, tables: dict[str, str], tmp_path: Path, monkeypatch: Any) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    policy, page = tmp_path / "p.json", tmp_path / "r.html"
    given = ["--label", "finding", "--starts", "2", "--points", "30", "--limit", "max-error<=0.9", "--full"]
    status, out, err = run(
        tables["csv"], *given, "-o", str(page), "--policy", str(policy), "--open", "--title", "Skin [b]"
    )
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines()[:-2])) <= 80
    assert out.startswith("Skin [b]\n\nCall a case the class ")
    assert "\nMeasured on 240 past cases: lesion (" in out
    assert out.endswith(f"Report: {page}\nPolicy: {policy}\n")
    assert opened == [page.as_uri()]
    loaded = rh.multiclass.MulticlassPolicy.load(policy)
    assert len(loaded.points) == 30
    assert loaded.about == {"rochull": rh.__version__, "table": tables["csv"], "label": "finding"}
    assert "multiclassView = " in page.read_text(encoding="utf-8")


def test_what_is_said_of_the_data(run: Run, tables: dict[str, str], tmp_path: Path) -> None:
    policy = tmp_path / "p.json"
    given = [
        tables["csv"],
        "--label",
        "finding",
        "--weights",
        "1,2,1",
        "--about",
        "240 patients",
        "--date",
        "2025",
    ]
    facts = facts_of(run, tmp_path, *given, "--policy", str(policy))
    said = {"table": tables["csv"], "label": "finding", "about": "240 patients", "date": "2025"}
    assert facts["about"] == {"rochull": rh.__version__, **said}
    assert rh.multiclass.MulticlassPolicy.load(policy).about == facts["about"]
    assert "240 patients" in facts["deploy"]["policy"]["head"]
    _, out, _ = run(*given, "--full")
    assert f"240 patients · table {tables['csv']} · label finding · date 2025" in " ".join(out.split())


def test_limits_that_nothing_is_within(run: Run, tables: dict[str, str], tmp_path: Path) -> None:
    """Status 1 and a sentence, as `rochull report` has it; the report shows how near one comes."""
    nothing = ["--limit", "error(scar)<=0", "--limit", "error(lesion)<=0", "--limit", "error(normal)<=0"]
    page, policy = tmp_path / "r.json", tmp_path / "p.json"
    given = [tables["csv"], "--label", "finding", "--weights", "1,1,1", *nothing]
    status, out, err = run(*given, "-o", str(page), "--policy", str(policy), "--full")
    assert status == 1
    assert "The rule does not keep all limits. It breaks" in " ".join(out.split())
    assert out.endswith(f"Report: {page}\n")
    assert err.startswith('rochull: The rule does not keep all limits. It breaks "error of ')
    assert err.endswith(" No policy is written.\n")
    assert not json.loads(page.read_text(encoding="utf-8"))["chosen"]["feasible"]
    assert not policy.exists()
    status, _, err = run(*given)
    assert (status, len(err.splitlines()), "policy" in err) == (1, 1, False)


# --- what is wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--limit", "err<=3"], "--limit 'err<=3' must be one of max-error, error-rate, error(CLASS)"),
        (["--limit", "error(scar)<0.5"], 'must be like "error(CLASS)<=0.05", with <= or >=, but is'),
        (["--limit", "error(scar)<=40"], "must end in a share from 0 to 1: 0.4 is 40 %."),
        (["--limit", "error(scar)<=few"], "must end in a number, but ends in 'few'."),
        (["--limit", "error(scar)<=nan"], "must end in a number, but ends in 'nan'."),
        (["--limit", "error(scar,normal)<=0.1"], "but is 'error(scar,normal)'"),
        (["--limit", "called(scar)<=0.1"], "but is 'called(scar)'"),
        (["--limit", "__import__('os')<=0.1"], "must be one of max-error"),
        (
            ["--limit", "error(bus)<=0.1"],
            "names the class 'bus', but the classes are 'lesion', 'normal', 'scar'.",
        ),
        (["--minimise", "best"], "--minimise must be one of max-error, mean-error, error-rate, cost"),
        (
            ["--minimise", "error-rate", "--cost", "scar,normal=1"],
            "--cost has no effect with --minimise error",
        ),
        (
            ["--minimise", "max-error", "--prior", "scar=1"],
            "--prior has no effect with --minimise max-error.",
        ),
        (["--cost", "scar=1"], "--cost must be TRUE,CALLED=VALUE, but is 'scar=1'."),
        (["--cost", "scar,bus=1"], "--cost names the class 'bus'"),
        (["--cost", "scar,normal=inf"], "must end in a number, but ends in 'inf'."),
        (["--prior", "scar"], "--prior must be CLASS=VALUE, but is 'scar'."),
        (["--prior", "scar=-1"], "--prior 'scar=-1' must not be negative."),
        (["--prior", "scar=1"], "--prior must be given for all classes, but not for 'lesion'."),
        (["--prior", "scar=1", "--prior", "scar=2"], "--prior names the class 'scar' twice."),
        (["--prior", "scar=0"], "--prior is 0 for every class."),
        (["--weights", "1,2"], "--weights must be 3 numbers, for the classes lesion, normal, scar"),
        (["--weights", "1,x,2"], "must end in a number, but ends in 'x'."),
        (["--weights", "0,0,0"], "--weights '0,0,0' must not be negative, and not all 0."),
        (["--weights", "1,1,1", "--starts", "3"], "--starts has no effect with --weights"),
        (["--starts", "0"], "--starts must be 1 or more, but is 0."),
        (["--random-state", "-1"], "--random-state must be 0 or more, but is -1."),
        (["--method", "guess"], "guess"),
        (["--score", "scar", "--score", "normal"], "--score names no column for the class 'lesion'"),
        (["--score", "scar", "--score", "scar=2"], "--score names the class 'scar' twice."),
        (["--score", "bus=2"], "--score names the class 'bus'"),
        (["--score", "P(bus)"], "write CLASS=COLUMN, such as 'lesion=P(bus)'."),
        (["--score", "scar=finding"], "--score 'scar=finding' names the column of the labels."),
        (["--score", "scar=1", "--score", "lesion=1"], "names the column of another class."),
        (["--open", "-o", "r.txt"], "--open shows a page"),
    ],
)
def test_options_that_are_wrong(run: Run, tables: dict[str, str], options: list[str], message: str) -> None:
    status, out, err = run(tables["csv"], "--label", "finding", *options)
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty."),
        (
            "x,lesion,normal\nlesion,0,1\nnormal,1,0\n",
            "must have columns for the classes lesion, normal, scar",
        ),
        ("x,lesion,normal,scar\nlesion,0,1,2\nnormal,1,0,2\n", "must have rows for the classes"),
        (
            "x,lesion,normal,scar\nlesion,0,1\nnormal,1,0,2\nscar,1,1,0\n",
            "has 2 costs in the row of 'lesion'",
        ),
        (
            "x,lesion,normal,scar\nlesion,0,1,a\nnormal,1,0,2\nscar,1,1,0\n",
            "must end in a number, but ends in 'a'",
        ),
        (
            "lesion normal scar\nlesion 0 1 1\n",
            "must have columns for the classes lesion, normal, scar, but has none.",
        ),
        ("x,lesion,normal,normal\nlesion,0,1,1\nnormal,1,0,2\nscar,1,1,0\n", "names a class twice."),
        ("x,lesion,normal,scar\nlesion,0,1,1\nlesion,1,0,2\nscar,1,1,0\n", "names a class twice."),
    ],
)
def test_files_of_costs_that_are_wrong(
    run: Run, tables: dict[str, str], tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "costs.csv"
    file.write_text(text, encoding="utf-8")
    status, _, err = run(tables["csv"], "--label", "finding", "--costs", str(file))
    assert status in (1, 2)
    assert f"--costs {str(file)!r}" in err
    assert message in err


@pytest.mark.parametrize(
    ("query", "options", "message"),
    [
        (
            "SELECT * REPLACE (-scar AS scar) FROM t",
            [],
            "column 'scar' must hold outputs that are finite and not neg",
        ),
        ("SELECT * REPLACE ('inf'::DOUBLE AS scar) FROM t", [], "not negative, but holds inf."),
        ("SELECT * REPLACE (site AS scar) FROM t", [], "column 'scar' must be numeric"),
        (
            "SELECT * REPLACE (nullif(code, 2) AS code) FROM t",
            ["--label", "code"],
            "leave those rows out first, with",
        ),
        ("SELECT * FROM t WHERE finding = 'scar'", [], "label column 'finding' has 1 class, but two or more"),
        ("SELECT * EXCLUDE scar FROM t", [], "Name the columns of the classes by --score CLASS=COLUMN."),
        ("SELECT * FROM t", ["--label", "nothing"], "has no column 'nothing'"),
        ("SELECT * FROM t", ["--where", "site = 'z'"], "has no rows where site = 'z'"),
    ],
)
def test_tables_that_are_wrong(  # noqa: PLR0917 (fixtures)
    run: Run, tables: dict[str, str], tmp_path: Path, query: str, options: list[str], message: str
) -> None:
    path = str(tmp_path / "t.parquet")
    with duckdb.connect() as connection:
        connection.sql(f"CREATE VIEW t AS FROM '{tables['parquet']}'")
        connection.sql(query).write_parquet(path)
    status, out, err = run(path, *(options if "--label" in options else ["--label", "finding", *options]))
    assert (status, out) == (1, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_the_answer_the_facts_or_nothing(run: Run, tables: dict[str, str]) -> None:
    given = [tables["csv"], "--label", "finding", "--weights", "1,2,1"]
    out = run(*given).out
    first = " ".join(out.splitlines()[:2])
    assert first == "Multiply the scores: lesion by 1, normal by 2 and scar by 1; the largest decides."
    assert len(out.splitlines()) <= 25
    assert json.loads(run(*given, "--json").out)["answer"]["state"]["weights"][1]["weight"] == "2"
    assert run(*given, "-q").out == ""
