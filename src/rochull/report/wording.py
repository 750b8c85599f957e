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
FOR_EXPERTS = "For experts"


def isolated(name: str) -> str:
    """A name that does not turn around what stands beside it, though it be written from right to left."""
    turns = any(unicodedata.bidirectional(c) in ("R", "AL", "AN", "RLE", "RLO", "RLI") for c in name)
    return f"\u2068{name}\u2069" if turns else name


def joined(texts: list[str]) -> str:
    """Texts as a list within a sentence."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


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


def asked(facts: dict[str, Any]) -> str:
    """The report's condition, and over a range what is sought."""
    text = condition(facts["condition"] or facts["review"])
    sought = (
        f"; for the whole range, the rule whose worst {extra(facts)} is smallest" if facts["robust"] else ""
    )
    return text + sought


def extra(facts: dict[str, Any]) -> str:
    """Name what a rule for a whole range loses against the best rule."""
    return "extra cost" if facts["robust"]["measure"] == "expected cost" else "loss"


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
    names = (name for name in tables() if name == kind or name.startswith(f"{kind}."))
    return " ".join(PAGE.told(found) for name in names if (found := clause(name, state)))


def condition(asked: dict[str, Any]) -> str:
    """A condition, by the clause of its facts, in the words of the page."""
    return PAGE.told(Clause.from_dict(asked["clause"]))


def count(value: float) -> str:
    """A number of cases."""
    return f"{Decimal(repr(float(value))).quantize(Decimal(1), ROUND_HALF_UP):,f}"


def rule(value: dict[str, Any], *, exact: bool = False) -> str:
    """One rule; its threshold with all digits if `exact`."""
    made = Rule.from_dict(value)
    if made.constant is not None:
        return "flag no case" if made == NEVER else "flag every case"
    sign = "≤" if made.lower_is_positive else "≥"
    at = value["threshold"] if exact else threshold(value["threshold"], lower=made.lower_is_positive)
    return f"{isolated(str(made.classifier))} {sign} {at}"


def rules(point: dict[str, Any]) -> str:
    """The rule of a point, or its mixture: of one score the second rule flags what the first does, and more.

    Its twin is in ``report_rule.js``.
    """
    parts = point["rules"]
    said, made = [rule(part["rule"]) for part in parts], [Rule.from_dict(part["rule"]) for part in parts]
    of = percent(parts[-1]["probability"])
    some = f"{of} of the"
    if len(parts) == 1:
        return said[0]
    if made == [NEVER, ALWAYS]:
        return f"flag {some} cases, drawn at random"
    if made[0] == NEVER:
        return f"a random {some} cases with {said[1]}"
    if made[1] == ALWAYS:
        return f"{said[0]}, and a random {some} other cases"
    if made[0].classifier == made[1].classifier:
        lower = made[0].lower_is_positive
        high, low = (threshold(part["rule"]["threshold"], lower=lower) for part in parts)
        if high == low:  # as they are shown
            return f"{said[0]}, and a random {some} other cases with {said[1]}"
        way = "down" if lower else "up"
        return f"{said[0]}, and a random {of} of those from {low} {way} to {high}"
    return " or ".join(said[i] + drawn(part["probability"], i) for i, part in enumerate(parts))


def drawn(probability: float, i: int) -> str:
    """For which cases a mixture decides by its first rule, and by its second."""
    return (
        f" (for {percent(probability)} of the cases, at random)"
        if i == 0
        else f" (for the other {percent(_rest(1 - probability))})"
    )


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
        exact = " and ".join(map(str, found))
        as_shown = all(number(each) == number(each, 17) for each in found)
        return None if as_shown else f"{_FOUR} With all digits they are {exact}."
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
    exact = " and ".join(rule(part["rule"], exact=True) for part in chosen["rules"])
    exact = f"the rule is {exact}" if len(chosen["rules"]) == 1 else f"the thresholds are {exact}"
    said = ROUNDED if condition["parameters"].get("confidence") is None else _FOUR
    return f"{said} With all digits {exact}."


def review(found: dict[str, Any]) -> list[str]:
    """Describe a third action in sentences."""
    cost, error, (share, least) = found["frontier"]["cost"], found["error_rate"], smallest_cost(found)
    return [
        f"Reviewed: {percent(found['review_rate'])} of the cases; decided wrongly among the others: "
        f"{'none is decided' if error is None else percent(error)}; expected cost per case: "
        f"{number(found['expected_cost'])} (in-sample)",
        f"Without reviews it is {number(cost[0])}; with all cases reviewed {number(cost[-1])}; the least is "
        f"{number(least)}, with {percent(share)} reviewed.",
    ]


def scanned(facts: dict[str, Any]) -> list[str]:
    """Say how a table was scanned, and what is therefore unknown."""
    found = facts["scan"]
    if found is None:
        return []
    text = f"Scanned by {found['engine']}: {count(found['rows'])} rows. Hulls and thresholds are exact"
    wide = widest(found)
    text += f"; raw AUCs lie within {number(wide, 2)} of what is shown." if wide else ", as are raw AUCs."
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
    return f"Cost and net benefit are for a false alarm that costs {fp}, and a miss {fn}. {unit}"


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
    title, asked = "Each classifier on its own, at its best threshold", facts["condition"]
    if asked["slope"] is not None and not asked["n_limits"]:  # then a vertex is the best
        return title
    if not facts["mixtures"]:
        return f"{title}; one threshold for each, against the best rule of all, mixtures included"
    assured = asked["parameters"].get("confidence") is not None
    return title if assured else f"{title}; mixtures of two thresholds allowed"


