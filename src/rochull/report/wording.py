"""How facts are put in words: shared by the HTML page and the terminal."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from typing import Any

from rochull._core.table_errors import names_listed
from rochull.conditions.clauses import stated
from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.report.derived import NORMAL, best_area, lost_share, smallest_cost, widest
from rochull.words.clauses import Clause, Vocabulary, catalogue
from rochull.words.decisions import clause, tables

_FOUR: str = catalogue()["page.four digits"]
ROUNDED: str = catalogue()["page.rounded"]
DETERMINISTIC: str = catalogue()["page.deterministic"]
RATES = ("tpr", "fpr")  # keys of measures that are shown in per cent
FOR_EXPERTS: str = catalogue()["page.row.experts"]


def isolated(name: str) -> str:
    """A name that does not turn around what stands beside it, though it be written from right to left."""
    turns = any(unicodedata.bidirectional(c) in ("R", "AL", "AN", "RLE", "RLO", "RLI") for c in name)
    return f"\u2068{name}\u2069" if turns else name


def segment(name: str) -> str:
    """A segment's name, "column = value", both parts of it isolated."""
    return " = ".join(map(isolated, name.split(" = ", 1)))


def number(value: Any, digits: int = 4, rounding: str = ROUND_HALF_UP) -> str:
    """A number, rounded for reading as the page does: 12,350, 0.00123 and 1.2e−7; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return {"inf": "∞", "-inf": "−∞"}.get(value, value)
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    near = Context(prec=digits, rounding=rounding).create_decimal(repr(float(value))).normalize()
    if value and not 1e-5 <= abs(value) < 1e9:
        text = f"{near.scaleb(-near.adjusted()):f}e{near.adjusted()}"
    else:
        text = f"{near:,f}"
    return text.replace("-", "−")


def threshold(value: Any, *, lower: bool = False) -> str:
    """A threshold, rounded so that a case with just this score stays flagged: who types it loses none."""
    return number(value, rounding=ROUND_CEILING if lower else ROUND_FLOOR)


def percent(value: float | None) -> str:
    """A rate as a percentage; a dash for none."""
    return "–" if value is None else f"{in_percent(value)} %"


def in_percent(value: float) -> str:
    """The same without its unit."""
    distance = min(abs(value), abs(1 - value))
    near = 0 < distance < 0.0005  # then two digits of the distance
    places = min(10, max(2, math.ceil(-math.log10(distance)) - 1)) if near else 1
    text = f"{(100 * Decimal(repr(float(value)))).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}"
    return text.rstrip("0").rstrip(".") if near else text


def share(value: float) -> str:
    """A share that somebody named: the digits that it has."""
    return f"{100 * value:.6g} %"


PAGE = Vocabulary(
    "page",
    {
        "text": lambda value: text if "\u2068" in (text := str(value)) else isolated(text),
        "number": lambda value: stated(value, "{:,.10g}".format),
        "share": lambda value: stated(value, share),
        "count": "{:,}".format,
    },
)


def tell(key: str, **slots: Any) -> str:
    """A message of the catalogue, in the words of the page."""
    return PAGE.told(Clause(key, **slots))


def sentences(*texts: str) -> str:
    """Texts one after the other, without the empty ones."""
    return " ".join(filter(None, texts))


def said(message: dict[str, Any]) -> str:
    """A message of the answer, in the words of the page."""
    return PAGE.told(Clause.from_dict(message))


def choose(kind: str, state: Mapping[str, Any]) -> str:
    """The messages that the tables of a name, or of its parts, choose for a state; empty for none."""
    return " ".join(messages(kind, state))


def messages(kind: str, state: Mapping[str, Any]) -> list[str]:
    """The same one by one."""
    names = (name for name in tables() if name == kind or name.startswith(f"{kind}."))
    return [PAGE.told(found) for name in names if (found := clause(name, state))]


def condition(asked: dict[str, Any]) -> str:
    """A condition, by the clause of its facts, in the words of the page."""
    return PAGE.told(Clause.from_dict(asked["clause"]))


def asked(facts: dict[str, Any]) -> str:
    """The report's condition, and over a range what is sought."""
    text = condition(facts["condition"] or facts["review"])
    return tell("report.asked", condition=text, extra=extra(facts)) if facts["robust"] else text


