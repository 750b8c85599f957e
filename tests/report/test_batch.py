"""A batch of the reader's own: a CSV file that the page reads, and what the rule does with it."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from scipy.stats import binomtest, ks_2samp

import report_cases as cases
import rochull as rh
from browser import Tab
from engine import engine, model_of

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)


@pytest.fixture
def page(tab: Tab, german: rh.Hybrid, tmp_path: Path) -> Iterator[Page]:
    about = {"label": "class", "positive": "bad"}
    rh.Report(german, COSTS, about=about).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as shown:
        yield shown


def give(page: Page, text: str, name: str = "my cases.csv") -> str:
    """Hand a file to the page, and return what it says of it."""
    page.locator("#batch-file").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    )
    said = page.locator("#batch-said")
    expect(said).to_contain_text(name)
    return (said.text_content() or "").replace("\u2068", "").replace("\u2069", "")


def batch() -> dict[str, Any]:
    table = rh.datasets.load("german_credit_scores")
    rows = np.random.default_rng(1).choice(len(table["class"]), 300, replace=False)
    return {name: np.asarray(table[name])[rows] for name in ["class", *cases.SCORES]}


def test_the_rule_does_what_the_policy_does(page: Page, german: rh.Hybrid) -> None:
    held = batch()
    held["naive_bayes"] = held["naive_bayes"].astype(float)
    held["naive_bayes"][:7] = np.nan
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", lineterminator="\r\n")
    writer.writerow([*held, "a; comment"])
    for row in zip(*held.values(), strict=True):
        cells = ["" if str(cell) == "nan" else str(cell).replace(".", ",") for cell in row]
        writer.writerow([*cells, 'said "no";\n or so'])
    said = give(page, "\ufeff" + out.getvalue())
    ((rule, _),) = german.at(COSTS).rules
    scores = held[rule.classifier].astype(float)
    flagged, bad = scores >= rule.threshold, held["class"] == "bad"
    missing = np.isnan(scores).sum()
    assert missing == 7
    wanted = f"Of the 300 cases in my cases.csv this rule flags {flagged.sum()} ({flagged.mean():.1%}"
    assert said.startswith(wanted.replace("%", "\u00a0%"))
    assert said.endswith("7 lack a score that it reads, which no threshold flags.")
    shown = {
        cell: float(page.locator(f'[data-batch="{cell}"]').get_attribute("data-value") or "nan")
        for cell in ("tp", "fn", "fp", "tn")
    }
    assert shown == {
        "tp": (flagged & bad).sum(), "fn": (~flagged & bad).sum(),
        "fp": (flagged & ~bad).sum(), "tn": (~flagged & ~bad).sum(),
    }  # fmt: skip
    page.locator('[data-field="max_fpr"]').fill("0.07")  # a mixture now
    expect(page.locator("#batch-said")).to_contain_text("flags about")
    chosen = page.evaluate("rochullReport.result.chosen.rules")
    mean = sum(
        p["probability"] * (held[p["rule"]["classifier"]].astype(float) >= p["rule"]["threshold"])
        for p in chosen
    )
    total = page.evaluate(
        "['tp', 'fp'].map((key) => Number(document.querySelector(`[data-batch=${key}]`).dataset.value))"
    )
    assert sum(total) == pytest.approx(float(np.sum(mean)))


def test_what_is_not_there_is_told(page: Page) -> None:
    assert give(page, "x,y\n1,2\n").endswith("has no column named naive_bayes, which the rule reads.")
    assert not page.locator("#batch-matrix").is_visible()
    said = give(page, "naive_bayes,class\n0.9,bad\n0.1,\nNA,good\n", "<b>.csv")
    assert said == (
        "Of the 3 cases in <b>.csv this rule flags 1 (33.3\u00a0%). 1 lack a score that it reads, which no threshold flags. "
        "1 have no label, and are not in the table."
    )
    assert page.locator("#batch b").count() == 0
    assert give(page, "", "empty.csv").endswith("has no column named naive_bayes, which the rule reads.")


TEXTS = ["a,b\n1,2\n", '"a ""x""",b\r\n"1\n2",\r\n\r\n,3', "a\tb\n1\t2\n3\t4", "a\n1\n2\n", "a;b;c\n,1;2;3\n"]


def test_csv_is_read_as_python_reads_it() -> None:
    with engine() as made:
        read = made.evaluate("texts => texts.map((text) => rochullBatch.parse(text))", TEXTS)
    for text, found in zip(TEXTS, read, strict=True):
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=found["sign"]) if row]
        assert found["rows"] == rows, json.dumps(text)


