"""The JSON Schema of a report: reports of every kind are valid, and one that lacks or adds a key is not."""

import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import jsonschema
import numpy as np
import pytest
import scipy.stats

import rochull as rh
from rochull.report import Scanned, Segmentation, Uncertainty
from rochull.report.facts import FORMAT, VERSION

SCHEMA = json.loads(files("rochull.report").joinpath("report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
CONDITIONS = [
    None,
    rh.ExpectedCost(1, 5, 0.3),
    rh.ExpectedCost(1, 0, 0.3),
    rh.ExpectedCost(0, 1, 0.3),
    rh.Accuracy(0.2),
    rh.ExpectedCost(1, (5, 50), (0.1, 0.2)),
    rh.ExpectedCost((0, 1), (0, 1), (0, 1)),
    rh.ExpectedCost(1, scipy.stats.lognorm(0.5, scale=10), 0.3),
    rh.NeymanPearson(0.05),
    rh.MinimumRecall(0.9),
    rh.MinimumPrecision(0.7, prevalence=0.3),
    rh.Capacity(cases=20, population=100, prevalence=0.3),
    rh.Capacity(fraction=0.1, prevalence=0.3),
    rh.Utility(lambda fpr, tpr: tpr - fpr),
    rh.Constrained(lambda fpr, tpr: tpr, a=0.5, b=0.5, c=0.4),
]


def check(report: rh.Report) -> dict[str, Any]:
    """Return the facts as they come out of the file."""
    facts: dict[str, Any] = json.loads(report.to_json())
    VALIDATOR.validate(facts)
    return facts


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    scores = {
        "whole": np.round(4 * rng.normal(y)).astype(int),
        "rough": rng.normal(y),
        "bad": rng.normal(1 - y),
    }
    return {
        "y": y,
        **scores,
        "weight": rng.exponential(size=400),
        "part": rng.choice(["n", "s"], 400),
        "fold": rng.integers(0, 4, 400),
        "who": rng.integers(0, 50, 400),
    }


def scores_of(table: dict[str, Any]) -> dict[str, Any]:
    return {name: table[name] for name in ("whole", "rough", "bad")}


def hybrid_of(table: dict[str, Any], weight: Any = None) -> rh.Hybrid:
    hybrid = rh.Hybrid()
    for name, score in scores_of(table).items():
        hybrid.add(name, table["y"], score, sample_weight=weight)
    return hybrid


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert (SCHEMA["properties"]["format"]["const"], SCHEMA["properties"]["version"]["const"]) == (
        FORMAT,
        VERSION,
    )
    assert SCHEMA["$id"] == f"{FORMAT}-{VERSION}"


HYBRIDS: dict[str, Callable[[dict[str, Any]], rh.Hybrid]] = {
    "scored": hybrid_of,
    "and a point": lambda table: hybrid_of(table).add_point("p", 0.01, 0.3),
    "weighted": lambda table: hybrid_of(table, table["weight"]),
    "rates": lambda _: rh.Hybrid().add_point("p", 0.1, 0.9).add_point("q", 0, 0.2),
    "infinite": lambda _: rh.Hybrid().add("inf", [0, 1, 0, 1], [-np.inf, np.inf, 1, 0]),
}


@pytest.mark.crossed
@pytest.mark.parametrize("kind", HYBRIDS)
@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: type(c).__name__)
def test_every_condition_and_every_kind_of_classifier(
    table: dict[str, Any], condition: Any, kind: str
) -> None:
    hybrid = HYBRIDS[kind](table)
    facts = check(rh.Report(hybrid, condition, title="T", command=["rochull", "report", "t.csv"]))
    assert len(facts["classifiers"]) == len(hybrid.hulls)


@pytest.mark.long
def test_uncertainty_and_segments(table: dict[str, Any]) -> None:
    hybrid, scores, y = hybrid_of(table), scores_of(table), table["y"]
    aux = {"part": table["part"], "who": table["who"]}
    for condition in (*CONDITIONS[:3], CONDITIONS[5], rh.NeymanPearson(0.1), rh.NeymanPearson(0)):
        sure = Uncertainty(y, scores, n_resamples=40, folds=table["fold"], clusters=table["who"])
        check(rh.Report(hybrid, condition, uncertainty=sure, segment=Segmentation(y, scores, aux)))
    weight = table["weight"]
    weighted = Segmentation(y, scores, aux, sample_weight=weight)
    sure = Uncertainty(y, scores, n_resamples=40, sample_weight=weight)
    check(rh.Report(hybrid_of(table, weight), CONDITIONS[1], segment=weighted, uncertainty=sure))
    folds = Uncertainty(y, scores, n_resamples=0, folds=table["fold"])
    check(rh.Report(hybrid, rh.NeymanPearson(0.1), uncertainty=folds))
    # Without scores of one classifier, and where all replicates agree.
    known = Uncertainty([0, 0, 1, 1], {"a": [1, 2, 3, 4]}, n_resamples=40)
    perfect = rh.Hybrid().add("a", [0, 0, 1, 1], [1, 2, 3, 4]).add_point("p", 0, 0.5)
    check(rh.Report(perfect, CONDITIONS[1], uncertainty=known))
    straight = rh.ErrorRedistribution("equal-variance", bins="continuous")
    smooth = Segmentation(y, scores, {"who": table["who"]}, straight)
    check(rh.Report(hybrid, CONDITIONS[1], segment=smooth))


def test_a_scan(table: dict[str, Any]) -> None:
    for more in ({}, {"segment": "part"}, {"fold": "fold", "segment": "part"}):
        scan = rh.scan(table, label="y", scores=["whole", "rough"], **more)
        for condition in (None, CONDITIONS[1], CONDITIONS[5], rh.NeymanPearson(0.1)):
            scanned = Scanned(scan, n_resamples=40)
            check(rh.Report(rh.Hybrid.from_scan(scan), condition, scanned=scanned))


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema of an object."""
    if isinstance(schema, dict) and schema.get("type") in ("object", ["object", "null"]):
        yield schema
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from objects(inner)


def test_objects_are_closed(table: dict[str, Any]) -> None:
    for schema in objects(SCHEMA):
        if "properties" in schema:
            # A point may have any number of rochull.report.numbers, a clause any slots.
            if all(schema is not SCHEMA["$defs"][name] for name in ("point", "clause")):
                assert schema["additionalProperties"] is False
            assert set(schema["required"]) <= set(schema["properties"])
        else:  # names of columns, classifiers or parameters
            assert isinstance(schema["additionalProperties"], dict)
    valid = VALIDATOR.is_valid
    facts = rh.Report(hybrid_of(table), rh.ExpectedCost(1, 5, 0.3)).facts
    assert valid(facts)
    assert not valid(facts | {"more": 1})
    assert not valid({key: value for key, value in facts.items() if key != "line"})
    assert not valid(facts | {"chosen": facts["chosen"] | {"fpr": 1.5}})
    assert not valid(facts | {"version": 1})
