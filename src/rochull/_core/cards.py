"""Cards: what a notebook shows of an object, a real table with a small picture beside it.

Styles are inline, because notebooks drop others, and no colour of text or ground is stated, so that light and
dark themes keep theirs. Names are data: they are escaped, and no formula begins at a dollar sign in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from rochull._core.palette import COLOURS
from rochull._core.validation import Array

Columns = Sequence[tuple[str, Sequence[Any]]]  # heads and cells

_ROWS = 12  # of a table, at most
_SIDE, _EDGE = 132, 6  # pixels of the picture, and beside the ROC plane
_NEAR = 0.5  # pixels between points that are told apart
_AXES = f"{_EDGE},{_EDGE} {_EDGE},{_SIDE - _EDGE} {_SIDE - _EDGE},{_SIDE - _EDGE}"
_CHANCE = f"{_EDGE},{_SIDE - _EDGE} {_SIDE - _EDGE},{_EDGE}"
_THIN = 'fill="none" stroke="currentColor" opacity=".55"'
_EDGES = 'stroke="currentColor" stroke-opacity=".3"'
_TABLE = "border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.3em 0"
_MONO = "white-space:pre;font-family:monospace;overflow-x:auto"
_ALIGNED = {True: "padding:.1em .5em;text-align:right", False: "padding:.1em .5em;text-align:left"}


@dataclass(frozen=True)
class Swatch:
    """A name in a cell, with the colour that it has in the picture."""

    name: str
    colour: str

    def html(self) -> str:
        """Write it as HTML."""
        return f'<span style="color:{self.colour}">●</span> {_text(self.name)}'


@dataclass(frozen=True)
class Card:
    """A title, a table, notes, lines of aligned text, and a picture: a :func:`plane` or a :func:`matrix`."""

    title: str
    columns: Columns = ()
    notes: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    picture: str = ""

    def html(self) -> str:
        """Write it as HTML."""
        parts = [f'<div style="font-weight:600">{_text(self.title)}</div>']
        parts += [_table(self.columns)] if self.columns else []
        parts += [f'<div style="{_MONO}">{escape(chr(10).join(self.lines))}</div>'] if self.lines else []
        parts += [f"<div>{_text(note)}</div>" for note in self.notes]
        picture = f"<div>{self.picture}</div>" if self.picture else ""
        return (
            '<div class="tex2jax_ignore mathjax_ignore" '
            'style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">'
            f'<div style="min-width:0">{"".join(parts)}</div>{picture}</div>'
        )


class Carded:
    """Base of what a notebook shows as a card."""

    def _card(self) -> Card:
        """Its name alone; a subclass says more."""
        return Card(repr(self))

    def _repr_html_(self) -> str:
        return self._card().html()


def plane(
    lines: Iterable[tuple[Array, Array, str]],
    dots: Iterable[tuple[float, float, str]],
    said: str,
    *,
    chance: bool = True,
) -> str:
    """A picture of the ROC plane, or of another square: lines and dots, each with its colour.

    `said` is read out in its place; `chance` draws the line of what knows nothing.
    """
    drawn = [f'<polyline points="{_AXES}" {_THIN}/>']
    if chance:
        drawn.append(f'<polyline points="{_CHANCE}" {_THIN} stroke-dasharray="1 3"/>')
    for x, y, colour in lines:
        points = " ".join(f"{across:.4g},{down:.4g}" for across, down in _apart(*_pixels(x, y)))
        drawn.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
    for fpr, tpr, colour in dots:
        across, down = _pixels(fpr, tpr)
        drawn.append(f'<circle cx="{across:.4g}" cy="{down:.4g}" r="2.6" fill="{colour}"/>')
    return _picture(drawn, said)


def matrix(shares: Array, said: str) -> str:
    """A picture of a confusion matrix (C, C) of shares of each row: the larger, the darker."""
    side = (_SIDE - 2 * _EDGE) / len(shares)
    drawn = [
        f'<rect x="{_EDGE + j * side:.4g}" y="{_EDGE + i * side:.4g}" width="{side:.4g}" '
        f'height="{side:.4g}" fill="{COLOURS[0]}" fill-opacity="{share:.3g}" {_EDGES}/>'
        for i, row in enumerate(np.asarray(shares).tolist())
        for j, share in enumerate(row)
    ]
    return _picture(drawn, f"{said}; true classes downwards, decisions across")


def _picture(drawn: Sequence[str], said: str) -> str:
    return (
        f'<svg role="img" aria-label="{escape(said)}" width="{_SIDE}" height="{_SIDE}" '
        f'viewBox="0 0 {_SIDE} {_SIDE}" xmlns="http://www.w3.org/2000/svg">{"".join(drawn)}</svg>'
    )


def _pixels(fpr: Any, tpr: Any) -> tuple[Any, Any]:
    wide = _SIDE - 2 * _EDGE
    return _EDGE + wide * np.asarray(fpr), _SIDE - _EDGE - wide * np.asarray(tpr)


def _apart(across: Array, down: Array) -> Array:
    """Points (k, 2) without those nearer to the one before than is seen."""
    points = np.column_stack([across, down])
    steps = np.floor(points / _NEAR)
    keep = np.append(True, (np.diff(steps, axis=0) != 0).any(axis=1))
    keep[-1] = True
    return np.asarray(points[keep])


def _table(columns: Columns) -> str:
    """A table; of a long one the beginning and the end."""
    size = max(len(cells) for _, cells in columns)
    half = _ROWS // 2
    rows = list(range(size)) if size <= _ROWS else [*range(half), *range(size - half, size)]
    right = [any(_is_number(cell) for cell in cells) for _, cells in columns]
    heads = "".join(
        f'<th scope="col" style="{_ALIGNED[number]}">{_text(head)}</th>'
        for (head, _), number in zip(columns, right, strict=True)
    )
    lines = []
    for i in rows:
        if size > _ROWS and i == size - half:
            lines.append(f'<tr><td colspan="{len(columns)}" style="text-align:center">…</td></tr>')
        cells = (_cell(cells[i], number) for (_, cells), number in zip(columns, right, strict=True))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f'<table style="{_TABLE}"><thead><tr>{heads}</tr></thead><tbody>{"".join(lines)}</tbody></table>'


def _cell(value: Any, right: bool) -> str:
    """A value; a number has four digits, and all of them where one points."""
    if isinstance(value, float | np.floating):
        exact = f' title="{float(value)!r}"'
        return f'<td style="{_ALIGNED[right]}"{exact}>{float(value):.4g}</td>'
    said = value.html() if isinstance(value, Swatch) else "" if value is None else _text(str(value))
    return f'<td style="{_ALIGNED[right]}">{said}</td>'


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _text(said: str) -> str:
    """Text that is never markup, and whose direction does not spread."""
    return f"<bdi>{escape(said)}</bdi>"