def test_the_report_s_cases_beside_the_batch(page: Page, german: rh.Hybrid) -> None:
    """Shares of all cases of the report and of the batch, counted one by one; and where their scores differ most."""
    held, table = batch(), rh.datasets.load("german_credit_scores")
    held["tree"] = held["tree"].astype(float) ** 2
    rows = zip(*held.values(), strict=True)
    give(page, "\n".join(",".join(map(str, row)) for row in [held, *rows]))
    ((rule, _),) = german.at(COSTS).rules

    def share(cases: Any, of: str) -> float:
        flagged, bad = cases[rule.classifier].astype(float) >= rule.threshold, cases["class"] == "bad"
        cost = (flagged & ~bad) + 5.0 * (~flagged & bad)
        parts = {
            "cases": np.size(bad), "flagged": flagged.mean(), "positive": bad.mean(), "tpr": flagged[bad].mean(),
            "fpr": flagged[~bad].mean(), "precision": bad[flagged].mean(), "cost": cost.mean(),
        }  # fmt: skip
        return float(parts[of])

    def shown(key: str) -> list[float]:
        cells = page.locator(f"[data-beside-batch^='{key}:']")
        return [float(value) for value in cells.evaluate_all("all => all.map((cell) => cell.dataset.value)")]

    for key in ("cases", "flagged", "positive", "tpr", "fpr", "precision", "cost"):
        assert shown(key) == pytest.approx([share(table, key), share(held, key)])
    steps = page.evaluate(
        "rochullReport.facts.classifiers.map((own) => Array.from(rochullCurves.steps(own).threshold))"
    )
    for i, name in enumerate(cases.SCORES):
        theirs, yours = (np.asarray(each[name]).astype(float) for each in (table, held))
        apart = [abs((theirs >= at).mean() - (yours >= at).mean()) for at in steps[i]]
        first, second = shown(f"scores:{i}")
        assert abs(first - second) == pytest.approx(max(apart))
        assert max(apart) <= ks_2samp(theirs, yours).statistic + 1e-12
        row = page.locator("#batch-beside tr").filter(has=page.get_by_text(name, exact=True)).last
        chance = 100 * np.sqrt(-0.5 * np.log(0.025)) * np.sqrt(1 / 300 + 1 / 1000)
        expect(row.locator("small")).to_contain_text(f"less than {chance:.2g} points")


def written(held: dict[str, Any]) -> str:
    return "\n".join(",".join(map(str, row)) for row in [held, *zip(*held.values(), strict=True)])


def verdict(page: Page) -> list[str]:
    texts = page.locator("#batch-verdict p").all_text_contents()
    return [text.replace("\u2068", "").replace("\u2069", "").replace("\u00a0", " ") for text in texts]


def apart(k: int, n: int, j: int, m: int) -> tuple[float, float]:
    """Newcombe's interval of the difference k / n - j / m (1998, method 11), of SciPy's intervals of Wilson."""
    p, q = k / n, j / m
    one, two = (binomtest(a, b).proportion_ci(method="wilsoncc") for a, b in ((k, n), (j, m)))
    low = p - q - np.hypot(p - one.low, two.high - q)
    return float(low), float(p - q + np.hypot(one.high - p, q - two.low))