def extra(facts: dict[str, Any]) -> str:
    """Name what a rule for a whole range loses against the best rule."""
    return choose("report.extra", {"measure": facts["robust"]["measure"]})


def count(value: float) -> str:
    """A number of cases."""
    return f"{Decimal(repr(float(value))).quantize(Decimal(1), ROUND_HALF_UP):,f}"


def rule(value: dict[str, Any], *, exact: bool = False) -> str:
    """One rule; its threshold with all digits if `exact`."""
    made = Rule.from_dict(value)
    if made.constant is not None:
        return choose("rule.one", {"kind": "never" if made == NEVER else "always"})
    lower, at = made.lower_is_positive, value["threshold"]
    shown = str(at) if exact else threshold(at, lower=lower)
    name, sign = str(made.classifier), "≤" if lower else "≥"
    return choose("rule.one", {"classifier": name, "sign": sign, "threshold": shown})


def rules(point: dict[str, Any]) -> str:
    """The rule of a point, or its mixture: of one score the second rule flags what the first does, and more.

    Its twin is in ``report_rule.ts``.
    """
    parts = point["rules"]
    said, made = [rule(part["rule"]) for part in parts], [Rule.from_dict(part["rule"]) for part in parts]
    if len(parts) == 1:
        return said[0]
    first, probability = made[0], parts[0]["probability"]
    cuts = all(each.constant is None for each in made)
    high = low = way = None
    if cuts and first.classifier == made[1].classifier:
        lower = first.lower_is_positive
        high, low = (threshold(part["rule"]["threshold"], lower=lower) for part in parts)
        way = "alike" if high == low else "down" if lower else "up"
    state = {
        "kind": "never" if first == NEVER else None,
        "last": "always" if made[1] == ALWAYS else None,
        "way": way,
        "rule": said[0],
        "other": said[1],
        "high": high,
        "low": low,
        "first": percent(probability),
        "share": percent(_rest(probability) if cuts and way is None else parts[1]["probability"]),
    }
    return choose("rule.mixture", state)


def _rest(share: float) -> float:
    """Return the rest beside a share as shown, so that both add up."""
    return float(1 - Decimal(in_percent(share)) / 100)


def _thresholds(facts: Any) -> Iterator[Any]:
    """Yield the thresholds of all rules in the facts."""
    if isinstance(facts, dict) and facts.get("threshold") is not None:
        yield facts["threshold"]
    elif isinstance(facts, dict | list):
        for each in facts.values() if isinstance(facts, dict) else facts:
            yield from _thresholds(each)


def rounded(facts: dict[str, Any]) -> str | None:
    """State what holds the thresholds exactly: the policy, unless it lacks the rule that a confidence chose.

    None where no threshold is rounded.
    """
    chosen, condition = facts["chosen"], facts["condition"]
    if facts["review"] is not None:
        found = dict.fromkeys(_thresholds(facts["review"]["rules"]))
        as_shown = all(number(each) == number(each, 17) for each in found)
        return None if as_shown else tell("page.review.digits", four=_FOUR, digits=[*map(str, found)])
    by_segment = facts["segments"] or {"rows": [], "fixed": None}
    told = [
        chosen,
        facts["deterministic"],
        facts["robust"],
        by_segment["rows"],
        {"threshold": by_segment["fixed"]},
    ]
    if all(number(threshold) == number(threshold, 17) for threshold in _thresholds(told)):
        return None
    if chosen is None:
        return ROUNDED
    exact = [rule(part["rule"], exact=True) for part in chosen["rules"]]
    said = ROUNDED if condition["parameters"].get("confidence") is None else _FOUR
    return sentences(
        said, choose("rule.digits", {"rules": exact, "mixed": "yes" if len(exact) > 1 else None})
    )


def review(found: dict[str, Any]) -> list[str]:
    """Describe a third action in sentences."""
    cost, error, (share, least) = found["frontier"]["cost"], found["error_rate"], smallest_cost(found)
    reviewed, wrong = percent(found["review_rate"]), None if error is None else percent(error)
    none, every = number(cost[0]), number(cost[-1])
    return [
        tell("report.reviewed", reviewed=reviewed, error=wrong, cost=number(found["expected_cost"])),
        tell("report.reviewed.beside", none=none, all=every, least=number(least), share=percent(share)),
    ]


