"""``rochull calibrate``: fit and apply, as typed on a command line."""

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from command_line import GERMAN, LABEL
from rochull.cli.app import main
from rochull.report.calibration import calibration_facts

FIT = [*LABEL, "--score", "naive_bayes"]


@pytest.fixture(scope="module")
def german() -> tuple[Any, Any]:
    table = rh.datasets.load("german_credit_scores")
    return np.asarray(table["class"] == "bad").astype(int), np.asarray(table["naive_bayes"])


def columns(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = duckdb.sql(f"SELECT * FROM '{path}'").fetchnumpy()
    return found


def test_fit_and_apply(tmp_path: Path, german: Any, capsys: pytest.CaptureFixture[str]) -> None:
    y, scores = german
    out, model, again = tmp_path / "out.parquet", tmp_path / "cal.json", tmp_path / "again.csv"
    assert (
        main(["calibrate", GERMAN, *FIT, "--bound", "misleading", "-o", str(out), "--model", str(model)]) == 0
    )
    said = " ".join(capsys.readouterr().out.split())
    assert "held out (5 folds)" in said
    assert "in-sample: this table chose the map" in said
    expected = rh.PavCalibrator(bound="misleading").fit(scores, y)
    written = columns(out)
    assert written["posterior"].tolist() == expected.posterior(scores).tolist()
    assert written["llr"].tolist() == expected.llr(scores).tolist()
    assert len(written) == len(duckdb.sql(f"SELECT * FROM '{GERMAN}'").columns) + 4
    assert json.loads(model.read_text())["about"]["score"] == "naive_bayes"
    assert main(["calibrate", GERMAN, "--apply", str(model), "--prevalence", "0.1", "-o", str(again)]) == 0
    said = capsys.readouterr().out
    assert "at prevalence 0.1" in said
    assert max(map(len, said.replace(str(tmp_path), "").splitlines())) <= 80
    np.testing.assert_allclose(columns(again)["posterior"], expected.posterior(scores, 0.1), rtol=1e-15)


def test_a_fusion_of_two_systems_is_fitted_saved_and_applied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = rh.datasets.load("german_credit_scores")
    y, both = table["class"] == "bad", {name: table[name] for name in ("boosted", "logistic")}
    model, out, again = tmp_path / "fusion.json", tmp_path / "held_out.parquet", tmp_path / "again.parquet"
    scores = ["--score", "boosted", "--score", "logistic", "--method", "fusion"]
    more = ["--bound", "elub", "--fit-prevalence", "0.5", "--penalty", "1e-3", "--held-out"]
    assert main(["calibrate", GERMAN, *LABEL, *scores, *more, "--model", str(model), "-o", str(out)]) == 0
    said = capsys.readouterr().out
    assert "raw" not in said  # two columns have no score before they are fused
    assert "held out (5 folds)" in said
    assert main(["calibrate", GERMAN, "--apply", str(model), "-o", str(again)]) == 0
    expected = rh.LogisticFusion(0.5, 1e-3, bound="elub").fit(both, y)
    written = columns(again)
    np.testing.assert_allclose(written["llr"], expected.llr(both), rtol=1e-12, atol=1e-12)
    of_bound = dict(zip(expected.bounds_, ("lower", "upper"), strict=True))
    names = [of_bound.get(llr) for llr in expected.llr(both).tolist()]
    assert written["bound"].tolist() == names
    assert {"lower", "upper"} <= {*names}
    assert 0 < np.abs(columns(out)["llr"] - written["llr"]).max() < 2


@pytest.mark.filterwarnings("ignore:.*their log-odds fit the labels better:UserWarning")
@pytest.mark.parametrize(
    ("options", "make"),
    [
        ([], rh.PavCalibrator),
        (["--bound", "laplace"], lambda: rh.PavCalibrator(bound="laplace")),
        (["--bound", "none"], rh.PavCalibrator),
        (["--method", "beta", "--bound", "invariance"], lambda: rh.BetaCalibrator(bound="invariance")),
        (["--interpolation", "linear", "--bound", "laplace"], lambda: rh.PavCalibrator("linear", "laplace")),
        (["--bound", "elub", "--strict"], lambda: rh.PavCalibrator(bound="elub", strict=True)),
        (["--method", "logistic"], rh.LogisticCalibrator),
        (["--method", "beta"], rh.BetaCalibrator),
        (["--method", "logistic", "--fit-prevalence", "0.5"], lambda: rh.LogisticCalibrator(prevalence=0.5)),
    ],
)
def test_methods(options: list[str], make: Any, tmp_path: Path, german: Any) -> None:
    y, scores = german
    out = tmp_path / "out.parquet"
    assert main(["calibrate", GERMAN, *FIT, *options, "-o", str(out)]) == 0
    np.testing.assert_array_equal(columns(out)["llr"], make().fit(scores, y).llr(scores))


def test_rows_and_weights(tmp_path: Path, german: Any) -> None:
    """`--where` chooses the rows to fit on; all are calibrated."""
    y, scores = german
    table = rh.datasets.load("german_credit_scores")
    out = tmp_path / "out.parquet"
    some = np.asarray(table["duration"]) > 12
    options = ["--where", "duration > 12", "--weight", "age", "-o", str(out)]
    assert main(["calibrate", GERMAN, *FIT, *options]) == 0
    expected = rh.PavCalibrator().fit(scores[some], y[some], np.asarray(table["age"])[some])
    np.testing.assert_array_equal(columns(out)["llr"], expected.llr(scores))


def test_llrs_are_printed_to_a_base(tmp_path: Path, german: Any, capsys: pytest.CaptureFixture[str]) -> None:
    y, scores = german
    out = tmp_path / "out.parquet"
    assert main(["calibrate", GERMAN, *FIT, "--bound", "laplace", "--base", "10", "-o", str(out)]) == 0
    llr = rh.PavCalibrator(bound="laplace").fit(scores, y).llr(scores, base=10)
    said = " ".join(capsys.readouterr().out.split())
    assert f"LLRs (logarithms to base 10) from {llr.min():.4g} to {llr.max():.4g}" in said
    assert (
        columns(out)["llr"].tolist() == rh.PavCalibrator(bound="laplace").fit(scores, y).llr(scores).tolist()
    )
    for wrong in ("1", "inf", "2:3", "nan"):
        assert main(["calibrate", GERMAN, *FIT, "--base", wrong]) == 2
        assert f"--base must be a number above 1, but is {wrong}." in capsys.readouterr().err
    assert main(["calibrate", GERMAN, "--apply", "c.json", "--base", "10", "-o", str(out)]) == 2
    assert "--base has no effect with --apply" in capsys.readouterr().err


def test_missing_scores_stay_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, table, out = tmp_path / "cal.json", tmp_path / "new.csv", tmp_path / "out.csv"
    assert main(["calibrate", GERMAN, *FIT, "--method", "logistic", "--model", str(model)]) == 0
    table.write_text("naive_bayes,name\n0.5,a\n,b\n0.1,c\n")
    assert main(["calibrate", str(table), "--apply", str(model), "-o", str(out)]) == 0
    assert "1 of them are missing" in capsys.readouterr().out
    rows = out.read_text().splitlines()
    assert rows[2] == ",b,,,,"
    assert main(["calibrate", str(table), "--apply", str(model), "--score", "other", "-o", str(out)]) == 1
    assert "'other'" in capsys.readouterr().err


def test_scores_one_after_the_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, first, second = tmp_path / "t.csv", tmp_path / "a.csv", tmp_path / "b.csv"
    table.write_text("y,s,t\n0,-inf,1\n1,2.5,2\n0,1.5,3\n1,3.5,4\n")
    fit = ["--label", "y", "--bound", "laplace"]
    assert main(["calibrate", str(table), *fit, "--score", "s", "--prefix", "s_", "-o", str(first)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The columns s_posterior, s_llr, s_log10_lr and s_bound are in-sample" in said
    assert main(["calibrate", str(first), *fit, "--score", "t", "-o", str(second)]) == 0
    new = ["posterior", "llr", "log10_lr", "bound"]
    assert list(columns(second)) == ["y", "s", "t", *(f"s_{name}" for name in new), *new]
    assert columns(second)["s_posterior"].tolist() == [0.25, 0.75, 0.25, 0.75]
    capsys.readouterr()
    assert main(["calibrate", str(first), *fit, "--score", "t", "--prefix", "S_", "-o", str(second)]) == 1
    assert "already has a column 's_posterior'. --prefix gives" in capsys.readouterr().err


def test_what_is_said_about_the_data_and_the_label(
    tmp_path: Path, german: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    y, scores = german
    model, out = tmp_path / "m.json", tmp_path / "out.csv"
    for bound in ("laplace", "misleading"):
        assert main(["calibrate", GERMAN, *FIT, "--bound", bound, "--model", str(model)]) == 0
        said = capsys.readouterr().out
        assert f"{y.size:,} examples, {y.mean():.4g} of their weight positive" in said
        assert "LLRs (natural logarithms) from" in said
    fitted = rh.PavCalibrator(bound="laplace").fit(scores, y)
    assert f"{fitted.prevalence_:.4g}" != f"{y.mean():.4g}"  # else this could not fail
    weights = np.where(y == 1, 3.0, 1.0)
    facts = calibration_facts(fitted, y, scores, weights)
    assert facts["prevalence"] == pytest.approx(weights[y == 1].sum() / weights.sum(), rel=1e-14)
    assert main(["calibrate", GERMAN, "--apply", str(model), "-o", str(out)]) == 0
    said = capsys.readouterr().out
    assert "Positive is the label 'bad' of column 'class'; llr is a natural logarithm." in said
    rh.PavCalibrator(pos_label=1).fit(scores, y).save(model)
    arguments = ["calibrate", GERMAN, "--apply", str(model), "--score", "naive_bayes", "-o", str(out)]
    assert main(arguments) == 0
    assert "Positive is the label 1; llr is a natural logarithm." in capsys.readouterr().out
    rh.PavCalibrator().fit(scores, y).save(model)
    assert main([*arguments, "--prefix", "a_"]) == 0
    assert "\na_llr is a natural logarithm." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ("0,7\n1,x\n0,1\n1,9", [], "column 's' must be numeric, but 1 of 4 rows hold 'x' (1)."),
        ("0,.7\n1,.2\n0,1.5\n1,.9", ["--method", "beta"],
         "beta calibration needs probabilities: score column 's' must lie between 0 and 1, but holds 1.5 at"),
        ("0,7\n1,\n0,1\n1,9", [], "column 's' has 1 null in 4 rows"),
        ("0,7\n1,nan\n0,1\n1,9", [], "score column 's' has 1 NaN, the first at index 1"),
    ],
)  # fmt: skip
def test_messages_name_the_column(
    rows: str, options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "t.csv"
    table.write_text(f"y,s\n{rows}\n")
    assert main(["calibrate", str(table), "--label", "y", "--score", "s", *options]) == 1
    assert message in capsys.readouterr().err


def test_messages_when_applied_name_the_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, table, out = tmp_path / "m.json", tmp_path / "t.csv", str(tmp_path / "out.csv")
    assert main(["calibrate", GERMAN, *FIT, "--method", "beta", "--model", str(model)]) == 0
    for rows, message in (
        (",.5,x", "column 'naive_bayes' must be numeric, but 1 of 3 rows hold 'x' (1)."),
        (",.5,2", "score column 'naive_bayes' must lie between 0 and 1, but holds 2.0 at index 2"),
    ):
        table.write_text("n,naive_bayes\n" + "".join(f"0,{row}\n" for row in rows.split(",")))
        assert main(["calibrate", str(table), "--apply", str(model), "-o", out]) == 1
        assert message in capsys.readouterr().err


def test_infinite_scores_are_calibrated(tmp_path: Path) -> None:
    table, out, model = tmp_path / "t.csv", tmp_path / "out.csv", tmp_path / "m.json"
    table.write_text("y,s\n0,-inf\n0,-inf\n1,inf\n")
    fit = ["--label", "y", "--score", "s", "--bound", "none", "--model", str(model), "-o", str(out)]
    assert main(["calibrate", str(table), *fit]) == 0
    assert out.read_text().splitlines()[1:] == [
        "0,-inf,0.0,-inf,-inf,", "0,-inf,0.0,-inf,-inf,", "1,inf,1.0,inf,inf,",
    ]  # fmt: skip
    again = tmp_path / "again.parquet"
    table.write_text("i,s\n1,-inf\n2,\n")
    assert main(["calibrate", str(table), "--apply", str(model), "-o", str(again)]) == 0
    assert columns(again)["posterior"].tolist() == [0, None]
    assert columns(again)["s"].tolist() == [-np.inf, None]  # and neither text nor a date


def test_the_table_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "t.csv"
    text = "y,s\n0,1\n1,2\n"
    table.write_text(text)
    for source in (str(table), str(tmp_path / "*.csv")):
        assert main(["calibrate", source, "--label", "y", "--score", "s", "-o", str(table)]) == 1
        assert "is also the table that is read; name another file" in capsys.readouterr().err
    assert table.read_text() == text


def test_facts(german: Any) -> None:
    y, scores = german
    facts = calibration_facts(rh.PavCalibrator().fit(scores, y), y, scores, None)
    rows = {row["name"].strip(): row for row in facts["rows"]}
    raw = rh.decompose(y, scores)
    assert rows["Brier score"]["raw"] == raw.score
    assert rows["miscalibration"]["raw"] == raw.miscalibration
    assert rows["miscalibration"]["in_sample"] == pytest.approx(0, abs=1e-15)
    assert rows["Cllr (bits)"]["in_sample"] == pytest.approx(rh.min_cllr(y, scores), rel=1e-12)
    assert rows["AUC"]["in_sample"] >= rows["AUC"]["raw"]
    assert rows["Brier score"]["held_out"] > rows["Brier score"]["in_sample"]
    assert facts == calibration_facts(rh.PavCalibrator().fit(scores, y), y, scores, None)
    logits = np.log(scores) * 3
    facts = calibration_facts(rh.LogisticCalibrator().fit(logits, y), y, logits, np.ones(y.size))
    assert {row["name"]: row["raw"] for row in facts["rows"]}["Brier score"] is None
    few = calibration_facts(rh.PavCalibrator().fit([0.1, 0.7, 0.9], [0, 0, 1]), np.array([0, 0, 1]),
                            np.array([0.1, 0.7, 0.9]), None)  # fmt: skip
    assert few["rows"][0]["held_out"] is None


@pytest.mark.parametrize("width", [80, 120])
def test_the_page_fits(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for options, infinite in ((["--bound", "laplace"], False), ([], True)):
        assert main(["calibrate", GERMAN, *FIT, *options]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= 80
        assert any("An infinite score" in line for line in lines) == infinite


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--label is needed to fit"),
        (["--label", "class"], "--score is needed to fit"),
        ([*FIT, "--method", "beta", "--strict"], "--strict is for --method pav"),
        ([*FIT, "--prevalence", "0.1"], "--prevalence has no effect without --output"),
        ([*FIT, "--prefix", "a_"], "--prefix has no effect without --output"),
        ([*FIT, "--score", "age"], "--score is given more than once; calibrate one score after the other"),
        ([*FIT, "--prevalence", "1.5"], "--prevalence must lie strictly between 0 and 1"),
        ([*FIT, "--prevalence", "0.1:0.2"], "--prevalence must be one number"),
        ([*FIT, "--model", "cal.pkl"], "--model must end in .json"),
        (["--apply", "cal.json"], "--apply needs --output"),
        (["--apply", "cal.json", "--method", "pav", "-o", "x.csv"], "--method has no effect with --apply"),
        (["--apply", "cal.json", "--strict", "-o", "x.csv"], "--strict has no effect with --apply"),
        ([*FIT, "--method", "isotonic"], "isotonic"),
        ([*FIT, "--write", "posterior"], "--write has no effect without --output"),
        ([*FIT, "--write", "odds", "-o", "x.csv"], "--write must be one of 'posterior', 'llr', 'log10_lr'"),
    ],
)
def test_wrong_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", GERMAN, *options]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--label", "class", "--score", "naive_bayes"], "give --positive"),
        ([*FIT, "-o", "nowhere/out.csv"], "nowhere"),
        ([*FIT, "-o", "out.txt"], "out.txt"),
        (["--apply", "missing.json", "-o", "out.csv"], "missing.json"),
    ],
)
def test_errors_leave_nothing_behind(
    options: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["calibrate", GERMAN, *options]) in (1, 2)
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_another_column_than_the_models_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, out = tmp_path / "m.json", tmp_path / "out.csv"
    assert main(["calibrate", GERMAN, *FIT, "--model", str(model)]) == 0
    for column, said in ((FIT[FIT.index("--score") + 1], False), ("boosted", True)):
        capsys.readouterr()
        assert main(["calibrate", GERMAN, "--apply", str(model), "--score", column, "-o", str(out)]) == 0
        assert ("the model was fitted to column" in capsys.readouterr().err) == said


