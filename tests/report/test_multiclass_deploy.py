"""Templates of the multi-class page: filled in, they are the texts that Python writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rochull as rh
from multiclass_cases import LABELS, WEIGHTS
from multiclass_cases import policy as policy_of
from refusals import refuses
from rochull.decisions import products
from rochull.dialects.registry import names
from rochull.multiclass import MulticlassPoints
from rochull.report.multiclass_deploy import deploy_facts

HOSTILE_COLUMN = "CAST('0.75' AS DOUBLE) * \"0.25\" `1e-323` 4.0 4.49423283715579e+307"


def product(forms: dict[str, Any], weight: float) -> str:
    """One product, as the documentation of the templates says."""
    if weight in (0, 1):
        return str(forms["one" if weight else "zero"])
    form, last = forms["plain"], 0.0
    if weight < 1 and forms["small"] is not None and products.last_output(weight, 0.0) > 0:
        form, last = forms["small"], products.last_output(weight, 0.0)
    if weight > 1 and forms["large"] is not None:
        form, last = forms["large"], products.last_output(weight, np.finfo(float).max)
    numbers = {"weight": repr(weight), "last": repr(last)}
    return "".join(numbers[part] if i % 2 else part for i, part in enumerate(form))


def expression(template: dict[str, Any], weights: list[float]) -> str:
    texts = [product(forms, weight) for forms, weight in zip(template["products"], weights, strict=True)]
    return "".join(part if isinstance(part, str) else texts[part] for part in template["frame"])


def same_as_python(
    template: dict[str, Any], weights: list[float], dialect: str, policy: Any, columns: Any
) -> None:
    if "unavailable" not in template:
        assert expression(template, weights) == policy.to_sql(weights, dialect, columns=columns)
    elif not set(weights) <= {0, 1}:  # of which there are no products, so that Python can write them
        refuses(re.escape(template["unavailable"]), policy.to_sql, weights, dialect, columns=columns)


@pytest.mark.crossed
@pytest.mark.parametrize("dialect", names())
@pytest.mark.parametrize("labels", LABELS)
def test_sql_is_the_policy_s(labels: str, dialect: str) -> None:
    policy = policy_of(LABELS[labels])
    size = len(policy.classes)
    columns = (
        {label: f"output {i}" for i, label in enumerate(policy.classes)} if dialect == "bigquery" else None
    )
    template = deploy_facts(policy.points, columns, None)["sql"][dialect]
    rng = np.random.default_rng(3)
    vectors = [[0.5, *[2.0] * (size - 1)], *rng.lognormal(0, 200, (3, size)).tolist()]
    vectors += [(weights * size)[:size] for weights in WEIGHTS] + policy.points.weights.tolist()
    for weights in vectors[: None if size < 10 else 1]:  # of many classes an expression is long
        same_as_python(template, weights, dialect, policy, columns)


@pytest.mark.parametrize("dialect", names())
def test_columns_may_look_like_what_is_filled_in(dialect: str) -> None:
    policy = policy_of()
    columns = [HOSTILE_COLUMN, ("0.7500000000009095", "table"), 'CAST("van" AS DOUBLE)']
    template = deploy_facts(policy.points, columns, None)["sql"][dialect]
    for weights in [*policy.points.weights.tolist(), *WEIGHTS]:
        same_as_python(template, weights, dialect, policy, columns)


def test_what_cannot_be_deployed_is_said() -> None:
    points = MulticlassPoints(np.ones((1, 2)), np.array([[[3, 1], [0, 2]]]), (("a",), ("b",)))
    found = deploy_facts(points, None, None)
    assert found["policy"] is None
    assert "a document holds texts, truth values and finite numbers" in found["why"]
    assert set(found["sql"]) == set(names())
    assert all(entry == {"unavailable": found["why"]} for entry in found["sql"].values())
    mixed = MulticlassPoints(np.ones((1, 2)), np.array([[[3, 1], [0, 2]]]), (1, "b"))
    found = deploy_facts(mixed, None, None)
    assert found["policy"] is not None
    assert "several types" in found["sql"]["duckdb"]["unavailable"]
    dotted = MulticlassPoints(np.ones((1, 2)), np.array([[[3, 1], [0, 2]]]), ("a.b", "c"))
    found = deploy_facts(dotted, None, None)["sql"]
    assert "no name in bigquery can hold '.'" in found["bigquery"]["unavailable"]
    assert "frame" in found["duckdb"]
    refuses("columns: 'z' is not a class", deploy_facts, dotted, {"z": "x"}, None)


@pytest.mark.parametrize("labels", LABELS)
def test_every_checksum_is_that_of_the_point_s_policy(labels: str, tmp_path: Path) -> None:
    points = policy_of(LABELS[labels]).points
    found = deploy_facts(points, None, ["rochull", "multiclass", "it's.csv"])["policy"]
    for p, checksum in enumerate(found["checksums"]):
        point = {"weights": points.weights[p].tolist(), "confusion": points.confusion[p].tolist()}
        document = json.loads(found["head"] + "}") | {"points": [point], "checksum": checksum}
        loaded = rh.multiclass.MulticlassPolicy.from_json(json.dumps(document))
        assert loaded.points.weights.tolist() == points.weights[p : p + 1].tolist()
        assert loaded.about == {"rochull": rh.__version__, "command": "rochull multiclass 'it'\"'\"'s.csv'"}
