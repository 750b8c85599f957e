"""Legends where they hide no data: wrapped and set smaller in small axes, else below them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull.plotting.base import is_reference

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Bbox

    from rochull._core.validation import Array

_Drawn = tuple[Any, bool, bool, tuple[float, ...]]
_SIZES = ("small", "x-small", 6)
_CORNERS = {  # and how far to the right and up they are
    "upper right": (1.0, 1.0), "lower right": (1.0, 0.0), "upper left": (0.0, 1.0), "lower left": (0.0, 0.0),
    "center right": (1.0, 0.5), "center left": (0.0, 0.5), "upper center": (0.5, 1.0),
    "lower center": (0.5, 0.0), "center": (0.5, 0.5),
}  # fmt: skip
_NOTHING = 0, 0  # crossed
_MANY = 100  # things drawn, among which no place between corners is looked for
_NARROWER = 1.1  # axes were, before those beside them got their labels
_BETWEEN = 25  # places across and up, that are tried where something is in the way in every corner
_PAD = 4  # points between a legend and the border of the axes
_LABELS = 38  # points that ticks and label of the horizontal axis take
_LINE = 13  # points of another line of the label
_WIDEST = 0.75  # of the axes' width, for a legend beside them
_HIGHEST = 0.5  # of the axes' height, for a legend below them
_SMALL = 3.2  # inches
_END, _NAMED = "rochull-end", "-named"  # a text beside a curve's end, and the curve
_LEAST = 8  # characters in a line
_LONGEST_WORD = 20  # characters; what is longer is a name that somebody gave


def legend(ax: Axes, *, loc: str = "best", beside: bool = False, below: bool = False, **options: Any) -> None:
    """A legend of all that is on the axes, without a frame, where no curve runs through it.

    `loc` is the corner that is tried first; `beside` puts it to the right of axes that are wide enough, and
    `below` below axes that are filled, if a layout makes room there.
    """
    handles = [each for each in ax.get_legend_handles_labels()[0] if not _is_named(each)]
    handles.sort(key=is_reference)
    if _is_small(ax):  # of others the size is known well enough, as long as a corner is free
        lay_out(ax)
    given = {"handles": handles, "frameon": False, **options}
    if beside and _is_beside(ax, given):
        return
    makes_room = ax.figure.get_layout_engine() is not None
    if below and makes_room and _is_below(ax, _sized(given, _SIZES[1])):
        return
    found = []
    for size in _SIZES[:-1] if makes_room and not _is_small(ax) else _SIZES:
        shown = ax.legend(**_sized(given, size), loc="center", borderaxespad=0)
        _wrap(shown, _room(ax))
        place, crossed = _best_place(ax, shown, loc)
        found.append((crossed, place, size))
        if not crossed:
            break
    crossed, place, size = min(found, key=lambda each: each[0])
    if crossed and makes_room and _is_below(ax, _sized(given, _SIZES[1])):
        return
    shown = ax.legend(**{**_sized(given, size), "loc": place, "borderaxespad": _PAD / _points(ax, size)})
    _wrap(shown, _room(ax))
    shown.set_in_layout(False)  # no layout may press the axes for its sake
    _on_ground(ax, shown)


def name_ends(ax: Axes, curves: Sequence[Line2D]) -> None:
    """Write the names of curves beside their ends at the right border, where a layout makes room for them.

    They are then in no legend. Without curves the names of an earlier call go back into it.
    """
    for text in [each for each in ax.texts if each.get_gid() == _END]:
        text.remove()
    for line in ax.lines:
        line.set_gid((line.get_gid() or "").removesuffix(_NAMED) or None)
    if ax.figure.get_layout_engine() is None:
        return
    (_, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    gap = _LINE / (72 * ax.bbox.height / ax.get_figure(root=True).dpi)  # type: ignore[union-attr]
    ends = [np.interp(right, *np.asarray(line.get_xydata()).T) for line in curves]
    heights = _spread(np.clip((np.array(ends) - low) / (high - low), 0, 1), gap)
    for line, height in zip(curves, heights, strict=True):
        line.set_gid(f"{line.get_gid()}{_NAMED}")
        ax.annotate(
            shortened(str(line.get_label())), (1, height), (4, 0), xycoords="axes fraction",
            textcoords="offset points", color=line.get_color(), va="center", fontsize="small", gid=_END,
        )  # fmt: skip


def shortened(text: str, most: int = 34) -> str:
    """A label that fits beside an axis."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _is_named(artist: Any) -> bool:
    return (artist.get_gid() or "").endswith(_NAMED)


