"""How sure the numbers of a report are, in words."""

from __future__ import annotations

from typing import Any

from rochull.report import wording
from rochull.report.derived import has_few_clusters, is_flattered
from rochull.report.wording import choose, sentences, tell

_RATES = ("fpr", "FPR"), ("tpr", "TPR"), ("expected_cost", tell("report.cost"))
_MEASURES = {"expected cost": "expected_cost"}  # what the optimism calls a measure, if not the same


def sure_of_rule(facts: dict[str, Any]) -> wording.Rows | None:
    """How sure the rates and the cost of the chosen rule are."""
    boot, folds = facts["uncertainty"]["bootstrap"], facts["uncertainty"]["folds"]
    fixed, kept = boot and boot["chosen"], boot and boot["optimism"]
    in_folds = folds and folds["chosen"]
    if not (fixed or kept or in_folds):
        return None
    columns, rows = [tell("report.sure.rule")], []
    columns += ["in-sample"] * bool(fixed) + [tell("report.sure.new")] * bool(kept)
    columns += [tell("report.sure.folds")] * bool(in_folds)
    for name, label in _RATES:
        percents = name != "expected_cost"
        values = [part[name] for part in (fixed, in_folds) if part]
        if values and values[0] is None:
            continue
        cells = [label]
        cells += [wording.interval(fixed[name], as_percent=percents)] if fixed else []
        cells += [_kept(kept, name)] if kept else []
        cells += [wording.spread(in_folds[name], as_percent=percents)] if in_folds else []
        rows.append(cells)
    return columns, rows


def _kept(kept: dict[str, Any], name: str) -> str:
    """State how much of a rate or cost the optimum keeps on other data; with an interval if optimised."""
    measure = _MEASURES.get(kept["measure"], kept["measure"])
    if name == measure:
        return wording.interval(kept, as_percent=name != "expected_cost", value="corrected")
    return wording.percent(kept.get(name)) if name != "expected_cost" else "–"


def is_measured(facts: dict[str, Any]) -> bool:
    """Whether the figures of the chosen rule are at the prevalence of the past cases."""
    table, examples = facts["chosen"] and facts["chosen"]["confusion"], facts["examples"]
    return bool(table and examples and table["prevalence"] == examples["prevalence"])


def known(facts: dict[str, Any]) -> str | None:
    """Warn that the cost's interval takes a measured prevalence as known; None without a measured one."""
    boot = facts["uncertainty"]["bootstrap"]
    if not (boot and boot["chosen"] and boot["chosen"]["expected_cost"] and is_measured(facts)):
        return None
    return tell("report.sure.known")


def optimism(facts: dict[str, Any]) -> str | None:
    """By how much the data flatter the rule that they chose."""
    kept = facts["uncertainty"]["bootstrap"] and facts["uncertainty"]["bootstrap"]["optimism"]
    if not kept:
        return None
    key, by, n = kept["measure"], kept["optimism"], kept["n_infeasible"]
    rate = key in wording.RATES
    state = {
        "flattered": "yes" if is_flattered(kept) else "no",
        "held_out": "yes" if facts["need"] else "no",
        "measure": wording.measure_name(key) if rate else key,
        "apparent": wording.percent(kept["apparent"]) if rate else wording.number(kept["apparent"], 3),
        "by": tell("report.points", x=wording.in_percent(by)) if rate else wording.number(by, 3),
    }
    return sentences(choose("report.sure.flattered", state), tell("report.sure.unmet", n=n) if n else "")


def sure_of_areas(facts: dict[str, Any]) -> wording.Rows:
    """How sure the classifiers' areas and places on the hull are."""
    boot, folds = facts["uncertainty"]["bootstrap"], facts["uncertainty"]["folds"]
    columns, rows = ["classifier"], []
    columns += ["AUC", tell("report.sure.hull area"), tell("report.sure.on hull")] if boot else []
    columns += [tell("report.sure.area folds")] if folds else []
    for i, c in enumerate(facts["classifiers"]):
        cells = [c["name"]]
        if boot:
            found = boot["classifiers"][i]
            often = "–" if found["on_hull"] is None else f"{100 * found['on_hull']:.0f} %"
            cells += [wording.interval(found["auc"]), wording.interval(found["auc_hull"]), often]
        cells += [wording.spread(folds["classifiers"][i]["auc"])] if folds else []
        rows.append(cells)
    if boot and boot["auc_union"] and len(rows) > 1:
        dash = ["–"] if folds else []
        rows.append([tell("report.sure.together"), "–", wording.interval(boot["auc_union"]), "–", *dash])
    return columns, rows


def sure_notes(facts: dict[str, Any]) -> str | None:
    """Explain the tables of uncertainty."""
    boot = facts["uncertainty"]["bootstrap"]
    if boot is None:
        return None
    few = tell("report.sure.clusters", clusters=boot["clusters"]) if has_few_clusters(boot) else ""
    shown = [*(boot["chosen"] or {}).values(), boot["auc_union"]]
    shown += [c[area] for c in boot["classifiers"] for area in ("auc", "auc_hull")]
    unknown = any(found is not None and found["low"] is None for found in shown)
    return sentences(tell("report.sure.areas"), few, tell("report.sure.unknown") if unknown else "")
