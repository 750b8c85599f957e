"""Schema of a cascade's document."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rochull._core.schemas import (
    Reader,
    Schema,
    extended,
    items,
    name,
    number,
    optional,
    record,
    text,
    texts,
    truth,
    written,
)
from rochull.cascades.nodes import Node
from rochull.policies.policy_schema import HULL, UNITS, units_of

MOST_CLASSIFIERS = 20


def _odds(value: Any) -> Any:
    found = extended(value)
    if not found >= 0:
        raise ValueError("it must not be negative")
    return found


def _node(left: int) -> Reader:
    """Make a reader of a classifier's scores, and of those that may follow, so many at most."""

    def read(value: Any) -> Node:
        follows = _node(left - 1) if left > 1 else _nothing
        fields = {
            "low": items(extended, 1),
            "pos": items(UNITS),
            "neg": items(UNITS),
            "odds": optional(items(_odds)),
            "edges": items(number()),
            "children": items(follows),
        }
        node = Node(**record(fields)(value))
        _check_node(node)
        return node

    return read


def _nothing(value: Any) -> Any:
    raise ValueError(f"a cascade has at most {MOST_CLASSIFIERS} classifiers")


def _check_node(node: Node) -> None:
    if (
        len({len(node.low), len(node.pos), len(node.neg), len(node.low if node.odds is None else node.odds)})
        > 1
    ):
        raise ValueError("low, pos, neg and odds differ in length")
    if any(high <= low for high, low in pairwise(node.low)):
        raise ValueError("the scores do not descend")
    if any(low >= high for low, high in pairwise(node.edges)):
        raise ValueError("the edges do not ascend")
    _check_falling(node)
    if node.children and len(node.children) != len(node.edges) + 1:
        raise ValueError("there is not one child for each stratum")
    if node.edges and not node.children:
        raise ValueError("there are strata without children")
    if not set(node.edges) <= set(node.low):
        raise ValueError("an edge parts a step")
    for b, child in enumerate(node.children):
        if child.counts(0, len(child.low)) != node.counts(node.bounds[b + 1], node.bounds[b]):
            raise ValueError(f"the counts of child {b} are not those of its stratum")


def _check_falling(node: Node) -> None:
    """Raise unless the odds fall from step to step; those that are shrunk may stay."""
    if node.odds is not None:
        if any(high < low for high, low in pairwise(node.odds)):
            raise ValueError("the odds rise")
        return
    counts = list(zip(node.pos, node.neg, strict=True))
    if any(not pos and not neg for pos, neg in counts):
        raise ValueError("a step is empty")
    if any(p0 * n1 <= p1 * n0 for (p0, n0), (p1, n1) in pairwise(counts)):
        raise ValueError("the odds do not fall")


def _check(found: dict[str, Any]) -> None:
    root, classifiers = found["root"], found["classifiers"]
    if len(set(classifiers)) < len(classifiers):
        raise ValueError("a classifier occurs twice")
    if not len(classifiers) == len(found["prices"]) == len(found["alone"]):
        raise ValueError("classifiers, prices and alone differ in length")
    totals = found["n_pos"], found["n_neg"]
    for i, node in enumerate([root, *found["alone"]]):
        if node.counts(0, len(node.low)) != totals:
            raise ValueError(f"the counts of {f'alone.{i - 1}' if i else 'root'} are not n_pos and n_neg")
    if any(node.children for node in found["alone"]):
        raise ValueError("what is alone has no children")
    _check_depth([root], len(classifiers))
    units_of(found).check(found["n_neg"], found["n_pos"])


def _check_depth(nodes: Sequence[Node], left: int) -> None:
    for node in nodes:
        if bool(node.children) != (left > 1):
            raise ValueError("root is not as deep as there are classifiers")
        _check_depth(node.children, left - 1)


# `alone` holds the steps of each classifier on all cases.
CASCADE = Schema(
    "rochull-cascade",
    "cascade",
    {
        "about": texts,
        "salt": text,
        **HULL,
        "classifiers": items(name, 2),
        "prices": items(number(least=0)),
        "peaked": truth,
        "root": _node(MOST_CLASSIFIERS),
        "alone": items(_node(1)),
    },
    _check,
)


def node_dict(node: Node) -> dict[str, Any]:
    """A node as a document holds it."""
    return {
        "low": list(map(written, node.low)),
        "pos": list(node.pos),
        "neg": list(node.neg),
        "odds": None if node.odds is None else list(map(written, node.odds)),
        "edges": list(node.edges),
        "children": list(map(node_dict, node.children)),
    }