def test_a_column_that_the_model_needs_is_not_guessed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("naive_bays\n0.5\n")
    calibrator = rh.PavCalibrator(bound="laplace").fit([1, 2], [0, 1])
    calibrator.save(model, about={"score": "naive_bayes"})
    assert main(["calibrate", str(table), "--apply", str(model), "-o", str(tmp_path / "o.csv")]) == 1
    said = capsys.readouterr().err
    assert "it has 'naive_bays'. Say which of them it is: --score <its column>." in said


def test_bounds_and_decimal_logarithms(tmp_path: Path, german: Any) -> None:
    y, scores = german
    model, out = tmp_path / "m.json", tmp_path / "o.parquet"
    made = rh.PavCalibrator(bound="elub").fit(scores, y)
    low, high = made.bounds_
    for options in (["--bound", "elub", "--model", str(model), *FIT], ["--apply", str(model)]):
        assert main(["calibrate", GERMAN, *options, "-o", str(out)]) == 0
        found = columns(out)
        llr = made.llr(scores)
        np.testing.assert_array_equal(found["log10_lr"], llr / np.log(10))
        twin = ["upper" if each == high else "lower" if each == low else None for each in llr.tolist()]
        held = duckdb.sql(f"SELECT bound FROM '{out}'").fetchall()
        assert [row[0] for row in held] == twin
        assert {"upper", "lower", None} == set(twin)
    assert main(["calibrate", GERMAN, *FIT, "--bound", "none", "-o", str(out)]) == 0
    held = duckdb.sql(f"SELECT bound FROM '{out}' WHERE isinf(llr)").fetchall()
    assert held
    assert {row[0] for row in held} == {None}


