"""Facts as compact tables for a terminal of 80 columns."""

from __future__ import annotations

import io
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rochull._core.extras import require
from rochull._core.printable import printable
from rochull.report import (
    data_wording,
    dominance_wording,
    need_wording,
    review_wording,
    robust_wording,
    score_wording,
    segment_wording,
    uncertainty_wording,
    verdict,
    verdict_notes,
    wording,
)
from rochull.report.derived import whole_cases
from rochull.report.review_order import reviewing
from rochull.report.review_price import further
from rochull.report.wording import tell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table

WIDTH = 80


def to_text(facts: dict[str, Any], width: int = WIDTH) -> str:
    """The tables as plain text, without escape sequences."""
    return printed(renderables(facts), width)


def printed(parts: Iterable[RenderableType], width: int) -> str:
    """Parts of a page as lines of a terminal without colours."""
    out = io.StringIO()
    console = require("rich.console", "report").Console(
        file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False
    )
    for part in parts:
        console.print(part)
    return "\n".join(row.rstrip() for row in out.getvalue().splitlines()) + "\n"


_BELOW = (
    verdict_notes.meaning,
    need_wording.by_costs,
    verdict_notes.limit_note,
    verdict_notes.approached_note,
    data_wording.on_few,
    data_wording.about,
)  # the headline


def renderables(facts: dict[str, Any]) -> list[RenderableType]:
    """The parts of the page, for a rich console."""
    parts: list[RenderableType] = [
        *_answer(facts),
        *(heading(text) for text in [segment_wording.beside(facts)] if text),
        *(_Paragraph(text) for each in _BELOW if (text := each(facts))),
        _Paragraph(f"{data_wording.examined(facts)}."),
        *(_Paragraph(text) for text in (data_wording.in_sample(facts), data_wording.assumed(facts)) if text),
    ]
    if facts["condition"] is not None:
        parts.append(_Paragraph(_rates(facts)))
    if compared := dominance_wording.absolute(facts):
        alone = tell("report.text.without reviews", compared=f"{compared[:1].lower()}{compared[1:]}")
        parts += [line(""), _Paragraph(alone if facts["review"] else compared)]
    if facts["condition"] is not None:
        parts += [line(""), _condition(facts)]
        if where := robust_wording.best_where(facts):
            parts.append(_Paragraph(where))
    if facts["review"] is not None:
        parts += [
            line(""),
            _condition(facts),
            _Paragraph(f"{reviewing(facts)}.{further(facts['review'])}"),
            *map(_Paragraph, wording.review(facts["review"])),
        ]
        if counts := review_wording.reviewed_cases(facts):
            parts += [line(""), heading(review_wording.reviewed_of(facts)), _grid(counts)]
    if facts["robust"] is not None:
        parts += _robust(facts)
    if facts["chosen"] is not None:
        parts += _chosen(facts)
    if facts["segments"] is not None:
        parts += _segments(facts)
    if facts["uncertainty"] is not None:
        parts += _sure(facts)
    return [*parts, line(""), *_for_experts(facts)]


def _condition(facts: dict[str, Any]) -> RenderableType:
    return heading(tell("report.text.condition", asked=wording.asked(facts)))


def _answer(facts: dict[str, Any]) -> list[RenderableType]:
    """The answer as the page gives it; nothing where only rates are known."""
    answer = facts["answer"]
    if answer is None:
        return []
    first, *more = map(wording.said, filter(None, [answer["headline"], *answer["lede"], answer["caveat"]]))
    return [heading(first), *map(_Paragraph, more)]


