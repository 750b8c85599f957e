"""The answer for a terminal: at most 25 lines of 80 columns, in the words of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rochull.report.answer import message
from rochull.report.derived import adding_up, bars_of, cells_of, cheaper_beyond
from rochull.report.multiclass_derived import mistaken
from rochull.report.reviews import in_view
from rochull.report.segment_wording import missing
from rochull.report.text import heading, line, paragraph, printed
from rochull.report.wording import count, isolated, number, share, tell
from rochull.words.clauses import Clause, Vocabulary

if TYPE_CHECKING:
    from rich.console import RenderableType

Facts = dict[str, Any]
WORDS = Vocabulary("page", {"number": number, "share": share, "count": count})
_NAME, _WIDTH = 26, 80  # characters
_LINES = 22  # commands say three more
_CLASSES = 12  # of several, those that are mistaken most


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
    if caveat := answer["caveat"]:
        said = [caveat] + [Clause("answer.caveat.try").to_dict()] * (caveat["key"] == "answer.caveat.margin")
        parts.append(paragraph(" ".join(_told(each, short=True) for each in said)))
    for block in (_table(facts, answer), _bars(facts, answer)):
        parts += [line(""), *map(line, block)] if block else []
    parts.append(line(""))
    rows = [paragraph(text) for text in _rows(facts, answer)]
    # Long names take more lines: then reasons go, the last first, but what is taken for granted stays.
    while len(rows) > 1 and len(printed([*parts, *rows], _WIDTH).splitlines()) > _LINES - 2:
        del rows[-2]
    return [*parts, *rows, line(""), paragraph(tell("report.terminal.more"))]


def classes_brief(facts: Facts) -> list[RenderableType]:
    """Lay out the answer of several classes: the weights, what they keep, and who is mistaken how often."""
    answer, of = facts["answer"], facts["points"]["confusion"][facts["chosen"]["index"]]
    before = next((row["confusion"] for row in facts["baselines"] if row["kind"] == "largest"), None)
    rows = []
    for i, each in enumerate(facts["classes"]):
        cells = [each["total"], *(mistaken(matrix)[i] for matrix in (of, before) if matrix)]
        rows.append((cells[1], [each["name"], *map(count, cells)]))
    rows.sort(key=lambda row: -row[0])
    told = [cells for _, cells in rows[:_CLASSES]]
    head = ["", "cases", "mistaken", *[tell("report.terminal.largest")] * (before is not None)]
    parts: list[RenderableType] = [heading(_told(answer["headline"]))]
    parts += [paragraph(" ".join(map(_told, answer["lede"]))), line("")]
    parts += map(line, _columns("", [head, *told]))
    if len(rows) > _CLASSES:
        parts.append(line(f"  {WORDS.told(Clause('answer.classes.rest', n=len(rows) - _CLASSES))}"))
    if facts["objective"]["kind"] != "given":
        parts += [line(""), paragraph(WORDS.told(Clause("answer.classes.sure")))]
    return [*parts, line(""), paragraph(tell("report.terminal.more"))]


_FAIR = ("two", "many", "unknown")  # what says something where no column is opened


def _rows(facts: Facts, answer: Facts) -> list[str]:
    """Sentences on why, how sure, how fair and where not; the last tells what is taken for granted."""
    state, shown = answer["state"], {row["key"]: row["message"] for row in answer["rows"]}
    compared = any("wrong_first" in each for each in answer["lede"])
    said = {"why": True, "sure": "cost" not in state, "fair": not compared and state.get("fair") in _FAIR}
    rows = [shown[key] for key, is_said in said.items() if is_said]
    rows.append(message(state, "terminal.beyond"))
    examples, case = facts["examples"], state["case"]
    n = None if examples["weighted"] else examples["positives"] + examples["negatives"]  # weights
    granted = [
        message(state, "terminal.granted"),
        Clause("answer.granted.trained", counted="no" if n is None else "yes", n=n, case=case).to_dict(),
    ]
    told = [_told(each, short=True) for each in rows if each is not None]
    if facts["segments"] is not None and (lacking := missing(facts)):
        told.append(lacking)
    return [*told, " ".join(_told(each, short=True) for each in granted if each is not None)]


def _table(facts: Facts, answer: Facts) -> list[str]:
    """Cases of both classes by what becomes of them; they add up."""
    names, cases = answer["names"], answer["state"].get("population", answer["cases"])
    title = WORDS.told(Clause("answer.table.title", cases=cases, case=isolated(_cut(names["case"]))))
    if facts["review"] is not None:
        found, rows = in_view(facts["review"])["outcomes"], [["", "flagged", "reviewed", "passed"]]
        for of in ("positive", "negative"):
            cells = found[f"{of}s"]
            rows.append(
                [
                    names[of],
                    *map(count, adding_up([cells[each] for each in rows[0][1:]], cases, found["cases"])),
                ]
            )
        return _columns(title, rows)
    whole = cells_of(facts, cases)
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


def _columns(title: str, rows: list[list[str]]) -> list[str]:
    """A table whose first column is of names, cut where they are long."""
    rows[0][0] = title
    rows[1:] = [[f"  {isolated(_cut(name))}", *cells] for name, *cells in rows[1:]]
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
    found = bars_of(facts)
    if not found:
        return []
    price, rows = found
    names = answer["names"]
    title = Clause("answer.costs.title", cases=answer["cases"], case=names["case"], price=price)
    longest, state = max(cost for _, cost in rows) or 1, answer["state"]
    # At each end of a range the rule comes first, and below it what one compares with.
    inset = "  " if rows[0][0].key == "answer.bar.if miss" else ""
    labels = [inset * (name.key == "answer.rule") + isolated(_cut(WORDS.told(name))) for name, _ in rows]
    costs = [count(float(cost)) for _, cost in rows]
    width, wide, new = max(map(len, labels)), max(map(len, costs)), ""
    if "cost" in state:
        ends = {name: state[name] for name in ("cost_low", "cost_high")}
        new = f"  {WORDS.told(Clause('answer.new', case=isolated(names['case']), **ends))}"
    first = rows[0][1] / longest
    room = _WIDTH - 6 - width - wide
    bar = max(4, min(20, int((room - len(new)) / first) if first and new else 20, room))
    beyond, why = cheaper_beyond(facts, rows), f"  {_told(Clause('answer.bar.breaks').to_dict())}"
    lines = [
        f"  {label:<{width}}  {cost:>{wide}}  {'#' * round(bar * value / longest)}"
        + (why if is_beyond else "")
        for label, cost, (_, value), is_beyond in zip(labels, costs, rows, beyond, strict=True)
    ]
    return [_told(title.to_dict(), short=True), lines[0] + new, *lines[1:]]
