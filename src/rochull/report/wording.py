"""How facts are put in words: shared by the HTML page and the terminal."""

from __future__ import annotations

from typing import Any

IN_SAMPLE = (
    "In-sample: the thresholds were chosen and measured on the same data. On new cases expect somewhat worse."
)
ROUNDED = "Thresholds are rounded for reading; the policy holds them exactly."


def number(value: Any, digits: int = 4) -> str:
    """A number, rounded for reading; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return {"inf": "∞", "-inf": "−∞"}.get(value, value)
    return f"{value:.{digits}g}".replace("-", "−")


def percent(value: float | None) -> str:
    """A rate as a percentage; a dash for none."""
    return "–" if value is None else f"{100 * value:.1f} %"


def count(value: float) -> str:
    """A number of cases."""
    return f"{value:,.0f}"


def rule(value: dict[str, Any]) -> str:
    """One rule."""
    if value["kind"] != "threshold":
        return f"{value['kind']} positive"
    return f"{value['classifier']} ≥ {number(value['threshold'], 6)}"


def rules(point: dict[str, Any]) -> str:
    """The rule of a point, or its mixture of two."""
    parts = point["rules"]
    if len(parts) == 1:
        return rule(parts[0]["rule"])
    return " or ".join(f"{rule(part['rule'])} ({percent(part['probability'])} of the time)" for part in parts)


def corner(name: str) -> str:
    """What the dominance table calls a degenerate corner of the hull."""
    return {"never": "none (call nothing positive)", "always": "none (call everything positive)"}[name]


def dominator(row: dict[str, Any]) -> str:
    """Who is optimal in a row of the dominance table."""
    return ", ".join(row["classifiers"]) if row["classifiers"] else corner(row["rule"])


def slope_range(row: dict[str, Any]) -> str:
    """The slopes of a row of the dominance table."""
    return f"{number(row['low'])} to {number(row['high'])}"


def absolute(facts: dict[str, Any]) -> str:
    """Whether one classifier dominates all others."""
    name = facts["dominance"]["absolute"]
    if name is not None:
        return f"{name} is an absolute dominator: no other classifier is needed under any condition."
    off = [c["name"] for c in facts["classifiers"] if not c["on_hull"]]
    text = "There is no absolute dominator: the best classifier depends on the conditions."
    return f"{text} Never needed: {', '.join(off)}." if off else text


def examples(facts: dict[str, Any]) -> str:
    """What the classifiers were measured on."""
    found = facts["examples"]
    if found is None:
        return "Made from given rates, without examples"
    total = found["positives"] + found["negatives"]
    unit = "total weight" if found["weighted"] else "examples"
    return f"{count(total)} {unit}, {percent(found['prevalence'])} positive"


def prevalence_note(facts: dict[str, Any]) -> str:
    """Where the prevalence of the confusion matrix comes from."""
    table = facts["chosen"]["confusion"]
    origin = "the condition's" if table["prevalence_from"] == "condition" else "the table's own"
    return f"per {count(table['cases'])} cases at a prevalence of {number(table['prevalence'])} ({origin})"


def single_rule(facts: dict[str, Any]) -> str | None:
    """The best rule without randomisation, where that is another one than the chosen."""
    point = facts["deterministic"]
    if point["rules"] == facts["chosen"]["rules"]:
        return None
    text = f"{rules(point)}: FPR {percent(point['fpr'])}, TPR {percent(point['tpr'])}"
    searched = "the raw curves" if point["source"] == "curve" else "the hull's vertices"
    return f"{text}, the best of {searched}"


def regret(row: dict[str, Any]) -> str:
    """What a classifier alone loses."""
    if row["point"] is None:
        return "cannot meet it"
    return number(row["value"])


def loss(row: dict[str, Any], facts: dict[str, Any]) -> str:
    """What a classifier alone loses, also as a share of the chosen point's cost where there is one."""
    cost = facts["chosen"]["expected_cost"]
    if row["point"] is None or not cost or not row["value"]:
        return regret(row)
    return f"{regret(row)} ({percent(row['value'] / cost)} more)"


def span(ends: list[float]) -> str:
    """A range of rates."""
    low, high = (f"{end:.3f}" for end in ends)
    return low if low == high else f"{low}–{high}"
