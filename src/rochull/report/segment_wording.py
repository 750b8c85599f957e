"""How thresholds by segment are put in words: shared by the HTML page and the terminal."""

from __future__ import annotations

from typing import Any

from rochull.report import wording
from rochull.report.derived import cases_in, gain_kind, rates_gained
from rochull.report.live_segments import ELSEWHERE
from rochull.report.wording import Rows, percent

MOST_ROWS = 20  # of a table in a terminal
_MODELS = {
    "pav": "the hull of every segment (PAV)",
    "gaussian": "normal scores",
    "equal-variance": "normal scores of equal variance",
    "logistic": "a logistic regression",
    "fixed": "one threshold for all",
}


def title(facts: dict[str, Any]) -> str:
    """Whose thresholds depend on what."""
    found = facts["segments"]
    columns = " and ".join(map(wording.isolated, found["columns"]))
    return f"Thresholds of {wording.isolated(found['classifier'])} that depend on {columns}"


def how(facts: dict[str, Any]) -> str:
    """How the thresholds were learned, and how what they gain was measured."""
    found = facts["segments"]
    text = f"By {_MODELS.get(found['model'], found['model'])}"
    if found["shrinkage"] == "inf":
        text += ", so much shrunk towards the map of all cases that the thresholds are the same"
    elif found["shrinkage"]:
        text += (
            f", to which {wording.number(found['shrinkage'])} examples like those of all segments were added"
        )
    if found["n_folds"] is None:
        return f"{text}."
    held = "the steps that PAV learnt on the other folds" if found["model"] == "pav" else "both curves"
    return (
        f"{text}. Held out: means of {found['n_folds']} folds for areas, and all cases for rates; "
        "thresholds, the fixed one too, were chosen on the other folds. In-sample, areas are those of both "
        f"hulls; held out those of {held}{', for one threshold as by segment' * (found['model'] == 'pav')}. "
        f"{_gained(facts)}"
    )


def measured(facts: dict[str, Any]) -> str:
    """On which cases."""
    text = "In-sample: measured on the cases that chose the thresholds"
    if facts["segments"]["n_folds"] is None:
        return f"{text}."
    return (
        f"{text}; held out: on cases that did not choose them. There every fold has thresholds of its own, "
        "so that rates are not those of the rule at the top, but of rules that are chosen as it was."
    )


def for_experts(facts: dict[str, Any]) -> list[str]:
    """How it was done, in sentences."""
    area = (
        "AUC does not depend on the threshold: it is the chance that a random positive case scores higher "
        "than a random negative one (ties count one half)."
    )
    return [area, how(facts), *filter(None, [elsewhere(facts)])]


def verdicts(facts: dict[str, Any]) -> list[str]:
    """State the gain by segments, and what may surprise about it."""
    found, need = facts["segments"], facts["need"]
    said, points = [gain_verdict(facts)], found["points"]
    if points and _all_alike(found):
        text = "Chosen on all cases, the thresholds of all segments are the same"
        held = "; in cross-validation they are chosen anew for each fold" * bool(points["held_out"])
        said.append(f"{text}{held}.")
    said += _unlike(found["rows"]) if points else []
    cost = wording.with_ends(need["hybrid"], need["hybrid_error"])[0] if need else ""
    if points and points["held_out"] and need and _held_cost(points, cost) != cost:
        times = need["n_repeats"]
        other = f"{times} other random partitions" if times != 1 else "another random partition"
        said.append(
            f"The cross-validated cost of {cost} at the top is of {other} into {need['n_folds']} parts: such "
            "figures differ from partition to partition."
        )
    return said


def _unlike(rows: list[dict[str, Any]]) -> list[str]:
    """How far apart the rates of segments are under one threshold; nothing where that is not known."""
    said = []
    for rate, of, what in (
        ("fpr", "negatives", "of the negatives are wrongly flagged"),
        ("tpr", "positives", "of the positives are caught"),
    ):
        told = [row for row in rows if row.get("one") and row[of]]
        if len(told) < 2:
            return []
        low, high = (choose(told, key=lambda row: row["one"][rate]) for choose in (min, max))
        ends = [
            f"{percent(row['one'][rate])} ({wording.segment(row['segment'])}, {wording.count(row[of])} {of})"
            for row in (low, high)
        ]
        said.append(f"{' to '.join(ends)} {what}")
    return [f"By one threshold for all, segments fare unlike: from {'; from '.join(said)}."]


def _held_cost(points: dict[str, Any], like: str) -> str:
    """Format the held-out cost with as many decimals as another cost has."""
    return f"{points['held_out']['straight']['expected_cost']:.{len(like.partition('.')[2])}f}"


def _all_alike(found: dict[str, Any]) -> bool:
    """Whether every segment has the one threshold of all."""
    return {row["threshold"] for row in found["rows"]} == {found["fixed"]}