def _for_experts(facts: dict[str, Any]) -> list[RenderableType]:
    """The part that the page folds under these words, between two lines, the first of which says so."""
    from rich.rule import Rule

    sure, area = facts["uncertainty"], wording.hull_area_named(facts)
    parts = [
        Rule(wording.FOR_EXPERTS, align="left", style=""),
        heading(tell("report.text.slopes", reviews="yes" if facts["review"] else "no")),
        _dominance(facts),
    ]
    notes: list[str | None] = [
        need_wording.need_measured(facts) or None,
        f"{area[:1].upper()}{area[1:]}{wording.largest_alone(facts)}.",
    ]
    if lie := score_wording.scores(facts):
        parts += [heading(score_wording.TITLE), _grid(lie)]
    if sure is not None:
        parts.append(_grid(uncertainty_wording.sure_of_areas(facts)))
        notes += [wording.methods(facts, drawn=False), uncertainty_wording.sure_notes(facts)]
    if facts["robust"] is not None:
        notes.append(robust_wording.distribution(facts))
    if facts["segments"] is not None:
        parts.append(_grid(segment_wording.areas(facts)))
        notes += segment_wording.for_experts(facts)
    notes += [wording.rounded(facts), *wording.scanned(facts)]
    return [*parts, *(_Paragraph(note) for note in notes if note is not None), Rule(style="")]


def _rates(facts: dict[str, Any]) -> str:
    """Explain the rates, which the page does beside the words."""
    point, optional = facts["chosen"] or {}, ("precision", "accuracy", "net_benefit")
    known = {name: "no" if point.get(name) is None else "yes" for name in optional}
    return tell("report.text.rates", positive=facts["positive"], **known)


def _robust(facts: dict[str, Any]) -> list[RenderableType]:
    cheaper, found = verdict.beaten(facts), robust_wording.outcomes(facts)
    return [
        *([line(""), heading(found[0]), _grid(found[1])] if found else []),
        line(""),
        heading(robust_wording.title(facts)),
        _grid(robust_wording.table(facts)),
        *([_Paragraph(cheaper)] if cheaper else []),
        _Paragraph(robust_wording.note(facts)),
    ]


def print_parts(parts: Iterable[RenderableType]) -> None:
    """Print parts of a page, no wider than they are read well."""
    console = require("rich.console", "report").Console(highlight=False)
    for part in parts:
        console.print(part, width=min(console.width, WIDTH))


def line(text: str, style: str = "") -> RenderableType:
    from rich.text import Text

    return Text(printable(text), style=style)


@dataclass(frozen=True)
class _Paragraph:
    """Text that is wrapped, keeps a number and its % together, and its indent."""

    text: str
    style: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = printable(self.text)
        indent = " " * (len(text) - len(text.lstrip()))
        glued = text.replace(" %", "\0%").replace(" ± ", "\0±\0")
        rows = textwrap.wrap(
            glued, options.max_width, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True
        )
        inside = False  # a name whose isolation goes on in the next line
        for row in rows or [""]:
            whole = "\u2068" * inside + row.replace("\0", " ")
            inside = whole.count("\u2068") > whole.count("\u2069")
            yield line(whole + "\u2069" * inside, self.style)


def paragraph(text: str) -> RenderableType:
    return _Paragraph(text)


def heading(text: str) -> RenderableType:
    return _Paragraph(text, style="bold")


