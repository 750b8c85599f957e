"""Every document that is not exactly a cascade is refused with one line that says what is wrong."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import rochull as rh
from cascade_cases import policy
from document_cases import parsed
from document_cases import put as put_into
from document_cases import refusal as refusal_of

refusal = partial(refusal_of, rh.cascades.CascadePolicy)


def document() -> Any:
    return parsed(policy(stages=3, n_strata=3))


def put(path: tuple[Any, ...], value: Any) -> str:
    return put_into(document(), path, value)


def deep(levels: int) -> Any:
    node: Any = []
    for _ in range(levels):
        node = [{"low": [1], "pos": [1], "neg": [1], "odds": None, "edges": [], "children": node}]
    return node[0]


CHILD = ("root", "children", 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "this is not a cascade document"),
        (put(("classifiers",), ["a", "a", "b"]), "a classifier occurs twice"),
        (put(("classifiers",), ["a"]), "classifiers: it must have at least 2 items"),
        (put(("classifiers",), ["a", "b"]), "classifiers, prices and alone differ in length"),
        (put(("prices", 0), -1), "prices.0"),
        (put(("n_pos",), 7), "the counts of root are not n_pos and n_neg"),
        (put(("alone", 1, "pos", 0), 999), "the counts of alone.1 are not n_pos and n_neg"),
        (put(("root", "children"), []), "there are strata without children"),
        (put(("root", "edges"), []), "there is not one child for each stratum"),
        (put(("root", "edges", 0), 1e9), "root: the edges do not ascend"),
        (put(("root", "edges", 0), -1e9), "an edge parts a step"),
        (put(("root", "low", 0), -1e9), "root: the scores do not descend"),
        (put(("root", "low", 0), "nan"), "root.low.0"),
        (put(("root", "pos", 0), -1), "root.pos.0"),
        (put(("root", "pos"), [1]), "low, pos, neg and odds differ in length"),
        (
            put((*CHILD, "children", 0, "pos", 0), 10**9),
            "root.children.0: the counts of child 0 are not those of its stratum",
        ),
        (put((*CHILD, "odds", 0), -1.0), "root.children.0.odds.0: it must not be negative"),
        (put((*CHILD, "odds", 0), 0.0), "root.children.0: the odds rise"),
        (put((*CHILD, "children"), []), "there are strata without children"),
        (put(("root",), deep(60)), "the cascade is not valid at root.children.0.children"),
        (put(("root",), deep(21)), "the cascade is not valid at root.children.0.children"),
        (put(("alone", 0), deep(2)), "alone.0.children.0: a cascade has at most 20 classifiers"),
        (put(("unit_neg",), 3.0), "a unit is not a power of two"),
    ],
)
def test_refused(text: str, message: str) -> None:
    assert message in refusal(text)


def test_odds_of_counts_fall_strictly() -> None:
    found = document()
    root = found["root"]
    k = len(root["low"])
    assert root["odds"] is None
    both = {name: [max(count, 1) for count in root[name][::-1]] for name in ("pos", "neg")}
    assert "the odds do not fall" in refusal(put(("root",), {**root, **both}))
    empty = put(("root",), {**root, "pos": [0] * k, "neg": [0] * k})
    assert "a step is empty" in refusal(empty)


def test_depth_is_that_of_the_classifiers() -> None:
    two = parsed(policy(stages=2, n_strata=3))
    three = document()
    text = put_into(three, ("root",), two["root"])
    assert "root is not as deep as there are classifiers" in refusal(text) or "counts of root" in refusal(
        text
    )