def gain_verdict(facts: dict[str, Any]) -> str:
    """State the gain on cases that did not choose the thresholds: by the report's condition, then in area."""
    areas = facts["segments"]["areas"]["held_out"]
    if areas is None:
        return "What thresholds by segment gain on other cases needs all rows in memory."
    held = (facts["segments"].get("points") or {}).get("held_out")
    start = f"In {facts['segments']['n_folds']}-fold cross-validation"
    if held is not None:
        start += ", under the report’s own condition"
        return f"{start}, thresholds by segment {_under_the_condition(held)}"
    text = f"{start}, the area under the curve (AUC) with thresholds by segment"
    return f"{text} {_AREA.get(gain_kind(areas['gain'], areas['gain_sem']), _AREA['none'])}."


_AREA = {
    "none": "differs by no more than chance explains",
    "better": "is higher, by more than chance explains",
    "worse": "is lower, by more than chance explains: use one threshold",
}


def _gained(facts: dict[str, Any]) -> str:
    """The differences that :func:`verdict` weighs, with their standard errors."""
    areas = facts["segments"]["areas"]["held_out"]
    held = (facts["segments"]["points"] or {}).get("held_out")
    text = "With thresholds by segment "
    if held and held["gain"] is not None:
        size = wording.spread({"mean": held["gain"], "sem": held["gain_sem"]}).removeprefix("−")
        told = f"{size} (standard error of paired cases) {_is_less(held['gain'], 'lower', 'higher')}"
        text += f"the cost per case is {told if held['gain'] else 'the same'}, and "
    error = f"{areas['gain_sem']:.4f} (standard error over the folds)"
    gain = f"{areas['gain']:.4f}".removeprefix("-")
    return f"{text}the AUC is {gain} ± {error} {_is_less(areas['gain'], 'higher', 'lower')}."


def _is_less(gain: float, better: str, worse: str) -> str:
    return worse if gain_kind(gain, 0.0) == "worse" else better


def _under_the_condition(held: dict[str, Any]) -> str:
    """State what thresholds by segment do held out under the report's own condition."""
    straight, bent = held["straight"], held["bent"]
    if straight["expected_cost"] is None:
        rates = (
            f"{percent(at['tpr'])} of the positives and wrongly {word} {percent(at['fpr'])}"
            for at, word in ((bent, "flag"), (straight, "flags"))
        )
        advice = "" if rates_gained(held) else ": use one threshold"
        many, one = (f"{text} of the negatives" for text in rates)
        return f"catch {many}; one threshold catches {one}{advice}."
    costs = [wording.number(at["expected_cost"]) for at in (bent, straight)]
    text = f"cost {costs[0]} per case, where a single threshold costs {costs[1]}"
    return f"{text}: {_COST[gain_kind(held['gain'], held['gain_sem'])]}"


_COST = {
    "none": "use one threshold, which is simpler.",
    "perhaps better": "their advantage may be chance, so keep one threshold, which is simpler.",
    "perhaps worse": "the difference may be chance, so keep one threshold, which is simpler.",
    "better": "less, by more than chance explains.",
    "worse": "more, by more than chance explains. Use one threshold.",
}


def beside(facts: dict[str, Any]) -> str | None:
    """Whether thresholds by segment cost less than one, held out; None where no costs were compared."""
    found = facts["segments"]
    held = found and (found["points"] or {}).get("held_out")
    if not held or held["gain"] is None:
        return None
    by, gain = (
        " and ".join(map(wording.isolated, found["columns"])),
        gain_kind(held["gain"], held["gain_sem"]),
    )
    where, see = f"in {found['n_folds']}-fold cross-validation", f"see “{title(facts)}” below."
    if gain in _MORE:
        more, keep = _MORE[gain]
        return (
            f"{where.capitalize()}, thresholds by {by} cost {_size(held['gain'])} {more} per case than "
            f"one threshold, by more than chance explains{keep}: {see}"
        )
    if _all_alike(found):
        return f"One threshold for all, whatever {by}: others would gain nothing that these data can show."
    return f"Thresholds by {by}: no proven gain."


_MORE = {"better": ("less", ""), "worse": ("more", ". Keep one threshold")}


def _size(gain: float) -> str:
    """A gain without its sign."""
    return wording.number(gain, 3).removeprefix("−")


_COLUMNS = ["", "in-sample:\none threshold", "by\nsegment", "held out:\none threshold", "by\nsegment"]


def areas(facts: dict[str, Any]) -> Rows:
    """Areas with one threshold and with thresholds by segment, in-sample and held out."""
    found = facts["segments"]["areas"]
    held = found["held_out"]
    size = 4 if held else 2
    # What is fitted to the data is its own hull there; on other data curves are compared.
    fitted = [found["straight_hull"], found["bent_hull"], None, None][:size]
    rows = [["AUC of the hull", *map(_area, fitted)]]
    if held:
        rows.append(["AUC", *map(_area, [None, None, held["straight"], held["bent"]])])
    return _COLUMNS[: 1 + size], rows


