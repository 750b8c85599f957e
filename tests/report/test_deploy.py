"""What a report hands over: a policy document that loads, and SQL whose pieces make Python's own text."""

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from rochull.conditions.rules import OperatingPoint, Rule
from rochull.dialects.registry import dialects
from rochull.dialects.registry import names as dialect_names
from rochull.report import deploy
from rochull.report.facts import facts_of

Facts = dict[str, Any]
KEYS = ["id", 'i"d`', "a\\b", "${k}", " <key> ", "a.b", "\n", "ключ"]
NAMES = [
    ["a", 'we"`ird\\ $x'],
    ["0.5 1.5 2.5 0 1 2", "<key> <first> 9e3779b9"],
    ["a.b", "${x}"],
    ["__proto__", "'"],
]
CONDITIONS = [
    *(rh.NeymanPearson(limit) for limit in (0, 1e-12, 0.05, 0.1, 0.25, 0.5, 0.999, 1)),
    *(rh.MinimumRecall(limit) for limit in (0, 0.33, 0.8, 1)),
    *(rh.ExpectedCost(1, cost, 0.3) for cost in (0, 0.01, 1, 4, 300)),
    rh.Capacity(fraction=0.2, prevalence=0.4),
]


def hybrid_of(names: list[str]) -> rh.Hybrid:
    """Return classifiers of every kind of score: small integers, floats, integers and floats of any size."""
    rng = np.random.default_rng(24)  # with which every classifier is optimal somewhere
    y = rng.integers(0, 2, 300)
    drawn = rng.normal(1.2 * y, size=(6, 300))
    rounded = np.round(drawn * [[3], [1], [1e7], [1e3], [1], [1]]).astype(int)
    scores = {
        names[0]: rounded[0],
        names[1]: drawn[1],
        "middle": rounded[2] * 4,
        "wide": rounded[3] * 2**46 + 2**55 + rng.integers(0, 9, 300),
        "huge": 1e19 * drawn[4],
        "infinite": np.select([drawn[5] > 2.5, drawn[5] < -2], [np.inf, -np.inf], drawn[5]),
    }
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score)
    return hybrid.add_point("point", 0.02, 0.3)


def assembled(facts: Facts, point: OperatingPoint, dialect: str, key: str) -> str:
    """Put the text together from the pieces alone, as the docstring of the module tells a browser to."""
    sql = facts["deploy"]["sql"][dialect]
    integer = {c["name"]: c["integer"] for c in facts["classifiers"]}

    def text(rule: Rule) -> str:
        if rule.kind != "threshold":
            return str(sql[rule.kind])
        found, threshold = sql["classifiers"][rule.classifier], rule.threshold
        assert threshold is not None
        if "unavailable" in found:
            raise ValueError(found["unavailable"])
        written = {math.inf: "inf", -math.inf: "-inf"}.get(threshold, threshold)
        fact = {"kind": rule.kind, "classifier": rule.classifier, "threshold": written}
        [vertex] = [v for v, rules in enumerate(facts["hybrid"]["owners"]) if fact in rules]
        if str(vertex) in found.get("exact", {}):
            return str(found["exact"][str(vertex)])
        if integer[rule.classifier] and abs(threshold) <= 2**24:
            return str(threshold).join(found["integer"])
        return repr(float(threshold) + 0.0).join(found["float"])

    first, other = point.rules[0][0], point.rules[-1][0]
    count = 0 if len(point.rules) == 1 else math.ceil(point.rules[1][1] * 2**32)
    if count in (0, 2**32):
        return text(other if count else first)
    how = sql["key"]
    if not key or any(sign in key for sign in how["refused"]):
        raise ValueError("no such key")
    quoted = how["open"] + key.replace(how["close"], how["escaped"]) + how["close"]
    filled = {"key": quoted, "count": f"{count:08x}", "first": text(first), "other": text(other)}
    parts, slots = sql["mixture"]["parts"], [filled[slot] for slot in sql["mixture"]["slots"]]
    return "".join(itertools.chain(*itertools.zip_longest(parts, slots, fillvalue="")))


def outcome(write: Any) -> str | None:
    try:
        return str(write())
    except ValueError:
        return None


@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0])
def test_the_pieces_make_the_text_of_python(names: list[str]) -> None:
    hybrid = hybrid_of(names)
    facts, policy = json.loads(json.dumps(facts_of(hybrid))), hybrid.policy()
    seen = set()
    for (i, condition), dialect in itertools.product(enumerate(CONDITIONS), dialect_names()):
        point, key = hybrid.at(condition), KEYS[i % len(KEYS)]
        mixed = len(point.rules) > 1
        expected = outcome(lambda: policy.to_sql(point, dialect, key=key if mixed else None))  # noqa: B023
        assert outcome(lambda: assembled(facts, point, dialect, key)) == expected  # noqa: B023
        seen |= {(mixed, expected is None)}
    assert {(False, False), (True, False), (True, True)} <= seen