def scanned(facts: dict[str, Any]) -> list[str]:
    """Say how a table was scanned, and what is therefore unknown."""
    found = facts["scan"]
    if found is None:
        return []
    wide = widest(found)
    within = number(wide, 2) if wide else None
    text = tell("report.scanned", engine=found["engine"], rows=count(found["rows"]), wide=within)
    return [text, *found["not_told"]]


def prevalence_note(facts: dict[str, Any]) -> str:
    """State which cases the confusion matrix counts."""
    table = facts["chosen"]["confusion"]
    return of_cases(facts, table["cases"], [table["prevalence"]])


def of_cases(facts: dict[str, Any], cases: float, prevalences: list[float], *, middle: bool = False) -> str:
    """So many cases and how many are positive, and whether the past ones were like that."""
    low, *high = dict.fromkeys(share(float(f"{end:.4g}")) for end in prevalences)
    past = facts["examples"] and facts["examples"]["prevalence"]
    like = past is not None and not high and low == share(float(f"{past:.4g}"))
    return tell(
        "report.cases",
        cases=count(cases),
        low=low,
        high=high[0] if high else None,
        middle="yes" if middle else "no",
        positive=facts["positive"],
        past="unknown" if past is None else "like" if like else "other",
        past_share=percent(past),
        ranged="yes" if len(prevalences) > 1 else "no",
    )


def figures(facts: dict[str, Any]) -> str | None:
    """State the costs that the figures of a limit assume; None if none were given."""
    given = facts["figures"]
    if given is None:
        return None
    fp, fn = number(given["cost_fp"]), number(given["cost_fn"])
    unit = unit_of(given["cost_fp"])
    return tell("report.figures", fp=fp, fn=fn, unit=unit)


def unit_of(cost_fp: Any) -> str:
    """State the unit of costs, which nobody has named."""
    return choose("meaning.unit", {"unit": "alarm" if cost_fp == 1 else "other"})


def single_rule(facts: dict[str, Any]) -> str | None:
    """The best rule without randomisation, where that is another one than the chosen."""
    point = facts["deterministic"]
    if point["rules"] == facts["chosen"]["rules"]:
        return None
    rates = {rate: percent(point[rate]) for rate in RATES}
    return sentences(tell("report.single", rule=rules(point), **rates), unknown_thresholds(facts))


def unknown_thresholds(facts: dict[str, Any]) -> str:
    """Why the best single rule may not be the best one, as what is known has gaps; empty without."""
    names = facts["singles"]["unknown"]
    vertex = facts["condition"]["slope"] is not None  # is the best under costs, and all are known
    return tell("report.unknown", names=names_listed(names)) if names and not vertex else ""


def not_exact(facts: dict[str, Any]) -> str:
    """The same where a single rule is the answer."""
    return "" if facts["mixtures"] else unknown_thresholds(facts)


def lost(facts: dict[str, Any]) -> str:
    """Name the loss by using one classifier alone, by what the condition optimises."""
    return loss_in(facts["regret"]["measure"])


def loss_in(measure: str) -> str:
    """Name a loss in a measure."""
    return told_of("loss", measure)


def measure_name(key: str) -> str:
    """Name a measure."""
    return PAGE.told(Clause(f"measure.{key}")) if f"measure.{key}" in catalogue() else key


def told_of(what: str, key: str) -> str:
    """Word something about a measure by its key; most share one text that holds their name."""
    own = f"{what}.{key}"
    return PAGE.told(
        Clause(own) if own in catalogue() else Clause(f"{what}.other", measure=measure_name(key))
    )


def alone_title(facts: dict[str, Any]) -> str:
    """Title of the table of single classifiers; mixtures only if one may be the best."""
    condition = facts["condition"]
    if condition["slope"] is not None and not condition["n_limits"]:  # then a vertex is the best
        asked = "costs"
    elif not facts["mixtures"]:
        asked = "single"
    else:
        asked = "assured" if condition["parameters"].get("confidence") is not None else "mixed"
    return tell("page.alone") + choose("report.alone", {"asked": asked, "term": "mixtures"})


