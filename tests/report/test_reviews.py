"""A report on a third action: its rule, and the least cost of every share that is reviewed."""

import json
from importlib.resources import files

import jsonschema
import numpy as np
import pytest

import rochull as rh


@pytest.fixture(scope="module")
def hybrid() -> rh.Hybrid:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    return rh.Hybrid().add("a", y, y + rng.normal(size=300)).add("b", y, y + 2 * rng.random(300))


@pytest.mark.parametrize("cost", [0.1, (0.05, 0.2)])
def test_facts_and_text(hybrid: rh.Hybrid, cost: float | tuple[float, float]) -> None:
    review = rh.Review(cost_fn=2, cost_review=cost, max_share=0.2)
    report = rh.Report(hybrid, review)
    facts = report.facts["review"]
    schema = json.loads((files("rochull.report") / "report.schema.json").read_text())
    jsonschema.validate(json.loads(report.to_json()), schema)
    if cost == 0.1:
        point = hybrid.at(review)
        assert (facts["review_rate"], facts["error_rate"]) == (point.review_rate, point.error_rate)
        assert facts["expected_cost"] == point.expected_cost(review)
    assert facts["frontier"]["cost"] == hybrid.review_frontier(review.center).cost.tolist()
    assert report.facts["condition"] is None
    text = report.to_text()
    assert "Reviewed: 20.0 % of the cases" in text.replace("\n", " ")
    assert "Without reviews it is" in text
    assert rh.Report(hybrid).facts["review"] is None
    assert '"review_rate"' in report.to_html()
    with pytest.raises(ValueError, match="figures has no effect with a Review"):
        rh.Report(hybrid, review, figures=rh.ExpectedCost())
