"""Make the golden files of ``tests/golden``: documents of every kind, and what each decides.

It was run once, with the code of version 0.1.0 in its first form, before a question became one value and an
answer one plan. What later code decides by these documents must be the same; a run that changes them changes
behaviour, and the changelog says why.

Run ``python scripts/make_golden.py`` from anywhere: about a minute on one core. Documents that are there
stay; ``--documents`` makes new ones, of all kinds or of those named.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import rochull as rh

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

import golden_cases

N = 240
TYPES = {"b": pl.Float32, "c": pl.Int64}
Examples = tuple[Any, dict[str, Any]]


def examples(seed: int, n: int = 160) -> Examples:
    """Labels and scores of the classifiers that the table has."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    return y, {
        "a": np.round(rng.normal(0.9 * y), 1),
        "b": rng.normal(1.1 * y).astype(np.float32),
        "c": 2**53 + rng.integers(-12, 9, n) + 6 * y,
        "d": -np.round(rng.normal(y), 1),
    }


def table() -> pl.DataFrame:
    """The cases to decide: ties, missing values and NaN, infinities, unseen segments, keys of two types."""
    rng = np.random.default_rng(11)
    _, scores = examples(12, N)
    for name in ("a", "b", "d"):
        for value in (np.nan, np.inf, -np.inf, -0.0):
            scores[name][rng.random(N) < 0.02] = value
    columns: dict[str, Any] = {"key": rng.permutation(N) * 7 - 200}
    columns["name"] = [f"case {'ßx«'[k % 3]} {k}" for k in columns["key"].tolist()]
    for name, values in scores.items():
        columns[name] = pl.Series(values).scatter(np.flatnonzero(rng.random(N) < 0.03), None)
    columns["score"] = columns["a"]
    columns["place"] = rng.choice(np.array(["web", "shop", "phone", None], object), N, p=[0.4, 0.3, 0.2, 0.1])
    columns["group"] = rng.choice(np.array(["f", "m", "x", None], object), N, p=[0.45, 0.4, 0.05, 0.1])
    columns["size"] = np.where(rng.random(N) < 0.04, np.nan, np.round(rng.normal(size=N), 2))
    outputs = rng.dirichlet(np.ones(3), N)
    outputs[::5] = rng.choice([0.0, 0.1, 0.2], (len(outputs[::5]), 3))
    columns |= dict(zip(golden_cases.LABELS, outputs.T.round(3), strict=True))
    return pl.DataFrame({name: list(values) for name, values in columns.items()}, schema_overrides=TYPES)


# --- documents ---------------------------------------------------------------------------------------------


def hybrid(seed: int, names: str = "abcd", weights: bool = False) -> rh.Hybrid:
    """The hybrid of some of the classifiers."""
    y, scores = examples(seed)
    given = {"sample_weight": np.random.default_rng(seed).integers(0, 5, y.size) / 4} if weights else {}
    made = rh.Hybrid()
    for name in names:
        made.add(name, y, scores[name], lower_is_positive=name == "d", curve=True, **given)
    return made


def policies() -> Iterator[tuple[str, Any]]:
    """Of one classifier or several, weighted, with infinities, of given rates, with single rules."""
    y, scores = examples(0)
    infinite = scores["a"].copy()
    infinite[:4], infinite[4:8] = np.inf, -np.inf
    yield "one", rh.Policy.from_hull(rh.roc_hull(y, scores["a"]), salt="one", about={"from": "examples"})
    yield "float32", rh.Policy.from_hull(rh.roc_hull(y, scores["b"]).named("b"))
    yield (
        "lower",
        rh.Policy.from_hull(rh.roc_hull(y, scores["d"], lower_is_positive=True).named("d"), salt="d"),
    )
    yield "infinite", rh.Policy.from_hull(rh.roc_hull(y, infinite), salt="inf")
    several = hybrid(1)
    conditions = [rh.NeymanPearson(0.1), rh.MinimumRecall(0.8), rh.Capacity(fraction=0.2, prevalence=0.3)]
    singles = [several.at(condition, deterministic=True) for condition in conditions]
    yield "several", several.policy(salt="several")
    yield "singles", several.policy(salt="several", singles=singles)
    yield "weighted", hybrid(2, "ab", weights=True).policy(salt="w")
    rates = rh.Hybrid().add_point("a", 0.1, 0.5).add_point("b", 0.3, 0.8).add_point("score", 0.6, 0.95)
    yield "rates", rates.policy()