def measures(facts: dict[str, Any]) -> Rows | None:
    """Rates and costs by one threshold and by thresholds by segment; None without a condition."""
    points = facts["segments"]["points"]
    if points is None:
        return None
    size, rows = 4 if facts["segments"]["areas"]["held_out"] else 2, []
    out = points["held_out"] or {"straight": None, "bent": None}
    each = [points["straight"], points["bent"], out["straight"], out["bent"]][:size]
    for name, label in (("fpr", "FPR"), ("tpr", "TPR"), ("expected_cost", "cost per case")):
        if points["bent"][name] is not None:
            found = [None if point is None else point[name] for point in each]
            shown = wording.number if name == "expected_cost" else wording.percent
            rows.append([label, *map(shown, found)])
    return _COLUMNS[: 1 + size], rows


def _area(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def thresholds(facts: dict[str, Any], most: int | None = None) -> Rows | None:
    """The threshold of every segment; None without a condition."""
    found = facts["segments"]["rows"]
    if facts["segments"]["points"] is None or not found:
        return None
    lower = facts["segments"]["lower_is_positive"]
    sign = "score ≤" if lower else "threshold"
    columns = ["segment", "positive", "negative", sign, "FPR", "TPR", "one:\nFPR", "one:\nTPR"]
    rows = [
        [
            wording.segment(row["segment"])
            + " (never seen)" * (not row["positives"] and not row["negatives"]),
            *_cases([row]),
            threshold(row["threshold"], lower),
            *_rates(row),
            *_rates(row.get("one")),
        ]
        for row in found
    ]
    straight, bent = (facts["segments"]["points"][kind] for kind in ("straight", "bent"))
    fixed = threshold(facts["segments"]["fixed"], lower)
    rows.append(["all: by segment", *_cases(found), "–", *_rates(bent), *_rates(None)])
    rows.append(["all: one threshold", *_cases(found), fixed, *_rates(None), *_rates(straight)])
    if most is not None and len(rows) > most:
        left_out = len(rows) - most
        rows = [*rows[: most - 3], [f"... {left_out} more", *[""] * (len(columns) - 1)], *rows[-3:]]
    return columns, rows


def _has_elsewhere(facts: dict[str, Any]) -> bool:
    rows = facts["segments"]["rows"]
    return facts["segments"]["points"] is not None and bool(rows) and rows[-1]["segment"] == ELSEWHERE


def unseen(facts: dict[str, Any]) -> str | None:
    """Explain the cases elsewhere, and the bin of the smallest segments; None without either."""
    said = []
    # The bin; a value that is called so is "column = other".
    if any(row["segment"] == "other" for row in facts["segments"]["rows"] or []):
        said.append("“other” holds the segments with too few cases of a class for a threshold of their own.")
    if _has_elsewhere(facts):
        columns = " and ".join(map(wording.isolated, facts["segments"]["columns"]))
        said.append(
            f"{ELSEWHERE.capitalize()} is for values of {columns} that no case here has, so that no case "
            "here tests its threshold."
        )
    return " ".join(said) or None


def elsewhere(facts: dict[str, Any]) -> str | None:
    """How cases elsewhere are judged; None without any."""
    if not _has_elsewhere(facts):
        return None
    return (
        f"{ELSEWHERE.capitalize()}, scores are judged by all cases together, down to the likelihood ratio of "
        "the weakest scores that the segments flag. These ratios come in steps, so that the threshold may "
        "differ from the one for all."
    )


THRESHOLDS = "The threshold of every segment, and what one for all (“one”) does there"
IN_SAMPLE = "(FPR and TPR in-sample)"


def _rates(point: dict[str, Any] | None) -> list[str]:
    return [percent(None if point is None else point[name]) for name in ("fpr", "tpr")]


def _cases(rows: list[dict[str, Any]]) -> list[str]:
    return [wording.count(cases_in(rows, name)) for name in ("positives", "negatives")]


def threshold(value: Any, lower: bool) -> str:
    """A threshold; an infinite one says what it means."""
    return {"inf": "never", "-inf": "always"}.get(value) or wording.threshold(value, lower=lower)


def missing(facts: dict[str, Any]) -> str | None:
    """Why there are no thresholds."""
    if facts["segments"]["points"] is not None:
        return None
    if facts["condition"] is None:
        return "Name a condition to get the threshold of every segment."
    if facts["chosen"] is None:
        return "The condition is a range, so there is no threshold for every segment."
    return "This classifier alone cannot meet the condition by thresholds that depend on the segment."
