"""How thresholds by segment are put in words: shared by the HTML page and the terminal."""

from __future__ import annotations

from typing import Any

from rochull.report import wording
from rochull.report.derived import cases_in, ends_of_rates, rates_gained, segment_state
from rochull.report.live_segments import ELSEWHERE
from rochull.report.wording import Rows, choose, percent, sentences, tell
from rochull.words.clauses import Clause

MOST_ROWS = 20  # of a table in a terminal


def title(facts: dict[str, Any]) -> str:
    """Whose thresholds depend on what."""
    return tell("report.segments.title", **segment_state(facts))


def how(facts: dict[str, Any]) -> str:
    """How the thresholds were learned, and how what they gain was measured."""
    found, state = facts["segments"], segment_state(facts)
    learned = tell("report.segments.how", added=wording.number(found["shrinkage"]), **state)
    if found["n_folds"] is None:
        return learned
    return sentences(learned, tell("report.segments.how held", **state), _gained(facts, state))


def measured(facts: dict[str, Any]) -> str:
    """On which cases."""
    return choose("report.segments.held", segment_state(facts))


def for_experts(facts: dict[str, Any]) -> list[str]:
    """How it was done, in sentences."""
    return [tell("report.segments.AUC"), how(facts), *filter(None, [elsewhere(facts)])]


def verdicts(facts: dict[str, Any]) -> list[str]:
    """State the gain by segments, and what may surprise about it."""
    found, need, state = facts["segments"], facts["need"], segment_state(facts)
    said, points = [gain_verdict(facts)], found["points"]
    if points and state["alike"] == "yes":
        said.append(tell("report.segments.alike", **state))
    if points and (ends := ends_of_rates(facts)) is not None:
        said.append(tell("report.segments.unlike", **_unlike(ends)))
    cost = wording.with_ends(need["hybrid"], need["hybrid_error"])[0] if need else ""
    if points and points["held_out"] and need and _held_cost(points, cost) != cost:
        said.append(tell("report.segments.partitions", **{**need, "cost": cost}))
    return said