def _spread(heights: Array, gap: float) -> Array:
    """Places (k,) in the same order, at least a gap apart and not above 1, none farther than it must be."""
    order, steps = np.argsort(heights, kind="stable"), gap * np.arange(len(heights))
    raised = np.maximum.accumulate(heights[order] - steps) + steps
    lowered = np.minimum(raised, 1 - steps[::-1])
    placed = np.empty_like(heights)
    placed[order] = np.maximum.accumulate(lowered - steps) + steps
    return placed


def _sized(given: dict[str, Any], size: Any) -> dict[str, Any]:
    """A legend's options, its title as large as its texts."""
    return {**given, "fontsize": size, **({"title_fontsize": size} if "title" in given else {})}


def _is_small(ax: Axes) -> bool:
    """Whether the smallest texts may be needed."""
    root = ax.get_figure(root=True)
    return root is not None and ax.bbox.width <= _SMALL * root.dpi


def lay_out(ax: Axes) -> None:
    """Give axes in a layout the size that they will have without a legend."""
    if (root := ax.get_figure(root=True)) is None:
        return
    if (engine := root.get_layout_engine()) is not None:
        if (drawn := ax.get_legend()) is not None:
            drawn.set_in_layout(False)
        engine.execute(root)


def _room(ax: Axes) -> float:
    """Pixels of width for a legend inside of axes; a layout will make single ones a little wider."""
    wide = float(ax.get_window_extent().width)
    return 0.94 * wide if ax.figure.get_layout_engine() is None else wide / _slack(ax)


def _slack(ax: Axes) -> float:
    """By how much a layout may make axes narrower yet, when those beside them get their labels."""
    is_laid_out = ax.figure.get_layout_engine() is not None
    return _NARROWER if is_laid_out and len(ax.figure.axes) > 1 else 1.0


def legend_alone(ax: Axes, handles: list[Any], title: str) -> None:
    """A legend that has axes of its own, which are not drawn."""
    ax.axis("off")
    look: dict[str, Any] = {"loc": "upper left", "frameon": False, "borderaxespad": 0, "alignment": "left"}
    for size in _SIZES:
        shown = ax.legend(handles=handles, title=title, fontsize=size, title_fontsize=size, **look)
        _wrap(shown, ax.get_window_extent().width)
        shown.set_in_layout(False)
        own, room = shown.get_window_extent(), ax.get_window_extent()
        if own.height <= room.height and own.width <= room.width:
            return


def _points(ax: Axes, size: Any) -> float:
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=size).get_size_in_points())


def _is_beside(ax: Axes, given: dict[str, Any]) -> bool:
    """Put it to the right, unless that leaves too little of the axes."""
    place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
    shown = ax.legend(**_sized(given, "small"), **place)
    if shown.get_window_extent().width > _WIDEST * ax.get_window_extent().width:
        return False
    _on_ground(ax, shown)
    return True


def _is_below(ax: Axes, given: dict[str, Any]) -> bool:
    """Put it below the axes and their label, unless that leaves too little of the axes."""
    from matplotlib.transforms import ScaledTranslation

    lines = ax.get_xlabel().count("\n")
    down = ScaledTranslation(0, -(_LABELS + _LINE * lines) / 72, ax.get_figure(root=True).dpi_scale_trans)  # type: ignore[union-attr]
    place = {"loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": ax.transAxes + down}
    shown = ax.legend(**{**given, **place, "borderaxespad": 0.0})
    _wrap(shown, ax.get_window_extent().width)
    if shown.get_window_extent().height > _HIGHEST * ax.get_window_extent().height:
        return False
    _on_ground(ax, shown)
    return True


def _on_ground(ax: Axes, shown: Legend) -> None:
    """No line runs through a text."""
    for text in shown.get_texts():
        text.set_bbox({"facecolor": ax.get_facecolor(), "alpha": 0.8, "edgecolor": "none", "pad": 1})


def _wrap(shown: Legend, width: float) -> None:
    """Break texts into lines that a legend of this width, in pixels, has room for."""
    texts = shown.get_texts()
    for text in texts:
        text.set_parse_math(False)
    widths = [text.get_window_extent().width for text in texts]
    room = width - (shown.get_window_extent().width - max(widths, default=0.0))
    for text, wide in zip(texts, widths, strict=True):
        if wide > room:
            said = text.get_text()
            most = max(int(len(said) * max(room, 1) / wide), _LEAST)
            text.set_text(_in_lines(said, most))
    title = shown.get_title()
    title.set_parse_math(False)
    if title.get_text() and (wide := title.get_window_extent().width) > (room := 0.97 * width):
        title.set_text(_in_lines(title.get_text(), int(len(title.get_text()) * room / wide)))