def fixed() -> Iterator[tuple[str, Any]]:
    """A rule, mixtures, reviews, low scores, an assured rule."""
    several = hybrid(1)
    points = {
        "mixture": several.at(rh.NeymanPearson(0.1)),
        "review": several.at(rh.Review(1, 3, 0.1, 0.3, max_share=0.15, max_error=0.2)),
        "lower": hybrid(1, "d").at(rh.MinimumRecall(0.7)),
        "single": several.at(rh.MinimumRecall(0.8), deterministic=True),
        "never": several.at(rh.ExpectedCost(1, 0, 0.3)),
        "one": rh.roc_hull(*[examples(0)[0], examples(0)[1]["a"]]).at(rh.NeymanPearson(0.2)),
    }
    for name, point in points.items():
        yield name, rh.policies.FixedPolicy.from_point(point, condition=name, salt="fixed")
    yield "assured", several.assured(rh.NeymanPearson(0.3, confidence=0.9)).policy(salt="sure")


def by_place(seed: int, names: str) -> dict[Any, Any]:
    """The hull of each place, which is a union where there are several classifiers."""
    y, scores = examples(seed, 300)
    place = np.array(["web", "shop", "else"])[np.arange(y.size) // 3 % 3]
    found: dict[Any, Any] = {}
    for value in ("web", "shop", "else"):
        own = place == value
        hulls = {n: rh.roc_hull(y[own], scores[n][own], lower_is_positive=n == "d") for n in names}
        found[value] = rh.union(hulls) if len(hulls) > 1 else next(iter(hulls.values()))
    return found


def segments() -> Iterator[tuple[str, Any]]:
    """By hulls with a rule elsewhere or none, of several classifiers, and by redistribution."""
    make = rh.segments.SegmentPolicy.from_hulls
    one, several = by_place(3, "a"), by_place(4, "abd")
    elsewhere = one.pop("else")
    yield "strict", make(one, column="place", salt="s")
    yield "elsewhere", make(one, column="place", elsewhere=elsewhere, salt="s", about={"from": "hulls"})
    yield "several", make({None if k == "else" else k: v for k, v in several.items()}, column="place")
    low = by_place(5, "d")
    low = {None if k == "else" else k: v.named("d") for k, v in low.items()}
    yield "lower", make(low, column="place", salt="low")
    rng = np.random.default_rng(6)
    y, scores = examples(6, 600)
    aux = {
        "size": np.round(rng.normal(size=600), 2),
        "place": np.array(["web", "shop", "phone"], object)[rng.integers(0, 3, 600)],
    }
    shifted = scores["a"] + np.where(aux["place"] == "web", 1.0, 0.0) + (aux["size"] > 0)
    model = rh.ErrorRedistribution(n_bins=3).fit(shifted.round(1), y, aux=aux)
    yield "redistribution", model.policy(name="a", salt="bins")


def groups() -> Iterator[tuple[str, Any]]:
    """Every constraint, with cases of no known group and without a rule for them."""
    y, scores = examples(7, 300)
    group = np.arange(300) // 3 % 3
    hulls = {g: rh.roc_hull(y[group == i], scores["a"][group == i]) for i, g in enumerate(["f", "m", None])}
    both = {
        g: rh.union({n: rh.roc_hull(y[group == i], scores[n][group == i]) for n in "ab"})
        for i, g in enumerate(["f", "m"])
    }
    for constraint in ("none", "demographic_parity", "equal_tpr", "equal_fpr", "equalised_odds"):
        yield constraint, rh.constrain_groups(hulls, golden_cases.COST, constraint, salt="g").policy("group")
    rule = rh.constrain_groups(both, rh.Accuracy(0.5), "equalised_odds", tolerance=0.02, salt="two")
    yield "several", rule.policy("group", about={"from": "two classifiers"})


def cascades() -> Iterator[tuple[str, Any]]:
    """Of two and of three classifiers, smoothed or not, weighted."""
    y, scores = examples(8, 900)
    columns = {name: scores[name].astype(float) for name in "ab"} | {"e": scores["a"] + 2.0 * y}
    plain = {"n_strata": 6, "min_bin": 10, "shrinkage": 20.0}
    two = {name: columns[name] for name in "ab"}
    yield "two", rh.Cascade({"a": 0, "b": 0.05}, **plain).fit(two, y).policy(salt="c")
    plain["n_cells"] = None
    yield "plain", rh.Cascade({"a": 0.01, "b": 0.05}, **plain).fit(two, y).policy(salt="p")
    columns["score"] = columns.pop("e")
    three = rh.Cascade({"a": 0, "b": 0.03, "score": 0.1}, n_strata=4, min_bin=10, shrinkage=20.0, n_cells=20)
    weights = 1 + np.arange(900) % 2
    yield "three", three.fit(columns, y, sample_weight=weights).policy(about={"from": "three"})


def classes() -> Iterator[tuple[str, Any]]:
    """Labels that are texts, numbers and truth values beside each other."""
    rng = np.random.default_rng(9)
    outputs = rng.dirichlet(np.ones(3), 240)
    truth = np.array([rng.choice(3, p=p) for p in (outputs + 0.3) / 1.9])
    for name, labels in {"texts": ("bus", "car", "van"), "whole": (3, -(2**63), 2**63 - 1)}.items():
        roc = rh.MulticlassRoc([labels[i] for i in truth], outputs, classes=labels)
        points = roc.points_at(rng.random((12, 3)))
        yield name, rh.multiclass.MulticlassPolicy.from_points(points, salt=name, about={"from": name})


def plans() -> Iterator[tuple[str, Any]]:
    """What policies of other kinds found, and what fixed and group policies hold."""
    save = rh.policies.SavedPlan.of
    yield "cascade", save(dict(cascades())["three"].at(golden_cases.COST), condition="costs", salt="c")
    yield "classes", save(dict(classes())["texts"].plan([1, 2, 3]), salt="several")
    yield "segments", save(dict(segments())["redistribution"].plan(rh.NeymanPearson(0.2)), salt="bins")
    yield "mixture", dict(fixed())["mixture"]
    yield "groups", dict(groups())["several"]


def knobs() -> Iterator[tuple[str, Any]]:
    """With each kind of target, one turned by outcomes."""
    y, scores = examples(0)
    hull = rh.roc_hull(y, scores["a"])
    yield "alarms", rh.Knob(hull, alarm_rate=0.2)
    turned = rh.Knob(hybrid(1), precision=0.6, prevalence=0.2)
    turned.feedback(presented=100, alarms=30, false_alarms=10)
    yield "precision", turned
    capacity = rh.Knob(hull, capacity=12, highest=0.8)
    capacity.feedback(presented=80, alarms=20)
    yield "capacity", capacity


def calibrators() -> Iterator[tuple[str, str, Any]]:
    """Maps of every kind."""
    y, scores = examples(0)
    probability = np.clip((scores["a"] + 4) / 9, 0.01, 0.99)
    yield "pav", "plain", rh.PavCalibrator().fit(scores["a"], y)
    yield "pav", "linear", rh.PavCalibrator("linear", "laplace", True).fit(scores["a"], y)
    yield "pav", "elub", rh.PavCalibrator(bound="elub", strict=True).fit(scores["a"], y)
    yield "logistic", "plain", rh.LogisticCalibrator(0.2, "platt").fit(scores["a"], y)
    yield "beta", "plain", rh.BetaCalibrator().fit(probability, y)


MADE: dict[str, Callable[[], Iterator[tuple[str, Any]]]] = {
    "policy": policies, "fixed": fixed, "segments": segments, "groups": groups, "cascade": cascades,
    "classes": classes, "plan": plans, "knob": knobs,
}  # fmt: skip


def documents() -> Iterator[tuple[str, str, Any]]:
    """All of them: kind, name, and what has the document."""
    for kind, made in MADE.items():
        for name, found in made():
            yield kind, name, found
    yield from calibrators()


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def write(kind: str, name: str, document: Any, cases: pl.DataFrame) -> None:
    """Write a document and its answers; in SQL only those that are not the same as in Python."""
    text = json.dumps(document)
    found = golden_cases.answers(kind, text, cases)
    in_sql = golden_cases.sql_answers(kind, text, cases)
    sql = {ask: "=" if answer == found.get(ask) else answer for ask, answer in in_sql.items()}
    parts = [f'"kind":{compact(kind)},\n"document":{compact(document)}']
    for title, each in {"answers": found, "sql": sql}.items():
        # Equal answers stand together: most questions have few different ones.
        asks: dict[str, list[str]] = {}
        for ask, answer in each.items():
            asks.setdefault(answer, []).append(ask)
        lines = ",\n".join(f"{compact(answer)}:{compact(names)}" for answer, names in asks.items())
        parts.append(f'"{title}":{{\n{lines}\n}}')
    path = golden_cases.FILES / f"{kind}_{name}.json"
    path.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")
    refused = sum(answer.startswith("refused") for answer in found.values())
    print(
        f"{path.name}: {len(found)} answers, {refused} refused, {len(in_sql)} in SQL, "
        f"{sum(v not in ('=',) for v in sql.values())} of them others; {path.stat().st_size} bytes"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--documents",
        nargs="*",
        choices=MADE,
        help="make documents of these kinds anew; by default all, and the table",
    )
    kinds = parser.parse_args().documents
    anew = kinds is not None
    if kinds == []:
        golden_cases.FILES.mkdir(exist_ok=True)
        golden_cases.TABLE.write_text(golden_cases.table_text(table()), encoding="utf-8")
    cases = golden_cases.read_table()
    if anew:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [
                (kind, name, made.to_dict()) for kind, name, made in documents() if not kinds or kind in kinds
            ]
    else:
        paths = sorted(set(golden_cases.FILES.glob("*.json")) - {golden_cases.TABLE})
        read = [(path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in paths]
        found = [(each["kind"], stem.partition("_")[2], each["document"]) for stem, each in read]
    for kind, name, document in found:
        write(kind, name, document, cases)


if __name__ == "__main__":
    main()