def loss(row: dict[str, Any], facts: dict[str, Any]) -> str:
    """Format the loss of a classifier alone; for costs, also as a share of the chosen point's."""
    if row["point"] is None:
        return "cannot meet it"
    measure, value = facts["regret"]["measure"], row["value"]
    if measure in RATES:
        return tell("report.points", x=number(round(100 * value, 2)))
    more = lost_share(facts, value)
    return number(value) if more is None else f"{number(value)} ({percent(more)} more)"


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
        return _rounded([found[value]], 0.0, as_percent)[0] + " %" * as_percent, "unknown"
    ends = [found[value], found["low"], found["high"]]
    shown, low, high = _rounded(ends, (found["high"] - found["low"]) / 8, as_percent)
    unit = " %" if as_percent else ""
    return f"{shown}{unit}", f"{low}{' to ' if low.startswith('−') else '–'}{high}{unit}"


def spread(found: dict[str, Any] | None, *, as_percent: bool = False) -> str:
    """A mean over folds and its standard deviation; a dash for none."""
    return "–" if found is None else " ".join(_value_and_sem(found["mean"], found["sem"], as_percent))


def _value_and_sem(value: float, sem: float, as_percent: bool) -> tuple[str, str]:
    shown, half = _rounded([value, sem], sem, as_percent)
    unit = " %" if as_percent else ""
    return f"{shown}{unit}", f"± {half}{unit}"


def with_ends(value: float, error: float, least: float = 0.0) -> tuple[str, str, str]:
    """A cost and both ends of its 95 % interval by its standard error, in the decimals that this leaves.

    A difference of costs has no least one. Its twin is in ``report_format.js``.
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
    if found["bootstrap"] is not None:
        draws = f"{count(found['bootstrap']['n_resamples'])} bootstrap replicates"
        if found["bootstrap"]["clusters"] is not None:
            draws += f" of {count(found['bootstrap']['clusters'])} clusters"
        of_rule = found["bootstrap"]["chosen"]
        if of_rule and of_rule["tpr"]["method"] == "wilson":
            draws = f"from the counts; for new cases and areas of hulls {draws}"
        parts.append(f"{number(100 * found['level'])} % intervals, {draws}")
    if found["folds"] is not None:
        parts.append(f"means of {found['folds']['n_folds']} folds ± standard error")
    return "; ".join(parts)


_METHODS = {
    "wilson": "Wilson's",
    "score": "DeLong's, made wider where a class has few cases",
    "bca": "bootstrap (BCa)",
    "basic": "bootstrap (basic)",
    "simultaneous": "bootstrap (simultaneous)",
}


def methods(facts: dict[str, Any], *, drawn: bool) -> str | None:
    """Which interval is by which method; that of the band where it is drawn."""
    boot = facts["uncertainty"]["bootstrap"]
    if boot is None:
        return None
    by: list[tuple[str, str]] = []
    if boot["chosen"]:
        method = boot["chosen"]["tpr"]["method"]
        combined = boot["chosen"]["expected_cost"] and method == "wilson"
        what = "rates and cost" if boot["chosen"]["expected_cost"] and not combined else "rates"
        by.append((f"{what} of the rule", method))
        if combined:
            by.append(("its cost", "both rates’ combined (MOVER)"))
    of_rule, areas = len(by), next((c for c in boot["classifiers"] if c["auc"]), None)
    if areas:
        by += [("AUC", areas["auc"]["method"]), ("area of a hull", areas["auc_hull"]["method"])]
    by += [("shaded band", band["method"]) for band in boot["bands"][:drawn]]
    said = [f"{what}: {_METHODS.get(method, method)}" for what, method in by]
    if boot["optimism"]:
        said.insert(of_rule, "on new cases: bootstrap (optimism)")
    if not said:
        return None
    text = f"Intervals by method. {_capital('; '.join(said))}."
    if boot["chosen"] and boot["chosen"]["tpr"]["method"] == "bca":
        text += " (The rule is randomised, or the examples weighted or clustered: there are no counts.)"
    return text


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
    return "Areas under their curves" + f"; in brackets: 95 % intervals ({_METHODS['score']})" * known


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
    return f"area under the {'joint ' * (len(facts['classifiers']) > 1)}convex hull {hull_area(facts)}"


def largest_alone(facts: dict[str, Any]) -> str:
    """The largest area of a single hull, where that is not the joint one, even as printed."""
    if len(facts["classifiers"]) < 2 or facts["dominance"]["absolute"] is not None:
        return ""
    best = best_area(facts)
    alone = f"{best['auc_hull']:.4f}"
    same = alone == f"{facts['hybrid']['auc']:.4f}"
    return "" if same else f" ({isolated(best['name'])} alone: {alone})"