def loss(row: dict[str, Any], facts: dict[str, Any]) -> str:
    """Format the loss of a classifier alone; for costs, also as a share of the chosen point's."""
    if row["point"] is None:
        return tell("page.cannot meet it")
    measure, value = facts["regret"]["measure"], row["value"]
    if measure in RATES:
        return tell("report.points", x=number(round(100 * value, 2)))
    more = lost_share(facts, value)
    cost = number(value)
    return cost if more is None else tell("report.more", cost=cost, share=percent(more))


def full(*values: float | str) -> str:
    """Numbers as JavaScript reads them, with all their digits."""
    return ",".join(str(value).replace("inf", "Infinity") for value in values)


def span(ends: list[float]) -> str:
    """A range of rates."""
    low, high = map(in_percent, ends)
    return f"{low} %" if low == high else f"{low}–{high} %"


# --- how sure it is --------------------------------------------------------------------------------

Rows = tuple[list[str], list[list[str]]]  # the columns' names, and rows of cells


def interval(found: dict[str, Any] | None, *, as_percent: bool = False, value: str = "estimate") -> str:
    """A value and its interval, to a small part of its length; a dash for none."""
    if found is None:
        return "–"
    shown, ends = _value_and_ends(found, as_percent, value)
    return f"{shown} ({ends})"


def _value_and_ends(found: dict[str, Any], as_percent: bool, value: str) -> tuple[str, str]:
    if found["low"] is None:
        return _rounded([found[value]], 0.0, as_percent)[0] + " %" * as_percent, tell("page.unknown")
    ends = [found[value], found["low"], found["high"]]
    shown, low, high = _rounded(ends, (found["high"] - found["low"]) / 8, as_percent)
    unit = " %" if as_percent else ""
    if low.startswith("−"):
        return f"{shown}{unit}", tell("page.range", low=low, high=f"{high}{unit}")
    return f"{shown}{unit}", f"{low}–{high}{unit}"


def spread(found: dict[str, Any] | None, *, as_percent: bool = False) -> str:
    """A mean over folds and its standard deviation; a dash for none."""
    return "–" if found is None else " ".join(_value_and_sem(found["mean"], found["sem"], as_percent))


def _value_and_sem(value: float, sem: float, as_percent: bool) -> tuple[str, str]:
    shown, half = _rounded([value, sem], sem, as_percent)
    unit = " %" if as_percent else ""
    return f"{shown}{unit}", f"± {half}{unit}"


def with_ends(value: float, error: float, least: float = 0.0) -> tuple[str, str, str]:
    """A cost and both ends of its 95 % interval by its standard error, in the decimals that this leaves.

    A difference of costs has no least one. Its twin is in ``report_format.ts``.
    """
    ends = [value, max(least, value - NORMAL * error), value + NORMAL * error]
    about, low, high = _rounded(ends, error, False)
    return about, low, high


def _rounded(values: list[float], scale: float, as_percent: bool) -> list[str]:
    """Values, with one digit of `scale` shown, or with two if that is between 1 and 3.5."""
    factor = 100 if as_percent else 1
    places = 3 - 2 * as_percent
    if scale > 0:
        places = min(6, max(0, -math.floor(math.log10(factor * scale / 3.5))))
    largest = factor * max(map(abs, values))
    if largest > 0:  # four figures, or so many that the values are not alike
        most = max(0, 3 - math.floor(math.log10(largest)))
        while places > most and len({round(factor * value, places - 1) for value in values}) == len(values):
            places -= 1
    return [f"{factor * value:,.{places}f}".replace("-", "−") for value in values]


def how_sure(facts: dict[str, Any]) -> str:
    """Name the methods behind the statements of uncertainty."""
    found, parts = facts["uncertainty"], []
    boot = found["bootstrap"]
    if boot is not None:
        counted = boot["chosen"] and boot["chosen"]["tpr"]["method"] == "wilson"
        clusters = None if boot["clusters"] is None else count(boot["clusters"])
        slots = {"draws": count(boot["n_resamples"]), "clusters": clusters}
        level = number(100 * found["level"])
        parts.append(tell("report.how sure", level=level, counts="yes" if counted else "no", **slots))
    if found["folds"] is not None:
        parts.append(tell("report.how sure.folds", folds=str(found["folds"]["n_folds"])))
    return "; ".join(parts)


