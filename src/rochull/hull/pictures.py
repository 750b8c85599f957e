"""The card of a hull in a notebook: its vertices with their rules, and a picture in their owners' colours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from rochull._core.cards import Card, plane
from rochull._core.palette import COLOURS, slots
from rochull._core.validation import Array
from rochull.conditions.rules import Rule

_MARKED = 60  # vertices, at most
_INK = "currentColor"


class Drawn(Protocol):
    """Hull that is drawn: its vertices, and the rules that reach each of them."""

    @property
    def fpr(self) -> Array:
        """False positive rates (k,)."""

    @property
    def tpr(self) -> Array:
        """True positive rates (k,)."""

    @property
    def owners(self) -> Sequence[Sequence[Rule]]:
        """Rules of each vertex (k,)."""

    @property
    def classifiers(self) -> Sequence[str | None]:
        """Names of those who own a vertex."""


def colours_of(names: Iterable[str | None]) -> Mapping[str, str]:
    """The colour of each classifier, by its name."""
    return {name: COLOURS[slot] for name, slot in slots(name for name in names if name).items()}


def hull_card(title: str, hull: Drawn) -> Card:
    """A card of a hull, with a table of its vertices."""
    owners = [rules[0] for rules in hull.owners]
    vertices = [
        ("rule", [f"{rule:.4g}" for rule in owners]),
        ("fpr", hull.fpr.tolist()),
        ("tpr", hull.tpr.tolist()),
    ]
    return Card(title, vertices, picture=hull_picture(title, hull, colours_of(hull.classifiers)))


def hull_picture(title: str, hull: Drawn, shades: Mapping[str, str]) -> str:
    """A picture of a hull, with its vertices in the colours of their owners."""
    several = len(shades) > 1
    line = _INK if several else next(iter(shades.values()), COLOURS[0])
    owners = [rules[0] for rules in hull.owners]
    dots = []
    if len(owners) <= _MARKED:
        at = zip(hull.fpr.tolist(), hull.tpr.tolist(), owners, strict=True)
        dots = [(x, y, shades.get(rule.classifier or "", line)) for x, y, rule in at if not rule.constant]
    return plane([(hull.fpr, hull.tpr, line)], dots, f"ROC convex hull: {title}")