def _unlike(ends: dict[str, tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Clause]:
    """How far apart the rates of segments are under one threshold."""
    return {
        f"{rate}_{end}": Clause(
            "report.segments.rate",
            rate=percent(row["one"][rate]),
            segment=wording.segment(row["segment"]),
            n=wording.count(row["negatives" if rate == "fpr" else "positives"]),
            of="negatives" if rate == "fpr" else "positives",
        )
        for rate, rows in ends.items()
        for end, row in zip(("low", "high"), rows, strict=True)
    }


def _held_cost(points: dict[str, Any], like: str) -> str:
    """Format the held-out cost with as many decimals as another cost has."""
    return f"{points['held_out']['straight']['expected_cost']:.{len(like.partition('.')[2])}f}"


def gain_verdict(facts: dict[str, Any]) -> str:
    """State the gain on cases that did not choose the thresholds: by the report's condition, then in area."""
    held, state = (facts["segments"]["points"] or {}).get("held_out"), segment_state(facts)
    if held:
        state["gained"] = "yes" if held["gain"] is not None or rates_gained(held) else "no"
        for kind in ("straight", "bent"):
            state |= {f"{kind}_{rate}": percent(held[kind][rate]) for rate in ("tpr", "fpr")}
            state[f"{kind}_cost"] = wording.number(held[kind]["expected_cost"])
    return choose("report.segments.verdict", state)


def _gained(facts: dict[str, Any], state: dict[str, Any]) -> str:
    """The differences that :func:`gain_verdict` weighs, with their standard errors."""
    areas, held = facts["segments"]["areas"]["held_out"], (facts["segments"]["points"] or {}).get("held_out")
    state |= {
        "area": f"{areas['gain']:.4f}".removeprefix("-"),
        "area_error": f"{areas['gain_sem']:.4f}",
    }
    if held and held["gain"] is not None:
        spread = wording.spread({"mean": held["gain"], "sem": held["gain_sem"]})
        state["spread"] = spread.removeprefix("−")
    return choose("report.segments.gained", state)


def beside(facts: dict[str, Any]) -> str | None:
    """Whether thresholds by segment cost less than one, held out; None where no costs were compared."""
    if not facts["segments"]:
        return None
    state = segment_state(facts)
    if state["gain"] is not None:
        gain = facts["segments"]["points"]["held_out"]["gain"]
        state |= {"size": wording.number(gain, 3).removeprefix("−"), "title": title(facts)}
    return choose("report.segments.beside", state) or None


def is_sure(facts: dict[str, Any]) -> bool:
    """Whether they cost less or more by more than chance explains."""
    return bool(facts["segments"]) and segment_state(facts)["gain"] in {"better", "worse"}


def _columns(size: int) -> list[str]:
    by = tell("report.segments.by")
    each = ["", tell("report.segments.one in sample"), by, tell("report.segments.one held out"), by]
    return each[: 1 + size]


def areas(facts: dict[str, Any]) -> Rows:
    """Areas with one threshold and with thresholds by segment, in-sample and held out."""
    found = facts["segments"]["areas"]
    held = found["held_out"]
    size = 4 if held else 2
    # What is fitted to the data is its own hull there; on other data curves are compared.
    fitted = [found["straight_hull"], found["bent_hull"], None, None][:size]
    rows = [[tell("report.segments.hull area"), *map(_area, fitted)]]
    if held:
        rows.append(["AUC", *map(_area, [None, None, held["straight"], held["bent"]])])
    return _columns(size), rows


def measures(facts: dict[str, Any]) -> Rows | None:
    """Rates and costs by one threshold and by thresholds by segment; None without a condition."""
    points = facts["segments"]["points"]
    if points is None:
        return None
    size, rows = 4 if facts["segments"]["areas"]["held_out"] else 2, []
    out = points["held_out"] or {"straight": None, "bent": None}
    each = [points["straight"], points["bent"], out["straight"], out["bent"]][:size]
    for name, label in (("fpr", "FPR"), ("tpr", "TPR"), ("expected_cost", tell("report.cost"))):
        if points["bent"][name] is not None:
            found = [None if point is None else point[name] for point in each]
            shown = wording.number if name == "expected_cost" else wording.percent
            rows.append([label, *map(shown, found)])
    return _columns(size), rows


def _area(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def thresholds(facts: dict[str, Any], most: int | None = None) -> Rows | None:
    """The threshold of every segment; None without a condition."""
    found = facts["segments"]["rows"]
    if facts["segments"]["points"] is None or not found:
        return None
    lower = facts["segments"]["lower_is_positive"]
    sign = tell("report.segments.lower") if lower else "threshold"
    one = [tell("report.segments.one FPR"), tell("report.segments.one TPR")]
    columns = ["segment", "positive", "negative", sign, "FPR", "TPR", *one]
    rows = [
        [
            _segment(row),
            *_cases([row]),
            threshold(row["threshold"], lower),
            *_rates(row),
            *_rates(row.get("one")),
        ]
        for row in found
    ]
    straight, bent = (facts["segments"]["points"][kind] for kind in ("straight", "bent"))
    fixed = threshold(facts["segments"]["fixed"], lower)
    rows.append([tell("report.segments.all by"), *_cases(found), "–", *_rates(bent), *_rates(None)])
    rows.append([tell("report.segments.all one"), *_cases(found), fixed, *_rates(None), *_rates(straight)])
    if most is not None and len(rows) > most:
        more = tell("report.segments.more", n=len(rows) - most)
        rows = [*rows[: most - 3], [more, *[""] * (len(columns) - 1)], *rows[-3:]]
    return columns, rows


def _segment(row: dict[str, Any]) -> str:
    name = wording.segment(row["segment"])
    seen = row["positives"] or row["negatives"]
    return name if seen else sentences(name, tell("report.segments.never seen"))


def _has_elsewhere(facts: dict[str, Any]) -> bool:
    rows = facts["segments"]["rows"]
    return facts["segments"]["points"] is not None and bool(rows) and rows[-1]["segment"] == ELSEWHERE


def unseen(facts: dict[str, Any]) -> str | None:
    """Explain the cases elsewhere, and the bin of the smallest segments; None without either."""
    # The bin; a value that is called so is "column = other".
    binned = any(row["segment"] == "other" for row in facts["segments"]["rows"] or [])
    said = sentences(
        tell("report.segments.other") if binned else "",
        tell("report.segments.unseen", **facts["segments"]) if _has_elsewhere(facts) else "",
    )
    return said or None


def elsewhere(facts: dict[str, Any]) -> str | None:
    """How cases elsewhere are judged; None without any."""
    return tell("report.segments.elsewhere") if _has_elsewhere(facts) else None


def _rates(point: dict[str, Any] | None) -> list[str]:
    return [percent(None if point is None else point[name]) for name in ("fpr", "tpr")]


def _cases(rows: list[dict[str, Any]]) -> list[str]:
    return [wording.count(cases_in(rows, name)) for name in ("positives", "negatives")]


def threshold(value: Any, lower: bool) -> str:
    """A threshold; an infinite one says what it means."""
    return {"inf": "never", "-inf": "always"}.get(value) or wording.threshold(value, lower=lower)


def missing(facts: dict[str, Any]) -> str | None:
    """Why there are no thresholds."""
    state = {
        "thresholds": facts["segments"]["points"] and "yes",
        "reviewed": facts["review"] and "yes",
        "asked": facts["condition"] and "yes",
        "rule": facts["chosen"] and "yes",
    }
    return choose("report.segments.missing", state) or None