def _method(name: str) -> str:
    return choose("report.method", {"method": name}) or name


def methods(facts: dict[str, Any], *, drawn: bool) -> str | None:
    """Which interval is by which method; that of the band where it is drawn."""
    boot = facts["uncertainty"]["bootstrap"]
    if boot is None:
        return None
    chosen, by = boot["chosen"], list[tuple[str, str]]()
    if chosen:
        method = chosen["tpr"]["method"]
        combined = chosen["expected_cost"] and method == "wilson"
        by.append(("both" if chosen["expected_cost"] and not combined else "rates", method))
        by += [("cost", method)] * bool(combined)
    by += [("new", "")] * bool(boot["optimism"])
    areas = next((c for c in boot["classifiers"] if c["auc"]), None)
    if areas:
        by += [("area", areas["auc"]["method"]), ("hull", areas["auc_hull"]["method"])]
    by += [("band", band["method"]) for band in boot["bands"][:drawn]]
    if not by:
        return None
    said = [choose("report.methods", {"of": of, "method": _method(method)}) for of, method in by]
    counted = "no" if chosen and chosen["tpr"]["method"] == "bca" else "yes"
    return tell("report.methods", methods=_capital("; ".join(said)), counted=counted)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def headline(facts: dict[str, Any], name: str, *, percents: bool = True) -> tuple[str, str]:
    """A rate or another number of the chosen rule, and how sure it is: empty if that is not known."""
    sure = facts["uncertainty"] or {}
    boot, folds = (sure.get(part) and sure[part]["chosen"] for part in ("bootstrap", "folds"))
    if boot and boot.get(name):
        value, ends = _value_and_ends(boot[name], percents, "estimate")
        return value, f"({ends})"
    value = facts["chosen"][name]
    if folds and folds.get(name):
        return _value_and_sem(value, folds[name]["sem"], percents)
    return percent(value) if percents else number(value), ""


def with_headline(facts: dict[str, Any], name: str, *, percents: bool = True) -> str:
    """:func:`headline` in one piece."""
    return " ".join(filter(None, headline(facts, name, percents=percents)))


def area(row: dict[str, Any]) -> str:
    """The area under the raw curve of a classifier, and its interval where that is known."""
    if row["auc"] is None:
        return "–"
    return (
        interval({"estimate": row["auc"], **row["auc_interval"]})
        if row["auc_interval"]
        else f"{row['auc']:.3f}"
    )


def areas_caption(facts: dict[str, Any]) -> str:
    """Caption of the table of areas, with its intervals explained unless another table does so."""
    boot = facts["uncertainty"] and facts["uncertainty"]["bootstrap"]
    known = not boot and any(c["auc_interval"] for c in facts["classifiers"])
    return tell("report.areas", method=_method("score") if known else None)


def area_value(facts: dict[str, Any], i: int) -> str:
    """The same with all its digits."""
    boot, row = facts["uncertainty"] and facts["uncertainty"]["bootstrap"], facts["classifiers"][i]
    found = (boot and boot["classifiers"][i]["auc"]) or row["auc_interval"]
    if row["auc"] is None:
        return ""
    return full(row["auc"], *((found["low"], found["high"]) if found and found["low"] is not None else ()))


def hull_area(facts: dict[str, Any]) -> str:
    """The area of the union hull, and how sure it is."""
    sure = facts["uncertainty"]
    found = sure and sure["bootstrap"] and sure["bootstrap"]["auc_union"]
    return interval(found) if found else number(facts["hybrid"]["auc"])


def hull_area_named(facts: dict[str, Any]) -> str:
    """The same, and what it is the area of."""
    joint = "yes" if len(facts["classifiers"]) > 1 else "no"
    return tell("report.hull area", joint=joint, area=hull_area(facts))


def largest_alone(facts: dict[str, Any]) -> str:
    """The largest area of a single hull, where that is not the joint one, even as printed."""
    if len(facts["classifiers"]) < 2 or facts["dominance"]["absolute"] is not None:
        return ""
    best = best_area(facts)
    alone = f"{best['auc_hull']:.4f}"
    same = alone == f"{facts['hybrid']['auc']:.4f}"
    return "" if same else tell("report.hull area.alone", name=best["name"], area=alone)
