"""The answer for a terminal: at most 25 lines of 80 columns, in the words of the catalogue."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rochull.report.answer import message
from rochull.report.reviews import in_view
from rochull.report.segment_wording import missing
from rochull.report.text import heading, line, paragraph, printed
from rochull.report.wording import count, isolated, number, share, whole_cases
from rochull.words.clauses import Clause, Vocabulary

if TYPE_CHECKING:
    from rich.console import RenderableType

Facts = dict[str, Any]
WORDS = Vocabulary("page", {"number": number, "share": share, "count": count})
_NAME, _WIDTH = 26, 80  # characters
_LINES = 22  # commands say three more
_CLASSES = 12  # of several, those that are mistaken most
MORE = "All tables: --full. The page: -o report.html. For programs: --json."


def _told(message: Facts, *, short: bool = False) -> str:
    """Put a message of the answer in words, its names isolated, and cut where they may be."""
    return WORDS.told(Clause.from_dict(_named(message, short)))


def _named(value: Any, short: bool) -> Any:
    if isinstance(value, dict):
        return {name: each if name == "key" else _named(each, short) for name, each in value.items()}
    if isinstance(value, list):
        return [_named(each, short) for each in value]
    return isolated(_cut(value) if short else value) if isinstance(value, str) else value


def brief(facts: Facts) -> list[RenderableType]:
    """Lay out the answer: the rule, what becomes of cases, what errors cost, why, what is assumed."""
    answer = facts["answer"]
    parts: list[RenderableType] = [heading(_told(answer["headline"]))]
    parts.append(paragraph(" ".join(map(_told, answer["lede"]))))
    parts += [paragraph(_told(answer["caveat"]))] if answer["caveat"] else []
    for block in (_table(facts, answer), _bars(facts, answer)):
        parts += [line(""), *map(line, block)] if block else []
    parts.append(line(""))
    rows = [paragraph(text) for text in _rows(facts, answer)]
    # Long names take more lines: then reasons go, the last first, but what is taken for granted stays.
    while len(rows) > 1 and len(printed([*parts, *rows], _WIDTH).splitlines()) > _LINES - 2:
        del rows[-2]
    return [*parts, *rows, line(""), paragraph(MORE)]


def classes_brief(facts: Facts) -> list[RenderableType]:
    """Lay out the answer of several classes: the weights, what they keep, and who is mistaken how often."""
    answer, of = facts["answer"], facts["points"]["confusion"][facts["chosen"]["index"]]
    before = next((row["confusion"] for row in facts["baselines"] if row["kind"] == "largest"), None)
    rows = []
    for i, each in enumerate(facts["classes"]):
        cells = [sum(of[i]), *(sum(matrix[i]) - matrix[i][i] for matrix in (of, before) if matrix)]
        rows.append((cells[1], [each["name"], *map(count, cells)]))
    rows.sort(key=lambda row: -row[0])
    told = [cells for _, cells in rows[:_CLASSES]]
    head = ["", "cases", "mistaken", *["by the largest score"] * (before is not None)]
    parts: list[RenderableType] = [heading(_told(answer["headline"]))]
    parts += [paragraph(" ".join(map(_told, answer["lede"]))), line("")]
    parts += map(line, _columns("", [head, *told]))
    if len(rows) > _CLASSES:
        parts.append(line(f"  {WORDS.told(Clause('answer.classes.rest', n=len(rows) - _CLASSES))}"))
    if facts["objective"]["kind"] != "given":
        parts += [line(""), paragraph(WORDS.told(Clause("answer.classes.sure")))]
    return [*parts, line(""), paragraph(MORE)]


def _rows(facts: Facts, answer: Facts) -> list[str]:
    """Sentences on why, how sure, how fair and where not; the last tells what is taken for granted."""
    state, shown = answer["state"], {row["key"]: row["message"] for row in answer["rows"]}
    compared = any("wrong_first" in each for each in answer["lede"])
    said = {"why": True, "sure": "cost" not in state, "fair": not compared and "wrong_first" in state}
    rows = [shown[key] for key, is_said in said.items() if is_said]
    rows.append(message(state, "terminal.beyond"))
    seen = facts["examples"]["positives"] + facts["examples"]["negatives"]
    granted = [message(state, "terminal.granted"), Clause("answer.granted.trained", n=seen).to_dict()]
    told = [_told(each, short=True) for each in rows if each is not None]
    if facts["segments"] is not None and (lacking := missing(facts)):
        told.append(lacking)
    return [*told, " ".join(_told(each, short=True) for each in granted if each is not None)]


def _table(facts: Facts, answer: Facts) -> list[str]:
    """Cases of both classes by what becomes of them; they add up."""
    names, cases = answer["names"], answer["state"].get("population", answer["cases"])
    title = WORDS.told(Clause("answer.table.title", cases=cases, case=isolated(names["case"])))
    if facts["review"] is not None:
        found, rows = in_view(facts["review"])["outcomes"], [["", "flagged", "reviewed", "passed"]]
        for of in ("positive", "negative"):
            cells = found[f"{of}s"]
            rows.append(
                [names[of], *_adding_up([cells[each] for each in rows[0][1:]], cases / found["cases"])]
            )
        return _columns(title, rows)
    whole = _cells(facts, cases)
    if whole is None:
        return []
    cells = {name: count(value) for name, value in whole.items()}
    missed = WORDS.told(Clause("answer.table.missed", missed=cells["fn"]))
    wrong = WORDS.told(Clause("answer.table.wrong", wrong=cells["fp"]))
    return _columns(
        title,
        [
            ["", "flagged", "passed"],
            [names["positive"], cells["tp"], missed],
            [names["negative"], wrong, cells["tn"]],
        ],
    )


def _cells(facts: Facts, cases: int) -> dict[str, int] | None:
    """Count by the rule in view what becomes of so many cases, from its counts out of the totals."""
    answer, totals = facts["answer"], facts["totals"]
    if answer["rule"] is None:
        return None
    positives, negatives = cases * answer["prevalence"], cases * (1 - answer["prevalence"])
    caught, wrong = answer["tp"] / totals["positives"], answer["fp"] / totals["negatives"]
    exact = {"tp": positives * caught, "fp": negatives * wrong}
    return whole_cases(exact | {"fn": positives - exact["tp"], "tn": negatives - exact["fp"]})


def _adding_up(values: list[float], times: float) -> list[str]:
    """Whole numbers whose sum is that of the values, each near its own."""
    ends = [0.0]
    for value in values:
        ends.append(ends[-1] + value * times)
    told = [int(end + 0.5) for end in ends]
    return [count(float(high - low)) for low, high in pairwise(told)]


def _columns(title: str, rows: list[list[str]]) -> list[str]:
    """A table whose first column is of names, cut where they are long."""
    rows[0][0] = title
    rows[1:] = [[f"  {_cut(isolated(name))}", *cells] for name, *cells in rows[1:]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "   ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]


def _cut(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _bars(facts: Facts, answer: Facts) -> list[str]:
    """Draw what errors cost, by this rule and others, as bars."""
    found = _costs(facts, answer)
    if not found:
        return []
    price, rows = found
    names = answer["names"]
    title = Clause("answer.costs.title", cases=answer["cases"], case=isolated(names["case"]), price=price)
    longest, state = max(cost for _, cost in rows) or 1, answer["state"]
    labels = [_cut(isolated(WORDS.told(name))) for name, _ in rows]
    costs = [count(float(cost)) for _, cost in rows]
    width, wide, new = max(map(len, labels)), max(map(len, costs)), ""
    if "cost" in state:
        ends = {name: state[name] for name in ("cost_low", "cost_high")}
        new = f"  {WORDS.told(Clause('answer.new', case=isolated(names['case']), **ends))}"
    first = rows[0][1] / longest
    room = _WIDTH - 6 - width - wide
    bar = max(4, min(20, int((room - len(new)) / first) if first and new else 20, room))
    lines = [
        f"  {label:<{width}}  {cost:>{wide}}  {'#' * round(bar * value / longest)}"
        for label, cost, (_, value) in zip(labels, costs, rows, strict=True)
    ]
    return [WORDS.told(title), lines[0] + new, *lines[1:]]


def _costs(facts: Facts, answer: Facts) -> tuple[Clause, list[tuple[Clause, int]]] | None:
    """How errors are priced, and what rules cost of so many cases."""
    asked, state, cases = facts["review"] or facts["condition"], answer["state"], answer["cases"]
    given: Facts = (
        {"cost_fp": 1.0, "cost_fn": 1.0} if asked is None else facts["figures"] or asked["parameters"]
    )
    alarm, miss = given.get("cost_fp"), given.get("cost_fn")
    of = _cells(facts, cases)
    if state.get("range") == "miss" and of is not None and alarm is not None and isinstance(miss, list):
        # Of the cells above, so that a reader who multiplies finds the same.
        ends = [(Clause("answer.bar.if miss", miss=end), of["fp"] * alarm + of["fn"] * end) for end in miss]
        return Clause("answer.price.range"), [(name, round(cost)) for name, cost in ends]
    if not isinstance(alarm, int | float) or not isinstance(miss, int | float) or "cost_here" not in state:
        return None
    rows = [(Clause("answer.bar.this"), state.get("cost", state["cost_here"]))]
    if facts["review"] is not None:
        cost = facts["review"]["frontier"]["cost"]
        rows.append((Clause("answer.bar.no reviews"), round(cases * cost[0])))
        rows.append((Clause("answer.bar.all reviewed"), round(cases * cost[-1])))
    else:
        rows += _others(answer, (1 - answer["prevalence"]) * alarm, answer["prevalence"] * miss)
    return _price(answer, float(alarm), float(miss)), rows


def _others(answer: Facts, alarms: float, misses: float) -> list[tuple[Clause, int]]:
    """The comparison, and flagging everybody and nobody, the cheaper first; not the rule itself."""
    state, rows = answer["state"], []
    if answer["comparison"]["rule"]["kind"] == "threshold":
        rule = state["comparison"]
        rows.append((Clause("answer.rule", score=rule["score"], cutoff=rule["cutoff"]), state["cost_other"]))
    ends = [(alarms, "always", Clause("answer.bar.all")), (misses, "never", Clause("answer.bar.none"))]
    own = answer["rule"]["kind"]
    told = sorted(ends, key=lambda end: end[0])
    return [*rows, *((name, round(answer["cases"] * cost)) for cost, kind, name in told if kind != own)]


def _price(answer: Facts, alarm: float, miss: float) -> Clause:
    unit = answer["names"]["unit"]
    if unit is not None:
        return Clause("answer.price.unit", alarm=alarm, miss=miss, unit=isolated(unit))
    if not alarm:
        return Clause("answer.price.misses")
    return Clause("answer.price.alarms", ratio=miss / alarm)