def empty_table(*columns: tuple[str, str]) -> Table:
    """An empty table; a column is a heading and its alignment."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, justify in columns:
        made.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    return made


def add_row(rows: Table, *cells: str, style: str = "") -> None:
    # Text objects: a classifier's name is never read as markup.
    rows.add_row(*(line(cell) for cell in cells), style=style)


def _dominance(facts: dict[str, Any]) -> Table:
    rows = empty_table(
        ("slope", "right"),
        ("best", "left"),
        ("FPR", "right"),
        ("TPR", "right"),
    )
    for row in facts["dominance"]["rows"]:
        add_row(
            rows,
            dominance_wording.slope_range(row),
            dominance_wording.dominator(row),
            wording.span(row["fpr"]),
            wording.span(row["tpr"]),
        )
    return rows


def _chosen(facts: dict[str, Any]) -> list[RenderableType]:
    point = facts["chosen"]
    rates = [
        tell("report.text.rate", rate=name, value=wording.with_headline(facts, name))
        for name in ("fpr", "tpr")
    ]
    rates += [
        each["text"].format(wording.with_headline(facts, each["key"], percents=each["share"]))
        for each in sorted(facts["numbers"], key=lambda each: not each["share"])
        if each["text"] and point[each["key"]] is not None
    ]
    parts = [
        heading(tell("report.text.best rule", rules=wording.rules(point))),
        _Paragraph(f"  {', '.join(rates)}"),
    ]
    told_at = wording.figures(facts)
    if told_at is not None:
        parts.append(_Paragraph(f"  {told_at}"))
    if gaps := wording.not_exact(facts):
        parts.append(_Paragraph(gaps))
    single = wording.single_rule(facts)
    if single is not None:
        parts.append(_Paragraph(f"{single} {wording.DETERMINISTIC}"))
    if point["confusion"] is not None:
        parts += [line(""), heading(wording.prevalence_note(facts)), _confusion(facts)]
    parts += [heading(tell("page.compared")), _grid(verdict.baselines(facts))]
    parts += [heading(wording.alone_title(facts)), _regret(facts)]
    if needed := need_wording.need_verdict(facts):
        parts.append(_Paragraph(needed))
    return parts


def _confusion(facts: dict[str, Any]) -> Table:
    cases = whole_cases(facts["chosen"]["confusion"])
    rows = empty_table(
        ("", "left"),
        ("flagged", "right"),
        (tell("report.not flagged"), "right"),
    )
    positive, negative = verdict.classes(facts)
    add_row(rows, positive, wording.count(cases["tp"]), wording.count(cases["fn"]))
    add_row(rows, negative, wording.count(cases["fp"]), wording.count(cases["tn"]))
    return rows


def _regret(facts: dict[str, Any]) -> Table:
    rows = empty_table(
        ("classifier", "left"),
        (tell("report.text.flagged"), "right"),
        (tell("report.text.caught"), "right"),
        (wording.lost(facts), "right"),
    )
    for row in facts["regret"]["rows"]:
        point = row["point"]
        rates = (
            ("–", "–") if point is None else (wording.percent(point["fpr"]), wording.percent(point["tpr"]))
        )
        add_row(rows, row["classifier"], *rates, wording.loss(row, facts))
    return rows


def _segments(facts: dict[str, Any]) -> list[RenderableType]:
    parts: list[RenderableType] = [line(""), heading(segment_wording.title(facts))]
    compared = segment_wording.measures(facts)
    parts += [] if compared is None else [_grid(compared)]
    parts += [_Paragraph(each) for each in segment_wording.verdicts(facts)]
    found = segment_wording.thresholds(facts, segment_wording.MOST_ROWS)
    if found is not None:
        parts += [
            line(""),
            heading(tell("report.segments.thresholds", of="text")),
            _grid(found),
        ]
    notes = (segment_wording.unseen(facts), segment_wording.missing(facts), segment_wording.measured(facts))
    parts += [_Paragraph(note) for note in notes if note is not None]
    return parts


def _grid(found: wording.Rows) -> Table:
    """A column of names, and columns of numbers; five columns of intervals fit 80 characters."""
    first, *others = found[0]
    rows = empty_table((first, "left"), *((name, "right") for name in others))
    rows.collapse_padding = True
    for cells in found[1]:
        add_row(rows, *cells)
    return rows


def _sure(facts: dict[str, Any]) -> list[RenderableType]:
    parts: list[RenderableType] = [] if facts["chosen"] else [line("")]
    parts.append(heading(tell("report.text.how sure", how=wording.how_sure(facts))))
    found, flattery = uncertainty_wording.sure_of_rule(facts), uncertainty_wording.optimism(facts)
    parts += [] if found is None else [_grid(found)]
    return parts + [_Paragraph(text) for text in (uncertainty_wording.known(facts), flattery) if text]