def test_held_out_columns(tmp_path: Path, german: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The LLRs are those that the held-out Cllr is told of."""
    y, scores = german
    out = tmp_path / "o.parquet"
    assert main(["calibrate", GERMAN, *FIT, "--held-out", "--bound", "laplace", "-o", str(out)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "are held out: of 5 folds the others chose the map of each." in said
    assert "in-sample:" not in said
    found = columns(out)
    facts = calibration_facts(rh.PavCalibrator(bound="laplace").fit(scores, y), y, scores, None)
    told = {row["name"]: row["held_out"] for row in facts["rows"]}
    assert rh.cllr(y, found["llr"]) == told["Cllr (bits)"]
    assert not np.array_equal(found["llr"], rh.PavCalibrator(bound="laplace").fit(scores, y).llr(scores))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--held-out"], "--held-out has no effect without --output."),
        (
            ["--fit-prevalence", "0.5"],
            "--fit-prevalence is for --method logistic, beta, four-parameter or fusion.",
        ),
        (["--penalty", "1"], "--penalty is for --method fusion."),
        (["--penalty", "-1", "--method", "fusion"], "--penalty must be a number of at least 0, but is -1."),
        (["--fit-prevalence", "2", "--method", "beta"], "--fit-prevalence must lie strictly between 0 and 1"),
    ],
)
def test_what_a_fit_refuses(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", GERMAN, *FIT, *options]) == 2
    assert message in capsys.readouterr().err


def test_held_out_where_some_rows_are_fitted_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows that are left out have the map of all that are fitted on, which have that of the other folds."""
    rng = np.random.default_rng(3)
    y, day = rng.integers(0, 2, 300), rng.integers(0, 5, 300)
    score = (rng.normal(size=300) + y).round(3)
    score[day == 0] = np.nan  # which may be missing where rows are left out
    table = pa.table({"y": y, "s": score, "day": day})
    table = table.set_column(1, "s", pa.array(score, from_pandas=True))
    some = day > 1
    pq.write_table(table, tmp_path / "t.parquet")
    pq.write_table(table.filter(some), tmp_path / "some.parquet")
    fit = ["--label", "y", "--score", "s", "--method", "logistic"]
    how = ["--held-out", "--where", "day > 1", "-o", str(tmp_path / "o.parquet")]
    assert main(["calibrate", str(tmp_path / "t.parquet"), *fit, *how]) == 0
    said = capsys.readouterr().out
    assert "of the rows that --where leaves out, all" in " ".join(said.split())
    assert max(map(len, said.replace(str(tmp_path), "").splitlines())) <= 80
    assert (
        main(
            [
                "calibrate",
                str(tmp_path / "some.parquet"),
                *fit,
                "--held-out",
                "-o",
                str(tmp_path / "p.parquet"),
            ]
        )
        == 0
    )
    found = pq.read_table(tmp_path / "o.parquet")["llr"].to_numpy()
    assert np.array_equal(found[some], pq.read_table(tmp_path / "p.parquet")["llr"].to_numpy())
    whole = rh.LogisticCalibrator().fit(score[some], y[some])
    known = ~some & ~np.isnan(score)
    assert np.array_equal(found[known], whole.llr(score[known]))
    assert np.isnan(found[np.isnan(score)]).all()


@pytest.mark.parametrize("n", [30, 400])
def test_a_map_that_says_nothing_is_told_of(
    tmp_path: Path, n: int, capsys: pytest.CaptureFixture[str]
) -> None:
    y, score = np.arange(n) % 2, np.arange(n) - n * (np.arange(n) % 2)
    pq.write_table(pa.table({"y": y, "s": score}), tmp_path / "t.parquet")
    command = ["calibrate", str(tmp_path / "t.parquet"), "--label", "y", "--score", "s"]
    said = "'s': the calibrator says the same of every score"
    assert main(command) == 0
    err = capsys.readouterr().err
    assert (said in err, "Reversed? Then give --lower-is-positive." in err) == (True, True)
    assert main([*command, "--lower-is-positive", "s"]) == 0
    assert said not in capsys.readouterr().err
    assert main([*command, "--lower-is-positive", "t"]) == 1
    assert "--lower-is-positive names 't', which is not one of the scores" in capsys.readouterr().err
