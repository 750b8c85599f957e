"""How much colours differ to eyes of every kind, and from what is behind them."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from playwright.sync_api import Page

Rgb = np.ndarray[Any, Any]
# What is seen of linear light with normal eyes, protanopia, deuteranopia and tritanopia (Machado et al. 2009).
EYES = [
    np.eye(3),
    np.array([[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]]),
    np.array([[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]]),
    np.array([[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]]),
]
_XYZ = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])


# Of each visible text, drawn ones included: its ink and what is behind it, as they are painted, the least contrast, and where.
_INKED = """() => {
  const ink = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const painted = (layers) => { // one over the other
    for (const css of ["#fff", ...layers]) { ink.fillStyle = css; ink.fillRect(0, 0, 1, 1); }
    return "#" + [...ink.getImageData(0, 0, 1, 1).data].slice(0, 3).map((x) => x.toString(16).padStart(2, "0")).join("");
  };
  const found = new Map();
  for (const node of document.querySelectorAll("body *:not(script)")) {
    if (!node.checkVisibility() || node.closest(".visually-hidden, .rc-unseen, :disabled, defs")) continue;
    if (![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) continue;
    const layers = [], { color, fill, fontSize, fontWeight } = getComputedStyle(node), css = node.ownerSVGElement ? fill : color;
    if (css === "none") continue;
    for (let at = node; at; at = at.parentElement) layers.unshift(getComputedStyle(at).backgroundColor);
    const size = parseFloat(fontSize), least = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700) ? 3 : 4.5;
    const pair = [painted([...layers, css]), painted(layers), least];
    found.set(String(pair), [...pair, node.outerHTML.slice(0, 120)]);
  }
  return [...found.values()];
}"""


def weak(page: Page) -> list[str]:
    """Return the texts of a page whose contrast is too little to read them."""
    found = page.evaluate(_INKED)
    assert found
    return [where for ink, behind, least, where in found if contrast(ink, behind) < least]


def light(colour: str) -> Rgb:
    """Return the linear light of "#rrggbb"."""
    value = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2)."""
    low, high = sorted(float(_XYZ[1] @ light(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def least_difference(colours: Sequence[str]) -> float:
    """Return how much the most alike two differ (CIEDE2000) to the eyes that see it least."""
    seen = [[_lab(np.clip(eye @ light(colour), 0, 1)) for colour in colours] for eye in EYES]
    return min(_ciede2000(a, b) for labs in seen for a, b in itertools.combinations(labs, 2))


def _lab(rgb: Rgb) -> tuple[float, float, float]:
    part = _XYZ @ rgb / _XYZ.sum(axis=1)
    x, y, z = np.where(part > 216 / 24389, np.cbrt(part), (24389 / 27 * part + 16) / 116)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _ciede2000(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    grey = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25**7))
    c1, c2 = np.hypot(grey * a1, b1), np.hypot(grey * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, grey * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    hue, chroma, middle = (h1 + turn / 2) % 360, (c1 + c2) / 2, (l1 + l2) / 2
    waves = [(-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.2, 4, -63)]
    t = 1 + sum(size * np.cos(np.radians(times * hue + shift)) for size, times, shift in waves)
    light_part = (l2 - l1) / (1 + 0.015 * (middle - 50) ** 2 / np.sqrt(20 + (middle - 50) ** 2))
    chroma_part = (c2 - c1) / (1 + 0.045 * chroma)
    hue_part = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    angle = np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2)))
    cross = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7)) * np.sin(angle) * chroma_part * hue_part
    return float(np.sqrt(light_part**2 + chroma_part**2 + hue_part**2 + cross))
