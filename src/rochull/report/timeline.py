"""A page on a monitor: what was known at each look, the picture first; without scripts and requests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import Any, Protocol

from rochull._core.palette import COLOURS
from rochull.report.wording import tell

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _BELOW = 720, 240, 40, 6, 24
_MOST = 1.5  # of the way to an alarm that is shown
_ROWS = 100  # of the table: the last ones
_WAYS = ("limits", "better", "relabel")
_ALARMS = (*_WAYS, "misfit")  # one colour each
_INK = 'fill="currentColor" font-size="12"'
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class Watched(Protocol):
    """A `Monitor`, as far as a page shows it: with the findings that `_WAYS` names, as its history has."""

    level: float

    @property
    def history(self) -> Sequence[Any]:
        """After each batch what was known, in a row each."""


def timeline_page(monitor: Watched, title: str | None = None) -> str:
    """Write the page: how far the evidence was on the way to each alarm, the findings, and all looks."""
    title = tell("report.watch.title") if title is None else title
    rows, ways = list(monitor.history), _ways(monitor)
    style = files("rochull.report").joinpath("templates/report.bundle.css").read_text(encoding="utf-8")
    style = style.replace("</", "<\\/")
    told = "".join(f"<p>{escape(line)}</p>" for line in str(monitor).splitlines())
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<style>{style}</style></head><body><main><h1>{escape(title)}</h1>"
        f"{_picture(rows, ways)}<h2>Now</h2>{told}"
        f"<p>{tell('report.watch.false', share=f'{100 * (1 - monitor.level):.3g} %')}</p>"
        f"<h2>Looks</h2>{_table(rows, ways)}</main></body></html>\n"
    )


def _ways(monitor: Watched) -> list[str]:
    """The alarms that have a way: a limit that nobody stated cannot be broken."""
    return [name for name in _WAYS if getattr(monitor, name).needed < math.inf]


def _picture(rows: Sequence[Any], ways: Sequence[str]) -> str:
    """Lines over the looks; an alarm is raised where one reaches 1."""
    if not rows:
        return f"<p>{tell('report.watch.none')}</p>"
    across = rows if len(rows) > 1 else [*rows, *rows]  # a single look is a level line
    step = (_WIDTH - _LEFT - _RIGHT) / (len(across) - 1)

    def high(value: float) -> float:
        return _HEIGHT - _BELOW - min(value, _MOST) / _MOST * (_HEIGHT - _BELOW - 8)

    drawn = [
        f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{high(1):.1f}" y2="{high(1):.1f}" stroke="#888" '
        f'stroke-dasharray="4 3"/><text {_INK} x="0" y="{high(1) + 4:.1f}">alarm</text>'
    ]
    shown = [name for name in _ALARMS if name in ways or name not in _WAYS]
    colours = dict(zip(_ALARMS, COLOURS, strict=False))
    for name in ways:
        points = " ".join(f"{_LEFT + i * step:.1f},{high(row[name]):.1f}" for i, row in enumerate(across))
        drawn.append(
            f'<polyline points="{points}" fill="none" stroke="{colours[name]}" stroke-width="2">'
            f"<title>{_alarm(name)}</title></polyline>"
        )
    for i, row in enumerate(rows):
        for j, name in enumerate(name for name in _ALARMS if name in row["alarms"]):
            drawn.append(
                f'<circle cx="{_LEFT + i * step:.1f}" cy="{high(_MOST) + 10 * j:.1f}" r="4" '
                f'fill="{colours[name]}"><title>{escape(str(row["at"]))}: {_alarm(name)}'
                "</title></circle>"
            )
    ends = escape(str(rows[0]["at"])), escape(str(rows[-1]["at"]))
    drawn.append(f'<text {_INK} x="{_LEFT}" y="{_HEIGHT - 6}">{ends[0]}</text>')
    if len(rows) > 1:
        drawn.append(f'<text {_INK} x="{_WIDTH}" y="{_HEIGHT - 6}" text-anchor="end">{ends[1]}</text>')
    legend = " ".join(
        f'<span><svg width="18" height="10" aria-hidden="true">{_mark(name, colours[name])}</svg>'
        f" {_alarm(name)}</span>"
        for name in shown
    )
    about, caption = tell("report.watch.picture"), tell("report.watch.caption", legend=legend)
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{about}">'
        f"{''.join(drawn)}</svg><figcaption>{caption}</figcaption></figure>"
    )


def _alarm(name: str) -> str:
    """Word the reason of an alarm."""
    return tell("report.watch.alarm", of=name)


def _mark(name: str, colour: str) -> str:
    """How a way to an alarm is drawn: a line, or dots alone where there is no way, just the alarm."""
    if name in _WAYS:
        return f'<line x1="0" x2="18" y1="5" y2="5" stroke="{colour}" stroke-width="2"/>'
    return f'<circle cx="9" cy="5" r="4" fill="{colour}"/>'


def _table(rows: Sequence[Any], ways: Sequence[str]) -> str:
    """The last looks, the newest first."""
    head = "".join(
        f"<th>{name}</th>"
        for name in ("look", "cases", "labels", *ways, tell("report.watch.p"), "alarms", "batch")
    )
    body = "".join(f"<tr>{''.join(_cells(row, ways))}</tr>" for row in rows[: -_ROWS - 1 : -1])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cells(row: Any, ways: Sequence[str]) -> Iterator[str]:
    yield f"<td>{escape(str(row['at']))}</td><td>{row['cases']:,}</td><td>{row['labels']:,.0f}</td>"
    for name in ways:
        yield f"<td>{row[name]:.2f}</td>"
    pvalue = row["pvalue"]
    yield f"<td>{'' if pvalue is None else f'{pvalue:.2g}'}</td>"
    yield f"<td>{escape(', '.join(row['alarms']))}</td><td>{row['batch'][:12]}</td>"