def test_every_vertex_and_every_share() -> None:
    hybrid = hybrid_of(NAMES[0])
    facts, policy, owners = json.loads(json.dumps(facts_of(hybrid))), hybrid.policy(), hybrid.hull.owners
    assert set(hybrid.hull.classifiers) == set(hybrid.hulls)
    for rule in itertools.chain(*owners):
        point = OperatingPoint(0, 0, ((rule, 1.0),))
        assert assembled(facts, point, "postgres", "") == policy.to_sql(point, "postgres")
    for share in (2.0**-60, 2.0**-32, 0.1, 1 / 3, 1 - 2.0**-32, 1 - 2.0**-33, 1 - 2.0**-53):
        point = OperatingPoint(0, 0, ((owners[1][0], 1 - share), (owners[2][0], share)))
        assert assembled(facts, point, "spark", "k") == policy.to_sql(point, "spark", key="k")


def test_what_is_kept_is_what_sqlglot_writes() -> None:
    """After a change of a dialect scripts/write_sql.py writes it anew."""
    assert deploy._kept() == {name: deploy.texts_around(dialect) for name, dialect in dialects().items()}


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=9), st.booleans())
def test_any_name_is_quoted_as_sqlglot_does(name: str, lower: bool) -> None:
    for dialect in dialects().values():
        rules: dict[str, Rule] = {"1": Rule("threshold", name, 0.75, lower)}
        found = deploy._pieces({name: rules}, "", dialect)["classifiers"][name]
        expected = outcome(lambda: dialect.text(dialect.rule(rules["1"], {})))  # noqa: B023
        assert (None if "unavailable" in found else "0.75".join(found["float"])) == expected


def test_a_salt_is_written_anew() -> None:
    for dialect in dialects().values():
        assert deploy._pieces({}, "x'y", dialect)["mixture"] == deploy.texts_around(dialect, "x'y")["mixture"]


def test_names_that_a_dialect_cannot_hold() -> None:
    sql = facts_of(hybrid_of(NAMES[2]))["deploy"]["sql"]
    why = "the rule's classifier is 'a.b', but no name in bigquery can hold '.'."
    assert sql["bigquery"]["classifiers"]["a.b"] == {"unavailable": why}
    assert "unavailable" in sql["spark"]["classifiers"]["${x}"]
    assert all("unavailable" not in found for found in sql["duckdb"]["classifiers"].values())
    assert sql["duckdb"]["key"] == {"open": '"', "close": '"', "escaped": '""', "refused": ["\0"]}
    assert sql["spark"]["key"]["escaped"] == "``"


def test_only_what_is_needed_is_there() -> None:
    """Classifiers that own no vertex have no text; one of floats none for integers."""
    y = [0, 1, 0, 1]
    hybrid = rh.Hybrid().add("best", y, [0.1, 0.8, 0.2, 0.9]).add("worst", y, [4, 3, 2, 1])
    found = facts_of(hybrid)["deploy"]["sql"]["duckdb"]["classifiers"]
    assert {name: set(pieces) for name, pieces in found.items()} == {"best": {"float"}}


def test_the_policy_is_pythons_own() -> None:
    hybrid = hybrid_of(NAMES[0])
    text = json.loads(json.dumps(facts_of(hybrid)))["deploy"]["policy"]
    assert text == hybrid.policy(most=0).to_json()
    about = {"table": "scores.parquet"}
    assert (
        rh.Report(hybrid, about=about).facts["deploy"]["policy"]
        == hybrid.policy(about=about, most=0).to_json()
    )
    loaded = rh.Policy.from_json(text)
    for condition in CONDITIONS:
        assert loaded.at(condition) == hybrid.at(condition)


def test_the_policy_holds_the_single_rule_of_the_condition() -> None:
    hybrid = hybrid_of(NAMES[0])
    for condition in (
        rh.NeymanPearson(0.1),
        rh.NeymanPearson((0.05, 0.2)),
        rh.Within(rh.ExpectedCost(1, 5), [rh.Recall() >= 0.7]),
    ):
        text = rh.Report(hybrid, condition).facts["deploy"]["policy"]
        table = hybrid.regret(condition)
        single = (
            table.least_worst_single.point
            if condition.question.spread
            else hybrid.at(condition, deterministic=True)
        )
        assert text == hybrid.policy(singles=[single], most=0).to_json()
        if not condition.question.spread:
            assert rh.Policy.from_json(text).at(condition, deterministic=True).rules == single.rules


def test_a_single_rule_of_a_point_below_the_hull_is_left_out() -> None:
    hybrid = rh.Hybrid().add_point("a", 0.1, 0.5).add_point("b", 0.3, 0.8).add_point("below", 0.2, 0.64)
    facts = rh.Report(hybrid, rh.NeymanPearson(0.25)).facts
    assert facts["deterministic"]["rules"][0]["rule"]["classifier"] == "below"
    assert facts["deploy"]["policy"] == hybrid.policy(most=0).to_json()


def test_the_schema_is_documented() -> None:
    assert deploy.__doc__ is not None
    found = facts_of(hybrid_of(NAMES[0]))["deploy"]
    pieces = found["sql"]["duckdb"]
    each = [set(kind) for kind in pieces["classifiers"].values()]
    for name in (*found, *pieces, *set().union(*each), *pieces["mixture"], *pieces["key"]):
        assert f"``{name}`" in deploy.__doc__ or f"``{name}[" in deploy.__doc__, name