@pytest.mark.long
def test_differences_are_newcombe_s(german: rh.Hybrid) -> None:
    """Rates of random batches beside the report's, and what both cost where as many are positive as in the batch."""
    point, rng = german.at(COSTS), np.random.default_rng(5)
    negatives, positives = 700, 300
    flagged = {"fpr": round(point.fpr * negatives), "tpr": round(point.tpr * positives)}
    tables = [[int(k) for k in rng.integers(0, 10 ** rng.integers(1, 5), 4)] for _ in range(300)]
    tables += [[3, 2, 0, 0], [0, 0, 4, 9], [7, 0, 0, 8], [0, 0, 0, 0]]
    script = """tables => tables.map(([tp, fn, fp, tn]) => rochullBatch.differences(model, facts,
        model.evaluate(model.initial()).chosen, { tp, fn, fp, tn }, { fp: 1, fn: 5 }))"""
    with model_of(rh.Report(german, COSTS).facts) as made:
        found = made.evaluate(script, tables)
    assert found[-1] is None
    for (tp, fn, fp, tn), told in zip(tables[:-1], found[:-1], strict=True):
        rows, ends, p = {row["key"]: row for row in told["rows"]}, {}, (tp + fn) / (tp + fn + fp + tn)
        assert set(rows) == {"moved", *(["tpr"] if tp + fn else []), *(["fpr"] if fp + tn else [])}
        for key, k, n, total in (("tpr", tp, tp + fn, positives), ("fpr", fp, fp + tn, negatives)):
            if n:
                ends[key] = apart(k, n, flagged[key], total)
                assert (rows[key]["low"], rows[key]["high"]) == pytest.approx(ends[key], abs=1e-12)
                assert (rows[key]["yours"], rows[key]["theirs"]) == pytest.approx(
                    (k / n, flagged[key] / total)
                )
        cost = (1 - p) * flagged["fpr"] / negatives + 5 * p * (1 - flagged["tpr"] / positives)
        yours = (fp + 5 * fn) / (tp + fn + fp + tn)
        assert (rows["moved"]["theirs"], rows["moved"]["yours"]) == pytest.approx((cost, yours))
        # by Zou and Donner: the distance of an end is the root of the sum of squares of each part's
        t, f = rows.get("tpr"), rows.get("fpr")
        gap = {key: (row["yours"] - row["theirs"]) for key, row in (("tpr", t), ("fpr", f)) if row}
        squares = np.zeros(2)
        if t:
            squares += [(5 * p * (t["high"] - gap["tpr"])) ** 2, (5 * p * (gap["tpr"] - t["low"])) ** 2]
        if f:
            squares += [((1 - p) * (gap["fpr"] - f["low"])) ** 2, ((1 - p) * (f["high"] - gap["fpr"])) ** 2]
        low, high = yours - cost - np.sqrt(squares[0]), yours - cost + np.sqrt(squares[1])
        assert (rows["moved"]["low"], rows["moved"]["high"]) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("changed", [False, True])
def test_the_verdict_comes_first(page: Page, german: rh.Hybrid, changed: bool) -> None:
    held, table = batch(), rh.datasets.load("german_credit_scores")
    ((rule, _),) = german.at(COSTS).rules
    name = rule.classifier
    if changed:
        held[name] = np.where(held["class"] == "bad", held[name].astype(float) ** 3, held[name].astype(float))
    give(page, written(held))
    scores, bad = held[name].astype(float), held["class"] == "bad"
    flagged, own, theirs = scores >= rule.threshold, table["class"] == "bad", table[name] >= rule.threshold
    first, second = verdict(page)
    chance = 100 * np.sqrt(-0.5 * np.log(0.025)) * np.sqrt(1 / 300 + 1 / 1000)
    assert f"chance alone stays below a difference of {chance:.2g} points" in first
    assert (f"scores of {name} have changed" in first) == ("no longer does" in second) == changed
    assert f"catches {flagged[bad].mean():.1%} of the positives (in".replace("%", " %") in second
    low, high = apart(flagged[bad].sum(), bad.sum(), theirs[own].sum(), own.sum())
    wanted = f": {-100 * high:.1f} to {-100 * low:.1f} points less, beyond chance)"
    assert (high < 0) == changed == (wanted in second)
    cost = (flagged & ~bad).mean() + 5 * (~flagged & bad).mean()
    p = bad.mean()
    moved = (1 - p) * theirs[~own].mean() + 5 * p * (~theirs[own]).mean()
    assert f"costs {cost:.4g} per case" in second
    assert ("flatters it" in second) == changed
    marks = page.locator("#batch-verdict p").evaluate_all(
        "all => all.map((each) => getComputedStyle(each, '::before').content)"
    )
    assert [mark[1] for mark in marks] == ["⚠" if changed else "≈"] * 2
    cells = page.locator("[data-beside-batch^='moved:']").evaluate_all(
        "all => all.map((cell) => Number(cell.dataset.value))"
    )
    assert cells == pytest.approx([moved, cost])
    ends = binomtest(int(flagged[bad].sum()), int(bad.sum())).proportion_ci(method="wilson")
    small = page.locator("[data-beside-batch='tpr:yours'] small")
    expect(small).to_have_text(f"95\u00a0%: {100 * ends.low:.1f}–{100 * ends.high:.1f}\u00a0%")
    assert not page.locator("#batch-at").is_visible()  # the report's prevalence is that of its cases
    page.locator('[data-field="prevalence"]').fill("0.1")
    expect(page.locator("#batch-at")).to_contain_text("30.0\u00a0% of this report’s are positive")
    expect(page.locator("#batch-at")).to_contain_text("The headline assumes 10\u00a0%")