def _in_lines(said: str, most: int) -> str:
    """Break a text between its words; a word is broken only if it is a long name, and "90 %" never."""
    is_name = max(map(len, said.split())) > _LONGEST_WORD
    bound = said.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = textwrap.wrap(bound, max(most, _LEAST), break_long_words=is_name)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def _best_place(ax: Axes, shown: Legend, loc: str) -> tuple[str | tuple[float, float], int]:
    """The first place in which it crosses least, and how many curves or texts it crosses there.

    Corners come first. Where each has something in the way, places between them are tried, and the one that
    is nearest to the wanted corner is taken.
    """
    room, own = ax.get_window_extent(), shown.get_window_extent().expanded(_slack(ax), 1)
    if own.width > room.width or own.height > room.height:
        return "upper right", 99
    drawn = _bounded(ax)
    place: str | tuple[float, float]
    first = "upper right" if loc == "best" else loc
    corners = [first, *(other for other in _CORNERS if other != first)]
    judged = [_crossed(drawn, _box(room, own, *_CORNERS[corner])) for corner in corners]
    best = min(range(len(corners)), key=judged.__getitem__)
    place, least = corners[best], judged[best]
    if least == _NOTHING or len(drawn) > _MANY:  # a map's cells leave no place free
        return place, least[0]
    lay_out(ax)
    room, drawn = ax.get_window_extent(), _bounded(ax)
    steps = np.linspace(0, 1, _BETWEEN)
    right, up = _CORNERS[first]
    near = sorted(((x, y) for x in steps for y in steps), key=lambda at: np.hypot(at[0] - right, at[1] - up))
    for x, y in near:
        box = _box(room, own, x, y)
        crossed = _crossed(drawn, box.padded(_PAD / 2))
        if crossed < least:
            place, least = ((box.x0 - room.x0) / room.width, (box.y0 - room.y0) / room.height), crossed
        if least == _NOTHING:
            break
    return place, least[0]


def _box(room: Bbox, own: Bbox, right: float, up: float) -> Bbox:
    """Where a legend of this size lies, so far to the right and up."""
    from matplotlib.transforms import Bbox

    left = room.x0 + _PAD + right * (room.width - own.width - 2 * _PAD)
    bottom = room.y0 + _PAD + up * (room.height - own.height - 2 * _PAD)
    return Bbox.from_bounds(left, bottom, own.width, own.height)


def _drawn(ax: Axes) -> Iterator[tuple[Any, bool, bool]]:
    """Paths or points that may be hidden, in pixels; whether they are filled, and matter little."""
    for line in ax.lines:
        if line.get_visible() and np.size(line.get_path().vertices):
            path = line.get_transform().transform_path(line.get_path())
            is_dots = line.get_linestyle() in {"None", "none", " ", ""}
            yield (path.vertices if is_dots else path), False, is_reference(line)
    for area in ax.collections:
        if len(area.get_offset_transform().transform(area.get_offsets())) > 1:
            yield np.asarray(area.get_offset_transform().transform(area.get_offsets())), False, False
        else:
            for path in area.get_paths():
                yield area.get_transform().transform_path(path), True, True
    for patch in ax.patches:
        yield patch.get_transform().transform_path(patch.get_path()), True, True
    for text in ax.texts:
        yield text.get_window_extent().corners(), False, False


def _bounded(ax: Axes) -> list[_Drawn]:
    """The same, each with the bounds beyond which nothing of it lies."""
    found = []
    for what, is_filled, is_little in _drawn(ax):
        ends = np.reshape(what if isinstance(what, np.ndarray) else what.vertices, (-1, 2))
        low, high = np.fmin.reduce(ends), np.fmax.reduce(ends)  # of those that are not NaN
        found.append((what, is_filled, is_little, (*low.tolist(), *high.tolist())))
    return found


def _crossed(drawn: list[_Drawn], box: Bbox) -> tuple[int, int]:
    """How many curves and texts lie in a box; and how many areas and lines of reference."""
    counts = [0, 0]
    left, bottom, right, top = box.extents
    for what, is_filled, is_little, (x0, y0, x1, y1) in drawn:
        if x1 < left or x0 > right or y1 < bottom or y0 > top:
            continue  # most of them: to ask a path is slow
        if isinstance(what, np.ndarray):
            counts[is_little] += bool(box.count_contains(what))
        else:
            counts[is_little] += bool(what.intersects_bbox(box, filled=is_filled))
    return counts[0], counts[1]