def test_the_batch_is_in_the_charts(page: Page) -> None:
    held = batch()
    give(page, written(held))
    mark, key = page.locator(".rc-overlay .rc-yours"), page.locator(".rc-key", has_text="on your own cases")
    for view in ("roc", "pr"):
        page.evaluate("view => rochullReport.choose(view)", view)
        x, y, wanted = page.evaluate("""() => {
          const rate = (key) => Number(document.querySelector(`[data-beside-batch="${key}:yours"]`).dataset.value);
          const { element, pixel } = rochullReport.chart, box = element.querySelector(".rc-yours").getAttribute("d").split("M").at(-1);
          const [x, y] = box.split("h")[0].split(",").map(Number);
          return [x + 5, y + 5, pixel(rate("fpr"), rate("tpr"))];
        }""")
        assert [x, y] == pytest.approx(wanted)
        expect(page.locator(f"#view-{view}").locator(mark)).to_be_visible()
        expect(page.locator(f"#view-{view}").locator(key)).to_be_visible()
    page.evaluate("rochullReport.choose('roc')")
    roc = page.locator("#view-roc")
    page.evaluate("rochullReport.set({ ...rochullReport.state, cost_fn: 2 })")
    assert not roc.locator(mark).is_visible()  # nobody has counted yet what this rule does with them
    expect(roc.locator(mark)).to_be_visible()
    del held["class"]
    give(page, written(held))
    expect(roc.locator(mark)).to_be_hidden()
    expect(roc.locator(key)).to_be_hidden()


def test_a_file_is_dropped(page: Page) -> None:
    page.evaluate("""() => {
      const data = new DataTransfer(), drop = (node) => node.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
      data.items.add(new File(["naive_bayes\\n0.9\\n0.1\\n"], "dropped.csv"));
      window.kept = [drop(document.querySelector("#batch h2")), drop(document.querySelector("#main"))];
    }""")
    expect(page.locator("#batch-said")).to_contain_text(
        "Of the 2 cases in \u2068dropped.csv\u2069 this rule flags 1"
    )
    assert page.evaluate("window.kept") == [False, True]  # elsewhere the browser does what it does


@pytest.mark.parametrize(
    ("condition", "without"),
    [
        (
            rh.conditions.Within(rh.NeymanPearson(max_fpr=0.3), [rh.conditions.Precision() >= 0.3]),
            None,
        ),
        (
            rh.Review(cost_fp=1, cost_fn=5, cost_review=0.2, prevalence=0.3),
            rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3),
        ),
    ],
)
def test_other_conditions(tab: Tab, german: rh.Hybrid, tmp_path: Path, condition: Any, without: Any) -> None:
    """Limits without costs: there is no cost then; and reviews, whose rule is that without them."""
    who = "best rule without reviews" if without else "rule"
    rh.Report(german, condition, about={"label": "class", "positive": "bad"}).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as page:
        page.locator("#batch-file").set_input_files(
            {"name": "b.csv", "mimeType": "text/csv", "buffer": written(batch()).encode()}
        )
        expect(page.locator("#batch-said")).to_contain_text(f"{who} flags")
        rules = german.at(without or condition).rules
        *scores, labels = verdict(page)
        assert len(scores) == len({rule.classifier for rule, _ in rules})
        assert labels.startswith(f"The {who} does what this report says")
        for key in ("cost", "moved"):
            assert page.locator(f"[data-beside-batch='{key}:yours']").count() == bool(without)
        assert (" per case" in labels) == bool(without)


def test_names_of_any_kind(tab: Tab, tmp_path: Path) -> None:
    """Markup in a name is text, and one from right to left turns nothing around; of weighted cases nobody knows what chance does."""
    rng, names = np.random.default_rng(3), ["<img src=x onerror=alert(1)>", "ניקוד"]
    y = rng.integers(0, 2, 200)
    for weight in (None, rng.uniform(0.5, 2, 200)):
        hybrid = rh.Hybrid()
        for name in names:
            hybrid.add(name, y, rng.normal(y), sample_weight=weight)
        rh.Report(hybrid, COSTS, about={"label": "y", "positive": "1"}).save(tmp_path / "r.html")
        with tab(tmp_path / "r.html") as page:
            held = {"y": y, **{name: rng.normal(size=200) + 3 for name in names}}
            page.locator("#batch-file").set_input_files(
                {"name": "<i>.csv", "mimeType": "text/csv", "buffer": written(held).encode()}
            )
            expect(page.locator("#batch-said")).to_contain_text("<i>.csv")
            text = page.locator("#batch-verdict").inner_text()
            assert any(f"scores of \u2068{name}\u2069 have changed" in text for name in names)
            assert page.locator("#batch img, #batch i").count() == 0
            assert ("cannot be told" in text) == ("are taken as exact" in text) == (weight is not None)
